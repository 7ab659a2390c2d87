#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a packet costs that has to wait: instructions of the whole machine, both ends, for
# each full frame that comes through a limit from senders who want more. Idle time is not
# in them: the kernel says how much it was (idle_sleeptime in /proc/timer_list). NUMBER is
# the limit in bit/s.
#
# atlimit-CASE		instructions a frame
# expiries-CASE		timer interrupts a frame
#
# CASE is tcp-N (connections, each packet is one of a wire), gso-N (with segmentation
# offload), udp-N (senders).
#
# lab: virtual, timeout=3600, mem=1536
# shellcheck disable=SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../net/pairs.sh"
. "$(dirname "$0")/schemes.sh"

schemes='tbf hfsc htb-codel cake netnice netnice-deep netnice-qdisc'
seconds=3

# look: nanoseconds that the machine was busy, timer interrupts, bytes on the wire
look() {
	seen=("$(awk '/idle_sleeptime/ { idle = $3 } /^now at/ { now = $3 }
			END { printf "%.0f", now - idle }' /proc/timer_list)"
		"$(awk '$1 == "LOC:" { print $2 }' /proc/interrupts)"
		"$(<"/sys/class/net/v$n/statistics/tx_bytes")")
}

# frames_cost CASE SCHEME RATE: when the senders have come to their rate
frames_cost() {
	local before bits
	bits=$(rate_bit "$3")
	pause 1
	look
	before=("${seen[@]}")
	pause $seconds
	look
	read -r instructions expiries share < <(awk -v busy=$((seen[0] - before[0])) \
		-v timers=$((seen[1] - before[1])) -v bytes=$((seen[2] - before[2])) \
		-v limit=$((bits * seconds / 8)) 'BEGIN {
			frames = bytes / 1514
			printf "%.1f %.3f %.4f\n", busy / frames, timers / frames, bytes / limit }')
	result "atlimit-$1" "$2" "$bits" "$instructions"
	result "expiries-$1" "$2" "$bits" "$expiries"
	note "$1 $2: $share of the limit"
}

# offloads on|off
offloads() {
	ethtool -K "v$n" tso "$1" gso "$1" gro off >/dev/null
	peer ethtool -K "v$n" tso "$1" gso "$1" gro off >/dev/null
}

# receivers COUNT: adds them to `programs`
receivers() {
	local i
	for ((i = 0; i < $1; i++)); do
		background peer traffic sink tcp $((10000 + i)) --nap 0.02 >"$tmp/sink.$i"
		programs+=($!)
	done
	for ((i = 0; i < $1; i++)); do busywait 5 file_says "$tmp/sink.$i" ready; done
}

# sends CASE SCHEME PROTOCOL COUNT on|off RATE
sends() {
	local i arguments=() programs=()
	pair_new && scheme_set "$2" "v$n" "$6" || fail "$1 $2" || return
	offloads "$5"
	if [ "$3" = tcp ]; then receivers "$4"; else arguments=(--size 1472); fi
	for ((i = 0; i < $4; i++)); do
		background "${through[@]}" traffic send "$3" "10.1.$n.2" $((10000 + i)) "${arguments[@]}" >/dev/null
		programs+=($!)
	done
	frames_cost "$1" "$2" "$6"
	stop "${programs[@]}"
	pair_del "$n"
}

begin
need netnice nft
modprobe -a sch_htb sch_hfsc sch_tbf sch_fq_codel sch_cake
ip netns add peer
defer ip netns del peer
peer ip link set lo up
# who is woken by what he receives is the scheduler's luck
peer nft 'table inet silence { chain c {
	type filter hook prerouting priority -400; meta l4proto udp drop; }; }'
for scheme in $schemes; do
	sends tcp-1 "$scheme" tcp 1 off 50mbit
	sends udp-1 "$scheme" udp 1 off 50mbit
	full || continue
	sends tcp-8 "$scheme" tcp 8 off 50mbit
	sends tcp-128 "$scheme" tcp 128 off 50mbit
	sends gso-8 "$scheme" tcp 8 on 50mbit
	sends udp-1 "$scheme" udp 1 off 500mbit
done
check 'all were measured' "${#results[@]} > 0"
