# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# check-debug: the tests on a kernel with sanitizers, after the laboratory has shown
# that it finds what it is for: planted mistakes; that virtual time repeats; and
# gdb.

# what is planted (see planted/planted.c), and the words by which it is found
debug_planted='
use-after-free	KASAN: slab-use-after-free in plant_use_after_free
out-of-bounds	KASAN: slab-out-of-bounds in plant_out_of_bounds
lock-order	possible circular locking dependency
sleep-in-atomic	BUG: scheduling while atomic|sleeping function called from invalid context
shift	UBSAN: shift-out-of-bounds
leak	plant_leak
active-timer	ODEBUG: free active
'

# planted_run BUG: a guest with it
planted_run() {
	dir=$logs/planted-$1
	mkdir -p "$dir"
	guest_settings
	guest_args "$debug_kernel" "LAB_JOB=test LAB_TEST=planted LAB_ARGUMENT=$1"
	(guest_batch "$dir") >"$dir/ktap"
	grep -q "^ok .*planted: $1" "$dir/ktap" && grep -q '^1\.\.' "$dir/ktap"
}

# planted_result NAME COMMAND...
planted_result() {
	if "${@:2}"; then
		echo "ok $1"
	else
		echo "not ok $1"
		sed 's/^/# /' "$dir/ktap"
	fi
}

# found BUG WORDS: the runner failed the guest, and said why
found() {
	planted_run "$1" && grep -q '^not ok .*no ' "$dir/ktap" && grep -q -E "^# .*($2)" "$dir/ktap"
}

found_nothing() { planted_run nothing && ! grep -q '^not ok' "$dir/ktap"; }

planted_all() {
	local bug words dir
	planted_result 'nothing is found where nothing is' found_nothing
	while IFS=$'\t' read -r bug words; do
		[ -z "$bug" ] || planted_result "found: $bug" found "$bug" "$words"
	done <<<"$debug_planted"
}

# gdb_shows_vif: gdb's end, at a packet that waits in a VIF
gdb_shows_vif() {
	local out
	if out=$(cmd_gdb --no-build --batch -k "$debug_kernel" 2>&1) &&
		grep -q '^VIF eth0/waiting, egress: 1442 bytes leave' <<<"$out"; then
		echo 'ok gdb stops in the drain, at a packet that waits'
	else
		echo 'not ok gdb stops in the drain, at a packet that waits'
		printf '# %s\n' "${out//$'\n'/$'\n# '}"
	fi
}

# debug_part planted|repeat|gdb: as check_one
debug_part() {
	local dir=$logs/lab-$1 start=$SECONDS
	mkdir -p "$dir"
	echo "lab $1" >"$dir/test"
	(
		case $1 in
		planted) planted_all ;;
		repeat) repeat_twice "$debug_kernel" ;;
		gdb) gdb_shows_vif ;;
		esac >"$dir/ktap"
		times >"$dir/times"
	)
	echo $((SECONDS - start)) >"$dir/seconds"
}

# debug_lab: the laboratory tests itself; what was done before is only counted
debug_lab() {
	local part
	for part in planted repeat gdb; do
		[ "$part" != repeat ] || ! uml_is_smp "$debug_kernel" || continue
		if [ ! -e "$logs/lab-$part/done" ]; then
			debug_part "$part"
			touch "$logs/lab-$part/done"
		fi
		check_report lab "$part"
	done
}

cmd_check_debug() {
	local debug_kernel kernel tests logs n_cpu=0 n_passed=0 n_failed=0 n_skipped=0
	local last_passed last_failed last_skipped
	parse_guest_options check-debug "$@"
	[ ${#opt_kernels[@]} -gt 0 ] || opt_kernels=(uml-debug)
	for kernel in "${opt_kernels[@]}"; do
		uml_is_debug "$kernel" || die "$kernel has no sanitizers"
	done
	tests=("${rest[@]}")
	[ ${#tests[@]} -gt 0 ] || read -ra tests <<<"$(tests_all | tr '\n' ' ')"
	check_tests "${tests[@]}"
	prepare_guests "${opt_kernels[@]}"
	new_logs
	debug_kernel=${opt_kernels[0]}
	[ ${#rest[@]} -gt 0 ] || debug_lab
	check_run <<<"$(check_on "${opt_kernels[*]}" "${tests[@]}" | check_guests)"
	check_total
}
