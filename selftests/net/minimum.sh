#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Minima: what a VIF gets before others share the rest by weight. See pairs.sh for topology
# and judge.
#
# many		64 VIFs of least weight have a minimum each, and two of great weight have none:
#		in any 100 ms each of the 64 has 99 % of its minimum, and the two share the
#		rest by weight; at egress and at ingress
# below		a minimum below one that is just as much, which is all that its VIF has
# link		qdisc mode, on a link that goes from 100 to 20, 60 and 12 Mbit/s: the minima
#		hold on each, but the last, of which each has the same part of its own
# refused	what would promise more than there is
#
# "99 %" is that, or all but a packet, where that is more.
# lab: virtual, timeout=900, kernels=6.1+new, budget=34
# shellcheck disable=SC2154,SC2017

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pairs.sh"

bins=100	# that are judged, of 10 ms

# vif PATH KEY=VALUE...: in the present direction
vif() {
	local vif=/proc/network/v$n/$1 word
	[ -d "$vif" ] || mkdir "$vif" || return
	for word in "${@:2}"; do
		echo "$direction ${word#*=}" >"$vif/${word%%=*}" || return
	done
}

# sender PATH RATE: bits per second on the wire
sender() {
	local port=$((++last_port))
	ports+=("$port")
	flow "$n" "$direction" udp v4 "$port" "/proc/network/v$n/$1" --size "$payload" \
		--rate $(($2 / (payload + 42) * payload))
}

# measure: 10 ms bins of all senders
measure() {
	local port arguments=()
	for port in "${ports[@]}"; do arguments+=(--port "$port"); done
	meter_flow all "$n" "$direction" --bin 10ms --csv "$tmp/csv" "${arguments[@]}"
	pause 1.1
	meter_stop all
	meter_load all
	meter_whole || fail "$1: the judge saw everything" "$(cat "$tmp/meter.all")"
}

# least FIRST LAST: the least that any of these senders, from 1 on, had in any 100 ms: bytes
least() {
	awk -F, -v first=$(($1 + 3)) -v last=$(($2 + 3)) -v bins=$bins '
		NR > 1 && NR <= bins + 1 {
			n++
			for (c = first; c <= last; c++) {
				sum[c] += $c
				at[c, n] = $c
				if (n > 10)
					sum[c] -= at[c, n - 10]
				if (n >= 10 && (least == "" || sum[c] < least))
					least = sum[c]
			}
		}
		END { print n == bins ? least : "too few bins" }' "$tmp/csv"
}

# had SENDER: bytes in all bins
had() {
	awk -F, -v column=$(($1 + 3)) -v bins=$bins 'NR > 1 && NR <= bins + 1 { sum += $column }
		END { print sum }' "$tmp/csv"
}

# check_least NAME FIRST LAST RATE
check_least() {
	local got packet=$((payload + 42)) want=$(($4 / 80))
	got=$(least "$2" "$3")
	note "$1: at least $got bytes in 100 ms, of $want"
	check "$1: 99 % of it in any 100 ms" "$got + ($packet > $want / 100 ? $packet : $want / 100) >= $want"
}

# check_rate NAME SENDER RATE: in a second, within 1 % or a packet
check_rate() {
	local want=$(($3 / 8)) packet=$((payload + 42))
	note "$1: $(had "$2") bytes/s, of $want"
	check "$1: as much as is left" "($(had "$2") - $want) ^ 2 <= ($packet > $want / 100 ? $packet : $want / 100) ^ 2"
}

pair_begin() {
	ports=()
	pair_new || exit
}

pair_end() {
	flow_stop "${ports[@]}"
	tc qdisc del dev "v$n" root 2>/dev/null
	pair_del "$n"
}

# what is left: 16 Mbit/s, by weights of 64 and 15000
many() {
	local i
	payload=83
	pair_begin
	echo "$direction 80m" >"/proc/network/v$n/bandwidth"
	for ((i = 0; i < 64; i++)); do
		vif "$i" minimum=1m weight=1
		sender "$i" 1200000
	done
	vif x weight=10000
	vif y weight=5000
	sender x 13000000
	sender y 7000000
	pause 0.3
	measure "many, $direction"
	check_least "many, $direction" 1 64 1000000
	check_rate "many, $direction, weight 10000" 65 $((16000000 * 10000 / 15064))
	check_rate "many, $direction, weight 5000" 66 $((16000000 * 5000 / 15064))
	pair_end
}

# the VIF p has its minimum and hardly more; of that nearly all is promised to p/a
below() {
	payload=458
	pair_begin
	echo "$direction 20m" >"/proc/network/v$n/bandwidth"
	vif p minimum=10m weight=1
	vif p/a minimum=8m weight=1
	vif p/b weight=10000
	vif q weight=10000
	sender p/a 12000000
	sender p/b 12000000
	sender q 24000000
	pause 0.3
	measure "below, $direction"
	check_least "below, $direction, of the parent" 1 1 8000000
	check_rate "below, $direction, beside it" 2 2000000
	check_rate "below, $direction, beside its parent" 3 10000000
	vif p minimum=8m
	pause 0.3
	measure "below, $direction, all of it"
	check_least "below, $direction, all of it" 1 1 8000000
	check_rate "below, $direction, beside its parent" 3 12000000
	pair_end
}

# link RATE: of a tbf above
set_link() {
	tc qdisc change dev "v$n" root handle 1: tbf rate "$1" burst 4k limit 10m
	pause 0.3
	measure "link of $1"
}

link() {
	direction=egress payload=458
	pair_begin
	tc qdisc add dev "v$n" root handle 1: tbf rate 100mbit burst 4k limit 10m
	tc qdisc add dev "v$n" parent 1:1 netnice
	vif a minimum=10m weight=1
	vif b minimum=5m weight=1
	vif c weight=10000
	sender a 20000000
	sender b 20000000
	sender c 110000000
	pause 0.3
	for rate in 100 20 60; do
		set_link ${rate}mbit
		check_least "link of $rate Mbit/s, 10" 1 1 10000000
		check_least "link of $rate Mbit/s, 5" 2 2 5000000
		check_rate "link of $rate Mbit/s" 3 $((rate * 1000000 - 15000000))
	done
	set_link 12mbit
	check_rate 'link of less, 10' 1 8000000
	check_rate 'link of less, 5' 2 4000000
	check 'link of less: nothing is left' "$(had 3) == 0"
	set_link 20mbit
	check_least 'link of 20 Mbit/s again, 10' 1 1 10000000
	check_least 'link of 20 Mbit/s again, 5' 2 2 5000000
	pair_end
}

# refuses NAME PATTERN COMMAND...: with such a sentence, and nothing has changed
refuses() {
	local name=$1 pattern=$2 before
	shift 2
	before=$(cat $top/{,a/,a/b/,c/}{minimum,bandwidth} 2>/dev/null)
	fails "refused: $name" "$@"
	ok "refused: $name, and why" grep -qE "$pattern" /proc/network/last_error
	check_eq "refused: $name changes nothing" "$(cat $top/{,a/,a/b/,c/}{minimum,bandwidth} 2>/dev/null)" "$before"
}

# to FILE VALUE
to() { echo "$2" >"$top/$1"; }

refused() {
	pair_begin
	top=/proc/network/v$n
	mkdir $top/a $top/c
	check_eq 'none at first' "$(cat $top/a/minimum)" $'egress none\ningress none'
	ok 'without a bandwidth of the device any sum' to a/minimum 250g
	ok 'also above 400gbit' to c/minimum 250g
	refuses 'less bandwidth than is promised' '^bandwidth: egress: 500000000000 bit/s are promised' to bandwidth 400g
	to a/minimum 5m && to c/minimum none
	ok 'as much is enough' to bandwidth 5m
	refuses 'more than the device has' "^minimum: ingress: 8000 .*'the device' above guarantees 5000000 \(its bandwidth\), of which 5000000 are" \
		to c/minimum 'ingress 8k'
	ok 'each direction by itself' to a/minimum 'egress 3m'
	refuses 'both, where one is too much' '^minimum: ingress: 2000000 ' to c/minimum 2m
	ok 'what is left of one' to c/minimum 'egress 2m'
	refuses 'of the root VIF' "^minimum: a device's root VIF has no siblings" to minimum 1m
	to c/bandwidth 'egress 2m'
	refuses 'more than its bandwidth' '^minimum: egress: 3000000 bit/s are more than .* bandwidth, 2000000 bit/s' to c/minimum 'egress 3m'
	refuses 'less bandwidth than that' "^bandwidth: egress: it is less than the VIF's minimum, 2000000" to c/bandwidth 'egress 1m'
	mkdir $top/a/b
	ok 'below another one' to a/b/minimum 'egress 3m'
	refuses 'more than that' "^minimum: egress: 3000008 .*'a' above guarantees 3000000 \(its minimum\), of which 0 " to a/b/minimum 'egress 3000008'
	refuses 'less above than is promised' '^minimum: egress: 3000000 bit/s are promised' to a/minimum 'egress 2m'
	refuses 'none above' '^minimum: egress: 3000000 bit/s are promised' to a/minimum none
	mkdir $top/c/d
	to c/minimum none
	refuses 'below one without' "^minimum: egress: the parent VIF 'c' has no minimum" to c/d/minimum 1m
	refuses 'to move there' "^minimum: egress: the parent VIF 'c' has no minimum" mv $top/a/b $top/c/b
	refuses 'to move where too little is left' "^minimum: egress: 3000000 .* of which 3000000 are" mv $top/a/b $top/b
	to a/b/minimum 'egress 2m'
	ok 'to move where there is enough' mv $top/a/b $top/b
	check_eq 'moved: it has it' "$(cat $top/b/minimum)" $'egress 2mbit\ningress none'
	ok 'moved: nothing is promised where it was' to a/minimum none
	rmdir $top/b
	to c/bandwidth max
	ok 'removed: nothing is promised to it' to c/minimum 5m
	rmdir $top/c/d $top/c $top/a
	ok 'all removed' to bandwidth 8k
	pair_del "$n"
}

begin
need netnice nft
ip netns add peer
defer ip netns del peer
peer ip link set lo up
last_port=5000
refused
for direction in egress ingress; do
	below
	many
done
link
