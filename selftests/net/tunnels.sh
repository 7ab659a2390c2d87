#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tunnels, and devices on top of others: on the device below, whose is what is sent and
# received, what of it is counted, once, and limited: all that limits.rst has in its table of
# tunnels, in its order, and the sentences behind that; but OpenVPN by the kernel's module,
# for which Debian 12 has no OpenVPN.
# lab: virtual, check=uml, with=tunnels, budget=27

# the paths of VIFs have no spaces
# shellcheck disable=SC2086

. "$(dirname "$0")/lib.sh"

# addresses in the tunnel
inside=10.5.0.1
beyond=10.5.0.2
port=9000
size=1000
# such a packet on the wire, in no tunnel
whole=1042
count=50
# of IPsec
key='rfc4106(gcm(aes)) 0x0123456789abcdef0123456789abcdef01234567 128'

# below DEVICE: this is the device below
below() {
	device=$1
	root=/proc/network/$1
	vif=$root/v
}

# --- the judges -----------------------------------------------------------------------

# in all namespaces, as /sys is that of this one
device_packets() { cat "/sys/class/net/$device/statistics/$1_packets"; }

# of both directions: the VIF's packets and bytes, and how many packets the root misses or
# has too much
count_all() {
	echo "$(vif_stat $vif ingress_packets) $(vif_stat $vif ingress_bytes)" \
		"$(vif_stat $vif egress_packets) $(vif_stat $vif egress_bytes)" \
		"$(($(vif_stat $root ingress_packets) - $(device_packets rx)))" \
		"$(($(vif_stat $root egress_packets) - $(device_packets tx)))"
}

# the same; what the kernel sends by itself meanwhile makes it look again
counts() {
	local now was=''
	now=$(count_all)
	until [ "$now" = "$was" ]; do was=$now now=$(count_all); done
	echo "$now"
}

# of two counts(), what is between them
between() {
	local i
	for i in 0 1 2 3 4 5; do more[i]=$((after[i] - before[i])); done
}

# of_each PACKETS BYTES: of each of these packets, as it is counted
of_each() { echo "$1 packets of $(($2 / ($1 ? $1 : 1))) bytes"; }

# expected BYTES|root
expected() {
	if [ "$1" = root ]; then
		echo '0 packets of 0 bytes'
	else
		echo "$count packets of $1 bytes"
	fi
}

# counted NAME SENT RECEIVED: so many bytes of each packet are the VIF's, or it is the root's
counted() {
	local before after more receiver
	port=$((port + 1))
	mkdir $vif
	# the first ones have their hooks made
	peer kinds socket $kind connect $here $port times 3 '{' send 100 '}' 2>/dev/null
	pause 0.5
	read -ra before <<<"$(counts)"
	background "${inner_prefix[@]}" kinds socket $kind bind 0.0.0.0 $port say ready \
		times $count '{' receive $size '}' >"$tmp/ready"
	receiver=$!
	busywait 5 grep -q ready "$tmp/ready"
	echo $receiver >$vif/tasks
	peer kinds socket $kind connect $here $port times $count '{' send $size '}'
	wait $receiver
	check_eq "$1: all arrive" $? 0
	# it stays until all is encrypted, which others do
	in_vif $vif "${inner_prefix[@]}" kinds socket $kind connect $there 9009 times $count '{' send $size '}' pause 100
	pause 0.1
	read -ra after <<<"$(counts)"
	between
	check_eq "$1: sent, the VIF's" "$(of_each "${more[2]}" "${more[3]}")" "$(expected "$2")"
	check_eq "$1: received, the VIF's" "$(of_each "${more[0]}" "${more[1]}")" "$(expected "$3")"
	check_eq "$1: sent, each once" "${more[5]}" 0
	check_eq "$1: received, each ${twice:-once}" "${more[4]}" $((count * ${#twice} / 5))
	busywait 5 rmdir $vif
}
# where the processes are, and what kind of sockets they have
inner_prefix=()
kind=udp4
# set to that if it is so
twice=''

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

# --- devices on top of others -------------------------------------------------------------

# top_add LINK: at both ends; ENDS stands for their addresses
top_add() {
	local back=${1/ENDS/local 10.0.0.2 remote 10.0.0.1}
	# shellcheck disable=SC2086
	ip link add name top ${1/ENDS/local 10.0.0.1 remote 10.0.0.2} &&
		peer ip link add name top ${back/remote 10.0.0.2/remote 10.0.0.1} &&
		ip addr add $here/24 dev top && peer ip addr add $there/24 dev top &&
		ip link set top up && peer ip link set top up
}

# over NAME LINK MORE [RECEIVED]: a device of that kind, whose packets are so much larger;
# what is received is the process's as well, if not said otherwise
over() {
	here=10.6.0.1 there=10.6.0.2
	if ! top_add "$2" 2>"$tmp/link"; then
		skip "$1" "$(cat "$tmp/link")"
		return
	fi
	pause 2
	counted "$1" $((whole + $3)) "${4-$((whole + $3))}"
	[ -n "${4-}" ] || limited "$1"
	del_both top
}

# port NAME LINK [MODE]: a device of that kind, whose only port is a veth, and what sets it up.
# The other end of that is no such device.
port() {
	here=10.6.0.1 there=10.6.0.2
	# shellcheck disable=SC2086
	if ! ip link add name top $2 2>"$tmp/link"; then
		skip "$1" "$(cat "$tmp/link")"
		return
	fi
	ip link add low type veth peer name top netns peer
	ethtool -K low gro off >/dev/null
	${3-true} || note "$3 failed"
	ip link set low master top
	ip link set low up
	ip link set top up
	ip addr add $here/24 dev top
	peer ip link set top up
	peer ip addr add $there/24 dev top
	below low
	mkdir $root/used
	pause 2
	counted "$1" $whole $whole
	limited "$1"
	ip link del top
	ip link del low
	below eth0
}

# on the kernels that have it
udplite() {
	local kind=udplite4 receiver
	kinds socket $kind 2>/dev/null || { skip 'UDP-Lite' 'the kernel has none'; return; }
	background peer kinds socket $kind bind 0.0.0.0 9009 pause 100000000
	receiver=$!
	over 'UDP-Lite in IP in IP' 'type ipip ENDS' 20 $((whole + 20))
	stop $receiver
}

team_mode() { teamnl top setoption mode roundrobin; }

# A tunnel in a tunnel: what is received is looked into once.
tunnel_in_tunnel() {
	here=10.6.0.1 there=10.6.0.2
	top_add 'type gre ENDS' || return
	ip link add inner type ipip local $here remote $there
	peer ip link add inner type ipip local $there remote $here
	here=10.7.0.1 there=10.7.0.2
	ip addr add $here/24 dev inner
	ip link set inner up
	peer ip addr add $there/24 dev inner
	peer ip link set inner up
	counted 'IP in IP in GRE' $((whole + 44)) root
	ip link del inner
	peer ip link del inner
	del_both top
}

# The process, and its end of the tunnel, are in another network namespace.
namespace() {
	here=10.6.0.1 there=10.6.0.2
	top_add 'type vxlan ENDS id 7 dstport 4789' || return
	ip netns add box
	ip link set top netns box
	inner_prefix=(nsenter --net=/run/netns/box --)
	"${inner_prefix[@]}" ip addr add $here/24 dev top
	"${inner_prefix[@]}" ip link set top up
	pause 1
	counted 'VXLAN of another namespace' root root
	inner_prefix=()
	ip netns del box
	peer ip link del top
}

# --- IPsec ----------------------------------------------------------------------------

# xfrm_side PREFIX HERE THERE HERE-INSIDE THERE-INSIDE SPI-OUT SPI-IN: one end. $mode; and
# $encapsulation, if it goes in UDP; $interface, if it is a device's
xfrm_side() {
	local prefix=$1 direction from to in_from in_to spi
	for direction in out in; do
		from=$2 to=$3 in_from=$4 in_to=$5 spi=$6
		[ $direction = out ] || from=$3 to=$2 in_from=$5 in_to=$4 spi=$7
		# shellcheck disable=SC2086
		$prefix ip xfrm state add src "$from" dst "$to" proto esp spi "$spi" mode $mode \
			replay-window 32 aead $key $encapsulation $interface || return
		# shellcheck disable=SC2086
		$prefix ip xfrm policy add src "$in_from" dst "$in_to" dir $direction \
			priority 2 $interface tmpl src "$from" dst "$to" proto esp mode "$mode" || return
		# what the packets are in needs none of it
		$prefix ip xfrm policy add src "$from" dst "$to" proto 17 dport 4500 dir $direction \
			priority 1 || return
	done
}
interface=''

# has the port of ESP in UDP, as a key daemon does
encapsulator='socket udp4 bind 0.0.0.0 4500 set encap 2 say ready pause 100000'

# An end of either tunnel is there, and goes, as a whole: $here and $there are the
# peers, $mode and $encapsulation are IPsec's.
ipsec_up() {
	# shellcheck disable=SC2086
	background kinds $encapsulator >"$tmp/encapsulator"
	encapsulators=$!
	# shellcheck disable=SC2086
	background "${peer_prefix[@]}" kinds $encapsulator >"$tmp/encapsulator.peer"
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

# forged NAME MISSING: datagrams that look like IPsec in UDP. They are counted where there is
# no such state, and not where IPsec discards them.
# shellcheck disable=SC2016
forged() {
	local before after more
	mkdir $vif
	read -ra before <<<"$(counts)"
	peer bash -c 'for ((i = 0; i < 10; i++)); do
		printf "\x00\x00\x10\x02%0100d" 0 >/dev/udp/10.0.0.1/4500
	done'
	pause 0.1
	read -ra after <<<"$(counts)"
	rmdir $vif
	between
	check_eq "$1: of 10 datagrams with its number, not counted" $((-more[4])) "$2"
}

# What waits after it was numbered comes late, and the receiver discards it: those of a slow
# VIF when 100 of another one have come.
late() {
	local before
	mkdir $vif $root/fast
	echo 'egress 80k' >$vif/bandwidth
	echo max >$vif/limit
	before=$(arrived)
	in_vif $vif kinds socket udp4 connect $there 9009 times 10 '{' send $size '}'
	waited=$(vif_stat $vif egress_overlimits)
	in_vif $root/fast kinds socket udp4 connect $there 9009 times 100 '{' send $size '}'
	busywait 5 vif_empty $vif
	pause 0.1
	check "$1: of $waited packets that waited, lost" "$waited >= 5 && $(arrived) - $before == 110 - $waited"
	busywait 5 rmdir $vif $root/fast
}
arrived() { peer nft list counter ip arrivals come | sed -n 's/.*packets \([0-9]*\).*/\1/p'; }

# ipsec NAME MODE SENT RECEIVED [udp]
ipsec() {
	mode=$2 encapsulation='' here=10.0.0.1 there=10.0.0.2
	if [ "$mode" = tunnel ]; then
		here=$inside there=$beyond
	fi
	[ -z "${5-}" ] || encapsulation='encap espinudp 4500 4500 0.0.0.0'
	if ! ipsec_up; then
		fail "$1: states and policies"
		return
	fi
	counted "$1" "$3" "$4"
	[ "$4" = root ] || [ -n "$twice" ] || limited "$1"
}

# of ESP in both modes: header, vector and check value of 32 bytes, and what is padded to 4
esp=$((whole + 8 + 8 + 4 + 16))
tunnel=$((whole + 20 + 8 + 8 + 4 + 16))

ipsec_all() {
	ipsec 'IPsec transport' transport $esp $((esp - 20))
	forged 'IPsec transport' 0
	short_on_stock || late 'IPsec transport'
	ipsec_down
	ipsec 'IPsec transport udp' transport $((esp + 8)) $((esp - 12)) udp
	forged 'IPsec transport udp' 10
	ipsec_down
	ipsec 'IPsec tunnel' tunnel $tunnel $whole
	forged 'IPsec tunnel' 0
	ipsec_down
	ipsec 'IPsec tunnel udp' tunnel $((tunnel + 8)) $whole udp
	forged 'IPsec tunnel udp' 10
	ipsec_down
}

# What is decrypted before it is received (GRO), and encrypted after it has been counted: the
# trailer is not there yet
ipsec_offload() {
	modprobe -q esp4_offload
	ethtool -K eth0 gro on >/dev/null
	ipsec 'IPsec transport, offloaded' transport $((esp - 20)) $((esp - 20))
	ipsec_down
	ipsec 'IPsec tunnel, offloaded' tunnel $((tunnel - 20)) $whole
	ipsec_down
}

# by_interface NAME LINK WHICH: the device below sees the whole packet, the device what is inside
by_interface() {
	local interface=$3
	mode=tunnel encapsulation='' here=10.6.0.1 there=10.6.0.2
	if ! top_add "$2" 2>"$tmp/link" || ! ipsec_up; then
		skip "$1" "$(cat "$tmp/link")"
		ip link del top 2>/dev/null
		return
	fi
	counted "$1" $tunnel root
	below top
	mkdir $root/used
	# received with the link-layer header of the device below
	counted "$1, on the interface" $((whole - 14)) $whole
	below eth0
	ipsec_down
	del_both top
}

# beside NAME LINK MODE SENT RECEIVED: IPsec that has nothing to do with that device
beside() {
	# shellcheck disable=SC2086
	if ! ip link add name other $2 2>"$tmp/link" || ! ip link set other up; then
		skip "$1" "$(cat "$tmp/link")"
		return
	fi
	ipsec "$1" "${@:3}"
	ipsec_down
	ip link del other
}

interfaces() {
	local vti='type vti local 10.0.0.1 remote 10.0.0.9 key 9'
	by_interface VTI 'type vti ENDS key 7' 'mark 7'
	by_interface 'xfrm interface' 'type xfrm dev eth0 if_id 7' 'if_id 7'
	twice=twice
	beside 'IPsec transport, while a VTI is up' "$vti" transport $esp $((esp - 20))
	beside 'IPsec tunnel, while a VTI is up' "$vti" tunnel $tunnel $whole
	twice=''
	beside 'IPsec tunnel, while an xfrm interface without a number is up' 'type xfrm external' tunnel $tunnel root
}

# --- encryption by others ------------------------------------------------------------------

# sent_now NAME WHAT: of three packets that a process of the VIF sends now, the VIF's
sent_now() {
	local before sent
	before=$(vif_stat $vif egress_packets)
	in_vif $vif kinds socket udp4 connect $there 9009 times 3 '{' send $size '}' pause 100
	pause 0.5
	sent=$(($(vif_stat $vif egress_packets) - before))
	check "WireGuard, $1: $sent of 3" "$sent $2"
}

# have_keys: what waits for keys is taken from its socket
have_keys() { busywait 10 ping -q -c 1 -W 1 "$there" >/dev/null; }

# What it has received is encrypted, and the kernel's. What is sent it encrypts outside the
# process's context: whose the socket is has to be known from its own device, or from when
# the process was attached.
wireguard() {
	local sender whole_there=$((whole + 72)) before
	here=10.6.0.1 there=10.6.0.2
	if ! top_add 'type wireguard' 2>"$tmp/link"; then
		skip WireGuard "$(cat "$tmp/link")"
		return
	fi
	wireguard_keys $here $there
	mkdir $vif
	sent_now 'before there are keys' '< 3'
	rmdir $vif
	counted 'WireGuard, on whose device is no VIF' root root
	mkdir $vif
	background kinds socket udp4 connect $there 9009 say ready pause 500 times 3 '{' send $size '}' \
		pause 100 >"$tmp/ready"
	sender=$!
	busywait 5 grep -q ready "$tmp/ready"
	have_keys
	before=$(vif_stat $vif egress_packets)
	echo $sender >$vif/tasks
	wait $sender
	pause 0.1
	check_eq 'WireGuard, the socket was open before: the process'\''s' \
		$(($(vif_stat $vif egress_packets) - before)) 3
	busywait 5 rmdir $vif
	mkdir /proc/network/top/used
	counted WireGuard $whole_there root
	mkdir $vif
	have_keys
	sent_now 'with keys' '== 3'
	pause 300
	sent_now 'minutes later' '< 3'
	have_keys
	sent_now 'with new keys' '== 3'
	rmdir $vif
	del_both top
}

# by_program NAME MORE: ${ends[@]} and ${ends_there[@]} are a program that is the tunnel, and
# attached; so is who sends and receives through it. Packets are so much larger.
by_program() {
	local before after more user=$root/user pids=()
	here=10.6.0.1 there=10.6.0.2
	mkdir $vif $user
	background "${in_vif_prefix[@]}" $vif "${ends[@]}" >"$tmp/program" 2>&1
	pids+=($!)
	"${peer_prefix[@]}" "${ends_there[@]}" >/dev/null 2>&1 &
	pids+=($!)
	busywait 20 ping -q -c 1 -W 1 $there >/dev/null || note "$1: $(cat "$tmp/program")"
	background kinds socket udp4 bind 0.0.0.0 9100 say ready times $count '{' receive $size '}' >"$tmp/ready"
	busywait 5 grep -q ready "$tmp/ready"
	echo $! >$user/tasks
	read -ra before <<<"$(counts)"
	in_vif $user kinds socket udp4 connect $there 9009 times $count '{' send $size '}'
	peer kinds socket udp4 connect $here 9100 times $count '{' send $size '}'
	pause 0.2
	read -ra after <<<"$(counts)"
	between
	check_eq "$1: sent, its own" "$(of_each "${more[2]}" "${more[3]}")" "$(expected $((whole + $2)))"
	check_eq "$1: received, its own" "$(of_each "${more[0]}" "${more[1]}")" "$(expected $((whole + $2)))"
	check_eq "$1: nothing of who uses it" \
		"$(vif_stat $user egress_packets) $(vif_stat $user ingress_packets)" '0 0'
	stop "${pids[@]}"
	busywait 5 rmdir $user && busywait 5 rmdir $vif
}

programs() {
	local tun=TUN:10.6.0.1/24,up,tun-name=tun0 ends ends_there
	if ! modprobe -q tun; then
		skip 'programs' 'there is no TUN'
		return
	fi
	# with a header of 4 bytes
	ends=(socat "$tun" 'UDP4-DATAGRAM:10.0.0.2:5555,bind=:5555')
	ends_there=(socat "${tun/6.0.1/6.0.2}" 'UDP4-DATAGRAM:10.0.0.1:5555,bind=:5555')
	by_program 'a program, TUN' 32
	if ! type -P openvpn >/dev/null; then
		skip OpenVPN 'it is not there'
		return
	fi
	openvpn --genkey secret "$tmp/secret"
	ends=(openvpn --dev tun0 --proto udp4 --secret "$tmp/secret" --cipher AES-256-CBC)
	ends_there=("${ends[@]}" --remote 10.0.0.1 --ifconfig 10.6.0.2 10.6.0.1)
	ends+=(--remote 10.0.0.2 --ifconfig 10.6.0.1 10.6.0.2)
	# a digest of 20 bytes, a vector of 16, a number of 8, and 4 that fill the last block
	by_program OpenVPN $((28 + 20 + 16 + 8 + 4))
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
below eth0
mkdir $root/used
background peer traffic sink udp 9009 >/dev/null
peer nft 'table ip arrivals { counter come { }
	chain c { type filter hook input priority 0; udp dport 9009 counter name come; }; }'
over VLAN 'link eth0 type vlan id 5' 4
over macvlan 'link eth0 type macvlan mode bridge' 0
if ! short_on_stock; then
	over ipvlan 'link eth0 type ipvlan mode l2' 0
	port bond 'type bond mode active-backup'
	if type -P teamnl >/dev/null; then
		port team 'type team' team_mode
	else
		skip team 'there is no teamnl'
	fi
	port bridge 'type bridge'
fi
over GRE 'type gre ENDS key 7' 28
over 'Ethernet in GRE' 'type gretap ENDS' 38
over 'IP in IP' 'type ipip ENDS' 20
udplite
over VXLAN 'type vxlan ENDS id 7 dstport 4789' 50
over Geneve 'type geneve id 7 remote 10.0.0.2' 50
if ! short_on_stock; then
	over 'VXLAN, the old port' 'type vxlan ENDS id 7 dstport 8472' 50
	over 'VXLAN, another port' 'type vxlan ENDS id 7 dstport 4790' 50 root
	tunnel_in_tunnel
	namespace
fi
if modprobe -q esp4; then
	ipsec_all
	short_on_stock || interfaces
	ipsec_offload
else
	skip IPsec 'the kernel has none'
fi
wireguard
programs
rmdir $root/used
log_clean
