#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=3
#
# Documentation/examples that are programs, beside a hostile container. (engines has container-limit.sh
# with real engines.)
# shellcheck disable=SC2016,SC2034
. "$(dirname "$0")/lib.sh"

top=/proc/network
example=$net_dir/../units/container-limit.sh

# Containers a and b on the host; in a, its administrator says that b's host end is its own
boxes() {
	local box inner victim=102 index=100
	# new namespaces have devices of lower indexes already
	for box in a b; do
		index=$((index + 1))
		ip netns add box$box
		defer ip netns del box$box
		ip link add h$box index $index type veth peer name c0 netns box$box
		ip link set h$box up
		ip netns exec box$box ip link set c0 up
	done
	background ip netns exec boxa sleep 1000
	pid=$!
	background ip netns exec boxa unshare -n sleep 1000
	inner=$!
	busywait 20 eval '[ "$(cat /proc/$pid/comm /proc/$inner/comm | xargs)" = "sleep sleep" ]'
	ip netns exec boxa ip link add x0 type veth peer name y0 index "$victim" netns $inner
	# which index the other end gets is the kernel's choice
	note "the container says: $(ip -n boxa -o link show x0)"
}

# What stands in for an engine: it knows the first process of the container, and tells when it starts
engine() {
	mkfifo "$tmp/started"
	cat >"$tmp/podman" <<-END
		#!/bin/sh
		case \$1 in
		inspect) cat $tmp/pid ;;
		events) cat $tmp/started ;;
		esac
	END
	chmod +x "$tmp/podman"
	echo "$pid" >"$tmp/pid"
	PATH=$tmp:$PATH background sh "$example" podman a eth0 1m 2>"$tmp/said"
	limiter=$!
	exec {started}<>"$tmp/started"
}

links_of() { readlink $top/devices/"$1"/eth0 $top/devices/eth0/"$1"; }

container_limit() {
	local both=$'../../eth0/podman-a\n../../ha/eth0'
	boxes
	engine
	ok 'container-limit.sh: the container has its limit' busywait 20 eval '[ "$(links_of ha)" = "$both" ]'
	check_eq 'both ways' "$(sed -n 's/^egress //p' $top/eth0/podman-a/bandwidth $top/ha/eth0/bandwidth | xargs)" '1mbit 1mbit'
	check_eq 'the other container has none' "$(links_of hb; find $top/hb -name eth0)" ''
	ip link del ha
	echo 1 >&$started
	ok 'without a veth: it says so' busywait 20 grep -q 'a has no veth' "$tmp/said"
	ip link add ha type veth peer name c0 netns boxa
	echo 1 >&$started
	ok 'with a new one it is limited again' busywait 20 eval '[ "$(links_of ha)" = "$both" ]'
	check_eq 'and the other container is not' "$(links_of hb)" ''
	check_eq 'no name of a namespace is left' "$(find /run/netns -name 'limit*')" ''
	stop $limiter
	rm -f $top/devices/ha/eth0 $top/devices/eth0/ha
	rmdir $top/eth0/podman-a
}

begin
need netnice
setup_veth
container_limit
