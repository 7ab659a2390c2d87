#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Short connections, many of them, one after the other through a limit: all that they send
# and receive is their VIF's, to the byte, the limit is used up, and when the last one is
# forgotten their memory is back. 100,000 of them at night, in a User Mode Linux, else 10,000.
# lab: virtual, check=uml, kernels=6.1+new, budget=6
. "$(dirname "$0")/lib.sh"

vif=/proc/network/eth0/v
rate=4000000
clients=4
count=$((100000 / clients))
! short && in_uml || count=$((10000 / clients))

# connect COUNT: by each client, which is the first to close
connect() {
	local i status=0 pids=()
	for ((i = 0; i < clients; i++)); do
		in_vif $vif kinds times "$1" '{' socket tcp4 connect 10.0.0.2 7000 \
			send 100 receive 200 close leave '}' &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || status=1; done
	return $status
}

counts() {
	echo "$(vif_stat $vif egress_packets) $(vif_stat $vif egress_bytes)" \
		"$(vif_stat $vif ingress_packets) $(vif_stat $vif ingress_bytes)"
}

wire() {
	echo "$(peer_counter rx_packets) $(peer_counter rx_bytes)" \
		"$(peer_counter tx_packets) $(peer_counter tx_bytes)"
}

# resets: that both ends have sent
resets() {
	local prefix
	for prefix in '' peer; do $prefix nstat -az TcpOutRsts; done | awk '/TcpOutRsts/ { n += $2 } END { print n }'
}

# less A B: of two lists of numbers
less() {
	local i a b
	read -ra a <<<"$1"
	read -ra b <<<"$2"
	for i in "${!a[@]}"; do a[i]=$((a[i] - b[i])); done
	echo "${a[*]}"
}

begin
need netnice
setup_silent_veth
# Ports of those that have ended a second ago are used again. Without room for one more that has,
# at either end, TCP ends it at once. What still comes for it is answered with a reset, and the
# second reset for a connection finds no socket here: it is the root VIF's.
sysctl -qw net.ipv4.ip_local_port_range='1024 65000' net.ipv4.tcp_tw_reuse=1 \
	net.ipv4.tcp_max_tw_buckets=200000
peer sysctl -qw net.ipv4.tcp_max_tw_buckets=200000
mkdir $vif
echo $rate >$vif/bandwidth
serve_short
ok 'the first ones, which fill caches' connect 250
pause 140
stop $server
serve_short
free=$(free_bytes) counted=$(counts) crossed=$(wire) resets=$(resets)
began=${EPOCHREALTIME/./}
ok "$((clients * count)) connections" connect $count
took=$((${EPOCHREALTIME/./} - began))
pause 1
check_eq 'no end resets a connection' "$(resets)" "$resets"
counted=$(less "$(counts)" "$counted") crossed=$(less "$(wire)" "$crossed")
check_eq 'all that crosses the wire is the VIF'"'s" "$counted" "$crossed"
read -r _ sent _ received <<<"$counted"
((received < sent)) || sent=$received
check_near "of $rate bit/s" $((sent * 8000000 / took)) $rate 1
kept=$((free - $(free_bytes)))
check "$kept bytes are kept for those that have just ended" "$kept > 150 * $clients * $count"
stop $server
pause 140
left=$((free - $(free_bytes)))
check "$left bytes are not given back" "$left < 50 * $clients * $count"
ok 'the VIF goes' vifs_end $vif
log_clean
