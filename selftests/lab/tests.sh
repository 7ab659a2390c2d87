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

# run_argument is the test's argument, run_short says that it is to be short, run_seconds
# that it is to end earlier than its head says
run_argument='' run_short='' run_seconds=''

# run_guest KERNEL NAME TEST...: in one guest, one after the other; results go to standard
# output and, of each test, to $logs/KERNEL-TEST/ktap, what the guest says to
# $logs/KERNEL-NAME. What ends without the runner's plan has failed, and the console is
# shown; so has what did not begin.
run_guest() {
	local kernel=$1 guest=$logs/$1-$2 test status files=()
	shift 2
	mkdir -p "$guest"
	for test; do files+=("$(test_file "$test")"); done
	guest_settings "${files[@]}"
	if guest_args "$kernel" "LAB_JOB=test LAB_TEST=$(IFS=,; echo "$*")${run_argument:+ LAB_ARGUMENT=$run_argument}${run_short:+ LAB_SHORT=1}"; then
		[ "$guest_timeout" -le "${run_seconds:-$guest_timeout}" ] || guest_timeout=$run_seconds
		guest_batch "$guest" | split_results "$kernel" "$guest"
		status=${PIPESTATUS[0]}
	else
		echo 'no guest could be made' | tee "$guest/console" >"$guest/host"
		status=1
	fi
	for test; do
		test_ended "$kernel" "$test" "$guest" "$status"
	done
}

# split_results KERNEL GUEST-FOLDER: gives each test its results, seconds, and CPU seconds, but for the
# last test's CPU seconds. The guest says which test begins.
split_results() {
	local line dir='' start='' used=0
	while IFS= read -r line; do
		case $line in
		'# lab: test '*)
			[ -z "$dir" ] || split_ended "$2"
			dir=$logs/$1-${line##* } start=$SECONDS
			mkdir -p "$dir"
			;;
		esac
		printf '%s\n' "$line"
		[ -z "$dir" ] || printf '%s\n' "$line" >>"$dir/ktap"
	done
	[ -z "$dir" ] || echo $((SECONDS - start)) >"$dir/seconds"
}

# split_ended GUEST-FOLDER: another test follows
split_ended() {
	local now
	now=$(guest_cpu_seconds "$(cat "$1/pid")")
	echo $((SECONDS - start)) >"$dir/seconds"
	echo $((now - used)) >"$dir/cpu"
	used=$now
}

# test_ended KERNEL TEST GUEST-FOLDER STATUS: a result of its own, if the runner gave none
test_ended() {
	local dir=$logs/$1-$2 what=': the guest ended early'
	mkdir -p "$dir"
	touch "$dir/ktap"
	echo "$1 $2" >"$dir/test"
	if ! grep -q '^1\.\.[0-9]*$' "$dir/ktap"; then
		if [ ! -s "$dir/ktap" ]; then
			what=' did not begin: the guest ended before'
		elif [ "$4" -ge 124 ]; then
			what=" timed out: all that the guest had to do has $guest_timeout s"
		fi
		{
			echo "not ok $(($(count ok "$dir") + 1)) $2$what"
			tail -n 60 "$3/console" "$3/host" | sed 's/^/# /'
		} | tee -a "$dir/ktap"
	fi
}

# run_user core|here LOG-FOLDER: selftests/user, or `lab here` on this machine, as if it were a
# test on a kernel
run_user() {
	local logs=$2
	mkdir -p "$logs"
	echo "user $1" >"$logs/test"
	case $1 in
	core) root_run bookworm make -s -C "$(build_dir user)/selftests/user" check SHORT="$run_short" ;;
	here) bash "$lab_dir/here/check.sh" "$cache_dir" "$(root_path bookworm)" ;;
	esac 2>"$logs/console" </dev/null | tee "$logs/ktap"
	grep -q '^1\.\.[0-9]*$' "$logs/ktap" && return
	{
		echo "not ok $(($(count ok "$logs") + 1)) $1: ended early"
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

print_total() {
	local total="$n_passed passed, $n_failed failed"
	[ "$n_skipped" -eq 0 ] || total+=", $n_skipped skipped"
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
			run_guest "$kernel" "$test" "$test"
			tally "$logs/$kernel-$test"
		done
	done
	echo "# logs: $logs"
	print_total
}

# core_prepare: what selftests/user is built with
core_prepare() { root_add bookworm clang-14 libclang-rt-14-dev; }

build_for_user() {
	root_prepare bookworm
	core_prepare
	build_sync user
}

# user_total core|here
user_total() {
	local logs n_passed=0 n_failed=0 n_skipped=0 last_passed last_failed last_skipped
	new_logs
	run_user "$1" "$logs/user"
	tally "$logs/user"
	echo "# logs: $logs"
	print_total
}

cmd_check_user() {
	[ $# -eq 0 ] || { usage check-user >&2; exit 2; }
	with_lock "build-$(build_id)" build_for_user || exit
	user_total core
}

cmd_check_here() {
	local opt_build=1
	[ $# -eq 0 ] || { usage check-here >&2; exit 2; }
	build_for_here
	user_total here
}
