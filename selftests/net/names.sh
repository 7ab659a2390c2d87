#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, timeout=900, budget=14
#
# Names in programs of VIFs: netniced(8) reads what the resolver answers, and what goes to
# these addresses and comes from there goes to the VIF of the name.
#
#   eth0/web                *.example.org = bulk; www.example.net, but for port 80 = video; port 81 = voice;
#			what no packet is (it takes the scratch memory) = drop
#     bulk video voice
#   eth0/other              *.example.com = theirs: another tenant
#     theirs
#
# The peer has the resolver, 10.0.0.2 and fd00::2, and all addresses of all names. To send is
# to connect to a closed port: a packet there, and one back.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemon.sh"

eth0=/proc/network/eth0
pins=/sys/fs/bpf/netnice

records=(
	www.example.org 60 10.0.0.3
	www.example.org 60 fd00::3
	a.b.example.org 60 10.0.0.4
	example.org 60 10.0.0.5
	www.example.net 60 alias.example.org
	alias.example.org 60 more.example.com
	more.example.com 60 10.0.0.6
	more.example.com 60 fd00::6
	long.example.org 1000 10.0.0.7
	mixed.example.org 60 10.0.0.8
	other.example.com 60 10.0.0.9
	six.example.org 60 10.0.0.10
	tcp.example.org 60 10.0.0.11
	late.example.org 60 10.0.0.12
	missed.example.org 60 10.0.0.13
	loop.example.org 60 loop.example.org
	device.example.org 60 10.0.0.14
	last.example.org 60 10.0.0.15
)

base='
[vif eth0/web]
program = name *.example.org = bulk
program = name www.example.net and not tcp port 80 = video; tcp port 81 = voice
program = udp[4:2] > ip[2:2] = drop
[vif eth0/web/bulk]
class = 1
[vif eth0/web/video]
class = 2
[vif eth0/web/voice]
class = egress 3 ingress 4
[vif eth0/other]
program = name *.example.com = theirs
[vif eth0/other/theirs]
class = 1'

# resolver TEXT: of the host
resolver() { printf '%b\n' "$1" >/etc/resolv.conf; }

# serve [WORD...]: the peer's server, from now on
server=
serve() {
	[ -z "$server" ] || stop "$server"
	background peer nameserver at 10.0.0.2 "$@" "${records[@]}" >"$tmp/server"
	server=$!
	busywait 20 file_says "$tmp/server" ready
}

# look NAME: a program on the host wants its addresses; the daemon has its time
look() {
	(: </dev/udp/"$1"/9) 2>/dev/null
	pause 0.2
}

# packets VIF: sent and received
packets() { echo "$(vif_stat "$1" egress_packets) $(vif_stat "$1" ingress_packets)"; }

# where VIF ADDRESS [PORT]: of those below it which one gets a packet, and the answer
# shellcheck disable=SC2016
where() {
	local vif=$1 below out in now before=()
	for below in "$vif"/*/; do before+=("$(packets "$below")"); done
	in_vif "$vif" bash -c ': <"/dev/tcp/$0/$1"' "$2" "${3-443}" 2>/dev/null
	for below in "$vif"/*/; do
		read -r out in <<<"${before[0]}"
		before=("${before[@]:1}")
		read -ra now <<<"$(packets "$below")"
		out=$((now[0] - out)) in=$((now[1] - in))
		[ $((out + in)) -eq 0 ] || echo "$(basename "$below") $out/$in"
	done
}

# goes WHERE ADDRESS [PORT]: of web, or stays there
goes() {
	local want="$1 1/1"
	[ "$1" != stays ] || want=
	check_eq "${name:-$1}: ${2}${3:+, port $3}" "$(where $eth0/web "$2" "${3-443}")" "$want"
}

without_bpf() {
	umount /sys/fs/bpf 2>/dev/null
	rules "$base"
	netniced_start
	ok 'no file system for programs: it says so' log_has 'want a file system of type bpf at /sys/fs/bpf'
	check_eq 'and VIFs have none' "$(cat $eth0/web/program)" $'egress none\ningress none'
	netniced_stop
	mount -t bpf bpf /sys/fs/bpf
}

learns() {
	local name=''
	netniced_start
	check_eq 'the VIF has a program' "$(cat $eth0/web/program)" \
		"egress admin $pins/eth0_2fweb/egress"$'\n'"ingress admin $pins/eth0_2fweb/ingress"
	name='not looked up' goes stays 10.0.0.3
	look www.example.org
	name='a name below' goes bulk 10.0.0.3
	name='and by IPv6' goes bulk fd00::3
	look a.b.example.org
	name='two levels below' goes bulk 10.0.0.4
	look example.org
	name='not the name itself' goes stays 10.0.0.5
	look www.example.net
	name='by aliases' goes video 10.0.0.6
	name='by aliases, IPv6' goes video fd00::6
	name='but for that port' goes stays 10.0.0.6 80
	name='the first that is true' goes video 10.0.0.6 81
	name='without a name' goes voice 10.0.0.5 81
	look MiXed.exAmple.ORG
	name='large letters' goes bulk 10.0.0.8
	look loop.example.org
}

other_ways() {
	background peer nameserver at fd00::2 "${records[@]}" >"$tmp/six"
	busywait 20 file_says "$tmp/six" ready
	resolver 'nameserver fd00::2'
	look six.example.org
	name='a resolver by IPv6' goes bulk 10.0.0.10
	resolver 'nameserver 10.0.0.2\noptions use-vc'
	look tcp.example.org
	name='by TCP' goes bulk 10.0.0.11
	background nameserver at 127.0.0.53 local.example.org 60 10.0.0.16 >"$tmp/local"
	busywait 20 file_says "$tmp/local" ready
	resolver 'nameserver 127.0.0.53'
	look local.example.org
	name='a resolver of the host' goes bulk 10.0.0.16
	resolver 'nameserver 10.0.0.2'
}

tenants() {
	look other.example.com
	check_eq 'another tenant: own name' "$(where $eth0/other 10.0.0.9)" 'theirs 1/1'
	check_eq 'another tenant: other names' "$(where $eth0/other 10.0.0.3)" ''
	name='names of another tenant' goes stays 10.0.0.9
}

# Who has no say
strangers() {
	local rogue
	background peer nameserver at 10.0.0.20 rogue.example.org 60 10.0.0.21 >"$tmp/rogue"
	rogue=$!
	busywait 20 file_says "$tmp/rogue" ready
	echo 'nameserver 10.0.0.20' >"$tmp/resolv.conf"
	# shellcheck disable=SC2016
	check_eq "a user's own server answers" \
		"$(unshare -m bash -c 'mount --bind "$0" /etc/resolv.conf && : </dev/udp/rogue.example.org/9' "$tmp/resolv.conf" && echo yes)" yes
	pause 0.2
	name='but is not believed' goes stays 10.0.0.21
	stop "$server" "$rogue"
	server=
	peer nameserver at 10.0.0.2 unasked 10.0.0.1 4444 unasked.example.org 60 10.0.0.22
	pause 0.2
	name='who was not asked is not, either' goes stays 10.0.0.22
	containers
	serve
}

# question NAME: as DNS has it, with the number that an unasked answer has
question() {
	local label
	printf '\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00'
	for label in ${1//./ }; do
		# shellcheck disable=SC2059
		printf "\\x$(printf %02x ${#label})$label"
	done
	printf '\x00\x00\x01\x00\x01'
}

# ask NAME PORT [DEVICE]: a user asks the resolver, in one packet
ask() {
	question "$1" >"$tmp/question"
	as_user socat -u - "UDP4-SENDTO:10.0.0.2:53,bind=:$2${3:+,so-bindtodevice=$3}" <"$tmp/question"
}

# in_box CAPABILITY COMMAND...: as root of a container that has this one only
in_box() { nsenter --net=/run/netns/box -- setpriv --bounding-set "-all,+$1" -- "${@:2}"; }

# forges CAPABILITY NAME ADDRESS VALUE: a container answers in place of the resolver
forges() { in_box "$1" nameserver at 10.0.0.2 unasked "$3" 4444 "$2" 60 "$4"; }

# A container answers questions that a user of the host asks: by a device of its own
containers() {
	ip netns add box
	ip link add h0 type veth peer name c0 netns box
	ip addr add 10.2.0.1/24 dev h0
	ip link set h0 up
	nsenter --net=/run/netns/box -- sh -c 'echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
		ip addr add 10.2.0.2/24 dev c0; ip link set c0 up; ip route add default via 10.2.0.1'
	for device in all default h0; do
		echo 0 >/proc/sys/net/ipv4/conf/$device/rp_filter
	done

	ask raw.example.org 4444
	ok 'a container with CAP_NET_RAW answers from the address of the resolver' \
		forges net_raw raw.example.org 10.0.0.1 10.0.0.20
	pause 0.2
	name='but is not believed' goes stays 10.0.0.20
	peer nameserver at 10.0.0.2 unasked 10.0.0.1 4444 raw.example.org 60 10.0.0.20
	pause 0.2
	name='the resolver is, of the same question' goes bulk 10.0.0.20

	in_box net_admin ip addr add 10.0.0.2/32 dev lo
	ask admin.example.org 4444
	ok 'a container with CAP_NET_ADMIN has the address of the resolver' \
		forges net_admin admin.example.org 10.0.0.1 10.0.0.21
	pause 0.2
	name='but is not believed, either' goes stays 10.0.0.21

	ask bound.example.org 4444 h0
	ok 'it is asked, by a user who takes its device' forges net_admin bound.example.org 10.2.0.1 10.0.0.22
	pause 0.2
	name='nor is that a question' goes stays 10.0.0.22
	ip link del h0
	ip netns del box
}

ages() {
	look long.example.org
	look www.example.org
	name='just answered' goes bulk 10.0.0.3
	for _ in 1 2 3; do
		pause 200
		name='in use' goes bulk 10.0.0.3
	done
	pause 299
	name='less than five minutes later' goes bulk 10.0.0.3
	pause 301
	name='five minutes after the last packet' goes stays 10.0.0.3
	# 1201 s after the answer
	name='longer than it is true' goes stays 10.0.0.7
	look long.example.org
	pause 990
	name='as long as it is true' goes bulk 10.0.0.7
}

restarts() {
	look www.example.org
	kill -KILL "$daemon"
	wait "$daemon" 2>/dev/null
	daemon=
	name='without the daemon' goes bulk 10.0.0.3
	look missed.example.org
	name='nothing is learned without it' goes stays 10.0.0.13
	netniced_start
	name='started again' goes bulk 10.0.0.3
	look missed.example.org
	name='and it learns again' goes bulk 10.0.0.13
	rules "${base/name www.example.net and not tcp port 80 = video/tcp port 82 = video}"
	: >"$tmp/log"
	kill -HUP "$daemon"
	busywait 60 log_has 'reloaded: '
	name='other rules' goes video 10.0.0.6 82
	name='other rules: addresses of names that stay' goes bulk 10.0.0.3
	look late.example.org
	name='other rules: it learns' goes bulk 10.0.0.12
}

# programs_pinned: all of them; one that is made again has another number
programs_pinned() { stat -c '%n %i' $pins/*/*gress; }

# A device comes: its VIFs get their programs, others keep theirs
device() {
	local before
	before=$(programs_pinned)
	rules "$base
[vif late0/web]
program = name *.example.org = bulk
[vif late0/web/bulk]
class = 1"
	: >"$tmp/log"
	kill -HUP "$daemon"
	busywait 60 log_has 'reloaded: '
	fails 'other rules: all programs are made again' [ "$(programs_pinned)" = "$before" ]
	before=$(programs_pinned)
	ip link add late0 type dummy
	ok 'a device comes: its VIF has a program' \
		busywait 20 grep -q "^egress admin $pins/late0_2fweb/egress" /proc/network/late0/web/program
	check_eq 'and others have theirs' "$(programs_pinned | grep -v late0)" "$before"
	look device.example.org
	name='whose names are followed' goes bulk 10.0.0.14
	ip link del late0
}

# Each answer comes after a thousand that are garbled; what a stock kernel's time is not for.
garbled() {
	local i n=1000
	in_uml || n=20
	serve garble $n 1
	for ((i = 0; i < 10; i++)); do
		look "garbled$i.example.org"
		look www.example.org
		look other.example.com
	done
	serve
	ok "after $((60 * n)) garbled answers it is there" kill -0 "$daemon"
	look last.example.org
	name='and it learns' goes bulk 10.0.0.15
	check_eq 'another tenant: as before' "$(where $eth0/other 10.0.0.9)" 'theirs 1/1'
	check_eq 'another tenant: other names, as before' "$(where $eth0/other 10.0.0.3)" ''
	log_clean
}

ends() {
	rules "${base/program = name \*.example.com = theirs/}"
	: >"$tmp/log"
	kill -HUP "$daemon"
	busywait 60 log_has 'reloaded: '
	check_eq 'a rule that is gone: so is the program' "$(cat $eth0/other/program)" $'egress none\ningress none'
	check_eq 'and what was pinned' "$(ls $pins)" eth0_2fweb
	netniced_stop
	rules '[vif eth0/other]'
	netniced_start
	check_eq 'rules that went while it was stopped' "$(cat $eth0/web/program)" $'egress none\ningress none'
	check_eq 'nothing is pinned' "$(ls $pins)" ''
	check_eq 'and nothing is captured' "$(grep -c ' 0003 ' /proc/net/packet)" 0
}

begin
need netnice socat
setup_veth
for i in {3..16} {20..22}; do
	peer ip addr add "10.0.0.$i/24" dev eth0
	peer ip addr add "fd00::$i/64" dev eth0 nodad
done
cp /etc/resolv.conf "$tmp/before" 2>/dev/null
defer cp "$tmp/before" /etc/resolv.conf
resolver 'nameserver 10.0.0.2'
serve
rules '[vif eth0/web]'
need_netniced
netniced_stop
without_bpf
learns
other_ways
tenants
strangers
ages
restarts
device
garbled
ends
netniced_stop
