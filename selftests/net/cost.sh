#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a packet costs, in virtual time, which is made of instructions: datagrams
# sent to the peer and received from it, on a device whose tree is not used, on a
# used one, attached and not; and a flood to ports where nobody is.
#
# lab: virtual
. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
datagrams=20000

# send [peer] ADDRESS PORT: nanoseconds a datagram, the least of three rounds
cost() {
	local prefix=() line seconds least=
	[ "$1" != peer ] || { prefix=("${peer_prefix[@]}"); shift; }
	for _ in 1 2 3; do
		line=$("${prefix[@]}" "${in_vif[@]}" traffic send udp "$1" "$2" \
			--size 64 --bytes $((64 * datagrams)) 2>/dev/null)
		seconds=$(sed -n 's/.* seconds=\([0-9.]*\).*/\1/p' <<<"$line")
		least=$(awk "BEGIN { s = $seconds / $datagrams * 1e9; l = \"$least\"; print l == \"\" || s < l ? s : l }")
	done
	printf '%.0f\n' "$least"
}

# The peer drops what we send before a socket of its own sees it: how often a
# receiver is woken is the scheduler's luck, not ours.
measure_sent() { sent=$(cost 10.0.0.2 9002); }

# measure NAME: sets sent, received, flooded; flood costs the peer what it costs us,
# as both are one CPU
measure() {
	measure_sent
	received=$(cost peer 10.0.0.1 9003)
	flooded=$(cost peer 10.0.0.1 9)
	note "$1: sent $sent, received $received, flood to nobody $flooded instructions a packet"
}

begin
! in_uml || skip_all 'nothing takes time in virtual time'
setup_veth
need netnice
peer nft 'table inet silence { chain c {
	type filter hook prerouting priority -400; udp dport 9002 drop; }; }'
background traffic sink udp 9003
sink=$!
pause 0.5
in_vif=()

measure 'unused device'
unused_sent=$sent unused_received=$received unused_flooded=$flooded

mkdir $eth0/a
measure 'used device, nothing attached'
check "sent costs $((sent - unused_sent)) instructions more" "$sent - $unused_sent <= 1000"
check "received costs $((received - unused_received)) instructions more" \
	"$received - $unused_received <= 1000"

echo $sink >$eth0/a/tasks
sleep 1000 &
defer stop $!
echo $! >$eth0/a/tasks
in_vif=(bash -c 'true; exec "$@"' -)
measure_sent
received=$(cost peer 10.0.0.1 9003)
flooded=$(cost peer 10.0.0.1 9)
note "others attached: sent $sent, received by one that is $received, flood to nobody $flooded"
check "sent by one that is not attached costs $((sent - unused_sent)) instructions more" \
	"$sent - $unused_sent <= 1000"
check "a flood to nobody costs $flooded instead of $unused_flooded instructions" \
	"$flooded <= 1.2 * $unused_flooded"

in_vif=(bash -c 'echo 0 >/proc/network/eth0/a/tasks; exec "$@"' -)
measure_sent
note "attached: sent $sent"
check "sent by one that is attached costs $((sent - unused_sent)) instructions more" \
	"$sent - $unused_sent <= 2000"
echo 10g >$eth0/a/bandwidth
measure_sent
note "attached, with a bandwidth: sent $sent"
check "with a bandwidth that is not reached $((sent - unused_sent)) instructions more" \
	"$sent - $unused_sent <= 4000"
