#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, kernels=6.1, timeout=1800, check=none
#
# Kubernetes' classes of pods on a full link, in the tree that the plugin for NRI makes, to the
# packet: what `nri` shows of that with a runtime, where the CPU's time counts as well.
#
#   namespaces pod-g, -b, -e    init namespace, the node        namespace peer
#   +----------------+      +--------------------------+      +-----------------+
#   | eth0  10.2.x.2 |------| to-g, ... eth0  10.0.0.1 |------| eth0  10.0.0.2  |
#   +----------------+      +--------------------------+      +-----------------+
#
# g, b and e are pods of the classes Guaranteed, Burstable and BestEffort.
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pods.sh"
. "$(dirname "$0")/pod-delays.sh"

top=/proc/network/eth0
all=$top/kubepods
rate=20000000
frame_ns=$((1514 * 8 * 1000 / 20))
declare -A class=([g]=guaranteed [b]=burstable [e]=besteffort)

# setup_pod NAME NUMBER
setup_pod() {
	ip netns add "pod-$1"
	defer ip netns del "pod-$1"
	ip link add "to-$1" type veth peer name eth0 netns "pod-$1"
	pod "$1" ip addr add "10.2.$2.2/24" dev eth0
	pod "$1" ip link set eth0 up
	pod "$1" ip route add default via "10.2.$2.1"
	ip addr add "10.2.$2.1/24" dev "to-$1"
	ip link set "to-$1" up
	ethtool -K "to-$1" tso off gso off gro off tx-udp-segmentation off >/dev/null
	pod "$1" ethtool -K eth0 tso off gso off gro off >/dev/null
	mkdir "$all/${class[$1]}/pod_$1"
	ln -s "$all/${class[$1]}/pod_$1" "/proc/network/devices/to-$1/"
}

# as kubernetes.rst has it
setup_tree() {
	mkdir -p $all/{guaranteed,burstable,besteffort}
	echo 400 >$all/guaranteed/weight
	echo 25 >$all/besteffort/weight
	echo "egress $rate" >$top/bandwidth
}

port=6000

# floods NAME SECONDS: with full frames, all the link has
floods() {
	port=$((port + 1))
	background peer traffic sink udp $port >/dev/null
	background nsenter --net="/run/netns/pod-$1" -- traffic send udp 10.0.0.2 $port --rate 22m --size 1472 --seconds "$2" >/dev/null
}

# weights: what each has over ten seconds
weights() {
	local first=$((port + 1)) name i sum=0
	meter_start all eth0 --in --port $first --port $((first + 1)) --port $((first + 2)) --span 10
	for name in g b e; do floods $name 11.5; done
	pause 12
	meter_stop all
	for i in 0 1 2; do sum=$((sum + $(meter all "port_$((first + i))_window_bytes"))); done
	i=$first
	for name in g:400 b:100 e:25; do
		check_near "weights: ${name%:*}, $(meter all "port_${i}_window_bytes") bytes" \
			"$(meter all "port_${i}_window_bytes")" $((sum * ${name#*:} / 525)) 1
		i=$((i + 1))
	done
}

# delays SIZE EVERY-MS FLOODS...: of what g sends
delays() {
	local size=$1 every=$2 name
	shift 2
	for name; do floods "$name" 6; done
	pause 0.3
	port=$((port + 1))
	background peer traffic sink udp $port >/dev/null
	delays_start to-g $port
	pod g traffic send udp 10.0.0.2 $port --size "$size" --rate $((size * 8 * 1000 / every)) --seconds 5 >"$tmp/sent"
	delays_stop
	sent=$(sed -n 's/.* messages=\([0-9]*\) .*/\1/p' "$tmp/sent")
	for name; do busywait 10 vif_empty "$all/${class[$name]}/pod_$name"; done
}

# minimum VALUE: of what is above g, and of g; the other way around to take it away
minimum() {
	local below order='. guaranteed guaranteed/pod_g'
	[ "$1" != none ] || order='guaranteed/pod_g guaranteed .'
	for below in $order; do echo "egress $1" >"$all/$below/minimum"; done
}

# bounded NAME SIZE EVERY-MS: alone, and beside who floods. Where a packet takes the CPU's time, it waits for
# others' on its way, whatever the link is: for how long is seen without a limit.
bounded() {
	local alone cpu who
	delays "$2" "$3"
	alone=$longest
	check_eq "$1: all $sent came" "$count" "$sent"
	for who in e 'e b'; do
		echo 'egress max' >$top/bandwidth
		# shellcheck disable=SC2086
		delays "$2" "$3" $who
		check_eq "$1: all came beside $who, without a limit" "$count" "$sent"
		cpu=$((longest > alone ? longest - alone : 0))
		check "$1: the CPU takes little" "$cpu < $frame_ns / 10"
		echo "egress $rate" >$top/bandwidth
		# shellcheck disable=SC2086
		delays "$2" "$3" $who
		note "$1: alone at most $alone ns, and $cpu more for the CPU; beside $who $longest, in the middle $median"
		check_eq "$1: all came beside $who" "$count" "$sent"
		check "$1: beside $who no more than a frame later" "$longest <= $alone + $cpu + $frame_ns + 2000"
		check "$1: $who flood: some wait for most of a frame" "$longest > $alone + 9 * $frame_ns / 10"
	done
}

begin
need netnice
setup_veth
wire_exact on
sysctl -qw net.ipv4.ip_forward=1
peer ip route add 10.2.0.0/16 via 10.0.0.1
setup_tree
setup_pod g 1
setup_pod b 2
setup_pod e 3
weights
bounded 'by weight, small ones' 100 10
bounded 'by weight, full frames, 4 Mbit/s' 1472 3
minimum 8m
echo 1 >$all/guaranteed/weight
bounded 'by a minimum of 8 Mbit/s, small ones' 100 10
bounded 'by a minimum of 8 Mbit/s, full frames, 4 Mbit/s' 1472 3
minimum none
delays 1472 3 e
check 'neither by weight nor by a minimum: most are lost' "$count < $sent / 2"
log_clean
