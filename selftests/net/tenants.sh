#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a tenant does, an ordinary user or root of a container, is no concern of others:
# nothing is left that could be taken for theirs, and what the tenant has used up they
# still have.
# lab: smp=2, check=uml, budget=15
# shellcheck disable=SC2016,SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tenant.sh"

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

# order: of a VIF's processes, which are always the same
order() {
	mkdir $eth0/v
	for pid in "${processes[@]}"; do echo "$pid" >$eth0/v/tasks; done
	cat $eth0/v/tasks
}

# In which order one's own are listed is no sign of where they are in the kernel's memory.
unordered() {
	local processes=() first second
	for _ in {1..16}; do
		background sleep 1000
		processes+=($!)
	done
	first=$(order)
	unload_netnice
	load_netnice
	allow_user_namespaces
	second=$(order)
	check_eq 'processes are listed' "$(sort <<<"$first")" "$(printf '%s\n' "${processes[@]}" | sort)"
	check_eq 'the same ones again' "$(sort <<<"$second")" "$(sort <<<"$first")"
	fails 'in another order' test "$first" = "$second"
	stop "${processes[@]}"
	ok 'until they end' busywait 20 rmdir $eth0/v
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

# The creator of a network namespace may do anything there, with own objects.
power() {
	local links=$top/cgroups
	mkdir -p $group/own
	chown 1000:1000 $group/own $group/own/cgroup.procs
	container_start power 1
	inside power "mkdir $top/d0/v && ln -s $top/d0/v $links/tenants/"
	check "a tenant does not attach others' groups: $out" "$status == 1"
	check_eq 'and is told why' "$(grep -o 'Operation not permitted' <<<"$out")" 'Operation not permitted'
	inside power "cat $top/last_error"
	check_eq 'in a sentence' "$(grep -o 'write permission on its file cgroup.procs' <<<"$out")" \
		'write permission on its file cgroup.procs'
	inside power "ln -s $top/d0/v $links/"
	check "nor all groups: $out" "$status == 1"
	inside power "ln -s $top/d0/v $links/tenants/own/ && readlink $links/tenants/own/d0"
	check_eq 'a delegated group can be attached' "$status $out" '0 ../../../d0/v'
	chown 0:0 $group/own/cgroup.procs
	inside power "rm $links/tenants/own/d0 && ln -s $top/d0/v $links/tenants/own/"
	check "not any more: $out" "$status == 1"
	chown 1000:1000 $group/own/cgroup.procs
	chmod 700 $group
	inside power "ln -s $top/d0/v $links/tenants/own/"
	check "nor an unreachable one: $out" "$status == 1"
	chmod 755 $group
	container_end power
	rmdir $group/own $group
}

# A tenant's many attachments do not prevent others, in another network
# namespace, or as its administrator.
full() {
	local links=$top/cgroups name i child
	mkdir -p $group/own $eth0/v
	chown 1000:1000 $group/own $group/own/cgroup.procs
	for name in one two; do
		container_start $name 257
		inside $name "for ((i = 0; i < 257; i++)); do ln -s $top/d\$i $links/tenants/own/ 2>/dev/null; done; ls $links/tenants/own | wc -w"
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
	ok 'root attaches the group' ln -s $eth0/v $links/tenants/own/
	check_eq 'it is' "$(readlink $links/tenants/own/eth0)" ../../../eth0/v
	ok 'and a process' ln -s $eth0/v $top/tasks/"$child"/
	check_eq 'it is, too' "$(cat $eth0/v/tasks)" "$child"
	rm $links/tenants/own/eth0
	for name in two one; do container_end $name; done
	kill "$child"
	ok 'and nothing is left' busywait 20 rmdir $eth0/v
	rmdir $group/own $group

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
		background "${user_prefix[@]}" kinds times 1000 "{" socket udp4 attach-socket $eth0/u "}" \
			say full pause 1000000 >"$tmp/full" 2>&1
		pids+=($!)
		busywait 60 test -s "$tmp/full"
		! grep -q 'No space' "$tmp/full" || break
	done
	check_eq 'a user may attach 57344 sockets' $i 57
	ok 'then root one more' kinds socket udp4 attach-socket $eth0/u
	ok 'and an own process' ln -s $eth0/u $top/tasks/"${pids[0]}"/
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
	check_eq 'the last sentence is kept' "$(as_user sh -c "echo nonsense >$eth0/u/local_weight
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

# An autoremoved VIF is gone in two seconds after what was attached has ended.
ends_soon() {
	local i
	mkdir $eth0/a
	sh -c "echo \$\$ >$eth0/a/tasks && echo 1 >$eth0/a/autoremove"
	for ((i = 0; i < 100; i++)); do
		[ -e $eth0/a ] || return 0
		pause 0.02
	done
	busywait 20 test ! -e $eth0/a
	return 1
}

# Hooks of a tenant's devices are taken away a second after their last use.
ends() {
	local i late=0
	container_start ends 200
	inside ends "printf 'link set d%d up\\n' {0..199} | ip -b - && mkdir $top/d{0..199}/v && rmdir $top/d{0..199}/v"
	for ((i = 0; i < 20; i++)); do
		ends_soon || late=$((late + 1))
	done
	check_eq "VIFs of others end at once while those of a tenant's 200 devices do" $late 0
	container_end ends
}

# shortest COMMAND...: of five times that it takes, in microseconds
shortest() {
	local i best=999999999 begin took
	for ((i = 0; i < 5; i++)); do
		begin=${EPOCHREALTIME/./}
		"$@"
		took=$((${EPOCHREALTIME/./} - begin))
		[ $took -ge $best ] || best=$took
	done
	echo $best
}

sending() { kinds socket udp4 connect 10.0.0.2 9 times "$1" "{" send 100 "}"; }

# How deep groups nest is a matter of who nests them.
deep() {
	local here=$BASHPID levels=1000 i flat nested path
	short && levels=600
	mkdir -p $group/other $eth0/v
	ln -s $eth0/v $top/cgroups/tenants/other/
	# as far as a path is long
	path=$(printf '/d%.0s' $(seq $levels))
	mkdir -p $group"$path"
	echo "$here" >$group/cgroup.procs
	flat=$(shortest sending 500)
	echo "$here" >$group"$path"/cgroup.procs
	nested=$(shortest sending 500)
	echo "$here" >/sys/fs/cgroup/cgroup.procs
	(cd $group && rmdir -p "${path#/}")
	in_uml || check "packets of a group on level $levels, none above it attached: $nested us, $flat us on level 1" \
		"$nested < 2 * $flat"
	rm $top/cgroups/tenants/other/eth0

	path=other
	for ((i = 0; i < 33; i++)); do
		ln -s $eth0/v $top/cgroups/tenants/$path/ 2>/dev/null || break
		path+=/d
		mkdir $group/$path
	done
	check_eq 'groups of 32 levels are attached on a device, not of 33' $i 32
	check_eq 'why is said' "$(grep -o '32 levels' $top/last_error)" '32 levels'
	rm $top/cgroups/tenants/other/d/eth0
	ok 'one for another' ln -s $eth0/v $top/cgroups/tenants/$path/
	find $group -mindepth 1 -depth -type d -exec rmdir {} +
	rmdir $group
	ok 'nothing is left of them' busywait 20 rmdir $eth0/v
}

# looked_at FUNCTION: have the module's calls of it be counted; calls: sets count
tracing=/sys/kernel/tracing
looked_at() {
	function=$1
	[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing 2>/dev/null
	[ -e $tracing/kprobe_events ] || return
	echo "p:netnice/$function $function" >$tracing/kprobe_events
	echo 1 >"$tracing/events/netnice/$function/enable"
}
calls() {
	count=$(awk -v f="$function" '$1 == f { print $2 }' $tracing/kprobe_profile)
	echo 0 >"$tracing/events/netnice/$function/enable"
	echo "-:netnice/$function" >>$tracing/kprobe_events
}

# What others have attached is no concern of devices that go, nor of who waits for RTNL.
gone() {
	local pid i
	mkdir $eth0/v
	background kinds times 1000 "{" socket udp4 attach-socket $eth0/v "}" say ready pause 1000000 >"$tmp/gone" 2>&1
	pid=$!
	busywait 60 grep -q ready "$tmp/gone"
	ip -b - <<<"$(for ((i = 0; i < 20; i++)); do echo "link add g$i type dummy"; done)"
	echo $pid >$top/g0/tasks
	if looked_at vif_set_forget; then
		ip -b - <<<"$(for ((i = 0; i < 20; i++)); do echo "link del g$i"; done)"
		pause 0.5
		calls
		check "when 20 devices go, 1 of which was in use, $count of 1001 attachments are looked at" \
			"$count >= 1 && $count <= 2200"
	else
		skip 'when devices go few attachments are looked at' 'no probes here'
		ip -b - <<<"$(for ((i = 0; i < 20; i++)); do echo "link del g$i"; done)"
	fi
	{ stop $pid; } 2>/dev/null
	ok 'nothing is left of these' busywait 60 rmdir $eth0/v
}

# Whose a socket's packets are is found once, and not again for what is done elsewhere.
forks() {
	local pid
	if ! looked_at vif_sock_sent_by; then
		skip 'forks do not have it found again' 'no probes here'
		return
	fi
	mkdir $eth0/{u,v}
	kinds write $eth0/u/tasks 0 times 100 "{" fork "{" exit "}" wait pause 20 "}" &
	pid=$!
	kinds write $eth0/v/tasks 0 socket udp4 connect 10.0.0.2 9 times 200 "{" send 100 pause 5 "}"
	calls
	wait $pid
	check "of 200 packets $count were looked at while others forked" "$count > 0 && $count <= 20"
	ok 'these end' vifs_end $eth0/{u,v}
}

# A user with subordinate users has files that make a process one of them.
subordinate() {
	local param=/sys/module/netnice/parameters/subordinate uid
	for uid in 100000 100001 165535 165536; do
		cp "$(command -v mkdir)" /tmp/mkdir.$uid
		chown $uid /tmp/mkdir.$uid
		chmod 4755 /tmp/mkdir.$uid
	done
	echo 100000,165535,200000,265535 >$param
	fails 'one of many subordinate users has no share by that number' as_user /tmp/mkdir.100001 $eth0/user-100001
	ok 'they have one together' as_user /tmp/mkdir.165535 $eth0/user-100000
	fails 'and no second one' as_user /tmp/mkdir.100000 $eth0/user-100000
	ok 'a user who is not one of them has an own VIF' as_user /tmp/mkdir.165536 $eth0/user-165536
	ok 'and so has the user to which they are subordinate' as_user mkdir $eth0/user-1000
	chmod 777 $eth0/user-100000
	echo 3 >/sys/module/netnice/parameters/user_vifs
	for uid in 100000 100001 165535; do
		as_user /tmp/mkdir.$uid $eth0/user-100000/$uid 2>/dev/null
	done
	check_eq 'what they may have they may have together' "$(find $eth0/user-100000 -mindepth 1 -type d | wc -l)" 2
	echo 1024 >/sys/module/netnice/parameters/user_vifs
	rmdir $eth0/user-100000/*/
	rm /tmp/mkdir.*
}

# Packets that wait share the device's memory. Who has one large packet waiting in each of many
# VIFs takes none of it from those who have theirs there, nor from who comes next.
hoard() {
	local i words=() other=() drops was queue=/sys/module/netnice/parameters/user_queue
	was=$(cat $queue)
	echo 1000000000 >$queue
	ip link set eth0 mtu 65535
	peer ip link set eth0 mtu 65535
	peer nft 'table ip silence { chain c { type filter hook output priority 0; icmp type destination-unreachable drop; }; }'
	ping -qc 1 10.0.0.2 >/dev/null
	mkdir $eth0/u $eth0/v $eth0/w
	chown 1000 $eth0/u
	as_user mkdir $eth0/u/{1..600}
	for i in u v w; do
		echo egress 8k >$eth0/$i/bandwidth
		echo none >$eth0/$i/aqm
	done
	for i in {1..5}; do
		other+=(socket udp4 connect 10.0.0.2 "900$i" send 60000 send 60000 send 60000)
	done
	for i in {1..600}; do
		words+=(socket udp4 attach-socket "$eth0/u/$i" sendto 10.0.0.2 9 60000 close)
	done
	in_vif $eth0/v kinds "${other[@]}"
	ok 'a large packet in each of 600 VIFs' as_user kinds "${words[@]}"
	drops=$(cat $eth0/u/*/stat | awk '$1 == "egress_drops" { n += $2 } END { print n }')
	check "does not find room: $drops are dropped" "$drops > 0"
	in_vif $eth0/v kinds "${other[@]}"
	in_vif $eth0/w kinds "${other[@]}"
	check_eq "others' wait: those from before, and those that come" \
		"$(vif_stat $eth0/v egress_drops) $(vif_stat $eth0/w egress_drops)" '0 0'
	for i in u v w; do echo max >$eth0/$i/bandwidth; done
	ok 'all leave' busywait 20 vif_empty $eth0/w
	ok 'and nothing is left' series_end eth0
	peer nft delete table ip silence
	ip link set eth0 mtu 1500
	peer ip link set eth0 mtu 1500
	echo "$was" >$queue
}

# What waits in the root VIFs of a tenant's own devices is the tenant's, however many these are.
# shellcheck disable=SC2016
roots() {
	local queue=/sys/module/netnice/parameters/user_queue was waiting word
	was=$(cat $queue)
	echo 1000000 >$queue
	container_start roots 8
	for word in 'ip addr add 10.9.$i.1/24 dev d$i' 'ip link set d$i up' \
		'echo egress 8k >/proc/network/d$i/bandwidth' 'echo max >/proc/network/d$i/limit' \
		'kinds times 20 "{" socket udp4 connect 10.9.$i.2 9 times 40 "{" send 1000 "}" "}"'; do
		inside roots "for i in {0..7}; do $word || echo \$i; done"
	done
	inside roots 'cat /proc/network/d?/stat'
	waiting=$(tr ' ' '\n' <<<"$out" | awk 'n { sum += $1; n = 0 } /^egress_[pd]_queue_bytes$/ { n = 1 } END { print sum + 0 }')
	check "of 6.8 MB no more waits than allowed: $waiting bytes" "$waiting > 100000 && $waiting < 1000000"
	container_end roots
	echo "$was" >$queue
}

# --- sockets ---------------------------------------------------------------------------

# ended_cookie: the cookie of a connection whose end has begun; where that is noted
# netnice has given it one, of 2^62 or more
ended_cookie() {
	background peer kinds socket tcp4 set reuseaddr 1 bind 10.0.0.2 7200 listen 1 say ready accept pause 300 >"$tmp/ended"
	busywait 20 grep -q ready "$tmp/ended"
	kinds socket tcp4 connect 10.0.0.2 7200 shutdown pause 100 cookie
	wait $!
}

# Groups that are attached in a container: of connections elsewhere nothing is noted.
noted() {
	local links=$top/cgroups
	mkdir -p $group/own $eth0/v
	chown 1000:1000 $group/own $group/own/cgroup.procs
	container_start noted 1
	inside noted "mkdir $top/d0/v && ln -s $top/d0/v $links/tenants/own/"
	check "a container attaches a group ($status): connections of others end as they did" "$(ended_cookie) < 2 ^ 62"
	ln -s $eth0/v $links/tenants/own/
	check 'one is attached where they are: their ends are noted' "$(ended_cookie) >= 2 ^ 62"
	rm $links/tenants/own/eth0
	check 'not any longer' "$(ended_cookie) < 2 ^ 62"
	container_end noted
	rmdir $eth0/v $group/own $group
}

# A neighbour: another user's process, attached to n, with what kinds opens for it.
# neighbour_start WORD...; tell PORT PACKETS; heard: by n, so far
neighbour_start() {
	mkdir $eth0/n
	chown 2000 $eth0/n
	background setpriv --reuid=2000 --regid=2000 --clear-groups \
		kinds write $eth0/n/tasks 0 "$@" say ready pause 1000000 >"$tmp/neighbour" 2>&1
	neighbour=$!
	busywait 20 grep -q ready "$tmp/neighbour"
}

neighbour_end() {
	{ stop "$neighbour"; } 2>/dev/null
	busywait 20 rmdir $eth0/n
}

tell() { peer kinds socket udp4 connect 10.0.0.1 "$1" times "$2" "{" send 100 "}"; }
heard() { vif_stat $eth0/n ingress_packets; }

# is_told PORT: a packet is counted by n
is_told() {
	local before
	before=$(heard)
	tell "$1" 1
	pause 0.02
	[ "$(heard)" -gt "$before" ]
}

# crowd VIF SOCKETS WORD...: a process with so many sockets that do that, attached; for a
# shell
crowd() {
	echo "kinds write $1/tasks 0 times $2 '{' socket ${*:3} '}' pause 1000000 >/dev/null 2>&1"
}

# sockets_in NAME udp|tcp: how many there are
sockets_in() {
	inside "$1" "cat /proc/net/$2 | wc -l"
	echo $((out - 1))
}

# Three bridges, with 16 VLANs below each, make 16^3 paths down from the last bridge, and as many up
# from the lowest device. All other namespaces wait for RTNL while a link is made or removed.
diamonds() {
	local build measure
	build='below=d0; for level in 1 2 3; do
		ip link add b$level type bridge
		for i in {1..16}; do
			echo link add link $below name v$level.$i type vlan id $i
			echo link set v$level.$i master b$level
		done | ip -b -
		below=b$level
	done
	ip -o link | grep -c "master b"'
	measure='best=999999; for i in 1 2 3; do
		begin=${EPOCHREALTIME/./}
		ip link add link b3 name top type vlan id 1; ip link del top
		took=$(((${EPOCHREALTIME/./} - begin) / 1000)); [ $took -ge $best ] || best=$took
	done
	echo $best'
	container_start diamonds 1
	inside diamonds "eval ${build@Q}"
	check_eq 'three bridges with 16 VLANs each, one above the other' "$out" 48
	inside diamonds "eval ${measure@Q}"
	check "a device above them is made and deleted in $out ms" "$out < 200"
	container_end diamonds
}

# Sockets that a tenant uses: the neighbour's are remembered all the same.
records() {
	echo 300 >/sys/module/netnice/parameters/user_sockets
	neighbour_start socket udp4 bind 0.0.0.0 7000
	ok 'a socket that only receives is found' busywait 20 is_told 7000
	container_start crowded 1
	inside crowded "ip addr add 10.9.0.1/24 dev d0; ip link set d0 up; mkdir $top/d0/v"
	inside crowded "$(crowd $top/d0/v 900 udp4 sendto 10.9.0.2 9 1) &"
	busywait 60 eval '[ "$(sockets_in crowded udp)" = 900 ]'
	records_kept 'as root of a container'
	container_end crowded
	mkdir $eth0/u
	chown 1000 $eth0/u
	as_user bash -c "$(crowd $eth0/u 900 udp4 sendto 10.0.0.2 9 1)" &
	busywait 60 eval '[ "$(grep -c : /proc/net/udp)" -ge 900 ]'
	records_kept 'as a user of the same namespace'
	pkill -u 1000 -x kinds
	wait $! 2>/dev/null
	neighbour_end
	ok 'and nothing is left' busywait 20 rmdir $eth0/u
	echo 65536 >/sys/module/netnice/parameters/user_sockets
}

records_kept() {
	local before
	before=$(heard)
	tell 7000 5
	pause 0.1
	check_eq "a user has 900 sockets, $1: the neighbour's is known" $(($(heard) - before)) 5
}

# Listeners that others have: connections by the neighbour's belong to the neighbour.
listeners() {
	local i
	container_start listens 1
	inside listens "mkdir $top/d0/v; for i in 1 2 3 4 5; do $(crowd $top/d0/v 900 tcp4 listen 1) & done"
	busywait 60 eval '[ "$(sockets_in listens tcp)" = 4500 ]'
	listener_known 'as root of a container'
	container_end listens
	mkdir $eth0/u
	chown 1000 $eth0/u
	for i in 1 2 3 4 5; do
		as_user bash -c "$(crowd $eth0/u 900 tcp4 listen 1)" &
	done
	busywait 60 eval '[ "$(grep -c : /proc/net/tcp)" -ge 4500 ]'
	listener_known 'as a user of the same namespace'
	pkill -u 1000 -x kinds
	ok 'and nothing is left' busywait 20 rmdir $eth0/u
}

# what is not accepted yet belongs to no process otherwise
listener_known() {
	neighbour_start socket tcp4 bind 0.0.0.0 7001 listen 1
	peer kinds socket tcp4 connect 10.0.0.1 7001 send 5000 pause 100
	check "a user has 4500 listeners, $1: of a connection to the neighbour $(vif_stat $eth0/n ingress_bytes) bytes are known" \
		"$(vif_stat $eth0/n ingress_bytes) > 5000"
	neighbour_end
}

# Searching for who has a socket takes long where tables of descriptors are, or seem, large.
# sparse VIF: thirty processes, attached, whose tables have a million places; for a shell
sparse() { echo "echo \$BASHPID >$1/tasks; exec 1000000</dev/null; for i in {1..30}; do sleep 1000 & done"; }

# dense VIF: sixty processes, attached, of which each has a hundred thousand open descriptors
dense() {
	cat <<-END
		echo \$BASHPID >$1/tasks
		exec python3 -c 'import os, time
		for fd in range(100, 100000): os.dup2(0, fd)
		for i in range(60):
		    if not os.fork(): break
		else: print("ready", flush = True)
		time.sleep(1000)'
	END
}

searches() {
	local limit
	limit=$(ulimit -Hn)
	ulimit -n 1048576
	container_start large 1
	inside large "mkdir $top/lo/v; ($(sparse $top/lo/v)) >/dev/null 2>&1"
	inside large "kinds times 500 '{' socket udp4 sendto 127.0.0.1 9 1 '}' pause 1000000 >/dev/null 2>&1 &"
	busywait 60 eval '[ "$(sockets_in large udp)" = 500 ]'
	inside large "ports=\$(awk '{ sub(/.*:/, \"0x\", \$2); print \$2 }' /proc/net/udp | tail -n +2)
		{ while :; do for i in \$ports; do echo >/dev/udp/127.0.0.1/\$((i)); done; done; } >/dev/null 2>&1 &"
	found_soon 'many are sought in a container'
	container_end large
	pkill -u 1000
	mkdir $eth0/u
	chown 1000 $eth0/u
	as_user bash -c "$(sparse $eth0/u)"
	found_soon "another's tables have a million places"
	pkill -u 1000
	busywait 20 eval "[ -z \"\$(cat $eth0/u/tasks)\" ]"
	: >"$tmp/dense"
	as_user bash -c "$(dense $eth0/u)" </dev/null >"$tmp/dense" &
	busywait 60 grep -q ready "$tmp/dense"
	found_soon 'another has six million open descriptors'
	{ pkill -KILL -u 1000; wait $!; } 2>/dev/null
	ok 'and nothing is left' busywait 20 rmdir $eth0/u
	ulimit -n "$limit"
}

# The second packet of a socket is its process's, not for the first socket only. What has
# to be walked through takes ten times as long where the CPU is emulated.
found_soon() {
	local port before words=() soon=0.25 found=0
	! in_uml || soon=0.08
	for port in {7100..7107}; do words+=(socket udp4 bind 0.0.0.0 "$port"); done
	neighbour_start "${words[@]}"
	for port in {7100..7107}; do
		tell "$port" 1
		pause $soon
		before=$(heard)
		tell "$port" 1
		pause 0.02
		found=$((found + $(heard) - before))
	done
	check_eq "$1: who has a socket is known $soon s after its first packet, of 8" $found 8
	neighbour_end
}

dying() { sed -n 's/^nr_dying_descendants //p' /sys/fs/cgroup/cgroup.stat; }

# A datagram socket is used by an attached process, then by one that is not: what is known of it is forgotten after
# a while, and the control group in which it was opened is not kept. Neither is it for an attachment that fails.
forgotten() {
	local before user
	before=$(dying)
	mkdir $group $eth0/w $eth0/none
	ln -s $eth0/none $top/cgroups/tenants/
	sh -c "echo 0 >$group/cgroup.procs; exec \"\$@\"" - kinds socket udp4 connect 10.0.0.2 9 \
		fork '{' write $eth0/w/tasks 0 send 10 pause 1000 '}' pause 500 send 10 say sent pause 1000 wait >"$tmp/forgotten" &
	user=$!
	busywait 20 file_says "$tmp/forgotten" sent
	fails 'no attachment' ln -s $eth0/nope $top/tasks/$user/sockets/3/
	wait $user
	ok 'the group is removed' busywait 20 rmdir $group
	ok 'and not kept' busywait 300 eval '[ "$(dying)" -le "$before" ]'
	rmdir $eth0/w $eth0/none
}

begin
setup_veth
# no answer
peer nft "table inet silence { chain in { type filter hook prerouting priority -400; udp dport 9 drop; }; }"
modprobe dummy numdummies=0
need netnice
allow_user_namespaces
group=/sys/fs/cgroup/tenants
# what takes several CPUs, real time or probes, and the rest
real='threads ends deep gone forks searches'
rest='unordered leader power full said names subordinate hoard roots diamonds noted records listeners forgotten'
stories="$real $rest"
if short && in_uml; then
	stories=$rest
elif short; then
	stories=$real
else
	# it takes 57,344 sockets
	stories+=' many'
fi
for story in ${TENANTS-$stories}; do
	$story
done
