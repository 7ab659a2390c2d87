#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, budget=8
#
# netnice --kernel and --stack: commands of an ordinary user, with a TCP/IP of their own, at the
# host's addresses (setup_veth, lib.sh).
. "$(dirname "$0")/lib.sh"

top=/proc/network/eth0
here=(10.0.0.1 '[fd00::1]')
there=(10.0.0.2 '[fd00::2]')

# user_runs WORD...: netnice as user 1000, on eth0
user_runs() { as_user netnice -i eth0 "$@"; }

# vifs: all that there are
vifs() { find $top -mindepth 1 -type d -printf '%P\n' | sort | xargs; }
no_vifs() { [ -z "$(vifs)" ]; }
gone() { ok "$1: nothing is left of it within a second" busywait 1 no_vifs; }
free() { as_user kinds socket tcp4 bind 0.0.0.0 "$1" close && as_user kinds socket udp4 bind 0.0.0.0 "$1" close; }

# start WORD...: the same in the background, as $pid
start() {
	"${user_prefix[@]}" env --default-signal=INT netnice -i eth0 "$@" >"$tmp/out" 2>&1 </dev/null &
	pid=$!
	defer stop $pid
}

sum() { sha256sum | cut -d' ' -f1; }
begins() { busywait 20 peer curl -so /dev/null "http://${here[0]}:$1/file"; }

setup() {
	modprobe -a tun veth 2>/dev/null
	chmod 666 /dev/net/tun
	chmod 711 "$tmp"
	setup_veth
	mkdir "$tmp/www"
	head -c 1000000 /dev/urandom >"$tmp/www/file"
	chmod -R a+rX "$tmp/www"
	background peer busybox httpd -f -p 80 -h "$tmp/www"
	want=$(sum <"$tmp/www/file")
}

# --- --kernel ------------------------------------------------------------------------------

serves() {
	local n
	start -b 10mbit --kernel --port tcp:8080 -- busybox httpd -f -p 8080 -h "$tmp/www"
	begins 8080
	for n in 0 1; do
		check_eq "a server of the user's at ${here[n]}" "$(peer curl -s "http://${here[n]}:8080/file" | sum)" "$want"
	done
	check_eq 'in a VIF of the user' "$(vifs)" "user-1000 user-1000/netnice.$pid"
	check_eq 'which is limited' "$(xargs <"$top/user-1000/netnice.$pid/bandwidth")" 'egress 10mbit ingress 10mbit'
	check "and has passed it" "$(vif_stat "$top/user-1000/netnice.$pid" egress_bytes) > 2000000"
	check_eq 'it is a process of its user' "$(stat -c %u /proc/$pid)" 1000
	fails 'no other program gets the port' free 8080
	check_eq 'it takes 80 a second' "$(peer curl -so /dev/null -w '%{time_total}' "http://${here[0]}:8080/file" | cut -c1-3)" 0.8
	kill -9 $pid
	wait $pid 2>/dev/null
	gone 'killed by SIGKILL'
	ok 'and its port is free' busywait 1 free 8080
}

asks() {
	local n
	for n in 0 1; do
		check_eq "a client of the user's, from ${there[n]}" \
			"$(user_runs --kernel curl -s "http://${there[n]}/file" | sum)" "$want"
	done
	# shellcheck disable=SC2016
	check_eq 'eight at once' "$(user_runs --kernel --port auto:16 sh -c '
		for i in 1 2 3 4 5 6 7 8; do curl -s http://10.0.0.2/file | sha256sum & done; wait' | sort -u | cut -d' ' -f1)" "$want"
	# shellcheck disable=SC2016
	check_eq 'it is who it was, without power' \
		"$(user_runs --kernel sh -c 'echo $(id -u) $(id -g) $(grep CapEff /proc/self/status | tr -d 0)')" '1000 1000 CapEff:'
	check_eq 'and has the addresses of the host' \
		"$(user_runs --kernel ip -br addr show dev eth0 | awk '{ print $3, $4 }')" '10.0.0.1/32 fd00::1/128'
	check_eq 'whose starter ignores SIGCHLD, which goes on' "$(trap '' CHLD; user_runs --kernel sh -c 'grep SigIgn /proc/self/status' |
		tail -c 6 | cut -c1)" 1
	ip addr add 10.0.0.4/24 dev eth0 label eth0:1
	check_eq 'those that have labels, too' \
		"$(user_runs --kernel ip -br addr show dev eth0 | awk '{ print $4 }')" 10.0.0.4/32
	ip addr del 10.0.0.4/24 dev eth0
	check_eq 'which may do multicast' "$(user_runs --kernel ip link show dev eth0 | grep -c MULTICAST)" 1
	check_eq 'and its MTU' "$(user_runs --kernel cat /sys/class/net/eth0/mtu)" 1500
	# shellcheck disable=SC2016
	check_eq 'as many ports to send from' \
		"$(user_runs --kernel --port auto:10 awk '{ print $2 - $1 }' /proc/sys/net/ipv4/ip_local_port_range)" 9
	check_eq 'root stays root' "$(netnice -i eth0 --kernel sh -c 'id -u; curl -s http://10.0.0.2/file | sha256sum' | xargs)" "0 $want -"
	check_eq 'and others are who they are' "$(netnice -i eth0 --kernel setpriv --reuid=7 --clear-groups id -u)" 7
	check_eq 'one may be in another' \
		"$(user_runs -b 50mbit netnice -b 10mbit -i eth0 --kernel curl -s "http://${there[0]}/file" | sum)" "$want"
	check_near 'and has no more than that: seconds for a megabyte by 4 Mbit/s' \
		"$(user_runs -b 4mbit netnice -b 100mbit -i eth0 --kernel curl -so /dev/null -w '%{time_total}' "http://${there[0]}/file")" 2.1 10
	gone 'all of that'
}

# exits STATUS NAME WORD...
exits() {
	local want=$1 name=$2
	shift 2
	user_runs "$@" >/dev/null 2>&1
	check_eq "exit status: $name" $? "$want"
	gone "$name"
}

ends() {
	exits 0 'true' --kernel true
	exits 7 'exit 7' --kernel sh -c 'exit 7'
	exits 127 'not found' --kernel none
	exits 126 'not executable' --kernel /etc/passwd
	exits 143 'terminated' --kernel sh -c 'kill $$'
	exits 9 'with a tap' --stack sh -c 'exit 9'
	exits 127 'with a tap, not found' --stack none
	start --kernel --port tcp:8081 sh -c 'sleep 1000 & exec sleep 1000'
	busywait 5 eval '! free 8081 2>/dev/null'
	kill -INT $pid
	wait $pid
	check_eq 'interrupted' $? 130
	fails 'what it has left goes on' no_vifs
	kill "$(cat "$top"/user-1000/*/tasks)"
	gone 'and takes all with it'
	ok 'the port, too' busywait 1 free 8081
}

# --- --stack -------------------------------------------------------------------------------

taps() {
	local n
	start -b 10mbit --stack --port udp:4000 --port tcp:4000 --port auto:8 ustack given '' '' say ready echo
	busywait 5 file_says "$tmp/out" ready
	for n in 0 1; do
		check_eq "a stack of the user's at ${here[n]}" \
			"$(echo hello | peer timeout 5 socat -t 0.2 - "UDP:${here[n]}:4000" 2>&1)" hello
	done
	check_eq 'the VIF has its ports' "$(grep -c . "$top/user-1000/netnice.$pid/ports")" 18
	check_eq 'of which it is told' "$(tr '\0' '\n' </proc/$pid/environ | grep ^NETNICE_PORTS)" \
		"NETNICE_PORTS=$(sed -n 's/^tcp //p' "$top/user-1000/netnice.$pid/ports" | sed -n '1p;8p' | paste -s -d -)"
	check_eq 'and of addresses and MTU' "$(tr '\0' '\n' </proc/$pid/environ | grep -E '^NETNICE_(MTU|ADD)' | sort | xargs)" \
		'NETNICE_ADDRESSES=10.0.0.1 fd00::1 NETNICE_MTU=1500'
	check_eq 'whose descriptor is none of the first three' "$(as_user sh -c 'exec netnice -i eth0 --stack printenv NETNICE_TAP <&- 2>&-')" \
		"$(as_user netnice -i eth0 --stack printenv NETNICE_TAP </dev/null 2>/dev/null)"
	check_eq 'no device is on the host' "$(ip -o link | grep -c netnice)" 0
	check_eq 'whose programs it is among' "$(readlink /proc/$pid/ns/net)" "$(readlink /proc/self/ns/net)"
	kill -9 $pid
	wait $pid 2>/dev/null
	gone 'killed with a tap'
	ok 'and its ports are free' busywait 1 free 4000
}

# echoes: five datagrams to the stack, and back
echoes() {
	local i
	for i in 1 2 3 4 5; do echo hello | peer timeout 5 socat -t 0.2 - UDP:10.0.0.1:4000; done
}

# What is missed: a stack that began before its user's processes were attached (limits.rst). It does not
# belong to any other process of the user, either. What helps: a limit of the user's VIF.
before_attached() {
	local low=$top/low ours other flood before
	mkdir $low
	background "${in_vif_prefix[@]}" $low "${user_prefix[@]}" sleep 1000
	other=$!
	start --stack --port udp:4000 --port auto:0 ustack given '' '' say ready echo
	busywait 20 file_says "$tmp/out" ready
	ours=$top/user-1000/netnice.$pid
	echoes >/dev/null
	pause 0.5
	echo $pid >$low/tasks
	check_eq 'before its process was attached: a stack echoes' "$(echoes | sort -u)" hello
	check_eq 'in the VIF of its user, and of no process' "$(vif_stat $ours egress_packets) $(vif_stat $ours ingress_packets) $(
		vif_stat $low egress_packets) $(vif_stat $low ingress_packets)" '10 10 0 0'
	fails 'its user gets no further port' "${in_vif_prefix[@]}" $low "${user_prefix[@]}" sh -c "echo udp 4001 >$ours/ports"
	echo 64k >$top/user-1000/bandwidth
	before=$(vif_stat $ours ingress_bytes)
	background peer traffic send udp 10.0.0.1 4000 --rate 1m --size 500 >/dev/null 2>&1
	flood=$!
	pause 2
	check "a limit of the user's VIF holds: bytes in two seconds" "$(vif_stat $ours ingress_bytes) - $before < 30000"
	stop $flood $pid $other
	busywait 5 rmdir $low
	gone 'all of that'
}

# who may bind privileged ports, and nothing else
privileged() {
	local option
	for option in --kernel --stack; do
		check_eq "$option: with CAP_NET_BIND_SERVICE, which the command has not: a privileged port" \
			"$(setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all,+net_bind_service \
				--ambient-caps=-all,+net_bind_service netnice -i eth0 $option --port tcp:80 --port auto:0 \
				setpriv --inh-caps=-all --ambient-caps=-all \
				sh -c 'cat /proc/network/eth0/user-1000/*/ports; grep CapEff /proc/self/status | tr -d 0' 2>&1 | xargs)" \
			'tcp 80 CapEff:'
		gone "$option, at a privileged port"
		ok 'which is free' busywait 1 kinds socket tcp4 bind 0.0.0.0 80 close
	done
}

# --- in a user namespace ----------------------------------------------------------------------

# as podman's users are
# shellcheck disable=SC2016
below() {
	local who=(as_user unshare -r)
	allow_user_namespaces
	check_eq 'root of a user namespace has the VIF of its user' \
		"$("${who[@]}" netnice -i eth0 -n own readlink /proc/network/tasks/self/eth0)" ../../eth0/user-1000/own
	check_eq 'a client there' "$("${who[@]}" netnice -i eth0 --kernel curl -s "http://${there[1]}/file" | sum)" "$want"
	check_eq 'it has no other user namespace' "$("${who[@]}" sh -c 'readlink /proc/self/ns/user
		netnice -i eth0 --kernel readlink /proc/self/ns/user' | uniq | wc -l)" 1
	check_eq 'nor the network of the host' "$("${who[@]}" sh -c 'readlink /proc/self/ns/net
		netnice -i eth0 --kernel readlink /proc/self/ns/net' | uniq | wc -l)" 2
	check_eq 'who is not its root gets one' "$(as_user unshare --map-user=1000 --map-group=1000 netnice -i eth0 --kernel id -u)" 1000
	check_eq 'so does root of a private network' \
		"$(as_user unshare -rnm sh -c 'ip link add eth0 type veth peer name end; ip link set eth0 up; ip link set end up
			ip addr add 10.9.0.1/24 dev eth0; mount -t netnice none /proc/network
			readlink /proc/self/ns/user; netnice -i eth0 --kernel readlink /proc/self/ns/user
			: that network is there as long as this shell' | uniq | wc -l)" 2
	gone 'all of that, too'
}

# --- what is wrong -------------------------------------------------------------------------

# says WORDS NAME WORD...: fails with 125, leaves nothing, and says so
says() {
	local words=$1 name=$2 out status
	shift 2
	out=$(as_user netnice "$@" 2>&1)
	status=$?
	if [ $status = 125 ] && [[ $out =~ $words ]] && [ "$(wc -l <<<"$out")" -le 2 ]; then
		pass "$name"
	else
		fail "$name" "$status: $out"
	fi
	no_vifs || gone "$name"
}

wrong() {
	local port option
	for port in '' tcp tcp: tcp:0 tcp:65536 tcp:-1 tcp:http sctp:9 auto auto: auto:1025 80; do
		says "not a port: '$port'" "no port: '$port'" -i eth0 --kernel --port "$port" true
	done
	says '--port needs --kernel or --stack' 'a port of nothing' -i eth0 --port tcp:80 true
	says '--kernel and --stack exclude each other' 'both' -i eth0 --kernel --stack true
	for option in '--pid 1' '--cgroup /' --show; do
		# shellcheck disable=SC2086
		says '--kernel goes with a command' "$option" --kernel $option
	done
	says 'no command given' 'no command' -i eth0 --kernel
	says 'is on one device: give -i once' 'two devices' -i eth0 -i lo --stack true
	says 'there is no default route: give a device' 'no device' --kernel true
	says 'lo: this device has no address that others' 'lo' -i lo --kernel true
	for option in --kernel --stack; do
		says 'tcp port 80 requires CAP_NET_BIND_SERVICE' "$option: a privileged port" -i eth0 $option --port tcp:80 true
		background socat UDP6-RECVFROM:4002,fork EXEC:cat
		says 'udp port 4002 is in use' "$option: a port of the kernel" -i eth0 $option --port udp:4002 true
		stop $!
		sysctl -qw user.max_user_namespaces=0
		says "$option takes user and network namespaces of one's own, which are refused here" \
			"$option: no namespaces" -i eth0 $option true
		sysctl -qw user.max_user_namespaces=10000
	done
	chmod 600 /dev/net/tun
	says '/dev/net/tun: Permission denied' 'no taps' -i eth0 --stack true
	chmod 666 /dev/net/tun
	peer ip addr add 10.0.1.1/32 dev lo
	ip route add default via 10.0.0.2 metric 2
	check_eq 'the default route says on which device' \
		"$(as_user netnice --kernel curl -s http://10.0.1.1/file | sum)" "$want"
	ip route add blackhole default metric 1
	check_eq 'but one that leads nowhere does not' "$(as_user netnice --kernel cat /sys/class/net/eth0/mtu)" 1500
	ip route del blackhole default metric 1
	ip route del default metric 2
}

begin
need netnice busybox socat curl
setup
serves
asks
ends
taps
before_attached
privileged
below
wrong
log_clean
