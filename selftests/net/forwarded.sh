#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=22
#
# What is forwarded, and what passes several devices: on each device it is the VIF's
# that its user would expect, every packet once, and limits hold.
#
#   namespace box            init namespace (under test)        namespace peer
#   +----------------+      +---------------------------+      +---------------+
#   | eth0  10.2.0.2 |------| box       eth0   10.0.0.1 |------| eth0 10.0.0.2 |
#   +----------------+      | tap0                      |      +---------------+
#                           +---------------------------+

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cells.sh"

devices=/proc/network/devices
box_prefix=(nsenter --net=/run/netns/box --)
box() { "${box_prefix[@]}" "$@"; }

setup_box() {
	ip netns add box
	defer ip netns del box
	ip link add box type veth peer name eth0 netns box
	box sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	box ip link set lo up
	box ip addr add 10.2.0.2/24 dev eth0
	box ip link set eth0 up
	box ip route add default via 10.2.0.1
	ip addr add 10.2.0.1/24 dev box
	ip link set box up
	ethtool -K box tso off gso off gro off tx-udp-segmentation off >/dev/null
	box ethtool -K eth0 tso off gso off gro off >/dev/null
	sysctl -qw net.ipv4.ip_forward=1
	peer ip route add 10.2.0.0/16 via 10.0.0.1
}

box_mac() { box ip -o link show dev eth0 | sed 's/.*ether \([^ ]*\).*/\1/'; }

# vif_of DEVICE: where packets of the VIF under test go there
vif_of() { echo "/proc/network/$1/cell"; }

# device_packets DEVICE: those that it has sent, by its own counters
device_packets() { cat "/sys/class/net/$1/statistics/tx_packets"; }

count=20 size=1000

# passes NAME DEVICES FROM WORDS [OTHERS]: COUNT datagrams of SIZE bytes go to the
# peer, and are answered. FROM is a device, or a function that starts kinds with WORDS
# in the background. They are the VIF's on each of DEVICES (with `:N', N more bytes of
# headers), and the root's on OTHERS; no device counts anything twice.
passes() {
	local name=$1 on=$2 from=$3 what=$4 others=${5-} device extra before=() i=0 status mirror
	for device in $on $others; do
		device=${device%:*}
		mkdir "$(vif_of "$device")"
		before+=("$(($(vif_stat "/proc/network/$device" egress_packets) - $(device_packets "$device")))")
	done
	cell_port=$((cell_port + 1))
	background peer kinds socket udp4 bind 0.0.0.0 $cell_port say ready times $count '{' answer '}' >"$tmp/there"
	mirror=$!
	busywait 5 grep -q ready "$tmp/there"
	$from "$what" >"$tmp/from" 2>&1
	status=$?
	stop $mirror
	check_eq "$name: all arrive" "$status $(cat "$tmp/from")" '0 '
	pause 0.1
	for device in $on $others; do
		extra=${device#*:}
		[ "$extra" != "$device" ] || extra=0
		device=${device%:*}
		check_eq "$name: on $device each once" \
			"$(($(vif_stat "/proc/network/$device" egress_packets) - $(device_packets "$device")))" "${before[i]}"
		i=$((i + 1))
		case " $others " in
		*" $device "*) check_eq "$name: not the VIF's on $device" "$(vif_stat "$(vif_of "$device")" egress_packets)" 0 ;;
		*) check_eq "$name: the VIF's on $device" \
			"$(vif_stat "$(vif_of "$device")" egress_packets) packets, $(vif_stat "$(vif_of "$device")" egress_bytes) bytes" \
			"$count packets, $((count * (size + 28 + 14 + extra))) bytes" ;;
		esac
	done
}

# passed DEVICES: the VIFs can go
passed() {
	local device
	for device; do
		busywait 5 rmdir "$(vif_of "$device")" || note "$(cat "$(vif_of "$device")"/{tasks,sockets} 2>&1)"
	done
}

# limited NAME DEVICE PORT COMMAND...: of what the command sends to that port
limited() {
	local name=$1 device=$2 port=$3
	shift 3
	echo 'egress 1m' >"$(vif_of "$device")/bandwidth"
	echo max >"$(vif_of "$device")/limit"
	echo none >"$(vif_of "$device")/aqm"
	meter_start box eth0 --in --port "$port" --rate 1m
	"$@"
	busywait 10 queue_empty "$device"
	meter_stop box
	echo max >"$(vif_of "$device")/bandwidth"
	check "$name, limited: $(meter box packets) packets, $(meter box rate_bit_per_s) bit/s, $(meter box burst_bytes) bytes ahead" \
		"$(meter box packets) == 200 && $(meter box burst_bytes) <= $least_burst + 25 && $(meter box rate_bit_per_s) > 970000"
}

queue_empty() { [ "$(vif_stat "$(vif_of "$1")" egress_p_queue_packets)$(vif_stat "$(vif_of "$1")" egress_d_queue_packets)" = 00 ]; }

# who sends
talk='send SIZE receive SIZE'
# shellcheck disable=SC2046
from_box() { box kinds $(words "$1"); }
# shellcheck disable=SC2046
from_process() { in_vif_all kinds $(words "$1"); }
# shellcheck disable=SC2046
from_box_process() { in_vif_all "${box_prefix[@]}" kinds $(words "$1"); }

words() { sed "s/PORT/$cell_port/g; s/COUNT/$count/g; s/SIZE/$size/g" <<<"$1"; }

# attached on all the devices of the case
# shellcheck disable=SC2016
in_vif_all() {
	bash -c 'for vif in /proc/network/*/cell; do echo 0 >"$vif/tasks"; done; exec "$@"' - "$@"
}

client="socket udp4 connect 10.0.0.2 PORT times COUNT { $talk }"
flood='socket udp4 connect 10.0.0.2 9009 times 200 { send 1000 }'

# --- containers, guests ---------------------------------------------------------------

box_attached() {
	ln -s "$(vif_of eth0)" $devices/box/
	from_box "$1"
}

routed() {
	passes 'container, routed' eth0 box_attached "$client"
	# shellcheck disable=SC2086
	limited 'container, routed' eth0 9009 box kinds $flood
	asks_for_answers
	rm $devices/box/eth0
	passed eth0
	by_ifbs
	passes 'container, not attached' '' from_box "$client" eth0
	passed eth0
	passes 'container, its process attached: not beyond the veth' '' from_box_process "$client" eth0
	passed eth0
}

# hexadecimal: packets to the host's end of the container's veth, as if from the peer
echo_request=4500040400000000400162f50a0000020a0200010800f7ff00000000
syn=4500002800000000400666cc0a0000020a02000103e800090000000100000000500203e894040000

# answers NAME FRAME BYTES COUNT: the kernel's answers go to the peer, and are the container's
answers() {
	local before
	before=$(vif_stat "$(vif_of eth0)" egress_packets)
	box kinds link eth0 times "$4" '{' hex "$(tr -d : </sys/class/net/box/address)0200000000090800$2" "$3" '}'
	busywait 10 queue_empty eth0
	check_eq "container, $1" $(($(vif_stat "$(vif_of eth0)" egress_packets) - before)) "$4"
}

asks_for_answers() {
	local before
	sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.box.rp_filter=0
	answers 'answers to a port where nothing listens' "$syn" 54 20
	echo 'egress 1m' >"$(vif_of eth0)/bandwidth"
	before=$(vif_stat "$(vif_of eth0)" egress_overlimits)
	answers 'answers to echo requests' "$echo_request" 1042 100
	check 'container: they wait' "$(vif_stat "$(vif_of eth0)" egress_overlimits) > $before + 80"
	echo max >"$(vif_of eth0)/bandwidth"
}

# box_ifb DEVICE: in the container, tc redirects packets without a mark to an ifb, which marks them
# and sends them
box_ifb() {
	box ip link add ifb0 type ifb
	box ip link set ifb0 up
	box tc qdisc add dev ifb0 clsact
	box tc filter add dev ifb0 egress matchall action skbedit mark 1
	box tc qdisc add dev "$1" clsact
	box tc filter add dev "$1" egress bpf bytecode \
		'4,32 0 0 4294963220,21 0 1 0,6 0 0 4294967295,6 0 0 0,' flowid 1:1 \
		action mirred egress redirect dev ifb0
}

box_ifb_end() {
	box tc qdisc del dev "$1" clsact
	box ip link del ifb0
}

# An ifb marks packets so that they skip hooks of tc and netfilter: this is for one device only.
by_ifbs() {
	local before
	modprobe -q ifb numifbs=0 || { skip 'ifb' 'the kernel has none'; return; }
	mkdir "$(vif_of box)"
	box_ifb eth0
	before=$(vif_stat /proc/network/box ingress_packets)
	# shellcheck disable=SC2086
	box kinds $flood
	check_eq 'container, by an ifb of its own: received by the host, each once' \
		$(($(vif_stat /proc/network/box ingress_packets) - before)) 200
	box_ifb_end eth0
	host_ifb
	passes 'container, by an ifb of the host' eth0 box_attached "$client"
	# shellcheck disable=SC2086
	limited 'container, by an ifb of the host' eth0 9009 box kinds $flood
	before=$(vif_stat /proc/network/box ingress_packets)
	# shellcheck disable=SC2086
	box kinds $flood
	check_eq 'container, by an ifb of the host: received, each once' \
		$(($(vif_stat /proc/network/box ingress_packets) - before)) 200
	answers 'by an ifb of the host: answers to echo requests' "$echo_request" 1042 10
	host_ifb_end
	rm $devices/box/eth0
	passed eth0 box
	by_netkit
}

# A netkit marks packets, too, and an ifb before it has the kernel leave that mark where it is.
by_netkit() {
	local before
	if ! netkit kit kit-peer 2>"$tmp/out"; then
		skip 'netkit' "$(<"$tmp/out")"
		return
	fi
	ip link set kit-peer netns box name eth1
	ip addr add 10.2.3.1/24 dev kit
	ip link set kit up
	# it sends nothing by itself, nor asks for an address
	box sysctl -qw net.ipv6.conf.eth1.disable_ipv6=1
	box ip addr add 10.2.3.2/24 dev eth1
	box ip link set eth1 up
	box ip neigh replace 10.2.3.1 dev eth1 nud permanent lladdr "$(</sys/class/net/kit/address)"
	mkdir "$(vif_of eth0)" "$(vif_of kit)"
	ln -s "$(vif_of eth0)" $devices/kit/
	before=$(vif_stat /proc/network/kit ingress_packets)
	box_ifb eth1
	flood_by eth1 10.2.3.1
	check_eq 'container, by an ifb and a netkit: received and sent, each once' \
		"$(($(vif_stat /proc/network/kit ingress_packets) - before)) $(vif_stat "$(vif_of eth0)" egress_packets)" '200 200'
	flood_by eth0
	box_ifb_end eth1
	rm $devices/kit/eth0
	passed eth0 kit
	ip link del kit
}

# What the host receives from the container tc redirects to an ifb, which puts it back.
host_ifb() {
	ip link add ifb1 type ifb
	ip link set ifb1 up
	tc qdisc add dev box clsact
	tc filter add dev box ingress matchall action mirred egress redirect dev ifb1
}

host_ifb_end() {
	tc qdisc del dev box clsact
	ip link del ifb1
}

# to the container: the other way round, its veth's VIF
to_box_attached() {
	ln -s "$(vif_of box)" $devices/eth0/
	from_box "$1"
}

answered() {
	passes 'to a container' box to_box_attached "$client" eth0
	rm $devices/eth0/box
	passed box eth0
}

bridged() {
	modprobe -q bridge || { skip 'bridge' 'the kernel has none'; return; }
	ip link add br0 type bridge
	ip addr del 10.0.0.1/24 dev eth0
	ip link set box master br0
	ip link set eth0 master br0
	ip addr add 10.0.0.1/24 dev br0
	ip link set br0 up
	ip neigh replace 10.0.0.2 dev br0 nud permanent lladdr "$(peer_mac)"
	peer ip neigh replace 10.0.0.1 dev eth0 nud permanent lladdr "$(cat /sys/class/net/br0/address)"
	box ip addr add 10.0.0.3/24 dev eth0
	box ip neigh replace 10.0.0.2 dev eth0 nud permanent lladdr "$(peer_mac)"
	peer ip neigh replace 10.0.0.3 dev eth0 nud permanent lladdr "$(box_mac)"
	passes 'container, bridged' eth0 box_attached "$client"
	# shellcheck disable=SC2086
	limited 'container, bridged' eth0 9009 box kinds $flood
	bridged_assigned
	rm $devices/box/eth0
	passed eth0
	passes 'a process, by a bridge' 'br0 eth0' from_process "$client"
	passed br0 eth0
	guest_bridged
	box ip addr del 10.0.0.3/24 dev eth0
	ip link del br0
	ip addr add 10.0.0.1/24 dev eth0
	cell_neighbours 10.0.0.1 10.0.0.2
}

# The box has what it sends assigned to a socket of its own, at an inner device, and redirected out.
bridged_assigned() {
	local before mac
	mac=$(peer_mac)
	box ip -batch - <<-END
		link add within type veth peer name inner
		link set within up
		link set inner up
		neigh replace 10.0.0.2 dev within nud permanent lladdr $mac
		route add 10.0.0.2 dev within src 10.0.0.3
	END
	background "${box_prefix[@]}" kinds socket udp4 bind 10.0.0.3 7777 assign inner 10.0.0.3 7777 \
		redirect inner tc "10.0.0.2/plain/eth0/$mac" say ready pause 1000000 >"$tmp/assigns" 2>&1
	if busywait 5 file_says "$tmp/assigns" ready; then
		# shellcheck disable=SC2086
		limited 'container, bridged, assigned to a socket there' eth0 9009 box kinds $flood
		echo 'ingress 1m' >/proc/network/box/bandwidth
		before=$(vif_stat /proc/network/box ingress_overlimits)
		# shellcheck disable=SC2086
		box kinds $flood
		check 'assigned to a socket of a container: most wait' \
			"$(vif_stat /proc/network/box ingress_overlimits) - $before > 180"
		echo max >/proc/network/box/bandwidth
	else
		skip 'assigned to a socket of a container' "$(<"$tmp/assigns")"
	fi
	stop $!
	box ip link del within
}

# A bridge that hands up what its ports receive, to be routed: a container's default. The
# other container on it is `mate'.
bridge_routed() {
	modprobe -q bridge || { skip 'bridge' 'the kernel has none'; return; }
	ip link add br0 type bridge
	ip addr del 10.2.0.1/24 dev box
	ip link set box master br0
	ip addr add 10.2.0.1/24 dev br0
	ip link set br0 up
	ip link add mate type veth peer name eth1 netns box
	ip link set mate master br0 up
	box ip link set eth1 up
	box ip addr add 10.2.0.3/24 dev eth1
	box ip neigh replace 10.2.0.1 dev eth0 nud permanent lladdr "$(cat /sys/class/net/br0/address)"
	box ip neigh replace 10.2.0.1 dev eth1 nud permanent lladdr "$(cat /sys/class/net/br0/address)"
	ip neigh replace 10.2.0.2 dev br0 nud permanent lladdr "$(box_mac)"
	passes 'container, bridge routed' eth0 box_attached "$client"
	# shellcheck disable=SC2086
	limited 'container, bridge routed' eth0 9009 box kinds $flood
	if modprobe -q ifb numifbs=0; then
		box_ifb eth0
		# shellcheck disable=SC2086
		limited 'container, bridge routed, by an ifb of its own' eth0 9009 box kinds $flood
		box_ifb_end eth0
		host_ifb
		# shellcheck disable=SC2086
		limited 'container, bridge routed, by an ifb of the host' eth0 9009 box kinds $flood
		host_ifb_end
	fi
	bridge_fragments
	bridge_mate
	bridge_itself
	bridge_queue
	bridge_waits
	rm $devices/box/eth0
	passed eth0
	passes 'container, bridge routed, not attached' '' from_box "$client" eth0
	passed eth0
	ip link del mate
	ip link del br0
	ip addr add 10.2.0.1/24 dev box
	box ip neigh del 10.2.0.1 dev eth0
}

# the host divides what does not fit
bridge_fragments() {
	local before
	before=$(vif_stat "$(vif_of eth0)" egress_packets)
	ip link set eth0 mtu 600
	box sysctl -qw net.ipv4.ip_no_pmtu_disc=1
	box kinds socket udp4 connect 10.0.0.2 9009 times 10 '{' send 1000 '}'
	box sysctl -qw net.ipv4.ip_no_pmtu_disc=0
	ip link set eth0 mtu 1500
	check_eq 'container, bridge routed: of 10 datagrams, fragments' \
		$(($(vif_stat "$(vif_of eth0)" egress_packets) - before)) 20
}

# what another container sends is not the attached one's
bridge_mate() {
	local before
	before=$(vif_stat "$(vif_of eth0)" egress_packets)
	box ip route replace default via 10.2.0.1 dev eth1
	# shellcheck disable=SC2086
	box kinds $flood
	box ip route replace default via 10.2.0.1 dev eth0
	check_eq 'container, bridge routed: of what another one sends' \
		$(($(vif_stat "$(vif_of eth0)" egress_packets) - before)) 0
}

# the bridge is attached, too: what of it is for all others, the port has its own
bridge_itself() {
	local before own=/proc/network/eth0/all
	mkdir $own
	ln -s $own $devices/br0/eth0
	before=$(vif_stat "$(vif_of eth0)" egress_packets)
	# shellcheck disable=SC2086
	box kinds $flood
	check_eq 'a port and its bridge attached: the port'\''s' \
		"$(($(vif_stat "$(vif_of eth0)" egress_packets) - before)) $(vif_stat $own egress_packets)" '200 0'
	box ip route replace default via 10.2.0.1 dev eth1
	# shellcheck disable=SC2086
	box kinds $flood
	box ip route replace default via 10.2.0.1 dev eth0
	check_eq 'another port: the bridge'\''s' \
		"$(($(vif_stat "$(vif_of eth0)" egress_packets) - before)) $(vif_stat $own egress_packets)" '200 200'
	rm $devices/br0/eth0
	rmdir $own
}

# bridge_sends COMMAND...: of what is sent meanwhile, packets of the VIF
bridge_sends() {
	local before
	before=$(vif_stat "$(vif_of eth0)" egress_packets)
	"$@"
	pause 3
	sent=$(($(vif_stat "$(vif_of eth0)" egress_packets) - before))
}

# flood_by DEVICE [GATEWAY]: from now on this is the way
# shellcheck disable=SC2086
flood_by() {
	box ip route replace default via "${2-10.2.0.1}" dev "$1"
	box kinds $flood
}

# What waits above the device that limits goes on by a timer: whose port it came by is not
# known any more.
bridge_queue() {
	local sent
	add_vlan above 10.4.0
	tc qdisc add dev above root tbf rate 1mbit burst 2k limit 1m
	flood=${flood/10.0.0.2/10.4.0.2} bridge_sends flood_by eth0
	check "container, bridge routed: of 200 packets that wait above, $sent are the port's" "$sent < 20"
	del_both above
}

# What waits at the bridge's ingress is the bridge's when it goes on, and so is all while the
# port has a generic XDP program.
bridge_waits() {
	local sent program
	echo 'ingress 1m' >/proc/network/br0/bandwidth
	bridge_sends flood_by eth0
	echo max >/proc/network/br0/bandwidth
	check "container, bridge routed: of 200 packets that wait at the bridge, $sent are the port's" "$sent < 20"
	background kinds xdp box say ready pause 1000000 >"$tmp/program"
	program=$!
	busywait 5 grep -q ready "$tmp/program"
	bridge_sends flood_by eth0
	stop $program
	check_eq 'container, bridge routed: while the port has a generic XDP program' "$sent" 0
}

# A guest's card, with an address of its own; what it sends goes first to $gateway_mac.
guest_mac=02:00:00:00:00:09
add_tap() { modprobe -q tun && ip tuntap add tap0 mode tap; }

tap_guest() {
	ln -s "$(vif_of eth0)" $devices/tap0/
	tap_sends "socket udp4 use 0 times COUNT { frame $gateway_mac $guest_ip 10.0.0.2 PORT SIZE answers 1 }"
}

tap_floods() { tap_sends "times 200 { frame $gateway_mac $guest_ip 10.0.0.2 9009 1000 }"; }

# tap_sends WORDS: the guest's card is the first socket. A bridge needs a moment to see
# that it is there.
# shellcheck disable=SC2046
tap_sends() { kinds tap tap0 pause 1000 $(words "$1"); }

# guest_passes NAME
guest_passes() {
	passes "$1" eth0 tap_guest ''
	limited "$1" eth0 9009 tap_floods
	rm $devices/tap0/eth0
	passed eth0
	ip link del tap0
}

taps() {
	local gateway_mac guest_ip=10.2.9.2
	add_tap || { skip 'tap' 'the kernel has none'; return; }
	ip addr add 10.2.9.1/24 dev tap0
	ip link set tap0 up
	ip neigh replace $guest_ip dev tap0 nud permanent lladdr $guest_mac
	gateway_mac=$(cat /sys/class/net/tap0/address)
	guest_passes 'guest'
}

guest_bridged() {
	local gateway_mac guest_ip=10.0.0.4
	add_tap || { skip 'tap' 'the kernel has none'; return; }
	ip link set tap0 master br0
	ip link set tap0 up
	peer ip neigh replace $guest_ip dev eth0 nud permanent lladdr $guest_mac
	gateway_mac=$(peer_mac)
	guest_passes 'guest, bridged'
}

# --- devices on top of others ---------------------------------------------------------

# over NAME DEVICES: a process sends by the device `top', which is here and at the peer
over() {
	local name=$1 on=$2
	setup_above top 10.3.0
	if [ "$name" = WireGuard ]; then
		busywait 10 ping -q -c 1 -W 1 10.3.0.2 >/dev/null
	else
		set_neighbours 10.3.0.1 10.3.0.2 top
	fi
	passes "a process, by $name" "$on" from_process "${client/10.0.0.2/10.3.0.2}"
	# shellcheck disable=SC2086
	passed ${on//:?(-)+([0-9])/}
	mkdir "$(vif_of top)" "$(vif_of eth0)"
	ln -s "$(vif_of top)" $devices/box/top
	ln -s "$(vif_of eth0)" $devices/box/eth0
	cell_port=$((cell_port + 1))
	passed_by_top "$name"
	rm $devices/box/top $devices/box/eth0
	passed top eth0
	del_both top
}

# what is forwarded from the container
passed_by_top() {
	local sink
	background peer kinds socket udp4 bind 0.0.0.0 $cell_port say ready times $count '{' receive 1 '}' >"$tmp/there"
	sink=$!
	busywait 5 grep -q ready "$tmp/there"
	from_box "socket udp4 connect 10.3.0.2 PORT times COUNT { send SIZE }"
	wait $sink
	check_eq "container, by $1: all arrive" $? 0
	check_eq "container, by $1: the VIF's" "$(vif_stat "$(vif_of top)" egress_packets)" $count
	case $1 in
	# another task encrypts it; or eth0 is not below
	WireGuard | bond) ;;
	*) check_eq "container, by $1: and below" "$(vif_stat "$(vif_of eth0)" egress_packets)" $count ;;
	esac
}

layers() {
	if modprobe -q 8021q; then
		add_above top vlan id 5
		over VLAN 'top eth0:4'
	else
		skip 'VLAN' 'the kernel has none'
	fi
	if modprobe -q macvlan; then
		add_above top macvlan mode bridge
		over macvlan 'top eth0'
	else
		skip 'macvlan' 'the kernel has none'
	fi
	if modprobe -q vxlan; then
		ip link add top type vxlan id 7 local 10.0.0.1 remote 10.0.0.2 dstport 4789
		peer ip link add top type vxlan id 7 local 10.0.0.2 remote 10.0.0.1 dstport 4789
		over VXLAN 'top eth0:50'
	else
		skip 'VXLAN' 'the kernel has none'
	fi
	if modprobe -q wireguard; then
		tunnelled
	else
		skip 'WireGuard' 'the kernel has none'
	fi
	if modprobe -q bonding max_bonds=0; then
		bonded
	else
		skip 'bond' 'the kernel has none'
	fi
}

# It has no headers of a link. What has to wait for the first handshake is taken from its
# sockets (limits.rst), so that comes before. Data are padded to 16 bytes.
tunnelled() {
	ip link add top type wireguard
	peer ip link add top type wireguard
	wireguard_keys 10.3.0.1 10.3.0.2 10.2.0.0/16
	over WireGuard 'top:-14 eth0:72'
}

bonded() {
	ip link add low type veth peer name top netns peer
	ip link add top type bond mode active-backup
	ip link set low master top
	ip link set low up
	over bond 'top low'
}

# --- within this host -----------------------------------------------------------------

loopback() {
	ip link set lo up
	passes_lo from_process 'socket udp4 connect 127.0.0.1 PORT times COUNT { send SIZE receive SIZE }'
	passed lo
}

# each packet that is sent is received: the VIF's of the sender, and of the receiver
passes_lo() {
	local mirror vif=/proc/network/lo/cell want="$count packets, $((count * (size + 28 + 14))) bytes"
	mkdir $vif
	cell_port=$((cell_port + 1))
	background kinds socket udp4 bind 0.0.0.0 $cell_port say ready times $count '{' answer '}' >"$tmp/there"
	mirror=$!
	busywait 5 grep -q ready "$tmp/there"
	ok 'loopback: all arrive' "$@"
	wait $mirror
	check_eq 'loopback: sent' "$(vif_stat $vif egress_packets) packets, $(vif_stat $vif egress_bytes) bytes" "$want"
	check_eq 'loopback: received' "$(vif_stat $vif ingress_packets) packets, $(vif_stat $vif ingress_bytes) bytes" "$want"
}

# --- not for this host ----------------------------------------------------------------

# to NAME DEVICE WHO ADDRESS PORT COUNT: so many of ten datagrams that WHO sends there are
# received by the VIF of a listener at all addresses
to() {
	local name=$1 device=$2 who=$3 address=$4 port=$5 vif before
	vif=$(vif_of "$device")
	before=$(vif_stat "$vif" ingress_packets)
	"$who" traffic send udp "$address" "$port" --size 500 --bytes 5000 >/dev/null
	pause 0.1
	check_eq "$name" $(($(vif_stat "$vif" ingress_packets) - before)) "$6"
}

# what passes, or goes nowhere, is not a listener's, whose port it happens to have
passing() {
	local sink
	mkdir "$(vif_of box)" "$(vif_of eth0)"
	sysctl -qw net.ipv6.conf.all.forwarding=1
	peer ip -6 route add fd99::/64 via fd00::1
	ip -6 route add local fd98::/64 dev lo
	peer ip -6 route add fd98::/64 via fd00::1
	background traffic sink udp 7007 >"$tmp/sink"
	sink=$!
	busywait 5 file_says "$tmp/sink" ready
	echo $sink | tee "$(vif_of box)/tasks" >"$(vif_of eth0)/tasks"
	to 'a listener: what is for it' box box 10.2.0.1 7007 10
	to 'a listener: what is for another address of this host' box box 10.0.0.1 7007 10
	to 'a listener: what is for all' box box 224.0.0.1 7007 10
	to 'a listener: what only passes' box box 10.0.0.2 7007 0
	ip addr replace fd00::1/64 dev eth0 nodad
	peer ping -qc 1 fd00::1 >/dev/null
	to 'a listener: IPv6' eth0 peer fd00::1 7007 10
	to 'a listener: IPv6, a prefix that is all of this host' eth0 peer fd98::5 7007 10
	to 'a listener: IPv6, what only passes' eth0 peer fd99::5 7007 0
	sysctl -qw net.ipv4.ip_forward=0
	to 'a listener: what is for it, where nothing passes' box box 10.2.0.1 7007 10
	sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=0
	stop $sink
	vifs_end "$(vif_of box)" "$(vif_of eth0)"
}

# spoofed: a segment of a connection of 10.0.0.1, in hexadecimal
spoofed() {
	local mac
	mac=$(peer_mac)
	printf '%s0200000000090800450000280000400040060000%s%s%04x%04x%s' "${mac//:}" 0a000001 0a000002 \
		7300 7301 000000010000000150101000
}

# It has the addresses of a connection here.
moved_spoofs() {
	local before
	background peer kinds socket tcp4 bind 0.0.0.0 7301 listen 1 say ready accept pause 100000 >"$tmp/there"
	busywait 5 file_says "$tmp/there" ready
	background "${in_vif_prefix[@]}" "$(vif_of eth0)" kinds socket tcp4 bind 10.0.0.1 7300 connect 10.0.0.2 7301 \
		say ready pause 100000 >"$tmp/here"
	busywait 5 file_says "$tmp/here" ready
	pause 0.5
	before=$(vif_stat "$(vif_of eth0)" egress_packets)
	box kinds link moved times 10 '{' hex "$(spoofed)" 60 '}'
	pause 0.1
	check "a macvlan of a router: forged segments are not the connection's" \
		"$(vif_stat "$(vif_of eth0)" egress_packets) - $before < 10"
	stop $!
}

# moved_forwards NAME: what the box forwards by its device `moved' is not the VIF's of the device with
# that number here
moved_forwards() {
	local before
	ip link set moved netns box
	box ip -batch - <<-END
		addr add 10.0.0.5/24 dev moved
		link set moved up
		neigh replace 10.0.0.2 dev moved nud permanent lladdr $(peer_mac)
	END
	mkdir "$(vif_of eth0)"
	ln -s "$(vif_of eth0)" $devices/box/
	before=$(vif_stat /proc/network/eth0 egress_packets)
	# shellcheck disable=SC2086
	"${inside[@]}" kinds $flood
	check "$1: all leave" "$(vif_stat /proc/network/eth0 egress_packets) - $before >= 200"
	check_eq "$1: none is of the device with that number" "$(vif_stat "$(vif_of eth0)" egress_packets)" 0
	rm $devices/box/eth0
}

# Root of the box has a macvlan of eth0, or a VLAN of one, and gives the device by which it receives
# the number that the box's device has here. This means nothing here.
moved() {
	local index inside=(nsenter --net=/run/netns/inside --)
	index=$(<"/sys/class/net/box/ifindex")
	ip netns add inside
	if ! box ip link add near index "$index" type veth peer name eth0 netns inside 2>"$tmp/out"; then
		skip 'a macvlan of a router' "$(<"$tmp/out")"
		ip netns del inside
		return
	fi
	box ip addr add 10.9.0.1/24 dev near
	box ip link set near up
	box sysctl -qw net.ipv4.ip_forward=1
	"${inside[@]}" ip addr add 10.9.0.2/24 dev eth0
	"${inside[@]}" ip link set eth0 up
	"${inside[@]}" ip route add default via 10.9.0.1
	ip link add link eth0 name moved type macvlan mode bridge
	moved_forwards 'a macvlan of a router'
	moved_spoofs
	passed eth0
	box ip link del moved
	ip link add link eth0 name middle type macvlan mode bridge
	ip link set middle up
	ip link add link middle name moved type vlan id 5
	moved_forwards 'a VLAN of a macvlan'
	passed eth0
	box ip link del moved
	ip link del middle
	box ip link del near
	ip netns del inside
}

# keeps WHAT SEND ADDRESS PORT WORDS...: SEND sends 20 datagrams to the box as ADDRESS and PORT. The kernel gives none
# of them to the socket of user 1000 that WORDS make, in a VIF of 8 kbit/s.
keeps() {
	local before taker slow=/proc/network/eth0/user-1000/slow
	"${user_prefix[@]}" sh -c 'mkdir -p "$1" && echo 8k >"$1/bandwidth" && echo 0 >"$1/tasks" && shift && exec "$@"' \
		- $slow kinds "${@:5}" say ready pause 1000000 >"$tmp/taker" &
	taker=$!
	busywait 5 file_says "$tmp/taker" ready
	before=$(box_received)
	"$2" "$3" "$4" 20
	pause 0.5
	check "$1: the box gets all" "$(box_received) - $before >= 20"
	check_eq "$1: user 1000 is charged for none" "$(vif_stat $slow ingress_bytes)" 0
	stop $taker
	busywait 20 test ! -d $slow
}

box_received() { box awk '/:/ && $1 != "lo:" { n += $3 } END { print n }' /proc/net/dev; }

sends_box() { peer kinds socket udp4 bind 10.0.0.2 9000 connect "$1" "$2" times "$3" '{' send 1000 '}'; }

masqueraded_box() {
	box kinds socket udp4 bind 10.2.0.2 "$2" connect 10.0.0.2 9000 send 10 close
	sends_box "$@"
}

sends_vlan() { peer kinds socket udp4 bind 10.5.0.2 9000 connect "$1" "$2" times "$3" '{' send 1000 '}'; }

# Sockets of a user that have the address, or the port, of what is forwarded to the box.
kept() {
	box nft 'add table ip kept; add chain ip kept c { type filter hook output priority 0; }
		add rule ip kept c icmp type destination-unreachable drop'
	keeps 'routed, a socket with IP_FREEBIND' sends_box 10.2.0.2 7500 socket udp4 set freebind 1 bind 10.2.0.2 7500
	nft 'add table ip kept; add chain ip kept c { type nat hook postrouting priority 100; }
		add rule ip kept c ip saddr 10.2.0.2 masquerade'
	keeps 'masqueraded, a socket at that port' masqueraded_box 10.0.0.1 7501 socket udp4 bind 0.0.0.0 7501
	keeps 'masqueraded, a connected socket' masqueraded_box 10.0.0.1 7502 \
		socket udp4 bind 10.0.0.1 7502 connect 10.0.0.2 9000
	nft delete table ip kept
	sysctl -qw net.ipv4.ip_forward=0
	add_above v5 vlan id 5
	ip link set v5 netns box
	box ip addr add 10.5.0.1/24 dev v5
	box ip link set v5 up
	peer ip addr add 10.5.0.2/24 dev v5
	peer ip link set v5 up
	keeps 'a VLAN in the box, a socket at all addresses' sends_vlan 10.5.0.1 7503 socket udp4 bind 0.0.0.0 7503
	sysctl -qw net.ipv4.ip_forward=1
	box ip link del v5
	box nft delete table ip kept
}

begin
cells_setup
setup_box
# receivers of the floods
background peer traffic sink udp 9009 >/dev/null
shopt -s extglob
for group in ${GROUPS_OF_CELLS-routed answered bridge_routed taps moved layers bridged loopback passing kept}; do
	$group
done
