#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, timeout=900, budget=23
#
# User-level stacks at the host's own address, each in a VIF. User 1000 has their devices in
# own network namespaces, and their ports in the host's:
#
#   namespaces of user 1000        init namespace (under test)       namespace peer
#   +----------------------+     +-----------------------------+    +----------------+
#   | ustack -- tap0, tap1 |  .  | eth0/lab  eth0  10.0.0.1    |----| eth0  10.0.0.2 |
#   | box: eth0 -- plug    |  .  |   one, two, box   fd00::1   |    |       fd00::2  |
#   +----------------------+     +-----------------------------+    +----------------+
#
# box is a container with the kernel's own stack, and the host's addresses.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/stacks.sh"
. "$(dirname "$0")/refusals.sh"

lab=/proc/network/eth0/lab
one=$lab/one
two=$lab/two
box=$lab/box

# box_start: $box_pid is in the container, $plug_pid in the namespace that has its device
# shellcheck disable=SC2016
box_start() {
	background "${own_prefix[@]}" bash -c '
		ip link add plug type veth peer name eth0
		ip link set plug up
		echo plug >"$1/stack" || exit
		unshare -n sleep 100000 &
		until [ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
		ip link set eth0 netns $!
		cd /proc/$!/ns && nsenter --net=net sh -c "
			sysctl -qw net.ipv6.conf.eth0.accept_dad=0
			ip link set lo up
			ip addr add 10.0.0.1/24 dev eth0
			ip link set eth0 up
			ip addr add fd00::1/64 dev eth0 nodad"
		echo ready $!
		wait' - "$box" >"$tmp/box" 2>&1
	plug_pid=$!
	busywait 20 file_says "$tmp/box" ready || { cat "$tmp/box"; return 1; }
	box_pid=$(line_of "$tmp/box" 'ready ')
	defer kill "$box_pid"
}

in_box() { nsenter -t "$box_pid" -U --preserve-credentials -n -- "$@"; }

rst_sent() { nstat -asz TcpOutRsts | awk '/TcpOutRsts/ { print $2 }'; }

setup() {
	stacks_setup $lab $one $two $box
	nft -f - <<-'END'
		table inet watch {
			counter of_user { }
			chain in { type filter hook input priority 0; ct state invalid drop; }
			chain out { type filter hook output priority 0; meta skuid 1000 counter name of_user; }
		}
	END
}

# --- two stacks and the kernel's own ----------------------------------------------------

datagrams() {
	local at address
	stack_start tap0 $one echo
	stack_one=$stack
	check_eq 'a tap of an own namespace becomes a stack' "$(cat $one/stack)" tap0
	ok 'it gets a port' user_writes 'udp 4000' $one/ports
	ok 'another one, too' user_writes 'tcp 4000' $one/ports
	check_eq 'the file has them' "$(cat $one/ports)" $'udp 4000\ntcp 4000'
	check_eq 'they are sockets of the VIF' "$(awk '{ print $2 }' $one/sockets | sort | xargs)" 'tcp udp'
	stack_start tap1 $two echo
	ok 'a port of a second stack' user_writes 'udp 4001' $two/ports
	background socat UDP6-RECVFROM:4002,fork EXEC:cat
	at=(4000 4001 4002)
	for address in 10.0.0.1 '[fd00::1]'; do
		check_eq "each answers at $address" \
			"$(for port in "${at[@]}"; do reply "$address" "$port" "at $port"; done)" \
			"$(printf 'at %s\n' "${at[@]}")"
	done
	check_eq 'each VIF counts its own' \
		"$(for vif in "$one" "$two"; do vif_stat "$vif" ingress_packets; vif_stat "$vif" egress_packets; done | xargs)" \
		'2 2 2 2'
	check_eq 'the one above counts both' "$(vif_stat $lab egress_packets)" 4
	ok 'connection tracking has seen both ways' \
		sh -c 'conntrack -L -p udp --orig-port-dst 4000 2>/dev/null | grep -v UNREPLIED | grep -q dport=4000'
	check_eq 'the firewall knows whose it is' \
		"$(nft list counter inet watch of_user | awk '/packets/ { print $2 }')" 4
}

# whose: what is attributed to a stack, and what is not
whose() {
	local before
	mkdir $lab/elsewhere
	echo $stack >$lab/elsewhere/tasks
	before=$(vif_stat $two egress_packets)
	check_eq 'a stack whose program is attached elsewhere answers' "$(reply 10.0.0.1 4001)" hello
	check_eq 'by its own VIF' $(($(vif_stat $two egress_packets) - before)) 1
	check_eq 'and not by that of its program' "$(vif_stat $lab/elsewhere egress_packets)" 0
	peer ip route add 10.0.9.9 via 10.0.0.1
	before=$(vif_stat $one ingress_packets)
	peer timeout 0.5 socat - TCP:10.0.9.9:4000 </dev/null 2>/dev/null
	check_eq "what is for another host is none of a stack's" "$(vif_stat $one ingress_packets)" "$before"
	peer ip route del 10.0.9.9
}

# waits: what a port has sent that waits for an address of the wire's is its VIF's when it has ended
# shellcheck disable=SC2016
waits() {
	local vif=$lab/waits stack before
	mkdir $vif
	chown 1000:1000 $vif
	sysctl -qw net.ipv4.neigh.eth0.mcast_solicit=20
	stack_start tap6 $vif wait "$tmp/waits" send udp 10 10.0.0.1 10.0.0.3 4006 9 say sent echo
	user_writes 'udp 4006' $vif/ports
	background vifctl -j monitor eth0 >"$tmp/ending"
	busywait 5 test -s "$tmp/ending" || pause 0.5
	touch "$tmp/waits"
	busywait 5 file_says "$tmp/tap6" sent
	before=$(vif_stat $vif egress_packets)
	user_writes '-udp 4006' $vif/ports
	ok 'a port ends while what it has sent waits' free_within udp4 4006
	check_eq 'and is none of the VIF' "$(wc -l <$vif/sockets)" 0
	pause 1
	peer ip addr add 10.0.0.3/32 dev eth0
	busywait 5 eval '[ "$(vif_stat $vif egress_packets)" != "$before" ]'
	pause 0.2
	check_eq 'which goes by the VIF nevertheless' $(($(vif_stat $vif egress_packets) - before)) 10
	peer ip addr del 10.0.0.3/32 dev eth0
	sysctl -qw net.ipv4.neigh.eth0.mcast_solicit=3
	echo 1 >$vif/autoremove
	user_writes 'udp 4007' $vif/ports
	user_writes '-udp 4007' $vif/ports
	pause 0.5
	ok 'an autoremoved VIF stays with its stack when the last port ends' test -d $vif
	user_writes 'udp 4007' $vif/ports
	ok 'its VIF is removed, with a port' rmdir $vif
	busywait 5 grep -q vif-del "$tmp/ending"
	mkdir $vif
	chown 1000:1000 $vif
	echo 1 >$vif/autoremove
	nsenter -t "$stack" -U -n -S 0 -G 0 sh -c "echo tap6 >$vif/stack"
	stop "$stack"
	ok 'and goes with that' busywait 5 test ! -d $vif
	check_eq 'listeners are told of the two ports that were given back, and not of the one that has ended with its VIF' \
		"$(jq -r '.event' "$tmp/ending" | grep -E 'detach|vif-del' | sed '/vif-del/q' | xargs)" 'detach detach vif-del'
}

# secured: what IPsec adds to packets of any size is charged to their port, and given back to it
# shellcheck disable=SC2016
secured() {
	local vif=$lab/secured stack
	if ! modprobe -q esp4; then
		skip 'IPsec adds to what a port sends' 'the kernel has no IPsec'
		return
	fi
	mkdir $vif
	chown 1000:1000 $vif
	stack_start tap7 $vif echo
	user_writes 'udp 4008' $vif/ports
	ip xfrm state add src 10.0.0.1 dst 10.0.0.2 proto esp spi 1 mode transport \
		aead 'rfc4106(gcm(aes))' 0x000102030405060708090a0b0c0d0e0f10111213 128
	ip xfrm policy add src 10.0.0.1 dst 10.0.0.2 proto 17 sport 4008 dir out \
		tmpl src 10.0.0.1 dst 10.0.0.2 proto esp mode transport
	peer bash -c 'for ((i = 1; i <= 700; i++)); do printf "%0*d" $i 0 >/dev/udp/10.0.0.1/4008; done'
	ok 'IPsec takes datagrams of 1 to 700 bytes of a port' \
		busywait 5 eval '[ "$(ip -s xfrm state | grep -c "700(packets)")" -eq 1 ]'
	ok 'nothing of them stays charged to it' \
		busywait 5 eval 'ss -Huanm "sport = :4008" | grep -q ",t0,"'
	ip xfrm policy flush
	ip xfrm state flush
	stop "$stack"
	ok 'nor does it keep its VIF' busywait 5 rmdir $vif
}

# A device that says it is of Ethernet, and whose frames have no such header: what is there in
# its place does not matter.
liar() {
	local stack
	mkdir $lab/liar
	chown 1000:1000 $lab/liar
	stack_start tun5 $lab/liar type 1 byte 0x60 echo
	ok 'a tun that says it is of Ethernet has a port' user_writes 'udp 4005' $lab/liar/ports
	check_eq 'it gets nothing but its packets' "$(reply 10.0.0.1 4005)$(reply '[fd00::1]' 4005)" hellohello
	stop "$stack"
}

# --- what does not get out ---------------------------------------------------------------

# as what it is counted, and what is sent; 10 of each. 4003 is the stack's, 4000 another one's,
# 4002 the kernel's.
not_sent='
	address		udp 10.0.0.9 10.0.0.2 4003 9
	address		udp 10.0.0.2 10.0.0.2 4003 9
	address		udp fd00::9 fd00::2 4003 9
	address		udp fe80::1 fd00::2 4003 9
	address		udp ::1 fd00::2 4003 9
	port		udp 10.0.0.1 10.0.0.2 4000 9
	port		tcp 10.0.0.1 10.0.0.2 4002 9
	port		udp fd00::1 fd00::2 4002 9
	port		tcp fd00::1 fd00::2 9 9
	protocol	icmp 10.0.0.1 10.0.0.2 0 0
	protocol	icmp fd00::1 fd00::2 0 0
	fragment	fragment 10.0.0.1 10.0.0.2 4003 9
	fragment	fragment fd00::1 fd00::2 4003 9
	option		option 10.0.0.1 10.0.0.2 4003 9
	option		option fd00::1 fd00::2 4003 9
	malformed	truncated 10.0.0.1 10.0.0.2 4003 9
	malformed	truncated fd00::1 fd00::2 4003 9
	link		vlan 10.0.0.1 10.0.0.2 4003 9
	link		vlan fd00::1 fd00::2 4003 9
	link		ethertype 10.0.0.1 10.0.0.2 4003 9
	link		arp 10.0.0.1 10.0.0.2 0 0
	destination	udp 10.0.0.1 10.0.0.255 4003 9
	destination	udp 10.0.0.1 255.255.255.255 4003 9
	destination	udp 10.0.0.1 224.0.0.1 4003 9
	destination	udp 10.0.0.1 10.0.0.1 4003 4002
	destination	udp fd00::1 ff02::1 4003 9
	destination	udp fd00::1 fd00::1 4003 4002
	destination	udp 10.0.0.1 0.0.0.0 4003 9
	destination	udp fd00::1 :: 4003 9
	destination	udp fd00::1 ::1 4003 4002
	destination	udp fd00::1 ::ffff:10.0.0.2 4003 9
	route		udp 127.0.0.1 10.0.0.2 4003 9
	route		udp 10.0.0.1 203.0.113.1 4003 9
	route		udp fd00::1 2001:db8::1 4003 9'

# on the wire, and neither the stack's nor the kernel's own
# shellcheck disable=SC2016
strangers() {
	tcpdump -nr "$tmp/wire" 'not arp and not (icmp6 and ip6[40] >= 130) and
		not (ip6 and src net fe80::/10 and not src host fe80::1) and
		not (src host 10.0.0.1 and src port 4003 and ip[0] = 0x45 and ip[6:2] & 0x3fff = 0) and
		not (src host fd00::1 and (ip6[6] = 6 or ip6[6] = 17) and ip6[40:2] = 4003)' 2>/dev/null
}

on_wire() { tcpdump -nr "$tmp/wire" "src port 4003 and ($1)" 2>/dev/null | wc -l; }

refusals() {
	local why kind from to source port words=()
	while read -r why kind from to source port; do
		[ -z "$why" ] || words+=(send "$kind" 10 "$from" "$to" "$source" "$port")
	done <<<"$not_sent"
	stop $stack
	ok 'a stack ends with its device' busywait 5 grep -qx none $two/stack
	stack_start tap2 $two wait "$tmp/go" "${words[@]}" \
		ask 10.0.0.2 ask 10.0.0.1 say sent echo
	ok 'one that sends what it may not has a port of UDP' user_writes 'udp 4003' $two/ports
	ok 'and one of TCP' user_writes 'tcp 4003' $two/ports
	background peer tcpdump -i eth0 -Q in -s 128 --immediate-mode -U -w "$tmp/wire" 2>"$tmp/tcpdump"
	busywait 20 file_says "$tmp/tcpdump" 'listening on'
	touch "$tmp/go"
	busywait 60 file_says "$tmp/tap2" sent
	pause 0.2
	check_eq 'none of it was on the wire' "$(strangers; on_wire 'ip or ip6')" 0
	for why in link malformed option fragment protocol address port destination route; do
		check_eq "what was refused for its $why" "$(vif_stat $two stack_${why}_refused)" \
			$((10 * $(grep -c "^	$why	" <<<"$not_sent")))
	done
	check_eq 'who asks for an address is told where others are' "$(grep ' is ' "$tmp/tap2")" \
		$'10.0.0.2 is 02:...:65\n10.0.0.1 is none'
}

# --- who may what ------------------------------------------------------------------------

# shellcheck disable=SC2016
errors() {
	local form='write tcp NUMBER or udp NUMBER, 1 to 65535, with a leading - to remove it, or auto N'
	who=(user_runs)
	remember
	refused 'not connected' 'has no stack: write a device' 'a port without a stack' set_to $box/ports 'udp 4100'
	for text in '' udp 'udp 0' 'udp 65536' 'udp -1' 'sctp 9' 'udp 9 9' 'udp http' '4100' \
		- '-udp' '- udp 9' '--udp 9' '-auto 9' auto 'auto 0' 'auto 1025' 'auto tcp' 'fd 0'; do
		refused 'Invalid argument' "$form" "no port: '$text'" set_to $one/ports "$text\n"
	done
	refused 'Address already in use' 'udp port 4002 is in use' 'a port of the kernel' set_to $one/ports 'udp 4002'
	refused 'Address already in use' 'udp port 4003 is in use' 'a port of another stack' set_to $one/ports 'udp 4003'
	refused 'Address already in use' 'udp port 4000 is in use' 'its own' set_to $one/ports 'udp 4000'
	refused 'Permission denied' 'tcp port 80 requires CAP_NET_BIND' 'a privileged port' set_to $one/ports 'tcp 80'
	fails 'a port of a stack, for another program' can_bind udp4 4000
	fails 'and of TCP' can_bind tcp4 4000
	refused 'No such device' "no device 'tap9'" 'no device' set_to $box/stack tap9
	refused 'Invalid argument' "neither a device's name nor none" 'no name' set_to $box/stack 'a b'
	refused 'not permitted' 'requires CAP_NET_ADMIN over' "the host's device" set_to $box/stack eth0
	who=()
	ok 'another stack in the same VIF' sh -c '
		'"$(printf '%q ' "${own_prefix[@]}")"' ustack tap tap8 '$one'/stack 2>&1 | grep "busy"'
	ok 'a port, opened in another namespace' sh -c '
		'"$(printf '%q ' "${own_prefix[@]}")"' sh -c "echo udp 4100 >'$one'/ports" 2>&1 | grep "not permitted"'
	ok 'last_error says why' as_user grep -q 'must be opened in the network namespace' /proc/network/last_error
	mkdir /proc/network/eth0/tight
	in_vif /proc/network/eth0/tight sh -c 'setpriv --reuid=1000 --clear-groups sh -c "echo udp 4100 >'$one'/ports"' \
		2>"$tmp/out"
	ok 'who is attached elsewhere gets none' grep -q 'not permitted' "$tmp/out"
	ok 'last_error says why' as_user grep -q 'a VIF that is not above this one' /proc/network/last_error
	in_vif /proc/network/eth0/tight setpriv --reuid=1000 --clear-groups sh -c '
		cd /proc/network/eth0/tight && mkdir user-1000 user-1000/x && echo udp 4100 >user-1000/x/ports' 2>"$tmp/out"
	ok 'nor does a process that would escape its limit' grep -q 'not permitted' "$tmp/out"
	ok 'last_error says why' as_user grep -q 'limited as a process' /proc/network/last_error
	as_user sh -c 'cd /proc/network/eth0/tight && rmdir user-1000/x user-1000'
	[ ! -d /proc/network/eth0/tight/user-1000 ] || busywait 5 rmdir /proc/network/eth0/tight/user-1000
	busywait 5 rmdir /proc/network/eth0/tight
	check_eq 'nothing has changed' "$(cat $one/stack $one/ports $box/stack $box/ports | xargs)" \
		'tap0 udp 4000 tcp 4000 none'
}

# --- what others have a say in -------------------------------------------------------------

# gets ADDRESS WORD...: is what the peer sends to there, port 4000, answered by the stack?
gets() { peer timeout 1 kinds socket udp6 "${@:2}" sendto "$1" 4000 50 receive 50; }

headers() {
	local before
	ok 'what has no other header is for the stack' gets fd00::1 set tos 0
	gets fd00::1 padded
	check_eq 'with an extension header it is not' "$(grep -c extension "$tmp/tap0")" 0
	before=$(grep -c extension "$tmp/tap0")
	peer ip route add fd00::77 via fd00::1
	sysctl -qw net.netfilter.nf_conntrack_checksum=0
	gets fd00::77 via fd00::1
	sysctl -qw net.netfilter.nf_conntrack_checksum=1
	check_eq 'nor with a routing header, which may send it elsewhere' "$(grep -c extension "$tmp/tap0")" "$before"
	peer ip route del fd00::77
}

proxied() {
	nft 'table ip divert { chain c { type filter hook prerouting priority -150;
		udp dport 4000 tproxy to :7301; }; }'
	background kinds socket udp4 set transparent 1 bind 0.0.0.0 7301 say up receive 6 say came >"$tmp/proxy"
	busywait 5 file_says "$tmp/proxy" up
	check_eq 'what TPROXY gives to a socket is not for the stack' "$(reply 10.0.0.1 4000)" ''
	ok 'but for that' busywait 1 file_says "$tmp/proxy" came
	nft delete table ip divert
	check_eq 'and later it is' "$(reply 10.0.0.1 4000)" hello
}

# in_group TEXT: what user 1000 writes to the ports, as a process of the group
# shellcheck disable=SC2016
in_group() { sh -c 'echo $$ >"$1/cgroup.procs"; exec setpriv --reuid=1000 --regid=1000 --clear-groups sh -c "echo $2 >$3"' - "$group" "$1" $one/ports 2>&1; }

# program SAYS WORD...: while a program of the group is there no port is bound in it
program() {
	local says=$1 out pid text
	shift
	background kinds "$@" say up pause 1000000 >"$tmp/program"
	pid=$!
	busywait 5 file_says "$tmp/program" up
	for text in 'udp 4110' 'auto 4'; do
		out=$(in_group "$text")
		if [[ $out == *'not supported'* ]] && as_user grep -q 'a program of the control group binds' /proc/network/last_error; then
			pass "$says: $text is refused"
		else
			fail "$says: $text is refused" "$out" "$(as_user cat /proc/network/last_error)"
		fi
	done
	stop $pid
	check_eq "$says: and nothing is bound" "$(xargs <$one/ports)" 'udp 4000 tcp 4000'
	ok "$says: nor is it later" can_bind udp4 4110
}

programs() {
	group=/sys/fs/cgroup/stack
	mkdir $group
	program 'a program that binds elsewhere' rebind $group 4111
	program 'a program that lets others share' reuse $group
	check_eq 'without one it is' "$(in_group 'udp 4110')" ''
	user_writes '-udp 4110' $one/ports
	rmdir $group
}

vrf() {
	local vif=/proc/network/vrf0/lab
	if ! ip link add vrf0 type vrf table 10 2>/dev/null; then
		skip 'a VRF' 'this kernel has none'
		return
	fi
	ip link set vrf0 up
	mkdir $vif
	remember
	refused 'not supported' "'vrf0', the device of the VIF, is a VRF" 'the stack of a VRF' set_to $vif/stack lo
	refused 'Invalid argument' "'vrf0' is the device of the VIF itself" 'its own device' set_to $vif/stack vrf0
	ip link del vrf0
}

# --- ports that come and go ----------------------------------------------------------------

ports_of() { sed -n "s/^$1 //p" $one/ports; }

chosen() {
	local first
	sysctl -qw net.ipv4.ip_local_port_range='5000 5099' net.ipv4.ip_local_reserved_ports=5050
	ok 'ports are chosen' user_writes 'auto 20' $one/ports
	first=$(ports_of tcp | sed -n 2p)
	check_eq 'they follow each other' "$(ports_of tcp | tail -n 20 | xargs)" "$(seq "$first" $((first + 19)) | xargs)"
	check_eq 'of TCP and UDP alike' "$(ports_of tcp)" "$(ports_of udp)"
	check 'in the range that bind(2) chooses from' "$first >= 5000 && $first <= 5080"
	check 'but what is reserved' "$first > 5050 || $first < 5031"
	check_eq 'the stack has them' "$(reply 10.0.0.1 $((first + 19)))" hello
	fails 'and no other program' can_bind udp4 "$first"
	who=(user_runs)
	remember
	refused 'Address already in use' 'no 60 consecutive numbers' 'more than are left' set_to $one/ports 'auto 60'
	check_eq 'none of which are kept' "$(ports_of tcp | wc -l)" 21
	ok 'what was tried is free' can_bind tcp4 $((first > 5050 ? 5000 : 5099))
	ok 'one ends' user_writes "-udp $first" $one/ports
	ok 'and is free' free_within udp4 "$first"
	fails 'the same of TCP is not' can_bind tcp4 "$first"
	remember
	refused 'No such file' "has no udp port $first" 'a port that has ended' set_to $one/ports "-udp $first"
	refused 'No such file' 'has no udp port 4003' "another stack's port" set_to $one/ports '-udp 4003'
	who=()
	check_eq 'which that has still' "$(grep -c '^udp 4003$' $two/ports)" 1
	for port in $(ports_of tcp | tail -n 20); do
		user_writes "-tcp $port" $one/ports
		[ "$port" = "$first" ] || user_writes "-udp $port" $one/ports
	done
	check_eq 'all of them end' "$(xargs <$one/ports)" 'udp 4000 tcp 4000'
	check_eq 'and are sockets of the VIF no more' \
		"$(busywait 5 sockets_are 2 $one; wc -l <$one/sockets)" 2
	few
	sysctl -qw net.ipv4.ip_local_port_range='32768 60999' net.ipv4.ip_local_reserved_ports=
	ok "an administrator binds a privileged one for a user's stack" sh -c "echo tcp 80 >$one/ports"
	peer timeout 0.5 socat -u OPEN:/dev/null TCP:10.0.0.1:80
	check_eq 'for which the kernel does not answer then' $? 124
	ok 'its user may end it' user_writes '-tcp 80' $one/ports
}

# tells ERRNO-STATUS SAYS NAME COMMAND...: as vifctl says it
tells() {
	local want=$1 says=$2 name=$3 out status
	shift 3
	out=$("$@" 2>&1 </dev/null)
	status=$?
	if [ $status = "$want" ] && [[ $out =~ $says ]]; then
		pass "$name"
	else
		fail "$name" "$status: $out"
	fi
}

listed() { vifctl -j show "$1" | jq -c '.[0] | [.stack, (.attached | map(select(.port) | "\(.protocol) \(.port)"))]'; }

tools() {
	local kind port of=eth0/lab/one schema=$net_dir/vifctl.schema.json
	# those of ports that have ended take a grace period
	busywait 20 sockets_are 2 $one
	background vifctl -j monitor $of >"$tmp/monitor"
	check_eq 'vifctl show: the stack and its ports' "$(vifctl show $of | sed -n 's/.* \(stack\)/\1/p')" \
		'stack tap0, port udp 4000, port tcp 4000'
	check_eq 'vifctl -j show: the same' "$(listed $of)" '["tap0",["udp 4000","tcp 4000"]]'
	vifctl -j show $of >"$tmp/json"
	[ -e "$schema" ] || schema=$net_dir/../../Documentation/vifctl.schema.json
	check_eq 'which fits the schema' "$(jq -r --slurpfile schema "$schema" --arg name show -f "$net_dir/schema.jq" "$tmp/json" 2>&1)" ''
	check_eq 'netlink: the same' "$(nl vifs device=eth0 | grep -o ' stack=tap0$')" ' stack=tap0'
	tells 0 '^port eth0/lab/one add tcp 4100.port .* add udp 4100$' 'vifctl port: adds' \
		as_user vifctl port -v $of add tcp 4100 'udp 4100'
	tells 2 'tcp port 80 requires CAP_NET_BIND.*nothing was changed' 'one of them is refused' \
		as_user vifctl port $of add tcp 4101 udp 4101 tcp 80
	tells 2 'has no udp port 4101.*nothing was changed' 'one is none' \
		as_user vifctl port $of del tcp 4100 udp 4101
	tells 2 'port 80 requires.*auto 2: these stay' 'what the kernel has chosen stays, as is said' \
		as_user vifctl port $of add udp 4101 auto 2 tcp 80
	while read -r kind port; do
		[ "$port" -lt 32768 ] || user_writes "-$kind $port" $one/ports
	done < <(cat $one/ports)
	check_eq 'then all are what they were' "$(sort $one/ports | xargs)" 'tcp 4000 tcp 4100 udp 4000 udp 4100'
	tells 0 '^$' 'vifctl port: takes away' as_user vifctl port $of del tcp 4100 udp 4100
	tells 1 'add or del is missing' 'vifctl port: no word' vifctl port $of tcp 80
	tells 1 'a port is missing' 'vifctl port: no port' vifctl port $of add
	tells 1 "'sctp' is neither tcp nor udp, nor auto" 'vifctl port: no protocol' vifctl port $of add sctp 80
	tells 1 "'auto' is neither tcp nor udp " 'vifctl port: none to be chosen' vifctl port $of del auto 8
	tells 1 "tcp: 'x' is no port: 1 to 65535 are" 'vifctl port: no number' vifctl port $of add tcp x
	tells 1 "tcp: '' is no port" 'vifctl port: nothing' vifctl port $of add tcp
	tells 1 "tcp: '65536' is no port" 'vifctl port: too large a number' vifctl port $of add tcp 65536
	tells 2 "no VIF 'eth0/lab/none'" 'vifctl port: no VIF' vifctl port eth0/lab/none add tcp 80
	tells 2 'the VIF has no stack' 'vifctl port: no stack' vifctl port eth0/lab add tcp 80
	tells 1 'a device is missing' 'vifctl stack: no device' vifctl stack $of
	tells 1 'too many words' 'vifctl stack: two devices' vifctl stack $of a b
	tells 1 'needs a process or a name' 'vifctl stack: no namespace' vifctl stack $of a netns
	tells 2 'netns: /run/netns/none: No such' 'vifctl stack: one that is not there' vifctl stack $of a netns none
	tells 2 'netns: /proc/1/ns/net: Permission denied' "vifctl stack: another user's" \
		as_user vifctl stack $of a netns 1
	tells 2 "no device 'tap9' in the writer's" 'vifctl stack: no such device' vifctl stack eth0/lab tap9
	tells 2 "no VIF 'eth0/lab/none'" 'vifctl stack: no VIF' vifctl stack eth0/lab/none tap9
	plug $of
	busywait 5 grep -q none "$tmp/monitor"
	check_eq 'vifctl monitor tells of the stack that comes' \
		"$(jq -r 'select(.event == "vif-set") | .stack // "none"' "$tmp/monitor" | xargs)" 'none end none'
}

# plug VIF: who has made a namespace puts a device of it into a stack, and takes it away again
plug() {
	local pid
	background "${own_prefix[@]}" sh -c 'ip link add end type veth peer name other && echo ready && exec sleep 1000' \
		>"$tmp/plug" 2>&1
	pid=$!
	busywait 20 file_says "$tmp/plug" ready
	tells 2 'has a stack, .tap0.: write none first' 'vifctl stack: one is enough' as_user vifctl stack "$1" end netns $pid
	stop $stack_one
	busywait 5 grep -qx none $one/stack
	tells 0 '^stack eth0/lab/one end netns' 'vifctl stack: a device of an own namespace' as_user vifctl stack -v "$1" end netns $pid
	check_eq 'it is there' "$(cat $one/stack)" end
	tells 0 '^$' 'vifctl stack: none' as_user vifctl stack "$1" none
	check_eq 'it is not' "$(cat $one/stack)" none
	stop $pid
}

sockets_are() { [ "$(wc -l <"$2/sockets")" = "$1" ]; }

# few: a user who may attach less than requested gets none
few() {
	local most=/sys/module/netnice/parameters/user_attachments was
	was=$(cat $most)
	echo 22 >$most
	who=(user_runs)
	remember
	refused 'quota exceeded' 'may make 22 attachments' 'more than a user may attach' set_to $one/ports 'auto 15'
	refused 'quota exceeded' 'may make 22 attachments' 'which is found before any is bound' set_to $one/ports 'auto 120'
	who=()
	echo "$was" >$most
	check_eq 'none of these are kept, either' "$(xargs <$one/ports)" 'udp 4000 tcp 4000'
}

# --- TCP: a container at the host's address -------------------------------------------------

sum() { sha256sum | cut -d' ' -f1; }

# too_large: segments that do not fit on the wire are the VIF's, too
# shellcheck disable=SC2016
too_large() {
	local before
	nsenter -t "$box_pid" -U -n -S 0 -G 0 ip link set eth0 mtu 9000
	nsenter -t $plug_pid -U -n -S 0 -G 0 ip link set plug mtu 9000
	before=$(vif_stat $box egress_bytes)
	# UDP_SEGMENT, and may be fragmented
	head -c 8000 /dev/zero | in_box socat -u -b 8000 - UDP4:10.0.0.2:9,bind=:8083,setsockopt=17:103:i2000,setsockopt=0:10:i0
	busywait 5 eval '[ "$(vif_stat $box egress_bytes)" -gt $((before + 8000)) ]'
	check 'segments that are fragmented are counted' "$(vif_stat $box egress_bytes) - $before > 8000"
	nsenter -t "$box_pid" -U -n -S 0 -G 0 ip link set eth0 mtu 1500
}

container() {
	local rst address
	box_start
	check_eq 'a veth of an own namespace becomes a stack' "$(cat $box/stack)" plug
	for port in 'tcp 8080' 'tcp 8081' 'tcp 8082' 'udp 8083'; do
		ok "$port" user_writes "$port" $box/ports
	done
	mkdir "$tmp/www"
	head -c 1000000 /dev/urandom >"$tmp/www/file"
	chmod -R a+rX "$tmp"
	rst=$(rst_sent)
	background nsenter -t "$box_pid" -U --preserve-credentials -n busybox httpd -f -p 8080 -h "$tmp/www"
	background peer busybox httpd -f -p 80 -h "$tmp/www"
	busywait 20 peer curl -so /dev/null http://10.0.0.1:8080/file
	for address in 10.0.0 '[fd00:'; do
		local here=${address}.1 there=${address}.2
		[ "$address" = 10.0.0 ] || here='[fd00::1]' there='[fd00::2]'
		check_eq "served at $here" "$(peer curl -s "http://$here:8080/file" | sum)" "$(sum <"$tmp/www/file")"
		check_eq "fetched from $there" "$(in_box curl -s --local-port 8081 "http://$there/file" | sum)" \
			"$(sum <"$tmp/www/file")"
	done
	ok 'it is told that the port is closed' sh -c '
		echo | nsenter -t '"$box_pid"' -U --preserve-credentials -n \
			socat -t 1 - UDP:10.0.0.2:10,bind=:8083 2>&1 | grep "Connection refused"'
	ok 'what it sends has come by one hop' sh -c "
		tcpdump -nvr '$tmp/wire' src port 8083 2>/dev/null | grep 'ttl 63'"
	check_eq 'the kernel has reset nothing' "$(rst_sent)" "$rst"
	too_large
	ok 'connection tracking has the connection' \
		sh -c 'conntrack -L -p tcp --orig-port-dst 8080 2>/dev/null | grep -q ASSURED'
}

# --- limits --------------------------------------------------------------------------------

# mbit DIRECTION: of the container, over two seconds
mbit() {
	local before
	pause 0.5
	before=$(vif_stat $box "$1_bytes")
	pause 2
	awk "BEGIN { print ($(vif_stat $box "$1_bytes") - $before) * 8 / 2e6 }"
}

limits() {
	local pid
	echo 10mbit >$box/bandwidth
	background peer traffic sink tcp 9001 >/dev/null
	background nsenter -t "$box_pid" -U --preserve-credentials -n traffic sink tcp 8081 >/dev/null
	nsenter -t "$box_pid" -U --preserve-credentials -n \
		socat -u OPEN:/dev/zero TCP:10.0.0.2:9001,bind=:8082 2>/dev/null &
	pid=$!
	check_near '10 Mbit/s sent, by TCP' "$(mbit egress)" 10 1
	stop $pid
	background peer socat -u OPEN:/dev/zero TCP:10.0.0.1:8081
	pid=$!
	check_near '10 Mbit/s received' "$(mbit ingress)" 10 1
	stop $pid
	echo max >$box/bandwidth
}

# --- the end -------------------------------------------------------------------------------

# begins VIF TAP: a stack with a port, 4200, that the peer sends to
begins() {
	stack_start "$2" "$1" echo
	user_writes 'udp 4200' "$1/ports"
	check_eq "a stack by $2" "$(reply 10.0.0.1 4200) $(reply '[fd00::1]' 4200)" 'hello hello'
}

lifetime() {
	local vif=$lab/end flood allowed
	mkdir $vif
	chown 1000:1000 $vif
	background peer traffic send udp 10.0.0.1 4200 --rate 2m --size 500 >/dev/null 2>&1
	flood=$!

	begins $vif tap20
	kill -9 $stack
	ok 'its process is killed: the port is free within 100 ms' free_within udp4 4200
	check_eq 'and the VIF has no stack' "$(cat $vif/stack)" none
	ok 'and may be removed' rmdir $vif
	mkdir $vif
	chown 1000:1000 $vif
	begins $vif tap21
	echo none >$vif/stack
	ok 'the VIF may be removed at once' rmdir $vif
	ok 'none is written: so it is' free_within udp4 4200
	stop $stack
	mkdir $vif
	chown 1000:1000 $vif
	begins $vif tap22
	ok 'the VIF is removed' rmdir $vif
	ok 'the VIF is removed: so it is' free_within udp4 4200
	stop $stack
	mkdir $vif
	chown 1000:1000 $vif
	kill $plug_pid "$box_pid"
	ok 'the namespace of a container ends: so it is' free_within tcp4 8080
	busywait 5 grep -qx none $box/stack
	check_eq 'and the VIF has no stack' "$(cat $box/stack)" none
	begins $vif tun23
	fails 'a stack holds its module' rmmod netnice_stack
	allowed=$(</sys/module/netnice/parameters/options)
	echo relay >/sys/module/netnice/parameters/options
	ok 'what the administrator does not allow any more can be ended' sh -c "echo none >$vif/stack"
	fails 'and not begun' sh -c "echo lo >$vif/stack"
	check_eq 'for this reason' "$(grep -o 'the parameter options' /proc/network/last_error)" 'the parameter options'
	echo "$allowed" >/sys/module/netnice/parameters/options
	find /proc/network/eth0 -name stack -exec sh -c 'echo none >"$1"' sh {} \;
	umount /proc/network
	ok 'the module is unloaded under traffic' busywait 5 remove_netnice
	ok 'the module is unloaded: the port is free, too' free_within udp4 4200
	stop $stack $flood
	load_netnice
	ok 'it begins anew' test ! -e $vif
}

# All that begins and ends one at once, while packets go both ways; then all of it is gone.
# shellcheck disable=SC2016
races() {
	local vif=$lab/race rounds=100 pids=()
	in_uml || rounds=15
	mkdir $vif
	chown 1000:1000 $vif
	stack_start tap30 "" send udp 1 10.0.0.1 10.0.0.2 4300 9 echo
	background peer traffic send udp 10.0.0.1 4300 --rate 5m --size 500 >/dev/null 2>&1
	nsenter -t $stack -U -n -S 0 -G 0 bash -c '
		for ((i = 0; i < $1; i++)); do
			echo tap30 >"$2/stack"
			sleep 0.00$((RANDOM % 10))
			[ $((i % 3)) -ne 0 ] || { ip link set tap30 down; ip link set tap30 up; }
			[ $((i % 4)) -ne 0 ] || echo none >"$2/stack"
		done' - $rounds $vif 2>/dev/null &
	pids+=($!)
	as_user bash -c '
		for ((i = 0; i < 3 * $1; i++)); do
			echo "udp $((4300 + i % 2))" >"$2/ports"
			echo "tcp 4300" >"$2/ports"
			[ $((i % 5)) -ne 0 ] || echo "auto 9" >"$2/ports"
			echo "-udp 4300" >"$2/ports"
			cat "$2/ports" "$2/stat" "$2/stack"
			sleep 0.00$((RANDOM % 4))
		done' - $rounds $vif >/dev/null 2>&1 &
	pids+=($!)
	for ((i = 0; i < rounds / 2; i++)); do
		rmdir $vif 2>/dev/null && mkdir $vif && chown 1000:1000 $vif
		pause 0.00$((RANDOM % 20))
	done
	wait "${pids[@]}"
	stop $stack
	busywait 20 grep -qx none $vif/stack
	ok 'after many ends at once: nothing is left' busywait 20 rmdir $vif
	ok 'after many ends at once: the ports are free' free_within udp4 4300
	ok 'of both protocols' free_within tcp4 4300
}

begin
need netnice socat nft conntrack curl tcpdump jq
setup
datagrams
whose
waits
secured
liar
refusals
errors
headers
proxied
programs
vrf
chosen
tools
container
limits
races
lifetime
log_clean
