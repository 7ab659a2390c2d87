#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Large packets: what TCP and UDP segmentation offload have not cut yet (GSO) when
# netnice sees it, and what has been merged again (GRO), counts as what it is on
# the wire, and does not burst.
#
#   init namespace                                     peer
#   socket -> GSO -> netnice -> cut? -> eth0 ===== eth0 -> GRO? -> socket
#
# cut		the device cannot segment: the stack does, behind the hook. The
#		counters of the peer's interface, which then sees a wire's packets,
#		are the judge.
# whole		packets pass the veth as they are. The judge of packets is the IP that
#		receives them, which counts each segment; bytes are payload and
#		headers.
# merged	at ingress: the peer's single packets are merged in eth0's NAPI. Judged
#		as `whole` (of such a veth the peer's counters lack the link layer's
#		headers).
# lab: virtual, budget=19
# shellcheck disable=SC2016

. "$(dirname "$0")/lib.sh"

root=/proc/network/eth0
port=6000
payload_bytes=2000000
udp_rate=300m

offloads() {
	case $1 in
	cut) wire_exact on ;;
	whole)
		wire_exact off
		ethtool -K eth0 gro off >/dev/null
		peer ethtool -K eth0 gro off >/dev/null
		;;
	merged)
		wire_exact on
		ethtool -K eth0 gro on >/dev/null
		;;
	esac
}

# of the namespace it runs in: what IP has received, as packets and as segments
ip_received=(awk '$1 == "Ip:" || $1 == "IpExt:" {
		if ($2 ~ /[a-z]/) { split($0, name); next }
		for (i = 2; i <= NF; i++)
			count[name[i]] += $i
	}
	$1 ~ /^Ip6In/ { count[substr($1, 1, 2) substr($1, 4)] += $2 }
	END { print count["InReceives"] + count["IpInReceives"], count["InNoECTPkts"] + count["IpInNoECTPkts"] }
	' /proc/net/snmp /proc/net/netstat /proc/net/snmp6)

# counters DIRECTION: packets and bytes of netnice and of the peer's interface, then
# what IP has received
counters() {
	echo "$(vif_stat $root "$1_packets") $(vif_stat $root "$1_bytes")"
	if [ "$1" = egress ]; then
		peer awk '$1 == "eth0:" { print $3, $2 }' /proc/net/dev
		peer "${ip_received[@]}"
	else
		peer awk '$1 == "eth0:" { print $11, $10 }' /proc/net/dev
		"${ip_received[@]}"
	fi
}

# transfer DIRECTION PROTOCOL FAMILY: payload_bytes between a process of the VIF x
# and the peer
transfer() {
	local direction=$1 protocol=$2 to=10.0.0.2 size=1472 udp=() server client status
	port=$((port + 1))
	[ "$3" = v4 ] || to=fd00::2 size=1452
	[ "$protocol" = tcp ] || udp=(--segment "$size" --size "$((40 * size))" --rate "$udp_rate")
	if [ "$direction" = egress ]; then
		background peer traffic sink "$protocol" $port >"$tmp/server"
		server=$!
		client=(send "$protocol" "$to" "$port" --bytes "$payload_bytes" "${udp[@]}")
	else
		background peer traffic serve "$protocol" $port --bytes "$payload_bytes" "${udp[@]}" >"$tmp/server"
		server=$!
		client=(fetch "$protocol" "$to" "$port" --bytes "$payload_bytes" --seconds 5)
	fi
	busywait 5 file_says "$tmp/server" ready
	in_vif $root/x traffic "${client[@]}" >"$tmp/client"
	status=$?
	# the last acknowledgements, and what still waits
	pause 0.5
	stop $server
	return $status
}

# counted MODE LIMIT DIRECTION PROTOCOL FAMILY
counted() {
	local mode=$1 limit=$2 direction=$3 protocol=$4 family=$5 name="$1, limit $2, $3 $4 $5" i headers
	local before after packets bytes wire_packets wire_bytes merged segments
	mapfile -t before < <(counters "$direction" | tr ' ' '\n')
	transfer "$direction" "$protocol" "$family"
	mapfile -t after < <(counters "$direction" | tr ' ' '\n')
	for i in "${!after[@]}"; do
		after[i]=$((after[i] - before[i]))
	done
	read -r packets bytes wire_packets wire_bytes merged segments <<<"${after[*]}"
	note "$name: stat $packets packets $bytes bytes, interface $wire_packets $wire_bytes," \
		"IP $merged of $segments segments"
	if [ "$mode" != cut ]; then
		case $protocol$family in
		tcpv4) headers=66 ;;
		tcpv6) headers=86 ;;
		udpv4) headers=42 ;;
		udpv6) headers=62 ;;
		esac
		wire_packets=$segments
		# the SYN has eight bytes of options more than the others
		wire_bytes=$((payload_bytes + segments * headers))
		[ "$protocol" = udp ] || wire_bytes=$((wire_bytes + 8))
	fi
	# UDP is not merged for these sockets, and what NAPI has merged is not much longer than that
	case $mode-$limit-$protocol in
	whole-* | merged-max-tcp | merged-2g-tcp) check "$name: packets are large" "2 * $merged < $segments" ;;
	esac
	# a third of the burst, which is 1 ms of 200 Mbit/s
	[ "$mode-$limit" != whole-200m ] ||
		check "$name: of five frames at most" "5 * $merged >= $segments"
	check_eq "$name: stat is the wire's" "$packets packets $bytes bytes" "$wire_packets packets $wire_bytes bytes"
}

# paced DIRECTION PROTOCOL FAMILY: what was sent whole does not burst at 10 Mbit/s
paced() {
	local direction=$1 protocol=$2 family=$3 name="10m, $1 $2 $3" meter
	if [ "$direction" = egress ]; then
		background peer wiremeter eth0 --in --port $((port + 1)) --rate 10m --window 10ms >"$tmp/meter.paced"
	else
		background wiremeter eth0 --delivered --port $((port + 1)) --rate 10m --window 10ms >"$tmp/meter.paced"
	fi
	meter=$!
	busywait 5 file_says "$tmp/meter.paced" ready
	transfer "$direction" "$protocol" "$family"
	stop $meter
	note "$name: $(meter paced rate_bit_per_s) bit/s, most in 10 ms $(meter paced max_window_bytes), burst $(meter paced burst_bytes)"
	check "$name: any 10 ms" "$(meter paced max_window_bytes) <= 12500 + $least_burst"
	# see burst_judged() in pairs.sh for the 100 us on top
	check "$name: any interval" "$(meter paced burst_bytes) <= $least_burst + 125"
	check_near "$name: rate" "$(meter paced rate_bit_per_s)" 10000000 0.5
	check_eq "$name: single packets, none missed" "$(meter paced oversize) $(meter paced drops)" '0 0'
}

# sent_and_back TO: a file by TCP, each way, is what it was
sent_and_back() {
	port=$((port + 1))
	background peer socat -t 5 "TCP6-LISTEN:$port" EXEC:'tee /dev/stderr' 2>"$tmp/there"
	busywait 5 peer_listens $port
	in_vif $root/x socat -t 5 - "TCP:$1:$port" <"$tmp/contents" >"$tmp/back"
}

peer_listens() { [ -n "$(peer ss -Hltn "sport = :$1")" ]; }

# Without anybody's help the receiver looks at each checksum
contents() {
	local mode to
	echo 200m >$root/x/bandwidth
	head -c 3000000 /dev/urandom >"$tmp/contents"
	for mode in cut whole; do
		offloads $mode
		[ $mode = whole ] || { ethtool -K eth0 tx off && peer ethtool -K eth0 tx off; } >/dev/null
		peer nstat -n
		for to in 10.0.0.2 '[fd00::2]'; do
			sent_and_back "$to"
			ok "$mode, to $to: what came there is what was sent" cmp "$tmp/contents" "$tmp/there"
			ok "$mode, to $to: and so is what came back" cmp "$tmp/contents" "$tmp/back"
		done
		peer nstat -asz --json >"$tmp/nstat"
		check_eq "$mode: no checksum is wrong" "$(jq '.kernel | .TcpInCsumErrors + .UdpInCsumErrors' "$tmp/nstat")" 0
	done
	{ ethtool -K eth0 tx on && peer ethtool -K eth0 tx on; } >/dev/null
}


counting() {
	local limit mode direction protocol family
	for limit in max 2g 200m; do
		echo $limit >$root/x/bandwidth
		for mode in cut whole merged; do
			offloads $mode
			for direction in egress ingress; do
				[ "$mode $direction" != 'merged egress' ] || continue
				for protocol in tcp udp; do
					for family in v4 v6; do
						counted $mode $limit $direction $protocol $family
					done
				done
			done
		done
	done
}

pacing() {
	local direction protocol family payload_bytes=4000000 udp_rate=20m
	offloads whole
	echo 10m >$root/x/bandwidth
	for direction in egress ingress; do
		for protocol in tcp udp; do
			for family in v4 v6; do
				paced $direction $protocol $family
			done
		done
	done
}

begin
need netnice
# no neighbour or router messages while packets are counted
sysctl -qw net.ipv6.conf.default.router_solicitations=0
setup_veth
peer sysctl -qw net.ipv6.conf.eth0.router_solicitations=0
for address in 10.0.0.2 fd00::2; do
	ip neigh replace "$address" dev eth0 nud permanent lladdr "$(peer_mac)"
done
for address in 10.0.0.1 fd00::1; do
	peer ip neigh replace "$address" dev eth0 nud permanent lladdr "$(cat /sys/class/net/eth0/address)"
done
mkdir $root/x
pause 10
for scenario in ${SCENARIOS:-counting contents pacing}; do
	$scenario
done
rmdir $root/x
