# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# check-quick: what a change is likely to break, in three minutes: static checks of the files that
# changed, the tests in user space if they see one of them, and the tests on uml that together run all
# that is ever run of these files (coverage/tests.tsv). It is no substitute for `check`.

# CPU seconds that the tests on uml may take in all
quick_most=220

# what a change that no table knows is tried with
quick_default='smoke tree attach sockets owners escapes qdisc vifctl command'

# For files that are not the module's: a pattern, and the tests that run them
quick_table='
Documentation/* | *.md | packaging/* | debian/* | .*	-
tools/netnice/*				command owners names users
tools/vifctl/*				vifctl restore netlink export
tools/vifctl/top*			top
tools/netniced/*			netniced names periods
tools/units/*				errors
tools/common/*				vifctl command netniced
tools/lib/*				library vifctl command netniced
tools/python/*				library
tools/cni/* | tools/nri/* | tools/oci/* | tools/pod/*	-
vif/compat/*				smoke tree qdisc stack
vif/uapi/*				netlink vifctl ynl
selftests/net/*.[ch]			smoke fsfuzz netlink
selftests/net/lib.sh			smoke tree cgroups
selftests/lab/*				smoke lab
selftests/user/* | selftests/bench/*	-
Documentation/tutorial.rst		tutorial
Documentation/examples/*		netniced
Documentation/netlink/*			ynl netlink
'

# quick_changed BASE: files that differ from BASE, or are new, one a line
quick_changed() {
	git -C "$top_dir" -c safe.directory='*' -c core.quotePath=false diff --name-only --no-renames "$1" -- &&
		git -C "$top_dir" -c safe.directory='*' ls-files --others --exclude-standard
}

# quick_by_pattern FILE: the tests of the last line of quick_table whose pattern FILE matches
quick_by_pattern() {
	local pattern patterns tests found=''
	while IFS=$'\t' read -r patterns tests; do
		while IFS= read -r pattern; do
			# shellcheck disable=SC2053
			[[ $1 != $pattern ]] || found=${tests##*$'\t'}
		done <<<"${patterns// | /$'\n'}"
	done <<<"$quick_table"
	echo "$found"
}

# quick_by_coverage FILE: the tests that run all that is ever run of it; of a file that is newer than
# the table, those that see the most files of its folder
quick_by_coverage() {
	awk -F '\t' -v file="$1" -v source="${1%.h}.c" -v folder="${1%/*}/" '
		$1 == file { own = $0 }
		$1 == source { other = $0 }
		index($1, folder) == 1 { for (i = 3; i <= NF; i++) sees[$i]++ }
		END {
			line = own == "" ? other : own
			n = split(line, f, "\t")
			for (i = 3; i <= n; i++) print n - i, f[i]
			if (line == "") for (test in sees) print sees[test], test
		}' "$lab_dir/coverage/tests.tsv" | sort -k1,1nr -k2 | cut -d' ' -f2
}

# quick_readers FILE: the tests that read it by "."
quick_readers() {
	grep -lF "/${1##*/}\"" "$tests_dir"/*.sh | sed 's,.*/,,; s/[.]sh$//'
}

# quick_tests_of FILE: the tests that see it, the most useful first; `-` for none
quick_tests_of() {
	local file=$1 tests
	tests=$(quick_by_pattern "$file")
	case $file in
	selftests/net/*.sh)
		if [ -x "$top_dir/$file" ]; then
			tests=$(basename "$file" .sh)
		elif [ -z "$tests" ]; then
			tests=$(quick_readers "$file")
		fi
		;;
	vif/* | sched/* | procfs/*)
		tests=$(quick_by_coverage "$file")
		[ -n "$tests" ] || tests=$(quick_by_pattern "$file")
		;;
	esac
	echo "${tests:-$quick_default}"
}

# quick_tests: the tests for the files on standard input, as many as there is time for. The first
# test of each file comes before the second of any.
quick_tests() {
	local file
	while read -r file; do
		quick_tests_of "$file" | xargs
	done | awk '{ for (i = 1; i <= NF; i++) if ($i != "-") print i, $i }' | sort -n -s |
		awk '!seen[$2]++ { print $2 }' | quick_affordable
}

# quick_affordable: those of the tests on standard input that run on uml, as long as there is time for them
quick_affordable() {
	local test seconds sum=0 left=''
	while read -r test; do
		[ -x "$tests_dir/$test.sh" ] || continue
		guest_settings "$(test_file "$test")"
		[[ +$guest_check+ = *+uml+* ]] || continue
		seconds=${guest_budget:-10}
		if [ $((sum + seconds)) -le "$quick_most" ]; then
			sum=$((sum + seconds))
			echo "$test"
		else
			left+=" $test"
		fi
	done
	[ -z "$left" ] || say "left out, as there is no time for them:$left"
}

quick_lint_scripts() { (cd "$top_dir" && lint_in_root shellcheck -x "$@"); }
quick_lint_pages() { lint_in_root mandoc -T lint -W warning "$@"; }

quick_lint_documents() {
	local file status=0
	for file; do lint_in_root rst2html --report=1 --exit-status=1 "$file" /dev/null || status=1; done
	return $status
}

# quick_lint_module: what the last run has compiled, with all warnings and sparse, is not compiled again
quick_lint_module() {
	build_make lint -C "$(build_dir lint)" modules W=1 C=1 KVER="$(kernel_release 6.1)" KDIR="$(lint_headers)" 2>&1 |
		grep -v BTF
	return "${PIPESTATUS[0]}"
}

# quick_are PATTERN: those of $changed that match it and are there, as the array `files`
quick_are() {
	local file
	files=()
	for file in "${changed[@]}"; do
		# shellcheck disable=SC2053
		[[ ! $file =~ $1 ]] || [ ! -f "$top_dir/$file" ] || files+=("$file")
	done
	[ ${#files[@]} -gt 0 ]
}

quick_lint() {
	local files
	build_sync lint || return
	if quick_are '^(vif|sched|procfs)/.*[.][ch]$|^Kbuild$'; then
		lint_quiet 'module: W=1, sparse' quick_lint_module
		lint_quiet 'rooms: dependencies one way' "$lab_dir/rooms"
		lint_quiet 'kernel versions only in vif/compat' lint_versions
	fi
	! quick_are '^(tools|vif/grammar)/.*[.][ch]$' ||
		lint_quiet 'tools: -Werror' lint_in_root make -s tools CFLAGS='-O2 -Werror'
	! quick_are '[.]sh$|^selftests/lab/(lab|rooms|guest/)' || lint_quiet 'scripts: shellcheck' quick_lint_scripts "${files[@]}"
	! quick_are '^Documentation/man/' || lint_quiet 'manual pages: mandoc' quick_lint_pages "${files[@]}"
	! quick_are '[.]rst$' || lint_quiet 'documents: docutils' quick_lint_documents "${files[@]}"
	lint_quiet 'documents: names of functions and files' lint_names
	lint_quiet 'MAINTAINERS: all files' lint_maintainers
	[ "$lint_failed" -eq 0 ]
}

cmd_check_quick() {
	local base=HEAD changed tests jobs logs run_short=1 n_cpu=0 n_passed=0 n_failed=0 n_skipped=0 status=0
	local last_passed last_failed last_skipped files
	parse_guest_options check-quick "$@"
	[ ${#rest[@]} -le 1 ] || { usage check-quick >&2; exit 2; }
	if [ ${#rest[@]} -eq 1 ]; then
		base=${rest[0]}
	elif [ -z "$(quick_changed HEAD)" ]; then
		base=HEAD~1
		say "nothing is changed since the last commit: checking that commit"
	fi
	changed=$(quick_changed "$base") || die "there is no commit '$base'"
	mapfile -t changed <<<"$changed"
	[ -n "${changed[0]}" ] || die "nothing is changed since $base"
	tests=$(printf '%s\n' "${changed[@]}" | quick_tests)
	deps_need
	root_prepare bookworm
	root_add bookworm sparse shellcheck mandoc python3-docutils
	with_lock "lint-$(build_id)" quick_lint || status=1
	# shellcheck disable=SC2086
	jobs=$(for test in $tests; do echo "uml $test"; done)
	if quick_are '^(sched|vif/grammar|selftests/user|tools/(vifctl|netniced|common|lib))/'; then
		jobs+=$'\nuser core'
		with_lock "build-$(build_id)" build_for_user || exit
	fi
	if [ -n "$jobs" ]; then
		[ -z "$tests" ] || prepare_guests uml
		new_logs
		check_run <<<"$(check_guests <<<"$jobs")"
		check_total || status=1
	fi
	return $status
}
