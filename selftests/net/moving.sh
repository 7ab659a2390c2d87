#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=4
#
# mv: VIFs get other names and other places, with all that is below, attached and
# waiting; and everybody who looks, or has looked before, sees them there.
. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0

# --- names and places -------------------------------------------------------------

# elsewhere COMMAND...: in a mount with dentries of its own, of another PID namespace
elsewhere() { nsenter -t "$init" -m -p -- "$@"; }

child_of() { grep -lsx "PPid:[[:space:]]$1" /proc/[0-9]*/status | cut -d / -f 3 | grep .; }

seen_from_elsewhere() {
	local space went_in
	unshare --pid --mount --fork --kill-child --mount-proc sleep 10000 &
	space=$!
	defer stop $space
	busywait 5 child_of $!
	init=$(child_of $!)
	busywait 5 elsewhere test -d /proc/self
	elsewhere mount -t netnice netnice $top
	mkdir -p $eth0/a/b/c $eth0/z
	elsewhere sh -c "cd $eth0/a/b/c && echo in && sleep 10000" >"$tmp/in" &
	went_in=$!
	defer stop $went_in
	busywait 5 file_says "$tmp/in" in
	ok 'another mount: it was at the old place' elsewhere test -d $eth0/a/b/c
	mv $eth0/a/b $eth0/z/y
	fails 'another mount: not at the old place' elsewhere test -d $eth0/a/b
	ok 'another mount: at the new place' elsewhere test -d $eth0/z/y/c
	elsewhere mv $eth0/z/y/c $eth0/z/d
	check_eq 'moved there, seen here' "$(cd $eth0 && find a z -type d | sort | paste -s -d ' ')" 'a z z/d z/y'
	# unshare waits for its child, whatever else it is sent
	kill -KILL "$init"
	stop $space $went_in
	rmdir $eth0/a $eth0/z/d $eth0/z/y $eth0/z
}

names() {
	local child ino fd
	mkdir -p $eth0/a/b/c $eth0/z
	sleep 1000 &
	child=$!
	defer stop $child
	echo $child >$eth0/a/b/tasks
	echo 1m >$eth0/a/b/bandwidth
	echo 3m >$eth0/a/b/c/bandwidth
	ino=$(stat -c %i $eth0/a/b)
	cd $eth0/a/b || return
	exec {fd}>bandwidth
	ok 'a VIF is renamed' mv $eth0/a/b $eth0/a/new
	check_eq 'it is the same one' "$(stat -c %i $eth0/a/new)" "$ino"
	fails 'not under its old name' test -e $eth0/a/b
	check_eq 'links lead to it' "$(vif_attached $child eth0)" ../../eth0/a/new
	ok 'it is moved' mv $eth0/a/new $eth0/z/
	check_eq 'links lead to it there' "$(vif_attached $child eth0)" ../../eth0/z/new
	check_eq 'its processes stay' "$(cat $eth0/z/new/tasks)" $child
	check_eq 'so does what is below' "$(head -1 $eth0/z/new/c/bandwidth)" 'egress 3mbit'
	check_eq 'not in the old place' "$(ls -d $eth0/a/*/ 2>/dev/null)" ''
	check_eq 'who is in it stays in it' "$(ls -d c)" c
	check_eq 'and sees where that is' "$(readlink /proc/self/cwd)" $eth0/z/new
	echo 2m >&$fd
	exec {fd}>&-
	check_eq 'open files stay open' "$(head -1 $eth0/z/new/bandwidth)" 'egress 2mbit'
	cd / || return
	ok 'up, and under another name' mv $eth0/z/new/c $eth0/up
	ok 'a VIF takes the name that it left' mkdir $eth0/z/new/c
	fails 'not onto one that is there' mv -T $eth0/up $eth0/z/new/c
	ok 'into one that is there' mv $eth0/up $eth0/z/new/c
	ok 'where it was last' test -d $eth0/z/new/c/up
	stop $child
	rmdir $eth0/z/new/c/up $eth0/z/new/c
	busywait 5 rmdir $eth0/z/new
	rmdir $eth0/z $eth0/a
}

# An autoremoved VIF goes with the last one that is below it, or moved away
autoremoved() {
	local child
	mkdir -p $eth0/auto/v $eth0/other
	echo 1 >$eth0/auto/autoremove
	mv $eth0/auto/v $eth0/other/
	ok 'an autoremoved VIF goes when the last one is moved away' busywait 5 test ! -e $eth0/auto
	mkdir $eth0/auto
	sleep 1000 &
	child=$!
	defer stop $child
	echo $child >$eth0/auto/tasks
	echo 1 >$eth0/auto/autoremove
	mv $eth0/auto $eth0/other/
	stop $child
	ok 'one that has been moved goes with its last process' busywait 5 test ! -e $eth0/other/auto
	rmdir $eth0/other/v $eth0/other
}

# Levels of VIFs that have been removed count until nothing is under way through them
depths() {
	local i path=$eth0 y=$eth0/y/y/y/y/y/y/y/y/y/y/y/y/y
	for i in {1..20}; do path+=/$i; done
	mkdir -p "$path" $eth0/x/x/x/x/x/x/x/x/x/x/x/x
	mv $eth0/x "$path/"
	ok '20 levels and 12 more' test -d "$path/x/x/x/x/x/x/x/x/x/x/x/x"
	mkdir -p $y
	fails '20 levels and 13 more' mv $eth0/y "$path/"
	echo 8k >$y/bandwidth
	in_vif $y traffic send udp 10.0.0.2 9 --size 1000 --rate 1m --bytes 8000 >/dev/null 2>&1
	busywait 5 rmdir $y
	(cd $eth0/y && rmdir -p y/y/y/y/y/y/y/y/y/y/y)
	fails '20 levels, and one that had 12 below it through which packets are under way' mv $eth0/y "$path/"
	mkdir $eth0/y/y
	ok 'when these have left, levels that are gone do not count' busywait 20 mv $eth0/y "$path/"
	mv "$path/y" $eth0/
	mkdir -p $y
	fails 'those that are there again do' mv $eth0/y "$path/"
	ok 'to where there is room for them' mv $eth0/y $eth0/1/2/
	fails 'the 33rd level, by mkdir' mkdir "$path/x/x/x/x/x/x/x/x/x/x/x/x/x"
	mv "$path/x" $eth0/
	ok 'levels are counted from the new place' mkdir -p $eth0/x/x/x/x/x/x/x/x/x/x/x/x/x/x
	mv $eth0/1/2/y $eth0/1/2/3/
	mkdir -p $eth0/z/z
	mv $eth0/1/2/3/y/y $eth0/z/z/
	ok 'what has been moved away does not count' mv -T $eth0/1/2/3/y "$path/y"
	fails 'but where it is' mv $eth0/z "$path/y/"
	find $eth0/1 $eth0/x $eth0/z -depth -type d -exec rmdir {} +
}

# --- what waits -------------------------------------------------------------------

# rate SECONDS: bits per second that arrive at the peer now
rate() {
	local before
	before=$(peer_counter rx_bytes)
	pause "$1"
	echo $((($(peer_counter rx_bytes) - before) * 8 / $1))
}

# moved NAME FROM TO RATE
moved() {
	local now
	mv "$2" "$3"
	now=$(rate 4)
	check "$1: $now bit/s" "$now <= 1.02 * $4 && $now >= 0.98 * $4"
}

# Nothing is lost, and at each VIF what has left is what has come, when all is over
waiting() {
	local pid sink sent got
	mkdir -p $eth0/p/v $eth0/q/r
	echo 200k >$eth0/p/bandwidth
	echo 400k >$eth0/q/bandwidth
	echo max >$eth0/p/v/limit
	echo none >$eth0/p/v/aqm
	background peer traffic sink udp 9000 >"$tmp/sink" 2>/dev/null
	sink=$!
	pause 0.3
	in_vif $eth0/p/v traffic send udp 10.0.0.2 9000 --size 1000 --rate 600k --seconds 20 >"$tmp/send" &
	pid=$!
	pause 1
	moved 'where it was' $eth0/p/v $eth0/p/w 200000
	moved 'elsewhere, with what waits' $eth0/p/w $eth0/q/r/v 400000
	moved 'up by one' $eth0/q/r/v $eth0/q/v 400000
	check "much waits still" "$(vif_stat $eth0/q/v egress_p_queue_packets) + $(vif_stat $eth0/q/v egress_d_queue_packets) > 40"
	mv $eth0/q/v $eth0/v
	pause 0.1
	check_eq 'without a limit above all goes at once' \
		"$(vif_stat $eth0/v egress_p_queue_packets) $(vif_stat $eth0/v egress_d_queue_packets)" '0 0'
	wait $pid
	pause 1
	stop $sink
	sent=$(sed -n 's/.* messages=\([0-9]*\).*/\1/p' "$tmp/send")
	got=$(sed -n 's/.* messages=\([0-9]*\).*/\1/p' "$tmp/sink")
	check_eq 'all arrives' "$got" "$sent"
	check_eq 'no drops' "$(vif_stat $eth0/v egress_drops)" 0
	check_eq 'what the VIF has counted' "$(vif_stat $eth0/v egress_packets)" "$sent"
	check 'those above have each counted what left while it was there' \
		"$(vif_stat $eth0/p egress_packets) + $(vif_stat $eth0/q egress_packets) < $sent && \
		 $(vif_stat $eth0/p egress_packets) > 100 && $(vif_stat $eth0/q egress_packets) > 200"
	busywait 5 rmdir $eth0/v
	rmdir $eth0/q/r $eth0/q $eth0/p
}

# shares: moved among others, it contends there, by its weight
shares() {
	local i before=() after=() pids=()
	mkdir -p $eth0/p/a $eth0/p/b $eth0/q
	echo 1m >$eth0/p/bandwidth
	echo 300 >$eth0/p/b/weight
	for i in a b; do
		in_vif $eth0/p/$i traffic send udp 10.0.0.2 9 --size 1000 --rate 2m --seconds 12 >/dev/null 2>&1 &
		pids+=($!)
	done
	pause 2
	mv $eth0/p/b $eth0/q/
	pause 1
	mv $eth0/q/b $eth0/p/
	pause 1
	for i in a b; do before+=("$(vif_stat $eth0/p/$i egress_bytes)"); done
	pause 5
	for i in a b; do after+=("$(vif_stat $eth0/p/$i egress_bytes)"); done
	check "back in its place it has its share: $((after[1] - before[1])) against $((after[0] - before[0])) bytes" \
		"$((after[1] - before[1])) >= 2.95 * $((after[0] - before[0])) && \
		 $((after[1] - before[1])) <= 3.05 * $((after[0] - before[0]))"
	wait "${pids[@]}"
	busywait 20 rmdir $eth0/p/a
	busywait 20 rmdir $eth0/p/b
	rmdir $eth0/p $eth0/q
}

begin
setup_veth
wire_exact on
need netnice
names
seen_from_elsewhere
autoremoved
# who has nothing to send to is not told so
peer nft 'table ip silence { chain c { type filter hook output priority 0; icmp type destination-unreachable drop; }; }'
ping -qc 1 10.0.0.2 >/dev/null
depths
waiting
shares
