#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=here
# lab: virtual, check=none, mem=3072, timeout=3600
#
# lab here --net stack, of an ordinary user: programs of this machine on a User Mode Linux that
# shares its addresses, by port, with its own programs (setup_veth, lib.sh). The guest has a
# checkout and a cache, of what is built here for the User Mode Linux.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/stacks.sh"

top=/proc/network/eth0
here=(10.0.0.1 '[fd00::1]')
there=(10.0.0.2 '[fd00::2]')
cd /srv/checkout || exit
lab=selftests/lab/lab
export NETNICE_CACHE=/srv/cache TMPDIR=/var/tmp

# here [OPTION]... COMMAND...: the laboratory's
here() { as_user "$lab" here --no-build --net stack "$@"; }

# stacked OPTION... COMMAND...: in a stack that has these options of netnice
stacked() {
	local options=()
	while [[ $1 = -* ]]; do
		options+=("$1" "$2")
		shift 2
	done
	"${user_prefix[@]}" netnice -i eth0 "${options[@]}" --stack -- "$lab" here --no-build --net stack "$@"
}

sum() { sha256sum | cut -d' ' -f1; }
no_vifs() { [ -z "$(find $top -mindepth 1 -type d)" ]; }

gone() {
	ok "$1: its VIF has gone within a second" busywait 1 no_vifs
	check_eq "$1: no process is left" "$(pgrep -u 1000 | wc -l)" 0
}

# begin_server OPTION...: at port 8080, as $server
begin_server() {
	stacked "$@" --port tcp:8080 busybox httpd -f -p 8080 -h "$tmp/www" >"$tmp/server" 2>&1 </dev/null &
	server=$!
	defer kill -KILL $server
	busywait 120 peer curl -so /dev/null "http://${here[0]}:8080/file" || note "$(cat "$tmp/server")"
}

setup() {
	stacks_setup
	# by which netnice finds the device
	ip route add default via 10.0.0.2
	mkdir "$tmp/www"
	head -c 1000000 /dev/urandom >"$tmp/www/file"
	chmod -R a+rX "$tmp"
	background peer busybox httpd -f -p 80 -h "$tmp/www"
	# shellcheck disable=SC2016
	background peer socat TCP-LISTEN:5001,fork SYSTEM:'echo $SOCAT_PEERADDR $SOCAT_PEERPORT'
	want=$(sum <"$tmp/www/file")
}

asks() {
	local n
	for n in 0 1; do
		check_eq "a client, at ${there[n]}" "$(here curl -sS "http://${there[n]}/file" | sum)" "$want"
	done
	check_eq 'it is another kernel' "$(here uname -r)" "$(cat "$NETNICE_CACHE"/uml/uml-*/release)"
	check_eq 'which has the addresses' "$(here ip -o addr show dev vec0 scope global | awk '{ print $4 }' | xargs)" \
		'10.0.0.1/32 fd00::1/128'
	# shellcheck disable=SC2016
	check_eq 'its ports are those of the stack' "$(stacked --port auto:10 sh -c '
		cat /proc/sys/net/ipv4/ip_local_port_range; echo "$NETNICE_PORTS"; bash -c "cat </dev/tcp/10.0.0.2/5001"' |
		tr - ' ' | xargs | awk '{ print ($1 == $3 && $2 == $4 && $2 - $1 == 9), $5, ($6 >= $1 && $6 <= $2) }')" '1 10.0.0.1 1'
	here sh -c 'exit 7'
	check_eq 'exit status' $? 7
	gone 'all of that'
}

serves() {
	local n
	begin_server -b 10mbit
	for n in 0 1; do
		check_eq "a server at ${here[n]}" "$(peer curl -s "http://${here[n]}:8080/file" | sum)" "$want"
	done
	check_near 'it has 10 Mbit/s: seconds' \
		"$(peer curl -so /dev/null -w '%{time_total}' "http://${here[0]}:8080/file")" 0.83 5
	peer curl -so /dev/null "http://${here[0]}:8081/"
	check_eq 'another port is refused' $? 7
	background busybox httpd -f -p 8081 -h "$tmp/www"
	ok 'which the machine may have' busywait 20 peer curl -so /dev/null "http://${here[0]}:8081/file"
	fails 'its own it may not' can_bind tcp4 8080
	pkill -TERM -x lab
	wait $server
	check_eq 'ended' $? 143
	gone 'ended'
	ok 'its port is free' busywait 1 can_bind tcp4 8080
	begin_server
	pkill -KILL -x lab
	wait $server
	gone 'killed'
}

# says WORDS NAME COMMAND...: fails, and says so, in a line
says() {
	local words=$1 name=$2 out
	shift 2
	out=$("$@" 2>&1) && out="did not fail: $out"
	if [[ $out == *"$words"* ]] && [ "$(wc -l <<<"$out")" = 1 ]; then
		pass "$name"
	else
		fail "$name" "$out"
	fi
}

without() {
	mv /usr/bin/netnice "$tmp/"
	says 'lab: --net stack takes netnice on this machine' 'without netnice' here true
	mv "$tmp/netnice" /usr/bin/
	umount /proc/network
	remove_netnice
	says 'netnice: the netnice module is not loaded' 'without the module' here true
}

begin
need netnice busybox socat curl
setup
asks
serves
log_clean
without
