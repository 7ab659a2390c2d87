#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two CPUs send at the same time through one limit, in clumps between which it saves
# up: each pays in advance for itself, and counts for itself. All that passes is what the
# limit lets, and all of it is counted.
#
# Real time: a CPU of a virtual machine may stand still between the clock and the wire, so
# what passes in short intervals is not looked at (advance does).
# lab: smp=2, timeout=600, kernels=6.1+new, check=none, budget=43
. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
seconds=4
rate=40000000
burst=400000

# on CPU VIF ARGUMENT...: clumps from that CPU
on() {
	in_vif "$2" taskset -c "$1" traffic send udp 10.0.0.2 9002 --size 1000 --batch 32 \
		--seconds $seconds "${@:3}" >/dev/null
}

# both NAME ABOVE FIRST SECOND RATE: one CPU sends in FIRST, the other in SECOND, at
# that rate each; ABOVE has the limit
both() {
	local name=$1 above=$2 before first
	before=$(vif_stat "$above" egress_packets)
	meter_start judge eth0 --in --port 9002
	on 0 "$3" --rate "$5" &
	first=$!
	on 1 "$4" --rate "$5"
	wait $first
	busywait 10 vif_empty "$3" && busywait 10 vif_empty "$4"
	pause 0.2
	meter_stop judge
	[ -z "$rate" ] || check "$name: no more than the limit lets pass" \
		"$(meter judge bytes) <= $rate / 8 * $(meter judge seconds) * 1.005 + $burst"
	check_eq "$name: all is counted" $(($(vif_stat "$above" egress_packets) - before)) "$(meter judge packets)"
}

trace=/sys/kernel/tracing
posted=$trace/events/kprobes/posted

# posted_begin, posted_end; posted_count: how many packets were left in an inbox meanwhile
posted_begin() {
	[ -d $trace/events ] || mount -t tracefs tracefs $trace
	echo 'p:posted vif_inbox_post' >$trace/kprobe_events &&
		echo 'hist:keys=common_pid' >$posted/trigger
}
posted_count() { awk '/Hits:/ { print $2 }' $posted/hist; }
posted_end() {
	echo '!hist:keys=common_pid' >$posted/trigger
	: >$trace/kprobe_events
}

# flood CPU PORT
flood() {
	background peer iperf3 --server --one-off --port "$2" >/dev/null
	busywait 5 peer_listens "$2"
	in_vif $eth0/p taskset -c "$1" iperf3 --client 10.0.0.2 --port "$2" --udp \
		--length 1000 --bitrate 60M --time $seconds >/dev/null
}
peer_listens() { [ -n "$(peer ss -Hltn "sport = :$1")" ]; }

# floods: from both CPUs at the same time
floods() {
	local first
	flood 0 5301 &
	first=$!
	flood 1 5302
	wait $first
}

# waiting: all packets have to, and each CPU finds the other one at work now and then; where the
# host has other work that may take several turns, as seldom both run
waiting() {
	local counts=0 before turn
	posted_begin || fail 'the tracer counts' || return
	before=$(vif_stat $eth0/p egress_packets)
	for ((turn = 0; turn < 5 && counts == 0; turn++)); do
		floods
		counts=$(posted_count)
	done
	posted_end
	busywait 10 vif_empty $eth0/p
	note "both wait: $(($(vif_stat $eth0/p egress_packets) - before)) packets in $turn turns, of which $counts were left to the other CPU"
	check 'both wait: packets are left to each other' "$counts > 0"
}

begin
[ "$(nproc)" -ge 2 ] || skip_all 'this takes two CPUs'
need netnice
setup_veth
wire_exact on
ping -c 1 10.0.0.2 >/dev/null
background peer traffic sink udp 9002 --nap 0.01 >"$tmp/sink"
busywait 5 file_says "$tmp/sink" ready
mkdir -p $eth0/p/a $eth0/p/b $eth0/p/free
echo $rate >$eth0/p/bandwidth
echo $burst >$eth0/p/burst
echo 100m | tee $eth0/p/[ab]/bandwidth >/dev/null
echo $burst | tee $eth0/p/[ab]/burst >/dev/null
pause 0.2
both 'below the limit, one VIF' $eth0/p $eth0/p $eth0/p 15m
both 'above it, one VIF' $eth0/p $eth0/p $eth0/p 30m
both 'just at it, two VIFs' $eth0/p $eth0/p/a $eth0/p/b 19m
both 'above it, two VIFs' $eth0/p $eth0/p/a $eth0/p/b 30m
both 'above it, one without a limit of its own' $eth0/p $eth0/p/a $eth0/p/free 30m
waiting
echo max >$eth0/p/bandwidth
rate=''
both 'without a limit' $eth0/p $eth0/p/free $eth0/p/free 30m
