#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a tenant does, an ordinary user or root of a container, is no concern of others:
# nothing of his is left that could be taken for theirs, and what he has used up they
# still have.
# lab: smp=2, check=6.1
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0

# Of two threads that end at the same time, on two CPUs, the kernel may be done with the
# first one last: its process has gone by then, and no other is attached.
threads() {
	local i failed=0 rounds=20
	mkdir $eth0/u
	chown 1000 $eth0/u
	short && rounds=6
	for ((i = 0; i < rounds; i++)); do
		as_user kinds times 50 "{" fork "{" pair thread "{" attach-thread $eth0/u/tasks tell 0 \
			pause 60000 "}" hear 1 exit "}" wait "}" || failed=$((failed + 1))
	done
	check_eq "$((50 * rounds)) processes attach a thread, and end" $failed 0
	ok 'nothing is left: the VIF can be removed' busywait 20 rmdir $eth0/u
	log_clean
}

# A thread that calls exec takes its process over from the first one, whose control group
# shall not be kept for what is attached.
leader() {
	local pid
	mkdir -p $group/old $group/new $eth0/v
	sh -c "echo \$\$ >$group/old/cgroup.procs && echo \$\$ >$eth0/v/tasks &&
		exec kinds thread { exec say ready pause 60000 }" >"$tmp/leader" &
	pid=$!
	ok 'a thread calls exec' busywait 20 grep -q ready "$tmp/leader"
	echo $pid >$group/new/cgroup.procs
	ok 'the group in which its process was can be removed' busywait 5 rmdir $group/old
	ok 'and nothing is left of it' busywait 20 grep -qx 'nr_dying_descendants 0' $group/cgroup.stat
	check_eq 'while the process is attached' "$(cat $eth0/v/tasks)" $pid
	stop $pid
	ok 'until it ends' busywait 20 rmdir $eth0/v
	rmdir $group/new $group
}

# A tenant's container: an ordinary user is root of a network namespace of his own, with
# devices d0, d1, ... It does what it is told on its standard input, line by line.
# container_start NAME DEVICES; inside NAME COMMAND: sets status and out
# shellcheck disable=SC2016
tenant='
	exec 2>&1
	ip link set lo up
	for ((i = 0; i < $0; i++)); do echo "link add d$i type dummy"; done | ip -b -
	mount -t netnice netnice /proc/network
	while IFS= read -r line; do
		out=$({ eval "$line"; } 2>&1 </dev/null)
		printf "%s\n" $? "${out//$'"'\n'"'/ }"
	done'

declare -A to from container
container_start() {
	local in out
	mkfifo "$tmp/to.$1" "$tmp/from.$1"
	exec {in}<>"$tmp/to.$1" {out}<>"$tmp/from.$1"
	to[$1]=$in from[$1]=$out
	"${user_prefix[@]}" unshare -Urnm bash -c "$tenant" "$2" <&"$in" >&"$out" &
	container[$1]=$!
}

inside() {
	echo "$2" >&"${to[$1]}"
	IFS= read -r status <&"${from[$1]}"
	IFS= read -r out <&"${from[$1]}"
}

container_end() {
	local in=${to[$1]} out=${from[$1]}
	exec {in}>&- {out}>&-
	kill -KILL "${container[$1]}"
	wait "${container[$1]}" 2>/dev/null
	rm "$tmp/to.$1" "$tmp/from.$1"
}

# Whoever makes a network namespace may do there what he likes, with what is his.
power() {
	local links=$top/cgroups
	mkdir -p $group/his
	chown 1000:1000 $group/his $group/his/cgroup.procs
	container_start power 1
	inside power "mkdir $top/d0/v && ln -s $top/d0/v $links/tenants/"
	check "a tenant does not attach others' groups: $out" "$status == 1"
	check_eq 'and is told why' "$(grep -o 'Operation not permitted' <<<"$out")" 'Operation not permitted'
	inside power "cat $top/last_error"
	check_eq 'in a sentence' "$(grep -o 'write permission on its file cgroup.procs' <<<"$out")" \
		'write permission on its file cgroup.procs'
	inside power "ln -s $top/d0/v $links/"
	check "nor all groups: $out" "$status == 1"
	inside power "ln -s $top/d0/v $links/tenants/his/ && readlink $links/tenants/his/d0"
	check_eq 'what has been delegated to him he attaches' "$status $out" '0 ../../../d0/v'
	chown 0:0 $group/his/cgroup.procs
	inside power "rm $links/tenants/his/d0 && ln -s $top/d0/v $links/tenants/his/"
	check "not any more: $out" "$status == 1"
	chown 1000:1000 $group/his/cgroup.procs
	chmod 700 $group
	inside power "ln -s $top/d0/v $links/tenants/his/"
	check "nor where he could not get to: $out" "$status == 1"
	chmod 755 $group
	container_end power
	rmdir $group/his $group
}

# How much he has attached of his own keeps nobody from attaching that, in another network
# namespace, or as its administrator.
full() {
	local links=$top/cgroups name i child
	mkdir -p $group/his $eth0/v
	chown 1000:1000 $group/his $group/his/cgroup.procs
	for name in one two; do
		container_start $name 257
		inside $name "for ((i = 0; i < 257; i++)); do ln -s $top/d\$i $links/tenants/his/ 2>/dev/null; done; ls $links/tenants/his | wc -w"
		[ $name = two ] || check_eq 'a group on 256 devices, not 257' "$out" 256
	done
	check_eq 'on none of another namespace' "$out" 0
	echo 300 >/sys/module/netnice/parameters/user_attachments
	inside two "for ((i = 0; i < 257; i++)); do echo \$BASHPID 2>/dev/null >$top/d\$i/tasks || break; done; echo \$i"
	check_eq 'each device counts: of 300 attachments 44 are left for a process' "$out" 44
	echo 4096 >/sys/module/netnice/parameters/user_attachments
	inside one "for ((i = 0; i < 257; i++)); do echo \$BASHPID 2>/dev/null >$top/d\$i/tasks || echo \$i; done; sleep 1000 >/dev/null 2>&1 &"
	check_eq 'a process on 256 devices, not 257' "$out" 256
	child=$(pgrep -u 1000 -x sleep)
	ok 'root attaches the group' ln -s $eth0/v $links/tenants/his/
	check_eq 'it is' "$(readlink $links/tenants/his/eth0)" ../../../eth0/v
	ok 'and a process' ln -s $eth0/v $top/tasks/"$child"/
	check_eq 'it is, too' "$(cat $eth0/v/tasks)" "$child"
	rm $links/tenants/his/eth0
	for name in two one; do container_end $name; done
	kill "$child"
	ok 'and nothing is left' busywait 20 rmdir $eth0/v
	rmdir $group/his $group

	ip -b - <<<"$(for ((i = 0; i < 200; i++)); do echo "link add d$i type dummy"; done)"
	for ((i = 0; i < 200; i++)); do
		mkdir $top/d$i/v
		chown 1000 $top/d$i/v
	done
	"${user_prefix[@]}" bash -c "for ((i = 0; i < 200; i++)); do echo \$\$ 2>/dev/null >$top/d\$i/v/tasks || break; done
		echo \$i >&3; exec sleep 1000" 3>"$tmp/many" &
	child=$!
	busywait 20 test -s "$tmp/many"
	check_eq 'in a namespace others attach on 192 devices' "$(cat "$tmp/many")" 192
	for ((i = 190; i < 200; i++)); do echo "$child" >$top/d$i/tasks; done
	check_eq 'root on more' "$(cat $top/d199/tasks)" "$child"
	stop "$child"
	ip -b - <<<"$(for ((i = 0; i < 200; i++)); do echo "link del d$i"; done)"
}

# Of all that can be attached in a namespace the last part is its administrator's.
many() {
	local i pids=()
	mkdir $eth0/u
	chown 1000 $eth0/u
	echo 100000 >/sys/module/netnice/parameters/user_attachments
	for ((i = 0; i < 70; i++)); do
		: >"$tmp/full"
		"${user_prefix[@]}" env --ignore-signal=ALRM kinds times 1000 "{" socket udp4 attach-socket $eth0/u "}" \
			say full pause 1000000 >"$tmp/full" 2>&1 &
		pids+=($!)
		busywait 60 test -s "$tmp/full"
		! grep -q 'No space' "$tmp/full" || break
	done
	check_eq 'a user may attach 57344 sockets' $i 57
	ok 'then root one more' kinds socket udp4 attach-socket $eth0/u
	ok 'and a process of his' ln -s $eth0/u $top/tasks/"${pids[0]}"/
	{ stop "${pids[@]}"; } 2>/dev/null
	ok 'and nothing is left' busywait 60 rmdir $eth0/u
	echo 4096 >/sys/module/netnice/parameters/user_attachments
}

# Sessions are made at will.
said() {
	local was
	mkdir $eth0/u
	chown 1000 $eth0/u
	{ echo nonsense >$eth0/bandwidth; } 2>/dev/null
	was=$(cat $top/last_error)
	as_user sh -c "for i in \$(seq 100); do setsid -w sh -c 'echo nonsense >$eth0/u/local_weight'; done" 2>/dev/null
	check_eq 'who is told much does not make others forget' "$(cat $top/last_error)" "$was"
	check_eq 'what he was told last he knows' "$(as_user sh -c "echo nonsense >$eth0/u/local_weight
		cat $top/last_error" 2>/dev/null | grep -c nonsense)" 1
	rmdir $eth0/u
}

# The second half of `ln -sf` finds the link under the name of the first one.
names() {
	local child
	mkdir -p $eth0/u $eth0/v
	chown 1000 $eth0/u
	as_user mkdir $eth0/u/{1..70}
	sleep 1000 &
	child=$!
	busywait 5 grep -qx sleep /proc/$child/comm
	ln -s $eth0/v $top/tasks/$child/mine
	as_user sh -c "exec ln -s $(printf "$eth0/u/%s " {1..70}) $top/tasks/\$\$/"
	check_eq 'who makes many links does not make others lose theirs' "$(readlink $top/tasks/$child/mine)" ../../eth0/v
	stop $child
	busywait 20 eval "! grep . $eth0/v/tasks"
	rmdir $eth0/u/{1..70} $eth0/u $eth0/v
}

begin
setup_veth
modprobe dummy numdummies=0
need netnice
group=/sys/fs/cgroup/tenants
stories='threads leader power full said names'
# it takes 57,344 sockets
short || stories+=' many'
for story in ${TENANTS-$stories}; do
	$story
done
