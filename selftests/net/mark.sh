#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, budget=17
#
# What a VIF writes to the packets that it sends: dscp, mark and skb_priority. Each packet of
# a command is counted where it arrives, or behind us: so many of all have what they should.
#
# values	what is refused, and how values are shown
# sent		IPv4, IPv6, UDP, TCP, large packets, those that wait; ECN's bits and checksums stay
# inherited	by VIFs below, from the nearest, or who forces it; they move, and come later
# behind	mark and priority are what the device's qdisc sees
# ahead		the firewall and routing have been before, but for a tunnel's
# chosen	the VIF is one that a program says
# link		qdisc mode, where tc has no last word
# rights	what users may set
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/refusals.sh"

# shown FILE TEXT AS [ALONE]: it is shown so, and what is shown may be written
shown() {
	ok "$1: '$2'" set_to "$a/$1" "$2"
	check_eq "$1: '$2' is" "$(<"$a/$1")" "egress $3"
	ok "$1: '$3' again" set_to "$a/$1" "egress $3"
	check_eq "$1: '$3' is" "$(<"$a/$1")" "egress $3"
}

values() {
	local file
	remember
	bad dscp "^dscp: '.+' is not a DSCP: use a whole number from 0 to 63, or one of cs0" x cs8 cs af10 af14 af51 -1 \
		0x 01 'ef cs1' 'ef forced' 'none none' force 'force ef' 'ingress ef' 'egress ingress' 46/63
	bad dscp "^dscp: '.+' is out of range for a DSCP" 64 0x40 4294967296 99999999999999999999
	bad mark "^mark: '.+' is not a mark: use VALUE, or VALUE/MASK" x -1 1/ /1 1/2/3 '1 /2' 0x 0xg 1/x 07 'ingress 1' 'none none'
	bad mark "^mark: '.+' is out of range for a mark" 1/0 2/1 4294967296 0x100000000 1/0x100000000
	bad skb_priority "^skb_priority: '.+' is not a priority of packets: use a whole number of 32 bits" x -1 1/2 1:2 'ingress 1'
	bad skb_priority "^skb_priority: '.+' is out of range .* but not 7" 4294967296 7 0x7 '7 force'
	for file in dscp mark skb_priority; do
		bad $file "^$file: a value is missing" '\n' egress
		bad $file "^$file: '.+' is unexpected: use VALUE, egress VALUE\$" '1 force 2' 'egress 1 egress 2' '1 egress 2'
		check_eq "$file: the default" "$(<$a/$file)" 'egress none'
	done
	still values
	shown dscp 0 cs0
	shown dscp 46 ef
	shown dscp 'AF21 Force' 'af21 force'
	shown dscp 'egress\t0x3f' 0x3f
	shown dscp le le
	shown mark 15 15
	shown mark '0xffffffff force' '0xffffffff force'
	shown mark 0x10/0x1F0 0x10/0x1f0
	shown mark '0/1 force' '0/1 force'
	shown skb_priority 0 0
	shown skb_priority 8 8
	shown skb_priority 0x10020 0x10020
	for file in dscp mark skb_priority; do
		shown $file 'none force' 'none force'
		shown $file none none
	done
}

# arrives NAME PACKETS EXPRESSION COMMAND...: all PACKETS (nft's words) of a command are so in a
# chain, which drops datagrams: unless a caller says another one, at the peer
nft=(peer nft) chain='inet seen c' fate=drop
arrives() {
	local name=$1 packets=$2 expression=$3 n
	shift 3
	[[ $packets != tcp* ]] || local fate=''
	"${nft[@]}" "flush chain $chain; add rule $chain $packets $expression counter;
		add rule $chain $packets counter $fate" || { fail "$name"; return; }
	"$@" >/dev/null 2>&1
	busywait 10 vif_empty $eth0
	mapfile -t n < <("${nft[@]}" "list chain $chain" | sed -n 's/.*packets \([0-9]*\).*/\1/p')
	check "$name: ${n[0]} of ${n[1]} packets" "${n[1]} > 0 && ${n[0]} == ${n[1]}"
}

# udp ADDRESS [WORD...]: ten datagrams
udp() { traffic send udp "$1" 9 --bytes 1000 --size 100 "${@:2}"; }
export -f udp
from() { in_vif "$1" bash -c '"$@"' - "${@:2}"; }

sent() {
	echo ef >$a/dscp
	arrives 'UDP, IPv4' 'udp dport 9' 'ip dscp ef ip ecn not-ect' from $a udp 10.0.0.2
	arrives 'UDP, IPv6' 'udp dport 9' 'ip6 dscp ef ip6 ecn not-ect' from $a udp fd00::2
	arrives 'ECN stays, IPv4' 'udp dport 9' 'ip dscp ef ip ecn ect1' from $a udp 10.0.0.2 --tos 0x21
	arrives 'ECN stays, IPv6' 'udp dport 9' 'ip6 dscp ef ip6 ecn ect0' from $a udp fd00::2 --tos 0x22
	arrives 'UDP in large packets' 'udp dport 9' 'ip dscp ef' from $a traffic send udp 10.0.0.2 9 --bytes 10000 --size 5000 --segment 1000
	arrives 'fragments' 'ip saddr 10.0.0.1' 'ip dscp ef' from $a traffic send udp 10.0.0.2 9 --bytes 4000 --size 4000
	arrives 'others have none' 'udp dport 9' 'ip dscp cs0' udp 10.0.0.2
	background peer traffic sink tcp 9001
	pause 0.5
	arrives 'TCP' 'tcp dport 9001' 'ip dscp ef' from $a traffic send tcp 10.0.0.2 9001 --bytes 1m
	check "TCP: in large packets: $(peer nft list chain inet seen c | sed -n 's/.*packets \([0-9]*\).*/\1/p' | tail -n 1)" \
		"$(peer nft list chain inet seen c | sed -n 's/.*packets \([0-9]*\).*/\1/p' | tail -n 1) < 500"
	echo '100mbit' >$a/bandwidth
	background peer traffic sink tcp 9002
	pause 0.5
	arrives 'TCP that waits, and is cut' 'tcp dport 9002' 'ip dscp ef' from $a traffic send tcp 10.0.0.2 9002 --bytes 1m
	check 'it waited' "$(vif_stat $a egress_overlimits) > 0"
	echo max >$a/bandwidth
	checksums
	echo none >$a/dscp
	arrives 'none any more' 'udp dport 9' 'ip dscp cs0' from $a udp 10.0.0.2
}

# computed by us, and not by the device
checksums() {
	ethtool -K eth0 tx off >/dev/null 2>&1
	background peer tcpdump -i eth0 --immediate-mode -nn -vv 'udp dst port 9' >"$tmp/capture" 2>"$tmp/log"
	busywait 20 file_says "$tmp/log" listening
	from $a udp 10.0.0.2 >/dev/null
	from $a udp fd00::2 >/dev/null
	busywait 10 eval "[ \$(grep -c 'udp sum ok' $tmp/capture) = 20 ]"
	stop $!
	check_eq 'checksums of UDP are right' "$(grep -c 'udp sum ok' "$tmp/capture")" 20
	check_eq 'none is wrong' "$(grep -c 'bad' "$tmp/capture")" 0
	check_eq 'they have the DSCP' "$(grep -Ec 'tos 0xb8|class 0xb8' "$tmp/capture")" 20
	ethtool -K eth0 tx on >/dev/null 2>&1
}

# has VIF DSCP: what it sends
has() { arrives "$1: ${2}" 'udp dport 9' "ip dscp $2" from "$eth0${1:+/$1}" udp 10.0.0.2; }

inherited() {
	mkdir $a/x $eth0/b
	echo cs1 >$eth0/dscp
	has '' cs1
	arrives 'packets of no VIF' 'icmp type echo-reply' 'ip dscp cs1' peer ping -q -c 3 -i 0.1 10.0.0.1
	has a/x cs1
	echo ef >$a/x/dscp
	has a/x ef
	has a cs1
	echo af21 >$a/dscp
	has a/x ef
	echo 'af21 force' >$a/dscp
	has a/x af21
	echo 'cs2 force' >$eth0/dscp
	has a/x cs2
	echo 'cs2' >$eth0/dscp
	has a/x af21
	has b cs2
	mkdir $a/later $a/later/y
	has a/later/y af21
	mv $a/x $eth0/b/
	has b/x ef
	mv $a/later $eth0/b/
	has b/later/y cs2
	echo none >$eth0/dscp
	has b/later/y cs0
	echo none >$a/dscp
	rmdir $eth0/b/later/y $eth0/b/later $eth0/b/x $eth0/b
}

# packets HANDLE: that the qdisc of this handle has sent
packets() { tc -s qdisc show dev eth0 | awk -v handle="$1:" '$3 == handle { getline; print $4 }'; }

# goes NAME HANDLE COMMAND...: ten packets of it by that qdisc
goes() {
	local name=$1 handle=$2 before
	before=$(packets "$handle")
	shift 2
	"$@" >/dev/null
	busywait 10 vif_empty $eth0
	check_eq "$name" $(($(packets "$handle") - before)) 10
}

# by_mark NAME WORD...: a filter that has what is marked 7 go to 1:3
by_mark() {
	local name=$1
	ok "$name" tc filter add dev eth0 parent 1: protocol ip "${@:2}" classid 1:3
	goes "$name: no mark" 20 from $a udp 10.0.0.2
	echo 7 >$a/mark
	goes "$name: a mark" 30 from $a udp 10.0.0.2
	echo 1mbit >$a/bandwidth
	goes "$name: a mark of what waits" 30 from $a udp 10.0.0.2
	echo max >$a/bandwidth
	echo 4/0xc >$a/mark
	goes "$name: other bits" 20 from $a udp 10.0.0.2
	goes "$name: some bits of a mark" 30 from $a ping -q -c 10 -i 0.1 -m 3 10.0.0.2
	echo none >$a/mark
	tc filter del dev eth0 parent 1:
}

behind() {
	ok 'a qdisc of classes' tc qdisc add dev eth0 root handle 1: prio
	tc qdisc add dev eth0 parent 1:1 handle 10: pfifo
	tc qdisc add dev eth0 parent 1:2 handle 20: pfifo
	tc qdisc add dev eth0 parent 1:3 handle 30: pfifo
	by_mark bpf bpf bytecode '4,32 0 0 4294963220,21 0 1 7,6 0 0 4294967295,6 0 0 0'
	if modprobe -q cls_fw; then
		by_mark fw handle 7 fw
	else
		skip fw 'the kernel has no such filter'
	fi
	echo 6 >$a/skb_priority
	goes 'a priority' 10 from $a udp 10.0.0.2
	echo 0x10003 >$a/skb_priority
	goes 'a class' 30 from $a udp 10.0.0.2
	echo none >$a/skb_priority
	goes 'none' 20 from $a udp 10.0.0.2
	tc qdisc del dev eth0 root
}

ahead() {
	echo 7 >$a/mark
	echo ef >$a/dscp
	echo 1mbit >$a/bandwidth
	ok 'a firewall' nft 'table inet own { chain c { type filter hook postrouting priority 300; }; }
		table netdev own { chain c { type filter hook egress device eth0 priority 300; }; }'
	fate='' nft=(nft)
	for chain in 'inet own c' 'netdev own c'; do
		arrives "${chain%% *}: it sees none" 'udp dport 9' 'meta mark 0 ip dscp cs0' from $a udp 10.0.0.2
	done
	chain='inet seen c' fate=drop nft=(peer nft)
	nft 'delete table inet own; delete table netdev own'
	ip addr add 10.0.0.9/24 dev eth0
	ip route add 10.0.0.2 dev eth0 src 10.0.0.9 table 7
	ok 'a rule of routing' ip rule add fwmark 7 lookup 7
	arrives 'it sees a mark of the socket' 'icmp type echo-request' 'ip saddr 10.0.0.9' ping -q -c 3 -i 0.1 -W 1 -m 7 10.0.0.2
	arrives 'it sees none of a VIF' 'udp dport 9' 'ip saddr 10.0.0.1 ip dscp ef' from $a udp 10.0.0.2
	tunnel
	ip rule del fwmark 7
	ip addr del 10.0.0.9/24 dev eth0
	echo max >$a/bandwidth
	echo none >$a/dscp
	echo none >$a/mark
}

# 100 bytes are 158 with the headers inside, VXLAN's, and UDP's
tunnel() {
	ok 'a tunnel' ip link add x0 up type vxlan id 5 remote 10.0.0.2 dstport 4789
	ip addr add 10.7.0.1/24 dev x0
	ip neigh add 10.7.0.2 lladdr 02:00:00:00:00:02 dev x0
	arrives 'a tunnel, without a mark' 'udp dport 4789 udp length 158' 'ip saddr 10.0.0.1' udp 10.7.0.2
	echo 7 >$top/x0/mark
	arrives 'a tunnel, with one' 'udp dport 4789 udp length 158' 'ip saddr 10.0.0.9' udp 10.7.0.2
	ip link del x0
}

chosen() {
	mkdir $a/voice
	echo 3 >$a/voice/class
	echo ef >$a/voice/dscp
	echo cs1 >$a/dscp
	echo '1,6 0 0 3' >$a/program
	arrives "$1: the VIF that a program says" 'udp dport 9' 'ip dscp ef' from $a udp 10.0.0.2
	echo '1,6 0 0 0' >$a/program
	arrives "$1: it says none" 'udp dport 9' 'ip dscp cs1' from $a udp 10.0.0.2
	echo none >$a/program
	rmdir $a/voice
	echo none >$a/dscp
}

# tc_has_said MODE MARK: what there is of a mark of 7 that tc has changed to 9
tc_has_said() { arrives "$1: mark $2, where tc says 9" 'udp dport 9' "meta mark $2" udp 10.9.0.2; }

last_word() {
	ok 'two devices here' ip link add m0 up type veth peer name m1
	ip link set m1 up
	ip addr add 10.9.0.1/24 dev m0
	ip neigh add 10.9.0.2 lladdr "$(</sys/class/net/m1/address)" dev m0
	ok 'who looks' nft 'table netdev own { chain c { type filter hook ingress device m1 priority 0; }; }'
	echo '7 force' >$top/m0/mark
	chain='netdev own c' nft=(nft)
	arrives 'a device of the same namespace' 'udp dport 9' 'meta mark 7' udp 10.9.0.2
	tc qdisc add dev m0 clsact
	ok 'tc' tc filter add dev m0 egress matchall action skbedit mark 9
	tc_has_said 'hook mode' 9
	tc qdisc add dev m0 root netnice
	pause 0.5
	tc_has_said 'qdisc mode' 7
	chain='inet seen c' nft=(peer nft)
	nft delete table netdev own
	ip link del m0
}

link() {
	ok 'a qdisc' tc qdisc add dev eth0 root netnice
	pause 0.5
	echo ef >$a/dscp
	arrives 'qdisc mode: UDP' 'udp dport 9' 'ip dscp ef ip ecn ect1' from $a udp 10.0.0.2 --tos 1
	echo '1mbit' >$a/bandwidth
	arrives 'qdisc mode: what waits' 'udp dport 9' 'ip6 dscp ef' from $a udp fd00::2
	echo max >$a/bandwidth
	echo none >$a/dscp
	chosen 'qdisc mode'
	tc qdisc del dev eth0 root
	last_word
}

rights() {
	local none=$'egress none'
	chown 1000 $a
	mkdir $a/own
	chown 1000 $a/own
	remember
	who=(user_runs)
	refused "$eperm" '^mark: changing it requires CAP_NET_ADMIN' 'a user sets no mark' set_to $a/mark 7
	refused "$eperm" '^skb_priority: a value above 6' 'nor a high priority' set_to $a/skb_priority 8
	refused "$eacces" - 'nor in another VIF' set_to $eth0/dscp ef
	who=()
	still rights
	ok 'but a DSCP' user_runs set_to $a/own/dscp ef
	ok 'and a low priority' user_runs set_to $a/own/skb_priority 6
	ok 'which the user removes' user_runs set_to $a/own/skb_priority none
	ok 'no mark again' user_runs set_to $a/mark none
	check_eq 'is none' "$(<$a/mark)" "$none"
	echo 9 >$a/skb_priority
	echo 7 >$a/mark
	remember
	who=(user_runs)
	refused "$eperm" '^mark: changing it requires CAP_NET_ADMIN' 'nor takes a mark away' set_to $a/mark none
	refused "$eperm" '^skb_priority: a value above 6, or changing one,' 'nor a high priority' set_to $a/skb_priority none
	refused "$eperm" '^skb_priority: a value above 6, or changing one,' 'nor makes it low' set_to $a/skb_priority 1
	who=()
	echo none >$a/mark
	echo none >$a/skb_priority
	echo 'cs1 force' >$eth0/dscp
	has a/own cs1
	ok 'a user forces, too' user_runs set_to $a/own/dscp 'ef force'
	has a/own cs1
	echo none >$eth0/dscp
	has a/own ef
	exec {fd}>$a/mark
	as_user bash -c "echo 5 >&$fd"
	exec {fd}>&-
	check_eq 'what counts is who opened the file' "$(<$a/mark)" 'egress 5'
	vifs_end $a/own
	chown 0 $a
}

begin
need netnice nft tcpdump ethtool
setup_veth
peer nft 'table inet seen { chain c { type filter hook prerouting priority -400; }; }'
mkdir $a
# the first datagram to a neighbour on the same host is the root's: see limits.rst
ping -q -c 1 10.0.0.2 >/dev/null
ping -q -c 1 fd00::2 >/dev/null
values
sent
inherited
behind
ahead
chosen 'hook mode'
link
rights
log_clean
