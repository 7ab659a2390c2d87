# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# What a flood costs others: how long a node keeps each datagram that a pod has sent,
# from the node's end of the pod's veth until the peer has it. Both are captures, by the kernel's
# time: what happens before, in the pod, is not in it.

# delays_start VETH PORT: of what a pod sends to that port
delays_start() {
	capture from tcpdump -i "$1" -Q in "udp dst port $2"
	from=$!
	capture to "${peer_prefix[@]}" tcpdump -i eth0 -Q in "udp dst port $2"
	to=$!
	busywait 20 grep -q 'listening on' "$tmp/from.said"
	busywait 20 grep -q 'listening on' "$tmp/to.said"
}

# capture NAME COMMAND...: the filter comes last
capture() {
	background "${@:2:$#-2}" -s 64 --time-stamp-precision nano -w "$tmp/$1.pcap" "${@: -1}" 2>"$tmp/$1.said"
}

# stamps FILE: nanoseconds, without what an awk's numbers cannot hold
stamps() {
	tcpdump -r "$1" -ttn --time-stamp-precision nano 2>/dev/null | sed -n 's/^[0-9]*\([0-9]\{5\}\)\.\([0-9]\{9\}\) .*/\1\2/p'
}

# delays_stop: how many there were, the median and the longest, in ns, are in count, median and longest; what
# was lost would have come at last
delays_stop() {
	local lost
	# a capture gets what it has seen within a second
	pause 1.2
	stop "$from"
	stop "$to"
	stamps "$tmp/from.pcap" >"$tmp/from"
	stamps "$tmp/to.pcap" >"$tmp/to"
	count=$(wc -l <"$tmp/to")
	lost=$(($(wc -l <"$tmp/from") - count))
	read -r median longest <<<"$(paste "$tmp/from" "$tmp/to" | awk '{ printf "%.0f\n", $2 - $1 }' | sort -n |
		awk '{ d[NR] = $1 } END { print d[int((NR + 1) / 2)], d[NR] }')"
	[ $lost = 0 ] || { note "$lost were lost" && longest=1000000000000; }
}
