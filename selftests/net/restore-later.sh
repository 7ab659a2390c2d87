#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=10
#
# "vifctl restore" of a file whose devices and control groups are not all there: what is there
# is restored, the rest said, waited for (--wait), or followed as it comes and goes (--follow).
. "$(dirname "$0")/lib.sh"

top=/proc/network
groups=/sys/fs/cgroup

# the state of a machine with a VPN, a service with a VIF of its own, and a guest
state() {
	cat <<-'END'
		tree d0
		vif d0
		vif d0/web
			bandwidth 2m
			cgroup late.slice/web.service
		vif d0/vm
			device tap7
		vif d0/backup
			weight 7
			autoremove 1
			cgroup late.slice/backup.service
		vif d0/here
			cgroup here
		tree wg7
		vif wg7/bulk
			bandwidth 1m
			cgroup here
		tree veth7
		vif veth7
	END
}

is() { [ "$(readlink "$top/$1")" = "$2" ]; }
has() { grep -qx "egress $2" "$top/$1"; }

# comes NAME COMMAND...: within the patience of a busy machine
comes() { ok "$1" busywait 20 "${@:2}"; }

# ends_with STATUS NAME: the one in the background
ends_with() {
	wait "$restoring"
	check_eq "$2" $? "$1"
}

# begin_restore OPTION: in the background, until it has made what it can
begin_restore() {
	background vifctl restore -v "$1" "$tmp/state" >"$tmp/done" 2>"$tmp/said"
	restoring=$!
	busywait 20 test -d $top/d0/here || note "$(cat "$tmp/said")"
	busywait 20 grep -q tap7 "$tmp/said"
}

said_missing() {
	check_eq "$1: what is missing is said, by line" "$(sed "s,.*/state:,," "$2")" \
		$'14:'" tree wg7: no device 'wg7'
11: vif d0/backup: no cgroup late.slice/backup.service
7: vif d0/vm: no device tap7
5: vif d0/web: no cgroup late.slice/web.service"
}

vpn() { ip link add wg7 type dummy; }
guest() { ip link add tap7 type dummy; }
leave() {
	ip link del wg7
	ip link del tap7
	rmdir $groups/late.slice/{web,backup}.service $groups/late.slice
} 2>/dev/null

in_part() {
	local before
	vifctl restore "$tmp/state" 2>"$tmp/said"
	check_eq 'in part: status' $? 3
	said_missing 'in part' "$tmp/said"
	ok 'in part: settings' has d0/web/bandwidth 2mbit
	ok 'in part: what is to be attached later has its VIF' test -d $top/d0/vm
	ok 'in part: a group that is there is attached' is cgroups/here/d0 ../../d0/here
	fails 'in part: a VIF that goes with its group is not there without' test -d $top/d0/backup
	before=$(vifctl save)
	check_eq 'again: there is nothing to do' "$(vifctl restore -v "$tmp/state" 2>/dev/null; vifctl save)" "$before"
	check_eq 'batch: in part is better than not at all' \
		"$(printf 'restore %s\ndel d0/none\n' "$tmp/state" | vifctl --force -b - 2>/dev/null; echo $?)" 2
	check_eq 'batch: and worse than whole' "$(printf 'restore %s\nshow\n' "$tmp/state" | vifctl --force -b - >/dev/null 2>&1; echo $?)" 3
	vpn
	vifctl set d0/web bandwidth 3m
	vifctl restore "$tmp/state" 2>/dev/null
	check_eq 'with a device more: status' $? 3
	ok 'it has its VIFs' has wg7/bulk/bandwidth 1mbit
	ok 'and what is attached' is cgroups/here/wg7 ../../wg7/bulk
	ok 'what was changed meanwhile is as in the file' has d0/web/bandwidth 2mbit
	leave
	{ state; printf 'vif wg7/bad\nvif d0/zz\nbandwidth fast\n'; } >"$tmp/bad"
	before=$(vifctl save)
	vifctl restore "$tmp/bad" 2>/dev/null
	check_eq 'a bad value beside what is missing: status' $? 2
	check_eq 'a bad value: all is as it was' "$(vifctl save)" "$before"
	vifctl restore - <<<'tree d0'
}

waiting() {
	timeout 20 vifctl restore --wait=0.5 "$tmp/state" 2>"$tmp/said"
	check_eq '--wait=0.5: in part' $? 3
	vifctl restore - <<<'tree d0'
	begin_restore --wait
	said_missing '--wait' "$tmp/said"
	mkdir -p $groups/late.slice/web.service
	comes '--wait: a group comes' is cgroups/late.slice/web.service/d0 ../../../d0/web
	vpn
	comes '--wait: a device comes' has wg7/bulk/bandwidth 1mbit
	comes '--wait: with what is attached' is cgroups/here/wg7 ../../wg7/bulk
	vifctl set d0/web bandwidth 3m
	vifctl add d0/other
	vifctl detach d0/here cgroup here
	ip link del wg7
	vpn
	comes '--wait: it goes and comes again' has wg7/bulk/bandwidth 1mbit
	guest
	comes '--wait: what is received by a device' is devices/tap7/d0 ../../d0/vm
	mkdir $groups/late.slice/backup.service
	ends_with 0 '--wait: it ends when all is there'
	ok '--wait: the last one is' is cgroups/late.slice/backup.service/d0 ../../../d0/backup
	check_eq '--wait: its VIF has its settings' "$(cat $top/d0/backup/{autoremove,weight} | paste -s -d ' ')" '1 egress 7 ingress 7'
	ok '--wait: what was changed by hand meanwhile stays' has d0/web/bandwidth 3mbit
	ok '--wait: what was made, too' test -d $top/d0/other
	fails '--wait: and what was detached' test -L $top/cgroups/here/d0
	leave
	vifctl restore - <<<'tree d0'
}

all_there() {
	has wg7/bulk/bandwidth 1mbit && is cgroups/here/wg7 ../../wg7/bulk && is devices/tap7/d0 ../../d0/vm &&
		is cgroups/late.slice/web.service/d0 ../../../d0/web &&
		is cgroups/late.slice/backup.service/d0 ../../../d0/backup && has d0/backup/weight 7 &&
		[ "$(cat $top/d0/backup/autoremove)" = 1 ]
}

following() {
	local i left=0
	begin_restore --follow
	for i in {1..20}; do
		vpn
		mkdir -p $groups/late.slice/{web,backup}.service
		guest
		busywait 20 all_there || left=$((left + 1))
		leave
	done
	check_eq '--follow: 20 times all come and go' $left 0
	ok '--follow: it goes on' kill -0 "$restoring"
	for i in {1..50}; do
		vpn
		mkdir -p $groups/late.slice/backup.service
		leave
	done
	vpn
	mkdir -p $groups/late.slice/{web,backup}.service
	guest
	comes '--follow: 50 times faster than it is' all_there
	check '--follow: no watches of groups that have gone' "$(cat /proc/$restoring/fdinfo/* | grep -c ^inotify) < 5"
	rmdir $groups/late.slice/backup.service
	busywait 20 test ! -e $top/d0/backup
	ip link del d0
	ip link add d0 type dummy
	mkdir -p $groups/late.slice/backup.service
	comes '--follow: what the others are attached to goes and comes' all_there
	kill $restoring
	ends_with 143 '--follow: it ends when it is told to'
	leave
}

# what an administrator has set, and a part of the file that makes no sense
going_on() {
	printf '%s\n' 'tree d0' 'vif d0/pair' 'autoremove 1' 'cgroup here' 'cgroup late.slice' \
		'tree wg7' 'vif wg7/bad' 'bandwidth fast' >"$tmp/pair"
	background vifctl restore --follow "$tmp/pair" 2>"$tmp/said"
	restoring=$!
	comes '--follow: one group of two' is cgroups/here/d0 ../../d0/pair
	busywait 20 grep -qx 1 $top/d0/pair/autoremove
	vifctl set d0/pair weight 9
	mkdir $groups/late.slice
	comes '--follow: the other one comes' is cgroups/late.slice/d0 ../../d0/pair
	comes '--follow: their VIF is to go with them again' grep -qx 1 $top/d0/pair/autoremove
	ok '--follow: what was set by hand stays' has d0/pair/weight 9
	vpn
	comes '--follow: a value that is none is said, and left alone' grep -q 'until its device or group appears again' "$tmp/said"
	rmdir $groups/late.slice
	mkdir $groups/late.slice
	comes '--follow: and no reason to end' is cgroups/late.slice/d0 ../../d0/pair
	kill $restoring
	ends_with 143 '--follow: it ends'
	leave
	vifctl restore - <<<'tree d0'
}

# what a tenant keeps from being restored, beside what an administrator and other devices have
tenants() {
	local pid
	printf '%s\n' 'tree d0' 'vif d0' 'bandwidth 50m' 'vif d0/alice' 'bandwidth 10m' 'minimum 5m' \
		'owner 1000:1000' 'vif d0/alice/job' 'minimum 3m' 'autoremove 1' \
		'cgroup late.slice/backup.service' 'tree wg7' 'vif wg7' 'bandwidth 1m' >"$tmp/alice"
	background vifctl restore --follow "$tmp/alice" 2>"$tmp/said"
	restoring=$!
	comes '--follow: what a tenant gets' has d0/alice/minimum 5mbit
	as_user bash -c "mkdir $top/d0/alice/x && echo 5m >$top/d0/alice/x/minimum"
	mkdir -p $groups/late.slice/backup.service
	vpn
	comes '--follow: a device comes when a tenant has nothing left' has wg7/bandwidth 1mbit
	comes '--follow: the tenant is named' grep -q 'd0/alice/\.\.\.: .*skipped until its device or group appears again' "$tmp/said"
	as_user rmdir $top/d0/alice/x
	rmdir $groups/late.slice/backup.service
	mkdir $groups/late.slice/backup.service
	comes '--follow: it comes when the tenant has some left' is cgroups/late.slice/backup.service/d0 ../../../d0/alice/job
	kill $restoring
	ends_with 143 '--follow: it ends when it is told to'
	vifctl restore - <<<'tree d0'
	{ cat "$tmp/alice"; printf 'vif d0/alice/bad\nbandwidth fast\n'; } >"$tmp/bad"
	vifctl restore "$tmp/bad" 2>/dev/null
	check_eq 'a bad value among what a tenant has: status' $? 2
	ok 'the limit above it is in force' has d0/alice/bandwidth 10mbit
	ok 'so is that of another device' has wg7/bandwidth 1mbit
	fails 'nothing is of what the tenant has' test -e $top/d0/alice/job
	vifctl add d0/old
	vifctl add d0/old/left owner 1000:1000
	sleep 100 &
	pid=$!
	vifctl attach d0/old/left process $pid
	vifctl set d0/alice bandwidth 20m
	vifctl restore "$tmp/alice" 2>"$tmp/said"
	check_eq 'a VIF of a tenant that cannot be removed: status' $? 3
	ok 'it is said' grep -q 'restore of d0: d0/old/left: ' "$tmp/said"
	ok 'the rest is in force' has d0/alice/bandwidth 10mbit
	stop $pid
	leave
	vifctl restore - <<<'tree d0'
}

# an alternative name that comes after the file was read
called_otherwise() {
	printf 'tree uplink7\nvif uplink7/web\n\tbandwidth 2m\n' >"$tmp/other"
	timeout 20 vifctl restore --wait=2 "$tmp/other" 2>"$tmp/said" &
	busywait 20 grep -q "no device 'uplink7'" "$tmp/said"
	ip link add wg7 type dummy
	ip link set wg7 up
	ip link property add dev wg7 altname uplink7
	wait $!
	check_eq 'an alternative name that comes later: status' $? 3
	ok 'it is said once' test "$(grep -c 'tree uplink7: the device is wg7, which has this alternative name only since' "$tmp/said")" = 1
	ok 'restored again: status' vifctl restore "$tmp/other"
	ok 'it is in force' has wg7/web/bandwidth 2mbit
	ip link del wg7
}

begin
need netnice
modprobe dummy numdummies=0
ip link add d0 type dummy
defer ip link del d0
mountpoint -q $groups || { mount -t cgroup2 cgroup2 $groups && defer umount $groups; }
mkdir $groups/here
defer rmdir $groups/here
defer leave
state >"$tmp/state"
in_part
waiting
following
going_on
tenants
called_otherwise
