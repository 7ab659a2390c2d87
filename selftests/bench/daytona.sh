#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A program on a TCP that takes more than its share, or one that does not, and another one beside
# it, which is ordinary, over the same 10 Mbit/s. Two kernels, see lab/alpine.sh:
#
#	server      gateway                 the first kernel            the second kernel
#	10.1.0.2 -- 10.1.0.1, 10.4.0.2 ==== 10.4.0.1, 10.0.0.1 vec0 --- vec0 10.0.0.2
#	                                    10.2.0.1 -- 10.2.0.2 beside
#
# taken left	bit/s of payload that a program there gets from the server, and that the other one
#		gets meanwhile. The scheme is the second kernel; NUMBER is 0, or the bit/s of a VIF
#		that the program has.
#
# usage: daytona.sh sender|receiver SCHEME
. "$(dirname "$0")/lib.sh"

limits='0 1000000'
seconds=20

server() { nsenter --net=/run/netns/server -- "$@"; }
gateway() { nsenter --net=/run/netns/gateway -- "$@"; }
beside() { nsenter --net=/run/netns/beside -- "$@"; }

# rate COMMAND...: what traffic says
rate() { "$@" | sed -n 's/.* rate_bit_per_s=\([0-9]*\).*/\1/p'; }

sender() {
	local limit port=5001
	modprobe -a sch_tbf sch_netem
	line here eth2 10.2.0 beside
	line here eth4 10.4.0 gateway
	line gateway eth1 10.1.0 server
	ip route add 10.1.0.0/24 via 10.4.0.2
	sysctl -qw net.ipv4.ip_forward=1
	gateway sysctl -qw net.ipv4.ip_forward=1
	server ip link set eth0 gso_max_segs 1
	# 48 ms may wait
	gateway tc qdisc add dev eth0 root tbf rate 10mbit burst 10k limit 60k
	gateway tc qdisc add dev eth1 root netem delay 20ms limit 10000
	for limit in $limits; do
		# each ends when the client does
		server traffic serve tcp $port >/dev/null 2>&1 &
		server traffic serve tcp $((port + 1)) >/dev/null 2>&1 &
		busywait 120 eval "[ -n \"\$(server ss -tnH state established sport = :$port)\" ]"
		result left "$scheme" "$limit" "$(rate beside traffic fetch tcp 10.1.0.2 $((port + 1)) --seconds $seconds)"
		wait
		port=$((port + 2))
	done
	# the last line: its reader ends this
	trap '' TERM
	traffic serve tcp 6000 --bytes 1 >/dev/null 2>&1
	:
}

# fetched PORT PREFIX...: as soon as a server listens there
fetched() {
	local got=''
	until [ -n "$got" ]; do
		pause 0.1
		got=$(rate "${@:2}" traffic fetch tcp 10.1.0.2 "$1" --seconds $seconds 2>/dev/null)
	done
	echo "$got"
}

receiver() {
	local limit port=5001
	ip route add 10.1.0.0/24 via 10.0.0.1
	for limit in $limits; do
		if [ "$limit" = 0 ]; then
			result taken "$scheme" 0 "$(fetched $port)"
		else
			result taken "$scheme" "$limit" "$(fetched $port netnice -b "$limit")"
		fi
		port=$((port + 2))
	done
	check 'a VIF bounds it' "${results[taken $scheme 1000000]} < 1000000"
	busywait 120 traffic fetch tcp 10.0.0.1 6000
}

scheme=$2
begin
"$1"
