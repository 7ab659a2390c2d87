#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml+6.1, budget=16
#
# What waits for a neighbour's address is its sender's, also when that has gone meanwhile.

. "$(dirname "$0")/lib.sh"

# comes ADDRESS: the peer has it from now on
comes() {
	local nodad=()
	[[ $1 != *:* ]] || nodad=(nodad)
	peer ip address add "$1" dev eth0 "${nodad[@]}"
}

# counts COUNT ADDRESS NAME: so many have left by the VIF when that has come
# shellcheck disable=SC2016
counts() {
	check_eq "$3, to $2: it waits" "$(vif_stat $vif egress_packets)" 0
	comes "$2"
	busywait 5 eval '[ "$(vif_stat $vif egress_packets)" -ge '"$1"' ]'
	pause 0.1
	check_eq "$3, to $2: it is the VIF's" "$(vif_stat $vif egress_packets)" "$1"
}

# sent ADDRESS...: one to each
sent() {
	mkdir $vif
	in_vif $vif traffic send udp "$1" 9 --size 100 --bytes 1000 >/dev/null
	counts 10 "$1" 'UDP, who exits'
	vifs_end $vif

	mkdir $vif
	in_vif $vif "${user_prefix[@]}" traffic send udp "$5" 9 --size 100 --bytes 1000 >/dev/null
	counts 10 "$5" 'UDP of an ordinary user'
	vifs_end $vif

	mkdir $vif
	background "${in_vif_prefix[@]}" $vif traffic send udp "$2" 9 --size 100 --rate 8k >"$tmp/stays"
	stays=$!
	pause 0.55
	kill -STOP $stays
	counts 6 "$2" 'UDP, who stays'
	kill -CONT $stays
	stop $stays
	vifs_end $vif

	mkdir $vif
	background "${in_vif_prefix[@]}" $vif traffic send tcp "$3" 9 >"$tmp/connects"
	connects=$!
	pause 0.2
	counts 1 "$3" 'TCP connects'
	stop $connects
	vifs_end $vif

	mkdir $vif
	in_vif $vif ping -q -c 1 -W 1 "$4" >/dev/null
	counts 1 "$4" 'ping'
	vifs_end $vif
}

begin
need netnice ping
setup_veth
vif=/proc/network/eth0/unresolved
peer nft 'table inet silence { chain c { type filter hook input priority 0;
	meta l4proto { tcp, udp } drop; icmp type echo-request drop; icmpv6 type echo-request drop; }; }'
sent 10.0.0.71 10.0.0.72 10.0.0.73 10.0.0.74 10.0.0.75
sent fd00::71 fd00::72 fd00::73 fd00::74 fd00::75
