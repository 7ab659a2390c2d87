#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=uml
# lab: virtual, check=uml, timeout=3600, budget=5
#
# Five TCP/IP stacks at one address: two of lwIP (Documentation/examples/lwip-server.c), the
# kernel of a network namespace, a User Mode Linux, all of user 1000, and the host's own. The peer
# talks to each in turn, and to all at once, by TCP and UDP, IPv4 and IPv6. Each gets what is
# its own, and nothing else, and no port is reported closed.
#
#	user 1000                                        namespace peer
#	lwIP, port 4001 ------- tap --\
#	lwIP, port 4002 ------- tap --- eth0 10.0.0.1 ---- eth0 10.0.0.2
#	netnice --kernel, 4003 veth --/      fd00::1            fd00::2
#	User Mode Linux, 4004 -- tap -/        \ the host's kernel, port 4005

. "$(dirname "$0")/lib.sh"

top=/proc/network/eth0
declare -A stack_pid
stacks=() servers=()

# --- who is there --------------------------------------------------------------------------

# begin_stack SAYS NAME PORT WORD...: netnice of user 1000, at that port
begin_stack() {
	local says=$1 name=$2 port=$3
	shift 3
	background as_user netnice -i eth0 -n "$name" --port "tcp:$port" --port "udp:$port" "$@" >"$tmp/$name" 2>&1
	stack_pid[$name]=$!
	if busywait 60 echoes_at "$port"; then
		stacks+=("$name:$port")
		pass "$says answers at port $port"
	else
		fail "$says answers at port $port" "$(cat "$tmp/$name")"
	fi
}

# echoes_at PORT: a server echoes there
echoes_at() { [ "$(echo ready | peer timeout 2 socat -t 0.5 - "UDP:10.0.0.1:$1" 2>/dev/null)" = ready ]; }

# what echoes with the kernel's stack, whichever that is
# shellcheck disable=SC2016
echo_at='setpriv --pdeathsig TERM roundtrip answer udp $0 & exec roundtrip answer tcp $0'

# what the first process of the User Mode Linux does, whose root is the guest's
uml_init() {
	cat >"$tmp/init" <<-END
		#!/bin/bash
		export PATH=$net_dir:/usr/sbin:/usr/bin
		mount -n -t proc proc /proc
		for module in lib/crc-ccitt net/ipv6/ipv6; do insmod /usr/lib/uml/modules/*/kernel/\$module.ko; done
		ip link set lo up
		ip addr add 10.0.0.1/32 dev vec0
		ip addr add fd00::1/128 dev vec0 nodad
		ip link set vec0 up
		ip route add default dev vec0 src 10.0.0.1
		ip route add default dev vec0 src fd00::1
		bash -c '$echo_at' 4004
	END
	chmod 755 "$tmp/init"
}

# In a namespace of processes, with which all of its own end: it does not end them all itself.
# shellcheck disable=SC2016
begin_uml() {
	uml_init
	install -d -o 1000 "$tmp/uml.dir"
	begin_stack 'a User Mode Linux' uml 4004 --stack -- unshare -cpf --kill-child sh -c '
		export TMPDIR=$0
		exec linux.uml mem=96M rootfstype=hostfs root=/dev/root ro init="$1" uml_dir="$0/" umid=one \
			con=null con0=null,fd:1 ssl=null quiet panic=-1 \
			"vec0:transport=fd,fd=$NETNICE_TAP,vec=0,mac=02:00:00:00:00:05"' "$tmp/uml.dir" "$tmp/init"
	defer kill -KILL "${stack_pid[uml]}"
}

setup() {
	modprobe -a tun veth 2>/dev/null
	chmod 666 /dev/net/tun
	chmod 711 "$tmp"
	setup_veth
	peer sysctl -qw net.ipv6.conf.eth0.router_solicitations=0
	for port in 4001 4002; do
		begin_stack lwIP lwip$port $port --stack lwip-server $port
	done
	begin_stack "a namespace's kernel" kernel 4003 --kernel bash -c "$echo_at" 4003
	if in_uml; then
		skip 'a User Mode Linux answers at port 4004' 'there is none in a User Mode Linux'
	elif ! command -v linux.uml >/dev/null; then
		skip 'a User Mode Linux answers at port 4004' 'there is no linux.uml'
	else
		begin_uml
	fi
	background as_user bash -c "$echo_at" 4005 >/dev/null
	busywait 20 echoes_at 4005
	servers=("${stacks[@]}" host:4005)
}

# --- who sees what -------------------------------------------------------------------------

# dump NAME COMMAND...: what tcpdump sees with that command
dump() {
	local name=$1
	shift
	background "$@" -s 128 --immediate-mode -U -w "$tmp/$name.pcap" 2>"$tmp/$name.tcpdump"
	busywait 20 file_says "$tmp/$name.tcpdump" 'listening on' || note "$(cat "$tmp/$name.tcpdump")"
}

# tap_of PID: the descriptor of the tap that it has got
tap_of() { tr '\0' '\n' </proc/"$1"/environ | sed -n 's/^NETNICE_TAP=//p'; }

# Of a tap, what comes to the stack is what its other end sends.
watch() {
	local stack pid
	for stack in "${stacks[@]%:*}"; do
		pid=${stack_pid[$stack]}
		if [ "$stack" = kernel ]; then
			dump "$stack" nsenter -t "$pid" -n tcpdump -i eth0 -Q in
		else
			dump "$stack" tapns "$pid" "$(tap_of "$pid")" tcpdump -i netnice -Q out
		fi
	done
	dump wire "${peer_prefix[@]}" tcpdump -i eth0
}

# packets NAME FILTER: those that have been seen; seen NAME FILTER: how many
packets() { tcpdump -nr "$tmp/$1.pcap" "$2" 2>/dev/null; }
seen() { packets "$@" | wc -l; }

# what a link is kept alive with; and what the namespace of a tap says of itself
link='arp or (icmp6 and ip6[40] >= 133 and ip6[40] <= 136) or (src net fe80::/10 and dst net ff02::/16)'
# IPv6's TCP has no name for its flags. User Mode Linux is so slow where it is emulated that it sends
# the ends of connections twice, and resets those that are answered twice: that is its own.
resets='((tcp[tcpflags] & tcp-rst != 0) or (ip6[6] = 6 and ip6[53] & 4 != 0)) and not src port 4004'
errors='(icmp and icmp[0] != 8 and icmp[0] != 0) or (icmp6 and ip6[40] < 128)'

# denied: what this host's kernel has said of closed ports
denied() {
	nstat -asz TcpOutRsts IcmpOutDestUnreachs Icmp6OutDestUnreachs UdpNoPorts Udp6NoPorts |
		awk '/^[A-Z]/ { printf "%s=%s ", $1, $2 }'
}

# --- who gets what -------------------------------------------------------------------------

# targets PORT...: of both protocols and families
targets() {
	local port address
	for port; do
		for address in 10.0.0.1 fd00::1; do
			printf 'tcp %s %s\nudp %s %s\n' "$address" "$port" "$address" "$port"
		done
	done
}

# ask NAME COUNT BYTES PORT...: each echoes what it is sent, and that alone
ask() {
	local name=$1 count=$2 size=$3
	shift 3
	# shellcheck disable=SC2046
	peer echoes "$count" "$size" $(targets "$@") >"$tmp/said" 2>&1
	check_eq "$name" "$(cat "$tmp/said")" \
		"$(targets "$@" | sed "s/\$/: $count connections, $((count * size)) bytes/")"
	total=$((total + 4 * $# * count)) total_bytes=$((total_bytes + 4 * $# * count * size))
}

serve() {
	local server total=0 total_bytes=0
	for server in "${servers[@]}"; do
		ask "${server%:*}, alone" 4 20000 "${server#*:}"
	done
	ask 'all at once' 4 20000 "${servers[@]#*:}"
	ask 'many at once' 20 2000 "${servers[@]#*:}"
	note "$total connections, and what is one for UDP, $total_bytes bytes each way"
	for port in 4001 4002; do
		for address in 10.0.0.1 '[fd00::1]'; do
			check_eq "the page of $port at $address" "$(peer curl -s "http://$address:$port/")" "This is lwIP, at port $port."
		done
	done
}

judge() {
	local stack name port
	for stack in "${stacks[@]}"; do
		name=${stack%:*} port=${stack#*:}
		check "$name gets its own: $(seen "$name" "dst port $port") packets" "$(seen "$name" "dst port $port") > 200"
		check_eq "$name: and nothing else" "$(packets "$name" "not (dst port $port or $link)")" ''
	done
	check "on the wire: $(seen wire tcp) packets of TCP, $(seen wire udp) of UDP" "$(seen wire tcp) > 1000"
	check_eq 'nothing was reset' "$(packets wire "$resets")" ''
	check_eq 'nor is anything unreachable' "$(packets wire "$errors")" ''
	check_eq 'nor has the kernel counted such' "$(denied)" "$before"
	check_eq 'no stack has sent as another one' \
		"$(cat "$top"/user-1000/*/stat | awk '/^stack_(address|port)_refused/ { n += $2 } END { print n }')" 0
}

# A closed port is seen by all of these: otherwise they would not mean anything.
closed() {
	peer timeout 2 socat -u OPEN:/dev/null TCP:10.0.0.1:4009 2>/dev/null
	peer timeout 2 socat -u OPEN:/dev/null 'TCP:[fd00::1]:4009' 2>/dev/null
	echo | peer timeout 1 socat -t 0.2 - UDP:10.0.0.1:4009 2>/dev/null
	echo | peer timeout 1 socat -t 0.2 - 'UDP:[fd00::1]:4009' 2>/dev/null
	pause 0.2
	check_eq 'a closed port is reset' "$(seen wire "$resets")" 2
	check_eq 'and unreachable' "$(seen wire "$errors")" 2
	fails 'and counted' [ "$(denied)" = "$before" ]
}

begin
need netnice lwip-server socat tcpdump curl
setup
watch
before=$(denied)
serve
pause 0.5
judge
closed
log_clean
