#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Groups: VIFs of several devices that share one limit. To one peer by two devices and, where
# flows move from one to the other, to an address of it that a route leads to:
#
#	here				peer
#	eth0	10.0.0.1	-----	10.0.0.2	10.9.0.2, 10.9.0.1 here
#	eth1	10.1.0.1	-----	10.1.0.2
#
# The judge is the peer's end of both wires.
# lab: virtual, timeout=900, budget=24
# shellcheck disable=SC2016,SC2154
. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
eth1=/proc/network/eth1

setup() {
	setup_veth
	setup_second_veth
	ip addr add 10.9.0.1/32 dev lo
	peer ip addr add 10.9.0.2/32 dev lo
	peer ip route add 10.9.0.1 via 10.0.0.1
	sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
	wire_exact
	ethtool -K eth1 tso off gro off >/dev/null
	peer ethtool -K eth1 tso off gso off gro off >/dev/null
	background peer traffic sink udp 9000 >/dev/null
	background peer traffic sink tcp 9001 >/dev/null
	background traffic sink udp 9000 >/dev/null
	busywait 60 eval 'peer ss -lnt | grep -q :9001'
}

# Who counts: by eth0 and eth1, what the peer has received, or has come to the VIFs' processes.
counted=by_peer
by_peer() {
	peer awk '$1 == "eth0:" || $1 == "eth1:" { at[$1] = $2 }
		END { print at["eth0:"], at["eth1:"] }' /proc/net/dev
}

by_vifs() { echo "$(vif_stat $eth0/a ingress_bytes) $(vif_stat $eth1/a ingress_bytes)"; }

# over SECONDS [COMMAND...]: bits per second on eth0, eth1, and both; meanwhile COMMAND
over() {
	local seconds=$1 before after us
	shift
	read -ra before <<<"$($counted) ${EPOCHREALTIME/./}"
	if [ $# -gt 0 ]; then "$@"; else pause "$seconds"; fi
	read -ra after <<<"$($counted) ${EPOCHREALTIME/./}"
	us=$((after[2] - before[2]))
	rate0=$(((after[0] - before[0]) * 8000000 / us))
	rate1=$(((after[1] - before[1]) * 8000000 / us))
	both=$((rate0 + rate1))
}

# sends DEVICE VIF [RATE]: a flow out of it, 20 Mbit/s
sends() {
	local host=10.0.0.2
	[ "$1" = eth0 ] || host=10.1.0.2
	background "${in_vif_prefix[@]}" "$2" traffic send udp $host 9000 --size 1472 --rate "${3-20m}" >/dev/null
	flows+=($!)
}

quiet() {
	stop "${flows[@]}"
	flows=()
	busywait 30 eval '[ -z "$(cat $eth0/*/stat $eth1/*/stat | grep "[pd]_queue_packets [1-9]")" ]'
}

# limits RATE0 RATE1 [DIRECTION]
limits() {
	echo "${3-egress} $1" >$eth0/a/bandwidth
	echo "${3-egress} $2" >$eth1/a/bandwidth
}

shares() {
	flows=()
	mkdir $eth0/a $eth1/a
	limits 10m 10m
	echo 1 >$eth0/a/group
	echo 1 >$eth1/a/group
	sends eth0 $eth0/a
	pause 1
	over 7
	check_near 'one of two alone has all' $rate0 10000000 0.5
	sends eth1 $eth1/a
	pause 1
	over 7
	check_near 'both together have no more' $both 10000000 0.5
	check_near 'and take turns' $rate0 5000000 1
	sends eth1 $eth1/a
	pause 1
	over 7
	check_near 'two flows of one VIF do not get more' $rate0 5000000 1
	limits 10m 5m
	pause 1
	over 7
	check_near 'of 10 and 5 Mbit/s each has half of the time: the fast one' $rate0 5000000 1
	check_near 'and the slow one' $rate1 2500000 1
	limits 20m 1m
	pause 1
	over 7
	check_near 'so it has of 20 and 1 Mbit/s: the fast one' $rate0 10000000 1
	check_near 'and the slow one, of 20 and 1' $rate1 500000 1
	limits 10m 5m
	echo none >$eth1/a/group
	pause 1
	over 7
	check_near 'without the group each has its own' "$rate0" 10000000 0.5
	check_near 'and the other one its' "$rate1" 5000000 0.5
	echo 1 >$eth1/a/group
	limits 10m max
	pause 1
	over 7
	check_near 'who has no bandwidth takes nothing from the others' "$rate0" 10000000 0.5
	quiet
}

# moves: a route changes, ten times a second, for ten seconds
moves() {
	local i device
	for ((i = 0; i < 100; i++)); do
		device=$((i % 2))
		ip route replace 10.9.0.2 via 10.$device.0.2 src 10.9.0.1
		pause 0.1
	done
}

flows_that_move() {
	flows=()
	limits 10m 10m
	ip route replace 10.9.0.2 via 10.0.0.2 src 10.9.0.1
	# by the device that they leave by
	background bash -c "echo 0 >$eth0/a/tasks; echo 0 >$eth1/a/tasks; exec traffic send udp 10.9.0.2 9000 --size 1472 --rate 20m" >/dev/null
	flows+=($!)
	pause 1
	over 10 moves
	check_near 'a flow that moves between them ten times a second' $both 10000000 1
	check 'by both' "$rate0 > 4000000 && $rate1 > 4000000"
	background bash -c "echo 0 >$eth0/a/tasks; echo 0 >$eth1/a/tasks; exec traffic send tcp 10.9.0.2 9001" >/dev/null
	flows+=($!)
	pause 1
	over 10 moves
	check_near 'and a connection beside it' $both 10000000 1
	quiet
	background bash -c "echo 0 >$eth0/a/tasks; echo 0 >$eth1/a/tasks; exec traffic send tcp 10.9.0.2 9001" >/dev/null
	flows+=($!)
	pause 1
	over 10 moves
	check 'a connection alone does not get more' "$both <= 10100000"
	# it takes what overtakes on the other device for a loss
	note "it gets $both bit/s"
	check 'and does not stall' "$both >= 5000000"
	quiet
}

# first: what leaves in the first second after idling, by four VIFs at once
first() {
	local vif i
	flows=()
	for i in 0 1; do
		for vif in b c; do
			mkdir /proc/network/eth$i/$vif
			echo egress 10m >/proc/network/eth$i/$vif/bandwidth
			echo egress 2 >/proc/network/eth$i/$vif/group
		done
	done
	pause 5
	local at
	read -r at _ </proc/uptime
	at=$(awk -v at="$at" 'BEGIN { print int(at * 1000) + 500 }')
	for i in 0 1; do
		for vif in b c; do
			background "${in_vif_prefix[@]}" /proc/network/eth$i/$vif traffic send udp 10.$i.0.2 9000 \
				--size 1472 --rate 20m --at "$at" >/dev/null
			flows+=($!)
		done
	done
	over 2
	note "$both bit/s, in 1.5 of 2 s"
	# 10 ms is the burst, three packets more than that
	check 'four that begin at once: the limit, a burst, three packets, and what waits for a look' \
		"$both * 2 / 8 <= (1.5 + 0.05) * 1250000 + 3 * 1514 + 20000"
	quiet
	rmdir $eth0/b $eth0/c $eth1/b $eth1/c
}

received() {
	flows=()
	limits 10m 10m ingress
	peer ip route replace 10.0.0.1 dev eth0
	background "${in_vif_prefix[@]}" $eth0/a traffic sink udp 9100 >/dev/null
	flows+=($!)
	background "${in_vif_prefix[@]}" $eth1/a traffic sink udp 9101 >"$tmp/sink"
	flows+=($!)
	pause 0.5
	background peer traffic send udp 10.0.0.1 9100 --size 1472 --rate 20m >/dev/null
	flows+=($!)
	background peer traffic send udp 10.1.0.1 9101 --size 1472 --rate 20m >/dev/null
	flows+=($!)
	pause 1
	counted=by_vifs
	over 10
	check_near 'what is received by both' $both 10000000 0.5
	check_near 'half of it by one' $rate0 5000000 1
	counted=by_peer
	quiet
	echo max >$eth0/a/bandwidth
	echo max >$eth1/a/bandwidth
}

# arp LETTER: a request of another sender, which is not answered
arp() {
	echo "ffffffffffff02000000000${1}0806000108000604000102000000000${1}0a0000420000000000000a000043"
}

by_roots() { echo "$(vif_stat $eth0 ingress_bytes) $(vif_stat $eth1 ingress_bytes)"; }

# A flood of frames that do not wait takes of a device's half only.
flooded() {
	local flood data device i
	flows=()
	for device in $eth0 $eth1; do
		echo ingress 200k >"$device/bandwidth"
		echo ingress 9 >"$device/group"
	done
	for i in 0 1; do
		background "${in_vif_prefix[@]}" /proc/network/eth$i/a traffic sink udp 910$i >"$tmp/sink"
		flows+=($!)
		background peer traffic send udp 10.$i.0.1 910$i --size 1472 --rate 400k >/dev/null
		flows+=($!)
	done
	background peer kinds link eth0 times 2500 '{' hex "$(arp a)" 60 hex "$(arp b)" 60 hex "$(arp c)" 60 \
		hex "$(arp d)" 60 pause 6 '}'
	flood=$!
	pause 3
	counted=by_roots
	data=$(vif_stat $eth0/a ingress_bytes)
	over 8
	data=$(($(vif_stat $eth0/a ingress_bytes) - data))
	check_near 'beside a flood of ARP eth0 has half of the time' $rate0 100000 5
	check_near 'and eth1 has half of it' $rate1 100000 5
	check "a quarter of its half is left to packets of eth0: $data bytes in 8 s" "$data > 20000"
	stop $flood
	for device in $eth0 $eth1; do
		echo max >"$device/bandwidth"
		echo none >"$device/group"
	done
	counted=by_peer
	quiet
}

# of RATE0 RATE1 NAME: what each has now
have() {
	pause 1
	over 5
	check_near "$3: eth0" "$rate0" "$1" 1
	check_near "$3: eth1" "$rate1" "$2" 1
}

owners() {
	flows=()
	mkdir $eth0/u $eth1/u $eth1/r
	chown 1000 $eth0/u $eth1/u
	as_user mkdir $eth0/u/x $eth1/u/x
	as_user bash -c "echo 10m >$eth0/u/x/bandwidth; echo 10m >$eth1/u/x/bandwidth
		echo 1 >$eth0/u/x/group; echo 1 >$eth1/u/x/group"
	echo 10m >$eth1/r/bandwidth
	echo 1 >$eth1/r/group
	fails 'a user cannot have a VIF of the administrator leave' as_user bash -c "echo none >$eth1/u/group"
	sends eth0 $eth0/u/x
	sends eth1 $eth1/r
	have 10000000 10000000 'a user and root, of one number'
	stop "${flows[1]}"
	flows=("${flows[0]}")
	sends eth1 $eth1/u/x
	have 5000000 5000000 'both of the user'
	chmod 700 $eth1/u
	check_eq 'with other permissions it stays' "$(<$eth1/u/x/group)" $'egress 1\ningress 1'
	chown 0 $eth1/u
	check_eq 'below another owner it is of none' "$(<$eth1/u/x/group)" $'egress none\ningress none'
	have 10000000 10000000 'of none'
	chown 1000 $eth1/u
	have 10000000 10000000 'until it is set'
	as_user bash -c "echo 1 >$eth1/u/x/group"
	have 5000000 5000000 'as the first one does'
	mv $eth1/u/x $eth1/x
	check_eq 'moved to where it is root'"'"'s it is of none' "$(<$eth1/x/group)" $'egress none\ningress none'
	have 10000000 10000000 'moved'
	mv $eth1/x $eth1/u/x
	as_user bash -c "echo 1 >$eth1/u/x/group"
	have 5000000 5000000 'and back'
	as_user bash -c "echo egress 2 >$eth1/u/x/group"
	have 10000000 10000000 'of another number'
	as_user bash -c "echo egress 1 >$eth1/u/x/group"
	# where everybody may make a VIF
	mkdir -m 1777 $eth0/pub
	as_user mkdir $eth0/pub/y
	fails 'a user does not set a number of root'"'"'s' as_user bash -c "echo 1 >$eth0/pub/y/group"
	ok 'says so' as_user grep -q 'group: only the owner' /proc/network/last_error
	check_eq 'it stays' "$(<$eth0/pub/y/group)" $'egress none\ningress none'
	ok 'root does' bash -c "echo 1 >$eth0/pub/y/group"
	ok 'what it is anyway may be set' as_user bash -c "echo 1 >$eth0/pub/y/group"
	rmdir $eth0/pub/y $eth0/pub
	quiet
	# one that waits is removed, another one takes its name
	echo 100k >$eth0/u/x/bandwidth
	echo 100k >$eth1/u/x/bandwidth
	sends eth0 $eth0/u/x
	sends eth1 $eth1/u/x
	pause 0.5
	stop "${flows[@]}"
	flows=()
	ok 'one is removed' busywait 1 rmdir $eth1/u/x
	over 1
	check 'what waits there leaves by the same clock' "$rate1 > 0 && $both <= 112000"
	ok 'the other one, too' vifs_end $eth0/u/x $eth0/u
	vifs_end $eth1/u $eth1/r
	# what waits in them leaves at 100 kbit/s
	pause 15
}

text() {
	check_eq 'it is shown' "$(<$eth0/a/group)" $'egress 1\ningress 1'
	for value in 0 65536 home -1 '1 2'; do
		fails "a group of '$value'" bash -c "echo '$value' >$eth0/a/group"
	done
	ok 'with a sentence' grep -q "group: '2' is unexpected" /proc/network/last_error
	ok 'a device itself' bash -c "echo 7 >$eth1/group"
	chown 1000 $eth1
	check_eq 'is shown, and stays with any owner' "$(<$eth1/group)" $'egress 7\ningress 7'
	check_eq 'but not what is below' "$(<$eth1/a/group)" $'egress none\ningress none'
	chown 0 $eth1
	echo 1 >$eth1/a/group
	ok 'and not any more' bash -c "echo none >$eth1/group"
	# what is saved and restored is the same
	vifctl save >"$tmp/tree"
	echo none >$eth0/a/group
	ok 'restore' vifctl restore "$tmp/tree"
	check_eq 'it is restored' "$(<$eth0/a/group)" $'egress 1\ningress 1'
}

# rules of netniced, for devices that it is not told of by name
rules() {
	printf '[vif eth*/bulk]\nbandwidth = egress 10m\ngroup = egress 3\n[rule sends]\nuser = 1000\nattach = eth*/bulk\n' >"$tmp/rules"
	local daemon
	background netniced -c "$tmp/rules" >"$tmp/netniced" 2>&1
	daemon=$!
	ok 'netniced: both devices' busywait 10 eval \
		'[ "$(cat $eth0/bulk/group $eth1/bulk/group | grep -c "egress 3")" = 2 ]'
	flows=()
	for n in 0 1; do
		background as_user traffic send udp 10.$n.0.2 9000 --size 1472 --rate 20m >/dev/null
		flows+=($!)
	done
	have 5000000 5000000 'netniced: what its rules attach'
	quiet
	stop $daemon
	vifs_end $eth0/bulk $eth1/bulk
}

# jumps: a user who may change a bandwidth does not get loose, nor is another held up for longer
# than the others' packets take
jumps() {
	local i
	flows=()
	limits 10m 10m
	sends eth0 $eth0/a
	sends eth1 $eth1/a
	pause 1
	for ((i = 0; i < 50; i++)); do
		echo egress max >$eth1/a/bandwidth
		echo egress 8kbit >$eth1/a/bandwidth
	done
	limits 10m 10m
	pause 10
	over 5
	check_near 'a bandwidth that was changed often' $both 10000000 1
	limits 10m 1g
	pause 1
	limits 10m 8kbit
	limits 10m 10m
	pause 4
	over 5
	check_near 'and by a lot' $both 10000000 1
	for ((i = 0; i < 50; i++)); do
		echo none >$eth1/a/group
		echo 1 >$eth1/a/group
	done
	over 5
	check_near 'a group that was left often' $both 10000000 1
	quiet
}

# large: who sends frames gets as much as who sends what is cut into them later
large() {
	local i
	wire_exact off
	flows=()
	limits 500m 500m
	for i in 0 1 0 1 0 1 0 1; do
		background "${in_vif_prefix[@]}" /proc/network/eth$i/a traffic send tcp 10.$i.0.2 9001 >/dev/null
		flows+=($!)
	done
	pause 1
	over 4
	check_near 'TSO on one device, and none on the other' $rate0 $rate1 5
	check_near 'and both together' $both 500000000 1
	quiet
	wire_exact
}

# churn: all that can be changed, under traffic
churn() {
	local i device
	flows=()
	limits 100m 100m
	sends eth0 $eth0/a 60m
	sends eth1 $eth1/a 60m
	for ((i = 0; i < 200; i++)); do
		device=$((RANDOM % 2))
		mkdir -p /proc/network/eth$device/a/b
		echo $((RANDOM % 3 + 1)) >/proc/network/eth$device/a/group
		echo $((RANDOM % 3 + 1)) >/proc/network/eth$device/a/b/group
		echo $((RANDOM % 100 + 1))m >/proc/network/eth$device/a/b/bandwidth
		echo none >/proc/network/eth$((1 - device))/a/group
		[ $((RANDOM % 3)) -ne 0 ] || rmdir /proc/network/eth$device/a/b
		chown $((RANDOM % 3)) /proc/network/eth$device/a
	done
	chown 0 $eth0/a $eth1/a
	echo 1 >$eth0/a/group
	echo 1 >$eth1/a/group
	limits 10m 10m
	pause 1
	over 5
	check_near 'after many changes both have what one has' $both 10000000 1
	quiet
}

begin
setup
need netnice
shares
flows_that_move
first
received
flooded
owners
text
rules
jumps
large
churn
mkdir $eth0/last
echo 1m >$eth0/last/bandwidth
echo 1 >$eth0/last/group
echo egress 1m >$eth0/a/bandwidth
flows=()
sends eth0 $eth0/a
pause 0.5
ok 'the module is unloaded while they wait' unload_netnice
stop "${flows[@]}"
