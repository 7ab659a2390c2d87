#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=6.1+new, budget=22
#
# A little of everything, for a kernel on which nothing else runs: each kind of attachment,
# both directions, hook and qdisc, files, netlink and tools, a 32-bit program.
. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0

# limited NAME: what the meter `one` has seen is 1 Mbit/s
limited() { check_near "$1: 1 Mbit/s" "$(meter one rate_bit_per_s)" 1000000 2; }

counts_more() { [ "$(vif_stat "$1" egress_packets)" -gt "$2" ]; }

# goes_by VIF NAME COMMAND...: what the command sends is counted by the VIF
goes_by() {
	local vif=$1 name=$2 before
	shift 2
	before=$(vif_stat "$vif" egress_packets)
	"$@" >/dev/null 2>&1
	ok "$name: its VIF counts it" busywait 5 counts_more "$vif" "$before"
}

removed() { ! ls -d $eth0/netnice.*; }

begin
need netnice
setup_veth
wire_exact on
background peer traffic sink udp 9001 >/dev/null
background peer traffic sink tcp 9002 >/dev/null
mkdir $eth0/a $eth0/a/b
echo 1m >$eth0/a/bandwidth

# --- both directions, through the hooks and through the qdisc ------------------------

meter_start one eth0 --in --port 9002 --span 3
in_vif $eth0/a traffic send tcp 10.0.0.2 9002 --seconds 5 >/dev/null
meter_stop one
limited 'egress'

background "${in_vif_prefix[@]}" $eth0/a traffic sink udp 9003 >/dev/null
pause 0.2
meter_here one eth0 --delivered --port 9003 --span 3
peer traffic send udp 10.0.0.1 9003 --rate 5m --seconds 4 >/dev/null
meter_stop one
limited 'ingress'

ok 'the tree is the qdisc' tc qdisc replace dev eth0 root netnice
meter_start one eth0 --in --port 9002 --span 3
in_vif $eth0/a traffic send tcp 10.0.0.2 9002 --seconds 5 >/dev/null
meter_stop one
limited 'egress, as a qdisc'
ok 'it goes' tc qdisc del dev eth0 root

# --- each kind of attachment ----------------------------------------------------------

goes_by $eth0/a/b 'a process' in_vif $eth0/a/b traffic send udp 10.0.0.2 9001 --bytes 5000
# shellcheck disable=SC2016
goes_by $eth0/a/b 'a thread' bash -c \
	'ln -s /proc/network/eth0/a/b /proc/network/tasks/$$/threads/$$/ && exec traffic send udp 10.0.0.2 9001 --bytes 5000'
# shellcheck disable=SC2016
goes_by $eth0/a/b 'a socket' bash -c \
	'exec 7<>/dev/udp/10.0.0.2/9001 && ln -s /proc/network/eth0/a/b /proc/network/tasks/$$/sockets/7/ && echo x >&7'
mkdir /sys/fs/cgroup/smoke
defer rmdir /sys/fs/cgroup/smoke
ln -s $eth0/a/b $top/cgroups/smoke/
# shellcheck disable=SC2016
goes_by $eth0/a/b 'a control group' bash -c \
	'echo 0 >/sys/fs/cgroup/smoke/cgroup.procs && exec traffic send udp 10.0.0.2 9001 --bytes 5000'
rm $top/cgroups/smoke/eth0
if in_uml; then
	skip 'a 32-bit program' 'User Mode Linux runs none'
else
	goes_by $eth0/a/b 'a 32-bit program' in_vif $eth0/a/b busybox32 nc -w 1 10.0.0.2 9002
fi

# --- files, netlink, tools --------------------------------------------------------------

check_eq 'a limit reads as it was written' "$(cat $eth0/a/bandwidth)" $'egress 1mbit\ningress 1mbit'
fails 'a wrong value is refused' bash -c "echo fast >$eth0/a/bandwidth"
ok 'last_error says why' grep -q bandwidth $top/last_error
ok 'mv' mv $eth0/a/b $eth0/c
ok 'rmdir' busywait 5 rmdir $eth0/c
check_eq 'vifctl' "$(vifctl -j show eth0/a | jq -r ".[0].path")" eth0/a
vifctl save >"$tmp/saved"
ok 'what is saved is restored' vifctl restore "$tmp/saved"
ok 'netnice' netnice -b 1m true
ok 'its VIF goes with it' busywait 5 removed
