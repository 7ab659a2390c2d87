#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The paper's Figure 10: throughput through no, one, ... eight VIFs in series,
# work-conserving (wc: none has a bandwidth) and not (nwc: each has one that is never
# reached); 0 is the root VIF alone, "none" a device that nothing was done to.
#
# lo veth	how many Mbit/s of TCP payload the CPU, which does a thousand million
#		instructions a second, takes through the device, with the offloads that
#		it has; on lo both ends are in the VIFs
# lo-packet veth-packet	instructions that a datagram of 1,472 bytes takes, which is a
#		packet of its own and wakes no process
#
# lab: virtual, timeout=1800
. "$(dirname "$0")/lib.sh"

levels='0 1 2 3 4 5 6 7 8'
full || levels='0 1 8'
tcp_bytes=50m

# tcp ADDRESS [PREFIX...]: Mbit/s, the most of five
tcp() {
	local address=$1
	shift
	for _ in 1 2 3 4 5; do
		"$@" traffic send tcp "$address" 5001 --size 65536 --bytes $tcp_bytes
	done | sed -n 's/.* rate_bit_per_s=\([0-9]*\).*/\1/p' | sort -n | tail -n 1 | awk '{ print $1 / 1e6 }'
}

# measure SCHEME LEVELS [PREFIX...]
measure() {
	local scheme=$1 count=$2
	shift 2
	result veth "$scheme" "$count" "$(tcp 10.0.0.2 "$@")"
	result veth-packet "$scheme" "$count" "$(per_datagram 10.0.0.2 9002 1472 "$@")"
	result lo "$scheme" "$count" "$(tcp 127.0.0.1 "$@")"
	result lo-packet "$scheme" "$count" "$(per_datagram 127.0.0.1 9003 1472 "$@")"
}

# receivers [VIF]: those on this host, in the VIF
receivers() {
	local prefix=()
	[ $# -eq 0 ] || prefix=("${in_vif_prefix[@]}" "$1")
	background "${prefix[@]}" traffic sink tcp 5001 >"$tmp/sink"
	sink=$!
	silent_socket 9003
	[ $# -eq 0 ] || echo $silent >"$1/tasks"
	busywait 5 grep -q ready "$tmp/sink"
}

# through SCHEME LEVELS [BANDWIDTH]
# shellcheck disable=SC2154
through() {
	local scheme=$1 count=$2 here
	series "$count" lo "${3-}"
	receivers "$vif"
	here=$vif
	series "$count" eth0 "${3-}"
	# a process has one VIF on each device
	# shellcheck disable=SC2016
	measure "$scheme" "$count" bash -c 'echo 0 >"$0/tasks"; echo 0 >"$1/tasks"; shift; exec "$@"' "$here" "$vif"
	stop $sink $silent
	series_end lo
	series_end eth0
}

begin
setup_veth
need netnice nft
peer nft 'table inet silence { chain c {
	type filter hook prerouting priority -400; udp dport 9002 drop; }; }'
background peer traffic sink tcp 5001 >"$tmp/peer"
busywait 5 grep -q ready "$tmp/peer"

# Who is woken when depends less on chance if all that is under way is soon full.
for where in '' peer; do
	$where sysctl -q net.ipv4.tcp_wmem='4096 262144 262144' net.ipv4.tcp_moderate_rcvbuf=0 \
		net.ipv4.tcp_rmem='4096 4194304 4194304'
done

receivers
measure none 0
stop $sink $silent
for level in $levels; do
	through wc "$level"
	[ "$level" -eq 0 ] || through nwc "$level" 100gbit
done
check_eq 'VIFs are gone' "$(find /proc/network/lo /proc/network/eth0 -mindepth 1 -type d)" ''
