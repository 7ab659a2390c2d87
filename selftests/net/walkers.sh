#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Programs that walk through all files that they find: backups, searches, indexers,
# watchers. Over a mount with several devices, VIFs with odd names and many levels,
# processes, threads, sockets and control groups, as root and as an ordinary user, each
# ends soon, without an error (the user's errors are about permissions), changes nothing,
# and keeps neither the mount nor the module.
#
# lab: timeout=1200, budget=28
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0
groups=/sys/fs/cgroup/walkers
bound=120

# --- what there is to walk through -------------------------------------------------

make_vifs() {
	local deep
	modprobe dummy numdummies=0
	ip link add eth1 type dummy
	defer ip link del eth1
	ip link set eth1 up
	mkdir -p $eth0/{a,b,c}/{x,y}/z $top/eth1/{a,b} $top/lo/a "$eth0/two words" $eth0/über $eth0/-r \
		"$eth0/"$'line\nfeed' $eth0/private/below
	deep=$eth0/$(seq -s / 32)
	mkdir -p "$deep"
	find $eth0/b -type d -exec chown 1000:1000 {} +
	chmod 700 $eth0/private
	echo 'egress 20m ingress 30m' >$eth0/a/bandwidth
	echo 3 >$eth0/a/x/weight
	echo 'codel target 7ms' >$eth0/b/aqm
	echo 100p >"$deep/limit"
}

attach_all() {
	local i fd pid
	mkdir -p $groups/{web/video,mail}
	defer find $groups -depth -type d -exec rmdir {} +
	for i in 1 2 3; do
		background traffic sink tcp 910$i >/dev/null
		pid=$!
		processes+=("$pid")
		busywait 60 test -e "$top/tasks/$pid/sockets/3"
		ln -s $eth0/a "$top/tasks/$pid/"
		ln -s $top/eth1/b "$top/tasks/$pid/"
		ln -s $eth0/a/x "$top/tasks/$pid/threads/$pid/"
		for fd in "$top/tasks/$pid/sockets"/*/; do ln -s $eth0/b/y "$fd"; done
	done
	ln -s $eth0/c $top/cgroups/walkers/web/video/
	ln -s $eth0/a $top/cgroups/walkers/
	ln -s $eth0/c/x $top/devices/eth1/
	background "${in_vif_prefix[@]}" $eth0/b/x traffic send udp 10.0.0.2 9002 --rate 200k >/dev/null
	processes+=($!)
}

# --- what must not change ------------------------------------------------------------

# all settings, owners, modes and attachments
snapshot() {
	local pid
	find $eth0 $top/eth1 $top/lo -printf '%p %y %U %G %m %T@ %C@\n'
	find $eth0 $top/eth1 $top/lo -type f ! -name stat -exec grep -H '' {} +
	find $top/tasks $top/cgroups $top/devices -type l ! -name self -printf '%p %l\n'
	for pid in "${processes[@]}"; do
		find "$top/tasks/$pid" ! -name self -printf '%p %l %T@ %C@\n'
	done
}

# --- walkers -------------------------------------------------------------------------

# permissions_only FILE: says what else is in it
permissions_only() {
	! grep -vE 'Permission denied|Operation not permitted|^tar: Exiting with failure|^rsync error: some files' "$1"
}

# walk root|user COMMAND...: within the bound, and what it says
walk() {
	local who=$1 status prefix=()
	shift
	[ "$who" = root ] || prefix=("${user_prefix[@]}")
	rm -rf "$to"
	install -d -m 777 "$to"
	"${prefix[@]}" timeout $bound "$@" </dev/null >"$tmp/said" 2>"$tmp/complaints"
	status=$?
	if [ $status -eq 124 ]; then
		fail "$who: $*: ends within $bound s"
	elif [ "$who" = root ] && [ $status -ne 0 ]; then
		fail "$who: $*" "status $status" "$(head -20 "$tmp/complaints")"
	elif [ "$who" = root ] && [ -s "$tmp/complaints" ]; then
		fail "$who: $*: without complaint" "$(head -20 "$tmp/complaints")"
	elif [ $status -ne 0 ] && [ ! -s "$tmp/complaints" ] && ! grep -q '\[error opening dir\]' "$tmp/said"; then
		fail "$who: $*" "status $status, without a word"
	else
		check_eq "$who: $*" "$(permissions_only "$tmp/complaints" | head -20)" ''
	fi
}

# walk_all root|user: in $to there is room for copies
walk_all() {
	local who=$1
	walk "$who" find $top
	check "$who: find finds $(wc -l <"$tmp/said")" "$(wc -l <"$tmp/said") > 700"
	walk "$who" find -L $top
	walk "$who" find $top -printf '%i %s %k %n %T@ %l %u %Y\n'
	walk "$who" ls -lR $top
	walk "$who" ls -laR --time=birth $top
	walk "$who" ls -LR $top
	walk "$who" tree -apugsD --inodes $top
	walk "$who" tree -l $top
	walk "$who" du -a $top
	walk "$who" du -sL --apparent-size $top
	walk "$who" grep -r egress $top
	check "$who: grep finds what was set" "$(grep -c '/eth0/a/bandwidth:egress 20mbit' "$tmp/said") == 1"
	walk "$who" grep -R egress $top
	walk "$who" find $top -exec stat {} +
	walk "$who" find $top -type f -exec wc {} +
	walk "$who" find $top -type f -exec cat {} +
	walk "$who" find $top -type f -exec md5sum {} +
	walk "$who" cp -r $top "$to"
	check_eq "$who: cp -r has copied what was set" "$(cat "$to/network/eth0/a/bandwidth" "$to/network/eth0/b/aqm")" \
		$'egress 20mbit\ningress 30mbit\negress codel target 7ms\ningress codel target 7ms'
	walk "$who" cp -rL $top "$to"
	walk "$who" cp -a $top "$to"
	walk "$who" tar -cf "$to/tar" -C $top .
	walk "$who" bash -c 'rsync -a "$0/" "$1/rsync" && rsync -ac "$0/" "$1/rsync"' $top "$to"
	walk "$who" updatedb.plocate -l 0 -o "$to/db" -U $top --prune-bind-mounts no --prunefs '' --prunepaths ''
	check "$who: updatedb has a list" "$(stat -c %s "$to/db" || echo 0) > 500"
	walk "$who" busybox find $top
	walk "$who" busybox ls -lR $top
	walk "$who" busybox du -a $top
	walk "$who" bash -c 'shopt -s globstar; cd "$0" && : **/*' $top
}

# --- threads that end meanwhile --------------------------------------------------------

# A process that had a thread attached is looked at, thread by thread, with a pause after each 64
# (THREADS_AT_ONCE), in 32 such processes. The lister has the CPU only when no other process wants
# it, so what starts here stops it, most likely in such a pause. Meanwhile the thread that it holds
# executes a program, which ends all others, and new processes get their memory. The number of new
# processes says how long that takes: time passes slowly in a User Mode Linux that is never idle.
lists_on() {
	local before
	before=$(stat -c %s "$tmp/list")
	busywait 60 eval "[ \$(stat -c %s '$tmp/list') -gt $((before + 1000)) ]"
}

# all_say WORD: all processes that exec_while_listed() has started
all_say() { [ "$(grep -cx "$1" "$tmp/said")" -eq ${#pids[@]} ]; }

start_processes() {
	local n
	for ((n = 0; n < $1; n++)); do /bin/true; done
}

exec_while_listed() {
	local i n line lister words pids rounds=16
	! short || rounds=5
	mkfifo "$tmp/line"
	exec {line}<>"$tmp/line"
	yes | chrt --idle 0 thief list $top/tasks >"$tmp/list" &
	lister=$!
	defer kill -9 $lister
	# a thread inherits, so what is attached comes last
	words='times 62 { thread { pause 3600000 } } thread { read exec say again pause 3600000 }'
	words+=" attach-thread $eth0/a/tasks say up wait"
	for ((i = 0; i < rounds; i++)); do
		: >"$tmp/said"
		pids=()
		for n in {1..32}; do
			# shellcheck disable=SC2086
			kinds $words <&"$line" >>"$tmp/said" &
			pids+=($!)
		done
		busywait 60 all_say up
		for n in "${pids[@]}"; do rm "$top/tasks/$n/threads/$n/eth0"; done
		lists_on
		printf '\n%.0s' "${pids[@]}" >&"$line"
		start_processes 300
		busywait 60 all_say again
		lists_on || break
		stop "${pids[@]}"
	done
	stop "${pids[@]}"
	check_eq 'exec by a thread while threads are listed: the list goes on' $i $rounds
	kill -9 $lister
	ok 'and the lister can be killed' busywait 60 eval "! kill -0 $lister"
}

# --- watchers --------------------------------------------------------------------------

# One that stays until the end. Inodes here last only while they are used, and
# a watch is on an inode: it tells what happens to directories and files in use.
watching() {
	background inotifywait -m -r -e create,delete,modify,attrib,open $top >"$tmp/events" 2>"$tmp/watcher"
	watcher=$!
	ok 'inotifywait watches all' busywait 120 grep -q 'Watches established' "$tmp/watcher"
	mkdir $eth0/c/new
	echo 5 >$eth0/c/weight
	echo 100 >$eth0/c/weight
	chmod 700 $eth0/c/new
	rmdir $eth0/c/new
	note "events: $(wc -l <"$tmp/events")"
}

begin
setup_veth
need netnice tree rsync updatedb.plocate inotifywait
to=$(mktemp -d)
defer rm -rf "$to"
processes=()
make_vifs
attach_all
snapshot >"$tmp/before"
check "there is much to walk through: $(wc -l <"$tmp/before") lines" "$(wc -l <"$tmp/before") > 1500"
for who in root user; do
	walk_all $who
	snapshot >"$tmp/after"
	check_eq "$who: nothing has changed" "$(diff "$tmp/before" "$tmp/after" | head -20)" ''
done
exec_while_listed
watching
snapshot >"$tmp/after"
check_eq 'watching: nothing has changed' "$(diff "$tmp/before" "$tmp/after" | head -20)" ''
ok 'all are still watching and attached' kill -0 "$watcher" "${processes[@]}"
# only them: as an ordinary umount(8), not a lazy one
ok 'umount while a watcher has watches' umount $top
ok 'the module unloads while all are attached' remove_netnice
