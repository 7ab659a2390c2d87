#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What rate measures, at 1 Gbit/s for eleven seconds, and at 10 for three: in the virtual
# time of a User Mode Linux, where neither sender, receiver nor judge take any. NUMBER is
# the limit in bit/s.
#
# fast-tcp fast-udp	what passes after the first second, per cent off the limit
#
# lab: virtual, timeout=7200
# shellcheck disable=SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../net/pairs.sh"
. "$(dirname "$0")/schemes.sh"
. "$(dirname "$0")/limit.sh"

schemes='tbf htb hfsc netnice netnice-deep'
cases='1gbit:tcp:11 1gbit:udp:11 10gbit:tcp:3'
full || schemes='htb netnice' cases='1gbit:tcp:3'

begin
need netnice
peer_new
# the window is full before
nap=0.0002
for case in $cases; do
	IFS=: read -r rate protocol seconds <<<"$case"
	for scheme in $schemes; do
		measure "$scheme" "$rate" "$protocol" "$seconds" || continue
		result "fast-$protocol" "$scheme" "$(rate_bit "$rate")" "$excess"
	done
done
check 'all were measured' "${#results[@]} > 0"
