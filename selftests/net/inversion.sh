#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Network priority inversion, with and without netnice: a stream of 4 Mbit/s on a link
# of 10 Mbit/s (tbf), whose sender matters, and from second 5 to 15 a program in the
# background that sends six times as much as the link takes. With netnice, as the
# qdisc below tbf, the two are in VIFs of priorities 0 and 7: the stream loses no
# more than 1 %, and a request beside it waits for one packet of the flood, which the link has
# begun, and one of the stream more at most: both are light flows, which take turns. Without,
# the test shows that it is a flood.
#
# Where the CPU's time counts, as in QEMU, the requests are judged without the slowest
# tenth, which has waited for the CPU as well.
#
# Lines `# figure:` hold, for each second, what arrived of the stream, in bytes, and
# the longest of the requests, in microseconds.
# lab: virtual, kernels=6.1+new, budget=8
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
packet_us=1212		# a full frame on the link
stream_us=823		# a packet of the stream
request_us=85		# a request, which an idle tbf lets pass in no time
last=20

# counted: bytes of the stream that have arrived
counted() { peer nft list counter inet seen stream | awk '{ for (i = 1; i < NF; i++) if ($i == "bytes") print $(i + 1) }'; }

# until SECOND: of the scenario
until_second() {
	sleep "$(awk "BEGIN { left = ($start - ${EPOCHREALTIME/./}) / 1e6 + $1; print (left > 0 ? left : 0) }")"
}

# scenario NAME: rates and longest, by second
scenario() {
	local second bytes was start pids=()
	rate=() longest=() p90=()
	in_high traffic send udp 10.0.0.2 9001 --size 1000 --rate 4m --seconds $last >/dev/null &
	pids+=($!)
	start=${EPOCHREALTIME/./}
	was=$(counted)
	for ((second = 0; second < last; second++)); do
		if [ $second -eq 5 ]; then
			in_low traffic send udp 10.0.0.2 9002 --size 1472 --rate 60m --seconds 10 >/dev/null 2>&1 &
			pids+=($!)
		fi
		# requests of a process that matters, one each 20 ms
		in_high roundtrip ask udp 10.0.0.2 7000 --every 20 --count 40 >"$tmp/ask.$second" &
		pids+=($!)
		until_second $((second + 1))
		bytes=$(counted)
		rate+=($((bytes - was)))
		was=$bytes
	done
	wait "${pids[@]}"
	for ((second = 0; second < last; second++)); do
		longest+=("$(sed -n 's/^max_us=//p' "$tmp/ask.$second")")
		p90+=("$(sed -n 's/^p90_us=//p' "$tmp/ask.$second")")
		printf '# figure: %s %d %d %s\n' "$1" $second "${rate[second]}" "${longest[second]}"
	done
}

# summary: of the seconds in which all is alone, and of those of the flood
summary() {
	local second
	alone=0 flooded=0 alone_us=0 flooded_us=0 alone_p90=0 flooded_p90=0
	for second in 1 2 3 16 17 18; do
		alone=$((alone + rate[second]))
		[ "${longest[second]}" -le "$alone_us" ] || alone_us=${longest[second]}
		[ "${p90[second]}" -le "$alone_p90" ] || alone_p90=${p90[second]}
	done
	for second in 6 7 8 11 12 13; do
		flooded=$((flooded + rate[second]))
		[ "${longest[second]}" -le "$flooded_us" ] || flooded_us=${longest[second]}
		[ "${p90[second]}" -le "$flooded_p90" ] || flooded_p90=${p90[second]}
	done
	note "$1: the stream has $((alone * 8 / 6)) bit/s alone and $((flooded * 8 / 6)) in the flood," \
		"the longest request $alone_us and $flooded_us us, nine of ten at most $alone_p90 and $flooded_p90"
}

begin
setup_veth
wire_exact on
peer nft 'table inet seen {
	counter stream { }
	chain c { type filter hook prerouting priority -400; udp dport 9001 counter name stream drop; udp dport 9002 drop; }
}'
background peer roundtrip answer udp 7000 >"$tmp/answer"
ping -qc 1 10.0.0.2 >/dev/null
tc qdisc replace dev eth0 root handle 1: tbf rate 10mbit burst 1600 limit 100000

in_high() { "$@"; }
in_low() { "$@"; }
scenario without
summary without
check 'without: the flood takes from the stream' "$flooded < 0.9 * $alone"
check 'without: requests wait for many packets' "$flooded_us > $alone_us + 10 * $packet_us"

need netnice
mkdir $eth0/high $eth0/low
echo 0 >$eth0/high/priority
echo 7 >$eth0/low/priority
tc qdisc replace dev eth0 parent 1:1 netnice || fail 'the qdisc'
in_high() { in_vif $eth0/high "$@"; }
in_low() { in_vif $eth0/low "$@"; }
scenario with
summary with
check 'with: the stream loses 1 % at most' "$flooded >= 0.99 * $alone && $alone >= 0.99 * 6 * 514000"
if in_uml; then
	check 'with: a request waits for two packets more at most' "$flooded_us <= $alone_us + $packet_us + $stream_us + $request_us"
else
	check 'with: a request waits for two packets more at most' "$flooded_p90 <= $alone_p90 + $packet_us + $stream_us + $request_us"
fi
check 'with: who floods has what is left' \
	"$(vif_stat $eth0/low egress_bytes) >= 0.95 * 10 * (1250000 - 531000 - 12000)"
tc qdisc del dev eth0 root
