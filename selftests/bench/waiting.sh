#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a packet costs that has to wait, where one waits in each of many VIFs, or tc's
# classes. NUMBER is that of VIFs. instructions.sh says what is counted.
#
# CASE is own, each has a limit of its own, which holds it back, or shared, they have none but
# that of the VIF above, which all wait for. Who has no classes has flows: fq each with a
# limit of its own, cake and tbf with one for all.
#
# 80 Mbit/s in all, of datagrams with 600 bytes; 60,000 have 13 Mbit/s of 64 bytes, as all
# that waits on a device has a bound. Of tc's no more than it can make in time.
#
# lab: virtual, timeout=14400, mem=2048
# shellcheck disable=SC2034,SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../net/pairs.sh"
. "$(dirname "$0")/schemes.sh"
. "$(dirname "$0")/instructions.sh"

own_schemes='fq htb-codel hfsc netnice netnice-qdisc'
shared_schemes='tbf cake htb-codel hfsc netnice netnice-qdisc'
counts='10 1000'
! full || counts+=' 10000'
bytes=600 bits=80000000 header=42

# share COUNT own|shared: what each gets of it, in bit/s
share() { echo $((bits / $1)); }

# class_options KIND RATE
class_options() {
	case $1 in
	htb) echo "htb rate $2bit ceil ${3:-$2}bit quantum 1514" ;;
	hfsc) echo "hfsc ls rate $2bit ul rate ${3:-$2}bit" ;;
	esac
}

# set_waiting_classes KIND COUNT own|shared: as they are by packets' priorities
set_waiting_classes() {
	local kind=$1 count=$2 i parent=1: most=''
	{
		echo "qdisc add dev v$n root handle 1: $kind"
		if [ "$3" = shared ]; then
			parent=1:ffff most=$bits
			echo "class add dev v$n parent 1: classid $parent $(class_options "$kind" $bits)"
		fi
		printf "class add dev v$n parent $parent classid 1:%x $(class_options "$kind" "$(share "$count")" $most)\n" \
			$(seq 1 "$count")
		[ "$kind" = hfsc ] ||
			for ((i = 1; i <= count; i++)); do
				printf 'qdisc add dev v%s parent 1:%x handle %x: fq_codel\n' "$n" $i $((i + 1))
			done
	} | tc -batch -
}

# set_waiting_vifs COUNT own|shared: in `folder`
set_waiting_vifs() {
	local i
	folder=/proc/network/v$n/above
	mkdir "$folder" && seq -f "$folder/%.0f" "$1" | xargs mkdir || return
	if [ "$2" = shared ]; then
		echo $bits >"$folder/bandwidth"
		return
	fi
	for ((i = 1; i <= $1; i++)); do
		echo "$(($(share "$1")))" >"$folder/$i/bandwidth" || return
	done
}

# set_waiting SCHEME COUNT own|shared
set_waiting() {
	folder=''
	case $1 in
	# who has sent nothing for 40 ms may send more at once, unless told otherwise
	fq) tc qdisc add dev "v$n" root fq maxrate "$(share "$2")bit" refill_delay 1000s \
		limit 100000 buckets 16384 ;;
	cake) tc qdisc add dev "v$n" root cake bandwidth ${bits}bit besteffort flows memlimit 64mb ;;
	tbf) tc qdisc add dev "v$n" root tbf rate ${bits}bit burst 10000 limit 64mb ;;
	htb-codel | hfsc) set_waiting_classes "${1%-codel}" "$2" "$3" ;;
	netnice) set_waiting_vifs "$2" "$3" ;;
	netnice-qdisc) set_waiting_vifs "$2" "$3" && tc qdisc add dev "v$n" root netnice ;;
	esac
}

# measure own|shared SCHEME COUNT
measure() {
	local case=$1 scheme=$2 count=$3 folder sender
	pair_new && set_waiting "$scheme" "$count" "$case" || fail "$case $scheme $count" || return
	background waiters "$count" "10.1.$n.2" 9 $bytes ${folder:+"$folder"} >"$tmp/waiters"
	sender=$!
	busywait 60 file_says "$tmp/waiters" ready || fail "$case $scheme $count: all wait" || return
	pause 2
	frames_cost "$case" "$scheme" "$count" "$there" $((bits / 8 / (bytes + header))) 1
	stop $sender
	pair_del "$n"
}

begin
need netnice nft
peer_begin
peer nft 'table inet silence { chain c {
	type filter hook prerouting priority -400; meta l4proto udp drop; }; }'
sysctl -q net.ipv4.ip_local_port_range='1024 65535'
for count in $counts; do
	for case in own shared; do
		schemes=${case}_schemes
		for scheme in ${!schemes}; do
			measure $case "$scheme" "$count"
		done
	done
done
if full; then
	bytes=64 bits=13000000
	for scheme in netnice netnice-qdisc; do measure shared $scheme 60000; done
fi
check 'all were measured' "${#results[@]} > 0"
