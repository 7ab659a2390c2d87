#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Requests beside TCP connections without ECN that want all they can get, in the same
# class, which has a limit: 128 connections at 100 Mbit/s, one at 256 kbit/s. How long
# the peer's answers take, in milliseconds; NUMBER is the limit in bit/s.
#
# median p90		of the requests that were answered
# lost			per cent of them that were not
#
# lab: virtual, timeout=3600
# shellcheck disable=SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../net/pairs.sh"
. "$(dirname "$0")/schemes.sh"

schemes='tbf htb htb-codel hfsc cake netnice netnice-qdisc'
requests=200 load_seconds=3
full || {
	requests=50 load_seconds=1
	schemes='htb htb-codel cake netnice netnice-qdisc'
}

# "${many[@]}" COUNT COMMAND...: beside each other
# shellcheck disable=SC2016
many=(bash -c 'for ((i = $0; i > 0; i--)); do "$@" & done; wait')

# measure SCHEME RATE CONNECTIONS EVERY
measure() {
	local scheme=$1 rate=$2 connections=$3 every=$4 bits receiver sender answerer sent answered
	pair_new && scheme_set "$scheme" "v$n" "$rate" || fail "$scheme $rate" || return
	bits=$(rate_bit "$rate")
	background peer traffic sink tcp 6000 --nap 0.002 >"$tmp/receive"
	receiver=$!
	background peer roundtrip answer udp 7000 >"$tmp/answer"
	answerer=$!
	busywait 5 grep -q ready "$tmp/receive" "$tmp/answer"
	background setsid "${through[@]}" "${many[@]}" "$connections" traffic send tcp "10.1.$n.2" 6000 >"$tmp/send"
	sender=$!
	sleep $load_seconds
	"${through[@]}" roundtrip ask udp "10.1.$n.2" 7000 --every "$every" --count "$requests" >"$tmp/ask"
	kill -- -$sender $receiver $answerer
	pair_del "$n"
	wait $sender $receiver $answerer 2>/dev/null
	sent=$(sed -n 's/^sent=//p' "$tmp/ask")
	answered=$(sed -n 's/^answered=//p' "$tmp/ask")
	result median "$scheme" "$bits" "$(sed -n 's/^median_us=\(.*\)/\1/p' "$tmp/ask" | awk '{ print $1 / 1000 }')"
	result p90 "$scheme" "$bits" "$(sed -n 's/^p90_us=\(.*\)/\1/p' "$tmp/ask" | awk '{ print $1 / 1000 }')"
	result lost "$scheme" "$bits" "$(awk "BEGIN { printf \"%.1f\", ($sent - $answered) / $sent * 100 }")"
}

begin
need netnice
modprobe -a sch_htb sch_hfsc sch_cake sch_tbf
sysctl -q net.ipv4.tcp_ecn=0
ip netns add peer
defer ip netns del peer
peer ip link set lo up
for scheme in $schemes; do
	measure "$scheme" 256kbit 1 100
	measure "$scheme" 100mbit 128 10
done
check 'all were measured' "${#results[@]} > 0"
