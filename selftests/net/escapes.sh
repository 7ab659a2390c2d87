#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, kernels=new, timeout=1800, budget=31
#
# Attempts to get out of what an administrator has set, and to harm others. User 1000
# is given a VIF of 1 Mbit/s; the attempt is a script that ends with sending ten
# times as much. The peer judges: never more than the limit, over any interval.
# shellcheck disable=SC2016

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cells.sh"

top=/proc/network
eth0=$top/eth0
jail=$eth0/jail		# root's
given=$eth0/given		# user 1000's, of which root has set the limit
mine=$eth0/mine		# user 1000's, without a limit
group=/sys/fs/cgroup/escapes
export top eth0 jail given mine group net_dir

# flood [MILLISECONDS]: ten times the limit
flood() { traffic send udp 10.0.0.2 9001 --rate 10m --seconds "0.${1:-300}" >/dev/null; }

# burst FD: 300 datagrams at once, through a socket that is open
burst() {
	local i data
	printf -v data '%01200d' 0
	for ((i = 0; i < 300; i++)); do
		printf %s "$data" >&"$1"
	done
}
to_peer=/dev/udp/10.0.0.2/9001
export to_peer
export -f flood burst

tree() {
	mkdir -p $jail $given/sub $mine
	chown 1000:1000 $given $given/sub $mine
	echo 1m | tee $jail/bandwidth >$given/bandwidth
	echo 20p | tee $jail/limit >$given/limit
}

# directories: all VIFs of eth0 down to the second level
directories() { printf '%s\n' $eth0/*/ $eth0/*/*/; }
all_there=$(printf '%s\n' $given/ $jail/ $mine/ $given/sub/)

# clear: nothing of user 1000's runs, and the tree is as it was. Where it is already,
# that takes few programs.
clear() {
	if pgrep -u 1000 >/dev/null; then
		{ pkill -KILL -u 1000; busywait 20 eval '! pgrep -u 1000'; } 2>/dev/null
	fi
	busywait 20 idle
	[ "$(directories)" != "$all_there" ] || [ "$(<$given/sub/bandwidth)" != $'egress max\ningress max' ] || return 0
	find $eth0 -mindepth 1 -depth -type d ! -path $jail -exec rmdir {} + 2>/dev/null
	tree
}

# idle: nothing is attached, and nothing waits
idle() { ! grep -rqsE --include=tasks --include=stat '^[0-9]|[pd]_queue_packets [1-9]' $eth0; }

# --- the judge --------------------------------------------------------------------

# judge NAME: of the meter that has been stopped; at least a tenth of a second's
# worth has to have come, and nothing ahead of the limit but its burst
judge() {
	local bytes ahead
	bytes=$(meter held bytes)
	ahead=$(meter held burst_bytes)
	if [ "${bytes:-0}" -ge 12500 ] && [ "$ahead" -le $((least_burst + 25)) ] &&
	   [ "$(meter held drops) $(meter held oversize)" = '0 0' ]; then
		pass "$1"
	else
		fail "$1" "$bytes bytes, $ahead ahead of the limit" "$(cat "$tmp/out")"
	fi
}

# The limit holds for what a process of user 1000 does:
# held NAME SCRIPT [BEFORE [SETUP]]: BEFORE is what it does before it is attached to
# $in by root, or by SETUP, which has it in $pid
in=$jail
held() { held_judged judge "$@"; }

held_judged() {
	local how=$1 name=$2 script=$3 earlier=${4-} setup=${5-} pid
	: >"$tmp/out"
	"${user_prefix[@]}" bash -c "$earlier
		echo ready; read -r; $script" <"$tmp/go" >"$tmp/out" 2>&1 &
	pid=$!
	busywait 20 file_says "$tmp/out" ready
	if [ -n "$setup" ]; then
		eval "$setup"
	else
		echo $pid >"$in/tasks"
	fi
	meter_start held eth0 --in --ring 4 --rate 1m
	echo >&"$go"
	wait $pid
	busywait 20 idle
	# what waits in a VIF that has been removed cannot be seen there
	busywait 20 cell_settled
	meter_stop held
	$how "$name"
	clear
}

# the opposite, which shows that the judge sees what is freer
judge_free() {
	check "$1" "$(meter held burst_bytes) > 50000"
}

# --- attachments ------------------------------------------------------------------

attachments() {
	held_judged judge_free 'the judge sees who is not contained' flood '' true
	held_judged judge_free 'the judge sees who is attached by himself, and gets away' \
		"rm $top/tasks/\$\$/eth0; flood" '' "as_user bash -c \"echo \$pid >$mine/tasks\""
	held 'nothing is tried' flood
	held 'detach' 'rm -f $top/tasks/$$/eth0; flood'
	held 'attach elsewhere, by tasks' 'echo 0 >$mine/tasks; echo $$ >$mine/tasks; flood'
	held 'attach elsewhere, by ln' 'ln -s $mine $top/tasks/self/; ln -sf $mine $top/tasks/$$/; ln -sfn $mine $top/tasks/$$/eth0; flood'
	held 'rename the link' 'mv $top/tasks/$$/eth0 $top/tasks/$$/lo; mv $top/tasks/$$/eth0 /tmp/; flood'
	held 'user-UID, outside' 'mkdir $eth0/user-1000; echo 0 >$eth0/user-1000/tasks; flood'
	held 'user-UID, inside' 'mkdir $jail/user-1000; echo 0 >$jail/user-1000/tasks; rm $top/tasks/$$/eth0; flood'
	held 'netnice' 'netnice -b 100m bash -c flood || flood'
	held 'netnice --pid' 'netnice -b 100m --pid $$ & wait; flood'
	held 'a process that is free attaches it elsewhere' 'flood' '' \
		"echo \$pid >$jail/tasks; as_user bash -c \"echo \$pid >$mine/tasks; ln -sfn $mine $top/tasks/\$pid/eth0; rm $top/tasks/\$pid/eth0\""
	held 'attached elsewhere before' flood 'echo 0 >$mine/tasks'
	held 'its thread attached elsewhere before' flood 'echo $$/$$ >$mine/tasks'
	held 'its thread attached elsewhere' 'ln -s $mine $top/tasks/$$/threads/$$/; echo $$/$$ >$mine/tasks; flood'
	held 'new threads' 'kinds thread { thread { socket udp4 connect 10.0.0.2 9001 times 300 { send 1200 } } }'
	held 'new threads, attached elsewhere' \
		"kinds thread { attach-thread $mine/tasks thread { attach-thread $mine/tasks socket udp4 connect 10.0.0.2 9001 times 300 { send 1200 } } }"
	held 'a socket attached elsewhere' "kinds socket udp4 connect 10.0.0.2 9001 attach-socket $mine times 300 { send 1200 }"
	held 'a socket attached elsewhere before' 'burst 9' 'exec 9<>$to_peer; ln -s $mine $top/tasks/$$/sockets/9/'
	held 'a socket of a freer process' 'burst 9' 'exec 9<>$to_peer; printf x >&9'
	held 'a socket taken from a freer process' 'thief take $free 9 300; kill $free' \
		'bash -c "exec 9<>$to_peer; printf x >&9; exec sleep 100" & free=$!'
	held 'a file opened before' 'echo 0 >&8; echo $$ >&8; flood' 'exec 8>$mine/tasks'
	held 'links and attachments, again and again' \
		'for i in {1..60}; do ln -sfn $mine $top/tasks/$$/eth0; rm $top/tasks/$$/eth0; echo 0 >$mine/tasks; done & flood 800; wait' '' \
		"echo \$pid >$jail/tasks; for i in {1..30}; do echo \$pid >$jail/tasks; pause 0.02; done & defer wait \$!"
}

# --- VIFs -------------------------------------------------------------------------

vifs() {
	in=$given
	held 'given: nothing is tried' flood
	held 'given: loosen it' \
		'for f in bandwidth=max bandwidth=1g burst=10s limit=max weight=10000 priority=0 aqm=none; do echo "${f#*=}" >"$given/${f%=*}"; done; flood'
	held 'given: move it into a freer one' 'mv $given $mine/; mv -T $given $mine/given; flood'
	held 'given: remove it' 'rmdir $given; rmdir $given/sub; rmdir $given; mkdir $given; flood'
	held 'given: put a link in its place' 'rmdir $given/sub $given; ln -s $mine $given; ln -sfn mine $given; flood'
	held 'given: exchange it with a freer one' \
		'mv $mine $eth0/x; mv $given $mine; mv $eth0/x $given; mv --exchange $mine $given; flood'
	held 'given: give it away' 'chown 1001 $given; chgrp 1001 $given; chmod 0 $given; flood'
	in=$given/sub
	held 'below given: loosen it' 'echo 100m >$given/sub/bandwidth; echo 10s >$given/sub/burst; echo max >$given/sub/limit; flood'
	held 'below given: move it up' 'mv $given/sub $eth0/sub; mv $given/sub $eth0/; flood'
	held 'below given: move it out' 'mv $given/sub $mine/; flood'
	held 'below given: move it away and back' \
		'for i in {1..100}; do mv $given/sub $given/x; mkdir $given/y; mv $given/x $given/y/x; mv $given/y/x $given/sub; rmdir $given/y; done & flood 800; wait'
	held 'below given: attach below and move that' \
		'mkdir $given/sub/a; echo 0 >$given/sub/a/tasks; mv $given/sub/a $given/a; mv $given/a $mine/; flood'
	held 'below given: attach to what is beside' 'mkdir $given/b; echo 0 >$given/b/tasks; echo 0 >$given/tasks; flood'
	held 'below given: race of mv and attach' \
		'mkdir $given/sub/a; for i in {1..100}; do mv $given/sub/a $given/a; echo 0 >$given/a/tasks; mv $given/a $given/sub/a; echo 0 >$given/sub/a/tasks; done & flood 800; wait'
	in=$jail
}

# --- processes --------------------------------------------------------------------

processes() {
	cp "$(command -v traffic)" /run/set-uid
	chmod 4755 /run/set-uid
	held 'many children' 'for i in {1..20}; do flood & done; wait'
	held 'a daemon' '(setsid bash -c "flood & exit" &) ; sleep 0.5'
	held 'a child whose parents have gone' '( ( (sleep 0.1; flood) & ) & ); sleep 0.5'
	held 'set-uid exec' '/run/set-uid send udp 10.0.0.2 9001 --rate 10m --seconds 0.3'
	held 'a set-uid program writes for it' '/run/set-uid-echo $$ >$mine/tasks; flood'
	held 'a new user namespace' 'unshare -Ur bash -c "echo 0 >$mine/tasks; rm $top/tasks/self/eth0; flood"'
	held 'a new pid namespace' 'unshare -Urpf bash -c "echo 0 >$mine/tasks; flood"'
	held 'a new mount namespace' \
		'unshare -Urm bash -c "mount -t netnice none /mnt; mount --bind $mine $jail; echo 0 >$jail/tasks; flood"'
	held 'another directory over /proc/network' \
		'unshare -Urm bash -c "mount --bind $mine $top; ln -s $top $top/tasks; mkdir $top/x; flood"'
	held 'a new root directory' \
		'unshare -Ur chroot /proc/self/root/ bash -c "echo 0 >/proc/\$\$/root$mine/tasks; flood"'
	held 'a new network namespace' 'unshare -Urn bash -c "burst 9"' 'exec 9<>$to_peer; printf x >&9'
	held 'its own mount in a new network namespace' \
		'unshare -Urnm bash -c "mount -t netnice none /proc/network; ls $top/tasks; rm $top/tasks/*/eth0; mkdir $eth0; burst 9"' \
		'exec 9<>$to_peer; printf x >&9'
	held 'paths through /proc' \
		'exec 8<$mine; echo 0 >/proc/self/fd/8/tasks; ln -sfn /proc/self/fd/8 $top/tasks/$$/eth0; ln -sfn /proc/$$/root$mine $top/tasks/$$/eth0; ln -sfn ../../eth0/jail/../mine $top/tasks/$$/eth0; flood'
	rm /run/set-uid
}

# --- by control group -------------------------------------------------------------

# All of the user is in the group: no other process of the user is any freer.
groups() {
	local delegated
	mkdir $group
	defer rmdir $group
	chown 1000:1000 $group $group/cgroup.procs
	ln -s $jail $top/cgroups/escapes/
	delegated="echo \$pid >$group/cgroup.procs"
	held 'by group: nothing is tried' flood '' "$delegated"
	held 'by group: detach' 'rm $top/cgroups/escapes/eth0; flood' '' "$delegated"
	held 'by group: attach the process elsewhere' 'echo 0 >$mine/tasks; netnice -b 100m bash -c flood' '' "$delegated"
	held 'by group: attached elsewhere before' 'flood' 'echo 0 >$mine/tasks' "$delegated"
	held 'by group: attach the socket elsewhere' \
		"kinds socket udp4 connect 10.0.0.2 9001 attach-socket $mine times 300 { send 1200 }" '' "$delegated"
	held 'by group: attach groups' \
		'mkdir $group/a; ln -s $mine $top/cgroups/escapes/a/; echo 0 >$group/a/cgroup.procs; flood; echo 0 >$group/cgroup.procs; rmdir $group/a' \
		'' "$delegated"
	held 'by group: leave the group' 'echo 0 >/sys/fs/cgroup/cgroup.procs; flood' '' "$delegated"
	# an unattached process in the group is freer than one that has attached itself
	held 'by group: steer a freer process by ptrace' \
		'bash -c "exec 9<>$to_peer; exec sleep 100" & sleep 0.1; thief steer $! 9 300; kill $!' '' "$delegated"
	held 'by group: take the socket of a freer process' \
		'bash -c "exec 9<>$to_peer; exec sleep 100" & sleep 0.1; thief take $! 9 300; kill $!' '' "$delegated"
	pkill -KILL -u 1000
	busywait 10 rmdir $group
}

# --- sockets that no process has open ---------------------------------------------

# after_first PORT: got is how many of 20 datagrams to a port the jail has, after a first one, by which the socket is
# looked for
after_first() {
	local before
	peer kinds socket udp4 connect 10.0.0.1 "$1" send 100 pause 500
	before=$(vif_stat $jail ingress_packets)
	peer kinds socket udp4 connect 10.0.0.1 "$1" times 20 '{' send 100 '}'
	busywait 20 cell_settled
	got=$(($(vif_stat $jail ingress_packets) - before))
}

# takes NAME COUNT PREFIX...: a socket that is in a message only; the jail has COUNT of what it receives
takes() {
	local taker
	# shellcheck disable=SC2086
	background "${@:3}" kinds pair socket udp4 bind 0.0.0.0 7300 ${keeps-pass 0 close} say ready pause 100000000 \
		>"$tmp/hidden"
	taker=$!
	busywait 20 file_says "$tmp/hidden" ready
	after_first 7300
	check_eq "hidden: $1" $got "$2"
	stop $taker
}

# rolls MS: a socket goes from process to process, each of which exits after this time
rolls() {
	local words='pause 500' i before
	for ((i = 0; i < 50; i++)); do words="pause $1 fork { $words } exit"; done
	# shellcheck disable=SC2086
	background "${in_vif_prefix[@]}" $jail "${user_prefix[@]}" kinds socket udp4 bind 0.0.0.0 7301 say ready \
		$words >"$tmp/hidden"
	busywait 20 file_says "$tmp/hidden" ready
	before=$(vif_stat $jail ingress_packets)
	# half of the limit: nothing is dropped
	peer kinds socket udp4 connect 10.0.0.1 7301 times $((40 * $1)) '{' send 10 pause 1 '}'
	busywait 20 cell_settled
	check "a socket that processes hand on each $1 ms, and exit: $(($(vif_stat $jail ingress_packets) - before)) of $((40 * $1)) packets" \
		"$(vif_stat $jail ingress_packets) - $before >= 39 * $1"
	pkill -x kinds
}

# A process that has received by a socket gives it to one that is not attached, and exits.
given_away() {
	local before giver
	background "${user_prefix[@]}" kinds pair fork '{' hear 1 pause 100000000 '}' say ready pause 500 \
		socket udp4 bind 0.0.0.0 7302 pass 0 say bound pause 1000 exit >"$tmp/hidden"
	giver=$!
	busywait 20 file_says "$tmp/hidden" ready
	echo $giver >$jail/tasks
	busywait 20 file_says "$tmp/hidden" bound
	before=$(vif_stat $jail ingress_packets)
	peer kinds socket udp4 connect 10.0.0.1 7302 send 100 pause 100 send 100
	check_eq 'a socket is to be given away' $(($(vif_stat $jail ingress_packets) - before)) 1
	wait $giver
	pause 0.3
	after_first 7302
	check_eq 'a process that is not attached has it: it leaves the VIF' $got 0
	pkill -x kinds
}

# fresh WARM PREFIX...: a process opens a socket for each 5 ms, so that the search for its process ends too
# late. After WARM datagrams, got is how many of 300 the jail has.
fresh() {
	local before opener
	background "${@:2}" kinds say ready times 1000000 '{' socket udp4 bind 0.0.0.0 7303 pause 5 close leave '}' \
		>"$tmp/hidden"
	opener=$!
	busywait 20 file_says "$tmp/hidden" ready
	peer kinds socket udp4 times "$1" '{' sendto 10.0.0.1 7303 10 pause 1 '}' pause 100
	before=$(vif_stat $jail ingress_packets)
	peer kinds socket udp4 times 300 '{' sendto 10.0.0.1 7303 10 pause 1 '}'
	busywait 20 cell_settled
	got=$(($(vif_stat $jail ingress_packets) - before))
	stop $opener
}

# the same as a subordinate user, in a user namespace of the user's
subordinate() {
	local owner
	background "${in_vif_prefix[@]}" $jail "${user_prefix[@]}" unshare --user sleep 1000
	owner=$!
	busywait 20 eval '[ "$(readlink /proc/$owner/ns/user)" != "$(readlink /proc/self/ns/user)" ]'
	echo 0 101000 1 | tee /proc/$owner/uid_map >/proc/$owner/gid_map
	fresh 50 "${in_vif_prefix[@]}" $jail nsenter --user --target $owner
	check "new sockets of a subordinate user: $got of 300 packets" "$got >= 270"
	stop $owner
}

# the same by processes that exit, each after its socket
fresh_by_many() {
	local words='pause 500' i before
	for ((i = 0; i < 60; i++)); do words="close leave socket udp4 bind 0.0.0.0 7304 pause 5 fork { $words } exit"; done
	# shellcheck disable=SC2086
	background "${in_vif_prefix[@]}" $jail "${user_prefix[@]}" kinds socket udp4 say ready $words >"$tmp/hidden"
	busywait 20 file_says "$tmp/hidden" ready
	before=$(vif_stat $jail ingress_packets)
	peer kinds socket udp4 times 250 '{' sendto 10.0.0.1 7304 10 pause 1 '}'
	busywait 20 cell_settled
	check "new sockets of processes that exit: $(($(vif_stat $jail ingress_packets) - before)) of 250 packets" \
		"$(vif_stat $jail ingress_packets) - $before >= 190"
	pkill -x kinds
}

# A user attaches sockets themselves below the limit of their processes. By one it only receives; the
# other one sends by a relay, after its process has ended.
attached_itself() {
	local keeper below=$jail/user-1000
	background "${in_vif_prefix[@]}" $jail "${user_prefix[@]}" sh -c "mkdir $below && echo 0 >$below/tasks && exec sleep 1000"
	keeper=$!
	busywait 20 grep -qs . $below/tasks
	background "${in_vif_prefix[@]}" $jail "${user_prefix[@]}" \
		kinds socket udp4 bind 0.0.0.0 7305 attach-socket $below say ready pause 100000000 >"$tmp/hidden"
	busywait 20 file_says "$tmp/hidden" ready
	after_first 7305
	check_eq 'a socket that is attached itself, and only receives' $got 20
	held 'a relay by a socket that is attached itself, after its process' "
		kinds socket udp4 bind 127.0.0.1 7306 socket udp4 connect 10.0.0.2 9001 attach-socket $below \
			fork { pause 4000 } say ready pause 500 exit &
		sleep 0.2
		ln -s ../../../\$!/sockets/4 /proc/network/tasks/\$!/sockets/3/relay
		wait \$!
		traffic send udp 127.0.0.1 7306 --rate 10m --seconds 0.3"
	stop $keeper
	clear
}

hidden() {
	local attached got
	fresh_by_many
	takes 'nothing of the user is attached' 0 "${user_prefix[@]}"
	background "${in_vif_prefix[@]}" $jail sleep 1000
	attached=$!
	takes "root's, and root has an attached process" 0
	takes "the user's, and only root has an attached process" 0 "${user_prefix[@]}"
	stop $attached
	background "${in_vif_prefix[@]}" $jail "${user_prefix[@]}" sleep 1000
	attached=$!
	takes 'the user has an attached process' 20 "${user_prefix[@]}"
	rolls 20
	rolls 2
	fresh 50 "${in_vif_prefix[@]}" $jail "${user_prefix[@]}"
	check "new sockets, all processes of the user are attached: $got of 300 packets" "$got >= 270"
	subordinate
	fresh 50
	check_eq "new sockets of root's" $got 0
	fresh 1500 "${user_prefix[@]}"
	check_eq 'new sockets of a process that is not attached' $got 0
	given_away
	keeps='' takes 'another process of the user has the socket open' 0 "${user_prefix[@]}"
	takes "root's, and the user has an attached process" 0
	mkdir $group
	defer rmdir $group
	ln -s $mine $top/cgroups/escapes/
	takes 'made in an attached group' 0 bash -c 'echo 0 >$group/cgroup.procs; exec "$@"' - "${user_prefix[@]}"
	busywait 10 rmdir $group
	stop $attached
	clear
	attached_itself
}

# --- VIFs of others ---------------------------------------------------------------

# can SCRIPT: does user 1000 succeed? The process is attached to $1 by root.
can() {
	local pid
	"${user_prefix[@]}" bash -c "read -r; $2" <"$tmp/go" >"$tmp/out" 2>&1 &
	pid=$!
	echo $pid >"$1/tasks"
	echo >&"$go"
	wait $pid
}

# If a process of the user is given a limited VIF, no other process of the user gets by
# that into what is above it.
users() {
	mkdir -p $eth0/gold/x/y
	echo 0 >$eth0/gold/priority
	echo 1m >$eth0/gold/x/bandwidth
	fails 'user-UID: not above the own VIF' can $eth0/gold/x 'mkdir $eth0/gold/user-1000'
	fails 'user-UID: not above that, in the root VIF' can $eth0/gold/x 'mkdir $eth0/user-1000'
	fails 'user-UID: not below the own VIF' can $eth0/gold/x 'mkdir $eth0/gold/x/y/user-1000'
	fails 'user-UID: not in another VIF' can $jail 'mkdir $eth0/gold/user-1000'
	ok 'user-UID: in the own VIF' can $eth0/gold/x 'mkdir $eth0/gold/x/user-1000'
	ok 'user-UID: in the root VIF, of who is attached to nothing' as_user mkdir $eth0/user-1000
	fails 'user-UID: once' as_user mkdir $eth0/user-1000
	fails 'user-UID: the weight cannot be changed' as_user bash -c 'echo 10000 >$eth0/user-1000/weight'
	fails 'user-UID: nor the priority' as_user bash -c 'echo 0 >$eth0/user-1000/priority'
	fails 'user-UID: it cannot be renamed' as_user mv $eth0/user-1000 $eth0/x
	clear
}

# Two users, one of which has 100 VIFs that all send: half of it for each
shares() {
	local i pids=()
	echo 2m >$eth0/bandwidth
	background peer traffic sink udp 9002 >"$tmp/sink2"
	busywait 20 file_says "$tmp/sink2" ready
	as_user bash -c 'mkdir $eth0/user-1000; cd $eth0/user-1000 && mkdir {1..100}; echo 0 >tasks; sleep 100' &
	setpriv --reuid=1001 --regid=1001 --clear-groups bash -c 'mkdir $eth0/user-1001; echo 0 >$eth0/user-1001/tasks
		exec traffic send udp 10.0.0.2 9002 --rate 3m --seconds 4' >/dev/null &
	pids+=($!)
	busywait 20 test -d $eth0/user-1000/100
	for ((i = 1; i <= 100; i++)); do
		"${user_prefix[@]}" bash -c "echo 0 >$eth0/user-1000/$i/tasks; exec traffic send udp 10.0.0.2 9001 --rate 100k --seconds 4" >/dev/null &
		pids+=($!)
	done
	pause 1
	meter_start shares eth0 --in --ring 4 --span 2 --port 9001 --port 9002
	pause 2.2
	meter_stop shares
	wait "${pids[@]}"
	check_near 'shares: one VIF of a user against 100 of another' "$(meter shares port_9002_bytes)" \
		"$(meter shares port_9001_bytes)" 5
	check 'shares: all of it is used' "$(meter shares bytes) > 0.95 * 2 * 2000000 / 8"
	echo max >$eth0/bandwidth
	clear
}

# --- harm to others ---------------------------------------------------------------

printable() {
	! LC_ALL=C tr -d '\n\t -~' | LC_ALL=C grep -q .
}

# Names may have any bytes. What is said about them has only such as print.
names() {
	local name i=0 said
	for name in $'a\nb' $'\e[31mred' $'\e]0;title\a' $'\x9b31m' $'\xc2\x9b31m' $'\r\b\b' $'\x7f' ' ' '-rf' $'\\' \
		"$(printf '\xff%.0s' {1..63})" "$(printf '\x80%.0s' {1..63})"; do
		i=$((i + 1))
		as_user mkdir -- "$mine/$name"
		ok "names: $i is there" test -d "$mine/$name"
		as_user mkdir -p -- "$mine/$name/x"
		rmdir -- "$mine/$name" 2>/dev/null
		ok "names: $i: last_error prints" printable <$top/last_error
		as_user bash -c 'mkdir -- "$1/tasks"; rmdir -- "$1"; cat $top/last_error >$1/none' - "$mine/$name" 2>/dev/null
		said=$(netnice -b 7k --pid $$ 2>&1; in_vif "$mine/$name" netnice -b 7k true 2>&1)
		[ -n "$said" ] || fail "names: $i: netnice says something"
		ok "names: $i: netnice prints" printable <<<"$said"
		said=$(LC_ALL=C vifctl show 2>&1)
		ok "names: $i: vifctl prints" printable <<<"$said"
		ok "names: $i: vifctl, in UTF-8" eval '! vifctl show 2>&1 | LC_ALL=C.UTF-8 grep -Pq "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]"'
		rmdir -- "$mine/$name/x" "$mine/$name"
	done
}

# A number that is used again is not the process that was attached
numbers() {
	local pid dir
	sleep 100 &
	pid=$!
	echo $pid >$jail/tasks
	exec {dir}<"$top/tasks/$pid"
	stop $pid
	background thief again $pid
	busywait 20 test -d /proc/$pid
	check_eq 'numbers: there is a process again' "$(cat /proc/$pid/comm)" thief
	check_eq 'numbers: it is not attached' "$(vif_attached $pid eth0)" ''
	# who has exited is on the list for a moment longer, by the same number
	ok 'numbers: the VIF does not list it' busywait 5 eval '[ -z "$(cat $jail/tasks)" ]'
	check_eq "numbers: the old directory has not the new one's threads" "$(ls "/proc/self/fd/$dir/threads/")" ''
	fails 'numbers: nor attaches it' ln -s $jail "/proc/self/fd/$dir/eth0"
	exec {dir}<&-
	kill -KILL $pid
	clear
}

# Files that were opened before
files() {
	local fd
	mkdir $given/sub/v
	chown 1000:1000 $given/sub/v
	: >"$tmp/out"
	as_user bash -c 'exec 8>$given/sub/v/bandwidth; echo 3m >&8; echo ready; read -r; echo 9m >&8' <"$tmp/go" >"$tmp/out" 2>&1 &
	busywait 20 file_says "$tmp/out" ready
	check_eq 'files: who owns what is above sets the limit' "$(cat $given/sub/v/bandwidth)" $'egress 3mbit\ningress 3mbit'
	chown 0:0 $given/sub
	echo >&"$go"
	wait $!
	check_eq 'files: nor after it has been taken away, if opened before' "$(cat $given/sub/v/bandwidth)" \
		$'egress 3mbit\ningress 3mbit'
	chown 1000:1000 $given/sub
	# opened by root and handed over: on purpose
	exec {fd}>$given/bandwidth
	as_user bash -c "echo 2m >&$fd"
	exec {fd}>&-
	check_eq 'files: opened by root for the user' "$(cat $given/bandwidth)" $'egress 2mbit\ningress 2mbit'
	exec {fd}<$given/bandwidth
	fails 'files: opened by root for reading' as_user bash -c "echo 3m >&$fd"
	fails 'files: opened again' as_user bash -c "echo 3m >/proc/self/fd/$fd"
	exec {fd}<&-
	clear
}

# Who has opened a directory below tasks/PID before it gained privileges
gained() {
	local part
	cp "$(type -P sleep)" /run/set-uid
	chmod 4755 /run/set-uid
	for part in . threads sockets; do
		"${user_prefix[@]}" bash -c 'exec 9<>$to_peer; read -r; exec /run/set-uid 100' <"$tmp/go" &
		busywait 20 test -d "$top/tasks/$!"
		mkfifo "$tmp/list"
		: >"$tmp/out"
		"${user_prefix[@]}" thief list "$top/tasks/$!/$part" <>"$tmp/list" >"$tmp/out" 2>&1 &
		busywait 20 file_says "$tmp/out" ready
		echo >"$tmp/list"
		busywait 20 file_says "$tmp/out" listed
		echo >&"$go"
		busywait 20 eval 'pgrep -x set-uid'
		: >"$tmp/out"
		echo >"$tmp/list"
		busywait 20 grep -q . "$tmp/out"
		check_eq "gained: $part" "$(tr -d '\0' <"$tmp/out")" 'No such file or directory'
		rm "$tmp/list"
		pkill -KILL -x set-uid
		clear 2>/dev/null
	done
	rm /run/set-uid
}

# Queued packets of all the user's processes together have a bound
memory() {
	local kb waits
	kb=$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)
	echo 8k >$mine/bandwidth
	echo max >$mine/limit
	as_user bash -c 'echo 0 >$mine/../mine/tasks; for i in {1..150}; do traffic send udp 10.0.0.2 9001 --rate 3m --seconds 1 >/dev/null & done; wait'
	waits=$(($(vif_stat $mine egress_p_queue_bytes) + $(vif_stat $mine egress_d_queue_bytes)))
	note "$waits bytes wait, of $kb KB of memory; dropped: $(vif_stat $mine egress_drops)"
	check 'memory: some wait, and some are dropped' "$waits > 100000 && $(vif_stat $mine egress_drops) > 0"
	check 'memory: half of a 32nd' "$waits < $kb * 1024 / 64"
	echo max >$mine/bandwidth
	clear
}

# As many VIFs with limits as a user may have: no other user is slower, or faster
many() {
	ok 'many: 1000 VIFs' as_user bash -c 'cd $mine && mkdir {1..1000} && for i in {1..1000}; do echo 10m >$i/bandwidth || exit; done'
	held 'many: the limit holds beside them' flood
	check_eq 'many: gone again' "$(find $mine -mindepth 1 | grep -c '/[0-9]*$')" 0
}

# VIFs are made in a directory while it changes hands: each belongs to who made it
hands() {
	mkdir $eth0/c
	as_user bash -c 'for i in {1..300}; do mkdir $eth0/c/$i; mv $eth0/c/$i $eth0/c/m$i; echo 9m >$eth0/c/m$i/bandwidth; done' 2>/dev/null &
	while kill -0 $! 2>/dev/null; do
		chown 1000:1000 $eth0/c
		pause 0.002
		chown 0:0 $eth0/c
		pause 0.002
	done
	check_eq 'hands: all VIFs are their maker'"'"'s' "$(find $eth0/c -mindepth 1 -type d ! -uid 1000)" ''
	fails 'hands: nothing is made afterwards' as_user mkdir $eth0/c/x
	fails 'hands: nor changed' as_user bash -c 'echo max >$eth0/c/bandwidth'
	find $eth0/c -depth -type d -exec rmdir {} +
}

begin
need thief
cells_setup
allow_user_namespaces
background peer traffic sink udp 9001 >"$tmp/sink"
busywait 20 file_says "$tmp/sink" ready
chmod 711 "$tmp"
mkfifo "$tmp/go"
exec {go}<>"$tmp/go"
cp "$(type -P echo)" /run/set-uid-echo
chmod 4755 /run/set-uid-echo
tree
for group_of_tests in ${GROUPS_OF_ESCAPES-attachments vifs processes groups hidden users shares names numbers files gained memory many hands}; do
	$group_of_tests
done
rm /run/set-uid-echo
log_clean
