# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Cells in stages, for what changes while sockets live. Sourced after cells.sh.
#
# The programs are as in a cell, and the second one has said `up` when the story
# begins. Both stop at the word `read`. A stage lets one of them go on, or changes
# something; all that crosses the wire until it is quiet again has to be of one VIF:
# VIF, OTHER, or root; or of any of these.

stories_setup() {
	cells_setup
	mkfifo "$tmp/go.first" "$tmp/go.second"
	exec {go_first}<>"$tmp/go.first" {go_second}<>"$tmp/go.second"
}

# story NAME FAMILY FIRST SECOND
# shellcheck disable=SC2086
story() {
	story_name="$1, IPv${2/m/4 mapped}"
	story_sides="${3%% *} ${4%% *}"
	cell_port=$((cell_port + 1))
	mkdir "$vif" "$other"
	cell_input=$tmp/go.first cell_start "$2" first $3
	story_pids=($!)
	cell_ready first
	cell_input=$tmp/go.second cell_start "$2" second $4
	story_pids+=($!)
	busywait 5 file_says "$tmp/second" up || note "$(cat "$tmp/second")"
	busywait 20 cell_settled
}

# here: the process here
here() {
	case $story_sides in
	'here '*) echo "${story_pids[0]}" ;;
	*) echo "${story_pids[1]}" ;;
	esac
}

# step here|there: it goes on
step() {
	case $story_sides in
	"$1 "*) echo >&"$go_first" ;;
	*) echo >&"$go_second" ;;
	esac
}

# count_all: the wire, the device, VIF, OTHER
count_all() {
	count_wire
	all=("${counted[@]}")
	count_vif "$root"
	all+=("${counted[@]}")
	count_vif "$vif"
	all+=("${counted[@]}")
	count_vif "$other"
	all+=("${counted[@]}")
}

# stage NAME VIF|OTHER|root|any COMMAND...
stage() {
	local name="$story_name: $1" whose=$2 before i all wire want none='0 0 0 0'
	shift 2
	count_all
	before=("${all[@]}")
	"$@"
	busywait 20 cell_settled
	count_all
	for i in "${!all[@]}"; do
		all[i]=$((all[i] - before[i]))
	done
	wire=${all[*]:0:4}
	case $whose in
	VIF) want="$wire $wire $wire $none" ;;
	OTHER) want="$wire $wire $none $wire" ;;
	root) want="$wire $wire $none $none" ;;
	any) want="$wire $wire ${all[*]:8:8}" ;;
	esac
	if [ "$wire" = "$none" ]; then
		fail "$name" 'nothing was sent' "$(cat "$tmp/first" "$tmp/second")"
	elif [ "${all[*]}" = "$want" ]; then
		pass "$name"
	else
		fail "$name" "VIF:    $(say_counted "${all[@]:8:4}")" "OTHER:  $(say_counted "${all[@]:12:4}")" \
			"device: $(say_counted "${all[@]:4:4}")" "wire:   $(say_counted "${all[@]:0:4}")" \
			"wanted: all in $whose"
	fi
}

# story_end: whatever still runs is killed
story_end() {
	local pid
	for pid in "${story_pids[@]}"; do
		kill -9 -- "-$pid"
		wait "$pid"
	done 2>/dev/null
	busywait 20 cell_settled
	vifs_end "$vif" "$other"
}
