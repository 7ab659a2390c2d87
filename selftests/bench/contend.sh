#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How long senders wait for each other where their packets have to wait: CPUs that send at the
# same time into one class, or VIF, out of which next to nothing leaves (8 kbit/s), datagrams
# of 64 bytes, 128 by one system call. So what is measured is the sender's side alone: the
# lock, and memory that another CPU has written. NUMBER is that of senders, each on a CPU of
# its own.
#
# queued	nanoseconds a packet; the least of many turns
# waits		of these, what they are more than those of one sender, less what that is of
#		none
# off		per cent that the rate on the device is off 100 Mbit/s, while they send more,
#		datagrams of 1000 bytes: the least of a few times two seconds, as a host that
#		takes a CPU away for longer than a burst (10 ms) takes that much of the rate
#
# Real time, to which other work on the machine only adds.
#
# lab: smp=2, timeout=1800
# shellcheck disable=SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/schemes.sh"

schemes=(none htb-codel cake netnice)
rounds=40 rates=6
full || rounds=8 rates=3
packets=5000

# room: for all that they send
room() {
	case $1 in
	cake) tc qdisc change dev "$device" root cake memlimit 64mb ;;
	netnice) echo max | tee "$vif/limit" >/dev/null ;;
	esac
}

# one CPU AT: nanoseconds a packet
one() {
	"${through[@]}" taskset -c "$1" traffic send udp "$network.2" 9000 --size 64 --batch 128 \
		--bytes $((64 * packets)) --at "$2" |
		sed -n 's/.* messages=\([0-9]*\) .* seconds=\([0-9.]*\).*/\1 \2/p' |
		awk '{ printf "%.1f\n", $2 * 1e9 / $1 }'
}

# turn SCHEME SENDERS: of the first one
turn() {
	local at cpu others=()
	device_new && scheme_set "$1" $device 8kbit && room "$1" || fail "$1" || return
	# when all have come up
	at=$(awk '{ printf "%d\n", $1 * 1000 + 150 }' /proc/uptime)
	for ((cpu = 1; cpu < $2; cpu++)); do
		one $cpu "$at" >/dev/null &
		others+=($!)
	done
	one 0 "$at" >>"$tmp/$1-$2"
	[ ${#others[@]} -eq 0 ] || wait "${others[@]}"
	ip link del $device
}

# written: by the device: microseconds, octets
written() { echo "${EPOCHREALTIME/./} $(<"/sys/class/net/$device/statistics/tx_bytes")"; }

# off SCHEME SENDERS
off() {
	local cpu others=() first last
	device_new && scheme_set "$1" $device 100mbit || fail "$1" || return
	for ((cpu = 0; cpu < $2; cpu++)); do
		"${through[@]}" taskset -c $cpu traffic send udp "$network.2" 9000 --size 1000 \
			--seconds 4 >/dev/null &
		others+=($!)
	done
	sleep 1
	first=$(written)
	sleep 2
	last=$(written)
	wait "${others[@]}"
	ip link del $device
	awk -v first="$first" -v last="$last" 'BEGIN {
		split(first, a, " "); split(last, b, " ")
		printf "%.3f\n", ((b[2] - a[2]) * 8 / (b[1] - a[1]) / 100 - 1) * 100 }' >>"$tmp/$1-$2-off"
}

# nearest FILE: of the numbers, that nearest to 0
nearest() { awk '{ print $1 < 0 ? -$1 : $1, $1 }' "$tmp/$1" | sort -n | awk 'NR == 1 { print $2 }'; }

least() { sort -n "$tmp/$1" | head -n 1; }

say_off() { result off "$1" "$2" "$(nearest "$1-$2-off")"; }

say_queued() {
	result queued "$1" "$2" "$(least "$1-$2")"
	[ "$1" = none ] || result waits "$1" "$2" "$(awk "BEGIN { printf \"%.0f\",
		($(least "$1-$2") - $(least "$1-1")) - ($(least "none-$2") - $(least none-1)) }")"
}

# each COMMAND SCHEME...: COMMAND SCHEME SENDERS
each() {
	local scheme count
	for scheme in "${@:2}"; do
		for ((count = 1; count <= cpus; count *= 2)); do "$1" "$scheme" $count; done
	done
}

begin
cpus=$(nproc)
[ "$cpus" -ge 2 ] || skip_all 'this takes two CPUs'
modprobe -a dummy sch_htb sch_fq_codel sch_cake
need netnice
# so that no sender is asleep when all its packets have left
sysctl -q net.core.wmem_default=4000000
for ((round = 0; round < rates; round++)); do each off "${schemes[@]:1}"; done
each say_off "${schemes[@]:1}"
sysctl -q net.core.wmem_default=67108864
for ((round = 0; round < rounds; round++)); do each turn "${schemes[@]}"; done
each say_queued "${schemes[@]}"
check 'all were measured' "${#results[@]} > 0"
