#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, kernels=6.1+new+uml, budget=24, timeout=3600
#
# Conservation: random networks and random traffic. Of each device with VIFs, the bytes and packets
# that cross its wire in a direction are exactly those that its VIFs have counted. The packets of
# each flow are in its VIF. Nothing is faster than the limit.
#
#   namespace box            init namespace (under test)            namespace peer
#   +----------------+      +------------------------------+      +----------------------+
#   | eth0  10.2.0.2 |======| box       top       10.6.0.1 |      | top or eth0 10.6.0.2 |
#   |       fd07::2  |      |            |        fd06::1  |      |             fd06::2  |
#   +----------------+      |            |                 |      |                      |
#   guest  10.3.0.2 --------| tap0      eth0      10.0.0.1 |======| eth0        10.0.0.2 |
#                           +------------------------------+      +----------------------+
#
# The two wires (=) are judged. Each round draws the devices between the process and eth0, the flows,
# their versions of IP and how they are attached, whether packets of the box and of the guest are
# bridged, routed or translated, what root of the box does, the kind of its link, the mode of eth0,
# its offloads, and its limit.
#
# usage: conservation.sh [COUNT [SEED [ROUND]]]
# COUNT rounds of this seed; ROUND: only this one, with all that it does. The first 20 of seed 277 have
# nearly each device, flow and trick.
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cells.sh"

count=${1:-$(short && echo 20 || echo 120)} seed=${2:-277} only=${3-}
devices=/proc/network/devices
root=/proc/network/eth0
here4=10.6.0.1 there4=10.6.0.2 here6=fd06::1 there6=fd06::2
port=10000
guest_mac=02:00:00:00:00:09 box_mac=02:00:00:00:02:02 bridge_mac=02:00:00:00:06:01
box() { nsenter --net=/run/netns/box -- "$@"; }

# pick NAME WORD...: one of the words
pick() { printf -v "$1" %s "${@:2 + RANDOM % ($# - 1):1}"; }

# --- the network ---------------------------------------------------------------------------

# both_ends COMMANDS OF ip: here; and at the peer, with the addresses of both ends exchanged
both_ends() {
	local commands=$1 network
	ip -batch - <<<"$commands" || return
	for network in 10.0.0. 10.6.0. fd00:: fd06::; do
		commands=${commands//${network}1/@@} commands=${commands//${network}2/${network}1}
		commands=${commands//@@/${network}2}
	done
	peer ip -batch - <<<"$commands"
}

# addresses DEVICE: commands of ip that give it those of this end
addresses() {
	echo "addr add $here4/24 dev $1
		addr add $here6/64 dev $1 nodad"
}

# at the peer, on eth0
peer_addresses() {
	peer ip addr add $there4/24 dev eth0
	peer ip addr add $there6/64 dev eth0 nodad
	far=eth0
}

# beside LINK: a device `top` of this kind at both ends
beside() {
	both_ends "link add name top $1
		$(addresses top)
		link set top up"
}

# above COMMANDS OF ip: they make `top` of eth0; the peer has its address on eth0
above() {
	ip -batch - <<<"$1
		$(addresses top)
		link set top up" && peer_addresses
}

# each makes `top`; `near` is the device here that has the address, `far` the peer's
path_plain() {
	ip -batch - <<<"$(addresses eth0)"
	near=eth0
	peer_addresses
}
path_vlan() { beside 'link eth0 type vlan id 5'; }
path_qinq() {
	both_ends 'link add link eth0 name outer mtu 1496 type vlan proto 802.1ad id 7
		link set outer up' && beside 'link outer type vlan id 5'
}
path_macvlan() { above 'link add link eth0 name top type macvlan mode bridge'; }
path_ipvlan() { above 'link add link eth0 name top type ipvlan mode l2'; }
path_bridge() {
	# the address of its own does not change with its ports; it joins no group of snoopers
	above "link add name top address $bridge_mac type bridge mcast_snooping 0
		link set eth0 master top"
}
path_bond() {
	above 'link add name top type bond mode active-backup
		link set eth0 down
		link set eth0 master top
		link set top up'
}
# (a new port of it loses its addresses of IPv6)
path_vrf() {
	ip -batch - <<-END
		link add name red type vrf table 10
		link set red up
		link set eth0 master red
		link set box master red
		addr add fd07::1/64 dev box nodad
		neigh add fd07::2 dev box lladdr $box_mac
		$(addresses eth0)
	END
	near=eth0
	peer_addresses
}
path_gre() { beside 'type gre local 10.0.0.1 remote 10.0.0.2'; }
path_gretap() { beside 'type gretap local 10.0.0.1 remote 10.0.0.2'; }
path_ip6gre() { beside 'type ip6gre local fd00::1 remote fd00::2'; }
path_ipip() { beside 'type ipip local 10.0.0.1 remote 10.0.0.2'; }
path_ip6tnl() { beside 'type ip6tnl mode any local fd00::1 remote fd00::2'; }
path_vxlan() { beside 'type vxlan id 9 dstport 4789 local 10.0.0.1 remote 10.0.0.2'; }
path_vxlan6() { beside 'mtu 1400 type vxlan id 9 dstport 4789 local fd00::1 remote fd00::2'; }
path_geneve() { beside 'type geneve id 9 remote 10.0.0.2'; }
path_geneve6() { beside 'mtu 1400 type geneve id 9 remote fd00::2'; }
path_wireguard() {
	local groups=239.0.0.0/8,ff00::/8,10.6.0.255/32
	beside 'type wireguard' &&
		wireguard_keys "$here6/128,$groups,$here4" "$there6/128,$groups,$there4" 10.2.0.0/23,fd07::/64
}
# transport mode, between the two addresses
path_ipsec() {
	local states='' policies='' pair from to spi=100
	path_plain
	for pair in "$here4 $there4" "$there4 $here4" "$here6 $there6" "$there6 $here6"; do
		read -r from to <<<"$pair"
		spi=$((spi + 1))
		states+="xfrm state add src $from dst $to proto esp spi $spi mode transport replay-window 32"
		states+=" aead rfc4106(gcm(aes)) 0x0123456789abcdef0123456789abcdef01234567 128"$'\n'
	done
	for pair in "$here4 $there4 out" "$there4 $here4 in" "$here6 $there6 out" "$there6 $here6 in"; do
		read -r from to way <<<"$pair"
		policies+="xfrm policy add src $from dst $to dir $way tmpl src $from dst $to proto esp mode transport"$'\n'
	done
	ip -batch - <<<"$states" && peer ip -batch - <<<"$states" && both_ends "$policies"
}
tunnels=' gre gretap ip6gre ipip ip6tnl vxlan vxlan6 geneve geneve6 '
nested=" qinq $tunnels"
paths="plain vlan qinq macvlan ipvlan bridge bond vrf wireguard ipsec $tunnels"

neighbours() {
	local mac
	set_neighbours 10.0.0.1 10.0.0.2
	set_neighbours fd00::1 fd00::2
	if [ "$near $far" = 'eth0 eth0' ]; then
		set_neighbours $here4 $there4
		set_neighbours $here6 $there6
		return
	fi
	mac=$(peer_mac $far)
	# a tunnel of layer 3 has none
	[[ $mac == ??:??:??:??:??:?? ]] || return 0
	knows '' "$near" "$mac" $there4 $there6
	knows peer $far "$(<"/sys/class/net/$near/address")" $here4 $here6
}

# knows [peer|box] DEVICE LINK-ADDRESS ADDRESS...
knows() {
	local address
	for address in "${@:4}"; do
		$1 ip neigh replace "$address" dev "$2" nud permanent lladdr "$3"
	done
}

network_begin() {
	near=top far=top
	ip netns add peer
	ip netns add box
	peer nft "$cell_silence"
	box nft "$cell_silence"
	box sysctl -qw net.ipv4.ping_group_range='0 2147483647'
	ip link add eth0 type veth peer name eth0 netns peer
	link_box
	ip -batch - <<-END
		addr add 10.0.0.1/24 dev eth0
		addr add fd00::1/64 dev eth0 nodad
		addr add 10.2.0.1/24 dev box
		addr add fd07::1/64 dev box nodad
		link set eth0 up
		link set box up
		neigh add fd07::2 dev box lladdr $box_mac
	END
	ip -n peer -batch - <<-END
		addr add 10.0.0.2/24 dev eth0
		addr add fd00::2/64 dev eth0 nodad
		link set lo up
		link set eth0 up
	END
	ip -n box -batch - <<-END
		addr add 10.2.0.2/24 dev eth0
		addr add fd07::2/64 dev eth0 nodad
		link set lo up
		link set eth0 up
		route add default via 10.2.0.1
		route add default via fd07::1
		neigh add fd07::1 dev eth0 lladdr $box_gateway
	END
	wire_exact on
	# a tag is part of the packet
	ethtool -K eth0 txvlan off tx-vlan-stag-hw-insert off >/dev/null
	peer ethtool -K eth0 txvlan off tx-vlan-stag-hw-insert off >/dev/null
	"path_$path" 2>"$tmp/path" || return
	peer ip route add 10.2.0.0/23 via $here4
	peer ip route add fd07::/64 via $here6
	neighbours
	[ -z "$bridged" ] || bridge_box
	[[ "${flow_origin[*]}" != *guest* ]] || guest_begin
	[ "$offload" = on ] || ethtool -K eth0 gso off >/dev/null
	[ "$translated" = no ] || nft "table inet translated { chain c { type nat hook postrouting priority 100
		ip saddr 10.2.0.2 masquerade; ip6 saddr fd07::2 masquerade; }; }"
	"box_$trick"
	[ "$mode" = hook ] || vifctl enable --link eth0
	[ "$queue" = no ] || queue_begin
}

link_box() {
	if [ "$link" = netkit ]; then
		netkit box box-peer
		ip link set box address $box_gateway
		ip link set box-peer netns box name eth0 address $box_mac
	else
		ip link add box address $box_gateway type veth peer name eth0 address $box_mac netns box
	fi
	ethtool -K box tso off gso off gro off tx-udp-segmentation off >/dev/null
	box ethtool -K eth0 tso off gso off gro off tx-udp-segmentation off >/dev/null
}

# a program returns what the host sends to the peer
queue_begin() {
	nft "table inet queued { chain c { type filter hook output priority 0
		ip daddr $there4 queue num 5; ip6 daddr $there6 queue num 5; }; }"
	background verdicts 5 >"$tmp/verdicts"
	peers+=($!)
	flow_ready verdicts
}

# The first verdict while VIFs are used has senders noted from then on.
queue_first() {
	local option=''
	[ "$path" != vrf ] || option='device red'
	mkdir $root/first
	# shellcheck disable=SC2086
	in_vif $root/first kinds socket udp4 $option connect $there4 9 send 1 pause 100
}

network_end() {
	nft 'table inet translated; delete table inet translated; table inet queued; delete table inet queued'
	[ "$path" != ipsec ] || { ip xfrm policy flush; ip xfrm state flush; }
	ip link del top 2>/dev/null
	ip link del red 2>/dev/null
	ip link del tap0 2>/dev/null
	ip -force -batch - 2>/dev/null <<-END
		link del eth0
		link del box
		netns del peer
		netns del box
	END
}

# the box is in the same network as the peer
bridge_box() {
	ip link set box master top
	box_gateway=$bridge_mac
	box ip addr add $box4/24 dev eth0
	box ip addr add $box6/64 dev eth0 nodad
	knows box eth0 "$(peer_mac)" $there4 $there6
	knows peer eth0 $box_mac $box4 $box6
}

# the guest's card, whose other end is a flow's program
guest_begin() {
	modprobe -q tun
	ip tuntap add tap0 mode tap vnet_hdr
	ip link set tap0 up
	guest_gateway=$(<"/sys/class/net/tap0/address")
	if [ -n "$bridged" ]; then
		ip link set tap0 master top
		guest_gateway=$(peer_mac)
		knows peer eth0 $guest_mac $guest
		return
	fi
	[ "$path" != vrf ] || ip link set tap0 master red
	ip addr add 10.3.0.1/24 dev tap0
	knows '' tap0 $guest_mac $guest
}

# what root of the box does
box_nothing() { :; }
# All that leaves goes through an ifb first: it marks packets as having been classified.
box_ifb() {
	box ip -batch - <<-END
		link add name ifb0 type ifb
		link set ifb0 up
	END
	box tc qdisc add dev ifb0 clsact
	box tc filter add dev ifb0 egress matchall action skbedit mark 1
	box tc qdisc add dev eth0 clsact
	box tc filter add dev eth0 egress bpf bytecode '4,32 0 0 4294963220,21 0 1 0,6 0 0 4294967295,6 0 0 0,' \
		flowid 1:1 action mirred egress redirect dev ifb0
}
tricks='nothing nothing ifb'

# --- the traffic ---------------------------------------------------------------------------

# flow_KIND: sets peer_words and own_words, for kinds; and how many packets, if that is known, the
# VIF has `sent` and `received`, and the kernel itself, in the root VIF, both ways: `kernels`
flow_udp() { datagrams udp $((RANDOM % 1200 + 1)); }
flow_udplite() { datagrams udplite $((RANDOM % 1200 + 1)); }
flow_fragments() {
	datagrams udp $((RANDOM % 20000 + 1500))
	# inside of others only the first fragment of each is known
	[[ $nested != *" $path "* || $path = @(vxlan|geneve) ]] || received=$sent
	sent=''
}
# datagrams SOCKET SIZE: each is answered
datagrams() {
	local n=$((RANDOM % 20 + 5)) size=$2
	peer_words="socket $1$v bind $any $port say ready times $n { answer }"
	own_words="socket $1$v $extra connect $there $port times $n { send $size receive $size }"
	sent=$n
}
# one large packet for many
flow_segments() {
	local size=$((RANDOM % 1000 + 100)) n=$((RANDOM % 30 + 2))
	peer_words="socket udp$v bind $any $port say ready times $n { receive $size }"
	own_words="socket udp$v $extra set segment $size connect $there $port send $((n * size))"
	sent=$n
}
flow_tcp() {
	connection '' "$extra" "$there"
	peer_words=$serves own_words=$connects
}
# accepted here
flow_served() {
	connection "$extra" '' "$here"
	own_words=$serves peer_words=$connects first=own
}
# connection SERVER-OPTIONS CLIENT-OPTIONS ADDRESS
connection() {
	local up=$((RANDOM % 60000 + 1)) down=$((RANDOM % 60000 + 1))
	serves="socket tcp$v $1 set reuseaddr 1 bind $any $port listen 4 say ready accept receive $up send $down end close"
	connects="socket tcp$v $2 connect $3 $port send $up receive $down close"
}
flow_group() {
	local n=$((RANDOM % 20 + 5))
	peer_words='say ready'
	own_words="socket udp$v device $device times $n { sendto $group $port $((RANDOM % 1200 + 1)) }"
	sent=$n
}
# Two sockets in VIFs below receive each datagram, which is of the VIF above both.
flow_receivers() {
	local n=$((RANDOM % 20 + 5)) size=$((RANDOM % 1200 + 1)) to=$group own=group below
	[ "$v" = 6 ] || pick own group broadcast
	[ "$own" = group ] || to=10.6.0.255
	peer_words="say ready socket udp$v device FAR set broadcast 1 times $n { sendto $to $port $size }"
	[ "$own" = broadcast ] || own="group $group $device"
	own_words=''
	for below in a b; do
		mkdirs+=" $vif/$below"
		own_words+="socket udp$v attach-socket $vif/$below $extra set reuseaddr 1 bind $any $port ${own/broadcast} "
	done
	own_words+="say ready use 0 times $n { receive $size } use 1 times $n { receive $size }"
	manner=none first=own received=$n sent=0
	# inside of others they are the root VIF's
	[[ $nested != *" $path "* ]] || received=0
}
flow_ping() {
	local n=$((RANDOM % 5 + 1))
	peer_words='say ready'
	own_words="socket ping$v $extra connect $there 0 ping $n"
	sent=$n
	[[ $nested == *" $path "* ]] || received=$n
}
# The kernel answers the peer: a port is closed.
flow_refused() {
	own_words='say ready pause 300' first=own
	peer_words="socket tcp$v refused $here $port"
	kernels=1 sent=0 received=0
}
flow_unreachable() {
	local n=$((RANDOM % 5 + 1))
	own_words='say ready pause 300' first=own
	peer_words="socket udp$v times $n { sendto $here $port $((RANDOM % 1000)) }"
	kernels=$n sent=0 received=0
}
# The box sends as if from the peer; the kernel's answers go there.
flow_forged() {
	local n=$((RANDOM % 5 + 1))
	peer_words='say ready'
	own_words="link eth0 times $n { frame BOX $there $here $port $((RANDOM % 1000)) }"
	sent=$n
}
# A guest leaves it to the host to cut its packets, and may lie about where to begin the checksum.
flow_cut() {
	local n=$((RANDOM % 5 + 1)) size=$((RANDOM % 120 * 8 + 8)) bytes=$((RANDOM % 5000 + 1000)) start
	pick start 34 34 500 -100
	peer_words="socket udp4 bind $any $port say ready pause 100000"
	own_words="card tap0 pause 1000 times $n { cut ufo $size $start GATEWAY $guest $there $port $bytes } pause 100"
	sent=$((n * ((bytes + 8 + size - 1) / size)))
}
host_kinds='udp served group receivers refused unreachable ping udp fragments segments udplite tcp tcp'
box_kinds='udp udp forged served ping fragments segments tcp tcp'

# flow_draw N: the Nth flow of the round
flow_draw() {
	local i=$1 kind origin manner v vif=$root/flow$1 extra='' first=peer sent='' received='' kernels=0
	local device=top any=0.0.0.0 here=$here4 there=$there4 group=239.1.1.1
	port=$((port + 1))
	pick origin host host host box box guest
	# there is one card, and one program for it
	[[ "$origin" != guest || "${flow_origin[*]}" != *guest* ]] || origin=host
	# shellcheck disable=SC2086
	case $origin in
	host) pick kind $host_kinds ;;
	box) pick kind $box_kinds ;;
	guest) kind='cut' ;;
	esac
	pick manner process cgroup socket thread
	pick v 4 4 6
	# frames and guests are IPv4's, and so is what this tunnel is for; routers do not fragment IPv6
	[[ $kind != @(forged|cut) && $path != ipip && $origin$kind != boxfragments ]] || v=4
	# IPsec refuses large packets of UDP, and its fragments count as well as the datagram
	[[ $path != ipsec || $kind != @(segments|fragments) ]] || kind=udp
	[ "$v" = 4 ] || any=:: here=$here6 there=$there6 group=ff05::1
	case $path in
	vrf)
		extra='device red' device=eth0
		# or to the port of the domain
		[[ $((port % 2))$kind != 1@(udp|receivers) ]] || extra='device eth0'
		;;
	plain | ipsec) device=eth0 ;;
	esac
	if [ "$origin" != host ]; then
		manner=device extra=''
		# the peer does not know the translated address
		[ "$kind$translated" != servedyes ] || kind=tcp
	fi
	[ "$origin$kind" != boxserved ] || here=$box4
	[ "$origin$kind$v" != boxserved6 ] || here=$box6
	"flow_$kind"
	[[ $path != @(wireguard|ipsec) ]] || received=''
	flow_kind[i]=$kind flow_origin[i]=$origin flow_manner[i]=$manner flow_first[i]=$first
	flow_sent[i]=$sent flow_received[i]=$received flow_kernels[i]=$kernels
	flow_peer[i]=$peer_words flow_own[i]=$own_words
	name+=", $kind${v/4/} $origin $manner"
}

# flow_start N: both ends in the background
flow_start() {
	local i=$1 vif=$root/flow$1 words=() text=${flow_own[$1]} prefix=()
	[ "${flow_first[i]}" = own ] || flow_start_peer "$i"
	case ${flow_manner[i]} in
	device) text=${text/BOX/$box_gateway} text=${text/GATEWAY/$guest_gateway} ;;
	cgroup)
		mkdir "/sys/fs/cgroup/flow$i"
		ln -s "$vif" "/proc/network/cgroups/flow$i/"
		text="write /sys/fs/cgroup/flow$i/cgroup.procs 0 $text"
		;;
	*) text=$(cell_attached "${flow_manner[i]}" "$text") ;;
	esac
	read -ra words <<<"${text//VIF/$vif}"
	[ "${flow_origin[i]}" != box ] || prefix=(nsenter --net=/run/netns/box --)
	background "${prefix[@]}" kinds "${words[@]}" >"$tmp/own.$i" 2>&1
	flows+=($!)
	[ "${flow_first[i]}" = peer ] || { flow_ready "own.$i"; flow_start_peer "$i"; }
}

flow_start_peer() {
	# shellcheck disable=SC2086
	background peer kinds ${flow_peer[$1]/FAR/$far} >"$tmp/peer.$1" 2>&1
	peers+=($!)
	[ "${flow_first[$1]}" = own ] || flow_ready "peer.$1"
}

flow_ready() { busywait 5 file_says "$tmp/$1" ready || note "$(cat "$tmp/$1")"; }

# --- the judge -----------------------------------------------------------------------------

# wire_of DEVICE NAMESPACE-PROCESS: the other end of it; count_vif() and this set `counted`
wire_of() {
	local device=$1 peer_proc=$2
	count_wire
	now+=("${counted[@]}")
}

tree_of() {
	count_vif "/proc/network/$1"
	now+=("${counted[@]}")
}

# totals: packets and bytes, sent and received, of each wire and its tree
totals() {
	now=()
	wire_of eth0 "$peer_anchor"
	tree_of eth0
	wire_of eth0 "$box_anchor"
	tree_of box
}

# quiet: nothing has crossed a wire for a while, and nothing is queued
quiet() {
	local before
	totals
	before=${now[*]}
	pause 0.3
	totals
	[ "${now[*]}" = "$before" ] && vif_empty $root
}

# round N
round() {
	local path mode translated trick limit flows_n i queue offload link bridged='' flows=() peers=() mkdirs=''
	local flow_kind=() flow_origin=() flow_manner=() flow_first=() flow_peer=() flow_own=()
	local flow_sent=() flow_received=() flow_kernels=()
	local before now name='' peer_anchor box_anchor status=0 near far guest_gateway box_gateway=02:00:00:00:02:01
	local box4=10.2.0.2 box6=fd07::2 guest=10.3.0.2
	# shellcheck disable=SC2086
	pick path $paths
	pick mode hook hook qdisc
	pick translated no no yes
	# shellcheck disable=SC2086
	pick trick $tricks
	# shellcheck disable=SC2086
	pick link $links
	pick limit '' '' 2m 300k
	pick queue no no no yes
	pick offload on off
	[ "$path" != bridge ] || pick bridged '' bridged
	[ "$path" != ipsec ] || translated=no
	[ -z "$bridged" ] || translated=no box4=10.6.0.3 box6=fd06::3 guest=10.6.0.4
	flows_n=$((RANDOM % 3 + 1))
	for ((i = 0; i < flows_n; i++)); do flow_draw $i; done
	[ -z "$only" ] || [ "$only" = "$1" ] || return 0
	[ "$queue" = no ] || name=", NFQUEUE$name"
	[[ "${flow_origin[*]}" != *box* ]] || name=", box: ${bridged:-translated $translated}, $link, $trick$name"
	name="round $1 of seed $seed: $path, $mode, offload $offload${limit:+, limit $limit}$name"
	if ! network_begin; then
		skip "$name" "$(head -n 1 "$tmp/path")"
		network_end
		return
	fi
	anchors_begin
	# shellcheck disable=SC2046,SC2086
	mkdir $(printf "$root/flow%s " $(seq 0 $((flows_n - 1)))) $mkdirs
	vifs_begin
	busywait 20 quiet
	before=("${now[@]}")
	[ -z "$limit" ] || meter_start round eth0 --in --ring 4 --rate "$limit"
	for ((i = 0; i < flows_n; i++)); do flow_start $i; done
	for ((i = 0; i < flows_n; i++)); do wait "${flows[i]}" || status=1; done
	busywait 20 quiet
	[ -z "$limit" ] || meter_stop round
	judge
	[ $ktap_failed -eq "$failed_before" ] || note "seed $seed, round $1: $0 $count $seed $1"
	stop "${peers[@]}"
	for ((i = 0; i < flows_n; i++)); do
		[ ! -d "/sys/fs/cgroup/flow$i" ] || busywait 5 rmdir "/sys/fs/cgroup/flow$i"
	done
	network_end
}

# processes in both namespaces, through which their counters are read
anchors_begin() {
	background peer sleep infinity
	peer_anchor=/proc/$!
	peers+=($!)
	background nsenter --net=/run/netns/box -- sleep infinity
	box_anchor=/proc/$!
	peers+=($!)
	busywait 5 anchored
}

anchored() {
	[ "$(readlink "$peer_anchor/ns/net")" != "$(readlink /proc/self/ns/net)" ] &&
		[ "$(readlink "$box_anchor/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

# The last flow of the box, and of the guest, has the device.
vifs_begin() {
	local i
	for ((i = 0; i < flows_n; i++)); do
		echo max >$root/flow$i/limit
		echo none >$root/flow$i/aqm
		case ${flow_origin[i]} in
		box) ln -sfn $root/flow$i $devices/box/eth0 ;;
		guest) ln -sfn $root/flow$i $devices/tap0/eth0 ;;
		esac
	done
	mkdir /proc/network/box/used
	[ "$path" != wireguard ] || mkdir /proc/network/top/used
	[ "$queue" = no ] || queue_first
	[ -z "$limit" ] || echo "egress $limit" >$root/bandwidth
}

# differs I NAME: the VIFs behind the Ith pair of counts from its wire
differs() {
	local at=$(($1 * 8))
	[ "${more[*]:at:4}" = "${more[*]:at+4:4}" ] ||
		problems+=("$2: wire $(say_counted "${more[@]:at:4}"), VIFs $(say_counted "${more[@]:at+4:4}")")
}

# judge_receivers I: what is for both belongs to neither
judge_receivers() {
	local below
	for below in a b; do
		count_vif "$root/flow$1/$below"
		[ "${counted[*]}" = '0 0 0 0' ] || problems+=("flow $1: $below: $(say_counted "${counted[@]}")")
	done
}

# judge: of the round. The root VIF has packets received for a box or guest; and inside of others
# (`nested`) fragments, answers to a ping, and packets for several receivers.
judge() {
	local more=() i j sum=(0 0 0 0) all problems=() loose='' loosely='' kernels=0 list=''
	for i in "${!now[@]}"; do more[i]=$((now[i] - before[i])); done
	[ $status -eq 0 ] || problems+=("a flow failed: $(cat "$tmp"/own.* "$tmp"/peer.*)")
	# trailers of what is received by IPsec are not counted
	[ "$path" != ipsec ] || more[3]=${more[7]}
	differs 0 eth0
	differs 1 box
	# the kernel's answer, once a program has had it, is no answer of a device any more
	[ "$queue" = no ] || [[ " ${flow_kind[*]} " != *' forged '* ]] || loosely=1
	case $path in
	wireguard) loosely=1 loose=1 ;;
	ipsec) loose=1 ;;
	esac
	for ((i = 0; i < flows_n; i++)); do
		count_vif $root/flow$i
		list+=" $i: $(say_counted "${counted[@]}"),"
		for j in 0 1 2 3; do sum[j]=$((sum[j] + counted[j])); done
		kernels=$((kernels + flow_kernels[i]))
		[ "${flow_origin[i]}" = host ] || loose=1
		[[ ${flow_kind[i]} != @(served|ping|receivers|fragments) || $nested != *" $path "* ]] || loose=1
		[ "${flow_origin[i]}" = host ] || continue
		[ -n "$loosely" ] || [ "${counted[0]}" = "${flow_sent[i]:-${counted[0]}}" ] ||
			problems+=("flow $i: has sent ${flow_sent[i]}")
		[ "${counted[2]}" = "${flow_received[i]:-${counted[2]}}" ] ||
			problems+=("flow $i: has received ${flow_received[i]}")
		[ "${flow_kind[i]}" != receivers ] || judge_receivers $i
	done
	all=("${more[@]:4:4}")
	[ $kernels -eq 0 ] || all[1]=${sum[1]} all[3]=${sum[3]}
	[ -n "$loosely" ] || [ "$((sum[0] + kernels)) ${sum[1]}" = "${all[*]:0:2}" ] ||
		problems+=("sent: the kernel $kernels,$list all $(say_counted "${all[@]}")")
	[ -n "$loose" ] || [ "$((sum[2] + kernels)) ${sum[3]}" = "${all[*]:2:2}" ] ||
		problems+=("received: the kernel $kernels,$list all $(say_counted "${all[@]}")")
	[ -z "$limit" ] || [ "$(meter round burst_bytes)" -le $((least_burst + 25)) ] ||
		problems+=("$(meter round burst_bytes) bytes ahead of the limit")
	if [ ${#problems[@]} -eq 0 ]; then
		pass "$name"
	else
		fail "$name" "${problems[@]}"
	fi
}

begin
need netnice
modprobe -q ifb numifbs=0
sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0
nft "$cell_silence"
defer nft delete table inet silence
kinds socket udplite4 2>/dev/null || host_kinds=${host_kinds/udplite }
links='veth veth netkit'
netkit kit kit-peer 2>/dev/null && ip link del kit || links=veth
RANDOM=$seed
for ((r = 1; r <= count; r++)); do
	failed_before=$ktap_failed
	round $r
done
