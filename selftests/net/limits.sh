#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Documentation/limits.rst, line by line and in its order: what is missed is so, and is no
# more than it says there. A change to netnice by which something here is not missed any
# more changes that file.
#
# Shown elsewhere are
#
#	accepted connections, listeners		sockets, tenants
#	WireGuard, and all kinds of tunnels	tunnels
#	datagrams inside of tunnels		conservation
#	what is forwarded			forwarded
#	marks of ifb and netkit, answers	forwarded
#	what BPF redirects			redirect
#	what keeps a link alive			link
#	subflows of MPTCP, accepted SCTP	sockets
#	how sockets are looked for		bounds, sockets, neighbour
#	what a program gives back (NFQUEUE)	sockets
#	datagrams that several sockets receive	sockets
#	sockets of several processes		owners
#	how many sockets are remembered		tenants
#	what waits and is attached elsewhere	owners, order
#	L4S, link layers			l4s, linklayer
#	containers that a program connects	engines
#	qdisc mode				qdisc
#	forks without memory			faults
#	sockets that no process has open	escapes, relay
#
# Not shown, as no guest has them: PPPoE, L2TP over IP, macvtap with vhost-net, busy polling.
#
# The judge is the peer's end of the wire. A result is what was sent, and received, as
# VIF/TREE/WIRE: packets of the VIF, of the device's whole tree, and on the wire.
# lab: virtual, check=new, budget=31

# shellcheck disable=SC2001

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cells.sh"

# a process of the VIF has this port, and nothing else
port=7000
mac=

# --- the judge ----------------------------------------------------------------------------

# look: packets so far: sent by the VIF, the tree, the wire; received
look() {
	local counted v
	count_vif "$vif"
	v=("${counted[@]}")
	count_vif "$root"
	seen=("${v[0]}" "${counted[0]}" 0 "${v[2]}" "${counted[2]}" 0)
	count_wire
	seen[2]=${counted[0]} seen[5]=${counted[2]}
}

# packets COMMAND...: got is what it has on the wire
packets() {
	local before seen i
	look
	before=("${seen[@]}")
	"$@"
	busywait 20 cell_settled
	look
	for i in 0 1 2 3 4 5; do seen[i]=$((seen[i] - before[i])); done
	got="sent ${seen[0]}/${seen[1]}/${seen[2]}, received ${seen[3]}/${seen[4]}/${seen[5]}"
}

# missed NAME SENT RECEIVED COMMAND...
missed() {
	local got
	packets "${@:4}"
	check_eq "$1" "$got" "sent $2, received $3"
}

# sends COUNT: a process of the VIF does, by a socket of its own
sends() { in_vif "$vif" kinds socket udp4 connect 10.0.0.2 9009 times "$1" '{' send 1000 '}'; }

# peer_sends COUNT [PORT [WORD...]]
peer_sends() { peer kinds socket udp4 "${@:3}" connect 10.0.0.1 "${2-$port}" times "$1" '{' send 1000 '}'; }

both() {
	sends 10
	peer_sends 10
}

# --- not seen at all ------------------------------------------------------------------------

af_xdp() {
	# on the other side: the kernel takes a moment to let go of this one
	if ! peer kinds xsk eth0 1 "$mac" 10.0.0.1 10.0.0.2 9009 1000 2>"$tmp/xsk"; then
		skip 'AF_XDP' "$(cat "$tmp/xsk")"
		return
	fi
	missed 'AF_XDP' 0/0/10 0/0/0 in_vif "$vif" kinds xsk eth0 10 "$mac" 10.0.0.1 10.0.0.2 9009 1000
}

# by a dummy, as a veth may have none
netpoll() {
	local tree wire
	modprobe -q dummy numdummies=0
	ip link add log type dummy || return
	ip addr add 10.8.0.1/24 dev log
	ip link set log up
	mkdir /proc/network/log/used
	if modprobe -q netconsole netconsole=6665@10.8.0.1/log,6666@10.8.0.2/02:00:00:00:00:01; then
		pause 0.5
		tree=$(vif_stat /proc/network/log egress_packets)
		wire=$(</sys/class/net/log/statistics/tx_packets)
		echo '<1>a line for netconsole' >/dev/kmsg
		pause 0.5
		check_eq 'netpoll: packets that the device has sent, and the tree has seen' \
			"$(($(</sys/class/net/log/statistics/tx_packets) - wire)) $(($(vif_stat /proc/network/log egress_packets) - tree))" '1 0'
		rmmod netconsole
	else
		skip 'netpoll' 'there is no netconsole'
	fi
	ip link del log
}

# by a packet socket past the qdisc
bypasses() { in_vif "$vif" kinds socket packet set bypass 1 times 10 '{' sendto "$mac" eth0 1000 '}'; }

qdisc_bypass() {
	missed 'PACKET_QDISC_BYPASS is seen' 10/10/10 0/0/0 bypasses
	tc qdisc add dev eth0 root netnice
	missed 'PACKET_QDISC_BYPASS in qdisc mode' 0/0/10 0/0/0 bypasses
	tc qdisc del dev eth0 root
}

# each that waits is said to be lost, and is not
enobufs() {
	local before
	before=$(vif_stat "$vif" egress_overlimits)
	echo 'egress 1m' >"$vif/bandwidth"
	missed 'PACKET_QDISC_BYPASS, limited: nothing is lost' 10/10/10 0/0/0 \
		in_vif "$vif" strace -qq -o "$tmp/calls" -e trace=sendto \
		kinds socket packet set bypass 1 times 10 '{' sendto "$mac" eth0 1000 '}'
	echo max >"$vif/bandwidth"
	check_eq 'ENOBUFS, as often as a packet waits' "$(grep -c ENOBUFS "$tmp/calls")" \
		"$(($(vif_stat "$vif" egress_overlimits) - before))"
	check "which is $(grep -c ENOBUFS "$tmp/calls") times" "$(grep -c ENOBUFS "$tmp/calls") > 3"
}

redirects() {
	local program
	ip link add side type veth peer name aside
	ip link set side up
	ip link set aside up
	tc qdisc add dev eth0 clsact
	tc filter add dev eth0 ingress matchall action mirred egress redirect dev side
	missed 'redirected by tc at ingress' 0/0/0 0/0/10 peer_sends 10
	tc qdisc del dev eth0 clsact
	background kinds xdp-redirect eth0 side say ready pause 1000000 >"$tmp/redirects"
	program=$!
	busywait 5 file_says "$tmp/redirects" ready
	missed 'redirected by XDP' 0/0/0 0/0/10 peer_sends 10
	stop $program
	ip link del side
	background kinds xdp-return eth0 say ready pause 1000000 >"$tmp/returns"
	program=$!
	busywait 5 file_says "$tmp/returns" ready
	missed 'sent back by XDP' 0/0/10 0/0/10 peer_sends 10
	stop $program
}

aside_sends() { kinds socket packet times 10 '{' sendto "$mac" aside 1000 '}'; }

# to its egress: the hook is skipped, the qdisc is not
redirects_out() {
	ip link add side type veth peer name aside
	ip link set side up
	ip link set aside up
	tc qdisc add dev side clsact
	tc filter add dev side ingress matchall action mirred egress redirect dev eth0
	missed 'redirected by tc to its egress' 0/0/10 0/0/0 aside_sends
	tc qdisc add dev eth0 root netnice
	missed 'redirected by tc to its egress, in qdisc mode' 0/10/10 0/0/0 aside_sends
	ln -s "$vif" /proc/network/devices/side/
	missed 'the same, received by an attached device' 10/10/10 0/0/0 aside_sends
	tc qdisc del dev eth0 root
	ip link del side
}

# What a container sends to the peer. The first two packets of a flow go the usual way: the
# second one has it enter the table, where those that follow are found before they are seen at
# the container's device. On eth0 they are what that device has received.
flowtable() {
	local prefix=(nsenter --net=/run/netns/box --) before got
	if ! modprobe -q nft_flow_offload; then
		skip 'flow tables' 'the kernel has none'
		return
	fi
	ip netns add box
	ip link add box type veth peer name eth0 netns box
	"${prefix[@]}" nft "$cell_silence"
	"${prefix[@]}" ip addr add 10.2.0.2/24 dev eth0
	"${prefix[@]}" ip link set eth0 up
	ip addr add 10.2.0.1/24 dev box
	ip link set box up
	"${prefix[@]}" ip route add default via 10.2.0.1
	sysctl -qw net.ipv4.ip_forward=1
	ethtool -K box gro off
	nft 'table ip shortcut { flowtable f { hook ingress priority 0; devices = { box, eth0 }; }
		chain c { type filter hook forward priority 0; meta l4proto udp flow add @f; }; }'
	mkdir /proc/network/box/used
	ln -s "$vif" /proc/network/devices/box/
	# both know each other's address then
	"${prefix[@]}" ping -q -c 1 10.2.0.1 >/dev/null
	pause 1
	before=$(vif_stat /proc/network/box ingress_packets)
	missed 'flow table: seen where it is sent' 10/10/10 0/0/0 \
		"${prefix[@]}" kinds socket udp4 connect 10.0.0.2 9009 times 10 '{' send 1000 '}'
	check_eq 'flow table: all but two not where it is received' \
		$(($(vif_stat /proc/network/box ingress_packets) - before)) 2
	nft delete table ip shortcut
	ip netns del box
}

# --- a connection from before --------------------------------------------------------------

# Nothing on eth0 is used when it is requested; accepted it is two seconds later.
requested_before() {
	local server words="send 1000 pause 2000 times 10 { send 100 pause 100 } pause 4000"
	background kinds socket tcp4 bind 0.0.0.0 7400 listen 4 say ready pause 2000 accept receive 2000 pause 5000 >"$tmp/server"
	server=$!
	busywait 5 file_says "$tmp/server" ready
	# shellcheck disable=SC2086
	background peer kinds socket tcp4 connect 10.0.0.1 7400 say connected pause 1000 $words >"$tmp/client"
	busywait 5 file_says "$tmp/client" connected
	mkdir "$vif"
	echo $server >"$vif/tasks"
	missed 'requested before the tree was used, not accepted' 0/1/1 0/1/1 pause 1.2
	missed 'the same when it is accepted: the first packet' 9/10/10 9/10/10 pause 3
	wait $! $server
	busywait 5 rmdir "$vif"
}

# --- sent, not as the process's -------------------------------------------------------------

forget() { ip neigh del 10.0.0.2 dev eth0; }

forgets_and_sends() {
	forget
	sends 3
}

# a socket that has been used before
forgets_while_sending() {
	in_vif "$vif" kinds socket udp4 connect 10.0.0.2 9009 send 1000 pause 200 times 3 '{' send 1000 '}' &
	pause 0.1
	forget
	wait $!
}

# what was asked, and answered, is counted, too
unresolved() {
	missed 'a neighbour is not resolved: the first datagram' 2/4/4 0/1/1 forgets_and_sends
	cell_neighbours 10.0.0.1 10.0.0.2
	missed 'a neighbour is not resolved, of a socket in use: nothing' 4/5/5 0/1/1 forgets_while_sending
	cell_neighbours 10.0.0.1 10.0.0.2
}

no_socket() {
	missed 'RST to no socket' 0/1/1 0/1/1 peer kinds socket tcp4 refused 10.0.0.1 7999
	missed 'ICMP by the kernel' 0/1/1 0/1/1 peer kinds socket udp4 connect 10.0.0.1 7999 send 100 error
}

# The peer only hears that.
rxrpc() {
	local got
	if ! modprobe -q rxrpc; then
		skip 'AF_RXRPC' 'the kernel has none'
		return
	fi
	packets in_vif "$vif" kinds rxrpc 10.0.0.2 9009 500 pause 300
	check "AF_RXRPC: $got" "$(sed 's,sent 0/\([0-9]*\)/\1\,.*,\1,' <<<"$got") > 0"
}

# a process of the VIF, when the qdisc of a device above has something waiting already
sends_above() {
	kinds socket udp4 connect 10.3.0.2 9009 times 20 '{' send 1000 '}'
	in_vif "$vif" kinds socket udp4 connect 10.3.0.2 9009 times 20 '{' send 1000 '}' pause 1000
}

# A timer sends them: whose the socket is has to be known from before.
qdisc_above() {
	add_vlan top 10.3.0
	tc qdisc add dev top root tbf rate 1mbit burst 2k limit 1m
	missed 'a qdisc above that shapes' 0/40/40 0/0/0 sends_above
	mkdir /proc/network/top/used
	missed 'a qdisc above that shapes, and has VIFs' 20/40/40 0/0/0 sends_above
	del_both top
}

macvlan_moved() {
	local prefix=(nsenter --net=/run/netns/box --)
	ip netns add box
	ip link add link eth0 name moved type macvlan mode bridge
	ip link set moved netns box
	"${prefix[@]}" nft "$cell_silence"
	"${prefix[@]}" ip addr add 10.0.0.5/24 dev moved
	"${prefix[@]}" ip link set moved up
	"${prefix[@]}" ip neigh replace 10.0.0.2 dev moved nud permanent lladdr "$mac"
	peer ip neigh replace 10.0.0.5 dev eth0 nud permanent \
		lladdr "$("${prefix[@]}" ip -o link show dev moved | sed 's/.*ether \([^ ]*\).*/\1/')"
	background peer kinds socket udp4 bind 0.0.0.0 9010 say ready times 10 '{' answer '}' >"$tmp/answers"
	busywait 5 file_says "$tmp/answers" ready
	missed 'a macvlan of another namespace' 0/10/10 0/10/10 \
		in_vif "$vif" "${prefix[@]}" kinds socket udp4 connect 10.0.0.2 9010 times 10 '{' send 100 receive 100 '}'
	wait $!
	peer ip neigh del 10.0.0.5 dev eth0
	ip netns del box
}

# --- received -------------------------------------------------------------------------------

# One that no process attached had when it was looked for is handed to one, and receives a
# packet in each tenth of a second.
handed_over() {
	local holder got mine
	background kinds pair fork '{' write "$vif/tasks" 0 hear 1 pause 5000 '}' \
		socket udp4 bind 0.0.0.0 7100 say ready pause 500 pass 0 say passed wait >"$tmp/holder"
	holder=$!
	busywait 5 file_says "$tmp/holder" ready
	peer_sends 1 7100
	busywait 5 file_says "$tmp/holder" passed
	packets peer kinds socket udp4 connect 10.0.0.1 7100 times 20 '{' send 1000 pause 100 '}'
	mine=$(sed 's,.*received \([0-9]*\)/20/20,\1,' <<<"$got")
	check "a socket without a process, for a second: $got" "$mine >= 12 && $mine <= 17"
	wait $holder
}

# peer_delays MATCH TIME: what matches goes out later; peer_hurries
peer_delays() {
	local word match=()
	for word in $1; do match+=("$word"); done
	peer tc qdisc add dev eth0 root handle 1: prio priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	peer tc qdisc add dev eth0 parent 1:3 netem delay "$2" limit 100000
	peer tc filter add dev eth0 parent 1: protocol ip prio 1 u32 "${match[@]}" flowid 1:3
}
peer_hurries() { peer tc qdisc del dev eth0 root; }

# peer_sends_large COUNT: 2000 bytes are two fragments
peer_sends_large() { peer kinds socket udp4 set tos 16 connect 10.0.0.1 $port times "$1" '{' send 2000 '}'; }

# more flows than are remembered; of another address, so that no identifier is used twice
others() {
	peer ip addr add 10.0.0.3/32 dev eth0
	peer ip route add 10.0.0.1/32 dev eth0 src 10.0.0.3
	peer traffic send udp 10.0.0.1 $port --size 2000 --bytes $((2000 * others)) >/dev/null
	peer ip addr del 10.0.0.3/32 dev eth0
}
others=12000

large_and_others() {
	peer_sends_large 20
	others
}

# not_found COUNT: of so many packets that came later than the others, those not the VIF's
not_found() {
	local all mine
	all=$(sed 's,.*/\([0-9]*\)$,\1,' <<<"$got")
	mine=$(sed 's,.*received \([0-9]*\)/.*,\1,' <<<"$got")
	[ "$all" = $((2 * others + $1)) ] && echo $((all - mine))
}

fragments() {
	local got lost
	missed 'fragments' 0/0/0 40/40/40 peer_sends_large 20
	# the first one has no offset, and others behind it
	peer_delays 'match u16 0x2000 0x3fff at 6' 100ms
	missed 'fragments before the first of their datagram' 0/0/0 20/40/40 peer_sends_large 20
	peer_hurries
	# the second one begins at 1480 bytes, 185 times 8
	peer_delays 'match u16 185 0x1fff at 6 match u8 16 0xff at 1' 2s
	settle=3
	# so many that some have hashes that are alike
	missed 'fragments long after the first' 0/0/0 200/200/200 peer_sends_large 100
	packets large_and_others
	settle=0.3
	peer_hurries
	lost=$(not_found 40)
	check "fragments after $others others: $lost of 20 are missed" "$lost >= 15 && $lost <= 20"
}

asks() { in_vif "$vif" kinds times 20 '{' fork '{' socket ping4 connect 10.0.0.2 0 ping 1 '}' '}' wait; }

asks_and_others() {
	asks &
	pause 0.5
	others
	wait $!
}

answers() {
	local got lost
	peer_delays 'match ip protocol 1 0xff' 2s
	settle=3
	missed 'ICMP echo, answers' 20/20/20 20/20/20 asks
	packets asks_and_others
	settle=0.3
	peer_hurries
	lost=$(not_found 20)
	check "ICMP echo, answers after $others other flows: $lost of 20 are missed" "$lost >= 15 && $lost <= 20"
}

pings() { peer ping -q -c 3 -i 0.2 10.0.0.1 >/dev/null; }

raw_unasked() {
	background kinds socket raw4 bind 0.0.0.0 0 say ready pause 3000 >"$tmp/raw"
	busywait 5 file_says "$tmp/raw" ready
	echo $! >"$vif/tasks"
	missed 'raw, not asked for' 0/0/0 0/10/10 peer kinds socket raw4 connect 10.0.0.1 0 times 10 '{' send 100 '}'
	stop $!
	missed 'ICMP echo, not asked for' 0/3/3 0/3/3 pings
}

translated() {
	nft "table ip translate { chain c { type nat hook prerouting priority -100; udp dport 7200 dnat to 10.0.0.1:$port; }; }"
	missed 'an address is translated' 0/0/0 0/10/10 peer_sends 10 7200
	nft delete table ip translate
}

transparent() {
	ip rule add fwmark 1 lookup 100
	ip route add local default dev lo table 100
	nft 'table ip divert { chain c { type filter hook prerouting priority -150;
		udp dport 7300 tproxy to :7301 meta mark set 1; }; }'
	background kinds socket udp4 set transparent 1 bind 0.0.0.0 7301 say ready times 20 '{' receive 1000 '}' >"$tmp/proxy"
	busywait 5 file_says "$tmp/proxy" ready
	echo $! >"$vif/tasks"
	missed 'TPROXY to another port' 0/0/0 0/10/10 peer_sends 10 7300
	echo 'ingress 1m' >"$root/bandwidth"
	before=$(vif_stat "$root" ingress_overlimits)
	missed 'TPROXY, limited' 0/0/0 0/10/10 peer_sends 10 7300
	check "TPROXY: they wait" "$(vif_stat "$root" ingress_overlimits) > $before + 3"
	echo max >"$root/bandwidth"
	ok 'TPROXY: all arrive' wait $!
	nft delete table ip divert
	ip rule del fwmark 1
	ip route del local default dev lo table 100
}

# down NAME COMMAND...: in the 16th folder of that name, each in the one before
down() {
	local i
	for i in {1..16}; do cd -P "$1" || return; done
	"${@:2}"
}

# of 16 names with 240 characters each, and a slash before it
long_path() {
	local name
	name=$(printf '%0240d' 0)
	(cd /sys/fs/cgroup && mkdir -p "$(printf "$name/%.0s" {1..16})" && down "$name" mkdir "$name")
	ok 'a control group, whose path has 3856 characters' \
		eval "(cd /proc/network/cgroups && down $name ln -s $vif .)"
	fails 'and one below, of 4097' eval "(cd /proc/network/cgroups && down $name ln -s $vif $name/)"
	find "/sys/fs/cgroup/$name" -depth -type d -delete
}

# --- waiting --------------------------------------------------------------------------------

# what a BPF program has assigned to the socket on 7000 passes a limit
assigned() {
	local before
	background kinds assign eth0 10.0.0.1 $port say ready pause 1000000 >"$tmp/assigns" 2>&1
	busywait 5 file_says "$tmp/assigns" ready || { skip 'assigned by BPF' "$(cat "$tmp/assigns")"; return; }
	echo 'ingress 1m' >"$vif/bandwidth"
	before=$(vif_stat "$vif" ingress_overlimits)
	missed 'assigned by BPF: counted' 0/0/0 10/10/10 peer_sends 10
	check_eq 'assigned by BPF: nothing waits' "$(vif_stat "$vif" ingress_overlimits)" "$before"
	stop $!
	missed 'not assigned' 0/0/0 10/10/10 peer_sends 10
	check 'not assigned: most wait' "$(vif_stat "$vif" ingress_overlimits) > $before + 3"
	echo max >"$vif/bandwidth"
}

generic_xdp() {
	local before program waited
	echo 'ingress 100k' >"$vif/bandwidth"
	before=$(vif_stat "$vif" ingress_overlimits)
	# it goes when this is told
	mkfifo "$tmp/xdp"
	peer_sends 10
	: >"$tmp/seen"
	kinds xdp eth0 say ready read xdp-seen <>"$tmp/xdp" >"$tmp/seen" &
	program=$!
	busywait 5 file_says "$tmp/seen" ready
	waited=$(($(vif_stat "$vif" ingress_overlimits) - before))
	check 'a generic XDP program comes when some wait' "$waited > 3"
	before=$(vif_stat "$vif" ingress_overlimits)
	peer_sends 10
	check_eq 'generic XDP: nothing waits' "$(vif_stat "$vif" ingress_overlimits)" "$before"
	busywait 20 cell_settled
	pause 2
	echo >"$tmp/xdp"
	wait $program
	check_eq 'generic XDP: it sees each once, those that waited as well' "$(tail -n 1 "$tmp/seen")" "$((10 + waited))"
	fails 'generic XDP: a limit is refused' eval "kinds xdp eth0 write $vif/bandwidth 'ingress 200k'"
	echo max >"$vif/bandwidth"
}

# What it passes, the driver makes packets of: they are like any other.
native_xdp() {
	local before program
	before=$(vif_stat "$vif" ingress_overlimits)
	background kinds xdp-native eth0 say ready pause 1000000 >"$tmp/native"
	program=$!
	busywait 5 file_says "$tmp/native" ready
	echo 'ingress 1m' >"$vif/bandwidth"
	missed 'native XDP: counted' 0/0/0 10/10/10 peer_sends 10
	check 'native XDP: they wait' "$(vif_stat "$vif" ingress_overlimits) > $before + 3"
	stop $program
	echo max >"$vif/bandwidth"
}

# As many as packets, and one more for each that waits.
stamps() {
	local before waited
	before=$(vif_stat "$vif" egress_overlimits)
	check_eq 'TX_SCHED: given once' "$(stamped)" 10
	echo 'egress 1m' >"$vif/bandwidth"
	got=$(stamped)
	waited=$(($(vif_stat "$vif" egress_overlimits) - before))
	check_eq "TX_SCHED: given twice to $waited of 10 packets, which waited" "$got" $((10 + waited))
	check 'most of them did' "$waited > 3"
	echo max >"$vif/bandwidth"
}

# SOF_TIMESTAMPING_TX_SCHED, _SOFTWARE, _OPT_TSONLY
stamped() {
	in_vif "$vif" kinds socket udp4 connect 10.0.0.2 9009 set timestamping 2320 \
		times 10 '{' send 1000 '}' pause 500 stamps
}

# Packet sockets alone read them.
other_hosts() {
	missed 'frames for another host' 0/0/0 0/0/10 \
		peer kinds socket packet times 10 '{' sendto 02:00:00:00:00:77 eth0 1000 '}'
}

# red_counts NAME SENT RECEIVED COMMAND...: packets of the VRF's own tree
red_counts() {
	local before was
	before=$(vif_stat /proc/network/red egress_packets) was=$(vif_stat /proc/network/red ingress_packets)
	"${@:4}"
	pause 0.1
	check_eq "$1: the VRF's own VIFs" \
		"$(($(vif_stat /proc/network/red egress_packets) - before)) $(($(vif_stat /proc/network/red ingress_packets) - was))" "$2 $3"
}

red_both() {
	kinds socket udp4 device red connect 10.0.0.2 9009 times 10 '{' send 1000 '}'
	peer_sends 10 7200
}

vrf() {
	local receiver
	ip link add red type vrf table 10 || { skip 'VRF' 'there is none'; return; }
	ip link set red up
	ip link set eth0 master red
	mkdir /proc/network/red/used
	background kinds socket udp4 device red bind 0.0.0.0 7200 say ready pause 1000000 >"$tmp/red"
	receiver=$!
	busywait 5 file_says "$tmp/red" ready
	red_counts 'VRF' 0 0 red_both
	check_eq 'VRF: that is said' "$(netnice -b 1m -i red true 2>&1; vifctl attach red/used process $$ 2>&1; echo $?; vifctl detach red/used all)" \
		"$(printf '%s: red: packets of a VRF pass through its ports only: limit them there\n' netnice vifctl)"$'\n3'
	tc qdisc add dev red root netnice
	red_counts 'VRF, in qdisc mode' 10 0 red_both
	check_eq 'VRF, in qdisc mode: nothing is said' "$(netnice -b 1m -i red true 2>&1)" ''
	stop $receiver
	ip link del red
}

begin
cells_setup
mac=$(peer_mac)
ip link set lo up
background peer traffic sink udp 9009 >/dev/null
requested_before
mkdir "$vif"
silent_socket $port
echo "$silent" >"$vif/tasks"
missed 'what is not missed' 10/10/10 10/10/10 both
for group in ${GROUPS_OF_LIMITS-af_xdp netpoll qdisc_bypass enobufs redirects redirects_out flowtable \
	unresolved no_socket rxrpc qdisc_above macvlan_moved \
	handed_over fragments answers raw_unasked translated transparent long_path \
	assigned generic_xdp native_xdp stamps other_hosts vrf}; do
	$group
done
log_clean
