#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a limit has saved up is paid in advance, so that packets pass without asking: the
# limit and its burst are kept all the same, over any interval; a waiting packet gets
# unused advances back; and they end with what they were made for.
#
# The judge is the peer's end of the veth: burst_bytes is the most that has passed in any
# interval beyond what the rate gives in it.
# lab: virtual, kernels=6.1+new, budget=7
. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
burst=400000		# two thirds of it may be saved up, an advance is a quarter of half of that
frame=1042		# of a message of 1000 bytes

# vif_new NAME [BANDWIDTH [BURST]]
vif_new() {
	mkdir "$eth0/$1" || return
	[ -z "${2-}" ] || echo "$2" >"$eth0/$1/bandwidth" || return
	[ -z "${3-}" ] || echo "$3" >"$eth0/$1/burst"
}

# send NAME PORT ARGUMENT...: from a VIF
send() { in_vif "$eth0/$1" traffic send udp 10.0.0.2 "$2" --size 1000 "${@:3}" >/dev/null; }

# some NAME: a few packets, after which there is an advance
some() { send "$1" 9001 --bytes 3000; }

# judge RATE COMMAND...: what passes by port 9002 meanwhile; then see meter()
judge() {
	local rate=$1
	shift
	meter_start judge eth0 --in --rate "$rate" --port 9002
	"$@"
	pause 0.1
	meter_stop judge
}

# check_burst NAME BURST: two thirds of it are saved up, and the last packet is charged afterwards
check_burst() { check "$1: a burst of $(meter judge burst_bytes) bytes" "$(meter judge burst_bytes) <= $2 * 2 / 3 + 6 * $frame"; }

# check_saved NAME: as much as that has been saved up
check_saved() { check "$1" "$(meter judge burst_bytes) >= $burst * 2 / 3 - $burst / 24 - 4 * $frame"; }

# --- limits -----------------------------------------------------------------------

clumps() {
	vif_new a 100m $burst
	pause 0.1
	judge 100m send a 9002 --rate 85m --batch 20 --seconds 3
	check_burst 'clumps below the limit' $burst
	check_eq 'clumps below the limit: none waits' "$(vif_stat $eth0/a egress_overlimits)" 0
	check_eq 'each is counted' "$(vif_stat $eth0/a egress_packets)" "$(meter judge packets)"
	check_eq 'by its bytes' "$(vif_stat $eth0/a egress_bytes)" "$(meter judge bytes)"
	pause 0.5
	judge 100m send a 9002 --rate 300m --seconds 2
	check_burst 'a flood after a rest' $burst
	# what is saved up while the first advance is used is lost
	check_saved 'and has saved up two thirds of it'
	check_near 'and then its rate' "$(meter judge rate_bit_per_s)" 100000000 0.25
	rmdir $eth0/a
}

# What is left of an advance is saved up once, however long its socket rests after it.
rest() {
	vif_new a 100m $burst
	pause 0.1
	judge 100m in_vif $eth0/a kinds socket udp4 connect 10.0.0.2 9002 times 3 '{' send 1000 '}' pause 3000 \
		times 500 '{' send 1000 '}'
	check_burst 'a flood after a rest, by the socket of an advance' $burst
	check_saved 'and it has saved up two thirds of the burst'
	busywait 5 vif_empty $eth0/a
	rmdir $eth0/a
}

# two_children: on and off, twice as much as their parent lets pass
two_children() {
	local i a b
	for i in 1 2 3 4 5 6 7 8; do
		send p/a 9002 --rate 100m --batch 50 --seconds 0.2 &
		a=$!
		send p/b 9002 --rate 100m --batch 50 --seconds 0.2 &
		b=$!
		wait $a $b
		pause 0.03$i
	done
}

# two_at_once: together half as much again as their parent lets pass
two_at_once() {
	local a
	send p/a 9002 --rate 70m --batch 32 --seconds 3 &
	a=$!
	send p/b 9002 --rate 70m --batch 32 --seconds 3
	wait $a
}

siblings() {
	vif_new p 100m $burst
	vif_new p/a 100m $burst
	vif_new p/b 1g 4000000
	judge 100m two_children
	check_burst 'two in turn, below a limit' $burst
	check_eq 'each is counted above' "$(vif_stat $eth0/p egress_packets)" "$(meter judge packets)"
	judge 100m two_at_once
	check_burst 'two at once, in clumps' $burst
	check_near 'the limit is used in full' "$(meter judge rate_bit_per_s)" 100000000 0.25
	rmdir $eth0/p/a $eth0/p/b $eth0/p
}

# --- what is not used ----------------------------------------------------------------

returned() {
	vif_new p 100m $burst
	vif_new p/a 1g 4000000
	vif_new p/b
	pause 0.5
	some p/a
	judge 100m send p/b 9002 --rate 300m --seconds 0.5
	check_burst 'beside an unused advance' $burst
	check_saved 'who has to wait gets it back'
	rmdir $eth0/p/a $eth0/p/b $eth0/p
}

# slow NAME WHAT: what can pass in a VIF that has had an advance, and is slow now
slow() {
	judge 1m send "$1" 9002 --rate 10m --seconds 0.5
	check_burst "$2" 20000
	check "$2: some passes" "$(meter judge packets) > 10"
	echo 100m >"$eth0/$1/bandwidth"
	echo 100m >"$eth0/${1%%/*}/bandwidth"
	busywait 5 vif_empty "$eth0/$1"
}

ends() {
	vif_new a 100m $burst
	some a
	echo 1m >$eth0/a/bandwidth
	echo 20000 >$eth0/a/burst
	slow a 'a limit is set'
	rmdir $eth0/a

	vif_new p
	vif_new p/a 100m $burst
	some p/a
	echo 1m >$eth0/p/bandwidth
	echo 20000 >$eth0/p/burst
	slow p/a 'a limit is set above it'
	echo $burst >$eth0/p/burst
	pause 0.1
	vif_new slow 1m 20000
	some p/a
	mv $eth0/p/a $eth0/slow/a
	slow slow/a 'it is moved below a slow one'
	before=$(vif_stat $eth0/slow egress_packets)
	echo $burst >$eth0/slow/burst
	judge 100m send slow/a 9002 --bytes 5000
	busywait 5 rmdir $eth0/slow/a
	check_eq 'it ends, and is counted above' "$(vif_stat $eth0/slow egress_packets)" $((before + 5))
	send slow 9002 --bytes 3000
	judge 100m send slow 9002 --rate 300m --seconds 0.5
	check_burst 'after the end of one that had an advance' $burst
	check_saved 'and what it had is saved up'
	rmdir $eth0/slow $eth0/p
}

begin
need netnice
setup_veth
wire_exact on
background peer traffic sink udp 9002 --nap 0.005 >"$tmp/sink"
background peer traffic sink udp 9001 >"$tmp/sink1"
busywait 5 file_says "$tmp/sink" ready && busywait 5 grep -q ready "$tmp/sink1"
# who owns the first packet, if it waits for a neighbour, is another matter
ping -c 1 10.0.0.2 >/dev/null
clumps
rest
siblings
returned
ends
