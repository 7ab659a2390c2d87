#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tunnels: on the device below, what is sent and received is the process's inside, is
# limited, and is counted once. IPsec in transport and tunnel mode, also in UDP; GRE, IP in
# IP, VXLAN, Geneve; and what is no tunnel, VLAN and macvlan. Of WireGuard that holds for
# what is sent.
# lab: virtual, check=6.1

. "$(dirname "$0")/lib.sh"

# addresses in the tunnel
inside=10.5.0.1
beyond=10.5.0.2
port=9000
size=1000
count=50
# of IPsec
key='rfc4106(gcm(aes)) 0x0123456789abcdef0123456789abcdef01234567 128'
root=/proc/network/eth0
vif=$root/v

# xfrm_side PREFIX HERE THERE HERE-INSIDE THERE-INSIDE SPI-OUT SPI-IN: one end. $mode; and
# $encapsulation, if it goes in UDP
xfrm_side() {
	local prefix=$1 direction from to in_from in_to spi
	for direction in out in; do
		from=$2 to=$3 in_from=$4 in_to=$5 spi=$6
		[ $direction = out ] || from=$3 to=$2 in_from=$5 in_to=$4 spi=$7
		# shellcheck disable=SC2086
		$prefix ip xfrm state add src "$from" dst "$to" proto esp spi "$spi" mode $mode \
			aead $key $encapsulation || return
		$prefix ip xfrm policy add src "$in_from" dst "$in_to" dir $direction \
			priority 2 tmpl src "$from" dst "$to" proto esp mode "$mode" || return
		# what the packets are in needs none of it
		$prefix ip xfrm policy add src "$from" dst "$to" proto 17 dport 4500 dir $direction \
			priority 1 || return
	done
}

# has the port of ESP in UDP, as a key daemon does
encapsulator='socket udp4 bind 0.0.0.0 4500 set encap 2 say ready pause 100000'

# An end of either tunnel is there, and goes, as a whole: $here and $there are whom to talk
# to, $mode and $encapsulation are IPsec's.
ipsec_up() {
	# shellcheck disable=SC2086
	kinds $encapsulator >"$tmp/encapsulator" &
	encapsulators=$!
	# shellcheck disable=SC2086
	"${peer_prefix[@]}" kinds $encapsulator >"$tmp/encapsulator.peer" &
	encapsulators+=" $!"
	busywait 5 grep -q ready "$tmp/encapsulator" &&
		busywait 5 grep -q ready "$tmp/encapsulator.peer" &&
		xfrm_side '' 10.0.0.1 10.0.0.2 $here $there 0x1001 0x1002 &&
		xfrm_side peer 10.0.0.2 10.0.0.1 $there $here 0x1002 0x1001
}

ipsec_down() {
	local pid
	for pid in $encapsulators; do stop "$pid"; done
	ip xfrm policy flush
	ip xfrm state flush
	peer ip xfrm policy flush
	peer ip xfrm state flush
}

# no_escape NAME: what only looks like IPsec in UDP is counted
# shellcheck disable=SC2016
no_escape() {
	local before after
	mkdir $vif
	read -ra before <<<"$(counts)"
	peer bash -c 'for ((i = 0; i < 10; i++)); do
		printf "\x00\x00\x10\x02%0100d" 0 >/dev/udp/10.0.0.1/4500
	done'
	pause 0.1
	read -ra after <<<"$(counts)"
	rmdir $vif
	check_eq "$1: datagrams with its number, each once" $((after[2] - before[2])) 0
}

# ipsec transport|tunnel [udp]
ipsec() {
	mode=$1 encapsulation='' here=10.0.0.1 there=10.0.0.2
	if [ "$mode" = tunnel ]; then
		here=$inside there=$beyond
	fi
	[ -z "${2-}" ] || encapsulation='encap espinudp 4500 4500 0.0.0.0'
	if ! ipsec_up; then
		fail "IPsec $*: states and policies"
		return
	fi
	counted "IPsec $*"
	limited "IPsec $*"
	[ -n "${2-}" ] || no_escape "IPsec $*"
	ipsec_down
}

# top_add LINK: at both ends; ENDS stands for their addresses
top_add() {
	local back=${1/ENDS/local 10.0.0.2 remote 10.0.0.1}
	# shellcheck disable=SC2086
	ip link add name top ${1/ENDS/local 10.0.0.1 remote 10.0.0.2} &&
		peer ip link add name top ${back/remote 10.0.0.2/remote 10.0.0.1} &&
		ip addr add $here/24 dev top && peer ip addr add $there/24 dev top &&
		ip link set top up && peer ip link set top up
}

top_del() {
	ip link del top
	peer ip link del top
}

# over NAME LINK: a device of that kind
over() {
	here=10.6.0.1 there=10.6.0.2
	if ! top_add "$2" 2>"$tmp/link"; then
		skip "$1" "$(cat "$tmp/link")"
		return
	fi
	pause 2
	counted "$1"
	limited "$1"
	top_del
}

# What it has received is encrypted, and the kernel's. What is sent it encrypts outside the
# process's context: whose the socket is has to be known from its own device.
wireguard() {
	local name=WireGuard
	here=10.6.0.1 there=10.6.0.2
	if ! top_add 'type wireguard' 2>"$tmp/link"; then
		skip $name "$(cat "$tmp/link")"
		return
	fi
	wireguard_keys $here $there
	busywait 10 ping -q -c 1 -W 1 $there >/dev/null
	received=0 sent=0 counted "$name, on whose device is no VIF"
	mkdir /proc/network/top/used
	received=0 counted $name
	top_del
}

device_packets() { cat "/sys/class/net/eth0/statistics/$1_packets"; }

# packets of both directions: the VIF's, and how many the root misses or has too much
counts() {
	echo "$(vif_stat $vif ingress_packets) $(vif_stat $vif egress_packets)" \
		"$(($(vif_stat $root ingress_packets) - $(device_packets rx)))" \
		"$(($(vif_stat $root egress_packets) - $(device_packets tx)))"
}

# counted NAME
counted() {
	local before after receiver
	port=$((port + 1))
	mkdir $vif
	# the first ones have their hooks made
	peer kinds socket udp4 connect $here $port times 3 '{' send 100 '}' 2>/dev/null
	pause 0.5
	read -ra before <<<"$(counts)"
	: >"$tmp/ready"
	kinds socket udp4 bind 0.0.0.0 $port say ready times $count '{' receive $size '}' >"$tmp/ready" &
	receiver=$!
	busywait 5 grep -q ready "$tmp/ready"
	echo $receiver >$vif/tasks
	peer kinds socket udp4 connect $here $port times $count '{' send $size '}'
	wait $receiver
	check_eq "$1: all arrive" $? 0
	in_vif $vif kinds socket udp4 connect $there 9009 times $count '{' send $size '}'
	pause 0.1
	read -ra after <<<"$(counts)"
	check_eq "$1: received, the VIF's" $((after[0] - before[0])) "${received-$count}"
	check_eq "$1: sent, the VIF's" $((after[1] - before[1])) "${sent-$count}"
	check_eq "$1: received, each once" $((after[2] - before[2])) 0
	check_eq "$1: sent, each once" $((after[3] - before[3])) 0
	busywait 5 rmdir $vif
}

# limited NAME: to 2 Mbit/s of what is counted
limited() {
	local packets bytes rate sink
	# one of each way in which it is found
	short && [[ ! $1 =~ ^(VXLAN|IPsec (transport|tunnel))$ ]] && return
	port=$((port + 1))
	mkdir $vif
	echo 'ingress 2m' >$vif/bandwidth
	in_vif $vif traffic sink udp $port --seconds 4 >"$tmp/sink" &
	sink=$!
	pause 0.2
	peer traffic send udp $here $port --rate 10m --size $size --seconds 5 >/dev/null
	wait $sink
	packets=$(vif_stat $vif ingress_packets)
	bytes=$(vif_stat $vif ingress_bytes)
	rate=$(sed -n 's/.*rate_bit_per_s=\([0-9]*\).*/\1/p' "$tmp/sink")
	check "$1: $rate bit/s of data of 2 Mbit/s received, $((bytes / packets)) bytes each counted" \
		"$rate > 0.99 * 2000000 * $size / ($bytes / $packets) && $rate < 1.01 * 2000000 * $size / ($bytes / $packets)"
	busywait 5 rmdir $vif
}

begin
need netnice
setup_veth
ip addr add $inside/32 dev lo
ip link set lo up
peer ip addr add $beyond/32 dev lo
ip route add $beyond via 10.0.0.2 src $inside
peer ip route add $inside via 10.0.0.1 src $beyond
# datagrams are not to be put together
ethtool -K eth0 gro off >/dev/null
mkdir $root/used
background peer traffic sink udp 9009 >/dev/null
over GRE 'type gre ENDS key 7'
over 'Ethernet in GRE' 'type gretap ENDS'
over 'IP in IP' 'type ipip ENDS'
over VXLAN 'type vxlan ENDS id 7 dstport 4789'
over Geneve 'type geneve id 7 remote 10.0.0.2'
over VLAN 'link eth0 type vlan id 5'
over macvlan 'link eth0 type macvlan mode bridge'
wireguard
if modprobe -q esp4; then
	ipsec transport
	ipsec transport udp
	ipsec tunnel
	ipsec tunnel udp
	# what is decrypted before it is received
	modprobe -q esp4_offload
	ethtool -K eth0 gro on >/dev/null
	ipsec transport
	ipsec tunnel
else
	skip IPsec 'the kernel has none'
fi
rmdir $root/used
log_clean
