# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Many tests on many kernels, some guests at a time. `check` runs each test where it is
# cheapest and true, as its head says (check=); check-all (all.sh), all of them everywhere.
#
# Which test is to run where is a line `KERNEL TEST [ARGUMENT]`. A guest is a line
#
#	SECONDS KERNEL TEST[,TEST...] [ARGUMENT]
#
# with how long it takes, by the last time. On the kernel `user` there are the tests `core`, the
# scheduler in user space, and `here`, a program of this machine on a kernel of the laboratory.

# short tests on stock kernels share a guest, whose start takes as long as they do: up to
# so many seconds in all
check_guest_seconds=150

# check_short TEST...: each where it is cheapest and true
check_short() {
	local test kernel
	for test; do
		guest_settings "$(test_file "$test")"
		[ "$guest_check" != none ] || continue
		for kernel in ${guest_check//+/ }; do echo "$kernel $test"; done
	done
}

# check_on KERNEL-LIST TEST...: all on all, but what needs sanitizers
check_on() {
	local test kernel kernels=$1
	shift
	for test; do
		guest_settings "$(test_file "$test")"
		for kernel in $kernels; do
			[ -z "$guest_debug" ] || uml_is_debug "$kernel" || continue
			echo "$kernel $test"
		done
	done
}

# check_guests [share]: lines of tests become lines of guests, the longest first
check_guests() {
	local share=${1-} kernel test argument seconds alone
	while read -r kernel test argument; do
		guest_settings
		[ "$kernel" = user ] || guest_settings "$(test_file "$test")"
		seconds=$(cat "$cache_dir/times/$kernel-$test" 2>/dev/null || echo $((guest_timeout / 20)))
		alone=
		if [ -z "$share" ] || is_uml "$kernel" || [ "$kernel" = user ] || [ -n "$guest_alone$guest_with$argument" ]; then
			alone=1
		fi
		echo "$seconds $kernel $guest_smp/$guest_virtual/${alone:+$test} $test $argument"
	done | awk -v most="$check_guest_seconds" '
		{ key = $2 " " $3 }
		!(key in total) || total[key] + $1 > most {
			if (key in total) print total[key], guest[key]
			total[key] = $1; guest[key] = $2 " " $4 " " $5
			next
		}
		{ total[key] += $1; sub(/ *$/, "," $4, guest[key]) }
		END { for (key in total) print total[key], guest[key] }' | sort -k1,1nr
}

# check_one KERNEL TESTS [ARGUMENT]: in the background; what is left is for check_report
check_one() {
	local kernel=$1 tests run_argument=${3-} guest=$logs/$1-${2//,/+} start=$SECONDS
	IFS=, read -ra tests <<<"$2"
	mkdir -p "$guest"
	if [ "$kernel" = user ]; then
		run_user "$2" "$guest" >/dev/null
		echo $((SECONDS - start)) >"$guest/seconds"
	else
		run_guest "$kernel" "${2//,/+}" "${tests[@]}" >/dev/null
	fi
	times >"$guest/times"
}

# cpu_seconds TIMES-FILE: of bash's builtin `times`
cpu_seconds() {
	tr 'ms' '  ' <"$1" | awk '{ s += 60 * ($1 + $3) + $2 + $4 } END { printf "%.0f\n", s }'
}

# check_report KERNEL TESTS
check_report() {
	local test tests dir guest=$logs/$1-${2//,/+} cpu
	IFS=, read -ra tests <<<"$2"
	cpu=$(cpu_seconds "$guest/times")
	n_cpu=$((n_cpu + cpu))
	for test in "${tests[@]}"; do
		dir=$logs/$1-$test
		tally "$dir"
		[ ! -e "$dir/seconds" ] || cp "$dir/seconds" "$cache_dir/times/$1-$test"
		printf '%-24s %4d passed %2d failed %5s s' "$1-$test" "$last_passed" "$last_failed" \
			"$(cat "$dir/seconds" 2>/dev/null)"
		[ ${#tests[@]} -gt 1 ] || printf ' %5d s of CPU' "$cpu"
		echo
		[ "$last_failed" -eq 0 ] || grep -a -v '^ok ' "$dir/ktap" | sed 's/^/    /'
	done
	[ ${#tests[@]} -eq 1 ] || printf '%-24s %27d tests %5d s of CPU\n' "$1, one guest" ${#tests[@]} "$cpu"
}

check_reap() {
	local pid status job
	wait -n -p pid "${!running[@]}"
	status=$?
	[ -n "${pid-}" ] || return $status
	read -ra job <<<"${running[$pid]}"
	check_report "${job[@]}"
	touch "$logs/${job[0]}-${job[1]//,/+}/done"
	unset "running[$pid]" "slots[$pid]"
}

check_stop() {
	trap '' INT TERM
	[ ${#running[@]} -eq 0 ] || kill "${!running[@]}" 2>/dev/null
	wait
	say "stopped; ${check_stopped:-logs: $logs}"
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

# check_run: runs the guests that standard input lists, -j at a time; those that were done
# before are only counted
check_run() {
	local kernel tests argument guest_slot
	declare -A running=() slots=()
	mkdir -p "$cache_dir/times"
	trap check_stop INT TERM
	while read -r _ kernel tests argument; do
		[ -n "$tests" ] || continue
		if [ -e "$logs/$kernel-${tests//,/+}/done" ]; then
			check_report "$kernel" "$tests"
			continue
		fi
		while [ ${#running[@]} -ge "$opt_jobs" ]; do check_reap; done
		check_slot
		check_one "$kernel" "$tests" "$argument" &
		running[$!]="$kernel $tests"
		slots[$!]=$guest_slot
	done
	while [ ${#running[@]} -gt 0 ]; do check_reap; done
	trap - INT TERM
}

# What is never excused by another run that passes: mistakes of the kernel's, and guests that end
check_grave='kernel log|memory leak|module unloads|ran to its end|kept its plan|ended|timed out'

# check_passes_now KERNEL TEST LOG-FOLDER: twice, alone and each time from other random numbers
check_passes_now() {
	local opt_seed
	for opt_seed in 2 3; do
		echo "$1-$2 failed; once more:"
		check_one "$1" "$2"
		! grep -a '^not ok ' "$3/ktap" || return
		mv "$3" "$3.$opt_seed"
	done
}

# check_again: what failed runs twice more. What then passes is named, for somebody to look at,
# and its failures are not counted: a busy machine does not tell a mistake from bad luck.
check_again() {
	local dir kernel test failed
	for dir in "$logs"/*/; do
		dir=${dir%/}
		[ -e "$dir/test" ] || continue
		failed=$(count failed "$dir")
		[ "$failed" -gt 0 ] || continue
		read -r kernel test <"$dir/test"
		mv "$dir" "$dir.first"
		if check_passes_now "$kernel" "$test" "$dir" &&
			! grep -a '^not ok ' "$dir.first/ktap" | grep -q -E "$check_grave"; then
			n_failed=$((n_failed - failed))
			flaky+=" $kernel-$test"
		fi
	done
}

# check_total: the last lines, and whether all is well
check_total() {
	[ -z "${flaky-}" ] || echo "flaky, failed once and then passed twice:$flaky"
	echo "$((SECONDS / 60)) min $((SECONDS % 60)) s, $n_cpu s of CPU; logs: $logs"
	print_total
}

check_tests() {
	local test
	for test; do
		test_file "$test" >/dev/null || exit
	done
}

cmd_check() {
	local tests logs jobs n_cpu=0 n_passed=0 n_failed=0 n_skipped=0
	local last_passed last_failed last_skipped flaky=
	parse_guest_options check "$@"
	tests=("${rest[@]##*/}")
	tests=("${tests[@]%.sh}")
	[ ${#tests[@]} -gt 0 ] || read -ra tests <<<"$(tests_all | tr '\n' ' ')"
	check_tests "${tests[@]}"
	if [ ${#opt_kernels[@]} -gt 0 ]; then
		jobs=$(check_on "${opt_kernels[*]}" "${tests[@]}" | check_guests)
	else
		jobs=$(check_short "${tests[@]}")
		read -ra opt_kernels <<<"$(cut -d' ' -f1 <<<"$jobs" | sort -u | tr '\n' ' ')"
		[ ${#rest[@]} -gt 0 ] || jobs+=$'\nuser core\nuser here'
		jobs=$(check_guests share <<<"$jobs")
		run_short=1
	fi
	cache_announce 'the check' 750 6400 27 "$(root_path bookworm)" "$(root_path trixie)"
	prepare_guests "${opt_kernels[@]}"
	if [[ $jobs = *' user core'* ]]; then
		with_lock "build-$(build_id)" build_for_user || exit
		build_for_here
	fi
	new_logs
	check_run <<<"$jobs"
	check_again
	check_total
}
