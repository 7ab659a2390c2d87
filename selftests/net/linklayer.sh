#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What packets cost on a device's link (link_layer): limits, shares and minima are in bytes
# of the link, counters are not. See pairs.sh for topology and judge; what a packet costs is
# computed here by what interface.rst says.
#
# sizes		a limit, with datagrams of one size: so many of them pass as the limit has
#		room for on the link, within 0.2 %; the VIF's counters say what the judge
#		says, to the byte. The other direction has another link layer.
# vlan		a VLAN's tag, which is beside the packet here, is part of the overhead
# large		TCP, in large packets: each segment costs what a packet does; sent, and
#		received in packets that have been merged
# often		small packets one by one, with a burst that clocks could pay in advance: by bytes
#		on the link they exceed the limit, by those that are counted they do not
# link		the same in qdisc mode
# shares	small packets against large ones, of the same weight, and with a minimum
# limit		how much may wait, in bytes of the link
# change	it holds from the next packet on, and for what the defaults take for a frame
# lab: virtual, timeout=900, check=uml, kernels=6.1+new, budget=20
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pairs.sh"

ethernet=14
port=7000

# cost LAYER BYTES [HEADER]: on the link, of an IP packet
cost() {
	local bytes=$2 header=${3-$ethernet} least=1 unit=''
	# shellcheck disable=SC2086
	set -- $1
	while [ $# -gt 0 ]; do
		case $1 in
		overhead) header=$2; shift ;;
		mpu) least=$2; shift ;;
		atm | ptm) unit=$1 ;;
		esac
		shift
	done
	bytes=$((bytes + header))
	[ $bytes -gt "$least" ] || bytes=$least
	# whole cells
	# shellcheck disable=SC2017
	case $unit in
	atm) echo $(((bytes + 47) / 48 * 53)) ;;
	ptm) echo $((bytes + (bytes + 63) / 64)) ;;
	*) echo "$bytes" ;;
	esac
}

# headers udp|tcp v4|v6: of IP and above
headers() {
	case $1$2 in
	udpv4) echo 28 ;;
	udpv6) echo 48 ;;
	tcpv4) echo 52 ;;
	tcpv6) echo 72 ;;
	esac
}

# layer_set DIRECTION LAYER: of the pair n; the other direction has another one
layer_set() {
	local other=ingress
	[ "$1" = egress ] || other=egress
	echo "$1 $2 $other overhead 200 atm" >"/proc/network/v$n/link_layer"
}

# small DIRECTION FAMILY RATE PAYLOAD COST VIF: more datagrams than the limit lets pass
small() {
	flow "$n" "$1" udp "$2" $((++port)) "$6" --size "$4" --rate $(($(bits "$3") * $4 * 13 / ($5 * 10)))
}

# sized DIRECTION FAMILY PAYLOAD LAYER
sized() {
	local direction=$1 family=$2 payload=$3 layer=$4 rate=2m name="$4, $1 $2, $3 bytes" ip cost vif want
	ip=$((payload + $(headers udp "$family")))
	cost=$(cost "$layer" $ip)
	pair_new || return
	vif=/proc/network/v$n/x
	mkdir "$vif"
	layer_set "$direction" "$layer"
	echo "$direction $rate" >"$vif/bandwidth"
	meter_flow sized "$n" "$direction" --port $((port + 1)) --span 3
	small "$direction" "$family" "$rate" "$payload" "$cost" "$vif"
	pause 3.1
	flow_stop $port
	pair_drain "$n"
	stat_load "$vif"
	meter_stop sized
	meter_load sized
	want=$(($(bits "$rate") * (ip + ethernet) / cost))
	note "$name: $m_rate_bit_per_s bit/s, $want are $rate on the link: $cost bytes each"
	check_near "$name: rate" "$m_rate_bit_per_s" $want 0.2
	packets=s_${direction}_packets bytes=s_${direction}_bytes
	check_eq "$name: counters" "${!packets} ${!bytes}" "$m_packets $m_bytes"
	meter_whole || fail "$name: the judge saw everything" "$(cat "$tmp/meter.sized")"
	pair_del "$n"
}

sizes() {
	local direction
	for direction in egress ingress; do
		sized $direction v4 18 'overhead 44 mpu 84 atm'
		sized $direction v6 1000 'overhead 44 atm'
		sized $direction v4 20 'overhead 48 atm'
		sized $direction v4 21 'overhead 48 atm'
		sized $direction v4 100 'overhead -20'
		sized $direction v4 18 'overhead -14 mpu 64'
		sized $direction v4 100 'overhead -64'
		sized $direction v4 18 'mpu 100'
		sized $direction v4 100 atm
		sized $direction v4 1000 'overhead 30 ptm'
		sized $direction v4 6 'overhead 30 ptm'
		sized $direction v4 200 'overhead 0'
		sized $direction v4 100 none
	done
}

# a datagram of 46 bytes costs 56, and not the tag's 4 more
vlan() {
	local vif before packets sender
	pair_new || return
	vif=/proc/network/v$n/x
	ip link add link "v$n" name "w$n" type vlan id 5
	ip addr add "10.2.$n.1/24" dev "w$n"
	ip link set "w$n" up
	ip -n peer link add link "v$n" name "w$n" type vlan id 5
	ip -n peer addr add "10.2.$n.2/24" dev "w$n"
	ip -n peer link set "w$n" up
	mkdir "$vif"
	layer_set egress 'overhead 10'
	echo egress 2m >"$vif/bandwidth"
	background peer traffic sink udp $((++port)) >/dev/null
	background "${in_vif_prefix[@]}" "$vif" traffic send udp "10.2.$n.2" $port --size 18 --rate 800k >/dev/null
	sender=$!
	pause 0.5
	before=$(vif_stat "$vif" egress_packets)
	pause 2
	packets=$(($(vif_stat "$vif" egress_packets) - before))
	stop $sender
	note "vlan: $packets packets in 2 s"
	check_near 'vlan: the tag is not charged' $((packets * 56 * 8)) 4000000 0.2
	pair_del "$n"
}

# bulk NAME DIRECTION FRAME: TCP for two seconds, of which all but the first half is judged
bulk() {
	local name=$1 direction=$2 vif=/proc/network/v$n/x cost before packets bytes
	cost=$(cost 'overhead 44 atm' $(($3 - ethernet)))
	flow "$n" "$direction" tcp v4 $((++port)) "$vif"
	pause 0.5
	before=("$(vif_stat "$vif" "${direction}_packets")" "$(vif_stat "$vif" "${direction}_bytes")")
	pause 1
	packets=$(($(vif_stat "$vif" "${direction}_packets") - before[0]))
	bytes=$(($(vif_stat "$vif" "${direction}_bytes") - before[1]))
	flow_stop $port
	note "$name: $packets packets, $bytes bytes"
	check_near "$name: rate" $((packets * cost * 8)) 50000000 0.3
	check_near "$name: full frames are counted" $bytes $((packets * $3)) 0.1
}

# bulk_begin DIRECTION: bursts allow large packets to pass whole
bulk_begin() {
	pair_new || return
	mkdir "/proc/network/v$n/x"
	layer_set "$1" 'overhead 44 atm'
	echo "$1 50m" >"/proc/network/v$n/x/bandwidth"
	echo "$1 100k" >"/proc/network/v$n/x/burst"
}

large() {
	bulk_begin egress || return
	bulk 'large, sent' egress 1514
	pair_del "$n"
	bulk_begin ingress || return
	ethtool -K "v$n" gro on >/dev/null
	# who sends is asked for packets of 11 * 128 bytes, and their headers
	bulk 'large, received' ingress 1474
	pair_del "$n"
}

often() {
	local direction=egress
	pair_new || return
	mkdir "/proc/network/v$n/x"
	layer_set egress 'overhead 44 atm'
	echo egress 20m >"/proc/network/v$n/x/bandwidth"
	echo egress 400k >"/proc/network/v$n/x/burst"
	# until that is saved up
	pause 0.5
	small egress v4 20m 18 106 "/proc/network/v$n/x"
	pause 1
	check_near 'often: rate' "$(had "/proc/network/v$n/x" 106)" 20000000 0.3
	flow_stop $port
	pair_del "$n"
}

link() {
	local vif before packets
	bulk_begin egress || return
	tc qdisc replace dev "v$n" root netnice
	bulk 'link, large' egress 1514
	pair_del "$n"
	pair_new || return
	vif=/proc/network/v$n/x
	mkdir "$vif"
	tc qdisc replace dev "v$n" root netnice
	layer_set egress 'overhead 44 mpu 84 atm'
	echo egress 2m >"$vif/bandwidth"
	small egress v4 2m 18 106 "$vif"
	pause 0.5
	before=$(vif_stat "$vif" egress_packets)
	pause 2
	packets=$(($(vif_stat "$vif" egress_packets) - before))
	flow_stop $port
	check_near 'link, small: rate' $((packets * 106 * 8)) 4000000 0.2
	pair_del "$n"
}

# had VIF COST: bits on the link in the second that follows
had() {
	local before
	before=$(vif_stat "$1" "${direction}_packets")
	pause 1
	echo $((($(vif_stat "$1" "${direction}_packets") - before) * $2 * 8))
}

# shared DIRECTION
shared() {
	local direction=$1 root a b ports=()
	pair_new || return
	root=/proc/network/v$n
	a=$root/a b=$root/b
	mkdir "$a" "$b"
	layer_set "$direction" 'overhead 44 atm'
	echo "$direction 4m" >"$root/bandwidth"
	small "$direction" v4 4m 18 106 "$a"
	ports+=("$port")
	small "$direction" v4 4m 1000 1219 "$b"
	ports+=("$port")
	pause 0.5
	check_near "shares, $direction: small packets have half" "$(had "$a" 106)" 2000000 1
	check_near "shares, $direction: large packets have half" "$(had "$b" 1219)" 2000000 1
	echo "$direction 3m" >"$b/minimum"
	pause 0.5
	check_near "shares, $direction: large packets have their minimum, and half of the rest" "$(had "$b" 1219)" 3500000 1
	check_near "shares, $direction: small packets have the other half" "$(had "$a" 106)" 500000 1
	flow_stop "${ports[@]}"
	pair_del "$n"
}

shares() {
	shared egress
	shared ingress
}

# of datagrams that cost 106 bytes ten may wait, where 17 have the limit's bytes
limit() {
	local vif
	pair_new || return
	vif=/proc/network/v$n/x
	mkdir "$vif"
	layer_set egress 'overhead 44 atm'
	echo egress 100k >"$vif/bandwidth"
	echo egress 1060b >"$vif/limit"
	echo none >"$vif/aqm"
	small egress v4 1m 18 106 "$vif"
	pause 1
	stat_load "$vif"
	check_eq 'limit: so much waits' \
		"$((s_egress_p_queue_packets + s_egress_d_queue_packets)) $((s_egress_p_queue_bytes + s_egress_d_queue_bytes))" \
		'10 1060'
	flow_stop $port
	pair_del "$n"
}

# most_at_once: how many have passed of a flood that began a millisecond ago: the burst
most_at_once() {
	pause 1
	passed=$(vif_stat "$vif" egress_packets)
	flow "$n" egress udp v4 $((++port)) "$vif" --size 18 --batch 200 --bytes 3600
	pause 0.001
	passed=$(($(vif_stat "$vif" egress_packets) - passed))
	pair_drain "$n"
	flow_stop $port
}

change() {
	local direction=egress vif
	pair_new || return
	vif=/proc/network/v$n/x
	mkdir "$vif"
	echo egress 2m >"$vif/bandwidth"
	small egress v4 2m 18 60 "$vif"
	pause 0.2
	check_near 'change: none' "$(had "$vif" 60)" 2000000 0.3
	layer_set egress 'overhead 44 atm'
	pause 0.2
	check_near 'change: one' "$(had "$vif" 106)" 2000000 0.3
	layer_set egress 'overhead 100'
	pause 0.2
	check_near 'change: another one' "$(had "$vif" 146)" 2000000 0.3
	echo none >"/proc/network/v$n/link_layer"
	pause 0.2
	check_near 'change: none again' "$(had "$vif" 60)" 2000000 0.3
	flow_stop $port
	# of two frames the clock saves up one while nothing comes: of 1514 bytes, or of 33
	# cells, in packets of 60 bytes, or two cells
	echo egress 64k >"$vif/bandwidth"
	pair_drain "$n"
	most_at_once
	check_near 'change: the default burst' $passed $((1514 / 60 + 1)) 8
	layer_set egress 'overhead 44 atm'
	most_at_once
	check_near 'change: the default burst is of frames on the link' $passed $((33 / 2 + 1)) 8
	pair_del "$n"
}

begin
need netnice
ip netns add peer
defer ip netns del peer
peer ip link set lo up
# it gives the unit of windows, which packets are made to suit
sysctl -qw net.ipv4.tcp_rmem="4096 131072 6291456"
for scenario in ${SCENARIOS:-sizes vlan large often link shares limit change}; do
	$scenario
done
