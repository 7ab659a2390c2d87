#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What waits in one VIF: a flow that sends little is not held up, nor loses
# anything, beside those that want all they can get; what is dropped or marked
# is so by the rules; and stat tells the truth about it. See pairs.sh for the
# topology, roundtrip.c for requests and answers.
#
# crowd		100 Mbit/s, 128 TCP connections without ECN: the median answer
#		beside them comes in less than 3 ms
# far		TCP that is held back by small queues on this host loses nothing
# slow		256 kbit/s, one TCP connection: every answer beside it, and every
#		ping, in less than 150 ms; a full frame takes 47 ms. (Answers to
#		pings are not known to be the VIF's; see limits.rst.)
# flood		1 Mbit/s, UDP at five times that, from one socket and from many:
#		not one request or answer beside it is lost
# paced	50 Mbit/s, 20 TCP connections keep 80 % beside two UDP senders that are
#		paced to 97 % of the limit together
# limits	at most what `limit` says waits, of each direction and unit
# marks		who can be marked is not dropped (ECN); of what is received here by TCP
#		nothing has to be, as no more is asked for than the limit gives
# acks		a download whose acknowledgements share a slow VIF with uploads has what cake gives it
# hosts		30 connections of one host against one of another: the one gets half, if asked for
# sparse	1 and 50 Mbit/s, 8 TCP connections: 50 requests a second wait for the frame that is on the
#		wire, not for the timer, which lets out several frames at a time
# books		sent = received + dropped, nothing is left, and sojourn times are
#		those of a capture
#
# "ingress" is what the process here receives. Virtual time: each run is the same.
# lab: virtual, timeout=900, kernels=6.1+new, budget=20
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pairs.sh"

directions=${DIRECTIONS:-egress ingress}

# place DIRECTION LIMIT: a pair, and on it a VIF with that bandwidth
place() {
	pair_new || return
	vif=/proc/network/v$n/limited
	mkdir "$vif"
	echo "$1 $2" >"$vif/bandwidth"
	peer ping -q -c 1 -W 1 "10.1.$n.1" >/dev/null
}

# "${many[@]}" COUNT COMMAND...: beside each other
# shellcheck disable=SC2016
many=(bash -c 'for ((i = $0; i > 0; i--)); do "$@" & done; wait')

# bulk DIRECTION COUNT SECONDS [HOST]: TCP connections in the VIF that send all they can
bulk() {
	local direction=$1 count=$2 seconds=$3 port=$((6000 + n)) i
	if [ "$direction" = egress ]; then
		background peer traffic sink tcp "$port" >"$tmp/bulk"
		busywait 5 file_says "$tmp/bulk" ready
		background "${in_vif_prefix[@]}" "$vif" "${many[@]}" "$count" traffic send tcp "10.1.$n.${4-2}" "$port" --seconds "$seconds"
	else
		background "${in_vif_prefix[@]}" "$vif" traffic sink tcp "$port" >"$tmp/bulk"
		busywait 5 file_says "$tmp/bulk" ready
		background peer "${many[@]}" "$count" traffic send tcp "10.1.$n.1" "$port" --seconds "$seconds"
	fi >/dev/null
}

# asking PROTOCOL NAME ARGUMENT...: requests of a process of the VIF, answered by the
# peer; then `answer NAME KEY`
asking() {
	local protocol=$1 name=$2 port=$((7000 + ++asked))
	shift 2
	background peer roundtrip answer "$protocol" "$port" >"$tmp/answer.$name"
	busywait 5 file_says "$tmp/answer.$name" ready
	background "${in_vif_prefix[@]}" "$vif" roundtrip ask "$protocol" "10.1.$n.2" "$port" "$@" >"$tmp/ask.$name"
	askers+=($!)
}
asked=0 askers=()

asked_all() {
	wait "${askers[@]}"
	askers=()
}

answer() { sed -n "s/^$2=//p" "$tmp/ask.$1"; }

# told NAME DIRECTION: what stat says, as a note
told() {
	note "$1: $(sed -n "s/^$2_//p" "$vif/stat" | paste -s -d ' ')"
}

# ecn 0|1: of TCP, at both ends
ecn() {
	sysctl -qw net.ipv4.tcp_ecn="$1"
	peer sysctl -qw net.ipv4.tcp_ecn="$1"
}

crowd() {
	local direction i idle
	for direction in $directions; do
		place "$direction" 100m || return
		cpu_start
		bulk "$direction" 128 5
		pause 1.5
		# several, lest luck of their hash decides
		for i in 1 2 3 4; do
			asking tcp "$i" --every $((20 + i)) --count 100
		done
		asked_all
		idle=$(cpu_idle)
		told "crowd, $direction" "$direction"
		for i in 1 2 3 4; do
			note "crowd, $direction: $(paste -s -d ' ' "$tmp/ask.$i")"
			check "crowd, $direction, $i: the median answer in less than 3 ms" "$(answer $i median_us) < 3000"
		done
		check "crowd, $direction: the VIF is busy" "$(vif_stat "$vif" "${direction}_bytes") > 2.5 * 12500000"
		check "crowd, $direction: the CPU had time left ($idle % idle)" "$idle >= 5"
		pair_del "$n"
	done
}

far() {
	place egress 10m || return
	peer tc qdisc replace dev "v$n" root netem delay 20ms limit 10000
	bulk egress 16 5
	pause 5.5
	told far egress
	check 'far: the VIF is busy' "$(vif_stat "$vif" egress_bytes) > 0.95 * 5 * 1250000"
	check_eq 'far: nothing is lost' "$(vif_stat "$vif" egress_drops)" 0
	pair_del "$n"
}

slow() {
	local direction pinged
	for direction in $directions; do
		place "$direction" 256k || return
		bulk "$direction" 1 14
		pause 2
		asking tcp tcp --every 150 --count 60
		asking udp udp --every 170 --count 50
		pinged=$(in_vif "$vif" ping -q -i 0.19 -c 50 "10.1.$n.2" | sed -n 's,^rtt .*/.*/\(.*\)/.*,\1,p')
		asked_all
		told "slow, $direction" "$direction"
		note "slow, $direction: ping $pinged ms, $(paste -s -d ' ' "$tmp/ask.tcp" "$tmp/ask.udp")"
		check "slow, $direction: every ping in less than 150 ms" "$pinged < 150"
		check "slow, $direction: every TCP answer" "$(answer tcp max_us) < 150000"
		check "slow, $direction: every UDP answer" "$(answer udp max_us) < 150000"
		check_eq "slow, $direction: all were answered" "$(answer tcp answered) $(answer udp answered)" '60 50'
		check "slow, $direction: the VIF is busy" "$(vif_stat "$vif" "${direction}_bytes") > 10 * 32000"
		pair_del "$n"
	done
}

# flooding DIRECTION SOCKETS: five times 1 Mbit/s of UDP for 4 s
flooding() {
	local direction=$1 sockets=$2 port=$((8000 + n)) rate
	rate=$((5000000 / sockets))
	if [ "$direction" = egress ]; then
		background peer traffic sink udp "$port" >/dev/null
		background "${in_vif_prefix[@]}" "$vif" "${many[@]}" "$sockets" traffic send udp "10.1.$n.2" "$port" \
			--rate $rate --size 1000 --seconds 4
	else
		background traffic sink udp "$port"
		pause 0.1
		# whose a socket is that never sends is known if it was there before
		echo $! >"$vif/tasks"
		background peer "${many[@]}" "$sockets" traffic send udp "10.1.$n.1" "$port" \
			--rate $rate --size 1000 --seconds 4
	fi >/dev/null
}

flood() {
	local direction sockets limit
	for direction in $directions; do
		while read -r sockets limit; do
			place "$direction" 1m || return
			echo "$limit" >"$vif/limit"
			flooding "$direction" "$sockets"
			pause 1
			asking udp udp --every 100 --count 25
			asked_all
			told "flood, $direction, $sockets, limit $limit" "$direction"
			check_eq "flood, $direction, $sockets sockets, limit $limit: no request or answer is lost" \
				"$(answer udp answered)" 25
			check "flood, $direction, $sockets sockets, limit $limit: of the flood much" \
				"$(vif_stat "$vif" "${direction}_drops") > 200"
			pair_del "$n"
		done < <(
			printf '%s\n' '1 auto' '50 40p'
			short || printf '%s\n' '1 40p' '50 auto'
		)
	done
}

# A full frame takes 12 ms at 1 Mbit/s, and is what a request finds on the wire: the bounds are cake's
# figures. At 50 Mbit/s it takes 0.24 ms, and the timer waits for two: a request does not.
sparse() {
	local limit count median most
	while read -r limit count median most; do
		place egress "$limit" || return
		bulk egress 8 $((4 + count / 50))
		pause 3
		asking udp udp --every 20 --count "$count"
		asked_all
		told "sparse, $limit" egress
		note "sparse, $limit: $(paste -s -d ' ' "$tmp/ask.udp")"
		check_eq "sparse, $limit: all were answered" "$(answer udp answered)" "$count"
		check "sparse, $limit: half of the requests in $median us" "$(answer udp median_us) <= $median"
		check "sparse, $limit: each in $most us" "$(answer udp max_us) <= $most"
		pair_del "$n"
	done <<-END
		1m 150 6200 12500
		50m 50 200 500
	END
}

# The senders have a packet at a time in the queue, and a turn is a full frame: here 1514 bytes.
paced() {
	local before after received
	place egress 50m || return
	bulk egress 20 5
	pause 1
	before=$(vif_stat "$vif" egress_bytes)
	flow "$n" egress udp v4 9300 "$vif" --rate 23580k --size 1472 --seconds 3
	flow "$n" egress udp v4 9301 "$vif" --rate 23580k --size 1472 --seconds 3
	pause 3
	after=$(vif_stat "$vif" egress_bytes)
	flow_stop 9300 9301
	received=$(($(flow_received 9300) + $(flow_received 9301)))
	note "paced: UDP received $received of $((after - before)) bytes"
	check 'paced: the VIF is busy' "$after - $before > 0.95 * 3 * 6250000"
	check 'paced: TCP keeps 80 %' "1 - $received * 1514 / 1472 / ($after - $before) > 0.8"
	check 'paced: UDP has a share, too' "$received > 0.04 * ($after - $before)"
	pair_del "$n"
}

# waiting DIRECTION packets|bytes: the most that was seen
waiting() {
	local most=0 now i
	for ((i = 0; i < 20; i++)); do
		now=$(awk -v of="^$1_[pd]_queue_$2\$" '$1 ~ of { n += $2 } END { print n }' "$vif/stat")
		[ "$now" -le "$most" ] || most=$now
		pause 0.05
	done
	echo "$most"
}

limits() {
	local direction limit unit most
	for direction in $directions; do
		while read -r limit unit most; do
			place "$direction" 1m || return
			echo "$direction $limit" >"$vif/limit"
			echo none >"$vif/aqm"
			flooding "$direction" 8
			pause 0.5
			most_seen=$(waiting "$direction" "$unit")
			told "limit $direction $limit" "$direction"
			check "limit $direction $limit: $most_seen $unit of $most wait" "$most_seen <= $most && $most_seen > 0.9 * $most"
			pair_del "$n"
		done <<-END
			1p packets 1
			50p packets 50
			50000 bytes 50000
			100k bytes 102400
		END
	done
}

marks() {
	local direction
	ecn 1
	for direction in $directions; do
		place "$direction" 2m || return
		bulk "$direction" 4 4
		pause 4.5
		told "marks, $direction" "$direction"
		if [ "$direction" = egress ]; then
			check "marks, $direction: some" "$(vif_stat "$vif" "${direction}_marks") > 0"
		else
			check_eq "marks, $direction: none" "$(vif_stat "$vif" "${direction}_marks")" 0
		fi
		check_eq "marks, $direction: no drops" "$(vif_stat "$vif" "${direction}_drops")" 0
		pair_del "$n"
	done
	ecn 2
}

# acks_beside AQM UPLOADS: a download at 10 Mbit/s beside uploads at 256 kbit/s; $beside: its kbit/s
acks_beside() {
	local port=$((8000 + n)) before
	place egress 256k || return
	echo ingress 10m >"$vif/bandwidth"
	peer tc qdisc add dev "v$n" root netem delay 20ms limit 1000
	echo "egress $1" >"$vif/aqm"
	bulk egress "$2" 9
	flow "$n" ingress tcp v4 "$port" "$vif"
	pause 4
	before=$(vif_stat "$vif" ingress_bytes)
	pause 5
	beside=$((($(vif_stat "$vif" ingress_bytes) - before) / 625))
	flow_stop "$port"
	told "acks, $1, $2 uploads" egress
}

# The bounds are what cake with ack-filter gives there.
acks() {
	acks_beside 'codel no-ack-filter' 1 || return
	check_eq 'acks: none is dropped without the filter' "$(vif_stat "$vif" egress_ack_drops)" 0
	pair_del "$n"
	acks_beside codel 1 || return
	check 'acks: the filter drops some' "$(vif_stat "$vif" egress_ack_drops) > 10"
	check 'acks: they are among the drops' "$(vif_stat "$vif" egress_drops) >= $(vif_stat "$vif" egress_ack_drops)"
	check "acks: $beside kbit/s beside an upload" "$beside > 8350"
	busywait 30 pairs_empty "$n"
	check_eq 'acks: and count no longer' "$(vif_stat "$vif" egress_p_queue_packets)" 0
	pair_del "$n"
	acks_beside codel 4 || return
	check "acks: $beside kbit/s beside four uploads" "$beside > 6170"
	pair_del "$n"
}

# part DIRECTION: of the VIF's packets in 4 s, those of the connection of port 9400, in per cent
part() {
	local before after
	meter_flow part "$n" "$1" --bin 1s --csv "$tmp/csv" --port 9400
	before=$(vif_stat "$vif" "$1_bytes")
	pause 4.2
	after=$(vif_stat "$vif" "$1_bytes")
	meter_stop part
	awk -F, -v all="$((after - before))" 'NR > 1 && NR <= 5 { n += $3 } END { printf "%.1f", 100 * n / (all / 4.2 * 4) }' "$tmp/csv"
}

# The peer is two hosts: connections that it opens are of 10.1.N.3.
hosts() {
	local direction plain fair
	local -A by=([egress]=dual-dsthost [ingress]=dual-srchost)
	for direction in $directions; do
		place "$direction" 10m || return
		peer ip addr add "10.1.$n.3/24" dev "v$n"
		peer ip route add "10.1.$n.1/32" dev "v$n" src "10.1.$n.3"
		bulk "$direction" 30 20 3
		flow "$n" "$direction" tcp v4 9400 "$vif"
		pause 2
		plain=$(part "$direction")
		# under way
		echo "$direction ${by[$direction]}" >"$vif/fair"
		pause 2
		fair=$(part "$direction")
		note "hosts, $direction: one of 31 connections has $plain %, with ${by[$direction]} $fair %"
		check "hosts, $direction: one of 31 connections has $plain %" "$plain < 10"
		check "hosts, $direction: one of two hosts has $fair %" "$fair > 49 && $fair < 51"
		echo "$direction flow" >"$vif/fair"
		flow_stop 9400
		told "hosts, $direction" "$direction"
		pair_del "$n"
	done
}

# capture of UDP messages that left at equal distances, the first one at once:
# min, mean, 99th percentile and max of how long they waited, in ns
sojourn_seen() {
	awk -v every="$1" '
		n == 0 { first = $1 }
		{ printf "%.0f\n", ($1 - first) * 1e9 - n++ * every }
	' "$tmp/capture" | sort -n | awk '
		{ n[NR] = $1; sum += $1 }
		END { printf "%.0f %.0f %.0f\n", sum / NR, n[int((NR * 99 + 99) / 100)], n[NR] }
	'
}

# 1000 messages of 1042 bytes on the wire, 20 % more than 1 Mbit/s lets pass
sojourn() {
	local mean p99 max tcpdump
	place egress 1m || return
	echo max >"$vif/limit"
	echo none >"$vif/aqm"
	background peer traffic sink udp 9100 >/dev/null
	background peer tcpdump -i "v$n" -tt -n --immediate-mode --time-stamp-precision nano udp port 9100 >"$tmp/capture" 2>"$tmp/tcpdump"
	tcpdump=$!
	busywait 5 grep -q 'listening on' "$tmp/tcpdump"
	in_vif "$vif" traffic send udp "10.1.$n.2" 9100 --size 1000 --rate 1150k --bytes 500000 >/dev/null
	busywait 5 pairs_empty "$n"
	pause 0.5
	stop $tcpdump
	sed -i '/ IP /!d' "$tmp/capture"
	read -r mean p99 max <<<"$(sojourn_seen $((8000000000000 / 1150000)))"
	stat_load "$vif"
	told sojourn egress
	note "sojourn: $(wc -l <"$tmp/capture") captured, mean $mean p99 $p99 max $max"
	check_eq 'sojourn: all were captured' "$(wc -l <"$tmp/capture")" 500
	check_eq 'sojourn: the first did not wait' "$s_egress_sojourn_min" 0
	check_near 'sojourn: mean' "$s_egress_sojourn_mean" "$mean" 1
	check_near 'sojourn: max' "$s_egress_sojourn_max" "$max" 1
	check 'sojourn: 99th percentile' "$s_egress_sojourn_p99 >= 0.99 * $p99 && $s_egress_sojourn_p99 <= 1.25 * $p99"
	pair_del "$n"
}

# DIRECTION: UDP, of which three quarters are too much
conservation() {
	local direction=$1 sent received
	place "$direction" 1m || return
	flow "$n" "$direction" udp v4 9200 "$vif" --rate 4m --seconds 3
	pause 3.5
	busywait 10 pairs_empty "$n"
	pause 0.5
	flow_stop 9200
	stat_load "$vif"
	told "books, $direction" "$direction"
	sent=$(sed -n 's/^who=.* messages=\([0-9]*\).*/\1/p' "$tmp/send.9200")
	received=$(sed -n 's/^who=.* messages=\([0-9]*\).*/\1/p' "$tmp/receive.9200")
	drops=s_${direction}_drops
	check "books, $direction: something was dropped" "${!drops} > 100"
	check_eq "books, $direction: sent = received + dropped" "$sent" "$((received + ${!drops}))"
	check_eq "books, $direction: nothing waits" "$(grep "^${direction}_[pd]_queue" "$vif/stat" | cut -d' ' -f2 | sort -u)" 0
	pair_del "$n"
}

books() {
	local direction
	for direction in $directions; do
		conservation "$direction"
	done
	sojourn
}

begin
need netnice
ip netns add peer
defer ip netns del peer
peer ip link set lo up
ecn 2
for scenario in ${SCENARIOS:-crowd far slow sparse flood paced limits marks acks hosts books}; do
	$scenario
done
