#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 65,536 VIFs on one device: made, used at random, removed.
#
# memory	an idle VIF takes 1.35 KB of the kernel's memory at most: what /proc/zoneinfo
#		has less of free pages, those that CPUs keep at hand included, when the
#		kernel has given back what it can
# cost		a packet in one VIF among all these costs at most 1.3 times as much as
#		in one among ten, whether it passes or has to wait. Virtual time is the
#		count of instructions: the time that it takes to send a number of packets,
#		on a device that swallows them, is their cost.
# list		ls(1) has the names of all in less than a second; the time of that, and of
#		what looks at each, is said beside what the same takes on tmpfs
# use		packets wait in VIFs taken at random, and each leaves when it may
# end		half of the VIFs are removed, the others go with their device
#
# The process that sends is attached to VIF 5; it and the root have a bandwidth.
# lab: virtual, timeout=600, budget=7
. "$(dirname "$0")/lib.sh"

many=65536
used=2000
packets=5000
root=/proc/network/d0
busy=$root/5

# A device without a link layer to ask; only the test sends.
setup_device() {
	ip link add d0 type dummy &&
		defer ip link del d0 &&
		sysctl -q net.ipv6.conf.d0.disable_ipv6=1 &&
		ip addr add 10.3.0.1/24 dev d0 &&
		ip link set d0 up
}

# make_vifs FIRST LAST
make_vifs() { seq -f "$root/%.0f" "$1" "$2" | xargs mkdir; }

vifs() { find $root -mindepth 1 -maxdepth 1 -type d | wc -l; }

set_bandwidth() { echo "$1" >$root/bandwidth && echo "$1" >$busy/bandwidth; }

# --- cost --------------------------------------------------------------------------

# send_packets COUNT: prints how many nanoseconds that took
send_packets() {
	in_vif $busy traffic send udp 10.3.0.2 9 --size 100 --bytes "$((100 * $1))" |
		awk -v RS='[ \n]' -F= '$1 == "errors" && $2 { exit 1 } $1 == "seconds" { printf "%.0f\n", $2 * 1e9 }'
}

# left COUNT: so many packets have left
left() { [ "$(vif_stat $root egress_packets)" -ge "$1" ]; }

# drain COUNT: prints how many nanoseconds it takes until so many have left
drain() {
	local start deadline=$((SECONDS + 60))
	start=${EPOCHREALTIME/./}
	set_bandwidth max
	until left "$1" || [ $SECONDS -gt $deadline ]; do :; done
	echo $(((${EPOCHREALTIME/./} - start) * 1000))
}

# cost_passing; cost_waiting: nanoseconds, which are instructions, a packet
cost_passing() {
	set_bandwidth 10gbit
	echo $(($(send_packets $packets) / packets))
}

cost_waiting() {
	local in last
	last=$(($(vif_stat $root egress_packets) + packets))
	set_bandwidth 8kbit
	in=$(send_packets $packets)
	echo $(((in + $(drain $last)) / packets))
}

# measure AMONG: both costs; the first time the kernel gets memory for its caches
measure() {
	local before
	cost_waiting >"$tmp/ignored"
	before=$(vif_stat $busy egress_overlimits)
	passing=$(cost_passing)
	check_eq "among $1: packets that pass" \
		"$(($(vif_stat $busy egress_overlimits) - before))" 0
	waiting=$(cost_waiting)
	check "among $1: packets that wait" \
		"$(vif_stat $busy egress_overlimits) - $before > 0.99 * $packets"
	check_eq "among $1: none dropped" "$(vif_stat $busy egress_drops)" 0
	note "among $1: a packet takes $passing instructions if it passes, $waiting if it waits"
}

# --- list --------------------------------------------------------------------------

# takes COMMAND...: prints how many milliseconds
takes() {
	local start=${EPOCHREALTIME/./}
	"$@" >"$tmp/listed"
	echo $(((${EPOCHREALTIME/./} - start) / 1000))
}

# the second time, as the first one may pay for the memory
list_time() {
	takes "$@" >"$tmp/ignored"
	takes "$@"
}

# The same names as directories; the files of a VIF are not looked at.
measure_listing() {
	local names ms same
	mkdir "$tmp/same"
	(cd "$tmp/same" && seq $many | xargs mkdir)
	names=$(list_time ls -f $root)
	check_eq 'ls -f lists all' "$(grep -c '^[0-9]*$' "$tmp/listed")" $many
	note "ls -f takes $names ms, on tmpfs $(list_time ls -f "$tmp/same") ms"
	ms=$(list_time ls -l $root)
	same=$(list_time ls -l "$tmp/same")
	note "ls -l takes $ms ms, on tmpfs $same ms"
	ms=$(list_time find $root -maxdepth 1 -printf '%p %m\n')
	same=$(list_time find "$tmp/same" -maxdepth 1 -printf '%p %m\n')
	note "find takes $ms ms, on tmpfs $same ms"
	rm -rf "$tmp/same"
	check 'ls -f in less than a second' "$names < 1000"
}

# --- use ---------------------------------------------------------------------------

# A shell of its own sends from one VIF after the other.
send_from_any() {
	local i vif
	RANDOM=1
	for ((i = 0; i < used; i++)); do
		vif=$root/$(((RANDOM << 1 ^ RANDOM) % many + 1))
		echo $((RANDOM % 1000 + 1)) >$vif/weight
		echo 0 >$vif/tasks
		echo . >/dev/udp/10.3.0.2/9
	done
}

use_at_random() {
	local before
	before=$(vif_stat $root egress_packets)
	set_bandwidth 8kbit
	check_eq "packets from $used VIFs taken at random" "$(send_from_any 2>&1)" ''
	set_bandwidth max
	ok 'each leaves' busywait 60 left $((before + used))
}

# --- the test ----------------------------------------------------------------------

begin
need netnice
setup_device || exit
sysctl -q net.core.wmem_default=16777216

make_vifs 1 10
for side in egress ingress; do
	echo "$side max" >$busy/limit
	echo "$side none" >$busy/aqm
done
in_uml || measure 10
passing_few=$passing waiting_few=$waiting

free=$(free_bytes)
make_vifs 11 $many
vif_bytes=$(((free - $(free_bytes)) / (many - 10)))
check_eq 'all are there' "$(vifs)" $many
note "an idle VIF takes $vif_bytes bytes"
if sanitized; then
	skip 'memory of an idle VIF' 'sanitizers take more than the VIF'
else
	check 'memory of an idle VIF' "$vif_bytes > 0 && $vif_bytes <= 1376"
fi

if in_uml; then
	skip 'what a packet costs' 'nothing takes time'
else
	measure $many
	note "that is $(awk "BEGIN { printf \"%.3f and %.3f\", $passing / $passing_few, $waiting / $waiting_few }") times as much"
	check 'a packet that passes' "$passing <= 1.3 * $passing_few"
	check 'a packet that waits' "$waiting <= 1.3 * $waiting_few"
fi

if in_uml; then
	skip 'how long listing takes' 'nothing takes time'
else
	measure_listing
fi

use_at_random

# objects end in a work item, and are freed after a grace period
freed() {
	lost=$((free - $(free_bytes)))
	[ $lost -lt $((64 * many)) ]
}

(cd $root && seq 2 2 $many | xargs rmdir)
check_eq 'half of them removed' "$(vifs)" $((many / 2))
ok 'the others leave with their device' ip link del d0
fails 'and with its directory' test -e $root
if sanitized; then
	skip 'their memory is free again' 'sanitizers keep what is freed; they know what leaks'
else
	busywait 60 freed
	check 'their memory is free again' "$lost < 64 * $many"
fi
