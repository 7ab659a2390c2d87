#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No memory: every allocation that netnice asks for, or that the kernel makes on
# its behalf, fails once, one after the other, for each thing that a user can ask
# for; then one in ten on the path of packets. A command may fail, but then
# nothing is left of it, and the next one works. The kernel's log and the leaks,
# which the runner looks for in the end, are the other half of this.
# lab: debug, timeout=900
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0
attributes='/sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc'

# --- which allocations fail --------------------------------------------------------

# set_fault ATTRIBUTE VALUE: of both kinds of allocations
set_fault() {
	local folder
	for folder in $attributes; do
		echo "$2" >"$folder/$1" || return
	done
}

# address_range: where the module's code lies; what has it on its stack may fail
address_range() {
	awk '$4 == "[netnice]" && tolower($2) == "t" { print "0x" $1 }' /proc/kallsyms | sort |
		sed -n '1p;$p'
}

# only_netnice [SLACK]: and what lies SLACK bytes around it
only_netnice() {
	local range slack=${1-0}
	mapfile -t range <<<"$(address_range)"
	set_fault require-start $((range[0] - slack)) && set_fault require-end $((range[1] + 4096 + slack))
}

faults_setup() {
	set_fault verbose 0 && set_fault probability 0 && set_fault stacktrace-depth 32 &&
		set_fault ignore-gfp-wait N && echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem &&
		echo 0 >/sys/kernel/debug/fail_page_alloc/min-order && only_netnice
}

# allowed: how many failures are left of those that were
allowed() { cat /sys/kernel/debug/{failslab,fail_page_alloc}/times | paste -s -d ' '; }

# failing N COMMAND...: its Nth allocation fails
failing() { bash -c 'echo "$0" >/proc/self/fail-nth && exec "$@"' "$@" </dev/null >/dev/null 2>&1; }

# --- commands ------------------------------------------------------------------------

vifs() { (cd $top && find . \( -path ./tasks -o -path ./cgroups -o -path ./devices \) -prune -o -type d -path './*/*' -printf '%P\n'); }
clean() { [ -z "$(vifs)" ] && [ "$(ls $top/tasks)" = self ]; }

# each NAME BEFORE AFTER COMMAND...: the command with its first allocation failing,
# then its second, until none is left that could: then it must succeed
each() {
	local name=$1 before=$2 after=$3 n status
	shift 3
	for ((n = 1; n < 200; n++)); do
		$before || { fail "$name: with failure $n behind it, all works"; return; }
		# inodes that are remembered take no memory
		echo 2 >/proc/sys/vm/drop_caches
		set_fault times 1000
		failing $n "$@"
		status=$?
		[ "$(allowed)" != '1000 1000' ] || break
		$after
		clean || { fail "$name: nothing is left after failure $n" "$(vifs; ls $top/tasks)"; return; }
	done
	check_eq "$name: without a failure it works" $status 0
	$after
	check "$name: allocations that failed: $((n - 1))" "$n > 1 && $n < 200"
}

nothing() { :; }
make_a() { mkdir $eth0/a; }
# what has ended, or been closed, is attached for a moment longer
remove_a() { busywait 10 try_remove $eth0/a; }
try_remove() { [ ! -d "$1" ] || rmdir "$1"; }

# with a process without attachments
make_process() { make_a && { sleep 1000 & pid=$!; } && ln -sfn "$pid" "$tmp/pid"; }
attach_process() { make_process && echo "$pid" >$eth0/a/tasks; }
end_process() { { kill "$pid"; wait "$pid"; } 2>/dev/null; busywait 5 quiet_tasks; remove_a; }
quiet_tasks() { [ -z "$(cat $eth0/a/tasks)" ]; }

unmount_second() { ! mountpoint -q "$tmp/second" || umount "$tmp/second"; }

commands() {
	each mkdir nothing remove_a mkdir $eth0/a
	each bandwidth make_a remove_a bash -c "echo 1m >$eth0/a/bandwidth"
	each burst make_a remove_a bash -c "echo 10ms >$eth0/a/burst"
	each autoremove make_a remove_a bash -c "echo 0 >$eth0/a/autoremove"
	each 'a second level' make_a remove_all bash -c "mkdir $eth0/a/b && echo 1m >$eth0/a/b/bandwidth"
	each stat make_a remove_a cat $eth0/a/stat
	each 'a directory' make_a remove_a ls -lR $eth0
	each 'the directory of processes' attach_process end_process ls -lR $top/tasks
	each rmdir make_a remove_a rmdir $eth0/a
	each 'a link' make_process end_process bash -c "ln -s $eth0/a $top/tasks/\$(readlink $tmp/pid)/"
	each 'a link in place of another' attach_process end_process \
		bash -c "ln -sfn $eth0/a $top/tasks/\$(readlink $tmp/pid)/eth0"
	each 'rm of a link' attach_process end_process bash -c "rm $top/tasks/\$(readlink $tmp/pid)/eth0"
	each tasks make_process end_process bash -c "echo \$(readlink $tmp/pid) >$eth0/a/tasks"
	each last_error nothing nothing bash -c "! mkdir $eth0/stat 2>/dev/null && cat $top/last_error"
	mkdir "$tmp/second"
	each mount nothing unmount_second mount -t netnice netnice "$tmp/second"
	each remount nothing nothing mount -o remount,mode=555 $top
}

remove_all() { busywait 10 try_remove_all; }
try_remove_all() { find $eth0 -mindepth 1 -depth -type d -exec rmdir {} +; }

values() {
	local file
	for file in 'minimum 1m' 'weight 7' 'priority 1' 'local_weight 3' 'local_priority 2' 'limit 10p' 'aqm codel target 10ms' 'link_layer none'; do
		each "${file%% *}" make_a remove_a bash -c "echo ${file#* } >$eth0/a/${file%% *}"
	done
	each 'a root VIF' nothing unlimit_root bash -c "echo 1g >$eth0/bandwidth"
	each chown make_a remove_a chown 1000:1000 $eth0/a
	each chmod make_a remove_a chmod 2770 $eth0/a
	each sockets make_a remove_a cat $eth0/a/sockets
	each tasks make_a remove_a cat $eth0/a/tasks
}

unlimit_root() { echo max >$eth0/bandwidth; }

# --- mv -----------------------------------------------------------------------------------

make_b() { make_a && mkdir $eth0/a/b; }
make_c() { make_b && mkdir $eth0/c && echo 1m >$eth0/a/bandwidth; }

moves() {
	each 'mv, a new name' make_b remove_all mv $eth0/a/b $eth0/a/c
	each 'mv, up' make_b remove_all mv $eth0/a/b $eth0/b
	each 'mv, elsewhere, with what is below' make_c remove_all mv $eth0/a $eth0/c/a
}

# --- everything else that can be attached --------------------------------------------------

fs_cgroup=/sys/fs/cgroup

make_socket() {
	make_a && { socket_holder & } && pid=$! && ln -sfn "$pid" "$tmp/pid" &&
		busywait 5 test -e "$top/tasks/$pid/sockets/7"
}
# a process with a socket at descriptor 7
socket_holder() { exec bash -c 'exec 7<>/dev/udp/10.0.0.2/9 && exec sleep 1000'; }

make_group() { make_a && mkdir -p $fs_cgroup/faults && ls -d $top/cgroups/faults >/dev/null; }
end_group() { rm -f $top/cgroups/faults/eth0; rmdir $fs_cgroup/faults; remove_a; }
make_device() { make_a && ip link add faults0 type dummy && busywait 5 test -d $top/devices/faults0; }
end_device() { ip link del faults0; remove_a; }

targets() {
	each 'a thread' make_process end_process \
		bash -c "ln -s $eth0/a $top/tasks/\$(readlink $tmp/pid)/threads/\$(readlink $tmp/pid)/"
	each 'tasks, a thread' make_process end_process \
		bash -c "echo \$(readlink $tmp/pid)/\$(readlink $tmp/pid) >$eth0/a/tasks"
	each 'a socket' make_socket end_process bash -c "ln -s $eth0/a $top/tasks/\$(readlink $tmp/pid)/sockets/7/"
	each 'what a socket is' make_socket end_process bash -c "cat $top/tasks/\$(readlink $tmp/pid)/sockets/7/socket"
	each 'a process with a socket' make_socket end_process bash -c "echo \$(readlink $tmp/pid) >$eth0/a/tasks"
	each 'a control group' make_group end_group ln -s $eth0/a $top/cgroups/faults/
	each 'all control groups' make_a end_groups ln -s $eth0/a $top/cgroups/
	each 'a device' make_device end_device ln -s $eth0/a $top/devices/faults0/
	each 'the directories of targets' make_device end_device bash -c "ls -lR $top/cgroups $top/devices"
}

end_groups() { rm -f $top/cgroups/eth0; remove_a; }

# --- ordinary users -----------------------------------------------------------------------

user=(setpriv --reuid=1000 --regid=1000 --clear-groups)
mine=$eth0/user-1000

remove_mine() { busywait 5 quiet_users; remove_all; }
quiet_users() { [ ! -d $mine ] || [ -z "$(find $mine -name tasks -exec cat {} +)" ]; }
make_mine() { "${user[@]}" mkdir $mine; }
make_below() { make_mine && "${user[@]}" mkdir $mine/below; }
# what root has attached, and its user below that
make_given() {
	make_a && { "${user[@]}" sleep 1000 & } && pid=$! && ln -sfn "$pid" "$tmp/pid" &&
		busywait 5 grep -qx sleep "/proc/$pid/comm" && echo "$pid" >$eth0/a/tasks
}
make_chosen() { make_given && in_vif $eth0/a "${user[@]}" mkdir $eth0/a/user-1000; }
end_chosen() { kill "$pid"; wait "$pid" 2>/dev/null; busywait 5 quiet_tasks; busywait 5 quiet_users; remove_all; }

users() {
	# they look up the number of the process there
	chmod 755 "$tmp"
	each 'user-UID' nothing remove_mine "${user[@]}" mkdir $mine
	each 'below user-UID' make_mine remove_mine "${user[@]}" mkdir $mine/below
	each 'user-UID, rmdir' make_mine remove_mine "${user[@]}" rmdir $mine
	each 'user-UID, bandwidth below' make_below remove_mine "${user[@]}" bash -c "echo 1m >$mine/below/bandwidth"
	each 'user-UID, mv' make_below remove_mine "${user[@]}" mv $mine/below $mine/under
	each 'chosen below what was given' make_chosen end_chosen \
		"${user[@]}" bash -c "ln -s $eth0/a/user-1000 $top/tasks/\$(readlink $tmp/pid)/"
	each 'given once more' make_chosen end_chosen \
		bash -c "echo \$(readlink $tmp/pid) >$eth0/tasks"
	each 'netnice, of a user' nothing remove_mine "${user[@]}" netnice -b 1m true
	each 'netnice' nothing remove_all netnice -b 1m true
}

# --- qdisc mode, and other namespaces ---------------------------------------------------

remove_qdisc() { tc qdisc del dev eth0 root 2>/dev/null; :; }
# the hooks of earlier uses have gone
no_hooks() { pause 1.2; }
with_qdisc() { tc qdisc replace dev eth0 root netnice; }
end_namespace() { ! ip netns list | grep -qw faults || ip netns del faults; }

elsewhere() {
	each 'a qdisc' no_hooks remove_qdisc tc qdisc replace dev eth0 root netnice
	each 'a VIF with a qdisc' with_qdisc remove_both mkdir $eth0/a
	each 'a namespace' nothing end_namespace ip netns add faults
	each 'a mount in a user namespace' nothing nothing \
		unshare -Urnm sh -c "mount -t netnice netnice $top && mkdir $top/lo/a && rmdir $top/lo/a"
}

remove_both() { remove_a; remove_qdisc; }

# --- packets ---------------------------------------------------------------------------

# children and sockets of a process that is attached, one in ten allocations fails
loads() {
	make_a && echo 20m >$eth0/a/bandwidth
	set_fault times -1
	background peer traffic sink tcp 7001 >/dev/null
	background peer traffic sink udp 7002 >/dev/null
	export attributes
	export -f set_fault
	# once it is attached, which may fail as well
	in_vif $eth0/a bash -c '
		set_fault probability 10
		for i in {1..20}; do
			timeout 5 traffic send tcp 10.0.0.2 7001 --bytes 200000 &
			traffic send udp fd00::2 7002 --rate 3m --seconds 0.5 &
			ping -q -c 3 -i 0.1 -s 3000 10.0.0.2 &
			wait
		done' >/dev/null 2>&1
	set_fault probability 0
	check_eq 'packets: the device lives' "$(ping -q -c 1 10.0.0.2 >/dev/null && echo yes)" yes
	ok 'packets: some got through' test "$(vif_stat $eth0/a egress_packets)" -gt 1000
	ok 'packets: nothing waits any more' busywait 20 eval \
		'[ "$(vif_stat $eth0/a egress_p_queue_packets)" = 0 ]'
	ok 'packets: a process can be attached, and is limited' in_vif $eth0/a true
	ok 'packets: the VIF goes' busywait 20 rmdir $eth0/a
}

# --- the module ------------------------------------------------------------------------

# it will lie where it lies, or close by
loading() {
	local n status
	log_clean
	only_netnice 1048576
	ok 'loading: it unloads' unload_netnice
	for ((n = 1; n < 1000; n++)); do
		set_fault times 1000
		failing $n insmod "$(modinfo -n netnice)"
		status=$?
		[ "$(allowed)" != '1000 1000' ] || break
		[ $status -ne 0 ] || rmmod netnice
	done
	check_eq 'loading: without a failure it works' $status 0
	check "loading: allocations that failed: $((n - 1))" "$n > 1 && $n < 1000"
	# of a cache that cannot be made the kernel itself writes where that was
	check_eq 'loading: nothing else in the log' "$(dmesg | grep -cE "$kernel_log_pattern")" \
		"$(dmesg | grep -c '^[^(]*kmem_cache_create.* failed with error')"
	dmesg -C
}

begin
[ -e /sys/kernel/debug/failslab/require-start ] || skip_all 'this kernel has no failslab by stack'
need netnice
allow_user_namespaces
setup_veth
ok 'only what netnice asks for fails' faults_setup
for scenario in ${SCENARIOS:-commands values moves targets users elsewhere loads loading}; do
	$scenario
done
