#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Several users at once who try to take the machine down, for 20 seconds (or as many as the argument
# says; more arguments are the seed and the number of users): hostile.c has what they do to tasks,
# sockets, VIFs, relays, netlink and namespaces of their own. Beside them a user-level stack with
# hundreds of ports loses its device again and again, and CPUs go and come where the kernel can do
# that. Afterwards nothing of them is left, and each process can be killed. The kernel's log counts,
# too.
# lab: smp=2, timeout=3600, check=none
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/stacks.sh"

seconds=${1:-20} seed=${2:-1}
mapfile -t users < <(seq 1001 $((1000 + ${3:-3})))
uids=$(IFS=, && echo "1000,${users[*]}")
eth0=/proc/network/eth0
cgroups=/sys/fs/cgroup/hostile

until_over() { while [ ! -e "$tmp/over" ]; do "$@" >/dev/null 2>&1 </dev/null; done; }

# a stack, its ports, and the end of its device
stack_comes_and_goes() {
	"${own_prefix[@]}" ustack tap tap0 $eth0/user-1000/stack echo &
	pause 0.5
	user_writes 'auto 100' $eth0/user-1000/ports
	user_writes 'tcp 7000' $eth0/user-1000/ports
	pause "0.$((RANDOM % 10))"
	kill -9 $!
	wait $!
}

cpu_goes_and_comes() {
	pause 0.5
	echo 0 >/sys/devices/system/cpu/cpu1/online
	pause 0.5
	echo 1 >/sys/devices/system/cpu/cpu1/online
}

# how long a change that needs RTNL took at most, in microseconds
rtnl_probe() {
	local begin took most=0
	while [ ! -e "$tmp/over" ]; do
		begin=${EPOCHREALTIME/./}
		ip link set lo alias "x$RANDOM"
		took=$((${EPOCHREALTIME/./} - begin))
		[ $took -le $most ] || most=$took
		pause 0.02
	done
	echo $most >"$tmp/rtnl"
}

no_process_is_left() { ! pgrep -U "$uids"; }
no_vifs() { [ -z "$(find $eth0 -mindepth 1 -type d)" ]; }

# remove_vifs: what the users have made; a VIF that another one keeps goes later
remove_vifs() {
	find $eth0 -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null
	no_vifs
}

begin
need netnice
allow_user_namespaces
stacks_setup
background peer traffic sink tcp 9002
background peer traffic sink udp 9002
mkdir -p $cgroups
workers=()
for uid in 1000 "${users[@]}"; do
	prefix=(setpriv --reuid="$uid" --regid="$uid" --clear-groups)
	ok "user $uid has a VIF" "${prefix[@]}" mkdir $eth0/user-"$uid"
	[ "$uid" -ne 1000 ] || continue
	mkdir $cgroups/"$uid"
	chown -R "$uid:$uid" $cgroups/"$uid"
	# clone into a group takes the right to leave the one before
	(
		echo $BASHPID >$cgroups/"$uid"/cgroup.procs
		exec "${prefix[@]}" hostile $eth0/user-"$uid" 10.0.0.2 "$seconds" $((seed * 1000 + uid)) $cgroups/"$uid"
	) >"$tmp/said.$uid" 2>&1 &
	workers+=($!)
done
until_over stack_comes_and_goes &
others=($!)
rtnl_probe &
others+=($!)
if [ -w /sys/devices/system/cpu/cpu1/online ]; then
	until_over cpu_goes_and_comes &
	others+=($!)
fi
wait "${workers[@]}"
touch "$tmp/over"
wait "${others[@]}"
for uid in "${users[@]}"; do
	note "$uid: $(cat "$tmp/said.$uid")"
	check "user $uid: tricks have worked" "$(sed 's/[a-z_]*=//g; s,/[0-9]*,,g; s/ / + /g' "$tmp/said.$uid") > 0"
done
note "RTNL could be had within $(cat "$tmp/rtnl") us"
pkill -9 -U "$uids"
ok 'each process can be killed' busywait 60 no_process_is_left
find $cgroups -depth -type d -exec rmdir {} + 2>/dev/null
fails 'no control group is left' test -d $cgroups
ok 'no VIF is left' busywait 60 remove_vifs
log_clean
