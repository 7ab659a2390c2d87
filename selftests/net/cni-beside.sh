#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=cni
# lab: virtual, check=none, kernels=6.1, mem=2048, timeout=3600
#
# The CNI plugin beside the CNI project's own, `bandwidth`, which has tbf at both ends of a
# veth, and an ifb: the table of Documentation/kubernetes.rst. The same pods (pods.sh), asked
# for in the same way: 10 Mbit/s in, 5 Mbit/s out. `bandwidth` is measured twice: with the burst
# that runtimes ask for, as annotations have none, and with one of 2,500 bytes, set by hand.
#
# Virtual time: each run is the same, and an instruction is a nanosecond.
. "$(dirname "$0")/lib.sh"

. "$(dirname "$0")/pods.sh"

in=10000000 out=5000000

# ask BURST-IN BURST-OUT: what the runtime hands over, in bits
ask() {
	printf '{ "bandwidth": { "ingressRate": %d, "ingressBurst": %d, "egressRate": %d, "egressBurst": %d } }' \
		$in "$1" $out "$2"
}

# row WHAT VALUE: of the table
row() {
	note "result: $scheme: $1: $2"
	results[$scheme/$1]=$2
}
declare -A results

percent() { awk -v is="$1" -v wanted="$2" 'BEGIN { printf "%.2f", 100 * is / wanted }'; }

# rate NAME FROM TO RATE WHERE
rate() {
	flow_run "${@:2}"
	row "$1, % of the limit" "$(percent "$(meter flow rate_bit_per_s)" "$4")"
	row "$1, first second, % of it" "$(percent $((8 * $(meter flow first_second_bytes))) "$4")"
}

# answers: requests to a pod that downloads by TCP, all it can; in microseconds
answers() {
	local sink
	background nsenter --net=/run/netns/pod-a -- traffic sink tcp 7000 >"$tmp/sink"
	sink=$!
	busywait 20 pod a sh -c 'ss -Hltn "sport = 7000" | grep -q .'
	background nsenter --net=/run/netns/pod-a -- roundtrip answer udp 7001 >"$tmp/answer"
	busywait 20 file_says "$tmp/answer" ready
	background nsenter --net=/run/netns/pod-c -- traffic send tcp "$(address a)" 7000 --seconds 14 >/dev/null
	# what is let through at first is no queue
	sleep 3
	pod c roundtrip ask udp "$(address a)" 7001 --every 20 --count 500 >"$tmp/ask"
	note "$(xargs <"$tmp/ask")"
	row 'answers beside a download, median, ms' "$(milliseconds median_us)"
	row 'answers beside a download, most, ms' "$(milliseconds max_us)"
	row 'answers beside a download, lost' "$(awk -F= '/^sent/ { s = $2 } /^answered/ { print s - $2 }' "$tmp/ask")"
	stop $sink
}

milliseconds() { awk -v us="$(line_of "$tmp/ask" "$1=")" 'BEGIN { printf "%.1f", us / 1000 }'; }

# cost: instructions a datagram takes on its way from a pod to the node, far below the limit
cost() {
	local port=$((7100 + ${#results[@]}))
	silent_socket $port
	row 'a packet, instructions' "$(per_datagram 10.88.0.1 $port 64 nsenter --net=/run/netns/pod-a -- | sort -n | head -n 1)"
	# shellcheck disable=SC2154
	stop $silent
}

# unreached CAPABILITIES: with a thousand times the rates
unreached() {
	jq -c 'if .bandwidth then .bandwidth |= with_entries(if .key | endswith("Rate") then .value *= 1000 else . end)
		else . end' <<<"$1"
}

# one SCHEME CONFLIST CAPABILITIES
one() {
	scheme=$1 conflist=$2
	pod_begin a "$3" && pod_begin c '{}' || return
	if [ "$conflist" != none ]; then
		rate 'sent' a c $out in
		rate 'received' c a $in delivered
		answers
	fi
	pod_end a
	pod_end c
	# with a limit that is never reached
	pod_begin a "$(unreached "$3")" && pod_begin c '{}' || return
	cost
	pod_end a
	pod_end c
}

begin
need netnice jq cni-runtime /opt/cni/bin/netnice /usr/lib/cni/bandwidth
cp "$net_dir/../units/netnice.conflist" "$tmp/example"
list netnice ''
jq '.plugins[-1] = { type: "bandwidth", capabilities: { bandwidth: true } }' "$tmp/example" >"$tmp/bandwidth.conflist"
jq '.plugins |= .[:1]' "$tmp/example" >"$tmp/none.conflist"
one none none '{}'
one bandwidth bandwidth "$(ask 2147483647 2147483647)"
one 'bandwidth, burst 2,500 bytes' bandwidth "$(ask 20000 20000)"
one netnice netnice "$(ask 2147483647 2147483647)"
for what in sent received; do
	check_near "$what: the rate" "${results[netnice/$what, % of the limit]}" 100 1
	check "$what: the first second" "${results[netnice/$what, first second, % of it]} <= 105"
done
log_clean
