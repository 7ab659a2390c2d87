#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, budget=24
#
# Every kind of socket, and every way of sending and receiving: all packets are the
# VIF's of the socket's owner, from the first to the last.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cells.sh"

server='socket tcp% bind ANY PORT listen 16 say ready'
client='socket tcp% connect THERE PORT'
caller='socket tcp% connect HERE PORT'
receiver='socket udp% bind ANY PORT say ready'

# at_peer RULE: nftables' at the peer, as packets come in; at_peer_end
at_peer() { peer nft "table inet hazard { chain in { type filter hook prerouting priority -300; $1; }; }"; }
at_peer_end() { peer nft delete table inet hazard; }

# --- TCP ----------------------------------------------------------------------------

connecting() {
	cell 'TCP connects' '4 6 m' \
		"there $server accept receive 3000 send 50000 end" \
		"here $client send 3000 receive 50000"
	cell 'TCP sends much' '4 6' \
		"there $server accept receive 500000 end" \
		"here $client send 500000"
	cell 'TCP is refused' '4 6' 'there say ready' 'here socket tcp% refused THERE PORT'
	cell 'TCP resets' '4 6' \
		"there $server accept receive 1000 error" \
		"here $client send 1000 pause 50 reset"
	cell 'TCP is reset' '4 6' \
		"there $server accept receive 1000 reset" \
		"here $client send 1000 error"
}

accepting() {
	local request='send 2000 receive 20000 shutdown end' answer='receive 2000 send 20000 end'
	local four="times 4 { fork { $caller $request } } wait"
	local listener='socket tcp% set reuseport 1 bind ANY PORT listen 16'
	cell 'TCP accepts' '4 6 m' "here $server accept $answer" "there $caller $request"
	cell 'TCP, a thread for each connection' '4 6' \
		"here $server times 4 { use 0 accept thread { $answer close } }" "there $four"
	cell 'TCP, children that accept' '4 6' \
		"here $server times 2 { fork { times 2 { use 0 accept $answer close } } }" "there $four"
	cell 'TCP, REUSEPORT' '4 6' \
		"here times 2 { fork { $listener times 9 { use 0 accept $answer close } } } pause 50 say ready pause 1000 kill" \
		"there $four"
	cell 'TCP, one process with epoll' '4 6' "here $server mirror 4" \
		"there times 4 { fork { $caller send 2000 receive 2000 shutdown end } }"
}

no_syn_acks() {
	pause 1.5
	at_peer_end
}

handshakes() {
	local before
	cell 'TCP, connections that are not accepted' '4 6' "here $server pause 500" \
		"there times 4 { $caller send 1000 } pause 100"
	at_peer 'tcp flags & (syn | ack) == syn | ack drop'
	during=no_syn_acks cell 'TCP, SYN-ACKs again' 4 "here $server accept receive 1000" "there $caller send 1000"
	at_peer 'tcp flags & (syn | ack) == syn | ack drop'
	during=no_syn_acks cell 'TCP, SYN-ACKs again' 6 "here $server accept receive 1000" "there $caller send 1000"
	before=$(sysctl -n net.ipv4.tcp_syncookies)
	sysctl -qw net.ipv4.tcp_syncookies=2
	cell 'TCP, SYN cookies' '4 6' "here $server accept receive 2000 send 20000 end" \
		"there $caller send 2000 receive 20000"
	sysctl -qw net.ipv4.tcp_syncookies="$before"
}

losing() {
	at_peer 'meta l4proto tcp numgen inc mod 7 == 5 drop'
	cell 'TCP, every 7th segment lost' '4 6' "there $server accept receive 50000 end" "here $client send 50000"
	cell 'TCP, acknowledgements lost' '4 6' "there $server accept send 50000" "here $client receive 50000 end"
	at_peer_end
}

# the peer does not hear for a while that its FIN has come
no_acknowledgements() {
	pause 0.3
	at_peer 'tcp flags & ack == ack drop'
	pause 1
	at_peer_end
}

closing() {
	local before
	cell 'TCP, FIN after close' '4 6' \
		"there $server accept receive 100000 end" "here $client send 100000 close pause 500"
	cell 'TCP, FIN after exit' '4 6' \
		"there $server accept pause 300 receive 100000 end" "here $client send 100000 exit"
	settle=1
	during=no_acknowledgements cell 'TCP, FINs after exit' '4 6' \
		"there $server accept pause 100 receive 1000 end pause 200" "here $client send 1000 exit"
	during=no_acknowledgements cell 'TCP, TIME_WAIT after exit' '4 6' \
		"there $server accept receive 1000 end pause 500" "here $client send 1000 exit"
	settle=0.3
	cell 'TCP, RST from what has been closed' '4 6' \
		"there $server accept receive 1000 pause 100 send 1000 error" "here $client send 1000"
	cell 'TCP, RST as data was not read' '4 6' \
		"there $server accept send 1000 error" "here $client pause 100 close"
}

# --- datagrams ----------------------------------------------------------------------

datagrams() {
	local hear='times 5 { receive 500 }'
	cell 'UDP, connected' '4 6 m' "there $receiver times 5 { answer }" \
		"here socket udp% connect THERE PORT times 5 { send 500 receive 500 }"
	cell 'UDP, not connected' '4 6 m' "there $receiver times 5 { answer }" \
		"here socket udp% times 5 { sendto THERE PORT 500 receive 500 }"
	late=1 cell 'UDP, answers' '4 6 m' "here $receiver times 5 { answer }" \
		"there socket udp% times 5 { sendto HERE PORT 500 receive 500 }"
	late=1 missing='==' cell 'UDP, receives only' '4 6 m' "here $receiver $hear" \
		"there socket udp% sendto HERE PORT 500 pause 10 times 4 { sendto HERE PORT 500 }"
	late=1 missing='==' manner=thread cell 'UDP, receives only, a thread is attached' 4 "here $receiver $hear" \
		"there socket udp% sendto HERE PORT 500 pause 10 times 4 { sendto HERE PORT 500 }"
	late=1 missing='==' manner=thread cell "UDP, receives only, an attached thread's child" 4 \
		"here fork { $receiver $hear } wait" \
		"there socket udp% sendto HERE PORT 500 pause 10 times 4 { sendto HERE PORT 500 }"
	late=3 cell 'UDP, receives only, by three sockets' '4 6' \
		"here times 3 { socket udp% bind ANY PORT say ready times 4 { receive 100 } close }" \
		"there socket udp% times 3 { sendto HERE PORT 100 pause 10 times 3 { sendto HERE PORT 100 } pause 50 }"
	cell 'UDP, fragments' '4 6' "there $receiver times 2 { answer }" \
		"here socket udp% connect THERE PORT times 2 { send 5000 receive 5000 }"
	late=1 cell 'UDP, fragments behind another header' 6 "here $receiver receive 500 times 2 { receive 5000 }" \
		"there socket udp% sendto HERE PORT 500 pause 10 padded times 2 { sendto HERE PORT 5000 }"
}

multicast() {
	local group family
	for family in 4 6; do
		[ $family = 6 ] && group=ff15::1234 || group=239.1.2.3
		cell 'UDP, sends to a group' $family \
			"there socket udp% bind ANY PORT group $group eth0 say ready times 3 { receive 500 }" \
			"here socket udp% device eth0 times 3 { sendto $group PORT 500 }"
		cell 'UDP, sends to a group that it belongs to' $family \
			"there socket udp% bind ANY PORT group $group eth0 say ready times 3 { receive 500 }" \
			"here socket udp% bind ANY PORT group $group eth0 device eth0 times 3 { sendto $group PORT 500 }"
		late=1 cell 'UDP, receives from a group' $family \
			"here socket udp% bind ANY PORT group $group eth0 say ready times 4 { receive 500 }" \
			"there socket udp% device eth0 sendto $group PORT 500 pause 10 times 3 { sendto $group PORT 500 }"
	done
}

# Kernels since 7.0 have none.
udplite() {
	kinds socket udplite4 2>/dev/null || { skip 'UDP-Lite' 'the kernel has none'; return; }
	local receiver=${receiver/udp/udplite}
	cell 'UDP-Lite, connected' '4 6' "there $receiver times 5 { answer }" \
		"here socket udplite% connect THERE PORT times 5 { send 500 receive 500 }"
	late=1 missing='==' cell 'UDP-Lite, receives only' '4 6' "here $receiver times 5 { receive 500 }" \
		"there socket udplite% sendto HERE PORT 500 pause 10 times 4 { sendto HERE PORT 500 }"
}

# --- fragments ------------------------------------------------------------------------

# The network, or the sender, may cut packets as it likes.
shredded() {
	cell 'raw IP, fragments' '4 6' \
		'there socket raw% connect HERE 0 say ready times 3 { receive 5000 send 5000 }' \
		'here socket raw% connect THERE 0 times 3 { send 5000 receive 5000 }'
	if ! shred_begin 8; then
		skip 'fragments' 'the kernel has no tun'
		return
	fi
	cell 'TCP connects, first fragments of 8 bytes' 4 \
		"there $server accept receive 3000 send 50000 end" "here $client send 3000 receive 50000"
	cell 'TCP accepts, first fragments of 8 bytes' 4 \
		"here $server accept receive 50000 send 3000 end" "there $caller send 50000 receive 3000"
	shred_end
	shred_begin 64
	cell 'TCP connects, first fragments of 64 bytes' 6 \
		"there $server accept receive 3000 send 50000 end" "here $client send 3000 receive 50000"
	shred_end
}

# A datagram has one owner, whatever first fragments come.
decoyed() {
	if ! shred_begin 8; then
		skip 'decoys of fragments' 'the kernel has no tun'
		return
	fi
	shred_end
	decoys 4 copy '25 0 25'
	decoys 4 sum '20 5 25'
	decoys 4 length '20 5 25'
	decoys 6 copy '25 0 25'
	decoys 6 length '20 5 25'
}

# decoys VERSION DECOY TAKEN: with each datagram of four fragments for VIF's socket comes a first
# fragment for OTHER's
decoys() {
	local any=0.0.0.0 here=10.0.0.1 vifs=("$vif" "$other" "$root") taken
	[ "$1" = 4 ] || any=:: here=fd00::1
	mkdir "$vif" "$other"
	shred_begin 8 "$2" 7601
	hears own "$vif" "socket udp$1 bind $any 7600 say ready"
	hears others "$other" "socket udp$1 bind $any 7601 say ready"
	# shellcheck disable=SC2086
	peer kinds socket udp$1 connect $here 7600 send 100 connect $here 7601 send 100 pause 100
	takes "socket udp$1 connect $here 7600 times 5 { send 4000 pause 50 }"
	check_eq "IPv$1, decoys, $2: received by the socket's VIF, another one, the device" "${taken[*]}" "$3"
	hears_no_more
	shred_end
	busywait 5 rmdir "$vif" "$other"
}

# --- several receivers, devices above -----------------------------------------------------

# hears NAME VIF WORDS: a process, attached to VIF unless that is none, in the background;
# hears_no_more
hears() {
	local prefix=()
	[ "$2" = none ] || prefix=("${in_vif_prefix[@]}" "$2")
	# shellcheck disable=SC2086
	background "${prefix[@]}" kinds $3 pause 100000 >"$tmp/$1"
	hearers+=($!)
	busywait 5 file_says "$tmp/$1" ready || note "$(cat "$tmp/$1")"
}
hears_no_more() {
	stop "${hearers[@]}"
	hearers=()
}
hearers=()

# takes WORDS: packets that each of $vifs receives of those that the peer sends, in taken
takes() {
	local counted each before=() i
	taken=()
	for each in "${vifs[@]}"; do count_vif "$each" && before+=("${counted[2]}"); done
	# shellcheck disable=SC2086
	peer kinds $1 || note "the peer's words fail: $1"
	busywait 20 cell_settled
	for each in "${vifs[@]}"; do count_vif "$each" && taken+=("${counted[2]}"); done
	for i in "${!taken[@]}"; do taken[i]=$((taken[i] - before[i])); done
}

# A limit of one receiver is none for the others: a datagram is the nearest VIF's above all of
# theirs. The first datagram of a socket only has its process found.
many_of() {
	local name="IPv$1, $3" any=0.0.0.0 send socket taken vifs=("$vif/a" "$vif/b" "$vif" "$root")
	[ "$1" = 4 ] || any=::
	send="socket udp$1 set broadcast $1 device eth0 connect $2 7600"
	socket="socket udp$1 set reuseaddr 1 bind $any 7600 $4 say ready"
	mkdir "$vif" "$vif/a" "$vif/b"
	hears a "$vif/a" "$socket"
	# shellcheck disable=SC2086
	peer kinds $send send 100 pause 100
	takes "$send times 5 { send 500 }"
	check_eq "$name, one receiver" "${taken[*]}" '5 0 5 5'
	hears b "$vif/b" "$socket"
	takes "$send send 100 pause 100"
	check_eq "$name, one receiver is known, of another one the process has yet to be found" "${taken[*]}" '1 0 1 1'
	takes "$send times 5 { send 500 } send 2000"
	check_eq "$name, two in VIFs below one, and fragments" "${taken[*]}" '0 0 7 7'
	hears c none "$socket"
	# shellcheck disable=SC2086
	peer kinds $send send 100 pause 100
	takes "$send times 5 { send 500 }"
	check_eq "$name, one of three attached to nothing" "${taken[*]}" '0 0 0 5'
	hears_no_more
	busywait 5 rmdir "$vif/a" "$vif/b" "$vif"
}

many() {
	many_of 4 239.1.2.3 'a group' 'group 239.1.2.3 eth0'
	many_of 4 10.0.0.255 'broadcast'
	many_of 6 ff15::1234 'a group' 'group ff15::1234 eth0'
}

# all_is NAME WORDS: what the peer's words have the device receive is all the VIF's
all_is() {
	local taken vifs=("$vif" "$root")
	takes "$2"
	check "$1: ${taken[0]} of ${taken[1]} packets" "${taken[0]} == ${taken[1]} && ${taken[0]} > 0"
}

# above NAME VERSION BOUND ANY HERE: what comes by a device above eth0, for sockets that are bound
# to BOUND
above() {
	peer ping -q -c 1 -W 5 "$5" >/dev/null || note 'it does not answer'
	mkdir "$vif"
	hears tcp "$vif" "socket tcp$2 device $3 bind $4 7600 listen 1 say ready accept receive 20000 end"
	all_is "$1, TCP" "socket tcp$2 connect $5 7600 send 20000"
	hears udp "$vif" "socket udp$2 device $3 bind $4 7600 say ready"
	peer kinds socket "udp$2" connect "$5" 7600 send 100 pause 100
	all_is "$1, UDP" "socket udp$2 connect $5 7600 times 5 { send 500 }"
	hears_no_more
	busywait 5 rmdir "$vif"
}

vlan_above() {
	add_vlan top 10.3.0
	above 'bound to a VLAN' 4 top 0.0.0.0 10.3.0.1
	del_both top
}

bridge_above() {
	ip link add top type bridge
	ip link set eth0 master top
	ip addr add 10.3.0.1/24 dev top
	peer ip addr add 10.3.0.2/24 dev eth0
	ip link set top up
	above 'bound to a bridge' 4 top 0.0.0.0 10.3.0.1
	ip link del top
	peer ip addr del 10.3.0.2/24 dev eth0
}

# Devices above eth0 send copies, which have no socket. Each is its sender's.
copies() {
	modprobe -q dummy numdummies=0
	ip link add first type dummy
	ip link set first up
	ip link add top type bridge
	ip link set first master top
	copied 'a bridge that floods' eth0
	if modprobe -q bonding max_bonds=0; then
		ip link add top type bond mode broadcast
		ip link set eth0 down
		ip link set first down
		ip link set eth0 master top
		copied 'a bond in broadcast mode' first
		ip link set eth0 up
	else
		skip 'a bond in broadcast mode' 'the kernel has none'
	fi
	ip link del first
	ip addr replace fd00::1/64 dev eth0 nodad
	cell_neighbours 10.0.0.1 10.0.0.2
	cell_neighbours fd00::1 fd00::2
}

# copied NAME LAST: by top, whose last port is LAST; 3000 bytes are three fragments. Frames of a packet
# socket are the sender's, too, if they look like the kernel's answer for OTHER's listener.
copied() {
	local before counted forged
	forged=ffffffffffff0200000000090800450001e600000000400600000a0300010a030002
	forged+=1db0000900000000000000005012ffff00000000
	ip link set "$2" master top
	ip addr add 10.3.0.1/24 brd + dev top
	ip link set top up
	mkdir "$vif" "$other"
	hears listener "$other" 'socket tcp4 bind 0.0.0.0 7600 listen 1 say ready'
	pause 1
	count_vif "$vif"
	before=${counted[0]}
	in_vif "$vif" kinds link top times 5 '{' hex $forged 500 '}'
	in_vif "$vif" kinds socket udp4 set broadcast 1 connect 10.3.0.255 9 times 5 '{' send 500 send 3000 '}'
	busywait 20 cell_settled
	count_vif "$vif"
	check_eq "$1: the VIF's of 25 packets" $((counted[0] - before)) 25
	hears_no_more
	busywait 5 rmdir "$vif" "$other"
	ip link del top
}

# A socket that is not bound is not in the VRF.
vrf_above() {
	local taken vifs=("$vif" "$root")
	if ! ip link add top type vrf table 10 2>/dev/null; then
		skip 'VRF' 'the kernel has none'
		return
	fi
	ip link set top up
	ip link set eth0 master top
	ip addr replace fd00::1/64 dev eth0 nodad
	cell_neighbours 10.0.0.1 10.0.0.2
	cell_neighbours fd00::1 fd00::2
	above 'in a VRF' 4 top 0.0.0.0 10.0.0.1
	above 'in a VRF' 6 top :: fd00::1
	above 'in a VRF, bound to its port' 4 eth0 0.0.0.0 10.0.0.1
	mkdir "$vif"
	hears udp "$vif" 'socket udp4 bind 0.0.0.0 7600 say ready'
	takes 'socket udp4 connect 10.0.0.1 7600 send 100 pause 100'
	check_eq 'in a VRF, not bound: received' "${taken[*]}" '0 1'
	hears_no_more
	busywait 5 rmdir "$vif"
	ip link del top
	ip addr replace fd00::1/64 dev eth0 nodad
	cell_neighbours 10.0.0.1 10.0.0.2
	cell_neighbours fd00::1 fd00::2
}

# --- given back by a firewall -------------------------------------------------------------

# A program that gives packets back is not their sender, attached (to OTHER) or not.
given_back() {
	cell "$1, UDP" '4 6' "there $receiver times 5 { answer }" \
		"here socket udp% times 5 { sendto THERE PORT 500 receive 500 }"
	cell "$1, UDP, a socket for each datagram" '4 6' "there $receiver times 5 { receive 500 }" \
		'here times 5 { socket udp% connect THERE PORT send 500 close leave }'
	cell "$1, TCP" '4 6' "there $server accept receive 3000 send 50000 end" "here $client send 3000 receive 50000"
}

queued() {
	local hearers=() prefix firewall
	if ! modprobe -q nfnetlink_queue || ! modprobe -q nft_queue; then
		skip 'NFQUEUE' 'the kernel has none'
		return
	fi
	mkdir "$other"
	nft 'table inet firewall { chain out { type filter hook output priority 0; oifname "eth0" queue num 7; };
		chain in { type filter hook input priority 0; iifname "eth0" queue num 7; }; }'
	for firewall in none "$other"; do
		prefix=()
		[ "$firewall" = none ] || prefix=("${in_vif_prefix[@]}" "$other")
		background "${prefix[@]}" verdicts 7 >"$tmp/firewall"
		hearers+=($!)
		busywait 5 file_says "$tmp/firewall" ready
		# from the first verdict on senders are noted
		kinds socket udp4 connect 10.0.0.2 9 send 1 pause 200
		given_back "NFQUEUE, its program attached to ${firewall##*/}"
		hears_no_more
	done
	nft delete table inet firewall
	rmdir "$other"
}

icmp() {
	cell 'ping' '4 6' 'there say ready' 'here socket ping% connect THERE 0 ping 3'
	cell 'ping by a raw socket' '4 6' 'there say ready' 'here socket icmp% connect THERE 0 ping 3'
	cell 'UDP, a port that is closed' '4 6' 'there say ready' 'here socket udp% connect THERE PORT send 100 error'
}

raw() {
	cell 'raw IP' '4 6' \
		'there socket raw% connect HERE 0 say ready times 3 { receive 100 send 100 }' \
		'here socket raw% connect THERE 0 times 3 { send 100 receive 100 }'
	cell 'packet socket' 4 "there socket packet say ready times 3 { receive 100 }" \
		"here socket packet times 3 { sendto $(peer_mac) eth0 100 }"
	cell 'packet socket, past the qdisc' 4 "there socket packet say ready times 3 { receive 100 }" \
		"here socket packet set bypass 1 times 3 { sendto $(peer_mac) eth0 100 }"
}

# --- other streams ------------------------------------------------------------------

sctp() {
	modprobe -q sctp || { skip 'SCTP' 'the kernel has none'; return; }
	settle=1
	cell 'SCTP connects' '4 6' \
		"there ${server/tcp/sctp} accept receive 3000 send 50000 end" \
		"here ${client/tcp/sctp} send 3000 receive 50000"
	# the handshake, and what comes and is acknowledged until the process answers
	early=4 late=5 missing='==' cell 'SCTP accepts' '4 6' \
		"here ${server/tcp/sctp} accept receive 3000 send 50000 end" \
		"there ${caller/tcp/sctp} send 3000 receive 50000"
	settle=0.3
}

mptcp() {
	[ -e /proc/sys/net/mptcp/enabled ] || { skip 'MPTCP' 'the kernel has none'; return; }
	sysctl -qw net.mptcp.enabled=1
	peer sysctl -qw net.mptcp.enabled=1
	cell 'MPTCP connects' '4 6 m' \
		"there ${server/tcp/mptcp} accept receive 3000 send 50000 end" \
		"here ${client/tcp/mptcp} send 3000 receive 50000"
	cell 'MPTCP accepts' '4 6 m' \
		"here ${server/tcp/mptcp} accept receive 3000 send 50000 end" \
		"there ${caller/tcp/mptcp} send 3000 receive 50000"
	mptcp_subflows
	mptcp_attached
}

# The socket is attached to VIF, its process to OTHER: the socket's attachment is stronger.
mptcp_attached() {
	local manner=none
	mkdir "$other"
	cell 'MPTCP connects, socket and process attached' '4 6' \
		"there ${server/tcp/mptcp} accept receive 3000 send 50000 end" \
		"here write OTHER/tasks 0 socket mptcp% attach-socket VIF connect THERE PORT send 3000 receive 50000"
	cell 'MPTCP accepts, socket and process attached' '4 6' \
		"here write OTHER/tasks 0 socket mptcp% attach-socket VIF bind ANY PORT listen 16 say ready accept receive 3000 send 50000 end" \
		"there ${caller/tcp/mptcp} send 3000 receive 50000"
	busywait 5 rmdir "$other"
}

# a second address of the peer, which it tells of
mptcp_subflows() {
	peer ip addr add 10.0.0.3/32 dev eth0
	peer ip mptcp endpoint add 10.0.0.3 dev eth0 signal
	ip mptcp limits set add_addr_accepted 1 subflow 1
	# its handshake
	early=3 late=4 cell 'MPTCP, a subflow more' 4 \
		"there ${server/tcp/mptcp} accept times 10 { receive 20000 send 20000 pause 20 } end" \
		"here ${client/tcp/mptcp} times 10 { send 20000 receive 20000 }"
	early=3 late=4 cell 'MPTCP, a subflow more, receives only' 4 \
		"there ${server/tcp/mptcp} accept receive 10 pause 300 send 300000 end" \
		"here ${client/tcp/mptcp} send 10 receive 300000"
	ip mptcp limits set add_addr_accepted 0 subflow 0
	peer ip mptcp endpoint flush
	peer ip addr del 10.0.0.3/32 dev eth0
}

# --- ways ---------------------------------------------------------------------------

large() {
	cell 'UDP GSO' '4 6' "there $receiver times 3 { receive 20000 }" \
		"here socket udp% connect THERE PORT set segment 1000 times 3 { send 20000 }"
	# merged in eth0's NAPI; of such a veth the peer's counters lack the link layer
	ethtool -K eth0 gro on
	cell_link_bytes=14
	cell 'TCP GRO' '4 6' "there $server accept send 200000" "here $client receive 200000 end"
	late=20 cell 'UDP GRO' '4 6' "here socket udp% set gro 1 bind ANY PORT say ready times 3 { receive 20000 }" \
		"there socket udp% connect HERE PORT set segment 1000 send 20000 pause 10 times 2 { send 20000 }"
	cell_link_bytes=0
	ethtool -K eth0 gro off
}

ways() {
	local way ways='sendfile splice zerocopy uring uring-worker'
	# in virtual time there it would look for requests forever
	in_uml || ways+=' uring-poll'
	[ ! -e /proc/sys/kernel/io_uring_disabled ] || sysctl -qw kernel.io_uring_disabled=0
	for way in $ways; do
		cell "TCP by $way" '4 6' "there $server accept receive 100000 end" "here $client by $way 100000"
	done
	for way in splice uring ${ways##*uring-worker}; do
		cell "TCP by $way, received" '4 6' "there $server accept send 100000" "here $client by $way-receive 100000"
	done
}

tls() {
	modprobe -qa tls gcm || { skip 'kTLS' 'the kernel has none'; return; }
	cell 'kTLS' '4 6' \
		"there $server accept tls receive 3000 send 50000 end" \
		"here $client tls send 3000 receive 50000"
	# the peer speaks first: the kernel refuses TLS on a connection that the other
	# end has closed already
	cell 'kTLS by sendfile' '4 6' \
		"there $server accept tls send 1 receive 50000 end" \
		"here $client tls receive 1 by sendfile 50000"
}

# --- limits, by one of each -----------------------------------------------------------

limits() {
	local much='times 400 { send 1000 pause 3 }' swallow='say ready times 400 { receive 1 }'
	local stream="accept receive 400000 end" way
	limited 'TCP' egress '4 6' "there $server $stream" "here $client send 400000"
	limited 'TCP' ingress '4 6' "here $server $stream" "there $caller send 400000"
	limited 'UDP' egress '4 6' "there socket udp% bind ANY PORT $swallow" "here socket udp% connect THERE PORT $much"
	late=1 limited 'UDP, receives only' ingress '4 6' "here socket udp% bind ANY PORT $swallow" \
		"there socket udp% connect HERE PORT $much"
	late=1 limited 'UDP, receives from a group' ingress 4 \
		"here socket udp% bind ANY PORT group 239.1.2.3 eth0 $swallow" \
		"there socket udp% device eth0 connect 239.1.2.3 PORT $much"
	limited 'raw IP' egress '4 6' "there socket raw% $swallow" "here socket raw% connect THERE 0 $much"
	limited 'packet socket' egress 4 "there socket packet $swallow" \
		"here socket packet times 400 { sendto $(peer_mac) eth0 1000 pause 3 }"
	limited 'packet socket, past the qdisc' egress 4 "there socket packet $swallow" \
		"here socket packet set bypass 1 times 400 { sendto $(peer_mac) eth0 1000 pause 3 }"
	limited 'UDP GSO' egress 4 "there socket udp% bind ANY PORT $swallow" \
		"here socket udp% connect THERE PORT set segment 1000 times 20 { send 20000 pause 60 }"
	for way in uring-worker zerocopy; do
		limited "TCP by $way" egress 4 "there $server $stream" "here $client by $way 400000"
	done
	! modprobe -q sctp ||
		limited 'SCTP' egress 4 "there ${server/tcp/sctp} $stream" "here ${client/tcp/sctp} times 8 { send 50000 }"
	[ ! -e /proc/sys/net/mptcp/enabled ] || {
		limited 'MPTCP' egress 4 "there ${server/tcp/mptcp} $stream" "here ${client/tcp/mptcp} send 400000"
		limited 'MPTCP' ingress 4 "here ${server/tcp/mptcp} $stream" "there ${caller/tcp/mptcp} send 400000"
	}
}

begin
cells_setup
all_groups='connecting accepting handshakes closing datagrams udplite multicast icmp raw sctp mptcp large ways'
short_on_stock || all_groups+=' shredded decoyed many vlan_above bridge_above copies queued losing tls limits vrf_above'
for group in ${GROUPS_OF_CELLS-$all_groups}; do
	$group
done
