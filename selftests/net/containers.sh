#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=5
#
# Containers: a network namespace with a file system of its own, in which root divides
# what the host has given. User 1000 makes one without privileges, as its root; root
# makes one by ip netns. The host has a VIF of 1 Mbit/s for what the container's veth
# sends, which the peer's interface receives; the container never gets more.
#
#	container		host			peer
#	c0 10.2.0.2 --- h0 10.2.0.1 | eth0 10.0.0.1 --- 10.0.0.2
# shellcheck disable=SC2016

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cells.sh"

top=/proc/network
own=$top/c0		# in the container
export own

# inside COMMAND: in the container's shell, as one line; sets out and status
inside() {
	echo "${1//$'\n'/ }" >&"$to"
	IFS= read -r status <&"$from"
	IFS= read -r out <&"$from"
}

# has NAME COMMAND WANT: the command has to succeed there and say that
has() {
	inside "$2"
	check_eq "$kind: $1" "$status $out" "0 $3"
}

# has_not NAME COMMAND [WORDS]: it has to fail there
has_not() {
	inside "$2"
	if [ "$status" -ne 0 ] && [[ $out == *"${3-}"* ]]; then
		pass "$kind: $1"
	else
		fail "$kind: $1" "status $status" "$out"
	fi
}

# A shell in the container that does what it is told
shell='
	while IFS= read -r line; do
		out=$({ eval "$line"; } 2>&1 </dev/null)
		printf "%s\n" $? "${out//$'"'\n'"'/ }"
	done'

# container_start user|root
container_start() {
	kind=$1
	rm -f "$tmp/to" "$tmp/from"
	mkfifo "$tmp/to" "$tmp/from"
	exec {to}<>"$tmp/to" {from}<>"$tmp/from"
	if [ "$kind" = user ]; then
		"${user_prefix[@]}" unshare -Urnpmf --mount-proc --kill-child bash -c "$shell" <&"$to" >&"$from" &
	else
		ip netns add box
		nsenter --net=/run/netns/box unshare -pmf --mount-proc --kill-child bash -c "$shell" <&"$to" >&"$from" &
	fi
	unshared=$!
	inside 'echo $$'
	first=$(pgrep -P $unshared)
	ip link add h0 type veth peer name c0 netns "$first"
	ip addr add 10.2.0.1/24 dev h0
	ip link set h0 up
	ethtool -K h0 tso off gso off gro off tx-udp-segmentation off >/dev/null
	inside 'ip addr add 10.2.0.2/24 dev c0; ip link set c0 up; ip link set lo up; ip route add default via 10.2.0.1'
	ip neigh replace 10.2.0.2 dev h0 nud permanent lladdr "$(nsenter -t "$first" -n ip -o link show dev c0 | sed 's/.*ether \([^ ]*\).*/\1/')"
	inside "ip neigh replace 10.2.0.1 dev c0 nud permanent lladdr $(cat /sys/class/net/h0/address)"
	# what comes from it has 1 Mbit/s on eth0
	mkdir $top/eth0/box
	echo 1m >$top/eth0/box/bandwidth
	echo 20p >$top/eth0/box/limit
	ln -s $top/eth0/box $top/devices/h0/
}

# container_end: nothing is left
container_end() {
	rm -f $top/devices/h0/eth0
	kill -KILL "$first"
	wait $unshared
	exec {to}>&- {from}>&-
	[ "$kind" = user ] || ip netns del box
	busywait 20 eval '! test -e /sys/class/net/h0'
	busywait 20 rmdir $top/eth0/box
	ok "$kind: the host's VIF can be removed" test ! -e $top/eth0/box
	ok "$kind: its veth has gone" eval '! ip link show h0'
	check_eq "$kind: the host's tree is empty" "$(find $top/eth0 $top/lo -mindepth 1 -type d)" ''
	check_eq "$kind: nothing is attached" "$(ls $top/tasks)" self
}

sees() {
	has 'mounts its own' "mount -t netnice netnice $top && echo mounted" mounted
	has 'it can be mounted once more' 'mount -t netnice none /mnt && umount /mnt && echo again' again
	has 'its own devices only' "cd $top && echo *" 'c0 cgroups devices last_error lo tasks'
	has 'no devices of the host in devices' "ls $top/devices" 'c0 lo'
	has 'its own processes only' "ls $top/tasks" self
	has 'as they are numbered there' "echo 1 >$own/tasks && cat $own/tasks && ls $top/tasks && rm $top/tasks/1/c0" '1 1 self'
	has_not 'none of the host' "ls $top/tasks/$$" 'No such file'
	has_not 'not by number' "echo $$ >$own/tasks" 'No such process'
	has 'it owns what it sees' "stat -c %u:%g:%a $top $own $own/bandwidth" '0:0:555 0:0:755 0:0:644'
	has_not "the host's control groups only with its namespace" "ls $top/cgroups/none" 'No such file'
	has 'it sets the top' "mount -o remount,mode=511 $top && stat -c %a $top && mount -o remount,mode=555 $top" 511
	[ "$kind" = root ] ||
		has_not 'it gives nothing to an unknown user' "chown 1234 $own" 'Invalid argument'
	has 'the root VIF is limited by its administrator' "echo 9m >$own/bandwidth && echo max >$own/bandwidth && echo set" set
	has 'and drains its link' "tc qdisc replace dev c0 root netnice && tc qdisc del dev c0 root && echo gone" gone
	has_not "the host's file system" "mount -t netnice none /mnt -o netns=1" ''
	check_eq "$kind: the host sees nothing of it" "$(ls $top)" "$(printf '%s\n' cgroups devices eth0 h0 last_error lo tasks)"
	ok "$kind: nor is the host's tree changed" test ! -e $top/c0
}

# divides: of 1 Mbit/s, three times as much for a as for b
divides() {
	inside "mkdir $own/a $own/b; echo 900k >$own/bandwidth; echo 300 >$own/a/weight; echo 20p | tee $own/a/limit >$own/b/limit"
	meter_start whole eth0 --in --ring 4 --rate 1m --span 2 --port 9001 --port 9002
	inside "bash -c 'echo 0 >$own/a/tasks; exec traffic send udp 10.0.0.2 9001 --rate 3m --seconds 6' >/dev/null &
		bash -c 'echo 0 >$own/b/tasks; exec traffic send udp 10.0.0.2 9002 --rate 3m --seconds 6' >/dev/null & wait"
	busywait 20 cell_settled
	meter_stop whole
	check_near "$kind: inside, all of it" "$(meter whole rate_bit_per_s)" 900000 3
	check_near "$kind: inside, by weight" "$(meter whole port_9001_bytes)" "$((3 * $(meter whole port_9002_bytes)))" 5
	check "$kind: outside, never more" "$(meter whole burst_bytes) <= $least_burst + 25"
	# without a limit of its own, or with a larger one, the host's holds
	inside "echo 50m >$own/bandwidth; echo 10s >$own/burst; echo max >$own/a/limit"
	meter_start more eth0 --in --ring 4 --rate 1m
	inside "bash -c 'echo 0 >$own/a/tasks; exec traffic send udp 10.0.0.2 9001 --rate 9m --seconds 1' >/dev/null &
		bash -c 'rm $top/tasks/self/c0; exec traffic send udp 10.0.0.2 9002 --rate 9m --seconds 1' >/dev/null & wait"
	busywait 20 cell_settled
	meter_stop more
	check "$kind: a larger one inside: never more outside" \
		"$(meter more burst_bytes) <= $least_burst + 25 && $(meter more bytes) > 100000"
	inside "rmdir $own/a $own/b; echo max >$own/bandwidth"
}

# ends: its processes are killed under traffic
ends() {
	inside "mkdir -p $own/x/y; echo 500k >$own/x/bandwidth;
		(echo 0 >$own/x/y/tasks; exec traffic send udp 10.0.0.2 9001 --rate 9m) >/dev/null 2>&1 &
		(exec traffic send udp 10.0.0.2 9001 --rate 9m) >/dev/null 2>&1 &"
	pause 0.3
	container_end
}

begin
cells_setup
allow_user_namespaces
modprobe dummy numdummies=0
background peer traffic sink udp 9001 >"$tmp/sink1"
background peer traffic sink udp 9002 >"$tmp/sink2"
busywait 20 file_says "$tmp/sink1" ready
busywait 20 file_says "$tmp/sink2" ready
chmod 711 "$tmp"
echo 1 >/proc/sys/net/ipv4/ip_forward
peer ip route add 10.2.0.0/24 via 10.0.0.1
for who in user root; do
	container_start $who
	sees
	divides
	ends
done
log_clean
