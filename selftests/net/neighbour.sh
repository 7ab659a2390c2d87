#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A neighbour, and beside it a tenant, an ordinary user who is root of a container and
# does everything at once that is allowed: 256 devices on which an own control group, and a process,
# are attached, 1,024 VIFs with a packet of 60 KB waiting in each, 4,095 listeners, as many
# sockets as there is memory for, a process in control groups nested as deep as that goes.
# What the neighbour does is measured in six phases:
#
# alone		without the tenant
# kernel	the tenant has a container: in it devices, folders and processes with many
#		sockets come and go, and nothing is attached. What that is to others is the
#		kernel's doing
# left		one more of these processes is killed, and nothing else
# still		all that is told above is there, and nothing happens
# churn		as in `kernel`, with VIFs for folders, and attached; and it reads what can be read
# exit		as in `left`, attached
#
# Of the neighbour, who is root of the host, these are measured:
#
# cost		of packets sent and received, in instructions: at most 2 % more
# queue		packets that wait in a VIF of 10 Mbit/s, one for each millisecond: none is lost,
#		and how long the longest gap between two is. They leave by a timer, in softirq: so
#		long these were not delayed
# timer		a process that wakes up each millisecond: how late
# rtnl		what takes RTNL, each millisecond: how long
# attach	a process is attached by a link, and detached: how long
# remove	a process ends, the last one of an autoremoved VIF: how long until that has gone
# found		of a socket that only receives, the packet that comes 10 ms after the first one
#		is its process's
#
# Virtual time is instructions, one in a nanosecond. A real CPU does one to four in that time,
# so that these are upper bounds. There is one CPU, and who measures goes before all others
# on it, but ksoftirqd: it waits for locks, softirqs, and what cannot be preempted.
# lab: virtual, mem=1536, timeout=1800, check=none
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tenant.sh"

export top=/proc/network
eth0=$top/eth0
group=/sys/fs/cgroup/neighbour

# sockets of who stays, of each who is killed; levels of groups; rounds of what comes and goes.
# The neighbour's packets that wait, longer than a phase takes
export sockets=100000 leaving=50000 levels=3000 rounds=20
queued=3000
if short; then
	sockets=10000 leaving=5000 levels=600 rounds=2
	queued=1500
fi

# --- the tenant: run in the container ---------------------------------------------------

# crowd NAME COUNT VIF WORD...: a process with so many sockets, which these words make; then,
# unless VIF is empty, it is attached
crowd() {
	: >"/tmp/tenant/$1"
	kinds times "$2" '{' "${@:4}" leave '}' ${3:+write "$3/tasks" 0} \
		say ready pause 1000000000 >"/tmp/tenant/$1" 2>&1 &
	echo $! >"/tmp/tenant/$1.pid"
	until grep . "/tmp/tenant/$1"; do sleep 0.1; done
	grep -qx ready "/tmp/tenant/$1"
}

# gone NAME: kill it; how many microseconds it takes
gone() {
	local pid begin state
	pid=$(<"/tmp/tenant/$1.pid")
	begin=${EPOCHREALTIME/./}
	kill -KILL "$pid"
	while read -r _ _ state _ </proc/"$pid"/stat && [ "$state" != Z ]; do pause 0.0005; done 2>/dev/null
	echo $((${EPOCHREALTIME/./} - begin))
}

# folders WHERE: each of those there gets one more, which goes again
folders() {
	local i
	for ((i = 0; i < rounds; i++)); do
		mkdir "$1"/d{8..255}/c || return
		rmdir "$1"/d{8..255}/c || return
	done
}

# devices [ATTACHED]: 16, on so many of which this process is attached
devices() {
	local i j
	for ((i = 0; i < rounds; i++)); do
		printf 'link add g%d type dummy\nlink set g%d up\n' {0..15}{,} | ip -b - || return
		for ((j = 0; j < ${1:-0}; j++)); do echo "$BASHPID" >"$top/g$j/tasks" || return; done
		printf 'link del g%d\n' {0..15} | ip -b - || return
	done
}

reads() {
	local i
	for ((i = 0; i < rounds; i++)); do
		cat "$top"/d*/{stat,tasks,sockets} "$top"/d0/v*/stat || return
		vifctl show || return
	done >/dev/null
}

# attached on 256 devices: this process, for 16 of them later; and a group
attaches() {
	local i
	for ((i = 0; i < 240; i++)); do echo $$ >"$top/d$i/tasks" || return; done
	ln -s "$top"/d{0..255} "$top/cgroups/neighbour/own/"
}

hoards() {
	local i j words
	mkdir "$top"/d{0..7}/v{0..127} || return
	for i in {0..7}; do
		words=()
		for j in {0..127}; do
			words+=(socket udp4 attach-socket "$top/d$i/v$j" sendto "10.9.$i.2" 9 60000 close)
		done
		echo egress 8k >"$top/d$i/bandwidth" || return
		# the first two use up the burst
		kinds times 3 '{' socket udp4 sendto "10.9.$i.2" 9 60000 close '}' "${words[@]}" || return
	done
}

# the process in the deepest group is one with sockets
nests() {
	local i path
	path=$(printf 'd/%.0s' {1..50})
	cd /sys/fs/cgroup/neighbour/own || return
	for ((i = 0; i < levels; i += 50)); do
		mkdir -p "$path" && cd "$path" || return
	done
	echo "$BASHPID" >cgroup.procs && crowd deep 100 "$top/d0/v2" socket udp4
}
export -f pause crowd gone folders devices reads attaches hoards nests
export pause_fd

# --- the neighbour ------------------------------------------------------------------------

turns=(chrt -f 50)
declare -A got

# cost: sets sent and received
cost() {
	sent=$(per_datagram 10.0.0.2 9002 64 in_vif $eth0/n)
	received=$(per_datagram 10.0.0.1 9003 64 "${peer_prefix[@]}")
}

measure_begin() {
	local what
	beats=()
	meter_start queue eth0 --in --port 9001
	in_vif $eth0/slow traffic send udp 10.0.0.2 9001 --size 1208 --bytes $((1208 * queued)) >/dev/null
	for what in 'timer 1000' 'rtnl 1000 eth0' "attach 2000 $eth0/n" "remove 5000 $eth0/r"; do
		# shellcheck disable=SC2086
		"${turns[@]}" beat $what >"$tmp/${what%% *}" 2>&1 &
		beats+=($!)
	done
}

# measure_end PHASE
measure_end() {
	local what waiting
	stop "${beats[@]}"
	waiting=$(vif_stat $eth0/slow egress_p_queue_packets)
	ok "$1: what waits leaves" busywait 60 vif_empty $eth0/slow
	meter_stop queue
	for what in timer rtnl attach remove; do
		got[$1.$what]=$(sed -n 's/^max_us=//p' "$tmp/$what")
		note "$1: $what: $(paste -s -d ' ' "$tmp/$what")"
	done
	got[$1.queue]=$(($(meter queue max_gap_ns) / 1000))
	note "$1: queue: $waiting of $queued packets wait yet, the longest gap is ${got[$1.queue]} us"
	check_eq "$1: no packet that waits is lost" \
		"$(meter queue packets) $(vif_stat $eth0/slow egress_drops)" "$queued 0"
}

# receives PHASE: sockets that have sent nothing, of a process that was attached before
receives() {
	local port before heard words=() receiver
	for port in {7100..7107}; do words+=(socket udp4 bind 0.0.0.0 "$port"); done
	background kinds write $eth0/n/tasks 0 "${words[@]}" say ready pause 1000000 >"$tmp/receiver"
	receiver=$!
	busywait 20 grep -q ready "$tmp/receiver"
	before=$(vif_stat $eth0/n ingress_packets)
	for port in {7100..7107}; do
		peer "${turns[@]}" kinds socket udp4 connect 10.0.0.1 "$port" send 100 pause 10 send 100
	done
	heard=$(($(vif_stat $eth0/n ingress_packets) - before))
	check "$1: who only receives is found in 10 ms, $heard of 8 times" "$heard >= 8"
	{ stop $receiver; } 2>/dev/null
}

# phase NAME [COMMAND]: what the tenant does meanwhile
phase() {
	measure_begin
	[ -z "${2-}" ] || inside_begin tenant "$2"
	receives "$1"
	if [ -n "${2-}" ]; then
		inside_end tenant
		note "$1: the tenant is told: $status $out"
	else
		pause 0.3
	fi
	measure_end "$1"
}

# no_longer PHASE BESIDE WHAT US: the longest is longer by so much at most
no_longer() {
	check "$1: $3: ${got[$1.$3]} us at most, $2: ${got[$2.$3]} us" "${got[$1.$3]} - ${got[$2.$3]} <= $4"
}

compare() {
	no_longer "$1" "$2" queue 1000
	no_longer "$1" "$2" timer 1000
	no_longer "$1" "$2" rtnl 10000
	no_longer "$1" "$2" attach 10000
	no_longer "$1" "$2" remove 10000
}

# does WHAT COMMAND: the tenant does it
does() {
	inside tenant "$2"
	check_eq "the tenant: $1" "$status" 0
	[ "$status" = 0 ] || note "$out"
}

# tenant_end: everything of it goes
tenant_end() {
	container_end tenant
	pkill -KILL -u 1000
	busywait 60 eval "! pgrep -u 1000"
	[ ! -e $group ] || busywait 60 find $group -depth -type d -delete
}

begin
! in_uml || skip_all 'nothing takes time in virtual time'
setup_veth
peer nft 'table inet silence { chain c { type filter hook prerouting priority -400; udp dport 9001-9002 drop; }; }'
modprobe dummy numdummies=0
need netnice
allow_user_namespaces
silent_socket 9003
defer sysctl -qw "net.core.wmem_default=$(sysctl -n net.core.wmem_default)"
sysctl -qw net.core.wmem_default=16777216
[ "$(sysctl -n fs.file-max)" -gt 400000 ] || sysctl -qw fs.file-max=400000
ulimit -n 1048576
# what it does else waits for turns on the CPU
chrt -f -p 60 "$(pgrep -x ksoftirqd/0)"
mkdir -m 777 /tmp/tenant
defer rm -rf /tmp/tenant

mkdir $eth0/{n,slow}
echo $silent >$eth0/n/tasks
echo 10g >$eth0/n/bandwidth
echo egress 10m >$eth0/slow/bandwidth
echo max >$eth0/slow/limit
echo none >$eth0/slow/aqm
cost
cost
alone_sent=$sent alone_received=$received
# the first time is not like others: programs are read, the kernel changes its own code
phase alone
phase alone

container_start tenant 256
defer tenant_end
does 'has devices' "printf 'link set d%d up\n' {0..255} | ip -b -"
does 'of which some have addresses' \
	"printf 'addr add 10.9.%d.1/24 dev d%d\nlink set d%d mtu 65535\n' {0..7}{,,} | ip -b -"
does 'has folders' 'mkdir /tmp/tenant/d{8..255}'
does 'has sockets' "crowd first $leaving '' socket udp4 && crowd second $leaving '' socket udp4"
phase kernel '(folders /tmp/tenant & devices & gone first & wait)'
phase left 'gone second'

mkdir -p $group/own
chown 1000:1000 $group/own $group/own/cgroup.procs
echo "${container[tenant]}" >$group/own/cgroup.procs
# the administrator lets it have VIFs that come and go besides, and all the packets waiting
echo 2048 >/sys/module/netnice/parameters/user_vifs
echo 1000000000 >/sys/module/netnice/parameters/user_queue
does 'attaches a process and a group' attaches
inside tenant "set -- $top/cgroups/neighbour/own/d*; echo \$#"
check_eq 'to 256 devices' "$out" 256
does 'has 1,024 VIFs, a packet waits in each' hoards
does 'has 4,095 listeners' "crowd listeners 4095 $top/d0/v0 socket tcp4 listen 1"
does "has $sockets sockets" "crowd many $sockets $top/d0/v1 socket udp4"
does "has groups of $levels levels" '(nests)'
does 'has two more processes with sockets' \
	"crowd first $leaving $top/d0/v3 socket udp4 && crowd second $leaving $top/d0/v4 socket udp4"
inside tenant "cat $top/d?/v*/stat | grep -c '^egress_d_queue_packets 1'"
check_eq 'of so many VIFs a packet waits' "$out" 1024

cost
check "a packet sent costs $sent instructions, without the tenant $alone_sent" "$sent <= 1.02 * $alone_sent"
check "a packet received costs $received instructions, without the tenant $alone_received" \
	"$received <= 1.02 * $alone_received"
phase still
compare still alone
# shellcheck disable=SC2016
phase churn '(folders $top & devices 16 & reads & gone first & wait)'
compare churn kernel
phase exit 'gone second'
compare exit left
