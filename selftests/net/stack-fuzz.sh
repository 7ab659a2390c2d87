#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: check=uml, timeout=14400, budget=5
#
# Frames made at random, from each kind of device that a user-level stack can have: nothing of
# them leaves but what the stack's two ports may send. stack.sh has a picture of who is where.
#
# usage: stack-fuzz.sh [FRAMES [SEED]]
#
# So many in all (1 million; in the short run 100,000, on a stock kernel 20,000), by that seed.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/stacks.sh"

vif=/proc/network/eth0/fuzz
families=('10.0.0.1 10.0.0.2' 'fd00::1 fd00::2')

# The kernel's own: to find neighbours and routers. What the peer answers is not looked at.
kernels='arp or (icmp6 and ip6[40] >= 130) or (ip6[6] = 0 and (src net fe80::/10 or src host ::))'
own4='src host 10.0.0.1 and ip[0] = 0x45 and ip[20:2] = 4003'
own6='src host fd00::1 and (ip6[6] = 6 or ip6[6] = 17) and ip6[40:2] = 4003'
# What the host has to cut to the wire's size it cuts, as for its own sockets.
pieces4='src host 10.0.0.1 and ip[0] = 0x45 and (ip[6:2] & 0x1fff != 0 or ip[20:2] = 4003)'
pieces6='src host fd00::1 and ip6[6] = 44 and (ip6[42:2] & 0xfff8 != 0 or ip6[48:2] = 4003)'

whole="($own4 and ip[6:2] & 0x3fff = 0) or ($own6)"
in_pieces="($pieces4) or ($own6) or ($pieces6)"

# refused: so many, of all kinds
refused() { awk '/^stack_.*_refused/ { n += $2 } END { print n }' $vif/stat; }

# capture FILE FILTER [OPTION...]: what comes to the peer; it is $capture
capture() {
	local file=$1 filter=$2
	shift 2
	background peer tcpdump -ni eth0 -Q in -s 128 --immediate-mode -U -w "$file" "$@" "$filter" 2>"$file.says"
	capture=$!
	busywait 20 file_says "$file.says" 'listening on'
}

packets_in() { tcpdump -nr "$1" 2>/dev/null | wc -l; }

set_mtu() { ip link set eth0 mtu "$1" && peer ip link set eth0 mtu "$1"; }

# fuzz KIND NUMBER WHAT-MAY-BE-ON-THE-WIRE: each by a seed of its own
fuzz() {
	local family words=() before
	for family in "${families[@]}"; do
		# shellcheck disable=SC2206
		words+=(fuzz $(($2 / 2)) $((seed++)) $family 4003 9)
	done
	rm -f "$tmp/go"
	stack_start "${1}0" $vif wait "$tmp/go" "${words[@]}" say fuzzed echo
	ok "$1: a stack, with a port" user_writes 'udp 4003' $vif/ports
	ok "$1: and another one" user_writes 'tcp 4003' $vif/ports
	capture "$tmp/own" "$3" -c 1000
	capture "$tmp/strangers" "not ($kernels) and not ($3)"
	before=$(refused)
	touch "$tmp/go"
	busywait 7200 file_says "$tmp/${1}0" fuzzed
	pause 0.5
	stop $capture
	check "$1: of $2 frames many are refused" "$(refused) - $before > $2 / 10"
	check_eq "$1: of the rest is on the wire what it may send alone" \
		"$(tcpdump -nr "$tmp/strangers" 2>/dev/null | head)" ''
	check "$1: but that is" "$(packets_in "$tmp/own") > 100"
	check_eq "$1: it answers still" "$(reply 10.0.0.1 4003)$(reply '[fd00::1]' 4003)" hellohello
	stop "$stack"
	busywait 5 grep -qx none $vif/stack
	busywait 5 can_bind udp4 4003
	busywait 5 can_bind tcp4 4003
}

begin
need netnice socat tcpdump
! short || short_frames=100000
! short_on_stock || short_frames=20000
frames=${1:-${short_frames:-1000000}}
seed=${2:-$(date +%s)}
stacks_setup $vif
set_mtu 65000
echo "# frames: $frames, seed: $seed"
for kind in tap tun vtap vtun; do
	fuzz $kind $((frames / 5)) "$whole"
done
set_mtu 1500
fuzz vtap $((frames / 5)) "$in_pieces"
rmdir $vif
log_clean
