# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# repeat: an experiment in virtual time gives the same each time, to the last digit.

# repeat_once KERNEL NUMBER: one run of guest/minute
repeat_once() {
	local dir=$logs/minute-$2 start=${EPOCHREALTIME/./}
	mkdir -p "$dir"
	guest_settings
	guest_virtual=1
	guest_args "$1" 'LAB_JOB=test LAB_TEST=minute'
	(guest_batch "$dir") >"$dir/ktap"
	if ! grep -q '^1\.\.' "$dir/ktap" || grep -q '^not ok' "$dir/ktap"; then
		sed 's/^/# /' "$dir/ktap" "$dir/console"
		return 1
	fi
	printf '# run %d: %s, %s took %d ms\n' "$2" "$(hash_of "$dir/ktap")" \
		"$(sed -n 's/^# rate_bit_per_s=\(.*\)/60 s at \1 bit\/s/p' "$dir/ktap")" \
		$(((${EPOCHREALTIME/./} - start) / 1000))
}

# repeat_twice KERNEL
repeat_twice() {
	if repeat_once "$1" 1 && repeat_once "$1" 2 && cmp "$logs"/minute-{1,2}/ktap; then
		echo 'ok a minute at 256 kbit/s, twice: the same to the last digit'
	else
		echo 'not ok a minute at 256 kbit/s, twice: the same to the last digit'
		return 1
	fi
}

cmd_repeat() {
	local kernel logs
	parse_guest_options repeat "$@"
	[ ${#rest[@]} -eq 0 ] || { usage repeat >&2; exit 2; }
	kernel=${opt_kernels[0]-uml}
	prepare_guests "$kernel"
	new_logs
	repeat_twice "$kernel"
}
