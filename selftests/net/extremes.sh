#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Numbers that the other end, a guest, a user or a device chooses: MTU, MSS, the scale of windows,
# the size of packets and of their segments. Whatever they are, data arrive, nothing is faster than
# its limit, and the kernel has nothing to complain about. The arithmetic alone, over all
# its range: selftests/user/arithmetic.c.
#
#   init namespace (under test)        namespace peer
#   eth0 =========================== eth0
#   tap0 ---- br0 ---- eth0
#
# mss		announced windows are in units that are larger than packets
# jumbo		packets of up to 200,000 bytes (BIG TCP), in whose pieces the size of segments times
#		their number is just what 16 bits take for something else
# networks	COUNT random ones, by a seed: extremes.sh COUNT SEED
# guest		a guest's card says of its large packets where their headers end, and lies
# lab: virtual, timeout=3600, budget=7
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../bench/schemes.sh"

eth0=/proc/network/eth0
port=6000
count=${1:-400} seed=${2:-1}
! short || [ $# -gt 0 ] || count=12

# both MTU GSO BUFFER: of both ends, the most bytes of a GSO packet, and of a socket's buffer for what it receives
#
# Below an MTU of 88 the smallest segments of TCP (48 bytes) do not fit, and IP fragments them. If
# some segments of a GSO packet are fragmented and sent, and one fails, TCP takes all of them for not
# sent. It then ignores all acknowledgements, and the connection hangs, with or without netnice. So
# there are no GSO packets then; and the path MTU that the previous network had is forgotten.
both() {
	local where segments=65535
	[ "$1" -ge 88 ] || segments=1
	for where in '' peer; do
		$where ip link set eth0 mtu "$1" gso_max_size "$2" gso_max_segs $segments || return
		$where sysctl -qw net.ipv4.tcp_rmem="4096 131072 $3" net.ipv4.tcp_wmem='4096 4000000 8000000'
		$where ip route flush cache
		$where ip -6 route flush cache
		$where ip tcp_metrics flush
	done
	# below that MTU a device has no IPv6, and loses its addresses
	[ "$1" -lt 1280 ] || { ip addr replace fd00::1/64 dev eth0 nodad; peer ip addr replace fd00::2/64 dev eth0 nodad; }
}

# upload ADDRESS BYTES MAXSEG, download ADDRESS BYTES MAXSEG; MAXSEG may be 0
upload() {
	local sink
	port=$((port + 1))
	background peer traffic sink tcp $port >"$tmp/there"
	sink=$!
	busywait 10 file_says "$tmp/there" ready
	connect "$1" "$3" send "$2" shutdown end
	stop $sink
	grep -q " bytes=$2 " "$tmp/there"
}

download() {
	local server
	port=$((port + 1))
	background peer traffic serve tcp $port --bytes "$2" >"$tmp/there"
	server=$!
	busywait 10 file_says "$tmp/there" ready
	connect "$1" "$3" receive "$2" end || { stop $server; return 1; }
}

# connect ADDRESS MAXSEG WORDS...
connect() {
	local kind=tcp4 most=()
	[[ $1 != *:* ]] || kind=tcp6
	[ "$2" -eq 0 ] || most=(set maxseg "$2")
	timeout 600 "${in_vif_prefix[@]}" "$vif" kinds socket $kind "${most[@]}" connect "$1" $port "${@:3}"
}

vif=$eth0/x

mss() {
	local tcpdump sink announced
	both 1000 65536 33554432
	echo 2m >$vif/bandwidth
	background peer tcpdump -i eth0 --immediate-mode -nn 'tcp[tcpflags] & tcp-syn != 0' >"$tmp/syn" 2>"$tmp/syn.log"
	tcpdump=$!
	busywait 10 grep -q listening "$tmp/syn.log"
	ok 'mss: a connection from here' download 10.0.0.2 200000 0
	background "${in_vif_prefix[@]}" $vif traffic sink tcp 5999 >"$tmp/here"
	sink=$!
	busywait 10 file_says "$tmp/here" ready
	ok 'mss: a connection from there' timeout 60 "${peer_prefix[@]}" traffic send tcp 10.0.0.1 5999 --bytes 200000
	stop $tcpdump $sink
	announced=$(sed -n 's/.*10[.]0[.]0[.]1.* > .*mss \([0-9]*\).*/\1/p' "$tmp/syn" | sort -n | head -1)
	note "announced: at least $announced"
	check 'mss: what is asked for is no less than each host takes' "${announced:-0} >= 536"
}

# sent_is_counted NAME: a second upload, and its packets as the peer's interface sees them
sent_is_counted() {
	local was now
	was="$(vif_stat $eth0 egress_packets) $(vif_stat $eth0 egress_bytes) $(peer_counter rx_packets) $(peer_counter rx_bytes)"
	upload fd00::2 2000000 0
	pause 0.5
	now="$(vif_stat $eth0 egress_packets) $(vif_stat $eth0 egress_bytes) $(peer_counter rx_packets) $(peer_counter rx_bytes)"
	# shellcheck disable=SC2086
	set -- "$1" $was $now
	check_eq "$1: stat is the wire's" "$(($6 - $2)) packets $(($7 - $3)) bytes" "$(($8 - $4)) packets $(($9 - $5)) bytes"
}

# a segment has 2048, 4369, 1500 and 3855 bytes
jumbo() {
	local mtu
	echo 2g >$vif/bandwidth
	echo 'egress 400kb ingress 400kb' >$vif/burst
	echo none >$vif/aqm
	echo 4000p >$vif/limit
	sysctl -qw net.ipv4.tcp_tso_win_divisor=1
	peer sysctl -qw net.ipv4.tcp_tso_win_divisor=1
	for mtu in 2120 4441 1572 3927; do
		both $mtu 200000 8000000
		ok "jumbo, MTU $mtu: sent" upload fd00::2 4000000 0
		ok "jumbo, MTU $mtu: received" download fd00::2 4000000 0
	done
	# the header that kernels take off when they cut such a packet costs nothing: whole, and in pieces
	wire_exact on
	sent_is_counted 'jumbo, whole'
	echo 'egress 40kb' >$vif/burst
	sent_is_counted 'jumbo, in pieces'
	wire_exact off
	check_eq 'jumbo: nothing is dropped' "$(vif_stat $vif egress_drops) $(vif_stat $vif ingress_drops)" '0 0'
	echo auto | tee $vif/burst $vif/aqm >$vif/limit
}

# pick VARIABLE WORD...: one of the words. Not in a subshell, whose random numbers are others.
pick() { printf -v "$1" %s "${@:2 + RANDOM % ($# - 1):1}"; }

# between VARIABLE LEAST MOST: small ones as often as large ones
between() {
	local width=$(($3 - $2 + 1)) shift=$((RANDOM % 20))
	printf -v "$1" %s $(($2 + (RANDOM << 15 | RANDOM) % width % ((width >> shift) + 1)))
}

# a network, and a transfer
draw() {
	local other
	between other 68 65535
	pick mtu 68 576 1000 1280 1500 9000 65535 "$other"
	between other 8192 524280
	pick gso 65536 200000 524280 "$other"
	pick buffer 4096 16384 131072 6291456 33554432 67108864
	pick rate 8kbit 64kbit 256kbit 1mbit 2mbit 10mbit 100mbit 1gbit 10gbit 100gbit 400gbit
	pick way upload download
	pick to 10.0.0.2 fd00::2
	[ "$mtu" -ge 1280 ] || to=10.0.0.2
	between other 88 32767
	pick maxseg 0 0 0 88 536 "$other"
	pick amount 100000 400000
	[[ $rate != *kbit ]] || amount=$((${rate%kbit} * 250))
	pick stamps 0 1
	pick sack 0 1
	pick wide 0 1 1 1
	what="MTU $mtu, GSO $gso, buffer $buffer, limit $rate, $way of $amount, $to, MAXSEG $maxseg, timestamps $stamps, SACK $sack, window scale $wide"
}

networks() {
	local i where started took mtu gso buffer rate way to maxseg amount stamps sack wide what
	RANDOM=$seed
	for ((i = 0; i < count; i++)); do
		draw
		for where in '' peer; do
			$where sysctl -qw net.ipv4.tcp_timestamps="$stamps" net.ipv4.tcp_sack="$sack" \
				net.ipv4.tcp_window_scaling="$wide"
		done
		both "$mtu" "$gso" "$buffer"
		echo "$rate" >$vif/bandwidth
		busywait 600 vif_empty $vif
		started=${EPOCHREALTIME/./}
		$way "$to" "$amount" "$maxseg" || fail "networks, $i of seed $seed: data arrive" "$what"
		took=$((${EPOCHREALTIME/./} - started))
		# headers and fragments take up to eight times as much as the data
		check "networks, $i of seed $seed: it does not hang" \
			"$took / 1000000 <= 20 + 8 * $amount * 8 / $(rate_bit "$rate")" || note "$what: $took us"
		# more than the limit is what the burst lets pass at once: a millisecond, or four frames
		check "networks, $i of seed $seed: not faster than the limit" \
			"($amount - 4 * ($mtu + 18)) * 8 <= $(rate_bit "$rate") / 1000000 * ($took + 2000)" ||
			note "$what: $took us"
	done
}

# guest_sends TYPE SIZE START BYTES COUNT: datagrams of so many bytes; sets counted, by the tap's root
# VIF, and arrived, by the peer, whose neighbours may say something, too
guest_sends() { guest_sends_by cut "$@"; }

# guest_sends_by WORD TYPE SIZE PLACE BYTES COUNT
guest_sends_by() {
	local had was
	had=$(peer_counter rx_bytes) was=$(vif_stat "$tap" ingress_bytes)
	kinds card tap0 pause 1000 times "$6" '{' "$1" "$2" "$3" "$4" "$mac" 10.0.0.9 10.0.0.2 9 "$5" '}' pause 100 ||
		return
	arrived=$(($(peer_counter rx_bytes) - had)) counted=$(($(vif_stat "$tap" ingress_bytes) - was))
	note "$1 as $2 at $3, from $4 on: $counted bytes counted, $arrived arrive"
}

# Since Linux 6.17 a guest may say where the headers inside a tunnel are.
guest_tunnels() {
	local had
	ethtool -K eth0 tx-udp_tnl-segmentation off >/dev/null
	if ! guest_sends_by nested udp 1000 42 20000 3 2>"$tmp/nested"; then
		skip 'guest, a tunnel' "$(<"$tmp/nested")"
		return
	fi
	# 20 segments of 19960 bytes, each with 82 bytes of headers
	check_eq 'guest, a tunnel: by its segments' "$counted" $((3 * (19960 + 20 * 82)))
	check 'guest, a tunnel: they arrive' "$arrived >= $counted && $arrived < $counted + 1000"
	had=$(vif_stat "$tap" ingress_drops)
	guest_sends_by nested tcp 8 400 20000 3
	check_eq 'guest, no tunnel: dropped' "$counted $(($(vif_stat "$tap" ingress_drops) - had))" '0 3'
	check 'guest, no tunnel: and does not arrive' "$arrived < 1000"
}

guest() {
	local mac arrived counted tap=/proc/network/tap0 start where
	modprobe -q tun
	ip tuntap add tap0 mode tap vnet_hdr || { skip guest 'the kernel has no taps'; return; }
	mac=$(peer_mac)
	both 1500 65536 6291456
	for where in '' peer; do
		$where sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	done
	ip link add br0 type bridge mcast_snooping 0
	ip link set eth0 master br0
	ip link set tap0 master br0
	ip link set tap0 up
	ip link set br0 up
	mkdir $tap/x
	pause 1
	# where it is, in the middle, near the end: 21 fragments, each with a header of 34 bytes
	for start in 34 2000 -1010; do
		guest_sends ufo 1000 $start 20000 3
		check_eq "guest, checksum from $start on: by its segments" "$counted" $((3 * (20042 + 20 * 34)))
		check "guest, checksum from $start on: they arrive" "$arrived >= $counted && $arrived < $counted + 1000"
	done
	guest_sends tcp 100 34 2000 3
	check_eq 'guest: what is not as it says is dropped' "$counted $(vif_stat $tap ingress_drops)" '0 3'
	check 'guest: and does not arrive' "$arrived < 1000"
	guest_tunnels
	echo 'ingress 1m' >$tap/bandwidth
	guest_sends ufo 8 -17 2000 200
	check 'guest: no more than the limit' "$arrived <= 125000 * 12 / 10 + $least_burst"
	echo max >$tap/bandwidth
	ip link del tap0
	ip link del br0
}

begin
need netnice tcpdump
setup_veth
mkdir $vif
for scenario in ${SCENARIOS:-mss jumbo networks guest}; do
	$scenario
	log_clean
done
vifs_end $vif
