#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A limit, counted on the wire: one sender who wants more, through one class, for eleven
# seconds (at 1 Gbit/s three: for longer the judge has no room and the emulated CPU no
# time). The judge is a packet capture at the peer; bytes are those of the wire, from the
# link-layer header on. NUMBER is the limit in bit/s.
#
# rate-tcp rate-udp	what passes after the first second, per cent off the limit
# first-tcp first-udp	what passes in the first second, per cent of the limit's
#
# lab: virtual, timeout=7200
# shellcheck disable=SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../net/pairs.sh"
. "$(dirname "$0")/schemes.sh"
. "$(dirname "$0")/limit.sh"

schemes='tbf htb htb-deep hfsc cake netnice netnice-deep netnice-qdisc'
cases='64kbit:tcp 64kbit:udp 1mbit:tcp 1mbit:udp 10mbit:tcp 10mbit:udp 100mbit:tcp 100mbit:udp 1gbit:tcp'
span_seconds=11
full || {
	span_seconds=3
	schemes='tbf htb hfsc cake netnice netnice-qdisc'
	cases='1mbit:tcp 1mbit:udp 100mbit:tcp'
}

# span RATE: seconds
span() {
	case $1 in
	1gbit) echo 3 ;;
	*) echo $span_seconds ;;
	esac
}

begin
need netnice
peer_new
for case in $cases; do
	for scheme in $schemes; do
		rate=${case%:*} protocol=${case#*:}
		measure "$scheme" "$rate" "$protocol" "$(span "$rate")" || continue
		result "rate-$protocol" "$scheme" "$(rate_bit "$rate")" "$excess"
		result "first-$protocol" "$scheme" "$(rate_bit "$rate")" "$first"
	done
done
check 'all were measured' "${#results[@]} > 0"
