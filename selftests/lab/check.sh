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
# with the seconds that it took the last time. On the kernel `user` there are the tests `core`, the
# scheduler in user space, and `here`, a program of this machine on a kernel of the laboratory.
#
# Each test that `check` runs has a budget of CPU seconds in its head, for all the kernels on which
# it runs there. `make lint` adds the budgets up, and a run names the tests that exceeded theirs.
# A failed test has failed: nothing is run a second time.

# Short tests on stock kernels share a guest, because booting it takes as long as they do. Their
# expected seconds add up to this at most.
check_guest_seconds=150

# CPU seconds that the tests of `check` may take
check_budget=1500

# check_user_budget core|here
check_user_budget() {
	case $1 in
	core) echo 110 ;;
	here) echo 20 ;;
	esac
}

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
		seconds=$(cat "$cache_dir/times/$kernel-$test" 2>/dev/null || echo "${guest_budget:-$((guest_timeout / 20))}")
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

# check_one KERNEL TESTS [ARGUMENT]: runs one guest, in the background; check_report() reads the
# files that it leaves in the log folders
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

# cpu_seconds TIMES-FILE: sum of what bash's builtin `times` printed
cpu_seconds() {
	tr 'ms' '  ' <"$1" | awk '{ s += 60 * ($1 + $3) + $2 + $4 } END { printf "%.0f\n", s }'
}

# check_cpu GUEST-FOLDER KERNEL TEST...: CPU seconds of each test. A guest with several tests has
# noted what each used when the next one began; the last test has the rest.
check_cpu() {
	local guest=$1 kernel=$2 test rest dir
	shift 2
	rest=$(cpu_seconds "$guest/times")
	while [ $# -gt 1 ]; do
		dir=$logs/$kernel-$1
		[ -e "$dir/cpu" ] || echo 0 >"$dir/cpu"
		rest=$((rest - $(cat "$dir/cpu")))
		shift
	done
	echo "$rest" >"$logs/$kernel-$1/cpu"
}

# check_show_failure KERNEL TEST GUEST-FOLDER: what failed, what the guest's kernel said last, and
# the command that repeats it
check_show_failure() {
	local dir=$logs/$1-$2
	grep -a -v '^ok ' "$dir/ktap" | sed 's/^/    /'
	if [ "$1" = user ]; then
		echo "    again: selftests/lab/lab check-${2/core/user}"
		return
	fi
	[ "$1" != lab ] || return 0	# it has shown its guests' consoles itself
	echo "    the end of its console ($3/console):"
	tail -n 15 "$3/console" | sed 's/^/    | /'
	echo "    again: selftests/lab/lab run -k $1${run_short:+ --short} --seed ${opt_seed:-1} $2"
}

# check_report KERNEL TESTS
check_report() {
	local test tests dir guest=$logs/$1-${2//,/+}
	IFS=, read -ra tests <<<"$2"
	progress_clear
	check_cpu "$guest" "$1" "${tests[@]}"
	for test in "${tests[@]}"; do
		dir=$logs/$1-$test
		tally "$dir"
		n_cpu=$((n_cpu + $(cat "$dir/cpu")))
		[ ! -e "$dir/seconds" ] || cp "$dir/seconds" "$cache_dir/times/$1-$test"
		printf '%-24s %4d passed %2d failed %5s s %5d s of CPU\n' "$1-$test" "$last_passed" \
			"$last_failed" "$(cat "$dir/seconds" 2>/dev/null)" "$(cat "$dir/cpu")"
		[ "$last_failed" -eq 0 ] || check_show_failure "$1" "$test" "$guest"
	done
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
	progress_end "${job[@]}"
}

check_stop() {
	trap '' INT TERM
	[ ${#running[@]} -eq 0 ] || kill "${!running[@]}" 2>/dev/null
	wait
	progress_clear
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

# check_run: runs the guests that standard input lists, -j at a time. Guests that an earlier run
# has finished are only counted.
check_run() {
	local kernel tests argument guest_slot guests
	declare -A running=() slots=()
	mkdir -p "$cache_dir/times"
	guests=$(cat)
	progress_begin <<<"$guests"
	trap check_stop INT TERM
	while read -r _ kernel tests argument; do
		[ -n "$tests" ] || continue
		if [ -e "$logs/$kernel-${tests//,/+}/done" ]; then
			check_report "$kernel" "$tests"
			progress_end "$kernel" "$tests"
			continue
		fi
		while [ ${#running[@]} -ge "$opt_jobs" ]; do check_reap; done
		check_slot
		check_one "$kernel" "$tests" "$argument" </dev/null &
		running[$!]="$kernel $tests"
		slots[$!]=$guest_slot
		progress_start "$kernel" "$tests"
	done <<<"$guests"
	while [ ${#running[@]} -gt 0 ]; do check_reap; done
	progress_clear
	trap - INT TERM
}

# check_spent: lines `CPU-SECONDS TEST`, over all kernels, the most expensive first
check_spent() {
	local dir
	for dir in "$logs"/*/; do
		[ ! -e "$dir/cpu" ] || echo "$(cat "$dir/cpu") $(cat "$dir/test")"
	done | awk '{ sum[$2 == "user" ? $2 " " $3 : $3] += $1 } END { for (test in sum) print sum[test], test }' |
		sort -k1,1nr
}

# check_budget_of TEST: CPU seconds, or nothing
check_budget_of() {
	case $1 in
	'user '*) check_user_budget "${1#user }" ;;
	*)
		guest_settings "$(test_file "$1")"
		echo "$guest_budget"
		;;
	esac
}

# check_above: the tests that exceeded their budgets, by more than the noise of a busy machine
check_above() {
	local spent test budget above=''
	while read -r spent test; do
		[ -n "$test" ] || continue
		budget=$(check_budget_of "$test")
		[ "${budget:-0}" -gt 0 ] || continue
		[ $((4 * spent)) -le $((5 * budget + 8)) ] || above+=", $test $spent of $budget"
	done <<<"$(check_spent)"
	[ -z "$above" ] || echo "above their budgets, in seconds of CPU: ${above#, }"
}

# check_total: the last lines, and whether all is well
check_total() {
	echo "most expensive, in seconds of CPU: $(check_spent | awk 'NR <= 8 { s = $1; sub(/^[0-9]+ /, ""); printf "%s%s %d", sep, $0, s; sep = ", " }')"
	[ -z "$run_short" ] || check_above
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
	local last_passed last_failed last_skipped build_with=
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
		if [ ${#rest[@]} -eq 0 ]; then
			jobs+=$'\nuser core\nuser here'
			build_with='core here'
		fi
		jobs=$(check_guests share <<<"$jobs")
		run_short=1
	fi
	cache_announce 'the check' 750 6400 25 "$(root_path bookworm)" "$(root_path trixie)"
	prepare_guests "${opt_kernels[@]}"
	if [[ $jobs = *' user core'* ]]; then
		with_lock "build-$(build_id)" build_for_user || exit
		build_for_here
	fi
	new_logs
	check_run <<<"$jobs"
	check_total
}
