#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Three programs send 8 Mbit/s each: one on a kernel that is stopped in gdb for five seconds when it
# sends, after some time, one on another such kernel, and one on this machine's own stack. What each has
# got across, each half second.
#
# debugged	bit/s; the scheme is the program, NUMBER is milliseconds
# block		of the control block of the one that is stopped: SCHEME is the field
#
# usage: stopped.sh LAB COMMAND...
#	LAB is the program; COMMAND runs `traffic`, here or there. This has a
#	private network.
lab=$1
traffic=("${@:2}" traffic)
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$tmp"' EXIT

# send HOST PORT: the words for that
send() { words=("${traffic[@]}" send tcp "$1" "$2" --rate 8m --size 10000 --seconds 25); }

# got PORT: bytes, or nothing where there is no connection
got() { ss -tinH state established "sport = :$1" | sed -n 's/.* bytes_received:\([0-9]*\).*/\1/p'; }

debugger() {
	cat <<-'END'
		tbreak tcp_write_xmit
		ignore $bpnum 800
		continue
		set $tcp = (struct tcp_sock *)sk
		printf "\nblock\tcwnd\t0\t%u\n", $tcp->snd_cwnd
		printf "block\tssthresh\t0\t%u\n", $tcp->snd_ssthresh
		printf "block\tsrtt_us\t0\t%u\n", $tcp->srtt_us >> 3
		printf "block\tpackets_out\t0\t%u\n", $tcp->packets_out
		printf "block\tsnd_wnd\t0\t%u\n", $tcp->snd_wnd
		shell sleep 5
		continue
	END
}

names=(stopped beside host)
declare -A port=([stopped]=5001 [beside]=5002 [host]=5003) last=()
ip link set lo up
for name in "${names[@]}"; do
	"${traffic[@]}" sink tcp "${port[$name]}" >/dev/null &
done

# connected NAME: within a minute, and only then
connected() {
	for ((i = 0; i < 600; i++)); do
		[ -z "$(got "${port[$1]}")" ] || return 0
		sleep 0.1
	done
	echo "not ok 1 $1 sends"
	cat "$tmp/gdb"
	exit 1
}

send 10.0.2.2 5001
"$lab" here --no-build --gdb "${words[@]}" < <(debugger) >"$tmp/gdb" 2>&1 &
connected stopped
send 10.0.2.2 5002
"$lab" here --no-build "${words[@]}" >/dev/null </dev/null &
connected beside
send 127.0.0.1 5003
"${words[@]}" >/dev/null &
connected host

# at absolute times
from=${EPOCHREALTIME/./}
for ((ms = 0; ms <= 18000; ms += 500)); do
	left=$((from + ms * 1000 - ${EPOCHREALTIME/./}))
	[ $left -le 0 ] || sleep "$(printf '0.%06d' $left)"
	for name in "${names[@]}"; do
		now=$(got "${port[$name]}")
		[ -z "$now" ] || [ -z "${last[$name]-}" ] ||
			printf '# result: debugged\t%s\t%s\t%s\n' "$name" $ms $(((now - last[$name]) * 16))
		last[$name]=$now
	done
done
sed -n 's/^\((gdb) \)*\(block\t\)/# result: \2/p' "$tmp/gdb"
