# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# The static checks, all in the bookworm root, on a copy of their own: the
# module with all of the compiler's warnings (W=1) and sparse (C=2), also for a
# kernel without the hooks it wants, where it has to refuse its work; the tools
# and test programs with warnings as errors, scripts, manual pages, what the
# description of the netlink family is good for, the rule that only vif/compat
# knows kernel versions, that the rooms of the module depend on each other one way
# (selftests/lab/rooms), and that mutants can be made.

lint_failed=0

# lint_quiet NAME COMMAND...: passes if it succeeds and says nothing of interest
lint_quiet() {
	local name=$1 all out status
	shift
	all=$("$@" 2>&1)
	status=$?
	out=$(grep -E '[Ww]arning:|[Ee]rror:|^In |SC[0-9]{4}|:[0-9]+:' <<<"$all")
	if [ $status -eq 0 ] && [ -z "$out" ]; then
		echo "ok      $name"
		return
	fi
	[ -n "$out" ] || out="status $status"$'\n'$(tail -n 20 <<<"$all")
	echo "FAILED  $name"
	printf '    %s\n' "${out//$'\n'/$'\n'    }"
	lint_failed=$((lint_failed + 1))
}

lint_in_root() { root_run bookworm env -C "$(build_dir lint)" "$@"; }

# lint_module HEADERS: whatever was built before
lint_module() {
	lint_in_root find . -name '*.o' -delete
	build_make lint -C "$(build_dir lint)" modules W=1 C=2 \
		KVER="$(kernel_release 6.1)" KDIR="$1" 2>&1 | grep -v BTF
	return "${PIPESTATUS[0]}"
}

# lint_symbols: what can stand in a trace, an oops or a profile tells that it is the module's
lint_symbols() {
	local symbol
	# shellcheck disable=SC2046
	lint_in_root nm $(module_names) | awk '
		$2 !~ /^[tT]$/ { next }
		{ sub(/[.].*/, "", $3) }
		$3 !~ /^_*(vif|vsched|nnfs|nn_nl|netnice|p_queue)_/ { print $3 }' | sort -u |
		while read -r symbol; do
			# what is in no file is the compiler's: init_module
			grep -rnE --include='*.c' "^([a-z_]+ .*[ *])?$symbol\(" "$top_dir"/{vif,sched,procfs} || :
		done
}

lint_headers() { echo "/usr/src/linux-headers-$(kernel_release 6.1)"; }

# lint_module_without OPTION...: for a kernel of which only the headers are there
lint_module_without() {
	local headers option edits=()
	headers=$(build_dir lint).headers
	for option; do
		edits+=(-e "/^#define $option 1/d" -e "/^$option=/d")
	done
	# shellcheck disable=SC2016
	root_run bookworm sh -ec 'from=$1 to=$2; shift 2
		rm -rf "$to"
		cp -a "$from" "$to"
		ln -sfn "$from/scripts" "$to/scripts"
		ln -sfn "$from/tools" "$to/tools"
		sed -i "$@" "$to/include/generated/autoconf.h" "$to/include/config/auto.conf"
		' sh "$(lint_headers)" "$headers" "${edits[@]}" && lint_module "$headers"
}

lint_scripts() {
	# shellcheck disable=SC2016
	lint_in_root sh -c 'shellcheck -x $(grep -rlE "^#!/bin/(ba)?sh|^# shellcheck shell=" \
		--exclude="*.swp" selftests vif/compat .ci debian)'
}

# lint_netlink: what the kernel's own generator (YNL) makes of the description of the netlink
# family: the numbers of the header, the module's table of operations, and a client that
# compiles. It looks for the top of a kernel's source above the description. What is printed of
# the table is the patch that it needs.
lint_netlink() {
	# shellcheck disable=SC2016
	lint_in_root sh -ec 'rm -rf "$2"
		cp -a "$1/usr/src/linux" "$2"
		cp --parents -t "$2" Documentation/netlink/specs/netnice.yaml
		cp -a vif/uapi vif/netlink "$2/"
		cd "$2"
		: >MAINTAINERS
		generate() {
			python3 tools/net/ynl/pyynl/ynl_gen_c.py \
				--spec "$PWD/Documentation/netlink/specs/netnice.yaml" "$@"
		}
		numbers() { gcc -fpreprocessed -P -E "$1" | grep -v "^#"; }
		generate --mode uapi --header -o uapi.h
		numbers uapi.h >generated
		numbers uapi/linux/netnice_netlink.h | diff generated - >difference ||
			{ sed "s/^/error: the header differs: /" difference; exit 1; }
		for part in header:h source:c; do
			file=nl_gen.${part#*:}
			generate --mode kernel --"${part%:*}" -o $file
			diff -u --label vif/netlink/$file --label vif/netlink/$file netlink/$file $file ||
				{ echo "error: vif/netlink/$file is not what is generated"; exit 1; }
		done
		generate --mode user --header -o netnice-user.h
		generate --mode user --source -o netnice-user.c
		gcc -O2 -Wall -Wextra -Werror -Iuapi -Itools/net/ynl/lib -I. -c netnice-user.c
		' sh "$(source_dir)/tree" "$(build_dir lint).ynl"
}

# lint_style: what the kernel's own checkpatch says of the module, but
#   ALLOC_WITH_SIZEOF	kzalloc_obj() is of new kernels only
#   COMPLEX_MACRO, MACRO_ARG_UNUSED	lists that are macros' arguments
#   MEMORY_BARRIER	it looks for a comment in the line before only
#   CONSTANT_COMPARISON, UNNECESSARY_ELSE	are read the other way round here and there
lint_style() {
	# shellcheck disable=SC2016
	lint_in_root sh -c 'echo nf_hookfn >"$2"
		find vif procfs sched -name "*.[ch]" ! -name "*_gen.[ch]" |
		xargs perl "$1/usr/src/linux/scripts/checkpatch.pl" --no-tree --terse --no-summary \
			--show-types --max-line-length=100 --typedefsfile="$2" --file \
			--ignore ALLOC_WITH_SIZEOF,COMPLEX_MACRO,MACRO_ARG_UNUSED \
			--ignore MEMORY_BARRIER,CONSTANT_COMPARISON,UNNECESSARY_ELSE
		' sh "$(source_dir)/tree" "$(build_dir lint).types"
}

# Each example is a configuration of its own.
lint_rules() {
	local file status=0
	for file in $(cd "$top_dir" && grep -lE '^\[(vif|rule) ' Documentation/examples/*.conf); do
		lint_in_root tools/netniced/netniced --check "$file" || status=1
	done
	return $status
}

lint_documents() {
	# shellcheck disable=SC2016
	lint_in_root sh -c 'status=0
		for file in Documentation/*.rst; do
			rst2html --report=1 --exit-status=1 "$file" /dev/null || status=1
		done
		exit $status'
}

# lint_names: functions and files that documents name are there, and so are functions that the
# module's comments name; internals.rst names all files of the rooms. Two of the functions are the
# kernel's; testing.rst has mistakes of the past, too.
lint_names() {
	local name documents ours='\<_*(vif|vsched|nnfs|nn|p_queue)_[a-z0-9_]+'
	cd "$top_dir" || return
	documents=(Documentation/[!t]*.rst Documentation/t[!e]*.rst README.md CONTRIBUTING.md)
	grep -ohE '\<[a-z_][a-z0-9_]+\(\)' "${documents[@]}" | sort -u | while read -r name; do
		[[ $name =~ ^(netlink_table_grab|unblock_signals)\( ]] ||
			grep -rqw --include='*.[chs]*' "${name%()}" vif sched procfs tools selftests ||
			echo "error: documents name $name, which is not there"
	done
	comm -13 <(grep -rhvE '^[[:space:]]*/?\*' --include='*.[ch]' vif sched procfs |
		grep -oE "$ours" | sort -u) \
		<(grep -rhE '^[[:space:]]*/?\*' --include='*.[ch]' vif sched procfs |
		grep -oE "$ours\(\)" | sed 's/()$//' | sort -u) | while read -r name; do
		echo "error: a comment of the module names $name(), which is not there"
	done
	grep -ohE '\<(vif|sched|procfs|tools|selftests)/[a-z0-9_/.-]+\.([ch]|sh)\>' "${documents[@]}" |
		sort -u | while read -r name; do
		[ -e "$name" ] || echo "error: documents name $name, which is not there"
	done
	grep -ohE '\<examples/[A-Za-z0-9_.-]+\>' "${documents[@]}" | sort -u | while read -r name; do
		[ -e "Documentation/$name" ] || echo "error: documents name $name, which is not there"
	done
	for name in {sched,vif/*}/*.c; do
		name=${name##*/}
		grep -qwE "${name%.c}\.[ch]" Documentation/internals.rst ||
			echo "error: internals.rst does not say what $name is for"
	done
}

# lint_packaged: packages have what users read, which is what index.rst begins with; DKMS builds the
# module and all its options, and whatever unloads the module unloads these first
lint_packaged() {
	local name n=0
	cd "$top_dir" || return
	for name in $(module_names); do
		name=${name%.ko}
		n=$(sed -n "s/^BUILT_MODULE_NAME\[\([0-9]*\)\]=\"$name\"\$/\1/p" packaging/dkms.conf)
		grep -q "^DEST_MODULE_LOCATION\[${n:-none}\]=" packaging/dkms.conf ||
			echo "packaging/dkms.conf:1: does not build and install $name"
		grep -rnE --include='*.rst' --include='*.md' --include='*.prerm' --include=packages \
			'modprobe -r .*\<netnice\>' README.md Documentation debian selftests/lab/guest |
			grep -vw "$name" | sed "s/:[^:]*\$/: does not unload $name/"
	done
	sed '/^How well/q' Documentation/index.rst | grep -o '^[a-z]*[.]rst' | while read -r name; do
		grep -qx "Documentation/$name" debian/netnice.docs ||
			echo "debian/netnice.docs:1: has no $name"
		grep '^%doc Documentation/' packaging/netnice.spec.in | grep -qw "${name%.rst}" ||
			echo "packaging/netnice.spec.in:1: has no $name"
	done
}

# lint_words: comments, documents and messages name the program, packet or user that they mean, not
# a person. The account's name, as code has it, does not count, nor does this list of words.
lint_words() {
	cd "$top_dir" || return
	(build_files) | cut -d'|' -f1 | grep -vE '^(COPYING|selftests/lab/lint.sh)$' | tr '\n' '\0' |
		xargs -0r grep -IHnwiE 'nobody|somebody|whoever|whom|he|him|his' -- |
		grep -viE '(["=:] ?|-u )nobody(["=:]|$)' |
		sed -E 's/^([^:]*:[0-9]*:).*\<(nobody|somebody|whoever|whom|he|him|his)\>.*/\1 name what is meant instead of "\2"/I'
	return 0
}

lint_versions() {
	! grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION' "$top_dir"/{Kbuild,sched,vif,procfs} \
		--exclude-dir=compat
}

# lint_kselftest: what is installed to run elsewhere is there, and has what it reads; and no
# test that is listed does to the machine what a namespace does not keep from it
lint_kselftest() {
	# shellcheck disable=SC2016
	lint_in_root sh -ec 'rm -rf "$1"
		make -s -C selftests/net install INSTALL_PATH="$1" KSFT_DIR=
		cd "$1"
		for test in $(make -s -C "$OLDPWD/selftests/net" emit_tests KSFT_DIR=); do
			[ -x "$OLDPWD/selftests/net/$test" ] || echo "error: $test is no test"
			sed -n "s,^[.] \"\$(dirname \"\$0\")/\([^\"]*\)\".*,\1,p" "$test" | while read -r name; do
				[ -e "$name" ] || echo "error: $test reads $name, which is not in TEST_FILES"
			done
			grep -nE "insmod|>[[:space:]]*\"?/(etc|srv|root|home|usr|var)|kernel[./][a-z_]+=" "$test" /dev/null |
				sed "s/^/error: on any machine: /"
		done' sh "$(build_dir lint).kselftest"
}

# lint_maintainers: each pattern of MAINTAINERS is that of a file, and each file has one; in
# order, as the kernel has it. A slash at the end: all below; else * is no slash.
lint_maintainers() {
	local names
	names=$(grep '^NETNICE' "$top_dir/MAINTAINERS")
	[ "$names" = "$(sort -u <<<"$names")" ] || echo 'MAINTAINERS:1: sections are not in order'
	(build_files) | cut -d'|' -f1 | awk '
		NR == FNR {
			if (sub(/^F:\t/, "")) {
				line[++n] = FNR; text[n] = $0
				gsub(/[.+]/, "[&]"); gsub(/[*]/, "[^/]*"); gsub(/[?]/, "[^/]")
				pattern[n] = "^" $0 (/\/$/ ? "" : "$")
			}
			next
		}
		{
			found = 0
			for (i = 1; i <= n; i++) if ($0 ~ pattern[i]) found = used[i] = 1
			if (!found) print "MAINTAINERS:1: has no pattern for " $0
		}
		END {
			for (i = 1; i <= n; i++)
				if (!used[i]) print "MAINTAINERS:" line[i] ": there is no " text[i]
		}' "$top_dir/MAINTAINERS" -
}

# lint_mutants: what they replace is still there, functions that they call are (in the file, or in a
# header or Go package of the project or the kernel), and the page has the names of their files
lint_mutants() {
	local number file old new name
	while IFS=$'\t' read -r number file old new _; do
		mutant_text "$file" "$old" '' >/dev/null || echo "mutants:$number: is not in $file"
		grep -oE '[a-z_][a-z0-9_]*\(' <<<"${new//\\[nt]/ }" | sort -u | while read -r name; do
			grep -rqw --include='*.[chg]*' "${name%(}" "$top_dir"/{vif,sched,procfs,tools} ||
				echo "mutants:$number: calls ${name%(}(), which is not there"
		done
	done < <(mutants_list)
	mutants_renamed | cmp -s - "$top_dir/$checkout_page" ||
		echo "error: $checkout_page: files have other names: lab mutants --names"
}

# lint_budget: each test of `check` has a budget, and together they keep within that of the check
lint_budget() {
	local test sum=0
	for test in core here; do sum=$((sum + $(check_user_budget $test))); done
	for test in $(tests_all); do
		guest_settings "$(test_file "$test")"
		[ "$guest_check" != none ] || continue
		[ -z "$guest_debug" ] || continue
		[ "${guest_budget:-0}" -gt 0 ] ||
			echo "selftests/net/$test.sh:1: has no budget: want '# lab: budget=SECONDS'"
		sum=$((sum + ${guest_budget:-0}))
	done
	[ "$sum" -le "$check_budget" ] ||
		echo "error: the tests of make check have $sum s of CPU, more than the $check_budget s that it may take"
}

lint_all() {
	build_sync lint || return
	lint_quiet 'module: W=1, sparse' lint_module "$(lint_headers)"
	lint_quiet 'module: names of functions have a prefix' lint_symbols
	lint_quiet 'module without egress hooks: W=1, sparse' lint_module_without \
		CONFIG_NETFILTER_EGRESS CONFIG_NETFILTER_SKIP_EGRESS
	lint_quiet 'module without ingress hooks: W=1, sparse' lint_module_without \
		CONFIG_NETFILTER_INGRESS CONFIG_NET_CLS_ACT CONFIG_NET_XGRESS
	# nothing counts as built: what is up to date would not be looked at
	lint_in_root rm -f tools/netnice/netnice tools/vifctl/vifctl tools/netniced/netniced tools/units/netnice-unit
	lint_quiet 'tools: -Werror' lint_in_root make -s tools CFLAGS='-O2 -Werror'
	lint_quiet 'what is in Go: gofmt, vet, its own tests' lint_in_root make -s check-go
	lint_quiet 'what is in Go: staticcheck' lint_in_root make -s check-go-static
	lint_quiet 'rules among the examples: netniced --check' lint_rules
	lint_quiet 'test programs: -Werror' lint_in_root make -s -B -C selftests/net CFLAGS='-O2 -Wall -Wextra -Werror'
	lint_quiet 'programs that measure: -Werror' lint_in_root make -s -B -C selftests/bench CFLAGS='-O2 -Wall -Wextra -Werror'
	lint_quiet 'scripts: shellcheck' lint_scripts
	lint_quiet 'module: checkpatch' lint_style
	lint_quiet 'documents: docutils' lint_documents
	lint_quiet 'documents: names of functions and files' lint_names
	lint_quiet 'packages: documents for users' lint_packaged
	lint_quiet 'words: no persons in comments, documents, messages' lint_words
	lint_quiet 'manual pages: mandoc' lint_in_root sh -c 'mandoc -T lint -W warning Documentation/man/*'
	lint_quiet 'description of the netlink family: code made from it' lint_netlink
	lint_quiet 'kernel versions only in vif/compat' lint_versions
	lint_quiet 'rooms: dependencies one way' "$lab_dir/rooms"
	lint_quiet 'module: what divides, shifts and multiplies has a bound' lint_bounds
	lint_quiet 'mutants: can be made' lint_mutants
	lint_quiet 'tests for any machine' lint_kselftest
	lint_quiet 'budget of make check' lint_budget
	lint_quiet 'MAINTAINERS: all files' lint_maintainers
	[ $lint_failed -eq 0 ]
}

cmd_lint() {
	[ $# -eq 0 ] || { usage lint >&2; exit 2; }
	deps_need
	image_prepare ynl
	root_add bookworm sparse coccinelle shellcheck mandoc python3-docutils \
		golang-go golang-github-containernetworking-plugins-dev go-staticcheck
	source_prepare
	with_lock "lint-$(build_id)" lint_all
}
