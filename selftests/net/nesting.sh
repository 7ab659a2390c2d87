#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Limits above each other. See pairs.sh for topology and judge; each scenario is
# run at egress and at ingress.
#
#	chains		v1/a/a/.../a		the tightest limit holds, on any level
#	siblings	v1/p/{1,2,3,4}		share what their parent has, equally
#	direct		v1/p/{1,2} and v1/p	the parent's own process is one of them
#	live		v1/p/a			p is changed while a sends
#	removal		v1/p/{a,b}		a goes while its packets wait
#
# Each must keep, over any interval T, to rate * T + burst of the limit that
# holds, and use at least 97 % of it.
# lab: virtual, timeout=2700, kernels=6.1+new, check=none
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pairs.sh"

directions='egress ingress'

# judge NAME METER RATE: how much it was, in all and in any interval
judge() {
	local name=$1 meter=$2 rate
	rate=$(bits "$3")
	meter_stop "$meter"
	meter_load "$meter"
	note "$(awk -v name="$name" -v rate="$rate" -v got="$m_rate_bit_per_s" -v burst="$m_burst_bytes" \
		-v first="$m_first_second_bytes" -v max="$m_max_1s_bytes" -v window="$m_max_window_bytes" \
		'BEGIN { printf "%-32s %8d bit/s (%+.3f %%)  most in 1 s %+d, in 100 ms %+d, ever %+d", name, \
			got, (got / rate - 1) * 100, max - rate / 8, window - rate / 80, burst }')"
	check "$name: rate" "$m_rate_bit_per_s <= 1.005 * $rate && $m_rate_bit_per_s >= 0.97 * $rate"
	check "$name: any 100 ms" "$m_max_window_bytes <= $rate / 80 + $(burst "$3")"
	check "$name: any second" "$m_max_1s_bytes <= $rate / 8 + $(burst "$3")"
	check "$name: any interval" "$m_burst_bytes <= $(burst_judged "$3")"
	meter_whole || fail "$name: the judge saw everything" "$(cat "$tmp/meter.$meter")"
}

# start N DIRECTION PROTOCOL PORT VIF RATE: a flow, UDP at twice the rate
start() {
	local udp=()
	[ "$3" = tcp ] || udp=(--size 1472 --rate "$((2 * $(bits "$6")))")
	flow "$1" "$2" "$3" v4 "$4" "$5" "${udp[@]}"
}

# vif PATH DIRECTION RATE
vif() {
	mkdir "$1" && echo "$2 $3" >"$1/bandwidth"
}

# watch METER N DIRECTION RATE SECONDS PORT...: the first second is not judged
watch() {
	local meter=$1 n=$2 direction=$3 rate=$4 seconds=$5 port ports=()
	shift 5
	for port; do
		ports+=(--port "$port")
	done
	meter_flow "$meter" "$n" "$direction" --rate "$rate" --window 100ms --span "$((seconds + 1))" "${ports[@]}"
}

# shares NAME PORT...: of what the loaded meter saw, each has as much
shares() {
	local name=$1 port bytes part
	shift
	for port; do
		bytes=m_port_${port}_window_bytes
		part=$(awk -v bytes="${!bytes}" -v all="$m_window_bytes" 'BEGIN { printf "%.2f", 100 * bytes / all }')
		check_near "$name: share of $port ($part %)" "$part" "$(awk -v n=$# 'BEGIN { print 100 / n }')" 5
	done
}

# --- chains ----------------------------------------------------------------------

# chain N DIRECTION DEPTH TIGHTEST: sets vif to the last VIF
chain() {
	local n=$1 direction=$2 depth=$3 tightest=$4 level rate path
	vif=/proc/network/v$n
	printf -v path '%*s' "$depth" ''
	mkdir -p "$vif${path// //a}"
	for ((level = 1; level <= depth; level++)); do
		vif=$vif/a
		rate=$((2000 + 10 * level))k
		[ $level -ne "$tightest" ] || rate=1m
		echo "$direction $rate" >"$vif/bandwidth"
	done
}

# every level has counted the same
chain_counted() {
	local name=$1 vif=/proc/network/v$2 key=$3 levels=$4 different=0
	while [ -d "$vif/a" ]; do
		vif=$vif/a
		levels=$((levels - 1))
		[ "$(vif_stat "$vif" "$key")" = "$m_bytes" ] || different=$((different + 1))
	done
	check_eq "$name: levels that are missing or have counted something else" "$levels $different" '0 0'
}

chains() {
	local direction protocol shape name vif n numbers=()
	declare -A what=()
	for direction in $directions; do
		for protocol in tcp udp; do
			for shape in '8 1' '8 4' '8 8' '32 16' '32 32'; do
				pair_new || return
				numbers+=("$n")
				what[$n]="$direction $protocol $shape"
			done
		done
	done
	for n in "${numbers[@]}"; do
		read -r direction protocol shape <<<"${what[$n]}"
		# shellcheck disable=SC2086
		chain "$n" "$direction" $shape
		watch "$n" "$n" "$direction" 1m 4 $((5000 + n))
		start "$n" "$direction" "$protocol" $((5000 + n)) "$vif" 1m
	done
	pause 5.5
	pair_halt "${numbers[@]}"
	for n in "${numbers[@]}"; do
		read -r direction protocol shape <<<"${what[$n]}"
		flow_stop $((5000 + n))
		name="chain of ${shape% *}, tightest ${shape#* }, $direction $protocol"
		judge "$name" "$n" 1m
		chain_counted "$name" "$n" "${direction}_bytes" "${shape% *}"
	done
	pair_del "${numbers[@]}"
}

# --- siblings; the parent's own process --------------------------------------------

siblings() {
	local direction n p i
	for direction in $directions; do
		pair_new || return
		p=/proc/network/v$n/p
		vif "$p" "$direction" 2m
		watch "$n" "$n" "$direction" 2m 10 5001 5002 5003 5004
		for i in 1 2 3 4; do
			vif "$p/$i" "$direction" 2m
		done
		start "$n" "$direction" tcp 5001 "$p/1" 2m
		start "$n" "$direction" udp 5002 "$p/2" 2m
		start "$n" "$direction" tcp 5003 "$p/3" 2m
		start "$n" "$direction" udp 5004 "$p/4" 2m
		pause 12
		pair_halt "$n"
		flow_stop 5001 5002 5003 5004
		judge "siblings, $direction" "$n" 2m
		shares "siblings, $direction" 5001 5002 5003 5004
		pair_del "$n"
	done
}

direct() {
	local direction n p
	for direction in $directions; do
		pair_new || return
		p=/proc/network/v$n/p
		vif "$p" "$direction" 2m
		vif "$p/1" "$direction" 3m
		vif "$p/2" "$direction" 3m
		watch "$n" "$n" "$direction" 2m 5 5005 5006 5007
		start "$n" "$direction" tcp 5005 "$p" 2m
		start "$n" "$direction" tcp 5006 "$p/1" 2m
		start "$n" "$direction" udp 5007 "$p/2" 2m
		pause 6.5
		pair_halt "$n"
		flow_stop 5005 5006 5007
		judge "a process beside VIFs, $direction" "$n" 2m
		shares "a process beside VIFs, $direction" 5005 5006 5007
		pair_del "$n"
	done
}

# --- changed, and removed, under traffic ---------------------------------------------

live() {
	local direction protocol rate holds n p
	for direction in $directions; do
		for protocol in tcp udp; do
			pair_new || return
			p=/proc/network/v$n/p
			vif "$p" "$direction" 1m
			vif "$p/a" "$direction" 3m
			start "$n" "$direction" "$protocol" $((5000 + n)) "$p/a" 3m
			pause 1
			for rate in 2m 500k max 1m; do
				holds=${rate/max/3m}
				echo "$direction $rate" >"$p/bandwidth"
				watch "$n" "$n" "$direction" "$holds" 3 $((5000 + n))
				pause 4.5
				judge "parent set to $rate, $direction $protocol" "$n" "$holds"
			done
			flow_stop $((5000 + n))
			pair_del "$n"
		done
	done
}

removal() {
	local direction n p
	for direction in $directions; do
		pair_new || return
		p=/proc/network/v$n/p
		vif "$p" "$direction" 1m
		vif "$p/a" "$direction" 2m
		vif "$p/b" "$direction" 2m
		watch "$n" "$n" "$direction" 1m 6 5008 5009
		start "$n" "$direction" tcp 5008 "$p/a" 1m
		start "$n" "$direction" udp 5009 "$p/a" 1m
		pause 3
		fails "removal, $direction: not while processes are attached" rmdir "$p/a"
		check "removal, $direction: something waits in a" "$(vif_stat "$p/a" "${direction}_p_queue_packets") > 0"
		echo "${flow_here[5008]}" >"$p/b/tasks"
		echo "${flow_here[5009]}" >"$p/tasks"
		ok "removal, $direction: once they have left" rmdir "$p/a"
		pause 4.5
		pair_halt "$n"
		flow_stop 5008 5009
		judge "removal, $direction" "$n" 1m
		check_eq "removal, $direction: the parent has counted all" "$(vif_stat "$p" "${direction}_bytes")" "$m_bytes"
		check "removal, $direction: its processes go on elsewhere" "$(vif_stat "$p/b" "${direction}_bytes") > 0"
		pair_del "$n"
	done
}

begin
need netnice nft
ip netns add peer
defer ip netns del peer
peer ip link set lo up
for scenario in ${SCENARIOS:-chains siblings direct live removal}; do
	start_seconds=${EPOCHREALTIME/.*}
	cpu_start
	$scenario
	note "$scenario: $((${EPOCHREALTIME/.*} - start_seconds)) s of the guest's time, CPU $(cpu_idle) % idle"
done
