# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# A limit, counted on the wire, for rate and fast: one sender who wants more, through one
# class. The judge is a packet capture at the peer; bytes are those of the wire, from the
# link-layer header on.

# measure SCHEME RATE PROTOCOL SECONDS: sets excess and first, both per cent: what passes after
# the first second, off the limit, and in it, of the limit's. The receiver naps so long
# between two reads.
nap=0.005
measure() {
	local scheme=$1 rate=$2 protocol=$3 seconds=$4 port bits arguments=()
	pair_new && scheme_set "$scheme" "v$n" "$rate" || fail "$scheme $rate" || return
	port=$((5000 + n))
	bits=$(rate_bit "$rate")
	[ "$protocol" = tcp ] || arguments=(--size 1472 --rate $((bits * 3 / 2)))
	background peer traffic sink "$protocol" "$port" --nap $nap >"$tmp/receive"
	local receiver=$!
	busywait 5 grep -q ready "$tmp/receive"
	meter_flow judge "$n" egress --port "$port" --span "$seconds"
	background "${through[@]}" traffic send "$protocol" "10.1.$n.2" "$port" "${arguments[@]}" >"$tmp/send"
	local sender=$!
	sleep "$seconds.5"
	meter_stop judge
	kill $sender $receiver
	pair_del "$n"
	wait $sender $receiver 2>/dev/null
	meter_load judge
	meter_whole || fail "$scheme $rate $protocol: the judge saw everything" "$(cat "$tmp/meter.judge")"
	excess=$(awk "BEGIN { printf \"%.3f\", ($m_rate_bit_per_s / $bits - 1) * 100 }")
	first=$(awk "BEGIN { printf \"%.2f\", $m_first_second_bytes / $bits * 800 }")
}

# peer_new: for the pairs
peer_new() {
	modprobe -a sch_htb sch_hfsc sch_cake sch_tbf
	ip netns add peer
	defer ip netns del peer
	peer ip link set lo up
}
