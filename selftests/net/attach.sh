#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=16
#
# Attaching processes: by link and by number; what children, threads and exec
# inherit; sockets of all ages, on two devices. Who is limited is judged by the
# VIF's counters and by what crosses the wire.
#
#        init namespace                           namespace peer
#   +------------------------+               +----------------------+
#   |       eth0 10.0.0.1    |---------------|  eth0 10.0.0.2       |
#   |       eth1 10.1.0.1    |---------------|  eth1 10.1.0.2       |
#   +------------------------+               +----------------------+
. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0
tasks=$top/tasks

# --- links and numbers ------------------------------------------------------------

# at NAME PID VIF: the process is in VIF (eth0/...), and nowhere else on the device
at() {
	local name=$1 pid=$2 vif=$3 lists
	lists=$(cd $top && grep -rlx --include=tasks --exclude-dir=tasks "$pid" "${vif%%/*}")
	check_eq "$name" "$(vif_attached "$pid" "${vif%%/*}") $lists" "../../$vif $vif/tasks"
}

# nowhere NAME PID
nowhere() {
	check_eq "$1" "$(links_of "$2"; find $tasks -name "$2"; grep -lx "$2" $eth0/tasks $eth0/*/tasks)" ''
}

none_listed() { [ "$(ls $tasks)" = self ] && [ -z "$(cat $eth0/tasks)" ]; }

links() {
	local child
	sleep 1000 &
	child=$!
	check_eq 'a process that is attached to nothing has a directory' "$(links_of $child)" ''
	ok 'so has every process' test -d $tasks/1
	check_eq 'only those attached are listed' "$(ls $tasks)" self

	ln -s $eth0/a $tasks/$child/
	at 'ln -s VIF tasks/PID/' $child eth0/a
	check_eq 'the link has the name of the device' "$(links_of $child)" eth0
	check_eq 'tasks lists it' "$(ls -x $tasks)" "$child  self"
	ok 'the link leads to the VIF' test $tasks/$child/eth0 -ef $eth0/a
	ln -s $eth0/b $tasks/$child/
	at 'ln -s of another VIF takes its place' $child eth0/b
	ln -sf $eth0/a/c $tasks/$child/
	at 'ln -sf VIF tasks/PID/' $child eth0/a/c
	ln -sfn $eth0/a $tasks/$child/eth0
	at 'ln -sfn VIF tasks/PID/DEVICE' $child eth0/a
	ln -sfT $eth0/b $tasks/$child/eth0
	at 'ln -sfT VIF tasks/PID/DEVICE' $child eth0/b
	ln -sfn $eth0/b $tasks/$child/eth0
	at 'the same again' $child eth0/b
	rm $tasks/$child/eth0
	nowhere 'rm of the link detaches' $child
	ln -s $eth0/a $tasks/$child/eth0
	at 'ln -s VIF tasks/PID/DEVICE' $child eth0/a
	rm $tasks/$child/eth0
	ln -s $eth0/a $tasks/$child/anything
	at 'ln -s VIF tasks/PID/ANYTHING' $child eth0/a
	mkdir $eth0/b/c
	for vif in a/c b/c a/c; do
		ok "ln -s of VIFs of one name, within a second: $vif" ln -s $eth0/$vif $tasks/$child/
		at "so it is at $vif" $child eth0/$vif
	done
	rmdir $eth0/b/c
	ln -s $eth0/a $tasks/$child/anything
	check_eq 'that name is not kept' "$(links_of $child)" eth0
	rm $tasks/$child/eth0
	(cd $tasks/$child && ln -s ../../eth0/b .)
	at 'a relative link' $child eth0/b
	ln -sfn ../../eth0/./a//c/../c/ $tasks/$child/eth0
	at 'dots and slashes' $child eth0/a/c
	ln -sfn $eth0 $tasks/$child/eth0
	at 'a root VIF' $child eth0
	stop $child
	ok 'a process that has ended is in no list' busywait 5 none_listed
}

numbers() {
	local child
	sleep 1000 &
	child=$!
	echo $child >$eth0/a/tasks
	at 'a number written to tasks' $child eth0/a
	echo $child >$eth0/b/tasks
	at 'and to that of another VIF' $child eth0/b
	printf '%s' "$child" >$eth0/a/tasks
	at 'without a line feed' $child eth0/a
	check_eq '0 is the writer' "$(bash -c "echo 0 >$eth0/b/tasks; echo \$\$; cat $eth0/b/tasks" | uniq -c | head -1 |
		awk '{ print $1 }')" 2
	check_eq 'self is who looks' "$(sh -c "echo \$\$; exec readlink $tasks/self" | uniq | wc -l)" 1
	ok 'ln attaches itself by self' ln -s $eth0/b $tasks/self/
	ok 'the descriptor of tasks may be used by others' bash -c "exec 3>$eth0/b/tasks
		setpriv --reuid=1000 --clear-groups bash -c 'echo \$\$ >&3'"
	stop $child
}

# --- inheritance ------------------------------------------------------------------

# members VIF: the commands' names in it, in order
members() {
	local member
	while read -r member; do cat "/proc/$member/comm"; done <"$1/tasks" 2>/dev/null | sort | paste -s -d ' '
}
members_are() { [ "$(members "$1")" = "$2" ]; }

# inherits NAME MEMBERS SCRIPT: run in VIF b by sh; MEMBERS are there, then go
inherits() {
	start "${in_vif_prefix[@]}" $eth0/b sh -c "$3"
	busywait 10 members_are $eth0/b "$2"
	check_eq "$1" "$(members $eth0/b)" "$2"
	{ xargs kill -9 <$eth0/b/tasks; wait "$pid"; } 2>/dev/null
	ok "$1: exit" busywait 10 members_are $eth0/b ''
}

inheritance() {
	local child fd
	inherits 'fork' 'sh sleep tail' 'tail -f /dev/null & sleep 1000 & wait'
	inherits 'pipeline' 'cat sh sleep' 'sleep 1000 | cat; :'
	inherits 'exec' sleep 'exec sleep 1000'
	inherits 'exec of exec' sleep 'exec env nice setsid -w sleep 1000'
	inherits 'double fork and setsid' sleep 'setsid -f sleep 1000'
	inherits 'the parent is gone' sleep '(sleep 1000 &)'
	inherits 'set-uid, other user' sleep 'exec setpriv --reuid=1000 --clear-groups sleep 1000'
	inherits 'a new PID namespace' 'sleep unshare' 'exec unshare -pf sleep 1000'
	bash -c 'sleep 1000 & echo go; read -r; sleep 1001 & wait' <"$tmp/fifo" >"$tmp/go" &
	child=$!
	exec {fd}>"$tmp/fifo"
	busywait 10 test -s "$tmp/go"
	echo $child >$eth0/b/tasks
	check_eq 'children of before stay out' "$(members $eth0/b)" bash
	echo >&$fd
	ok 'later ones are in' busywait 10 members_are $eth0/b 'bash sleep'
	ln -sfn $eth0/a $tasks/$child/eth0
	check_eq 'moving the parent does not move them' "$(members $eth0/a) $(members $eth0/b)" 'bash sleep'
	exec {fd}>&-
	pkill -P $child
	stop $child
	ok 'none is left' busywait 10 members_are $eth0/a ''
}

# --- who is limited ---------------------------------------------------------------

# passed VIF DIRECTION BYTES: more than that have gone through it
passed() { [ "$(vif_stat "$1" "$2_bytes")" -gt "$3" ]; }

# limited NAME in|out VIF PORT [RATE]: what the peer receives (in), or IP here gets
# of what it sends (out), at PORT runs at RATE bit/s, by a meter, and is what VIF
# counts, once TCP has found its rate. What waits here grows and shrinks every few
# seconds: the meter runs for many of these. (To sleep is free in virtual time.)
limited() {
	local name=$1 way=$2 vif=$3 port=$4 rate=${5-1000000} dev dir=egress settle=0 seconds=4 before counted
	[ "$way" = in ] || dir=ingress settle=5 seconds=21
	dev=${vif#"$top"/}
	before=$(vif_stat "$vif" ${dir}_bytes)
	ok "$name: packets go through the VIF" busywait 20 passed "$vif" $dir $((before + rate / 16))
	pause $settle
	if [ "$way" = in ]; then
		meter_start one "${dev%%/*}" --in --port "$port" --seconds $seconds
	else
		meter_here one "${dev%%/*}" --delivered --port "$port" --seconds $seconds
	fi
	before=$(vif_stat "$vif" ${dir}_bytes)
	wait "${meter_one:?}"
	counted=$(($(vif_stat "$vif" ${dir}_bytes) - before))
	check "$name: $(meter one rate_bit_per_s) bit/s for $rate" \
		"$(meter one rate_bit_per_s) >= 0.9 * $rate && $(meter one rate_bit_per_s) <= 1.02 * $rate"
	check_near "$name: the VIF counts it" "$counted" "$(meter one bytes)" 6
}

# free NAME in|out DEVICE PORT: more than 20 Mbit/s
free() {
	meter_start one "$3" "--$2" --port "$4" --seconds 0.5
	wait "${meter_one:?}"
	check "$1: $(meter one bytes) bytes in half a second" "$(meter one bytes) > 20000000 / 8 / 2"
}

# start COMMAND...: in the background, as $pid: a program, no function
start() {
	"$@" >"$tmp/out" 2>&1 </dev/null &
	pid=$!
}

# start_sink COMMAND...: a server as $pid; it listens
start_sink() {
	: >"$tmp/out"
	start "$@"
	busywait 10 file_says "$tmp/out" ready
}

# ended [PID...]: and nothing left in the VIF
ended() {
	[ $# -eq 0 ] || { stop "$@"; } 2>/dev/null
	busywait 10 members_are $eth0/a '' || note "still in a: $(members $eth0/a)"
}

senders() {
	start "${in_vif_prefix[@]}" $eth0/a traffic send tcp 10.0.0.2 9002
	limited 'TCP' in $eth0/a 9002
	ended $pid
	start "${in_vif_prefix[@]}" $eth0/a traffic send tcp fd00::2 9002
	limited 'TCP over IPv6' in $eth0/a 9002
	ended $pid
	start "${in_vif_prefix[@]}" $eth0/a traffic send udp 10.0.0.2 9002 --rate 4m
	limited 'UDP' in $eth0/a 9002
	ended $pid
	start traffic send tcp 10.0.0.2 9002 --rate 30m
	free 'not attached' in eth0 9002
	echo $pid >$eth0/a/tasks
	limited 'attached while it sends' in $eth0/a 9002
	rm $tasks/$pid/eth0
	# what waits leaves at the old rate, and TCP then finds the new one
	pause 5
	free 'detached while it sends' in eth0 9002
	ended $pid
	start traffic send udp 10.0.0.2 9002 --rate 4m
	echo $pid >$eth0/a/tasks
	limited 'UDP, attached while it sends' in $eth0/a 9002
	ended $pid
	in_vif $eth0/a sh -c 'for i in 1 2 3; do setsid -f traffic send tcp 10.0.0.2 9002 >/dev/null; done'
	limited 'three daemons' in $eth0/a 9002
	xargs kill <$eth0/a/tasks
	ended
}

receivers() {
	start_sink "${in_vif_prefix[@]}" $eth0/a traffic sink tcp 9003
	background peer traffic send tcp 10.0.0.1 9003 >/dev/null
	limited 'a server that listens and accepts in the VIF' out $eth0/a 9003
	ended $pid
	start_sink traffic sink tcp 9004
	echo $pid >$eth0/a/tasks
	background peer traffic send tcp 10.0.0.1 9004 >/dev/null
	limited 'a listening server, attached' out $eth0/a 9004
	ended $pid
	start_sink traffic sink tcp 9005
	background peer traffic send tcp 10.0.0.1 9005 --rate 30m >/dev/null
	busywait 10 pgrep -P $pid
	free 'a server, not attached' out eth0 9005
	pgrep -P $pid >$eth0/a/tasks
	limited 'an accepted connection, attached' out $eth0/a 9005
	ended $pid
}

datagrams() {
	start_sink traffic sink udp 9006
	echo $pid >$eth0/a/tasks
	peer traffic send udp 10.0.0.1 9006 --rate 2m --seconds 4 >/dev/null
	busywait 5 eval "! grep -q 'ingress_[pd]_queue_packets [1-9]' $eth0/a/stat"
	ended $pid
	check_near 'a UDP receiver, attached: gets 1 Mbit/s' \
		"$(sed -n 's/.*rate_bit_per_s=//p' "$tmp/out")" $((1000000 * 1200 / 1242)) 3
	check 'and loses the rest' "$(vif_stat $eth0/a ingress_drops) > 100"
}

connections() { [ "$(ss -Htn state established dst 10.0.0.2:80 | wc -l)" -eq "$1" ]; }
threads() { find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l; }

nginx_runs() { [ "$(pidof nginx | wc -w)" -eq 3 ]; }

programs() {
	nginx -c /lab/nginx.conf
	busywait 10 nginx_runs
	for pid in $(pidof nginx); do echo "$pid" >$eth0/a/tasks; done
	background peer curl -s -o /dev/null http://10.0.0.1/zeros
	limited 'a web server, attached' in $eth0/a 80
	nginx -c /lab/nginx.conf -s stop
	ended
	peer nginx -c /lab/nginx.conf
	defer peer nginx -c /lab/nginx.conf -s stop
	# little at a time, then a pause: in virtual time that is made of pauses alone,
	# no other process would have a turn before it has all of a large file
	start hey -z 1000s -c 1 -q 100 http://10.0.0.2/some
	busywait 10 connections 1
	check "it has threads: $(threads)" "$(threads) > 1"
	echo $pid >$eth0/a/tasks
	check_eq 'it is one process in tasks' "$(cat $eth0/a/tasks)" $pid
	limited 'a program with threads' out $eth0/a 80
	ended $pid
}

two_devices() {
	local family
	mkdir $top/eth1/x
	echo 2m >$top/eth1/x/bandwidth
	start sh -c 'traffic send tcp 10.0.0.2 9002 & traffic send tcp 10.1.0.2 9002 --rate 30m & sleep 1000'
	busywait 10 eval "pgrep -P $pid | grep -c . | grep -qx 3"
	mapfile -t family < <(pgrep -P $pid)
	for pid in "${family[@]}"; do echo "$pid" >$eth0/a/tasks; done
	limited 'attached on eth0: eth0' in $eth0/a 9002
	free 'attached on eth0: eth1' in eth1 9002
	for pid in "${family[@]}"; do ln -s $top/eth1/x $tasks/"$pid"/; done
	check_eq 'two devices, two links' "$(links_of "$pid")" $'eth0\neth1'
	limited 'attached on both: eth0' in $eth0/a 9002
	limited 'attached on both: eth1' in $top/eth1/x 9002 2000000
	rm $tasks/"$pid"/eth0
	check_eq 'detached from one, the other stays' "$(links_of "$pid")" eth1
	kill "${family[@]}"
	ended
	# one of them was in x only
	ok 'no process is left on either' busywait 10 rmdir $top/eth1/x
}

begin
setup_veth
setup_second_veth
wire_exact on
need netnice
mkfifo "$tmp/fifo"
truncate -s 1G /srv/www/zeros
truncate -s 1M /srv/www/some
background peer traffic sink tcp 9002 >"$tmp/ready"
background peer traffic sink udp 9002 >"$tmp/ready.udp"
busywait 10 file_says "$tmp/ready" ready
mkdir $eth0/a $eth0/a/c $eth0/b
links
numbers
inheritance
echo 1m >$eth0/a/bandwidth
senders
receivers
datagrams
programs
two_devices
