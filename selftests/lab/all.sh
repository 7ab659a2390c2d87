# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# check-all: every test on every kernel that it makes sense on, the laboratory's own
# tests, and all tests under sanitizers; for the night and before a release. It works on a
# copy of the checkout, which may change meanwhile, and goes on where it was stopped as
# long as the checkout is the same. Documentation/testing.rst has its last result.

# On real-time kernels, what is about locks and contexts, or about all kinds of packets.
rt_tests='attach cgroups connections fsfuzz kernel owners program-fuzz qdisc races relay sockets
	stack storm tree unresolved'

# On arm64, what is about memory, types and the width of things, or about all kinds of packets.
arm64_tests='accuracy attach cgroups errors escapes fsfuzz kernel netlink permissions program-fuzz
	qdisc races relay smoke sockets stack tree unresolved vifctl'

# In Debian 13's own user land, what is about programs of that.
whole_tests='cni hooks nri podman restore-unit smoke systemd units'

# all_tests: lines `KERNEL TEST [ARGUMENT]`
all_tests() {
	local test kernel
	printf '%s\n' 'user core' 'user here'
	for test in $(tests_all); do
		guest_settings "$(test_file "$test")"
		[ -n "$guest_debug" ] && continue
		for kernel in ${guest_kernels//+/ }; do echo "$kernel $test"; done
		case +$guest_check+ in *+uml+*) echo "uml $test" ;; esac
	done
	# shellcheck disable=SC2086
	check_on "$rt_kernels" $rt_tests
	# shellcheck disable=SC2086
	check_on "$arm64_kernels" $arm64_tests
	# shellcheck disable=SC2086
	check_on "$whole_kernels" $whole_tests
	# shellcheck disable=SC2046
	check_on uml-debug $(tests_all) | sed 's/ lifetime$/& 200/; s/ stack-fuzz$/& 1000000/'
}

# all_part: of the lines of tests on standard input, those of the part $opt_part (N/M), or all. Every
# machine divides them in the same way.
all_part() {
	local part=${opt_part:-1/1}
	sort | awk -v n="${part%/*}" -v m="${part#*/}" 'NR % m == n % m'
}

# all_kernels_of: the kernels in lines of tests, the laboratory's own tests left out
all_kernels_of() { cut -d' ' -f1 | sort -u | grep -vx user; }

# all_rows: lines of the table of results, one for each kernel, from the logs
all_rows() {
	local dir kernel
	for dir in "$logs"/*/; do
		[ -e "$dir/ktap" ] || continue
		read -r kernel _ <"$dir/test" 2>/dev/null || kernel=lab
		echo "$kernel $(count ok "$dir") $(count failed "$dir") $(count skipped "$dir")"
	done | awk '{ tests[$1]++; all[$1] += $2; failed[$1] += $3; skipped[$1] += $4 }
		END { for (k in tests) print k, tests[k], all[k] - failed[k] - skipped[k], failed[k], skipped[k] }' |
		sort | while read -r kernel tests passed failed skipped; do
		printf '%-14s  %-28s  %5d  %6d  %6d  %7d  %s\n' "$kernel" \
			"$([ "$kernel" = user ] || [ "$kernel" = lab ] || kernel_release "$kernel")" \
			"$tests" "$passed" "$failed" "$skipped" "${opt_part:-1/1}"
	done
}

# all_old_rows FILE: the rows that other parts of the same commit have written
all_old_rows() {
	awk -v commit="Commit $commit," -v part="${opt_part:-1/1}" '
		/^[.][.] check-all: begin/ { inside = 1 }
		/^[.][.] check-all: end/ { inside = 0 }
		inside && index($0, commit) == 1 { same = 1 }
		inside && same && /[0-9]+\/[0-9]+$/ && $NF != part { print }' "$1"
}

# all_write FILE: puts the table of results into FILE, in place of the one of another commit
all_write() {
	local rule='==============  ============================  =====  ======  ======  =======  ====' lines
	lines=$(
		echo "Commit $commit, $(date +%F), part ${opt_part:-1/1}: $(print_total)."
		printf '%d guests, %d h %d min of CPU time on %s.\n\n%s\n' "$n_guests" $((n_cpu / 3600)) \
			$((n_cpu / 60 % 60)) "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$rule"
		printf '%-14s  %-28s  %5s  %6s  %6s  %7s  %s\n%s\n' kernel release tests passed failed skipped part "$rule"
		{ all_old_rows "$1"; all_rows; } | sort
		echo "$rule"
	)
	page_put "$1" check-all "$lines"
}

cmd_check_all() {
	local state page=$top_dir/$checkout_page commit logs n_guests n_cpu=0 n_passed=0 n_failed=0 n_skipped=0
	local last_passed last_failed last_skipped debug_kernel=uml-debug check_stopped tests kernels
	parse_guest_options check-all "$@"
	[ $((${#rest[@]} + ${#opt_kernels[@]})) -eq 0 ] || { usage check-all >&2; exit 2; }
	commit=$(checkout_commit)
	commit=${commit:-unknown}
	state=$cache_dir/check-all/$(checkout_id)
	[ -z "$opt_again" ] || rm -rf "$state"/logs*
	make_once "$state/tree" checkout_copy || die "cannot write to $cache_dir"
	checkout_use "$state/tree"
	logs=$state/logs${opt_part:+-${opt_part/\//-}}
	check_stopped="the same command goes on from here; logs: $logs"
	mkdir -p "$logs"
	[ -z "$(ls -A "$logs")" ] || say "continuing an earlier run ($logs)"
	tests=$(all_tests | all_part)
	mapfile -t kernels < <(all_kernels_of <<<"$tests")
	prepare_guests "${kernels[@]}"
	if grep -q '^user ' <<<"$tests"; then
		with_lock "build-$(build_id)" build_for_user || exit
		build_for_here
	fi
	[[ " ${kernels[*]} " != *' uml-debug '* ]] || debug_lab
	check_guests <<<"$tests" >"$state/guests"
	check_run <"$state/guests"
	n_guests=$(wc -l <"$state/guests")
	all_write "$page"
	[ -n "$opt_part" ] || checkout_forget "$state/tree"
	check_total
}
