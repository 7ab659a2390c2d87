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
#   +----------------+      |            |                 |      |                      |
#                           |           eth0      10.0.0.1 |======| eth0        10.0.0.2 |
#                           +------------------------------+      +----------------------+
#
# The two wires (=) are judged. Each round draws the devices between the process and eth0, the flows
# and how they are attached, whether packets of the box are bridged, routed or translated, what root
# of the box does, the mode of eth0, its offloads, and its limit.
#
# usage: conservation.sh [COUNT [SEED [ROUND]]]
# COUNT rounds of this seed; ROUND: only this one, with all that it does
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cells.sh"

count=${1:-$(short && echo 24 || echo 120)} seed=${2:-1} only=${3-}
devices=/proc/network/devices
root=/proc/network/eth0
here=10.6.0.1 there=10.6.0.2
port=10000
box() { nsenter --net=/run/netns/box -- "$@"; }

# pick NAME WORD...: one of the words
pick() { printf -v "$1" %s "${@:2 + RANDOM % ($# - 1):1}"; }

# --- the network ---------------------------------------------------------------------------

# both_ends COMMANDS OF ip: here; and at the peer, with HERE and THERE exchanged
both_ends() {
	local commands=$1
	ip -batch - <<<"$commands" || return
	commands=${commands//10.0.0.1/@@} commands=${commands//10.0.0.2/10.0.0.1}
	commands=${commands//@@/10.0.0.2} commands=${commands//$here/@@} commands=${commands//$there/$here}
	peer ip -batch - <<<"${commands//@@/$there}"
}

# beside LINK: a device `top` of this kind at both ends
beside() {
	both_ends "link add name top $1
		addr add $here/24 dev top
		link set top up"
}

# above COMMANDS OF ip: they make `top` of eth0; the peer has its address on eth0
above() {
	ip -batch - <<<"$1
		addr add $here/24 dev top
		link set top up" &&
		peer ip addr add $there/24 dev eth0
	far=eth0
}

# each makes `top`; `near` is the device here that has the address, `far` the peer's
path_plain() {
	ip addr add $here/24 dev eth0
	peer ip addr add $there/24 dev eth0
	near=eth0 far=eth0
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
	above 'link add name top address 02:00:00:00:06:01 type bridge mcast_snooping 0
		link set eth0 master top'
}
path_bond() {
	above 'link add name top type bond mode active-backup
		link set eth0 down
		link set eth0 master top
		link set top up'
}
path_vrf() {
	ip -batch - <<-END
		link add name red type vrf table 10
		link set red up
		link set eth0 master red
		link set box master red
		addr add $here/24 dev eth0
	END
	peer ip addr add $there/24 dev eth0
	near=eth0 far=eth0
}
path_gre() { beside 'type gre local 10.0.0.1 remote 10.0.0.2'; }
path_gretap() { beside 'type gretap local 10.0.0.1 remote 10.0.0.2'; }
path_ipip() { beside 'type ipip local 10.0.0.1 remote 10.0.0.2'; }
path_vxlan() { beside 'type vxlan id 9 dstport 4789 local 10.0.0.1 remote 10.0.0.2'; }
path_geneve() { beside 'type geneve id 9 remote 10.0.0.2'; }
tunnels=' gre gretap ipip vxlan geneve '
paths='plain vlan qinq macvlan ipvlan bridge bond vrf gre gretap ipip vxlan geneve'

neighbours() {
	local mac
	set_neighbours 10.0.0.1 10.0.0.2
	[ "$near $far" != 'eth0 eth0' ] || { set_neighbours $here $there; return; }
	mac=$(peer_mac $far)
	[ -z "$mac" ] || ip neigh replace $there dev "$near" nud permanent lladdr "$mac" 2>/dev/null
	mac=$(<"/sys/class/net/$near/address")
	peer ip neigh replace $here dev $far nud permanent lladdr "$mac" 2>/dev/null
}

# neighbours, routers and groups would be asked for, and answered, at any time
no_ipv6=(net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1)

network_begin() {
	near=top far=top
	ip netns add peer
	ip netns add box
	peer sysctl -qw "${no_ipv6[@]}"
	box sysctl -qw "${no_ipv6[@]}" net.ipv4.ping_group_range='0 2147483647'
	ip -batch - <<-END
		link add eth0 type veth peer name eth0 netns peer
		link add box type veth peer name eth0 netns box
		addr add 10.0.0.1/24 dev eth0
		addr add 10.2.0.1/24 dev box
		link set eth0 up
		link set box up
	END
	ip -n peer -batch - <<-END
		addr add 10.0.0.2/24 dev eth0
		link set lo up
		link set eth0 up
	END
	ip -n box -batch - <<-END
		addr add 10.2.0.2/24 dev eth0
		link set lo up
		link set eth0 up
		route add default via 10.2.0.1
	END
	ethtool -K box tso off gso off gro off tx-udp-segmentation off >/dev/null
	box ethtool -K eth0 tso off gso off gro off tx-udp-segmentation off >/dev/null
	wire_exact on
	# a tag is part of the packet
	ethtool -K eth0 txvlan off tx-vlan-stag-hw-insert off >/dev/null
	peer ethtool -K eth0 txvlan off tx-vlan-stag-hw-insert off >/dev/null
	"path_$path" 2>"$tmp/path" || { note "$(cat "$tmp/path")"; return 1; }
	peer ip route add 10.2.0.0/24 via $here
	neighbours
	[ -z "$bridged" ] || bridge_box
	[ "$offload" = on ] || ethtool -K eth0 gso off >/dev/null
	case $translated in
	yes) nft "table ip translated { chain c { type nat hook postrouting priority 100
		ip saddr 10.2.0.2 masquerade; }; }" ;;
	esac
	"box_$trick"
	[ "$mode" = hook ] || vifctl enable --link eth0
	if [ "$queue" = yes ]; then
		nft 'table ip queued { chain c { type filter hook output priority 0; ip daddr 10.6.0.2 queue num 5; }; }'
		background verdicts 5 >"$tmp/verdicts"
		peers+=($!)
		flow_ready verdicts
	fi
}

network_end() {
	nft 'table ip translated; delete table ip translated; table ip queued; delete table ip queued'
	ip link del top 2>/dev/null
	ip link del red 2>/dev/null
	ip -batch - <<-END
		link del eth0
		link del box
		netns del peer
		netns del box
	END
}

# the box is in the same network as the peer
bridge_box() {
	local mac
	mac=$(box ip -o link show dev eth0 | sed 's/.*ether \([^ ]*\).*/\1/')
	ip link set box master top
	box ip addr add $box_address/24 dev eth0
	box ip neigh replace $there dev eth0 nud permanent lladdr "$(peer_mac)"
	peer ip neigh replace $box_address dev eth0 nud permanent lladdr "$mac"
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

# flow_KIND: sets peer_words and own_words, for kinds, and `sent`, the number of packets sent, if
# it is known
flow_udp() { datagrams udp4; }
flow_udplite() { datagrams udplite4; }
# datagrams SOCKET: each is answered
datagrams() {
	local n=$((RANDOM % 20 + 5)) size=$((RANDOM % 1200 + 1))
	peer_words="socket $1 bind 0.0.0.0 $port say ready times $n { answer }"
	own_words="socket $1 $extra connect $there $port times $n { send $size receive $size }"
	sent=$n
}
flow_fragments() {
	local n=$((RANDOM % 5 + 2)) size=$((RANDOM % 20000 + 1500))
	peer_words="socket udp4 bind 0.0.0.0 $port say ready times $n { receive $size }"
	own_words="socket udp4 $extra connect $there $port times $n { send $size }"
	sent=''
}
# one large packet for many
flow_segments() {
	local size=$((RANDOM % 1000 + 100)) n=$((RANDOM % 30 + 2))
	peer_words="socket udp4 bind 0.0.0.0 $port say ready times $n { receive $size }"
	own_words="socket udp4 $extra set segment $size connect $there $port send $((n * size))"
	sent=$n
}
flow_tcp() {
	connection '' "$extra" "$there"
	peer_words=$serves own_words=$connects
}
# accepted here
flow_served() {
	connection "$extra" '' "$server"
	own_words=$serves peer_words=$connects first=own
}
# connection SERVER-OPTIONS CLIENT-OPTIONS ADDRESS
connection() {
	local up=$((RANDOM % 60000 + 1)) down=$((RANDOM % 60000 + 1))
	serves="socket tcp4 $1 set reuseaddr 1 bind 0.0.0.0 $port listen 4 say ready accept receive $up send $down end close"
	connects="socket tcp4 $2 connect $3 $port send $up receive $down close"
	sent=''
}
flow_group() {
	local n=$((RANDOM % 20 + 5))
	peer_words='say ready'
	own_words="socket udp4 device $group_device times $n { sendto 239.1.1.1 $port $((RANDOM % 1200 + 1)) }"
	sent=$n
}
# answers to a ping are the root VIF's
flow_ping() {
	local n=$((RANDOM % 5 + 1))
	peer_words='say ready'
	own_words="socket ping4 $extra connect $there 0 ping $n"
	sent=$n
}
flow_kinds='udp served group ping udp fragments segments udplite tcp tcp'

# flow_draw N: the Nth flow of the round, a line of `story`
flow_draw() {
	local i=$1 kind origin manner vif=$root/flow$1 extra='' first=peer server=$here group_device=top
	port=$((port + 1))
	# shellcheck disable=SC2086
	pick kind $flow_kinds
	pick origin host host box
	pick manner process cgroup socket thread
	case $path in
	vrf) extra='device red' group_device=eth0 ;;
	plain) group_device=eth0 ;;
	esac
	if [ "$origin" = box ]; then
		manner=device extra='' server=$box_address group_device=eth0
		# a multicast packet is not routed; the peer does not know the translated address
		[ "$kind" != group ] || kind=udp
		[ "$kind$translated" != servedyes ] || kind=tcp
	fi
	"flow_$kind"
	story+=("$i $kind $origin $manner $first $sent")
	flow_peer[i]=$peer_words
	flow_own[i]=$own_words
}

# flow_start N: both ends in the background
flow_start() {
	local i=$1 kind origin manner first vif=$root/flow$1 words=() text
	read -r _ kind origin manner first _ <<<"${story[i]}"
	[ "$first" = own ] || flow_start_peer "$i"
	case $manner in
	device) read -ra words <<<"${flow_own[i]}" ;;
	cgroup)
		mkdir "/sys/fs/cgroup/flow$i"
		ln -s "$vif" "/proc/network/cgroups/flow$i/"
		read -ra words <<<"write /sys/fs/cgroup/flow$i/cgroup.procs 0 ${flow_own[i]}"
		;;
	*)
		text=$(cell_attached "$manner" "${flow_own[i]}")
		read -ra words <<<"${text//VIF/$vif}"
		;;
	esac
	if [ "$origin" = box ]; then
		background nsenter --net=/run/netns/box -- kinds "${words[@]}" >"$tmp/own.$i" 2>&1
	else
		background kinds "${words[@]}" >"$tmp/own.$i" 2>&1
	fi
	flows+=($!)
	[ "$first" = peer ] || { flow_ready "own.$i"; flow_start_peer "$i"; }
}

flow_start_peer() {
	# shellcheck disable=SC2086
	background peer kinds ${flow_peer[$1]} >"$tmp/peer.$1" 2>&1
	peers+=($!)
	[ "$first" = own ] || flow_ready "peer.$1"
}

flow_ready() { busywait 5 file_says "$tmp/$1" ready || note "$(cat "$tmp/$1")"; }

# --- the judge -----------------------------------------------------------------------------

# count_far NAMESPACE-PROCESS: the other end of a wire; count_vif() and this set `counted`
wire_of() {
	local peer_proc=$1
	device=eth0
	count_wire
}

# totals: packets and bytes, sent and received, of both wires and both trees
totals() {
	local list=()
	wire_of "$peer_anchor"
	list+=("${counted[@]}")
	count_vif $root
	list+=("${counted[@]}")
	wire_of "$box_anchor"
	list+=("${counted[@]}")
	count_vif /proc/network/box
	now=("${list[@]}" "${counted[@]}")
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
	local path mode translated trick limit flows_n i story=() flow_peer=() flow_own=() flows=() peers=()
	local before name peer_anchor box_anchor status=0 near far queue offload bridged='' box_address=10.2.0.2
	# shellcheck disable=SC2086
	pick path $paths
	pick mode hook hook qdisc
	pick translated no no yes
	# shellcheck disable=SC2086
	pick trick $tricks
	pick limit '' '' 2m 300k
	pick queue no no no yes
	pick offload on off
	[ "$path" != bridge ] || pick bridged '' bridged
	[ -z "$bridged" ] || translated=no box_address=10.6.0.3
	flows_n=$((RANDOM % 3 + 1))
	for ((i = 0; i < flows_n; i++)); do flow_draw $i; done
	[ -z "$only" ] || [ "$only" = "$1" ] || return 0
	name="round $1 of seed $seed: $path, $mode, offload $offload${limit:+, limit $limit}"
	[ "$queue" = no ] || name+=', NFQUEUE'
	[[ "${story[*]}" != *box* ]] || name+=", box: ${bridged:-translated $translated}, $trick"
	for ((i = 0; i < flows_n; i++)); do name+=", $(cut -d' ' -f2-4 <<<"${story[i]}")"; done
	if ! network_begin; then
		skip "$name" "there is no $path"
		network_end
		return
	fi
	# processes in both namespaces, through which their counters are read
	background peer sleep infinity
	peer_anchor=/proc/$!
	peers+=($!)
	background nsenter --net=/run/netns/box -- sleep infinity
	box_anchor=/proc/$!
	peers+=($!)
	busywait 5 anchored
	for ((i = 0; i < flows_n; i++)); do
		mkdir $root/flow$i
		echo max >$root/flow$i/limit
		echo none >$root/flow$i/aqm
	done
	mkdir -p /proc/network/box/used
	for ((i = 0; i < flows_n; i++)); do
		[[ ${story[i]} != *box* ]] || ln -sfn $root/flow$i $devices/box/eth0
	done
	[ -z "$limit" ] || echo "egress $limit" >$root/bandwidth
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

anchored() {
	[ "$(readlink "$peer_anchor/ns/net")" != "$(readlink /proc/self/ns/net)" ] &&
		[ "$(readlink "$box_anchor/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

# judge: of the round. Packets received for a box, answers to a ping, and fragments of a tunnel for a
# connection that is not used yet are the root VIF's.
judge() {
	local more=() i sum=(0 0 0 0) problems=() sent kind origin loose='' flows_counted=""
	for i in "${!now[@]}"; do more[i]=$((now[i] - before[i])); done
	[ $status -eq 0 ] || problems+=("a flow failed: $(cat "$tmp"/own.* "$tmp"/peer.*)")
	[ "${more[*]:0:4}" = "${more[*]:4:4}" ] ||
		problems+=("eth0: wire $(say_counted "${more[@]:0:4}"), VIFs $(say_counted "${more[@]:4:4}")")
	[ "${more[*]:8:4}" = "${more[*]:12:4}" ] ||
		problems+=("box: wire $(say_counted "${more[@]:8:4}"), VIFs $(say_counted "${more[@]:12:4}")")
	for ((i = 0; i < flows_n; i++)); do
		read -r _ kind origin _ _ sent <<<"${story[i]}"
		count_vif $root/flow$i
		[ "$origin$kind" != hostping ] || loose=1
		[ "$kind" != served ] || [[ $tunnels != *" $path "* ]] || loose=1
		if [ "$origin" = box ]; then
			loose=1
		elif [ -n "$sent" ] && [ "$queue" = no ] && [ "${counted[0]}" != "$sent" ]; then
			problems+=("flow $i: $(say_counted "${counted[@]}"), and has sent $sent")
		fi
		flows_counted+=" $i: $(say_counted "${counted[@]}"),"
		for j in 0 1 2 3; do sum[j]=$((sum[j] + counted[j])); done
	done
	# until the hook that records senders is there, NFQUEUE's are the root VIF's
	[ "$queue" = yes ] || [ "${sum[*]:0:2}" = "${more[*]:4:2}" ] ||
		problems+=("sent: the flows' VIFs $(say_counted "${sum[@]}"), all $(say_counted "${more[@]:4:4}")")
	[ -n "$loose" ] || [ "$queue" = yes ] || [ "${sum[*]:2:2}" = "${more[*]:6:2}" ] ||
		problems+=("received: the flows' VIFs $(say_counted "${sum[@]}"):$flows_counted all $(say_counted "${more[@]:4:4}")")
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
sysctl -qw net.ipv4.ip_forward=1 "${no_ipv6[@]}"
kinds socket udplite4 2>/dev/null || flow_kinds=${flow_kinds/udplite }
RANDOM=$seed
for ((r = 1; r <= count; r++)); do
	failed_before=$ktap_failed
	round $r
done
