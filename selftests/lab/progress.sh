# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# How far a run of many guests is: one line on the terminal that is rewritten when a guest
# starts or ends. Without a terminal there is no such line.
#
# A guest is named "KERNEL TEST[,TEST...]". Its expected seconds come from check_guests().

# progress_begin: reads the list of guests (see check.sh) from standard input
progress_begin() {
	local seconds kernel tests
	progress_total=0 progress_done=0 progress_from=$SECONDS
	declare -gA progress_expected=() progress_started=()
	while read -r seconds kernel tests _; do
		[ -n "$tests" ] || continue
		progress_expected[$kernel $tests]=$seconds
		progress_total=$((progress_total + 1))
	done
}

# progress_left: seconds until the last guest ends, if all take what is expected
progress_left() {
	local guest left=0 longest=0 rest
	for guest in "${!progress_expected[@]}"; do
		rest=${progress_expected[$guest]}
		if [ -n "${progress_started[$guest]-}" ]; then
			rest=$((rest - SECONDS + progress_started[$guest]))
			[ "$rest" -ge 0 ] || rest=0
		fi
		left=$((left + rest))
		[ "$rest" -le "$longest" ] || longest=$rest
	done
	left=$((left / opt_jobs))
	[ "$left" -ge "$longest" ] || left=$longest
	echo "$left"
}

progress_terminal() { [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; }

# progress_clear: call before anything else is printed
progress_clear() { ! progress_terminal || printf '\r\033[K' >&2; }

progress_show() {
	local guest left line
	progress_terminal || return 0
	left=$(progress_left)
	line="$progress_done of $progress_total guests, about $(((left + 59) / 60)) min left; now:"
	for guest in "${!progress_started[@]}"; do
		line+=" ${guest/ /-}"
	done
	printf '\r\033[K%.*s' $((${COLUMNS:-80} - 1)) "$line" >&2
}

# progress_start KERNEL TESTS
progress_start() {
	progress_started[$1 $2]=$SECONDS
	progress_show
}

# progress_end KERNEL TESTS
progress_end() {
	progress_done=$((progress_done + 1))
	unset "progress_started[$1 $2]" "progress_expected[$1 $2]"
	progress_show
}
