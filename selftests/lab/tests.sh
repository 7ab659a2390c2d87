# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Running tests, each in a guest of its own, and counting their results.

tests_dir=$top_dir/selftests/net

# tests_all: the executable *.sh files
tests_all() {
	find "$tests_dir" -maxdepth 1 -name '*.sh' -executable -printf '%f\n' |
		sed 's/[.]sh$//' | sort
}

# test_file TEST
test_file() {
	local name
	name=$(basename "$1" .sh)
	[ -x "$tests_dir/$name.sh" ] || die "no test $name in selftests/net"
	echo "$tests_dir/$name.sh"
}

# run_test KERNEL TEST LOG-FOLDER: KTAP to standard output and LOG-FOLDER/ktap.
# What ends without the runner's plan has failed, and the console is shown.
run_test() {
	local kernel=$1 test=$2 logs=$3 status
	mkdir -p "$logs"
	guest_settings "$(test_file "$test")"
	if ! guest_args "$kernel" "LAB_JOB=test LAB_TEST=$test"; then
		echo "not ok 1 $test: no guest could be made" | tee "$logs/ktap"
		return
	fi
	guest_batch "$logs" | tee "$logs/ktap"
	status=${PIPESTATUS[0]}
	grep -q '^1\.\.[0-9]*$' "$logs/ktap" && return
	{
		if [ "$status" -ge 124 ]; then
			echo "not ok $(($(count ok "$logs") + 1)) $test timed out after $guest_timeout s"
		else
			echo "not ok $(($(count ok "$logs") + 1)) $test: the guest ended early"
		fi
		tail -n 60 "$logs/console" "$logs/host" | sed 's/^/# /'
	} | tee -a "$logs/ktap"
}

# run_user LOG-FOLDER: selftests/user, as if it were a test on a kernel
run_user() {
	local logs=$1
	mkdir -p "$logs"
	root_run bookworm make -s -C "$(build_dir user)/selftests/user" check \
		2>"$logs/console" | tee "$logs/ktap"
	grep -q '^1\.\.[0-9]*$' "$logs/ktap" && return
	{
		echo "not ok $(($(count ok "$logs") + 1)) user: ended early"
		tail -n 60 "$logs/console" | sed 's/^/# /'
	} | tee -a "$logs/ktap"
}

# count ok|failed|skipped LOG-FOLDER; ok counts all lines of results
count() {
	local pattern
	case $1 in
	ok) pattern='^(not )?ok ' ;;
	failed) pattern='^not ok ' ;;
	skipped) pattern='^ok .*# SKIP' ;;
	esac
	grep -a -c -E "$pattern" "$2/ktap"
}

# tally LOG-FOLDER: adds up n_passed, n_failed, n_skipped
tally() {
	last_failed=$(count failed "$1")
	last_skipped=$(count skipped "$1")
	last_passed=$(($(count ok "$1") - last_failed - last_skipped))
	n_passed=$((n_passed + last_passed))
	n_failed=$((n_failed + last_failed))
	n_skipped=$((n_skipped + last_skipped))
}

# untally LOG-FOLDER: as if tally had not seen it
untally() {
	local skipped failed
	skipped=$(count skipped "$1")
	failed=$(count failed "$1")
	n_passed=$((n_passed - ($(count ok "$1") - failed - skipped)))
	n_failed=$((n_failed - failed))
	n_skipped=$((n_skipped - skipped))
}

print_total() {
	local total="$n_passed passed, $n_failed failed"
	[ "$n_skipped" -eq 0 ] || total+=", $n_skipped skipped"
	[ -z "${unsteady-}" ] || total+="; not at once:$unsteady"
	echo "$total"
	[ "$n_failed" -eq 0 ] && [ "$n_passed" -gt 0 ]
}

new_logs() {
	logs=$cache_dir/logs/$(date +%Y%m%d-%H%M%S)-$$
	mkdir -p "$logs" || die "cannot write to $cache_dir"
}

cmd_run() {
	local kernel test logs n_passed=0 n_failed=0 n_skipped=0 last_passed last_failed last_skipped
	parse_guest_options run "$@"
	[ ${#rest[@]} -gt 0 ] || { usage run >&2; exit 2; }
	[ ${#opt_kernels[@]} -gt 0 ] || opt_kernels=(6.1)
	check_tests "${rest[@]}"
	prepare_guests "${opt_kernels[@]}"
	new_logs
	# QEMU ends normally by a Ctrl-C: this loop must not go on then
	trap 'exit 130' INT
	for kernel in "${opt_kernels[@]}"; do
		for test in "${rest[@]}"; do
			test=$(basename "$test" .sh)
			echo "# $kernel: $test"
			run_test "$kernel" "$test" "$logs/$kernel-$test"
			tally "$logs/$kernel-$test"
		done
	done
	echo "# logs: $logs"
	print_total
}

build_for_user() {
	root_prepare bookworm
	build_sync user
}

cmd_check_user() {
	local logs n_passed=0 n_failed=0 n_skipped=0 last_passed last_failed last_skipped
	[ $# -eq 0 ] || { usage check-user >&2; exit 2; }
	with_lock "build-$(build_id)" build_for_user || exit
	new_logs
	run_user "$logs/user"
	tally "$logs/user"
	echo "# logs: $logs"
	print_total
}

# --- check: all tests on all kernels ---------------------------------------------

# check_queue TEST...: prints `seconds kernel test` for all kernels. How long a test
# takes is known from the last time, else guessed from its time limit.
check_queue() {
	local kernel test seconds
	[ -n "${with_user-}" ] && echo "$(cat "$cache_dir/times/user-core" 2>/dev/null || echo 200) user core"
	for test; do
		test=$(basename "$test" .sh)
		guest_settings "$(test_file "$test")"
		for kernel in "${opt_kernels[@]}"; do
			[ -z "$guest_debug" ] || uml_is_debug "$kernel" || continue
			case +$guest_kernels+ in
			++ | *+$kernel+*) ;;
			*) [ -z "${with_user-}" ] || is_uml "$kernel" || continue ;;
			esac
			seconds=$(cat "$cache_dir/times/$kernel-$test" 2>/dev/null)
			echo "${seconds:-$((guest_timeout / 4))} $kernel $test"
		done
	done
}

# check_one KERNEL TEST: in the background
check_one() {
	local kernel=$1 test=$2 dir=$logs/$1-$2 start=$SECONDS
	if [ "$kernel" = user ]; then
		run_user "$dir" >/dev/null
	else
		run_test "$kernel" "$test" "$dir" >/dev/null
	fi
	echo "$kernel $test" >"$dir/job"
	echo $((SECONDS - start)) >"$dir/seconds"
	cp "$dir/seconds" "$cache_dir/times/$kernel-$test"
}

# check_report NAME: of the logs of that name
check_report() {
	local dir=$logs/$1
	[ -s "$dir/ktap" ] || echo "not ok 1 $1: nothing ran" >"$dir/ktap"
	tally "$dir"
	printf '%-32s %3d passed %3d failed %4s s\n' "$1" "$last_passed" "$last_failed" \
		"$(cat "$dir/seconds")"
	[ "$last_failed" -eq 0 ] || grep -a -v '^ok ' "$dir/ktap" | sed 's/^/    /'
}

check_reap() {
	local pid status
	wait -n -p pid "${!running[@]}"
	status=$?
	[ -n "${pid-}" ] || return $status
	check_report "${running[$pid]}"
	unset "running[$pid]" "slots[$pid]"
}

check_stop() {
	trap '' INT TERM
	[ ${#running[@]} -eq 0 ] || kill "${!running[@]}" 2>/dev/null
	wait
	say "stopped; logs: $logs"
	exit 130
}

# check_slot: the lowest number that no running guest has
check_slot() {
	for ((guest_slot = 0; ; guest_slot++)); do
		case " ${slots[*]} " in
		*" $guest_slot "*) ;;
		*) return ;;
		esac
	done
}

# check_run: runs what check_queue printed, -j at a time
check_run() {
	local kernel test guest_slot
	declare -A running=() slots=()
	mkdir -p "$cache_dir/times"
	trap check_stop INT TERM
	while read -r _ kernel test; do
		[ -n "$test" ] || continue
		while [ ${#running[@]} -ge "$opt_jobs" ]; do check_reap; done
		check_slot
		check_one "$kernel" "$test" &
		running[$!]=$kernel-$test
		slots[$!]=$guest_slot
	done
	while [ ${#running[@]} -gt 0 ]; do check_reap; done
}

# check_may_repeat LOG-FOLDER KERNEL: only what the test itself measured was wrong; what the
# kernel said, a leak, a module that stays or an early end is never put down to chance
check_may_repeat() {
	[ "$2" != user ] && [ "$(count failed "$1")" -gt 0 ] &&
		grep -q '^1\.\.[0-9]*$' "$1/ktap" && ! grep -a '^not ok ' "$1/ktap" |
		grep -q -E ' log\b|memory leak|the module unloads|ran to its end|kept its plan|no early end'
}

# check_repeat: tests that failed run once more, with the machine to themselves and other
# random numbers. Those that pass then are not counted as failed, but named: they are to
# be mended.
check_repeat() {
	local first kernel test guest_slot=0 opt_seed=2
	for first in "$logs"/*/; do
		first=${first%/}
		read -r kernel test <"$first/job"
		check_may_repeat "$first" "$kernel" || continue
		echo "once more:"
		untally "$first"
		mv "$first" "$first.first"
		check_one "$kernel" "$test"
		check_report "$kernel-$test"
		[ "$last_failed" -ne 0 ] || unsteady+=" $kernel-$test"
	done
}

check_tests() {
	local test
	for test; do
		test_file "$test" >/dev/null || exit
	done
}

cmd_check() {
	local tests logs with_user='' unsteady='' n_passed=0 n_failed=0 n_skipped=0
	local last_passed last_failed last_skipped
	parse_guest_options check "$@"
	[ ${#opt_kernels[@]} -gt 0 ] || read -ra opt_kernels <<<"$all_kernels"
	tests=("${rest[@]}")
	if [ ${#tests[@]} -eq 0 ]; then
		with_user=1
		read -ra tests <<<"$(tests_all | tr '\n' ' ')"
	fi
	check_tests "${tests[@]}"
	prepare_guests "${opt_kernels[@]}"
	[ -z "$with_user" ] || with_lock "build-$(build_id)" build_for_user || exit
	new_logs
	# the longest first
	check_run <<<"$(check_queue "${tests[@]}" | sort -k1,1nr)"
	check_repeat
	echo "logs: $logs"
	print_total
}
