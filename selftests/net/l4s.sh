#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Who sends ECT(1) is signalled early (L4S): packets are marked, not dropped,
# that have waited for longer than 1 ms, or than two full frames take. See pairs.sh for
# topology and judge.
#
# each		datagrams that come many at once, so that the last of them waits longest: those
#		that have waited for so long are marked, no others, by the capture behind the
#		limiter; at 100m, where 1 ms is more, and at 10m, where two frames are
# received	the same at ingress, by the counters of who receives
# others	of ECT(0), and without ECN, none is marked or dropped that waits so
# flood		more than the limit for seconds: all of ECT(1) is marked, nothing dropped; as
#		ever some of ECT(0) is marked, and without ECN some is dropped
# none		without CoDel nothing is marked
# lab: virtual, check=uml, kernels=6.1+new, budget=5
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pairs.sh"

port=7500
ect1=1 ect0=2 not_ect=0
payload=1016	# 1058 bytes on the wire

# place DIRECTION LIMIT: a pair, and its VIF
place() {
	pair_new || return
	vif=/proc/network/v$n/x
	mkdir "$vif"
	echo "$1 $2" >"$vif/bandwidth"
}

# in_heaps DIRECTION FAMILY HOW_MANY MILLISECONDS TOS: for two seconds, so many at once
in_heaps() {
	flow "$n" "$1" udp "$2" $((++port)) "$vif" --size $payload --batch "$3" \
		--rate $((payload * 8 * $3 * 1000 / $4)) --seconds 2 --tos "$5"
}

# at_rest: what was sent has passed
at_rest() {
	pause 2.2
	busywait 10 pairs_empty "$n"
	pause 0.1
	stat_load "$vif"
}

# waited HOW_MANY MILLISECONDS: of a capture of heaps of so many: how many are marked, how many
# are not, and how many of these should have been the other. They count from when the first of a
# heap has left: the last may have come up to a millisecond after it. Behind the last two there is
# less than a full frame.
waited() {
	awk -v heap="$1" -v most="$2" '/ IP \(tos/ {
			if (++count % heap == 1)
				first = $1
			wait = ($1 - first) * 1000
			marked = / \(tos 0x3/
			n[marked]++
			last = count % heap == 0 || count % heap == heap - 1
			if (marked ? last || wait < most - 0.3 : !last && wait > most + 1)
				wrong++
		}
		END { print n[1] + 0, n[0] + 0, wrong + 0 }' "$tmp/capture"
}

# each_one LIMIT HOW_MANY MILLISECONDS SHALLOW
each_one() {
	local tcpdump marked plain wrong
	place egress "$1" || return
	background peer tcpdump -i "v$n" -tt -n -v --immediate-mode --time-stamp-precision nano udp port $((port + 1)) \
		>"$tmp/capture" 2>"$tmp/tcpdump"
	tcpdump=$!
	busywait 5 grep -q 'listening on' "$tmp/tcpdump"
	in_heaps egress v4 "$2" "$3" $ect1
	at_rest
	stop $tcpdump
	read -r marked plain wrong < <(waited "$2" "$4")
	note "each, $1: $marked marked, $plain not, $wrong of these wrong"
	check "each, $1: some are marked, some are not" "$marked >= 400 && $plain >= 100"
	check_eq "each, $1: who waits for longer than $4 ms is marked, and no others" "$wrong" 0
	check_eq "each, $1: they are counted, and none is dropped" "$s_egress_marks $s_egress_drops" "$marked 0"
	flow_stop $port
	pair_del "$n"
}

each() {
	each_one 100m 60 20 1
	each_one 10m 20 40 2.422
}

# received_ce: packets with a mark that IP has received here
received_ce() {
	awk '$1 == "IpExt:" { if ($2 ~ /[a-z]/) { split($0, name); next }
			for (i = 2; i <= NF; i++) if (name[i] == "InCEPkts") ce += $i }
		$1 == "Ip6InCEPkts" { ce += $2 }
		END { print ce + 0 }' /proc/net/netstat /proc/net/snmp6
}

received() {
	local family before
	for family in v4 v6; do
		place ingress 10m || return
		before=$(received_ce)
		in_heaps ingress $family 20 40 $ect1
		at_rest
		note "received, $family: $s_ingress_marks marked of $s_ingress_packets"
		# of 20, six pass at once by the burst, two more wait for no longer than 2.4 ms, and
		# behind the last two there is less than a full frame
		check "received, $family: who waits is marked" \
			"$s_ingress_marks >= 0.45 * $s_ingress_packets && $s_ingress_marks <= 0.55 * $s_ingress_packets"
		check_eq "received, $family: they arrive so, and none is dropped" "$(($(received_ce) - before)) $s_ingress_drops" \
			"$s_ingress_marks 0"
		flow_stop $port
		pair_del "$n"
	done
}

others() {
	local tos
	for tos in $ect0 $not_ect; do
		place egress 10m || return
		in_heaps egress v4 20 40 "$tos"
		at_rest
		check_eq "others, $tos: neither marked nor dropped" "$s_egress_marks $s_egress_drops" '0 0'
		check "others, $tos: they have waited" "$s_egress_sojourn_max > 10000000"
		flow_stop $port
		pair_del "$n"
	done
}

# flooded TOS: half more than the limit, for three seconds
flooded() {
	place egress 10m || return
	echo egress max >"$vif/limit"
	flow "$n" egress udp v4 $((++port)) "$vif" --size $payload --rate 15m --seconds 3 --tos "$1"
	pause 3
	stat_load "$vif"
	flow_stop $port
	pair_del "$n"
	note "flood, $1: $s_egress_marks marked, $s_egress_drops dropped of $s_egress_packets"
}

flood() {
	flooded $ect1
	check 'flood: nearly all of ECT(1) is marked' "$s_egress_marks >= 0.95 * $s_egress_packets"
	check_eq 'flood: nothing of ECT(1) is dropped' "$s_egress_drops" 0
	flooded $ect0
	check 'flood: some of ECT(0) is marked' "$s_egress_marks >= 10 && $s_egress_marks <= 0.3 * $s_egress_packets"
	check_eq 'flood: nothing of ECT(0) is dropped' "$s_egress_drops" 0
	flooded $not_ect
	check_eq 'flood: what has no ECN is not marked' "$s_egress_marks" 0
	check 'flood: what has no ECN is dropped' "$s_egress_drops >= 10"
}

none() {
	place egress 10m || return
	echo none >"$vif/aqm"
	in_heaps egress v4 20 40 $ect1
	at_rest
	check_eq 'none: without CoDel none is marked' "$s_egress_marks $s_egress_drops" '0 0'
	flow_stop $port
	pair_del "$n"
}

begin
need netnice tcpdump
ip netns add peer
defer ip netns del peer
peer ip link set lo up
for scenario in ${SCENARIOS:-each received others flood none}; do
	$scenario
done
