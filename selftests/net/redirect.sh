#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, budget=15
#
# Packets that BPF programs redirect, on the routes that Cilium's host routing gives them, by veth
# and by netkit: which VIFs count them, and which limits and shares hold (limits.rst; kubernetes.rst,
# "Redirected packets"). The programs are word `redirect' of kinds.
#
#   box, mate: pods           init namespace, the node           namespace peer
#   +----------------+       +------------------------+        +---------------+
#   | eth0  10.2.0.2 |-------| box      eth0 10.0.0.1 |--------| eth0 10.0.0.2 |
#   +----------------+       |                        |        +---------------+
#   | eth0  10.2.1.2 |-------| mate                   |
#   +----------------+       +------------------------+
#
#   out      pod to the network: box -> eth0, by redirect_neigh; plain: by redirect
#   in       network to the pod: eth0 -> box, by redirect_peer; plain: by redirect
#   between  pod to pod: box -> mate, by redirect_peer; of a netkit by redirect, as its packets are
#            being sent when they are redirected

. "$(dirname "$0")/lib.sh"

devices=/proc/network/devices
in_box=(nsenter --net=/run/netns/box --)
in_mate=(nsenter --net=/run/netns/mate --)
count=20

# --- the network ------------------------------------------------------------------------

# pod NAME NET VIF: a pod at NET.2, whose packets are VIF's on eth0
pod() {
	local in=(nsenter --net="/run/netns/$1" --)
	ip netns add "$1"
	defer ip netns del "$1"
	if [ "$kind" = netkit ]; then
		netkit "$1" "$1-peer"
		ip link set "$1-peer" netns "$1" name eth0
	else
		ip link add "$1" type veth peer name eth0 netns "$1"
	fi
	sysctl -qw "net.ipv6.conf.$1.disable_ipv6=1"
	"${in[@]}" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	ip addr add "$2.1/24" dev "$1"
	ip link set "$1" up
	"${in[@]}" ip addr add "$2.2/24" dev eth0
	"${in[@]}" ip link set eth0 up
	"${in[@]}" ip route add default via "$2.1"
	"${in[@]}" ip neigh replace "$2.1" dev eth0 nud permanent lladdr "$(</sys/class/net/"$1"/address)"
	"${in[@]}" ethtool -K eth0 gro off tx-udp-segmentation off >/dev/null
	# the CNI plugin's place: the root VIF of the pod's end
	mkdir "$tmp/$1"
	"${in[@]}" mount -t netnice netnice "$tmp/$1"
	defer umount "$tmp/$1"
	mkdir "$tmp/$1/eth0/used"
	# the NRI plugin's places: eth0 with the node's end attached, and the node's end
	mkdir "/proc/network/eth0/$1" "/proc/network/$1/eth0"
	ln -s "/proc/network/eth0/$1" "$devices/$1/"
	ln -s "/proc/network/$1/eth0" "$devices/eth0/"
	# so that nothing is refused
	background "${in[@]}" traffic sink udp 9009 >"$tmp/sink.$1"
	sinks+=($!)
	busywait 5 file_says "$tmp/sink.$1" ready
}

pod_end() {
	rm "$devices/$1/eth0" "$devices/eth0/$1"
	umount "$tmp/$1"
	rmdir "$tmp/$1"
	ip link del "$1"
	ip netns del "$1"
	busywait 5 rmdir "/proc/network/eth0/$1"
}

mac_in() { nsenter --net="/run/netns/$1" ip -o link show dev eth0 | sed 's/.*ether \([^ ]*\).*/\1/'; }

# program DEVICE tc|netkit RULES
program() {
	background kinds redirect "$1" "$2" "$3" say ready pause 100000000 >"$tmp/program.$1"
	programs+=($!)
	busywait 5 file_says "$tmp/program.$1" ready
}

# programs_begin OUT IN BETWEEN: helpers of the routes
programs_begin() {
	local where=tc mac
	mac=$(peer_mac)
	[ "$kind" = veth ] || where=netkit
	[ "$1" = plain ] || mac=-
	programs=()
	program box $where "10.0.0.2/$1/eth0/$mac,10.2.1.2/$3/mate/$(mac_in mate)" &&
		program mate $where "10.0.0.2/$1/eth0/$mac,10.2.0.2/$3/box/$(mac_in box)" &&
		program eth0 tc "10.2.0.2/$2/box/$(mac_in box),10.2.1.2/$2/mate/$(mac_in mate)"
}

programs_end() { stop "${programs[@]}"; }

# --- counts -------------------------------------------------------------------------------

# sees NAME WANT COMMAND...: packets that the command makes cross PLACES, the wire or some VIFs
sees() {
	local name=$1 want=$2 place before=() got='' i=0 now
	for place in $places; do before+=("$(packets_at "$place")"); done
	"${@:3}" >/dev/null
	pause 0.3
	for place in $places; do
		now=$(packets_at "$place")
		got+="${got:+, }$((${now% *} - ${before[i]% *})) $((${now#* } - ${before[i]#* }))"
		i=$((i + 1))
	done
	check_eq "$kind, $mode, $name" "$got" "$want"
}

# packets_at PLACE: packets and bytes so far
packets_at() {
	case $1 in
	wire-out) echo "$(peer_counter rx_packets) $(peer_counter rx_bytes)" ;;
	wire-in) echo "$(peer_counter tx_packets) $(peer_counter tx_bytes)" ;;
	*) echo "$(vif_stat "${1%:*}" "${1#*:}_packets") $(vif_stat "${1%:*}" "${1#*:}_bytes")" ;;
	esac
}

bytes=$((count * 1042))
all="$count $bytes"
none='0 0'

# asks FROM ADDRESS: datagrams of which nothing comes back
asks() { "${@:2}" kinds socket udp4 connect "$1" 9009 times $count '{' send 1000 '}'; }

# counts OUT IN BETWEEN: for each route, what counts its packets. OUT, IN and BETWEEN are what VIFs of
# the node count of them.
counts() {
	places="wire-out $tmp/box/eth0:egress /proc/network/eth0/box:egress /proc/network/eth0:egress"
	sees "out: wire, pod's end, pod's VIF on eth0, eth0" "$all, $all, $1" asks 10.0.0.2 "${in_box[@]}"
	places="wire-in $tmp/box/eth0:ingress /proc/network/eth0:ingress /proc/network/box:egress"
	sees "in: wire, pod's end, eth0, node's end" "$all, $all, $2" asks 10.2.0.2 "${peer_prefix[@]}"
	places="$tmp/box/eth0:egress $tmp/mate/eth0:ingress /proc/network/box:ingress /proc/network/mate:egress"
	sees "between: both pods' ends, both node's ends" "$all, $all, $3" asks 10.2.1.2 "${in_box[@]}"
}

# What a pod sends without a socket, or by one of its kernel's: what it forwards from within, and answers.
unsocketed() {
	local in=(nsenter --net=/run/netns/inner --)
	ip netns add inner
	"${in_box[@]}" ip link add inner type veth peer name eth0 netns inner
	"${in_box[@]}" sysctl -qw net.ipv4.ip_forward=1
	"${in_box[@]}" ip addr add 10.2.2.1/24 dev inner
	"${in_box[@]}" ip link set inner up
	"${in[@]}" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	"${in[@]}" ip addr add 10.2.2.2/24 dev eth0
	"${in[@]}" ip link set eth0 up
	"${in[@]}" ip route add default via 10.2.2.1
	places="wire-out /proc/network/eth0/box:egress /proc/network/eth0:egress"
	sees "forwarded in the pod: wire, pod's VIF on eth0, eth0" "$all, $1, $all" asks 10.0.0.2 "${in[@]}"
	sees "answers of the pod's kernel: the same" "$all, $all, $all" peer ping -q -i 0.01 -c $count -s 1000 10.2.0.2
	forged "${in[@]}"
	ip netns del inner
}

# forged PREFIX...: what a pod forwards has the addresses of a connection of the node's
forged() {
	local mac ours=/proc/network/eth0/ours segment there
	mac=$("${in_box[@]}" ip -o link show dev inner | sed 's/.*ether \([^ ]*\).*/\1/')
	mkdir $ours
	background peer kinds socket tcp4 bind 0.0.0.0 7301 listen 1 say ready accept pause 100000 >"$tmp/there"
	there=$!
	busywait 5 file_says "$tmp/there" ready
	background "${in_vif_prefix[@]}" $ours kinds socket tcp4 bind 10.0.0.1 7300 connect 10.0.0.2 7301 \
		say ready pause 100000 >"$tmp/ours"
	busywait 5 file_says "$tmp/ours" ready
	pause 0.3
	segment=4500002800004000400626ce0a0000010a0000021c841c85000000010000000150101000
	places="wire-out $ours:egress"
	sees "forged in the pod: wire, the connection's VIF" "$count $((count * 54)), 0 0" \
		"$@" kinds link eth0 times $count '{' hex "${mac//:}0200000000090800$segment" 60 '}'
	stop $! $there
	busywait 5 rmdir $ours
}

# --- rates ----------------------------------------------------------------------------------

# holds_out NAME RATE PROTOCOL: what the box sends to the peer
port=7000
holds_out() {
	local sink
	port=$((port + 1))
	background peer traffic sink "$3" $port >"$tmp/sink"
	sink=$!
	busywait 5 file_says "$tmp/sink" ready
	meter_start out eth0 --in --port $port --span 5 --rate "$2"
	"${in_box[@]}" traffic send "$3" 10.0.0.2 $port --rate $((2 * $2)) --size 1400 --seconds 7 >/dev/null
	meter_stop out
	stop $sink
	check_near "$kind, $mode, $1, $3: $(meter out rate_bit_per_s) of $2 bit/s" "$(meter out rate_bit_per_s)" "$2" 1
}

# holds_in NAME RATE PROTOCOL POD PREFIX...: what the pod gets from there
holds_in() {
	local to=10.2.0.2 in=("${in_box[@]}") sink
	[ "$4" = box ] || to=10.2.1.2 in=("${in_mate[@]}")
	port=$((port + 1))
	background "${in[@]}" traffic sink "$3" $port >"$tmp/sink"
	sink=$!
	busywait 5 file_says "$tmp/sink" ready
	background "${in[@]}" wiremeter eth0 --delivered --port $port --span 5 >"$tmp/meter.in"
	# shellcheck disable=SC2034
	meter_in=$!
	busywait 5 file_says "$tmp/meter.in" ready
	"${@:5}" traffic send "$3" "$to" $port --rate $((2 * $2)) --size 1400 --seconds 7 >/dev/null
	meter_stop in
	stop $sink
	check_near "$kind, $mode, $1, $3: $(meter in rate_bit_per_s) of $2 bit/s" "$(meter in rate_bit_per_s)" "$2" 1
}

# The limits that the CNI plugin sets hold on all routes.
limits_of_pods() {
	local protocol
	echo 'egress 2m ingress 3m' >"$tmp/box/eth0/bandwidth"
	echo 'ingress 1m' >"$tmp/mate/eth0/bandwidth"
	holds_out 'limit of the pod, out' 2000000 udp
	holds_out 'limit of the pod, out' 2000000 tcp
	for protocol in udp tcp; do
		holds_in 'limit of the pod, in' 3000000 $protocol box "${peer_prefix[@]}"
		holds_in 'limit of the other pod, between' 1000000 $protocol mate "${in_box[@]}"
	done
	echo max >"$tmp/mate/eth0/bandwidth"
	holds_in 'limit of the pod, between' 2000000 udp mate "${in_box[@]}"
	echo max >"$tmp/box/eth0/bandwidth"
}

# Those of eth0's VIFs hold in qdisc mode, and shares.
limits_of_node() {
	echo 'egress 2m' >/proc/network/eth0/box/bandwidth
	holds_out 'limit of the node, out' 2000000 udp
	holds_out 'limit of the node, out' 2000000 tcp
	echo max >/proc/network/eth0/box/bandwidth
}

# shares PROTOCOL: of 8 Mbit/s, three parts and one
shares() {
	local name total got
	echo 300 >/proc/network/eth0/box/weight
	echo 'egress 8m' >/proc/network/eth0/bandwidth
	port=$((port + 2))
	for name in box mate; do
		background peer traffic sink "$1" $((port + (${#name} - 3))) >"$tmp/sink.$name"
		busywait 5 file_says "$tmp/sink.$name" ready
	done
	meter_start out eth0 --in --port $port --port $((port + 1)) --span 6
	background "${in_box[@]}" traffic send "$1" 10.0.0.2 $port --rate 16m --size 1400 --seconds 8 >/dev/null
	"${in_mate[@]}" traffic send "$1" 10.0.0.2 $((port + 1)) --rate 16m --size 1400 --seconds 8 >/dev/null
	wait $!
	pause 1
	meter_stop out
	total=$(meter out window_bytes)
	got=$(meter out port_${port}_window_bytes)
	check_near "$kind, $mode, share of the box, $1: $got of $total bytes" "$got" $((total * 3 / 4)) 1
	check_near "$kind, $mode, all of the link, $1" "$(meter out rate_bit_per_s)" 8000000 1
	echo max >/proc/network/eth0/bandwidth
	echo 100 >/proc/network/eth0/box/weight
	port=$((port + 1))
}

# --- all --------------------------------------------------------------------------------------

qdiscs() {
	local device
	for device in eth0 box mate; do vifctl "$@" $device; done
}

# a program sends on: packets skip the hooks of the node's devices, and not those of the pods' ends
routes() {
	mode=hook
	remarks 'a remark' "$remark"$'\n0'
	counts "$none, $none" "$none, $none" "$none, $none"
	limits_of_pods
	mode=qdisc
	qdiscs enable --link
	remarks 'none' 0
	counts "$all, $all" "$none, $none" "$none, $([ $between = peer ] && echo "$none" || echo "$all")"
	unsocketed "$([ $kind = veth ] && echo "$all" || echo "$none")"
	limits_of_node
	shares udp
	shares tcp
	qdiscs disable
}

# remarks WORD WANT: what vifctl says of the attachment of a pod's device
remarks() {
	check_eq "$kind, $mode, vifctl attach: $1" "$(vifctl attach eth0/box device box 2>&1; echo $?)" "$2"
}
remark="vifctl: eth0/box: a program at box may redirect its packets past this VIF, which limits those that eth0 sends"
remark+=" if eth0 drains its VIFs (vifctl enable --link eth0; limits.rst)"

# by `redirect' alone, the node's ends send them
plain_routes() {
	mode='plain, hook'
	counts "$none, $none" "$none, $none" "$none, $none"
	mode='plain, qdisc'
	qdiscs enable --link
	counts "$all, $all" "$none, $all" "$none, $all"
	echo 'egress 2m' >/proc/network/box/eth0/bandwidth
	holds_in "limit of the node's end, in" 2000000 udp box "${peer_prefix[@]}"
	qdiscs disable
}

begin
need netnice
setup_silent_veth
sysctl -qw net.ipv4.ip_forward=1
peer ip route add 10.2.0.0/16 via 10.0.0.1
background peer traffic sink udp 9009 >"$tmp/sink.peer"
busywait 5 file_says "$tmp/sink.peer" ready
for kind in veth netkit; do
	if [ $kind = netkit ] && ! netkit probe probe-peer 2>"$tmp/out"; then
		skip 'netkit' "$(<"$tmp/out")"
		continue
	fi
	[ ! -e /sys/class/net/probe ] || ip link del probe
	sinks=()
	pod box 10.2.0
	pod mate 10.2.1
	between=peer
	[ $kind = veth ] || between=plain
	if ! programs_begin neigh peer $between; then
		skip "$kind: programs at tc" "$(cat "$tmp"/program.* 2>&1)"
	else
		routes
		programs_end
		programs_begin plain plain plain
		plain_routes
	fi
	programs_end
	stop "${sinks[@]}"
	pod_end box
	pod_end mate
done
log_clean
