#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A limit, counted on the wire: one sender who wants more, through one class, for eleven
# seconds (at 1 Gbit/s three: for longer the judge has no room and the emulated CPU no
# time). The judge is a packet capture at the peer; bytes are those of the wire, from the
# link-layer header on. NUMBER is the limit in bit/s.
#
# rate-tcp rate-udp	what passes after the first second, per cent off the limit
# first-tcp first-udp	what passes in the first second, per cent of the limit's
#
# lab: virtual, timeout=7200
# shellcheck disable=SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../net/pairs.sh"
. "$(dirname "$0")/schemes.sh"

schemes='tbf htb htb-deep hfsc cake netnice netnice-deep netnice-qdisc'
cases='64kbit:tcp 64kbit:udp 1mbit:tcp 1mbit:udp 10mbit:tcp 10mbit:udp 100mbit:tcp 100mbit:udp 1gbit:tcp'
span_seconds=11
full || {
	span_seconds=3
	schemes='tbf htb hfsc cake netnice netnice-qdisc'
	cases='1mbit:tcp 1mbit:udp 100mbit:tcp'
}

# span RATE: seconds
span() {
	case $1 in
	1gbit) echo 3 ;;
	*) echo $span_seconds ;;
	esac
}

# measure SCHEME RATE PROTOCOL
measure() {
	local scheme=$1 rate=$2 protocol=$3 port bits seconds arguments=()
	pair_new && scheme_set "$scheme" "v$n" "$rate" || fail "$scheme $rate" || return
	port=$((5000 + n))
	bits=$(rate_bit "$rate")
	seconds=$(span "$rate")
	[ "$protocol" = tcp ] || arguments=(--size 1472 --rate $((bits * 3 / 2)))
	background peer traffic sink "$protocol" "$port" --nap 0.005 >"$tmp/receive"
	local receiver=$!
	busywait 5 grep -q ready "$tmp/receive"
	meter_flow judge "$n" egress --port "$port" --span "$seconds"
	background "${through[@]}" traffic send "$protocol" "10.1.$n.2" "$port" "${arguments[@]}" >"$tmp/send"
	local sender=$!
	sleep "$seconds.5"
	meter_stop judge
	kill $sender $receiver
	pair_del "$n"
	wait $sender $receiver 2>/dev/null
	meter_load judge
	meter_whole || fail "$scheme $rate $protocol: the judge saw everything" "$(cat "$tmp/meter.judge")"
	result "rate-$protocol" "$scheme" "$bits" "$(awk "BEGIN { printf \"%.3f\", ($m_rate_bit_per_s / $bits - 1) * 100 }")"
	result "first-$protocol" "$scheme" "$bits" "$(awk "BEGIN { printf \"%.2f\", $m_first_second_bytes / $bits * 800 }")"
}

begin
need netnice
modprobe -a sch_htb sch_hfsc sch_cake sch_tbf
ip netns add peer
defer ip netns del peer
peer ip link set lo up
for case in $cases; do
	for scheme in $schemes; do
		measure "$scheme" "${case%:*}" "${case#*:}"
	done
done
check 'all were measured' "${#results[@]} > 0"
