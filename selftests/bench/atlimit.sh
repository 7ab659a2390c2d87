#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a packet costs that has to wait, with a few senders who want more than a limit, in
# both directions. NUMBER is the limit in bit/s, or levels, each of which has that limit.
# instructions.sh says what is counted.
#
# CASE is egress-KIND-COUNT or ingress-KIND-COUNT, or levels-KIND-COUNT, on egress: COUNT
# connections or senders of tcp (each packet is one of a wire), gso (with segmentation
# offload), udp or ugso (UDP with segmentation offload).
#
# lab: virtual, timeout=14400, mem=1536
# shellcheck disable=SC2034,SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../net/pairs.sh"
. "$(dirname "$0")/schemes.sh"
. "$(dirname "$0")/receive.sh"
. "$(dirname "$0")/instructions.sh"

egress_schemes='fq-paced tbf hfsc htb-codel cake netnice netnice-qdisc'
egress_cases='tcp:1:50mbit udp:1:50mbit'
ingress_schemes='tbf htb-codel cake netnice'
ingress_cases='tcp:1:50mbit udp:1:50mbit'
level_cases='udp:1:50mbit'
if full; then
	egress_cases+=' tcp:8:50mbit tcp:128:50mbit gso:8:50mbit udp:1:500mbit
		tcp:1:1gbit gso:1:1gbit gso:8:1gbit udp:1:1gbit ugso:1:1gbit'
	# not faster: with the probes that count, it would be all that one CPU does
	ingress_cases+=' tcp:8:50mbit tcp:1:1gbit gso:1:1gbit udp:1:500mbit ugso:1:1gbit'
	level_cases+=' tcp:8:50mbit udp:1:500mbit'
fi
# of tc's those that can: htb has no more than 8
levels='htb-codel-deep:1 htb-codel-deep:8 hfsc-deep:1 hfsc-deep:8 hfsc-deep:32
	netnice-deep:1 netnice-deep:8 netnice-deep:32
	netnice-qdisc-deep:1 netnice-qdisc-deep:8 netnice-qdisc-deep:32'

# kind_set KIND: sets protocol, offload and the sender's arguments
kind_set() {
	arguments=()
	case $1 in
	tcp) protocol=tcp offload=off ;;
	gso) protocol=tcp offload=on ;;
	udp) protocol=udp offload=off arguments=(--size 1472) ;;
	ugso) protocol=udp offload=on arguments=(--size 14720 --segment 1472) ;;
	esac
}

# span RATE: seconds for some ten thousand frames or more
span() {
	case $1 in
	1gbit) echo 0.5 ;;
	500mbit) echo 1 ;;
	*) echo 2 ;;
	esac
}

# offloads on|off
offloads() {
	ethtool -K "v$n" tso "$1" gso "$1" tx-udp-segmentation "$1" gro off >/dev/null
	peer ethtool -K "v$n" tso "$1" gso "$1" tx-udp-segmentation "$1" gro off >/dev/null
}

# begun COMMAND...: adds it to `programs`
begun() {
	background "$@" >"$tmp/said.${#programs[@]}"
	programs+=($!)
}

# all_ready: those begun so far
all_ready() {
	local i
	for i in "${!programs[@]}"; do busywait 5 file_says "$tmp/said.$i" ready; done
}

# egress COUNT: who receives, and who sends by what is in `through`
egress() {
	local i
	for ((i = 0; i < $1; i++)); do
		[ "$protocol" = udp ] || begun peer traffic sink tcp $((10000 + i)) --nap 0.02
	done
	all_ready
	for ((i = 0; i < $1; i++)); do
		begun "${through[@]}" traffic send "$protocol" "10.1.$n.2" $((10000 + i)) "${arguments[@]}"
	done
}

# ingress COUNT RATE: the same for what is received. UDP comes a twentieth faster than it passes,
# several at a time: behind an ifb it is the sender who waits, and need not sleep before each.
ingress() {
	local i
	[ "$protocol" = tcp ] || arguments+=(--batch 16 --rate $(($(rate_bit "$2") * 21 / 20)))
	for ((i = 0; i < $1; i++)); do
		begun peer traffic serve "$protocol" $((20000 + i)) "${arguments[@]}"
	done
	all_ready
	for ((i = 0; i < $1; i++)); do
		begun "${through[@]}" traffic fetch "$protocol" "10.1.$n.2" $((20000 + i)) --nap 0.02
	done
}

# measure egress|ingress CASE SCHEME NUMBER KIND COUNT RATE
measure() {
	local direction=$1 case=$2 scheme=$3 number=$4 count=$6 rate=$7 pid=$there set=scheme_set flows=$6
	local protocol offload arguments programs=()
	[ "$direction" = egress ] || pid=$here set=receiver_set
	pair_new && $set "$scheme" "v$n" "$rate" || fail "$case $scheme" || return
	kind_set "$5"
	offloads "$offload"
	$direction "$count" "$rate"
	pause 0.5
	frames_cost "$case" "${scheme%-deep}" "$number" "$pid" $(($(rate_bit "$rate") / 8 / 1514)) "$(span "$rate")"
	stop "${programs[@]}"
	pair_del "$n"
	[ ! -e "/sys/class/net/iv$n" ] || ip link del "iv$n"
}

begin
need netnice nft
peer_begin
# which task is woken by a packet is the scheduler's choice
peer nft 'table inet silence { chain c {
	type filter hook prerouting priority -400; udp dport 10000-19999 drop; }; }'
nft 'table inet silence { chain c {
	type filter hook prerouting priority -400; udp sport 20000-29999 drop; }; }'
defer nft delete table inet silence
for direction in egress ingress; do
	schemes=${direction}_schemes cases=${direction}_cases
	for case in ${!cases}; do
		IFS=: read -r kind count rate <<<"$case"
		for scheme in ${!schemes}; do
			measure $direction "$direction-$kind-$count" "$scheme" "$(rate_bit "$rate")" "$kind" "$count" "$rate"
		done
	done
done
for case in $level_cases; do
	IFS=: read -r kind count rate <<<"$case"
	for level in $levels; do
		deep=${level#*:}
		measure egress "levels-$kind-$count-$rate" "${level%:*}" "$deep" "$kind" "$count" "$rate"
	done
done
check 'all were measured' "${#results[@]} > 0"
