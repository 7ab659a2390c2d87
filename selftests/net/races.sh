#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Everything that comes and goes, at random and at the same time, for 20 seconds
# (10 if it is to be short, or as many as the argument says): programs that send, accept, fork and exit;
# attachments of processes, threads, sockets, control groups and devices; VIFs,
# control groups, what lists them; relays, user-level stacks, and the modules of both; every few
# seconds the module. The kernel's log, read at the very end by the runner, is the half of this
# that counts.
#
# lab: smp=2, timeout=1800, check=new, budget=21
. "$(dirname "$0")/lib.sh"

seconds=${1:-$(short && echo 10 || echo 20)}
top=/proc/network
cgroups=/sys/fs/cgroup/races

quietly() { "$@" </dev/null >/dev/null 2>&1; }

# pick WORD...: one of them
pick() { [ $# -gt 0 ] && shift $((RANDOM % $#)) && picked=$1; }

# every program that may be attached
victims() {
	local -a pids
	mapfile -t pids < <(pgrep -x 'traffic|nginx|curl|ping')
	pick "${pids[@]}"
}

vif() {
	local -a vifs=("$top"/eth0 "$top"/eth0/*/ "$top"/eth0/*/*/ "$top"/eth1 "$top"/eth1/*/)
	pick "${vifs[@]}" && vif=${picked%/}
}

# --- who does what: each is called again and again ---------------------------------

# programs of all kinds
do_send() {
	case $((RANDOM % 5)) in
	0) quietly traffic send tcp 10.0.0.2 9002 --seconds 0.3 ;;
	1) quietly traffic send udp 10.0.0.2 9002 --rate 10m --seconds 0.2 ;;
	2) quietly curl -s -m 1 http://10.0.0.2/zeros ;;
	3) quietly ping -c 3 -i 0.01 10.0.0.2 ;;
	*) quietly traffic send tcp fd00::2 9002 --seconds 0.1 ;;
	esac
}

do_receive() {
	case $((RANDOM % 3)) in
	0) quietly peer curl -s -m 1 http://10.0.0.1/zeros ;;
	1) quietly peer traffic send udp 10.0.0.1 9003 --rate 10m --seconds 0.2 ;;
	*) quietly timeout 0.3 traffic sink udp 9003 ;;
	esac
}

# another user's attachment, by link or by number
do_attach() {
	local dir fd
	victims && vif || return
	dir=$top/tasks/$picked
	case $((RANDOM % 7)) in
	0 | 1) echo "$picked" >"$vif/tasks" ;;
	2) echo "$picked/$picked" >"$vif/tasks" ;;
	3) ln -sfn "$vif" "$dir/eth0" ;;
	4) rm -f "$dir"/eth* "$dir/threads/$picked"/eth* ;;
	5) for fd in "$dir"/sockets/*; do ln -s "$vif" "$fd/"; done ;;
	*) rm -f "$dir"/sockets/*/eth* ;;
	esac
}

do_groups() {
	local group=$cgroups/$((RANDOM % 3)) name
	name=cgroups/races/${group##*/}
	mkdir -p "$group/in"
	victims && echo "$picked" >"$group/in/cgroup.procs"
	case $((RANDOM % 4)) in
	0) vif && ln -sfn "$vif" "$top/$name/eth0" ;;
	1) rm -f "$top/$name"/eth* ;;
	2) vif && ln -sfn "$vif" "$top/$name/in/eth0" ;;
	*)
		while read -r picked; do
			echo "$picked" >/sys/fs/cgroup/cgroup.procs
		done <"$group/in/cgroup.procs"
		rmdir "$group/in" "$group" ;;
	esac
}

do_tree() {
	local dev=eth$((RANDOM % 2)) name=$((RANDOM % 4)) below=$((RANDOM % 2))
	case $((RANDOM % 6)) in
	0 | 1) mkdir "$top/$dev/$name" "$top/$dev/$name/$below" ;;
	2) rmdir "$top/$dev/$name/$below" "$top/$dev/$name" ;;
	3) echo $((RANDOM % 20 + 1))m >"$top/$dev/$name/bandwidth" ;;
	4) echo max >"$top/$dev/$name/bandwidth" ;;
	*) ln -sfn "$top/$dev/$name" "$top/devices/eth$((RANDOM % 2))/$dev" ;;
	esac
}

do_look() {
	quietly find $top -printf '%p %l\n'
	quietly grep -r . $top --include=tasks --include=sockets --include=socket --include=stat
}

do_device() {
	pause 0.7
	case $((RANDOM % 3)) in
	0) ip link del eth1 ;;
	1) ip link set eth0 down; ip link set eth0 up ;;
	*) ip link add eth1 type dummy && ip link set eth1 up && ip addr add 10.5.0.1/24 dev eth1 ;;
	esac
}

do_relay() {
	local port=$((20000 + RANDOM % 1000 * 2)) from to
	kinds socket udp4 bind 127.0.0.1 $port pause 100000000 &
	from=$!
	kinds socket udp4 bind 127.0.0.1 $((port + 1)) connect 127.0.0.1 $port pause 100000000 &
	to=$!
	busywait 1 test -e /proc/$to/fd/3
	ln -s ../../../$to/sockets/3 "$top/tasks/$from/sockets/3/relay"
	quietly timeout 0.2 traffic send udp 127.0.0.1 $port --rate 10m --seconds 0.05
	[ $((RANDOM % 2)) -eq 0 ] || rm "$top/tasks/$from/sockets/3/relay"
	kill -9 $from $to
	wait $from $to
}

do_stack() {
	mkdir "$top/eth0/stack"
	unshare -n ustack tap tap0 "$top/eth0/stack/stack" echo &
	busywait 1 grep -qx tap0 "$top/eth0/stack/stack"
	echo "auto $((RANDOM % 100 + 1))" >"$top/eth0/stack/ports"
	quietly cat "$top/eth0/stack/ports" "$top/eth0/stack/stat"
	[ $((RANDOM % 2)) -eq 0 ] || rmdir "$top/eth0/stack"
	kill -9 $!
	wait $!
}

do_program() {
	vif || return
	echo '1,6 0 0 0' >"$vif/program"
	pause "0.0$((RANDOM % 5))"
	quietly cat "$vif/program" "$vif/stat"
	echo none >"$vif/program"
}

# An option goes when it has no object; the next one may begin at this moment. Windows go at any time,
# and the next limit brings them back.
do_option() {
	pause "0.0$((RANDOM % 10))"
	pick program relay stack window && rmmod "netnice_$picked" && unloaded=$((unloaded + 1))
}

do_module() {
	pause 2
	quietly busywait 2 umount /proc/network && quietly busywait 2 remove_netnice && unloaded=$((unloaded + 1))
	quietly load_netnice
}

# worker NAME: until it is time to end
worker() {
	local what=$1 end=$((SECONDS + seconds)) done=0 picked vif unloaded=0
	RANDOM=$((${#what} * 997))
	while [ $SECONDS -lt "$end" ]; do
		"do_$what" >/dev/null 2>&1
		done=$((done + 1))
	done
	echo "$done $unloaded" >"$tmp/$what"
}

begin
modprobe tun
setup_veth
need netnice nginx curl
shopt -s nullglob
truncate -s 1M /srv/www/zeros
mkdir -p $cgroups
nginx -c /lab/nginx.conf
defer nginx -c /lab/nginx.conf -s stop
peer nginx -c /lab/nginx.conf -g 'pid /run/nginx-peer.pid;' 2>/dev/null ||
	background peer traffic sink tcp 80
background peer traffic sink tcp 9002
background peer traffic sink udp 9002

names=(send receive attach groups tree look device program relay stack option module)
workers=()
for name in "${names[@]}" send receive attach; do
	worker "$name" &
	workers+=($!)
done
wait "${workers[@]}"
for name in "${names[@]}"; do
	read -r count unloaded <"$tmp/$name"
	check "$name: $count times" "$count > 0"
	[ "$name" != option ] || check "options were unloaded: $unloaded times" "$unloaded > 0 || $seconds < 20"
done
check "the module was unloaded under all this: $unloaded times" "$unloaded > 0 || $seconds < 20"
load_netnice
quietly pkill -x 'traffic|ping|curl'
echo 0 >/sys/fs/cgroup/cgroup.procs
find $cgroups -depth -type d -exec rmdir {} \; 2>/dev/null
find $top/tasks $top/devices -type l -name 'eth*' -delete
remove_all() {
	find $top/eth0 -mindepth 1 -depth -type d -exec rmdir {} \;
	[ -z "$(find $top/eth0 -mindepth 1 -type d)" ]
}
ok 'everything that was made can be removed' busywait 60 remove_all
