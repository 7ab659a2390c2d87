#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=5
#
# What keeps a link alive does not wait, but has a budget, and is charged: a sender that gives all
# of its packets such a header gets no more than the limit. What is hardly more than a header costs
# its flow as much as the limit.

. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
mac=020000000009
group=0180c200000e

# frames: begin with HEX
lldp=$group${mac}88cc
broadcast_lldp=ffffffffffff${mac}88cc
arp=ffffffffffff${mac}0806000108000604000102000000000a0a0000020000000000000a000001
# a router solicitation, to an address that is not of the link only
solicitation=ffffffffffff${mac}86dd6000000005b43afffd000000000000000000000000000002fd00000000000000000000000000000185

# came DIRECTION: packets that have come to the root VIF
came() {
	echo $(($(vif_stat $eth0 "$1_packets") + $(vif_stat $eth0 "$1_drops") + $(vif_stat $eth0 "$1_p_queue_packets")))
}

drained() { ! grep -q "_[pd]_queue_packets [1-9]" $eth0/stat; }

# floods HEX BYTES COUNT: from the peer, a frame each millisecond
floods() { peer kinds link eth0 times "$3" '{' hex "$1" "$2" pause 1 '}'; }

# bounded NAME HEX BYTES: a limit of 1 Mbit/s holds, for frames of 8 Mbit/s and more
bounded() {
	local packets bytes ms
	packets=$(came ingress) bytes=$(vif_stat $eth0 ingress_bytes)
	ms=${EPOCHREALTIME/./}
	floods "$2" "$3" 1000
	bytes=$(($(vif_stat $eth0 ingress_bytes) - bytes))
	ms=$(((${EPOCHREALTIME/./} - ms) / 1000))
	check_eq "$1: each once" "$(($(came ingress) - packets))" 1000
	check "$1: $bytes bytes in $ms ms, of $(($3 * 1000))" "$bytes < 125 * $ms + 16000 && $bytes > 100 * $ms"
	busywait 20 drained
}

limits() {
	echo 'ingress 1m' >$eth0/bandwidth
	bounded 'LLDP' "$lldp" 1400
	bounded 'LLDP to all' "$broadcast_lldp" 1400
	bounded 'ARP' "$arp" 1400
	bounded 'neighbour discovery' "$solicitation" 1514
	echo max >$eth0/bandwidth
}

# One sender has used up its part; another one does not wait.
senders() {
	local before
	echo 'ingress 8k' >$eth0/bandwidth
	floods "$arp" 1400 5
	before=$(vif_stat $eth0 ingress_overlimits)
	check 'a sender has used up its part' "$before > 0"
	floods "${arp//$mac/02000000000b}" 60 1
	check_eq 'another sender does not wait' "$(vif_stat $eth0 ingress_overlimits)" "$before"
	echo max >$eth0/bandwidth
}

stopped() {
	local bytes
	busywait 5 drained
	echo 'ingress 10k then stop' >$eth0/quota
	bytes=$(vif_stat $eth0 ingress_bytes)
	floods "$lldp" 1400 1000
	bytes=$(($(vif_stat $eth0 ingress_bytes) - bytes))
	check "a quota of 10 kB that stops: $bytes bytes have passed" "$bytes >= 10000 && $bytes < 13500"
	echo none >$eth0/quota
}

# answered MODE: what the kernel answers is limited, too
answered() {
	local packets bytes ms
	echo 'egress 64k' >$eth0/bandwidth
	packets=$(came egress) bytes=$(vif_stat $eth0 egress_bytes)
	ms=${EPOCHREALTIME/./}
	floods "$arp" 60 2000
	bytes=$(($(vif_stat $eth0 egress_bytes) - bytes))
	ms=$(((${EPOCHREALTIME/./} - ms) / 1000))
	check_eq "answers to ARP, $1: each once" "$(($(came egress) - packets))" 2000
	check "answers to ARP, $1: $bytes bytes in $ms ms" "$bytes < 8 * $ms + 9500 && $bytes > 7 * $ms"
	echo max >$eth0/bandwidth
}

udp_received() { awk '/^Udp: [0-9]/ { print $2 }' /proc/net/snmp; }

# beside BYTES: of 256 kbit/s a flow gets its half beside a flood of frames of BYTES
beside() {
	local flood sink received here
	here=$(<"/sys/class/net/eth0/address")
	busywait 20 drained
	echo 'ingress 256k' >$eth0/bandwidth
	background traffic sink udp 7400 >"$tmp/sink"
	sink=$!
	busywait 5 file_says "$tmp/sink" ready
	background peer kinds link eth0 times 500 '{' times 60 '{' hex "${here//:}${mac}88b5" "$1" '}' pause 10 '}'
	flood=$!
	pause 0.5
	received=$(udp_received)
	peer traffic send udp 10.0.0.1 7400 --rate 400k --size 1000 --seconds 4 >/dev/null
	received=$(($(udp_received) - received))
	check "beside frames of $1 bytes, $received of 61 datagrams are received" "$received > 45 && $received < 80"
	stop $flood $sink
	echo max >$eth0/bandwidth
	busywait 20 drained
}

begin
need netnice
setup_silent_veth
limits
senders
stopped
for bytes in 14 15 60; do beside $bytes; done
answered 'by the hook'
tc qdisc add dev eth0 root netnice
answered 'in qdisc mode'
log_clean
