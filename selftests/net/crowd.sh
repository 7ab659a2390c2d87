#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Whose a packet is, among many: 1,000 attached processes with descriptors of their
# own, 100,000 sockets that they use.
#
# late		a socket that only receives, opened after its process was attached: its
#		packets are its VIF's from 10 ms after the first on
# flood		packets to closed ports cost at most 1.2 times what they cost without
#		attachments
# sockets	a packet sent costs the same among 100,000 sockets as among a few; for one
#		received the kernel's own table of sockets is asked once more than without
#		VIFs, and that is all that it costs more; the first socket is still known
#
# lab: virtual, mem=1536, timeout=900, kernels=6.1+new, check=none
. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
processes=1000
descriptors=20
datagrams=5000

# takes COMMAND...: nanoseconds a datagram, the least of three rounds
takes() {
	local seconds least=
	for _ in 1 2 3; do
		seconds=$("$@" --size 64 --bytes $((64 * datagrams)) 2>/dev/null | sed -n 's/.* seconds=\([0-9.]*\).*/\1/p')
		least=$(awk "BEGIN { s = $seconds / $datagrams * 1e9; l = \"$least\"; print l == \"\" || s < l ? s : l }")
	done
	printf '%.0f\n' "$least"
}

sent() { takes in_vif $eth0/a traffic send udp 10.0.0.2 9002; }
received() { takes peer traffic send udp 10.0.0.1 9003; }
flooded() { takes peer traffic send udp 10.0.0.1 9; }

# --- 1,000 processes -----------------------------------------------------------------

start_processes() {
	local open=() i
	for ((i = 10; i < 10 + descriptors; i++)); do open+=("exec $i</dev/null;"); done
	defer pkill -x sleep
	background bash -c "echo 0 >$eth0/crowd/tasks; ${open[*]}
		for ((i = 0; i < $processes - 1; i++)); do sleep 100000 & done; wait" >/dev/null
	ok "$processes processes are attached" busywait 120 all_there
}
all_there() { [ "$(grep -c . $eth0/crowd/tasks)" -eq $processes ]; }

# a datagram each millisecond, 200 of them, to a socket that has sent nothing
receive_late() {
	local before sink got
	background "${in_vif_prefix[@]}" $eth0/a traffic sink udp 9004 >/dev/null
	sink=$!
	busywait 5 grep -q ':232C ' /proc/net/udp6
	before=$(vif_stat $eth0/a ingress_packets)
	peer traffic send udp 10.0.0.1 9004 --size 100 --bytes 20000 --rate 1136k >/dev/null
	got=$(($(vif_stat $eth0/a ingress_packets) - before))
	note "of 200 datagrams, one each millisecond, $got are the VIF's"
	check 'a socket that only receives: all but those of 10 ms' "$got >= 189 && $got <= 200"
	stop $sink
}

# --- 100,000 sockets -----------------------------------------------------------------

# Of 100 processes each has 1,000, connected to the peer; two addresses have enough
# ports. The first socket of all is one that has been answered, once.
start_sockets() {
	local address
	ip addr add 10.0.0.3/24 dev eth0
	sysctl -qw net.ipv4.ip_local_port_range='10000 65000'
	defer pkill -x kinds
	background "${in_vif_prefix[@]}" $eth0/early kinds socket udp4 bind 10.0.0.1 9005 sendto 10.0.0.2 9002 10 \
		say ready receive 10 receive 10 pause 100000000 >"$tmp/early"
	busywait 5 file_says "$tmp/early" ready
	check_eq 'the first socket: its first answer is its VIF'"'s" "$(answer_early)" 1
	for address in 10.0.0.1 10.0.0.3; do
		in_vif $eth0/crowd kinds times 50 '{' fork '{' times 1000 '{' socket udp4 bind $address 0 \
			connect 10.0.0.2 9002 send 10 '}' say ready pause 100000000 '}' '}' wait >"$tmp/sockets.$address" &
	done
	ok '100,000 sockets' busywait 300 sockets_there
	# a new socket shall not have to search for a port that is free
	sysctl -qw net.ipv4.ip_local_port_range='2000 8999'
}
sockets_there() { [ "$(cat "$tmp"/sockets.* | grep -c ready)" -eq 100 ]; }

answer_early() {
	local before
	before=$(vif_stat $eth0/early ingress_packets)
	peer kinds socket udp4 bind 10.0.0.2 9006 connect 10.0.0.1 9005 send 10 >/dev/null
	echo $(($(vif_stat $eth0/early ingress_packets) - before))
}

# the device's tree is not used any more
detach_all() {
	rm /proc/network/tasks/*/eth0 && busywait 10 remove_all && pause 2
}
remove_all() { find $eth0 -mindepth 1 -depth -type d -exec rmdir {} +; }

begin
! in_uml || skip_all 'nothing takes time in virtual time'
need netnice
setup_veth
peer nft 'table inet silence { chain c {
	type filter hook prerouting priority -400; udp dport 9002 drop; }; }'
# Nothing reads from it, so that no process is woken: that is the scheduler's choice.
background kinds socket udp4 bind 10.0.0.1 9003 say ready pause 100000000 >"$tmp/full"
full=$!
busywait 5 file_says "$tmp/full" ready
ok 'a socket that is full' received
unused_received=$(received) unused_flooded=$(flooded)
mkdir $eth0/a $eth0/crowd $eth0/early
echo $full >$eth0/a/tasks

start_processes
receive_late
crowd_flooded=$(flooded)
check "a flood to closed ports costs $crowd_flooded instead of $unused_flooded instructions a packet" \
	"$crowd_flooded <= 1.2 * $unused_flooded"
few_sent=$(sent) few_received=$(received)
start_sockets
many_sent=$(sent) many_received=$(received)
check "a packet sent costs $many_sent instead of $few_sent instructions" "$many_sent <= 1.05 * $few_sent"
check_eq 'the first socket: its second answer is its VIF'"'s" "$(answer_early)" 1
ok 'all can be detached' detach_all
kernels=$(($(received) - unused_received))
check "a packet received costs $many_received instead of $few_received, the kernel's own search $kernels more" \
	"$many_received <= 1.02 * ($few_received + 2 * $kernels)"
