#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP that processes here receive through a limit, from a sender that is 20 ms away: what it
# puts on the wire in front of it. See selftests/bench/downloads.sh for others beside it.
#
# one		connection for 20 seconds: nothing is sent twice, the line is used, and little
#		more is sent than the limit lets pass
# wide		the same where windows are announced in units of 1024 bytes
# narrow	from a sender whose packets are smaller than ours
# many		16 connections beside each other: the same, but for what is sent twice while
#		the senders learn how long it takes
# late		a receiver who reads, and so acknowledges, every 20 ms only
# beside	connections by which little comes take no part in what another one is asked for
# local		over lo, where packets have 64 KB: few are sent again while they are queued
# accepted	a connection that comes from there: no more waits than for one from here
# raised	a limit that becomes larger is used at once
# lifted	a limit that is taken away holds nothing back any more
# untouched	a receiver without a limit announces its socket's window, on the same device
# kept		what was announced once is never taken back, whatever becomes of the limit
# again		a connection with the ports of an earlier one begins anew
# option	the module netnice_window: a limit loads it, unless the administrator says no, and it is
#		unloaded under traffic
#
# Virtual time: each run is the same.
# lab: virtual, timeout=900, kernels=6.1+new, budget=17
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pairs.sh"
. "$(dirname "$0")/../bench/schemes.sh"
. "$(dirname "$0")/../bench/receive.sh"

# place RATE: a pair, on it a VIF with that limit, and the sender far away
place() {
	pair_new && receiver_set netnice "v$n" "$1" || return
	vif=/proc/network/v$n/limited
	peer tc qdisc add dev "v$n" root netem delay 20ms limit 100000
	peer ping -q -c 1 -W 1 "10.1.$n.1" >/dev/null
}

# judge NAME RATE
judge() {
	local bytes=$(($(rate_bit "$2") / 8))
	note "$1: sent $sent, $sent_late after three seconds, received $received_late, sent twice $resent"
	check "$1: from the third second on" "$sent_late <= 1.01 * 17 * $bytes"
	# more than that is what a slow limit lets out at once
	check "$1: in all" "$sent <= 1.03 * 20 * $bytes || $sent <= 1.01 * 20 * $bytes + $least_burst"
	check "$1: the line is used" "$received_late * 1514 / 1448 >= 0.97 * 17 * $bytes"
}

# one NAME RATE...
one() {
	local rate
	for rate in "${@:2}"; do
		place "$rate" || return
		download "$n" 1 20
		judge "$1, $rate" "$rate"
		check_eq "$1, $rate: nothing is sent twice" "$resent" 0
		check_eq "$1, $rate: nothing is dropped" "$(vif_stat "$vif" ingress_drops)" 0
		pair_del "$n"
	done
}

# The largest window that a socket may have gives the unit
most_received() { sysctl -qw net.ipv4.tcp_rmem="4096 131072 $1"; }

narrow() {
	place 10mbit || return
	peer ip link set "v$n" mtu 1000
	download "$n" 1 20
	note "narrow: sent $sent_late, received $received_late"
	check 'narrow: the line is used' "$received_late * 1014 / 948 >= 0.97 * 17 * 1250000"
	pair_del "$n"
}

many() {
	local rate
	for rate in 1mbit 10mbit; do
		place $rate || return
		download "$n" 16 20
		judge "many, $rate" $rate
		check "many, $rate: little is sent twice" "$resent <= 32"
		pair_del "$n"
	done
}

local_download() {
	local vif=/proc/network/lo/limited before seconds
	mkdir $vif
	echo 'ingress 32kbit' >$vif/bandwidth
	background traffic serve tcp 9000 --bytes 100000 >"$tmp/serve"
	busywait 5 file_says "$tmp/serve" ready
	before=$(resent_by)
	in_vif $vif traffic fetch tcp 127.0.0.1 9000 >"$tmp/fetch"
	seconds=$(sed -n 's/.* seconds=\([0-9.]*\).*/\1/p' "$tmp/fetch")
	note "local: $seconds s, sent twice $(($(resent_by) - before))"
	check_eq 'local: all arrives' "$(sed -n 's/.* bytes=\([0-9]*\).*/\1/p' "$tmp/fetch")" 100000
	check 'local: the line is used for what is new' "$seconds * 4000 <= 1.1 * 100000 * 1474 / 1408"
	rmdir $vif
}

accepted() {
	place 1mbit || return
	background "${through[@]}" traffic sink tcp 9000 >"$tmp/sink"
	busywait 5 file_says "$tmp/sink" ready
	background peer traffic send tcp "10.1.$n.1" 9000 >"$tmp/send"
	pause 10
	note "accepted: $(paste -s -d ' ' "$vif/stat")"
	check 'accepted: little waits' "$(vif_stat "$vif" ingress_sojourn_p99) < 100000000"
	check 'accepted: the line is used' "$(vif_stat "$vif" ingress_bytes) > 0.95 * 1250000"
	pair_del "$n"
}

late() {
	place 10mbit || return
	download "$n" 1 8 --nap 0.02
	note "late: received $received_late"
	check 'late: the line is used' "$received_late * 1514 / 1448 >= 0.97 * 5 * 1250000"
	pair_del "$n"
}

# beside SIZE COUNT PER-CENT
beside() {
	local i port before after
	place 10mbit || return
	port=$((10000 + 100 * n))
	for ((i = 0; i < $2; i++)); do
		background peer traffic serve tcp $((port + i)) --rate 16k --size "$1" >"$tmp/serve.$i"
		busywait 5 file_says "$tmp/serve.$i" ready
		background "${through[@]}" traffic fetch tcp "10.1.$n.2" $((port + i)) >"$tmp/fetch.$i"
	done
	background peer traffic serve tcp $((port + 99)) >"$tmp/serve"
	busywait 5 file_says "$tmp/serve" ready
	background "${through[@]}" traffic fetch tcp "10.1.$n.2" $((port + 99)) >"$tmp/fetch"
	pause 3
	before=$(vif_stat "$vif" ingress_bytes)
	# long: which packets of the eleven connections meet is by chance, and costs up to 2 % of 5 s
	pause 15
	after=$(vif_stat "$vif" ingress_bytes)
	note "beside, $2 of $1: received $((after - before))"
	check "beside, $2 of $1: the line is used" "$after - $before >= $3 / 100 * 15 * 1250000"
	pair_del "$n"
}

raised() {
	local before after
	place 256kbit || return
	background peer traffic serve tcp 9000 >"$tmp/serve"
	busywait 5 file_says "$tmp/serve" ready
	background "${through[@]}" traffic fetch tcp "10.1.$n.2" 9000 >"$tmp/fetch"
	pause 3
	echo 'ingress 4m' >"$vif/bandwidth"
	pause 0.2
	before=$(received_bytes "$n")
	pause 1
	after=$(received_bytes "$n")
	note "raised: received $((after - before))"
	check 'raised: it is used' "($after - $before) * 1514 / 1448 >= 0.9 * 500000"
	pair_del "$n"
}

lifted() {
	local before after
	place 256kbit || return
	background peer traffic serve tcp 9001 >"$tmp/serve"
	busywait 5 file_says "$tmp/serve" ready
	background "${through[@]}" traffic fetch tcp "10.1.$n.2" 9001 --nap 0.01 >"$tmp/fetch"
	pause 3
	before=$(received_bytes "$n")
	echo max >"$vif/bandwidth"
	pause 1
	after=$(received_bytes "$n")
	check 'lifted: held back at first' "$before <= 1.1 * 3 * 32000"
	check 'lifted: not any more' "$after - $before > 50 * 32000"
	pair_del "$n"
}

# capture EXPRESSION: what the peer sees, until $tcpdump is stopped
capture() {
	background peer tcpdump -i "v$n" --immediate-mode -nn -S "$1" >"$tmp/capture" 2>"$tmp/capture.log"
	tcpdump=$!
	busywait 5 grep -q listening "$tmp/capture.log"
}

# announced PORT [MOST]: of each connection to it that the capture has, in their order: how
# many acknowledgements, the largest window (of so many), and how often one took back what an
# earlier one gave
announced() {
	awk -v port="10.1.$n.2.$1:" -v most="${2:-1000000}" '
		function end() { if (count) print count, largest, back }
		function after(a, b) { return (a - b + 4294967296) % 4294967296 }
		$5 != port { next }
		{ gsub(",", " ") }
		$7 == "[S]" {
			end()
			count = largest = back = 0
			for (i = 8; i < NF; i++)
				if ($i == "wscale") scale = 2 ^ ($(i + 1) + 0)
		}
		$7 !~ /[SR]/ {
			for (i = 8; i < NF; i++) {
				if ($i == "ack") ack = $(i + 1)
				if ($i == "win") bytes = $(i + 1) * scale
			}
			edge = (ack + bytes) % 4294967296
			if (count++ && after(edge, last) >= 2147483648) back++
			if (count <= most && bytes > largest) largest = bytes
			last = edge
		}
		END { end() }' "$tmp/capture"
}

untouched() {
	local port limited free
	place 256kbit || return
	capture 'tcp dst portrange 9002-9003'
	for port in 9002 9003; do
		background peer traffic serve tcp $port --rate 100k --size 500 >"$tmp/serve.$port"
		busywait 5 file_says "$tmp/serve.$port" ready
	done
	background "${through[@]}" traffic fetch tcp "10.1.$n.2" 9002 >"$tmp/fetch.2"
	background traffic fetch tcp "10.1.$n.2" 9003 >"$tmp/fetch.3"
	pause 2
	stop $tcpdump
	read -r _ limited _ <<<"$(announced 9002)"
	read -r _ free _ <<<"$(announced 9003)"
	note "untouched: $limited with a limit, $free without"
	check 'untouched: less is announced with a limit' "2 * $limited < $free"
	check 'untouched: what the socket says without' "$free > 50000"
	pair_del "$n"
}

# kept NAME PORT
kept() {
	local limit count back
	place 1mbit || return
	capture "tcp dst port $2"
	background peer traffic serve tcp "$2" >"$tmp/serve"
	busywait 5 file_says "$tmp/serve" ready
	background "${through[@]}" traffic fetch tcp "10.1.$n.2" "$2" >"$tmp/fetch"
	pause 1
	for limit in 256k max 256k 4m 64k; do
		echo "ingress $limit" >"$vif/bandwidth"
		pause 0.7
	done
	stop $tcpdump
	read -r count _ back <<<"$(announced "$2")"
	note "$1: $count acknowledgements, $back took something back"
	check "$1: the connection was seen" "$count > 100"
	check_eq "$1: nothing is taken back" "$back" 0
	pair_del "$n"
}

again() {
	local i windows
	place 256kbit || return
	capture 'tcp dst port 9005'
	for i in 1 2 3; do
		background peer traffic serve tcp 9005 --bytes 40000 >"$tmp/serve"
		busywait 5 file_says "$tmp/serve" ready
		in_vif "$vif" kinds socket tcp4 set reuseaddr 1 bind "10.1.$n.1" 6100 connect "10.1.$n.2" 9005 receive 40000 end ||
			fail 'again: a connection'
		# until the other end has seen that it is over
		pause 0.5
	done
	stop $tcpdump
	# in the end there is nothing left to hold back
	windows=$(announced 9005 10 | cut -d ' ' -f 2 | tr '\n' ' ')
	note "again: $windows"
	for i in 1 2 3; do
		check "again: connection $i" "$(cut -d ' ' -f $i <<<"$windows.") <= 4 * 1448"
	done
	pair_del "$n"
}

# announces PORT: largest is the largest window that a new connection from it announces in a second
announces() {
	capture "tcp dst port $1"
	background peer traffic serve tcp "$1" --rate 100k --size 500 >"$tmp/serve.$1"
	busywait 5 file_says "$tmp/serve.$1" ready
	background "${through[@]}" traffic fetch tcp "10.1.$n.2" "$1" >"$tmp/fetch.$1"
	pause 1
	stop $tcpdump
	read -r _ largest _ <<<"$(announced "$1")"
	note "option: $1: $largest"
}

# lowers NAME PORT, untouches NAME PORT: a new connection's window
lowers() { announces "$2" && check "option: $1" "$largest < 25000"; }
untouches() { announces "$2" && check "option: $1" "$largest > 50000"; }

# switched NAME ERROR WORDS: windows=Y is refused
switched() {
	local out
	out=$(sh -c "echo Y >$parameters/windows" 2>&1)
	check_eq "option: $1: refused" "$(grep -o "$2" <<<"$out")" "$2"
	check_eq "option: $1: last_error" "$(grep -o "$3" /proc/network/last_error)" "$3"
}

loaded() { test -d /sys/module/netnice_window; }

option() {
	local parameters=/sys/module/netnice/parameters helper=/proc/sys/kernel/modprobe allowed was round largest
	own_machine || return 0
	allowed=$(<$parameters/options)
	was=$(<$helper)
	ok 'option: it is unloaded' busywait 5 rmmod netnice_window
	echo relay >$parameters/options
	place 256kbit || return
	chown 1000:1000 "$vif"
	fails 'option: no limit loads what the administrator does not allow' loaded
	untouches 'the limit is in force without it' 9011
	switched 'not allowed' 'not permitted' 'window: the administrator does not allow it'
	fails 'option: root does not load it, either' modprobe netnice_window
	echo "$allowed" >$parameters/options
	echo /bin/false >$helper
	switched 'not installed' 'not supported' 'netnice_window is not installed'
	check_eq 'option: what was refused has changed nothing' "$(<$parameters/windows)" Y
	echo 'ingress 240k' >"$vif/bandwidth"
	fails 'option: nothing of this has loaded it' loaded
	echo "$was" >$helper
	sed -z 's/^version=./version=9/' "$(modinfo -n netnice_window)" >"$tmp/other.ko"
	fails 'option: a module of another version is refused' insmod "$tmp/other.ko"
	ok 'option: the log says why' eval 'dmesg | tail | grep -q "netnice_window has version 9"'
	ok 'option: windows=Y loads it' sh -c "echo Y >$parameters/windows"
	lowers 'for devices that had a limit before' 9012
	ok 'option: it is unloaded under traffic, with limits in force' busywait 5 rmmod netnice_window
	untouches 'then sockets announce their own windows' 9013
	echo N >$parameters/windows
	echo 'ingress 256k' >"$vif/bandwidth"
	fails 'option: with windows=N no limit loads it' loaded
	echo Y >$parameters/windows
	rmmod netnice_window
	ok "option: a user's limit loads it" as_user sh -c "mkdir $vif/user && echo 'ingress 200k' >$vif/user/bandwidth"
	ok 'option: so it is there' loaded
	lowers 'and lowers windows again' 9014
	for ((round = 0; round < 20; round++)); do
		busywait 5 rmmod netnice_window && echo 'ingress 256k' >"$vif/bandwidth" && loaded || break
		pause 0.0$((RANDOM % 10))
	done
	check_eq 'option: it comes and goes while packets pass' $round 20
	pair_del "$n"
	fails 'option: it holds the core' rmmod netnice
	log_clean
}

begin
need netnice tcpdump
modprobe sch_netem
ip netns add peer
defer ip netns del peer
peer ip link set lo up
most_received 6291456
one one 64kbit 256kbit 1mbit 10mbit
narrow
many
local_download
late
beside 200 8 97
beside 1408 10 97
beside 1408 40 95
accepted
raised
lifted
untouched
kept kept 9004
again
option
most_received 33554432
one wide 64kbit 1mbit 10mbit
kept 'kept, wide' 9006
