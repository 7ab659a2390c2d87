#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=bpftrace
# lab: virtual, check=none, kernels=6.1+new, mem=1536, timeout=900
#
# The examples of Documentation/tracing.rst, as they are there.
# shellcheck disable=SC2119,SC2154
. "$(dirname "$0")/lib.sh"

begin
need netnice bpftrace
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
setup_veth
wire_exact
eth0=/proc/network/eth0
mkdir $eth0/slow
echo 1m >$eth0/slow/bandwidth
vif=$(stat -c %i $eth0/slow)

# example NUMBER: its program
example() { awk -v n="$1" -v RS= -F"'" '/bpftrace -e/ && ++i == n { print $2 }' "$net_dir/../units/tracing.rst"; }

# sees NUMBER WORDS: the example, while something is attached, waits, and is dropped
sees() {
	local out=$tmp/$1
	bpftrace -e "$(example "$1")" >"$out" 2>"$tmp/err" &
	busywait 120 file_says "$out" Attaching || note "$(cat "$tmp/err")"
	pause 3
	in_vif $eth0/slow traffic send udp 10.0.0.2 9 --size 1000 --bytes 600000 >/dev/null
	busywait 20 vif_empty $eth0/slow
	kill -INT $!
	wait $!
	if grep -q "$2" "$out"; then
		pass "$(grep -o 'netnice_[a-z]*' <<<"$(example "$1")" | head -1)"
	else
		fail "$(example "$1")" "$(cat "$out" "$tmp/err")"
	fi
}

sees 1 "@\[eth0, $vif, 1\]: [1-9]"
sees 2 "@\[$vif\]:"
sees 3 "@\[eth0, 0, $vif\]: [1-9]"
sees 4 "@\[traffic, $vif\]: [1-9]"
sees 5 "to VIF $vif"
