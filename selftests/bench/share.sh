#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Three siblings under a limit of 10 Mbit/s, by weights 1, 2 and 5, each of which sends
# 10 Mbit/s (UDP). A packet capture at the peer says who gets what in each second.
#
# share		the largest deviation of one from its share in any second but the first, per
#		cent of this share; NUMBER is the limit in bit/s
#
# lab: virtual, timeout=1800
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../net/pairs.sh"
. "$(dirname "$0")/schemes.sh"

weights=(1 2 5)
seconds=11
full || seconds=4

# siblings_htb, siblings_hfsc: by destination port
siblings_htb() {
	tc qdisc add dev "v$n" root handle 1: htb default 1 &&
		tc class add dev "v$n" parent 1: classid 1:10 htb rate 10mbit || return
	local i
	for i in 0 1 2; do
		tc class add dev "v$n" parent 1:10 classid 1:2$i htb rate "$((weights[i] * 1250))kbit" ceil 10mbit
	done
	siblings_filter
}

siblings_hfsc() {
	tc qdisc add dev "v$n" root handle 1: hfsc default 20 &&
		tc class add dev "v$n" parent 1: classid 1:10 hfsc ls rate 10mbit ul rate 10mbit || return
	local i
	for i in 0 1 2; do
		tc class add dev "v$n" parent 1:10 classid 1:2$i hfsc ls rate "$((weights[i] * 1250))kbit"
	done
	siblings_filter
}

siblings_filter() {
	local i
	for i in 0 1 2; do
		tc filter add dev "v$n" parent 1: protocol ip prio 1 flower ip_proto udp \
			dst_port $((5001 + i)) classid 1:2$i || return
	done
}

siblings_netnice() {
	local i
	echo 10mbit >"/proc/network/v$n/bandwidth" || return
	for i in 0 1 2; do
		mkdir "/proc/network/v$n/$i" &&
			echo $((weights[i] * 100)) >"/proc/network/v$n/$i/weight" || return
	done
}

siblings_netnice-qdisc() { siblings_netnice && tc qdisc replace dev "v$n" root netnice; }

# measure SCHEME
measure() {
	local scheme=$1 i prefix senders=()
	pair_new && "siblings_$scheme" || fail "$scheme" || return
	for i in 0 1 2; do background peer traffic sink udp $((5001 + i)) --nap 0.005 >"$tmp/sink.$i"; done
	busywait 5 grep -q ready "$tmp/sink.2"
	meter_flow judge "$n" egress --port 5001 --port 5002 --port 5003 --bin 1s --csv "$tmp/csv"
	for i in 0 1 2; do
		prefix=()
		[[ $scheme != netnice* ]] || prefix=("${in_vif_prefix[@]}" "/proc/network/v$n/$i")
		background "${prefix[@]}" traffic send udp "10.1.$n.2" $((5001 + i)) --size 1472 --rate 10m >"$tmp/send"
		senders+=($!)
	done
	sleep $((seconds + 1))
	meter_stop judge
	stop "${senders[@]}"
	pair_del "$n"
	result share "$scheme" 10000000 "$(awk -F , -v last="$seconds" '
		NR > 2 && NR < last + 2 {
			split("1 2 5", weight, " ")
			all = $4 + $5 + $6
			for (i = 1; i <= 3; i++) {
				off = ($(3 + i) / all * 8 / weight[i] - 1) * 100
				if (off < 0) off = -off
				if (off > most) most = off
			}
		}
		END { printf "%.2f", most }' "$tmp/csv")"
}

begin
need netnice
modprobe -a sch_htb sch_hfsc cls_flower
ip netns add peer
defer ip netns del peer
peer ip link set lo up
for scheme in htb hfsc netnice netnice-qdisc; do measure $scheme; done
check 'all were measured' "${#results[@]} > 0"
