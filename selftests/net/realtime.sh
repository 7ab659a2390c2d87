#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A real-time kernel (up to 6.12) runs probes of tracepoints with preemption off: there no lock
# may be waited for but a raw one, and no memory be had, as that takes locks, too. The kernel
# says so only when a lock is not free just then. Here each one that is taken where the kernel
# cannot be preempted is traced with its callers: the module must not be one.
#
# lab: smp=2, timeout=1200, kernels=6.1-rt+6.12-rt, check=none
# shellcheck disable=SC2119
. "$(dirname "$0")/lib.sh"

trace=/sys/kernel/tracing
vif=/proc/network/eth0/v
group=/sys/fs/cgroup/realtime
locks='rt_spin_lock rt_read_lock rt_write_lock'

begin
[ -e /sys/kernel/realtime ] || [[ $(uname -v) = *PREEMPT_RT* ]] ||
	skip_all 'this is no real-time kernel'
need netnice kinds traffic
[ -d $trace/events ] || mount -t tracefs tracefs $trace
setup_veth
wire_exact

# --- locks that sleep, where the kernel cannot be preempted -------------------------

# in the lowest four bits the depth of preempt_disable(); whether interrupts are off
raw='common_preempt_count & 15 || common_flags & 1'

trace_locks() {
	local lock
	for lock in $locks; do echo "p:realtime/$lock $lock" >>$trace/kprobe_events || return; done
	for lock in $locks; do
		echo "$raw" >"$trace/events/realtime/$lock/filter" &&
			echo "stacktrace if $raw" >"$trace/events/realtime/$lock/trigger" || return
	done
	# with these come the names of modules
	echo 1 >$trace/options/sym-offset
	echo 16384 >$trace/buffer_size_kb
	: >$trace/trace
	echo 1 >$trace/events/realtime/enable
}

untrace_locks() {
	local lock
	echo 0 >$trace/events/realtime/enable
	for lock in $locks; do
		echo '!stacktrace' >"$trace/events/realtime/$lock/trigger"
	done
	: >$trace/kprobe_events
	echo 0 >$trace/options/sym-offset
}

taken() { awk '$1 == "rt_spin_lock" { print $2 }' $trace/kprobe_profile; }

# shown: who of the module has taken one, the first ones
shown() { awk '/realtime\// || / rt_.*lock: / { n = 0 } { line[n++] = $0 }
	/\[netnice\]/ { for (i = 0; i < n; i++) print line[i]; n = 0; if (++found == 5) exit }' "$tmp/trace"; }

# checked NAME COMMAND...
checked() {
	local name=$1 before after found
	shift
	: >$trace/trace
	before=$(taken)
	ok "$name" "$@"
	after=$(taken)
	cat $trace/trace >"$tmp/trace"
	check "$name: $((after - before)) locks were seen" "$after - $before > 100"
	found=$(grep -c '\[netnice\]' "$tmp/trace")
	if [ "$found" -eq 0 ]; then
		pass "$name: none of the module's where it cannot be preempted"
	else
		fail "$name: none of the module's where it cannot be preempted" \
			"$found lines of callers; the first:" "$(shown)"
	fi
}

# --- what runs in probes ---------------------------------------------------------------

connect() {
	in_vif $vif kinds times 300 '{' socket tcp4 connect 10.0.0.2 7000 \
		send 100 receive 200 close leave '}'
}

# by a task that is attached, many at a time
listen() { in_vif $vif kinds times 200 '{' socket tcp4 bind 0.0.0.0 0 listen 4 '}'; }

# sockets that only their group is attached of
connect_in_group() {
	# shellcheck disable=SC2016
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $group \
		kinds times 200 '{' socket tcp4 connect 10.0.0.2 7000 \
		send 100 receive 200 close leave '}'
}

# there is no host: what is sent waits for an address. Two at a time, of one neighbour.
unresolved() {
	local i pids=()
	for i in 1 2; do
		in_vif $vif kinds times 100 '{' socket udp4 connect 10.0.0.77 9 send 100 close leave '}' &
		pids+=($!)
	done
	wait "${pids[@]}"
}

# shellcheck disable=SC2016
forks() { in_vif $vif bash -c 'for ((i = 0; i < 300; i++)); do (exit 0); done'; }

# more at once than there are entries ready
storm() {
	background "${in_vif_prefix[@]}" $vif kinds times 2000 '{' fork '{' pause 600000 '}' '}' \
		say ready wait >"$tmp/storm" 2>&1
	busywait 200 file_says "$tmp/storm" ready
}

living() { pgrep -cx kinds; }

groups_end() {
	local i
	for ((i = 0; i < 50; i++)); do
		mkdir "$group/$i" && ln -s $vif "/proc/network/cgroups/realtime/$i/eth0" || return
	done
	rmdir "$group"/*/
}

# all of them, with their callers
sees_callers() {
	echo 0 >$trace/events/realtime/rt_spin_lock/filter
	echo 1 >$trace/options/stacktrace
	listen
	echo 0 >$trace/options/stacktrace
	echo "$raw" >$trace/events/realtime/rt_spin_lock/filter
	grep -q '\[netnice\]' $trace/trace
}

trace_locks || skip_all 'this kernel has no kprobes, or other names of its locks'
defer untrace_locks
mkdir $vif $group
ok 'where locks may sleep, the module is seen to take them' sees_callers
defer rmdir $group
ln -s $vif /proc/network/cgroups/realtime/eth0
serve_short
checked 'connections' connect
checked 'listeners' listen
checked 'connections of a group' connect_in_group
checked 'what waits for an address' unresolved
checked 'forks' forks
stop $server
checked 'a storm of forks' storm
check_eq "all $(living) who are left of it are attached" "$(wc -l <$vif/tasks)" "$(living)"
check 'they are most of them' "$(living) > 1000"
mapfile -t storm <$vif/tasks
kill "${storm[@]}"
checked 'groups that end' groups_end
rm /proc/network/cgroups/realtime/eth0
check_eq 'all that was sent was taken' "$(vif_stat $vif egress_drops)" 0
