#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The paper's Figure 8 (Okumura, Mosse, "Virtual network interface", section
# V.C): VIFs 1 and 2 share VIF 3 by 66 to 33; VIF 3 has 256 kB/s, VIF 4 512,
# VIF 5 128. VIF 5 sends all the time, VIF 4 a burst from 5 to 15 s, VIF 1 from
# 20 to 40 s, VIF 2 from 30 to 50 s. In every second each must be within 1 % of
# what an ideal fluid scheduler gives it (or one packet, if that is more; in the
# second after a sender's end, of what it had before).
#
# Lines `# figure:` hold, for each second, what each VIF sent and should have.
# lab: virtual, timeout=600, kernels=6.1+new, check=none, budget=7
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pairs.sh"

payload=458		# 500 bytes on the wire
names=(vif1 vif2 vif4 vif5)
declare -A path=([vif1]=3/1 [vif2]=3/2 [vif4]=4 [vif5]=5)
declare -A from=([vif1]=20 [vif2]=30 [vif4]=5 [vif5]=0)
declare -A to=([vif1]=40 [vif2]=50 [vif4]=15 [vif5]=55)
# wire bytes that are gone just at that time
declare -A bytes=([vif1]=$((10 * 256000 + 20 * 256000 / 3)) [vif2]=$((10 * 256000 + 10 * 256000 / 3))
	[vif4]=$((10 * 512000)) [vif5]=$((55 * 128000)))
declare -A port=([vif1]=5001 [vif2]=5002 [vif4]=5004 [vif5]=5005)
last=55
tree='vif 3 bandwidth=2048000
vif 3/1 weight=66
vif 3/2 weight=33
vif 4 bandwidth=4096000
vif 5 bandwidth=1024000'

begin
need netnice
ip netns add peer
defer ip netns del peer
peer ip link set lo up
pair_new
vifs=/proc/network/v$n
while read -r _ vif values; do
	mkdir "$vifs/$vif"
	for value in $values; do echo "${value#*=}" >"$vifs/$vif/${value%%=*}"; done
	# one packet ahead, so that a second is a second
	echo 1000 >"$vifs/$vif/burst"
	# a sender is done when all it has is sent: nothing may be dropped
	echo none >"$vifs/$vif/aqm"
done <<<"$tree"

# sender NAME: waits for its time, and sends all it has as fast as it may. A second
# begins with a packet of VIF 5, which is the first. The others come 3 ms later, lest
# anything changes just where a second ends: two packets leave at once when one begins,
# and who is one ahead ends 2 ms early.
sender() {
	local packets=$((bytes[$1] / (payload + 42))) late=3
	[ "${from[$1]}" -gt 0 ] || late=0
	background "${in_vif_prefix[@]}" "$vifs/${path[$1]}" traffic send udp "10.1.$n.2" "${port[$1]}" \
		--size $payload --bytes $((packets * payload)) \
		--at $((start + from[$1] * 1000 + late)) >"$tmp/send.$1"
}

ports=()
for name in "${names[@]}"; do
	background peer traffic sink udp "${port[$name]}" >/dev/null
	ports+=(--port "${port[$name]}")
done
meter_flow all "$n" egress --bin 1s --csv "$tmp/csv" "${ports[@]}"
read -r uptime _ </proc/uptime
start=$((${uptime/./} * 10 + 2000))
for name in "${names[@]}"; do sender "$name"; done
sleep $((last + 2))
meter_stop all
meter_load all
meter_whole || fail 'the judge saw everything' "$(cat "$tmp/meter.all")"

# ideal SECOND: rates of those that send then
ideal() {
	local name
	{
		echo "$tree"
		for name in "${names[@]}"; do
			[ "$1" -lt "${from[$name]}" ] || [ "$1" -ge "${to[$name]}" ] || echo "flow ${path[$name]}"
		done
	} | awk -f "$net_dir/fluid.awk"
}

{
	for ((second = 0; second < last; second++)); do
		ideal $second | sed "s/^/$second /"
	done
} >"$tmp/ideal"
awk -F '[, ]' -v packet=$((payload + 42)) '
	FILENAME ~ /ideal$/ { want[$1, $2] = $3 / 8; next }
	FNR == 1 { next }
	{
		split("3/1 3/2 4 5", path, " ")
		for (i = 1; i <= 4; i++) {
			second = int($1 + 0.5)
			w = want[second, path[i]] + 0
			before = want[second - 1, path[i]] + 0
			allowed = (w > before ? w : before) / 100
			if (allowed < packet)
				allowed = packet
			printf "# figure: %d %s %d %d\n", second, path[i], $(3 + i), w
			if ($(3 + i) - w > allowed || w - $(3 + i) > allowed)
				print "# off by more than 1 %: second " second ", VIF " path[i] ": " $(3 + i) " of " w
		}
	}' "$tmp/ideal" "$tmp/csv" >"$tmp/figure"
cat "$tmp/figure"
check "seconds measured" "$(grep -c 'figure: .* 5 ' "$tmp/figure") >= $last"
for name in "${names[@]}"; do
	check_eq "$name is within 1 % of the ideal in every second" \
		"$(grep -c "off by.* VIF ${path[$name]}:" "$tmp/figure")" 0
done
