#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Behind a gateway there is a link, of some bandwidth or delay: what a server makes of it with the
# host's TCP/IP (none), with one of its own in the kernel (kernel: netnice --kernel), with one in
# user space (lwip: lwIP, netnice --stack).
#
#	server, here		gateway, peer			client, far
#	10.0.0.1  eth0 ------ eth0 10.0.0.2  10.2.0.1 eth1 ====== eth0 10.2.0.2
#
# echoed	bit/s of what the client gets back, over a link of NUMBER bit/s
# echo		nanoseconds until a byte is back, over a link with a delay of NUMBER microseconds
#
# And what the kernel knows of an upload, by curl(1) as it is, over 10 Mbit/s and 40 ms, in front
# of which 60 kB can wait: what vifctl watch says, each 100 ms; NUMBER is milliseconds.
#
# cwnd ssthresh	packets
# srtt		microseconds
# changes	of any of these, and lines; NUMBER is 0
#
# lab: virtual, timeout=3600
# shellcheck disable=SC2016,SC2154
. "$(dirname "$0")/lib.sh"

rates='1 4 10 40 100'
delays='250 1000 4000 16000 64000'
full || rates='1 10 100' delays='250 16000'
count=50

far_prefix=(nsenter --net=/run/netns/far --)
far() { "${far_prefix[@]}" "$@"; }

setup() {
	setup_veth
	line peer eth1 10.2.0 far
	peer sysctl -qw net.ipv4.ip_forward=1
	ip route add 10.2.0.0/24 via 10.0.0.2
	# one packet is one frame
	peer ip link set eth1 gso_max_segs 1
	peer ethtool -K eth1 gro off tso off gso off >/dev/null
}

# link [RATE|DELAY...]: tc's words for what the client gets, or nothing
link() {
	peer tc qdisc del dev eth1 root 2>/dev/null
	[ $# -eq 0 ] || peer tc qdisc add dev eth1 root "$@"
}

# begin_server PORT COMMAND...: which sends back what it gets, by the user
begin_server() {
	background as_user "${@:2}" >"$tmp/server.$1" 2>&1
	busywait 20 far bash -c ": <>/dev/tcp/10.0.0.1/$1" || note "$(cat "$tmp/server.$1")"
}

# echoed PORT MBIT: two seconds of it
echoed() {
	local bytes=$(($2 * 250000)) from=${EPOCHREALTIME/./} got
	got=$(head -c $bytes /dev/zero | far timeout 60 socat -b 65536 -t 60 - "TCP:10.0.0.1:$1" | wc -c)
	[ "$got" -ne $bytes ] || echo $((bytes * 8000000 / (${EPOCHREALTIME/./} - from)))
}

# echo_time PORT: the mean
echo_time() {
	far kinds socket tcp4 connect 10.0.0.1 "$1" times 5 '{' send 1 receive 1 '}' clock \
		times $count '{' send 1 receive 1 '}' clock |
		awk -v n=$count 'NR == 2 { printf "%.0f\n", ($1 - last) / n } { last = $1 }'
}

# measure SCHEME PORT
measure() {
	local rate delay
	for rate in $rates; do
		# 50 packets may wait, as in Dummynet, or 50 ms
		link tbf rate "${rate}mbit" burst 10k limit $((rate * 6250 > 75700 ? rate * 6250 : 75700))
		result echoed "$1" $((rate * 1000000)) "$(echoed "$2" "$rate")"
	done
	for delay in $delays; do
		link netem delay "${delay}us" limit 10000
		result echo "$1" "$delay" "$(echo_time "$2")"
	done
	link
}

# upload: by curl, as vifctl watch sees it
upload() {
	local row
	link tbf rate 10mbit burst 10k limit 60k
	far tc qdisc add dev eth0 root netem delay 40ms limit 10000
	background "${far_prefix[@]}" traffic sink tcp 8080 >"$tmp/sink"
	busywait 20 file_says "$tmp/sink" ready
	truncate -s 100m "$tmp/file"
	background sh -c 'sleep 1; exec curl -s -m 10 -H Expect: -T "$0" http://10.2.0.2:8080' "$tmp/file"
	vifctl watch -j process $! >"$tmp/watch"
	jq -r '[.time_ns / 1e6, .cwnd, .ssthresh, .srtt_us] | @tsv' "$tmp/watch" >"$tmp/changes"
	for row in cwnd:2 ssthresh:3 srtt:4; do
		# what held at the end of each 100 ms
		while read -r ms value; do
			result "${row%:*}" curl "$ms" "$value"
		done < <(awk -F '\t' -v field="${row#*:}" '
			NR == 1 { from = $1 }
			{ at = int(($1 - from) / 100) * 100 }
			NR > 1 { for (; last < at; last += 100) if (value != "") print last, value }
			{ value = $field }' "$tmp/changes")
		result changes "${row%:*}" 0 "$(cut -f "${row#*:}" "$tmp/changes" | uniq | wc -l)"
	done
	result changes lines 0 "$(wc -l <"$tmp/changes")"
}

begin
need netnice lwip-server socat curl jq vifctl
modprobe -a tun veth sch_tbf sch_netem
chmod 666 /dev/net/tun
setup
begin_server 7001 socat -b 65536 TCP4-LISTEN:7001,fork,reuseaddr,nodelay PIPE
begin_server 7002 netnice -i eth0 --kernel --port tcp:7002 \
	socat -b 65536 TCP4-LISTEN:7002,fork,reuseaddr,nodelay PIPE
begin_server 7003 netnice -i eth0 --stack --port tcp:7003 lwip-server 7003
measure none 7001
measure kernel 7002
measure lwip 7003
upload
check 'a stack of its own in the kernel has the link up to 10 Mbit/s' \
	"${results[echoed kernel 10000000]} > 0.97 * ${results[echoed none 10000000]}"
check 'the congestion window changes' "${results[changes cwnd 0]} > 10"
