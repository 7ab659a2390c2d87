#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=10
#
# What can be attached, as the file system shows it: processes, threads, sockets,
# control groups and devices. What is listed, what links do, and what is refused; a
# line a case. Who is limited then is the business of other tests.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/refusals.sh"

b=$eth0/b
tasks=$top/tasks
groups=/sys/fs/cgroup
esrch='No such process'

# --- what there is to be attached -------------------------------------------------

# run [peer] WORDS: kinds as $pid; it stays
run() {
	local prefix=()
	[ "$1" != peer ] || { prefix=("${peer_prefix[@]}"); shift; }
	: >"$tmp/out"
	"${prefix[@]}" kinds "$@" <"$tmp/silence" >"$tmp/out" &
	pid=$!
	defer stop $pid
	busywait 5 file_says "$tmp/out" ready
}

sockets_of() { find "/proc/$1/fd" -lname 'socket:*' -printf '%f\n' | sort -n; }

# one of a process that is not its first
thread_of() { find "/proc/$1/task" -mindepth 1 -maxdepth 1 ! -name "$1" -printf '%f\n'; }

# the program that was started last has more than one
threads_alive() { thread_of "$pid" | grep -q .; }

setup_targets() {
	mkfifo "$tmp/silence"
	# a process that could write
	# shellcheck disable=SC2034
	exec {silence}<>"$tmp/silence"
	run socket tcp4 bind 10.0.0.1 9001 listen 4 socket udp6 connect fd00::2 9002 socket packet pair \
		thread '{' read '}' say ready read
	process=$pid
	busywait 5 threads_alive
	thread=$(thread_of $process)
	mapfile -t fds < <(sockets_of $process)
	fd=${fds[0]}
	mkdir -p $groups/web/video
	defer rmdir $groups/web/video $groups/web
}

# --- lists ------------------------------------------------------------------------

# words COMMAND...: its lines, in order, as a line
words() { "$@" | sort | paste -s -d ' '; }

lists() {
	local here=$tasks/$process
	check_eq 'a process has threads and sockets' "$(words ls "$here")" 'sockets threads'
	check_eq 'all threads are listed' "$(words ls "$here/threads")" "$(words ls "/proc/$process/task")"
	check_eq 'sockets of the network are listed' "$(printf '%s\n' "$here"/sockets/* | sed 's/.*\///' | sort -n | paste -s -d ' ')" \
		"${fds[*]:0:3}"
	check_eq 'and can be looked up' "$(words find "$here/sockets" -mindepth 2 -printf '%P\n')" \
		"$(words printf '%s/socket\n' "${fds[@]:0:3}")"
	check_eq 'what one is: TCP' "$(grep -v cookie "$here/sockets/${fds[0]}/socket" | paste -s -d ' ')" \
		'protocol tcp state listening local 10.0.0.1:9001 remote 0.0.0.0:0'
	check_eq 'what one is: UDP' "$(sed -n 's/^protocol\|^remote/&/p' "$here/sockets/${fds[1]}/socket" | paste -s -d ' ')" \
		'protocol udp remote [fd00::2]:9002'
	check_eq 'what one is: packet' "$(sed -n 1p "$here/sockets/${fds[2]}/socket")" 'protocol packet'
	fails 'the file socket is always there' rm -f "$here/sockets/${fds[0]}/socket"
	check_eq 'the cookie is that of ss(8)' "$(sed -n 's/^cookie //p' "$here/sockets/$fd/socket")" \
		"$(ss -Htlne src 10.0.0.1:9001 | sed 's/.*sk:\([0-9a-f]*\).*/\1/')"
	check_eq 'all control groups are listed' "$(words find $top/cgroups -mindepth 1 -type d -printf '%P\n')" \
		"$(words find $groups -mindepth 1 -type d -printf '%P\n')"
	check_eq 'all devices are listed' "$(words ls $top/devices)" "$(words ls /sys/class/net)"
	! own_machine || check_eq 'a kernel thread has no sockets' "$(ls $tasks/2/sockets)" ''
}

# --- links ------------------------------------------------------------------------

# linked NAME DIRECTORY VIF: it is attached to that VIF and no other
linked() {
	local link=$2/eth0 text
	text=$(readlink "$link")
	if [ "$link" -ef "$3" ] && [[ $text == ../* ]]; then
		pass "$1"
	else
		fail "$1" "the link: $text"
	fi
}

# each kind of target: NAME DIRECTORY
kinds_of_targets() {
	cat <<-END
		process $tasks/$process
		thread $tasks/$process/threads/$thread
		first-thread $tasks/$process/threads/$process
		listener $tasks/$process/sockets/${fds[0]}
		UDP-socket $tasks/$process/sockets/${fds[1]}
		packet-socket $tasks/$process/sockets/${fds[2]}
		group $top/cgroups/web
		inner-group $top/cgroups/web/video
		all-groups $top/cgroups
		device $top/devices/eth0
		another-device $top/devices/lo
	END
}

# links_as NAME DIRECTORY: whatever it is, links do the same
links_as() {
	local name=$1 dir=$2
	ln -s $a "$dir/"
	linked "$name: ln -s" "$dir" $a
	check_eq "$name: its VIF cannot be removed" "$(rmdir $a 2>&1; head -n 1 $top/last_error)" \
		"rmdir: failed to remove '$a': Device or resource busy
rmdir: 'a' still has 1 attached: see its tasks and sockets, cgroups and devices; detach them or wait for their end"
	ln -s $b "$dir/"
	linked "$name: ln -s of another VIF" "$dir" $b
	ln -sfn $a "$dir/eth0"
	linked "$name: ln -sfn" "$dir" $a
	(cd "$dir" && ln -sfn "$(realpath -m --relative-to=. $b)" eth0)
	linked "$name: a relative link" "$dir" $b
	ln -s $top/lo "$dir/"
	check_eq "$name: two devices, two links" "$(words find "$dir" -maxdepth 1 -type l -printf '%f\n')" 'eth0 lo'
	rm "$dir/eth0" "$dir/lo"
	check_eq "$name: rm" "$(find "$dir" -maxdepth 1 -type l)" ''
	ok "$name: nothing is left of it in its VIF" rmdir $b
	mkdir $b
}

# the directories of all targets refuse the same
refused_there() {
	local dir=$top/devices/eth0
	ln -s $a $dir/
	remember
	refused 'File exists' - 'a link where there is one' ln -sT $a $dir/eth0
	refused "$eperm" 'a link cannot be renamed' 'renaming it' mv -T $dir/eth0 $dir/x
	refused "$inval" "'/etc' is not a VIF" 'replacing it by a link elsewhere' ln -sfn /etc $dir/eth0
	refused "$eperm" - 'a directory' mkdir $dir/x
	refused "$eacces" - 'a file' set_to $dir/x 1
	rm $dir/eth0
}

links() {
	local name dir
	while read -r name dir; do links_as "${name//-/ }" "$dir"; done < <(kinds_of_targets)
}

# what a VIF tells of those attached
members() {
	local cookie
	cookie=$(sed -n 's/^cookie //p' "$tasks/$process/sockets/$fd/socket")
	ln -s $a "$tasks/$process/"
	ln -s $a "$tasks/$process/threads/$thread/"
	ln -s $a "$tasks/$process/sockets/$fd/"
	check_eq 'tasks lists processes and threads' "$(words cat $a/tasks)" "$process $process/$thread"
	check_eq 'sockets lists sockets' "$(cat $a/sockets)" "$cookie tcp 10.0.0.1:9001 0.0.0.0:0"
	echo "$process/$thread" >$b/tasks
	linked 'a thread written to tasks' "$tasks/$process/threads/$thread" $b
	linked 'its process stays' "$tasks/$process" $a
	echo "$thread" >$b/tasks
	linked 'the number of a thread is its process' "$tasks/$process" $b
	rm "$tasks/$process/eth0" "$tasks/$process/threads/$thread/eth0" "$tasks/$process/sockets/$fd/eth0"
	check_eq 'nothing is left' "$(cat $a/tasks $a/sockets $b/tasks $b/sockets)" ''
}

# --- names ------------------------------------------------------------------------

names() {
	local odd=$'two\nlines' strange='a b"\c'
	mkdir "$eth0/$odd" $groups/eth0 "$groups/$strange"
	ln -s "$eth0/$odd" $top/devices/lo/
	check_eq 'a VIF whose name has a line feed' "$(readlink $top/devices/lo/eth0)" "../../eth0/$odd"
	ln -s $a $top/devices/lo/$'three\nmore\nlines'
	linked 'a link is given such a name' $top/devices/lo $a
	rm $top/devices/lo/eth0
	rmdir "$eth0/$odd"
	linked_group "$strange"
	rmdir "$groups/$strange"

	ok 'a group with the name of a device' test -d $top/cgroups/eth0
	linked_group eth0
	ln -s $a $top/cgroups/
	ok 'is hidden by a link' test -L $top/cgroups/eth0
	check_eq 'and listed once' "$(words find $top/cgroups -maxdepth 1 -name eth0 -printf '%y\n')" l
	rm $top/cgroups/eth0
	ok 'and there again without it' test -d $top/cgroups/eth0
	rmdir $groups/eth0
	ok 'and gone when it is removed' test ! -e $top/cgroups/eth0
}

# linked_group NAME: one of that name can be attached
linked_group() {
	ln -s $a "$top/cgroups/$1/"
	linked "a group named '$1'" "$top/cgroups/$1" $a
	rm "$top/cgroups/$1/eth0"
}

renamed() {
	ip link add d0 type dummy
	mkdir $top/d0/v
	ln -s $top/d0/v "$tasks/$process/"
	ln -s $a $top/devices/d0/
	ip link set d0 name d1
	check_eq 'a device is renamed: links to it' "$(readlink "$tasks/$process/d1" "$tasks/$process/d0")" ../../d1/v
	ok 'its directory' test ! -e $top/devices/d0
	linked 'its attachment' $top/devices/d1 $a
	ip link del d1
	check_eq 'it is removed' "$(find $top -name 'd[01]')" ''
	check_eq 'with its attachment' "$(rmdir $a 2>&1)" ''
	mkdir $a
}

# --- what is refused --------------------------------------------------------------

# no_vif NAME DIRECTORY TEXT
no_vif() {
	refused "$inval" "^'.*' is not a VIF: use its directory" "no VIF: $1" ln -sT -- "$3" "$2/eth0"
}

no_vifs() {
	local dir=$top/devices/lo
	mkdir $eth0/gone "$tmp/mount" "$tmp/peer" $top/lo/here
	rmdir $eth0/gone
	mount -t netnice netnice "$tmp/mount"
	peer mount -t netnice netnice "$tmp/peer"
	remember
	no_vif 'a parameter file' $dir $a/bandwidth
	no_vif 'tasks of a VIF' $dir $a/tasks
	no_vif 'one that has been removed' $dir $eth0/gone
	no_vif 'in another mount' $dir "$tmp/mount/eth0/a"
	no_vif 'a folder of another file system' $dir /sys/fs/cgroup/web
	no_vif 'a control group' $top/cgroups/web $top/cgroups/web
	no_vif 'a device to be attached' $dir $top/devices/eth0
	no_vif 'a process' $dir "$tasks/$process"
	no_vif 'a link' $dir $top/devices/lo/eth0
	refused "$inval" - 'no VIF: of another namespace' ln -s $a "$tmp/peer/devices/eth0/"
	check_eq 'which is told there' "$(peer head -n 1 "$tmp/peer/last_error")" \
		"'$a' is not a VIF: use its directory, for example /proc/network/eth0/web"
	(cd "$tmp/mount/devices/lo" && ln -s ../../eth0/a .)
	linked 'a relative link of another mount' $dir $a
	rm "$tmp/mount/devices/lo/eth0"
	umount "$tmp/mount" "$tmp/peer"
	rmdir $top/lo/here
}

# there is no such target: a path each
missing() {
	local dead path name
	sleep 0 &
	dead=$!
	wait $dead
	run peer socket udp4 bind 10.0.0.2 9003 say ready read
	mapfile -t foreign < <(sockets_of $pid)
	remember
	while read -r path name; do
		refused "$enoent" - "$name" ln -s $a "$path/"
	done <<-END
		$tasks/$dead a process that has exited
		$tasks/$dead/threads/$dead its thread
		$tasks/$process/threads/1 a thread of another process
		$tasks/$process/threads/$dead a thread that has exited
		$tasks/$process/threads/x a thread that is no number
		$tasks/$process/sockets/0 a descriptor that is no socket
		$tasks/$process/sockets/${fds[3]} a UNIX socket
		$tasks/$process/sockets/4321 a descriptor that is not open
		$tasks/$process/sockets/-1 a negative descriptor
		$tasks/$process/sockets/0$fd a descriptor with a zero before it
		$tasks/$process/sockets/4294967296 a descriptor beyond all
		$tasks/$pid/sockets/${foreign[0]} a socket of another namespace
		$top/cgroups/none no control group
		$top/cgroups/web/none no control group, below one
		$top/cgroups/web/cgroup.procs a file of a control group
		$top/devices/none no device
		$top/devices/all all devices
	END
	check_eq 'sockets of another namespace are not listed' "$(ls "$tasks/$pid/sockets")" ''
	refused "$esrch" "process $process has no thread $dead" 'a thread that has exited, in tasks' set_to $a/tasks "$process/$dead"
	refused "$esrch" "process $process has no thread 1" 'a thread of another process, in tasks' set_to $a/tasks "$process/1"
	refused "$esrch" "process $dead has no thread $dead" 'a process that has exited, in tasks' set_to $a/tasks "$dead/$dead"
	for name in / 1/ /1 1/x x/1 1/1/1 '1 /1' 1/-1 0/0; do
		refused "$inval" "is not a process: write its number, PROCESS/THREAD" "'$name' in tasks" set_to $a/tasks "$name"
	done
	# they are in the first PID namespace
	own_machine || return 0
	refused "$inval" 'a kernel thread cannot be attached' 'a kernel thread' ln -s $a $tasks/2/
	refused "$inval" 'a kernel thread cannot be attached' 'the thread of one' ln -s $a $tasks/2/threads/2/
	refused "$inval" 'a kernel thread cannot be attached' 'the thread of one, in tasks' set_to $a/tasks 2/2
}

# left NAME WORDS DIRECTORY COMMAND...: who is in the directory of a target that goes
# cannot attach it any more, and the directory has gone
left() {
	local name=$1 words=$2 dir=$3 target
	shift 3
	target=$(dirname "$dir")
	cd "$dir" || return
	"$@"
	remember
	refused "$esrch" "$words" "$name" ln -s $a ./
	cd / || return
	check_eq "$name: and is listed no more" "$(find "$target" -maxdepth 1 -name "${dir##*/}" 2>/dev/null)" ''
}

# a process that has exited is on the VIF's list for a moment longer
none_attached() { [ "$(ls $tasks)" = self ] && [ -z "$(cat $a/tasks $b/tasks)" ]; }

# the PID belongs to another process
recycle() {
	local old=$1 tries
	stop "$old"
	for tries in {1..50}; do
		echo $((old - 1)) >/proc/sys/kernel/ns_last_pid
		sleep 1000 &
		again=$!
		defer stop $again
		[ $again -ne "$old" ] || break
	done
	note "the same PID after $tries attempts"
	busywait 5 none_attached
}

gone() {
	local again
	run thread '{' pause 1000 '}' say ready read
	left 'a thread has exited' 'the thread has exited' "$tasks/$pid/threads/$(thread_of $pid)" \
		busywait 5 eval '! threads_alive'
	left 'a process has exited' 'the process has exited' "$tasks/$pid" stop $pid
	mkdir $groups/gone
	left 'a group has been removed' 'the control group has been removed' $top/cgroups/gone rmdir $groups/gone
	ip link add d0 type dummy
	left 'a device has been removed' 'the device has been removed' $top/devices/d0 ip link del d0

	[ -e /proc/sys/kernel/ns_last_pid ] || { skip 'recycled PIDs' 'the kernel gives no choice'; return; }
	sleep 1000 &
	# it is no more this shell, which cleans up when it is stopped
	busywait 5 grep -qx sleep /proc/$!/comm
	echo $! >$a/tasks
	cd "$tasks/$!" || return
	recycle $!
	remember
	check_eq 'a recycled PID is attached to nothing' "$(links_of "$again") $(cat $a/tasks)" ' '
	refused "$esrch" 'the process has exited' 'in the directory of the process before' ln -s $a ./
	cd / || return
	ok 'the new one can be attached' ln -s $a "$tasks/$again/"
	stop "$again"
	busywait 5 none_attached
}

unprivileged() {
	local name dir
	ln -s $b $top/devices/lo/
	remember
	who=(user_runs)
	while read -r name dir; do
		case $dir in
		"$tasks"/*) refused "$enoent" - "user: ${name//-/ }" ln -s $a "$dir/" ;;
		*) refused "$eperm" 'CAP_NET_ADMIN over the network namespace' "user: ${name//-/ }" ln -s $a "$dir/" ;;
		esac
	done < <(kinds_of_targets)
	refused "$eperm" '^devices/lo: attaching and detaching require CAP_NET_ADMIN' 'user: rm' rm -f $top/devices/lo/eth0
	refused "$enoent" - 'user: ls sockets' ls "$tasks/$process/sockets"
	refused "$enoent" - "user: a socket" cat "$tasks/$process/sockets/$fd/socket"
	refused "$enoent" - "user: ls threads" ls "$tasks/$process/threads"
	who=()
	check_eq 'user: groups and devices may be looked at' \
		"$(as_user find $top/cgroups $top/devices 2>&1 >/dev/null)" ''
	rm $top/devices/lo/eth0
}

begin
modprobe dummy numdummies=0
setup_veth
need netnice
setup_targets
mkdir $a $b
lists
links
refused_there
members
names
renamed
no_vifs
missing
gone
unprivileged
log_clean
