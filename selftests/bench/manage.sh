#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many classes on one device, NUMBER of them: made, changed and shown by one process,
# that of tc(8) or vifctl(8), from one file; both have a bandwidth. In virtual time,
# which is made of instructions, of the program and the kernel.
#
# create change delete	microseconds a class; mkdir: without a bandwidth, by mkdir(1)
# dump			milliseconds for all, with statistics, as JSON; and by generic netlink,
#			read, but not printed
# memory		bytes of the kernel's memory that an idle class takes
#
# lab: virtual, timeout=7200, mem=3072
. "$(dirname "$0")/lib.sh"

# What tc takes for a class grows with those that are there: 60,000 were not made in eight
# minutes of a processor.
numbers='1000 10000'
numbers_netnice=60000
full || numbers=1000 numbers_netnice=''

# took NUMBER COMMAND...: microseconds for each of NUMBER
took() {
	local number=$1 start=${EPOCHREALTIME/./}
	shift
	"$@" >"$tmp/out" || fail "$*"
	awk "BEGIN { printf \"%.2f\", (${EPOCHREALTIME/./} - $start) / $number }"
}

# dump SCHEME NUMBER WANT COMMAND...: the second time, as the first pays for memory
dump() {
	local scheme=$1 number=$2
	shift 2
	took 1000 "$@" >/dev/null
	result dump "$scheme" "$number" "$(took 1000 "$@")"
	check "$scheme $number: all are shown" "$(wc -c <"$tmp/out") > 20 * $number"
	rm "$tmp/out"
}

device_new() {
	ip link add d0 type dummy && ip link set d0 up
}

# lines NUMBER FORMAT: one for each; %x is for tc, which counts so
lines() {
	local i
	# shellcheck disable=SC2059
	for ((i = 1; i <= $1; i++)); do printf "$2\n" $i; done
}

# memory_of SCHEME NUMBER FREE-BEFORE
memory_of() { result memory "$1" "$2" "$((($3 - $(free_bytes)) / $2))"; }

# with_tc KIND NUMBER OPTIONS OPTIONS-CHANGED
with_tc() {
	local kind=$1 number=$2 free
	device_new
	tc qdisc add dev d0 root handle 1: "$kind" default 1
	lines "$number" "class add dev d0 parent 1: classid 1:%x $kind $3" >"$tmp/add"
	lines "$number" "class change dev d0 parent 1: classid 1:%x $kind $4" >"$tmp/change"
	lines "$number" "class del dev d0 classid 1:%x" >"$tmp/del"
	free=$(free_bytes)
	result create "$kind" "$number" "$(took "$number" tc -batch "$tmp/add")"
	memory_of "$kind" "$number" "$free"
	result change "$kind" "$number" "$(took "$number" tc -batch "$tmp/change")"
	dump "$kind" "$number" tc -s -j class show dev d0
	result delete "$kind" "$number" "$(took "$number" tc -batch "$tmp/del")"
	ip link del d0
}

# dump_netlink NUMBER: as programs have it, with statistics; nothing is printed
dump_netlink() {
	took 1000 nl -q vifs device=d0 stat >/dev/null
	result dump netnice-netlink "$1" "$(took 1000 nl -q vifs device=d0 stat)"
}

with_netnice() {
	local number=$1 free
	device_new
	lines "$number" 'add d0/%d bandwidth 1mbit' >"$tmp/add"
	lines "$number" 'set d0/%d bandwidth 2mbit' >"$tmp/change"
	lines "$number" 'del d0/%d' >"$tmp/del"
	free=$(free_bytes)
	result create netnice "$number" "$(took "$number" vifctl batch "$tmp/add")"
	memory_of netnice "$number" "$free"
	result change netnice "$number" "$(took "$number" vifctl batch "$tmp/change")"
	dump netnice "$number" vifctl -s -j show dev d0
	dump_netlink "$number"
	result delete netnice "$number" "$(took "$number" vifctl batch "$tmp/del")"
	(cd /proc/network/d0 && seq "$number" >"$tmp/names" &&
		result mkdir netnice "$number" "$(took "$number" xargs -a "$tmp/names" mkdir)")
	ip link del d0
}

begin
need netnice
modprobe -a dummy sch_htb sch_hfsc
for number in $numbers; do
	with_tc htb "$number" 'rate 1mbit' 'rate 2mbit'
	with_tc hfsc "$number" 'ls rate 1mbit ul rate 1mbit' 'ls rate 2mbit ul rate 2mbit'
done
for number in $numbers $numbers_netnice; do with_netnice "$number"; done
