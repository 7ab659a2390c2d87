#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What it costs a user to have a separate TCP/IP at the host's address: the same programs
# directly (none), attached to a VIF (netnice), with a stack of their own (kernel: netnice
# --kernel), and behind a proxy in user space (pasta). All of it is on one CPU, both ends too.
#
# stream	Mbit/s of TCP payload that the CPU, which does a thousand million instructions a
#		second, takes to the peer, with the offloads that there are
# maerts	the same from the peer
# tcp_rr	instructions of a request of a byte and its answer, over a connection
# udp_rr	the same by UDP
# tcp_crr	with a connection for each
#
# The names are netperf's, as in the thesis; the number is IP's version.
#
# lab: with=containers
# lab: virtual, mem=3072, timeout=3600
. "$(dirname "$0")/lib.sh"

versions='4 6'
full || versions=4
rounds=3
full || rounds=2
count=200
declare -A peers=([4]=10.0.0.2 [6]=fd00::2)

# best sort-OPTION COMMAND...: the first, so sorted, of what it says in each round
best() {
	local option=$1 i
	shift
	for ((i = 0; i < rounds; i++)); do "$@"; done | sort "$option" | head -n 1
}

# stream send|fetch PORT PREFIX...
stream() {
	local bytes=(--bytes 30m)
	if [ "$1" = fetch ]; then
		# it serves one
		background peer traffic serve tcp "$2" --size 65536 "${bytes[@]}" >"$tmp/serve"
		busywait 20 file_says "$tmp/serve" ready
		bytes=()
	fi
	"${@:3}" traffic "$1" tcp "$to" "$2" --size 65536 "${bytes[@]}" |
		sed -n 's/.* rate_bit_per_s=\([0-9]*\).*/\1/p' | awk '{ print $1 / 1e6 }'
}

# each BEFORE DO AFTER PREFIX...: nanoseconds that it takes to do that, after some as warming up
each() {
	local before=$1 do=$2 after=$3
	shift 3
	# shellcheck disable=SC2086
	"$@" kinds $before times 20 '{' $do '}' clock times $count '{' $do '}' clock $after |
		awk -v n=$count 'NR == 2 { print ($1 - last) / n } { last = $1 }'
}

# measure SCHEME PREFIX...
measure() {
	local scheme=$1 version to tcp udp
	shift
	for version in $versions; do
		to=${peers[$version]} tcp="socket tcp$version" udp="socket udp$version"
		result stream "$scheme" "$version" "$(best -rn stream send 5001 "$@")"
		result maerts "$scheme" "$version" "$(best -rn stream fetch 5002 "$@")"
		result tcp_rr "$scheme" "$version" \
			"$(best -n each "$tcp connect $to 7001" 'send 1 receive 1' close "$@")"
		result udp_rr "$scheme" "$version" \
			"$(best -n each "$udp connect $to 7002" 'send 1 receive 1' close "$@")"
		result tcp_crr "$scheme" "$version" \
			"$(best -n each '' "$tcp connect $to 7003 send 1 receive 1 close leave" '' "$@")"
	done
}

serve() {
	background peer traffic sink tcp 5001 >"$tmp/sink"
	background peer kinds socket tcp6 bind :: 7001 listen 9 say ready times 1000000 \
		'{' accept times $((20 + count)) '{' receive 1 send 1 '}' close leave '}' >"$tmp/tcp_rr"
	background peer kinds socket udp6 bind :: 7002 say ready times 100000000 '{' answer '}' >"$tmp/udp_rr"
	background peer kinds socket tcp6 bind :: 7003 listen 9 say ready times 1000000 \
		'{' accept receive 1 send 1 close leave '}' >"$tmp/tcp_crr"
	for server in sink tcp_rr udp_rr tcp_crr; do
		busywait 20 file_says "$tmp/$server" ready
	done
}

begin
need netnice pasta
modprobe -a tun veth
chmod 666 /dev/net/tun
setup_veth
# where pasta finds the device
ip route add default via 10.0.0.3
serve
mkdir /proc/network/eth0/v
measure none "${user_prefix[@]}"
measure netnice "${in_vif_prefix[@]}" /proc/network/eth0/v "${user_prefix[@]}"
measure kernel "${user_prefix[@]}" netnice -i eth0 --kernel --port auto:300
# Debian 12's makes no IPv6 of addresses without a router
versions=4 measure pasta "${with_root[@]}" "${user_prefix[@]}" pasta --config-net -i eth0 --
for row in tcp_rr udp_rr tcp_crr; do
	check "$row: less than behind a proxy" "${results[$row kernel 4]} < ${results[$row pasta 4]}"
done
