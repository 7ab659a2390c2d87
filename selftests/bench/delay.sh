#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The paper's Figure 9: delay through no, one, ... eight VIFs in series, work-conserving
# (wc: none has a bandwidth) and not (nwc: each has one that is never reached); 0 is the
# root VIF alone, "none" a device that nothing was done to.
#
# delay		the shortest time that a request takes to be answered by the peer (UDP; the
#		paper: ping), in nanoseconds; both pass all the VIFs
#
# lab: virtual, timeout=900
. "$(dirname "$0")/lib.sh"

levels='0 1 2 3 4 5 6 7 8'
full || levels='0 1 8'
# neither of the two programs takes the CPU from the other before that waits
turns=(chrt -f 50)

# delay SCHEME LEVELS [PREFIX...]: requests drift across the timer's ticks
delay() {
	local scheme=$1 count=$2
	shift 2
	result delay "$scheme" "$count" "$("$@" "${turns[@]}" roundtrip ask udp 10.0.0.2 7000 \
		--every 1.7 --count 300 | sed -n 's/^min_ns=//p')"
}

# through SCHEME LEVELS [BANDWIDTH]
through() {
	series "$2" eth0 "${3-}"
	delay "$1" "$2" "${in_vif_prefix[@]}" "$vif"
	series_end eth0
}

begin
setup_veth
need netnice
background peer "${turns[@]}" roundtrip answer udp 7000 >"$tmp/answer"
busywait 5 grep -q ready "$tmp/answer"
delay none 0
for level in $levels; do
	through wc "$level"
	[ "$level" -eq 0 ] || through nwc "$level" 100gbit
done
check 'VIFs delay' "${results[delay wc 8]} > ${results[delay none 0]}"
