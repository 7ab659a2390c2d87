# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# flaky: runs what `check` runs many times, each time with another seed, and counts the failures of
# each test. A test that fails once in fifty runs fails in every second `make check`.

# flaky_busy N: starts N processes that use all the CPU time that they get
flaky_busy() {
	local i
	for ((i = 0; i < $1; i++)); do
		(
			trap - INT
			while :; do :; done
		) &
		busy+=($!)
	done
}

# flaky_table: lines `KERNEL TEST RUNS FAILED WHAT`, where WHAT are the checks that failed
flaky_table() {
	local dir kernel test
	for dir in "$state"/*/*/; do
		[ -e "$dir/ktap" ] || continue
		read -r kernel test <"$dir/test"
		echo "$kernel $test $(grep -a -m 1 '^not ok ' "$dir/ktap" | cut -d' ' -f4-)"
	done | awk '
		{ key = $1 " " $2; runs[key]++ }
		NF > 2 { failed[key]++; sub(/^[^ ]+ [^ ]+ /, ""); if (!seen[key, $0]++) what[key] = what[key] "; " $0 }
		END { for (key in runs) printf "%-24s %4d %4d%s\n", key, runs[key], failed[key], what[key] }' |
		sort -k4,4nr -k1,2
}

cmd_flaky() {
	local tests jobs logs state busy=() run_short=1 n_cpu=0 n_passed=0 n_failed=0 n_skipped=0
	local last_passed last_failed last_skipped check_stopped
	parse_guest_options flaky "$@"
	tests=("${rest[@]}")
	[ ${#tests[@]} -gt 0 ] || read -ra tests <<<"$(tests_all | tr '\n' ' ')"
	check_tests "${tests[@]}"
	if [ ${#opt_kernels[@]} -gt 0 ]; then
		jobs=$(check_on "${opt_kernels[*]}" "${tests[@]}")
	else
		jobs=$(check_short "${tests[@]}")
	fi
	mapfile -t opt_kernels <<<"$(cut -d' ' -f1 <<<"$jobs" | sort -u)"
	prepare_guests "${opt_kernels[@]}"
	new_logs
	state=$logs
	check_stopped="logs: $state"
	flaky_busy "${opt_busy:-0}"
	# shellcheck disable=SC2064 # at the end of the program this function's variables are gone
	[ ${#busy[@]} -eq 0 ] || trap "kill ${busy[*]}" EXIT
	for ((opt_seed = 1; opt_seed <= ${opt_times:-50}; opt_seed++)); do
		logs=$state/$opt_seed
		mkdir -p "$logs"
		check_run <<<"$(check_guests <<<"$jobs")" | grep -v ' 0 failed '
	done
	logs=$state
	echo
	printf '%-24s %4s %4s\n' test runs failed
	flaky_table
}
