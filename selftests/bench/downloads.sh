#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP that is received through a limit, for 20 seconds: what the sender puts on the wire in
# front of it. One connection, or 16 beside each other, a round-trip time of 0, 20 and 100 ms.
# ROW ends in -CONNECTIONS-RTT; NUMBER is the limit in bit/s.
#
# sent-late		sent from the third second on, per cent of what the limit lets pass
# sent			sent in all
# delivered		received from the third second on, with the headers of full packets
# resent		segments that were sent twice
#
# lab: virtual, timeout=7200
# shellcheck disable=SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../net/pairs.sh"
. "$(dirname "$0")/schemes.sh"
. "$(dirname "$0")/receive.sh"

schemes='netnice tbf htb-codel cake cake-ingress'
rates='64kbit 256kbit 1mbit 10mbit 100mbit'
full || rates='256kbit 10mbit'
seconds=20

# per_cent BYTES RATE SECONDS
per_cent() { awk "BEGIN { printf \"%.1f\", $1 / $(rate_bit "$2") * 800 / $3 }"; }

# measure SCHEME RATE CONNECTIONS RTT
measure() {
	local scheme=$1 rate=$2 connections=$3 rtt=$4 row=$3-$4 bits
	bits=$(rate_bit "$rate")
	pair_new && receiver_set "$scheme" "v$n" "$rate" || fail "$scheme $rate" || return
	[ "$rtt" = 0 ] || peer tc qdisc add dev "v$n" root netem delay "${rtt}ms" limit 100000
	peer ping -q -c 1 -W 1 "10.1.$n.1" >/dev/null
	download "$n" "$connections" $seconds
	pair_del "$n"
	[ "$scheme" = netnice ] || ip link del "iv$n"
	result "sent-late-$row" "$scheme" "$bits" "$(per_cent $sent_late "$rate" $((seconds - 3)))"
	result "sent-$row" "$scheme" "$bits" "$(per_cent $sent "$rate" $seconds)"
	result "delivered-$row" "$scheme" "$bits" "$(per_cent $((received_late * 1514 / 1448)) "$rate" $((seconds - 3)))"
	result "resent-$row" "$scheme" "$bits" "$resent"
}

begin
need netnice
modprobe -a sch_htb sch_tbf sch_fq_codel sch_cake sch_netem ifb
ip netns add peer
defer ip netns del peer
peer ip link set lo up
for rate in $rates; do
	for count in 1 16; do
		for rtt in 0 20 100; do
			for scheme in $schemes; do
				measure "$scheme" "$rate" "$count" "$rtt"
			done
		done
	done
done
check 'all were measured' "${#results[@]} > 0"
