#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=nri
# lab: virtual, check=none, mem=3072, timeout=3600
#
# The NRI plugin (tools/nri, Documentation/kubernetes.rst), and that for CNI beside it, as
# containerd runs them: pods by CRI, on a bridge, behind which the node routes; or in its network.
#
#   pods                     init namespace, the node           namespace peer
#   +-----------------+     +-------------------------+     +------------------+
#   | eth0 10.88.0.x  |-----| veth... cni0       eth0 |-----| eth0 10.0.0.2    |
#   +-----------------+     +-------------------------+     +------------------+
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/runtime.sh"
. "$(dirname "$0")/pod-delays.sh"

top=/proc/network/eth0
all=$top/kubepods
box=/selftests/net/traffic

# configure [required] [DEVICE,...]: of class guaranteed the minimum is to be seen, and not the weight
configure() {
	cat >/etc/nri/conf.d/10-netnice.conf <<-END
		required: ${1:-false}
		devices: [${2-}]
		kubepods: { minimum: egress 8M }
		guaranteed: { minimum: egress 8M, weight: 1 }
		most: { weight: 200, minimum: 8M }
	END
}

# vif_of NAME: the pod's
vif_of() { echo "$all"/*/"pod_default_$1_${pods[$1]::12}"; }

has() { xargs <"$(vif_of "$1")/$2"; }

# vifs: of pods, all there are
vifs() { find "$all" -mindepth 2 -maxdepth 2 -name 'pod_*' -printf '%P\n' | sort | xargs; }

# expect CLASS/NAME...: what vifs has to say
expect() {
	local pod
	for pod; do echo "${pod%/*}/pod_default_${pod#*/}_${pods[${pod#*/}]::12}"; done | sort | xargs
}

same_vifs() { [ "$(vifs)" = "$(expect "$@")" ]; }

address() { inside "$1" ip -o -4 addr show dev eth0 | sed 's/.* inet \([^/]*\).*/\1/'; }

# begins NAME CLASS ANNOTATIONS [node]
begins() { pod_begin "$@" || fail "pod $1 begins" "$said"; }

# --- rates -----------------------------------------------------------------------------

port=6000
next_port() { port=$((port + 1)); }

# sends NAME POD RATE: what it sends to the peer, at twice the rate, over ten seconds
sends() {
	next_port
	background peer traffic sink udp $port >/dev/null
	meter_start out eth0 --in --port $port --span 10
	pod_runs "$2" $box send udp 10.0.0.2 $port --rate $((2 * $3)) --size 1400 --seconds 11
	pause 13
	meter_stop out
	check_near "$1: $(meter out rate_bit_per_s) of $3 bit/s" "$(meter out rate_bit_per_s)" "$3" 1
}

# receives NAME POD RATE ADDRESS [PREFIX...]: what it gets of the peer; the prefix is its network
receives() {
	local prefix=("${@:5}")
	next_port
	pod_runs "$2" $box sink udp $port
	background "${prefix[@]}" wiremeter eth0 --delivered --port $port --span 10 >"$tmp/meter.in"
	# shellcheck disable=SC2034
	meter_in=$!
	busywait 20 file_says "$tmp/meter.in" ready
	peer traffic send udp "$4" $port --rate $((2 * $3)) --size 1400 --seconds 11 >/dev/null
	meter_stop in
	check_near "$1: $(meter in rate_bit_per_s) of $3 bit/s" "$(meter in rate_bit_per_s)" "$3" 1
}

# veth_of NAME: the node's end of it
veth_of() {
	local index
	index=$(inside "$1" ip -o link show dev eth0 | sed 's/.*eth0@if\([0-9]*\):.*/\1/')
	ip -o link show | sed -n "s/^$index: \([^@:]*\).*/\1/p"
}

network_of() { echo nsenter "--net=/proc/$(pod_pid "$1")/ns/net" --; }

# shellcheck disable=SC2046
cni() {
	begins a burstable '{ "kubernetes.io/ingress-bandwidth": "10M", "kubernetes.io/egress-bandwidth": "5M" }'
	sends "CNI's annotation, sent" a 5000000
	receives "CNI's annotation, received" a 10000000 "$(address a)" $(network_of a)
	check "what it sent was its VIF's on the node's device" "$(vif_stat "$(vif_of a)" egress_packets) > 4000"
}

# shellcheck disable=SC2046
limits() {
	begins r burstable '{ "netnice.io/bandwidth": "egress 3M ingress 4M" }'
	sends "netnice's annotation, sent" r 3000000
	receives "netnice's annotation, received" r 4000000 "$(address r)" $(network_of r)
	pod_end r
	begins n besteffort '{ "netnice.io/bandwidth": "egress 3M ingress 4M" }' node
	check_eq "the node's network: its control group" "$(readlink /proc/network/cgroups/kubepods/besteffort/podn/eth0)" \
		"../../../../${all#/proc/network/}/besteffort/$(basename "$(vif_of n)")"
	sends "the node's network, sent" n 3000000
	receives "the node's network, received" n 4000000 10.0.0.1
	pod_end n
	check_eq 'what has ended has no VIF' "$(vifs)" "$(expect burstable/a)"
	ok 'nor a link' test ! -e /proc/network/cgroups/kubepods/besteffort/podn/eth0
	check_eq 'the classes stay' "$(find "$all" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort | xargs)" \
		'besteffort burstable guaranteed'
}

# --- shares ----------------------------------------------------------------------------

# contend SECONDS G B E: all three send, so many bit/s of payload, which is more than they get; bytes by
# 10 ms are in $tmp/csv
contend() {
	local seconds=$1 name first=$port
	shift
	echo 'egress 20m' >$top/bandwidth
	for name in g b e; do
		next_port
		background peer traffic sink udp $port >/dev/null
	done
	meter_start all eth0 --in --port $((first + 1)) --port $((first + 2)) --port $((first + 3)) --bin 10ms --csv "$tmp/csv"
	for name in g b e; do
		first=$((first + 1))
		pod_runs $name $box send udp 10.0.0.2 $first --rate "$1" --size 1400 --seconds "$seconds"
		shift
	done
	pause $((seconds + 2))
	meter_stop all
	echo max >$top/bandwidth
	summary
}

# summary: while all three sent, without the first second: sums are the least that g had in 100 ms,
# and the rates of g, b and e, in bit/s, and the seconds
summary() {
	local least
	least=$(awk -F, '
		NR > 1 { n++; for (i = 1; i <= 3; i++) { at[i, n] = $(i + 3); if ($(i + 3) > 0 && !(i in from)) from[i] = n; if ($(i + 3) > 0) to[i] = n } }
		END {
			first = last = 0
			for (i = 1; i <= 3; i++) { if (from[i] > first) first = from[i]; if (!last || to[i] < last) last = to[i] }
			first += 100
			for (n = first; n < last; n++)
				for (i = 1; i <= 3; i++) sum[i] += at[i, n]
			for (n = first; n + 10 < last; n++) {
				now = 0
				for (j = 0; j < 10; j++) now += at[1, n + j]
				if (least == "" || now < least) least = now
			}
			s = (last - first) / 100
			printf "%d %d %d %d %.2f\n", least * 80, sum[1] * 8 / s, sum[2] * 8 / s, sum[3] * 8 / s, s
		}' "$tmp/csv")
	read -ra sums <<<"$least"
	note "over ${sums[4]} s: g ${sums[1]}, b ${sums[2]}, e ${sums[3]} bit/s; g in the worst 100 ms ${sums[0]}"
	check 'they were measured for half of the time' "${sums[4]} > $seconds / 2"
}

# Of 20 Mbit/s, 8 are promised to g; of the others g has 1, b 100 and e 25 parts.
shares() {
	begins g guaranteed '{ "netnice.io/minimum": "8M" }'
	begins b burstable '{}'
	begins e besteffort '{}'
	check_eq 'g has its minimum' "$(has g minimum)" 'egress 8mbit ingress none'
	contend 12 20m 20m 20m
	# a frame more or less at both ends of so short a time
	check 'g has its minimum in each 100 ms' "${sums[0]} + 1442 * 80 >= 8000000"
	check_near 'g: its minimum, and its share of the rest' "${sums[1]}" 8095238 1
	check_near 'b: by weight' "${sums[2]}" 9523810 1
	check_near 'e: by weight' "${sums[3]}" 2380952 1
}

# As it is without a configuration: 400, 100 and 25 parts
defaults() {
	begins g guaranteed '{}'
	begins b burstable '{}'
	begins e besteffort '{}'
	contend 7 20m 8m 4m
	check_near 'g: by the default weights' "${sums[1]}" 15238095 1
	check_near 'b: by the default weights' "${sums[2]}" 3809524 1
	check_near 'e: by the default weights' "${sums[3]}" 952381 1
	pod_end g
	pod_end b
	pod_end e
}

# A namespace has a level of its own: together its pods of all classes have its limit and its minimum.
tenants() {
	local conf=/etc/nri/conf.d/10-netnice.conf first
	plugin_end
	cp $conf "$tmp/conf"
	sed -i 's/kubepods: .*/kubepods: { minimum: egress 10M }/' $conf
	echo 'namespaces: { shop: { bandwidth: egress 4M, minimum: egress 2M } }' >>$conf
	plugin_start
	pod_namespace=shop
	begins t guaranteed '{ "netnice.io/minimum": "egress 1M" }'
	begins u besteffort '{}'
	pod_namespace=default
	begins v burstable '{}'
	check_eq 'pods of a namespace are at its level, others at their classes' "$(tenants_at)" \
		'burstable/pod_default_v ns_shop/besteffort/pod_shop_u ns_shop/guaranteed/pod_shop_t'
	check_eq 'a minimum is a part of that of the namespace' \
		"$(cat $all/ns_shop/{,guaranteed/,guaranteed/pod_shop_t_*/}minimum | grep -o 'egress [^ ]*' | xargs)" \
		'egress 2mbit egress 2mbit egress 1mbit'
	first=$((port + 1))
	meter_start both eth0 --in --port $first --port $((first + 1)) --span 5
	for pod in t u; do
		next_port
		background peer traffic sink udp $port >/dev/null
		pod_runs $pod $box send udp 10.0.0.2 $port --rate 6m --size 1400 --seconds 6
	done
	pause 7
	meter_stop both
	check_near "two pods of two classes: $(meter both rate_bit_per_s) of 4000000 bit/s" "$(meter both rate_bit_per_s)" 4000000 1
	check 'in no second more' "$(meter both max_1s_bytes) <= 500000 + 6056 + 1514"
	plugin_end
	cp "$tmp/conf" $conf
	plugin_start
	ok 'a namespace that is no longer named: its pods are at their classes, and its level is gone' busywait 20 tenants_are \
		'besteffort/pod_shop_u burstable/pod_default_v guaranteed/pod_shop_t' || note "$(tenants_at); $(cat "$tmp/plugin")"
	fails 'its level is gone' test -e $all/ns_shop
	pod_namespace=shop
	for pod in t u v; do pod_end $pod; done
	pod_namespace=default
}
# tenants_at: where pods are
tenants_at() { find "$all" -mindepth 2 -name 'pod_*' -printf '%P\n' | sed 's/_[^_]*$//' | sort | xargs; }
tenants_are() { [ "$(tenants_at)" = "$1" ]; }

# delays [POD]: of 200 small datagrams that g sends, far below its minimum, beside one that floods
delays() {
	local pod
	for pod; do
		next_port
		background peer traffic sink udp $port >/dev/null
		pod_runs "$pod" $box send udp 10.0.0.2 $port --rate 22m --size 1472 --seconds 5
	done
	next_port
	background peer traffic sink udp $port >/dev/null
	delays_start "$(veth_of g)" $port
	pod_runs g $box send udp 10.0.0.2 $port --size 100 --rate 80k --seconds 2
	pause 2.5
	delays_stop
	# until the flood has ended
	[ $# = 0 ] || pause 2
}

# As pod-classes.sh has it, with the runtime's pods
floods() {
	local frame=605600 alone
	echo 'egress 20m' >$top/bandwidth
	delays
	alone=$longest
	check_eq 'g: all came' "$count" 200
	delays e
	echo max >$top/bandwidth
	note "g alone waits for $alone ns at most, and beside e, who floods, for $longest"
	check_eq 'g: all came beside e' "$count" 200
	check 'who floods costs it one frame at most' "$longest <= $alone + $frame + 2000"
	check 'it was a flood' "$longest > $alone + $frame / 2"
}

# --- bounds, mistakes -------------------------------------------------------------------

# logged NAME WORDS...: by the plugin, since the last time
logged() {
	says_in "$1" "$(tail -n +"$((told + 1))" "$tmp/plugin")" "${@:2}"
	told=$(wc -l <"$tmp/plugin")
}

bounds() {
	told=$(wc -l <"$tmp/plugin")
	begins w burstable '{ "netnice.io/weight": "10000", "netnice.io/priority": "0" }'
	check_eq 'no weight and no priority beyond what is allowed' "$(has w weight), $(has w priority)" \
		'egress 200 ingress 100, egress 4 ingress 4'
	pod_end w
	begins w guaranteed '{ "netnice.io/minimum": "egress 1M" }'
	logged 'a minimum that there is no room for is refused' 'pod default/w: ' minimum
	check_eq 'and the pod has none' "$(has w minimum)" 'egress none ingress none'
	pod_end w
	begins w burstable '{ "netnice.io/weight": "heavy", "netnice.io/wieght": "1", "netnice.io/priority": "6" }'
	logged 'a mistake: the log says what would have been accepted' 'pod default/w: netnice.io/weight: "heavy"' \
		'1 to 10000' 'no annotation "netnice.io/wieght"'
	check_eq 'what is right holds' "$(has w weight), $(has w priority)" 'egress 100 ingress 100, egress 6 ingress 4'
	pod_end w
}

required() {
	plugin_end
	configure true
	plugin_start
	fails 'required: a mistake keeps the pod from starting' pod_begin w burstable '{ "netnice.io/weight": "heavy" }'
	pod_begin w burstable '{ "netnice.io/weight": "heavy" }'
	says_in 'and its error says what would have been accepted' "$said" netnice.io/weight heavy '1 to 10000'
	check_eq 'it has left no VIF' "$(vifs)" "$(expect burstable/a guaranteed/g burstable/b besteffort/e)"
	ok 'nor a network' busywait 20 four_networks
}

# Of a pod that begins while the plugin is away, or loses its VIF, it learns with its next container.
later() {
	plugin_end
	begins x burstable '{ "netnice.io/weight": "heavy" }'
	begins y burstable '{ "netnice.io/weight": "50" }'
	plugin_start
	ok 'who began while it was away has a VIF' \
		busywait 20 same_vifs burstable/a guaranteed/g burstable/b besteffort/e burstable/x burstable/y || note "$(vifs)"
	pause 1
	fails 'required: no container of a pod that should not have begun' \
		cri container "$tmp/pod-x" "${pods[x]}" docker.io/netnice/box:1 /box/busybox true
	pod_end x
	rm "/proc/network/devices/$(veth_of y)/eth0"
	ok 'a pod loses its VIF' busywait 20 same_vifs burstable/a guaranteed/g burstable/b besteffort/e || note "$(vifs)"
	pod_runs y /box/busybox true
	check_eq 'and has it again with its next container' "$(has y weight)" 'egress 50 ingress 100'
	pod_end y
}

four_networks() { [ "$(ip -o link show master cni0 | wc -l)" = 4 ]; }

# --- who is killed -------------------------------------------------------------------------

plugin_kill() {
	kill -KILL "$plugin"
	wait "$plugin" 2>/dev/null
}

kills() {
	local i
	plugin_kill
	check_eq 'killed: limits stay' "$(vifs), $(has g minimum)" \
		"$(expect burstable/a guaranteed/g burstable/b besteffort/e), egress 8mbit ingress none"
	pod_end b
	ok 'a pod ends meanwhile: its VIF goes with it' busywait 20 same_vifs burstable/a guaranteed/g besteffort/e || note "$(vifs)"
	begins b burstable '{ "netnice.io/weight": "50" }'
	begins m burstable '{}' node
	echo 77 >$all/burstable/weight
	plugin_start
	ok 'begun again: what was missed is made' busywait 20 same_vifs burstable/a guaranteed/g burstable/b besteffort/e burstable/m ||
		note "$(vifs); $(cat "$tmp/plugin")"
	check_eq 'with its settings' "$(has b weight)" 'egress 50 ingress 100'
	check_eq "and the classes'" "$(xargs <$all/burstable/weight)" 'egress 100 ingress 100'
	plugin_kill
	# whose control group still exists
	pod_end m
	plugin_start
	ok 'what is of no pod any more is removed' busywait 20 same_vifs burstable/a guaranteed/g burstable/b besteffort/e ||
		note "$(vifs); $(cat "$tmp/plugin")"
	# pods come and go, while it is killed
	for ((i = 0; i < 6; i++)); do
		pod_begin "k$i" besteffort '{}' & pod_begin_at=$!
		pause "0.$((i * 3 % 10))"
		plugin_kill
		wait $pod_begin_at
		plugin_start
	done
	settled
}

settled() {
	local id
	mapfile -t ids < <(cri pods)
	ok 'after six more kills each pod has its VIF, and nothing else has' busywait 20 each_has ||
		note "$(vifs); $(cri pods); $(cat "$tmp/plugin")"
	for id in "${ids[@]}"; do
		[[ " ${pods[*]} " == *" $id "* ]] || { quietly cri stop "$id"; quietly cri remove "$id"; }
	done
	check_eq 'when they have ended, the others remain' "$(vifs)" "$(expect burstable/a guaranteed/g burstable/b besteffort/e)"
}

each_has() {
	[ "$(find "$all" -name 'pod_*' -printf '%f\n' | sed 's/.*_//' | sort | xargs)" = \
		"$(printf '%s\n' "${ids[@]}" | cut -c1-12 | sort | xargs)" ]
}

# on_both CLASS/NAME...: each of them has its VIF on eth0 and on eth1
on_both() {
	same_vifs "$@" && [ "$(all=/proc/network/eth1/kubepods vifs)" = "$(expect "$@")" ]
}

# limited POD RATE DEVICE...: what comes for it by these devices, and by no others
limited() {
	local veth device
	veth=$(veth_of "$1")
	for device in "${@:3}"; do
		[ "$(xargs <"/proc/network/$veth/$device/bandwidth")" = "egress $2 ingress max" ] || return
		[ "/proc/network/devices/$device/$veth" -ef "/proc/network/$veth/$device" ] || return
	done
	[ "$(find "/proc/network/$veth" -mindepth 1 -maxdepth 1 -type d -name 'eth*' | wc -l)" = $(($# - 2)) ]
}

# limits_of: of those two, as they are seen
limits_of() { (cd /proc/network && for i in p q; do grep -H . "$(veth_of $i)"/eth*/bandwidth; done; ls devices/eth[01]) 2>&1; }

# shellcheck disable=SC2046
received_by_both() {
	begins p burstable '{ "netnice.io/bandwidth": "ingress 4M" }'
	begins q besteffort '{ "netnice.io/bandwidth": "ingress 3M" }'
	ok 'two pods: each has its own limit by both' limited p 4mbit eth0 eth1 || note "$(limits_of)"
	ok 'the other one, too' limited q 3mbit eth0 eth1 || note "$(limits_of)"
	plugin_kill
	plugin_start
	pause 1
	ok 'the plugin begins again: nothing has changed for the one' limited p 4mbit eth0 eth1 || note "$(limits_of)"
	ok 'nor for the other one' limited q 3mbit eth0 eth1 || note "$(limits_of)"
	receives 'received by eth0' p 4000000 "$(address p)" $(network_of p)
	receives 'received by eth0 by the other one' q 3000000 "$(address q)" $(network_of q)
	peer ip route replace 10.88.0.0/16 via 10.1.0.1
	receives 'received by eth1' p 4000000 "$(address p)" $(network_of p)
	peer ip route replace 10.88.0.0/16 via 10.0.0.1
}

two_devices() {
	setup_second_veth
	plugin_end
	configure false eth0,eth1
	plugin_start
	ok 'two devices: who is there has a VIF on both' busywait 20 on_both burstable/a guaranteed/g burstable/b besteffort/e
	begins d burstable '{ "netnice.io/bandwidth": "egress 1M" }'
	ok 'and who comes' on_both burstable/a guaranteed/g burstable/b besteffort/e burstable/d
	check_eq 'with its settings' "$(xargs </proc/network/eth1/kubepods/burstable/pod_default_d_*/bandwidth)" \
		'egress 1mbit ingress max'
	pod_end d
	ok 'who goes has none' on_both burstable/a guaranteed/g burstable/b besteffort/e
	received_by_both
	plugin_end
	configure true eth0
	plugin_start
	ok 'no pod has one on a device that is left out' busywait 20 no_second
	check_eq 'but on the other one' "$(vifs)" "$(expect burstable/a guaranteed/g burstable/b besteffort/e burstable/p besteffort/q)"
	ok 'nor a limit by it' busywait 20 limited p 4mbit eth0 || note "$(limits_of)"
	ok 'neither of them' busywait 20 limited q 3mbit eth0 || note "$(limits_of)"
	check_eq 'it has no attachment any more' "$(find /proc/network/devices/eth1 -name 'veth*')" ''
	pod_end p
	pod_end q
}

no_second() { [ ! -e /proc/network/eth1/kubepods ]; }

# Of pods of before, containerd 1.7 does not tell that they have ended.
runtime_again() {
	local before
	begins h burstable '{}' node
	before=$(plugin_begun)
	stop "$containerd"
	runtime_start
	ok 'the plugin finds the next runtime' busywait 30 plugin_begun_again "$before"
	check_eq 'and nothing has changed' "$(vifs)" "$(expect burstable/a guaranteed/g burstable/b besteffort/e burstable/h)"
	pod_end h
	pod_end b
	find /sys/fs/cgroup/kubepods/burstable/podh -depth -type d -exec rmdir {} +
	ok 'VIFs go with the control group, or the veth' busywait 20 same_vifs burstable/a guaranteed/g besteffort/e || note "$(vifs)"
	begins w burstable '{}'
	check_eq 'it is told of pods again' "$(has w weight)" 'egress 100 ingress 100'
	pod_end w
}

missing() {
	local file name
	for name in a g e; do pod_end $name; done
	ok 'all pods have ended' busywait 20 same_vifs || note "$(vifs)"
	unload_netnice
	file=$(modinfo -n netnice)
	mv "$file" "$file.away"
	pod_begin w burstable '{ "netnice.io/weight": "50" }'
	says_in 'no module, required: the pod does not start, and its error says why' "$said" \
		"does not have the module netnice"
	begins w burstable '{}' && pass 'a pod that asks for nothing starts'
	pod_end w
	plugin_end
	configure
	plugin_start
	told=$(wc -l <"$tmp/plugin")
	begins w burstable '{ "netnice.io/weight": "50" }' && pass 'no module, not required: the pod starts'
	logged 'and the log says why it has no share' 'pod default/w: ' 'does not have the module netnice'
	mv "$file.away" "$file"
	pod_end w
	begins w burstable '{ "netnice.io/weight": "50" }'
	load_netnice
	check_eq 'the plugin loads the module' "$(has w weight)" 'egress 50 ingress 100'
	pod_end w
}

begin
need netnice containerd cri jq $nri_plugin
setup_veth
ip route add default via 10.0.0.2
peer ip route add 10.88.0.0/16 via 10.0.0.1
runtime_config
runtime_start
runtime_image
plugin_start
defaults
plugin_end
configure
plugin_start
note "after $(cut -d' ' -f1 /proc/uptime) s: $(cat "$tmp/plugin")"
tenants
cni
limits
shares
floods
bounds
kills
required
later
two_devices
runtime_again
missing
note "the plugin: $(cat "$tmp/plugin")"
log_clean
