#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Rates: limits of 64k to 100M bit/s, TCP and UDP, egress and ingress, IPv4 and
# IPv6. A process attached here sends to the peer, or receives from it; more is
# offered than the limit lets pass. See pairs.sh for topology and judge.
#
# rate		over the ten seconds that follow the first one (two at 100m, if it is
#		to be short): within +0.5 and -3 % of the limit
# start		in no second, the first one included, more than the limit gives
#		plus the default burst, which is at most 3 % of a second from 1m on
# stat		the VIF's counters say what the judge says, to the byte
# saved		a VIF that is new begins with its whole burst, however long after boot: 1m with
#		540s passes as much as its parent's 10m lets pass
# payload	what the receiving program got agrees with the wire: of UDP all of
#		it, of TCP all but what was sent twice, or waits for what was lost
#
# Virtual time: the figures are the same each time, to the last digit; but for those
# at 100m ingress, where a microsecond decides which packet TCP loses, and a few of
# QEMU's 100,000s of timer interrupts come one sooner or later when it is busy.
# lab: virtual, timeout=2700, kernels=6.1+new, budget=23
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pairs.sh"

# How many cases run beside each other, and how many per cent of the limit UDP
# offers: the guest's CPU must have time left.
limits=${LIMITS:-64k 256k 1m 10m 100m}
beside() {
	case $1 in
	100m) echo 2 ;;
	*) echo 8 ;;
	esac
}

offer_percent() {
	case $1 in
	100m) echo 130 ;;
	*) echo 200 ;;
	esac
}

cases=()
for direction in egress ingress; do
	for protocol in tcp udp; do
		for family in v4 v6; do
			cases+=("$direction $protocol $family")
		done
	done
done

# seconds LIMIT: how long it is judged, the first of them apart; fast ones take longest
seconds() {
	case $1 in
	100m) short && echo 3 || echo 11 ;;
	*) echo 11 ;;
	esac
}

# case_start N LIMIT DIRECTION PROTOCOL FAMILY
case_start() {
	local n=$1 limit=$2 direction=$3 protocol=$4 family=$5 port=$((5000 + $1)) size=1472 arguments=()
	local vif=/proc/network/v$n/limited flow_receiver=()
	mkdir "$vif"
	echo "$direction $limit" >"$vif/bandwidth"
	if [ "$protocol" = udp ]; then
		[ "$family" = v4 ] || size=1452
		# of what is offered, payload is a part
		arguments=(--size "$size"
			--rate $(($(bits "$limit") * $(offer_percent "$limit") * size / 151400)))
	fi
	# many packets: not a wake-up for each, nor for what netnice will drop
	if [ "$limit" = 100m ]; then
		flow_receiver=(--nap 0.005)
		[ "$direction $protocol" != 'ingress udp' ] ||
			arguments+=(--segment "$size" --size $((4 * size)))
	fi
	meter_flow "$port" "$n" "$direction" --port "$port" --rate "$limit" --span "$(seconds "$limit")"
	flow "$n" "$direction" "$protocol" "$family" "$port" "$vif" "${arguments[@]}"
}

# case_judge N LIMIT DIRECTION PROTOCOL FAMILY
case_judge() {
	local n=$1 limit=$2 direction=$3 protocol=$4 family=$5 port=$((5000 + $1))
	local what="$2 $4 $3 $5" rate headers got payload stat_packets stat_bytes drops
	rate=$(bits "$limit")
	stat_load "/proc/network/v$n/limited"
	meter_stop "$port"
	meter_load "$port"
	stat_packets=s_${direction}_packets
	stat_bytes=s_${direction}_bytes
	drops=s_${direction}_drops
	case $protocol$family in
	udpv4) headers=42 ;;
	udpv6) headers=62 ;;
	tcpv4) headers=66 ;;
	tcpv6) headers=86 ;;
	esac
	got=$(flow_received "$port")
	payload=$((m_bytes - m_packets * headers))
	note "$(awk -v what="$what" -v rate="$rate" -v got="$m_rate_bit_per_s" -v burst="$m_burst_bytes" \
		-v first="$m_first_second_bytes" -v max="$m_max_1s_bytes" -v drops="${!drops}" \
		-v left="$((payload - got))" 'BEGIN { printf \
		"%-20s %9d bit/s (%+.3f %%)  first second %8d, most %8d (%+d)  burst %5d  drops %d  undelivered %d", \
		what, got, (got / rate - 1) * 100, first, max, max - rate / 8, burst, drops, left }')"
	check "$what: rate" "$m_rate_bit_per_s <= 1.005 * $rate && $m_rate_bit_per_s >= 0.97 * $rate"
	check "$what: start" "$m_max_1s_bytes <= $rate / 8 + $(burst "$limit")"
	[ "$rate" -lt 1000000 ] ||
		check "$what: first second" "$m_first_second_bytes <= 1.03 * $rate / 8"
	check_eq "$what: stat" "${!stat_packets} packets ${!stat_bytes} bytes" \
		"$m_packets packets $m_bytes bytes"
	if [ "$protocol" = udp ]; then
		check_eq "$what: payload" "$got" "$payload"
	else
		# a SYN has eight bytes of options more than others
		check "$what: payload" "$got <= $payload - 8 && $got >= 0.6 * $payload"
	fi
	meter_whole || fail "$what: the judge saw everything" "$(cat "$tmp/meter.$port")"
}

# together LIMIT CASE...: cases beside each other, each on a pair of its own
together() {
	local limit=$1 n case idle
	local numbers=() ports=()
	declare -A case_of=()
	shift
	for case; do
		pair_new || return
		numbers+=("$n")
		ports+=($((5000 + n)))
		case_of[$n]="$n $limit $case"
	done
	cpu_start
	# shellcheck disable=SC2086
	for n in "${numbers[@]}"; do
		case_start ${case_of[$n]}
	done
	pause "$(seconds "$limit").3"
	idle=$(cpu_idle)
	# first of all: who was held back for long would send it all at once
	pair_silence "${numbers[@]}"
	for n in "${numbers[@]}"; do
		echo max >"/proc/network/v$n/limited/bandwidth"
	done
	pair_drain "${numbers[@]}"
	flow_stop "${ports[@]}"
	pause 0.1
	check "$limit: the CPU had time left ($idle % idle)" "$idle >= 10"
	# shellcheck disable=SC2086
	for n in "${numbers[@]}"; do
		case_judge ${case_of[$n]}
	done
	pair_del "${numbers[@]}"
}

saved() {
	local n port vif
	pair_new || return
	port=$((5000 + n)) vif=/proc/network/v$n/limited
	mkdir -p "$vif/long"
	echo 'egress 10m' >"$vif/bandwidth"
	echo 540s >"$vif/long/burst"
	echo 'egress 1m' >"$vif/long/bandwidth"
	meter_flow "$port" "$n" egress --port "$port" --rate 10m --span 3
	flow "$n" egress udp v4 "$port" "$vif/long" --size 1472 --rate 11m
	pause 3.3
	pair_silence "$n"
	meter_stop "$port"
	meter_load "$port"
	flow_stop "$port"
	check_near 'a burst of 540 s soon after boot' "$m_rate_bit_per_s" 10000000 1
	pair_del "$n"
}

begin
need netnice nft
ip netns add peer
defer ip netns del peer
peer ip link set lo up
if sanitized && [[ $limits == *100m ]]; then
	limits=${limits%100m}
	skip '100m' 'sanitizers take too long for so many packets'
fi
for limit in $limits; do
	for ((first = 0; first < ${#cases[@]}; first += $(beside "$limit"))); do
		together "$limit" "${cases[@]:first:$(beside "$limit")}"
	done
done
saved
