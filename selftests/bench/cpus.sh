#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a packet costs on a real processor, and what more while a second CPU sends through
# the same device: it waits for locks, and for memory that the other one writes.
# Datagrams of 64 bytes to a device that swallows them, 128 by one system call, which in
# User Mode Linux is what takes longest; each CPU has a sender, and each sender a class of
# its own.
#
# ns		nanoseconds a packet, with one sender: of none; of the others, what is
#		added to that
# beside	per cent that a packet takes more with the second sender, beyond what
#		that is of none
#
# Real time, to which other work on the machine only adds: all schemes take turns, short
# ones, and the least of all counts. Of a hundred, halves agree to some three per cent; medians
# to twenty. The limits are never reached.
#
# lab: smp=2, timeout=1800
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/schemes.sh"

schemes='none pfifo_fast htb netnice netnice-limit'
rounds=100
full || rounds=20
seconds=0.1

# of each scheme: the address behind its device, and, of netnice, where its two VIFs are
declare -A to=() vifs=()

# set_scheme SCHEME: on a device of its own, with two classes
set_scheme() {
	device_new || return
	to[$1]=$network.2
	vifs[$1]=/proc/network/$device
	if [ "$1" = netnice-limit ]; then
		vifs[$1]+=/top
		mkdir -p "${vifs[$1]}/1" "${vifs[$1]}/2" &&
			echo 10gbit >"${vifs[$1]}/bandwidth" &&
			echo 1gbit | tee "${vifs[$1]}/"[12]/bandwidth >/dev/null
	else
		scheme_set "$1" $device max 2
	fi
}

# one SCHEME CPU AT: nanoseconds a packet
one() {
	local through=()
	case $1 in
	netnice*) through=("${in_vif_prefix[@]}" "${vifs[$1]}/$(($2 + 1))") ;;
	esac
	"${through[@]}" taskset -c "$2" traffic send udp "${to[$1]}" "900$2" --size 64 \
		--batch 128 --seconds $seconds --at "$3" |
		sed -n 's/.* messages=\([0-9]*\) .* seconds=\([0-9.]*\).*/\1 \2/p' |
		awk '{ printf "%.1f\n", $2 * 1e9 / $1 }'
}

# soon: when the senders have come up
soon() { awk '{ printf "%d\n", $1 * 1000 + 150 }' /proc/uptime; }

# turn SCHEME: sets alone and beside
turn() {
	local at second
	alone=$(one "$1" 0 0)
	at=$(soon)
	one "$1" 1 "$at" >/dev/null &
	second=$!
	beside=$(one "$1" 0 "$at")
	wait $second
}

# least SCHEME: nanoseconds a packet, alone and beside
least() {
	awk 'NR == 1 || $1 < alone { alone = $1 }
		NR == 1 || $2 < beside { beside = $2 }
		END { print alone, beside }' "$tmp/$1"
}

begin
[ "$(nproc)" -ge 2 ] || skip_all 'this takes two CPUs'
modprobe -a dummy sch_htb
need netnice
# whose packet it is, htb is told without a filter
nft 'table inet classes { chain c { type filter hook output priority 0;
	udp dport 9000 meta priority set 1:1; udp dport 9001 meta priority set 1:2; }; }'
for scheme in $schemes; do
	set_scheme "$scheme" || fail "$scheme"
done
for ((round = 0; round < rounds; round++)); do
	for scheme in $schemes; do
		turn "$scheme"
		echo "$alone $beside" >>"$tmp/$scheme"
	done
done
read -r none none_beside <<<"$(least none)"
result ns none 1 "$none"
for scheme in ${schemes#none }; do
	read -r alone beside <<<"$(least "$scheme")"
	result ns "$scheme" 1 "$(awk "BEGIN { printf \"%.0f\", $alone - $none }")"
	result beside "$scheme" 2 "$(awk "BEGIN { printf \"%.1f\", ($beside / $alone / ($none_beside / $none) - 1) * 100 }")"
done
