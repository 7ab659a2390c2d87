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

# all_write FILE: the result takes the place of the one before in FILE
all_write() {
	local kernel kernels='' lines
	for kernel in $all_kernels $added_kernels; do kernels+="${kernels:+, }$(kernel_release "$kernel")"; done
	lines=$(
		echo "Commit ${commit:-unknown}, $(date +%F): $(print_total)."
		echo "Kernels: $kernels, and User Mode Linux with and without sanitizers."
		printf '%d guests, %d h %d min of CPU time on %s.\n' "$n_guests" $((n_cpu / 3600)) \
			$((n_cpu / 60 % 60)) "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
	)
	page_put "$1" check-all "$lines"
}

cmd_check_all() {
	local state page=$top_dir/$checkout_page commit logs n_guests n_cpu=0 n_passed=0 n_failed=0 n_skipped=0
	local last_passed last_failed last_skipped debug_kernel=uml-debug check_stopped
	parse_guest_options check-all "$@"
	[ $((${#rest[@]} + ${#opt_kernels[@]})) -eq 0 ] || { usage check-all >&2; exit 2; }
	commit=$(checkout_commit)
	state=$cache_dir/check-all/$(checkout_id)
	[ -z "$opt_again" ] || rm -rf "$state/logs"
	make_once "$state/tree" checkout_copy || die "cannot write to $cache_dir"
	checkout_use "$state/tree"
	logs=$state/logs
	check_stopped="the same command goes on from here; logs: $logs"
	mkdir -p "$logs"
	[ -z "$(ls -A "$logs")" ] || say "going on with what was begun ($logs)"
	# shellcheck disable=SC2086
	prepare_guests $all_kernels $added_kernels $whole_kernels uml uml-debug
	with_lock "build-$(build_id)" build_for_user || exit
	build_for_here
	debug_lab
	all_tests | check_guests >"$state/guests"
	check_run <"$state/guests"
	n_guests=$(wc -l <"$state/guests")
	all_write "$page"
	checkout_forget "$state/tree"
	check_total
}
