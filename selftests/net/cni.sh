#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=cni
# lab: virtual, check=none, mem=2048, timeout=3600
#
# The CNI plugin (tools/cni, Documentation/kubernetes.rst): pods, which are network namespaces
# here, on a bridge that CNI's own plugin makes, chained by the library that runtimes have.
#
#   namespaces pod-a, pod-b, pod-c          init namespace, the node
#   +------------------------+      +------------------------------+
#   | eth0  10.88.0.2, 3, .. |------| veth... cni0   10.88.0.1     |
#   +------------------------+      +------------------------------+
#
# a and b have 10 Mbit/s in and 5 Mbit/s out, c has no limit.
. "$(dirname "$0")/lib.sh"

. "$(dirname "$0")/pods.sh"

plugin=/opt/cni/bin/netnice
pod_limit='{ "bandwidth": { "ingressRate": 10000000, "ingressBurst": 4294967295,
	"egressRate": 5000000, "egressBurst": 4294967295 } }'

# setting NAME FILE: in one line
setting() { tree "$1" "cat $2" | xargs; }

says() { says_in "$1" "$said" "${@:2}"; }

# what would be left over
mounts() { grep -c netnice /proc/self/mountinfo; }
no_veth() { [ -z "$(ip -o link show type veth)" ]; }
one_user() { grep -q '^netnice [0-9]* 1 ' /proc/modules; }

# --- rates -----------------------------------------------------------------------------

# flow NAME FROM TO RATE in|delivered: see flow_run
flow() {
	local name=$1 rate=$4
	flow_run "${@:2}"
	note "$name: $(meter flow rate_bit_per_s) bit/s, $(meter flow first_second_bytes) bytes in the first second"
	check_near "$name: $rate bit/s" "$(meter flow rate_bit_per_s)" "$rate" 1
	check "$name: in the first second no more than 105 % of it" \
		"$(meter flow first_second_bytes) * 8 <= $rate * 1.05 && $(meter flow first_second_bytes) * 8 > $rate * 0.98"
}

rates() {
	pod_begin a "$pod_limit"
	says 'the result is that of the plugin before' '"ips"' '10.88.0.' '"sandbox": "/run/netns/pod-a"'
	pod_begin b "$pod_limit"
	pod_begin c '{}'
	check_eq 'a pod has its limits' "$(setting a bandwidth)" 'egress 5mbit ingress 10mbit'
	check_eq 'and the default burst' "$(setting a burst)" 'egress auto ingress auto'
	check_eq 'a pod without an annotation has none' "$(setting c bandwidth)" 'egress max ingress max'
	flow 'pod to pod, out' a c 5000000 in
	flow 'pod to pod, in' c a 10000000 delivered
	flow 'pod to pod, both limited' b a 5000000 in
	flow 'pod to node' b - 5000000 in
	flow 'node to pod' - b 10000000 delivered
	flow_tcp
	check_eq 'the node has no limit of its own' \
		"$(cat /proc/network/*/bandwidth | sort | uniq -c | awk '{ print $2, $3 }' | xargs)" 'egress max ingress max'
	check_eq 'and no qdisc' "$(tc qdisc show | grep -cE 'tbf|ingress|clsact|htb')" 0
}

# 1448 of 1514 bytes are payload
flow_tcp() {
	local sink
	background nsenter --net=/run/netns/pod-a -- traffic sink tcp 7000 >"$tmp/sink"
	sink=$!
	busywait 20 pod a sh -c 'ss -Hltn "sport = 7000" | grep -q .'
	pod c traffic send tcp "$(address a)" 7000 --seconds 11 >/dev/null
	stop $sink
	note "$(cat "$tmp/sink")"
	check_near 'TCP, pod to pod, in' "$(sed -n 's/.* rate_bit_per_s=\([0-9]*\).*/\1/p' "$tmp/sink" | head -n 1)" 9564000 2
}

# --- CHECK, DEL ----------------------------------------------------------------------------

checks() {
	ok 'CHECK: as it was set' cni CHECK a "$pod_limit"
	tree a 'echo egress 6m >bandwidth'
	fails 'CHECK: another bandwidth' cni CHECK a "$pod_limit"
	cni CHECK a "$pod_limit"
	says 'it says what there is, and was' 'code 103' 'bandwidth of eth0 is not what it was set to' \
		'egress 6mbit ingress 10mbit' 'egress 5000000 ingress 10000000'
	tree a 'echo egress 5m >bandwidth; echo ingress 1m >burst'
	fails 'CHECK: another burst' cni CHECK a "$pod_limit"
	ok 'ADD once more sets it again' netnice_alone ADD a "$pod_limit"
	ok 'CHECK: as it was set' cni CHECK a "$pod_limit"
	ok 'CHECK: of a pod without a limit' cni CHECK c '{}'
}

deletes() {
	netnice_alone DEL a "$pod_limit"
	check_eq 'DEL: there is no limit any more' "$(setting a bandwidth; setting a burst)" \
		$'egress max ingress max\negress auto ingress auto'
	ok 'DEL' cni DEL a "$pod_limit"
	ok 'DEL once more' cni DEL a "$pod_limit"
	ip netns del pod-a
	ok 'DEL, when the namespace has gone' cni DEL a "$pod_limit"
	ok 'the plugin alone: DEL, when the namespace has gone' netnice_alone DEL a "$pod_limit"
	ip netns del pod-b
	ok 'DEL, when the namespace has gone before' cni DEL b "$pod_limit"
	pod_end c
}

# --- the pod itself ----------------------------------------------------------------------------

# what runtimes grant by default, and root in the pod has
granted='-all,+chown,+dac_override,+fsetid,+fowner,+mknod,+net_raw,+setgid,+setuid,+setfcap,+setpcap'
granted+=',+net_bind_service,+sys_chroot,+kill,+audit_write'

# as_pod NAME CAPABILITIES COMMAND...: in a mount namespace of its own
as_pod() { nsenter --net="/run/netns/pod-$1" unshare -m setpriv --bounding-set "$granted$2" -- "${@:3}"; }

pods() {
	local lift='mount -t netnice netnice /mnt && echo max >/mnt/eth0/bandwidth'
	pod_begin g "$pod_limit"
	fails 'root of a pod does not lift its limit' as_pod g '' sh -c "$lift"
	fails 'nor in a private user namespace' as_pod g '' unshare -Urm sh -c "$lift"
	check_eq 'the limit is still there' "$(setting g bandwidth)" 'egress 5mbit ingress 10mbit'
	ok 'with CAP_SYS_ADMIN it can' as_pod g ,+sys_admin sh -c "$lift"
	check_eq 'as is said in kubernetes.rst' "$(setting g bandwidth)" 'egress max ingress max'
	netnice_alone ADD g "$pod_limit" >/dev/null
	# where the interface is taken to
	allow_user_namespaces
	check_eq 'with CAP_NET_ADMIN it moves the interface to where it has none' "$(
		# shellcheck disable=SC2016
		as_pod g ,+net_admin sh -c 'unshare -Urn sleep 60 >/dev/null & sleep 1
			ip link set eth0 netns $! && nsenter -U -n --preserve-credentials -t $! sh -c \
			"unshare -m sh -c \"mount -t netnice netnice /mnt && cat /mnt/eth0/bandwidth\""
			kill $!' 2>&1 | xargs)" 'egress max ingress max'
	echo 0 >/sys/module/netnice/parameters/user_namespaces
	pod_end g
}

# A pod with a user namespace of its own, that of user 1000's, to which the network namespace belongs
owned() {
	local first
	background as_user unshare -Urn sleep 1000
	first=$!
	busywait 20 sh -c "[ \"\$(readlink /proc/$first/ns/net)\" != \"\$(readlink /proc/self/ns/net)\" ]"
	ip netns attach pod-u "$first"
	cni ADD u "$pod_limit"
	check_eq 'a pod with a user namespace begins' "$? $(setting u bandwidth)" '0 egress 5mbit ingress 10mbit'
	ok 'CHECK: as it was set' cni CHECK u "$pod_limit"
	stop "$first"
	pod_end u
}

# --- one that is killed ------------------------------------------------------------------------

# netnice_alone ADD|DEL NAME CAPABILITIES [PREFIX...]: the plugin, as the library runs it
netnice_alone() {
	local command=$1 name=$2 capabilities=$3
	shift 3
	jq -n --argjson capabilities "$capabilities" '{ cniVersion: "1.0.0", name: "net", type: "netnice",
		runtimeConfig: $capabilities, prevResult: { cniVersion: "1.0.0", interfaces: [ { name: "eth0" } ] } }' |
		CNI_COMMAND=$command CNI_CONTAINERID=container-$name CNI_NETNS=/run/netns/pod-$name CNI_IFNAME=eth0 \
			"$@" $plugin
}

kills() {
	local i killed=0 whole=0 before took
	pod_begin k '{}'
	before=$(mounts)
	took=${EPOCHREALTIME/./}
	netnice_alone ADD k "$pod_limit" >/dev/null
	took=$((${EPOCHREALTIME/./} - took))
	note "the plugin, and jq before it, take $took us"
	for ((i = 0; i < 200; i++)); do
		if [ $((i % 4)) -ne 3 ]; then
			netnice_alone ADD k "$pod_limit" >/dev/null || break
		elif netnice_alone ADD k "$pod_limit" timeout -s KILL "$(printf 0.%06d $((took * i / 200)))" \
			>/dev/null 2>&1; then
			whole=$((whole + 1))
		else
			killed=$((killed + 1))
		fi
		said=$(netnice_alone DEL k "$pod_limit" 2>&1) || break
		[ -z "$said" ] || break
	done
	check_eq "200 times ADD and DEL, $killed killed, $whole of those that were to be ended before" "$i" 200
	check 'some were killed' "$killed > 5"
	check_eq 'no limit is left' "$(setting k bandwidth; setting k burst)" \
		$'egress max ingress max\negress auto ingress auto'
	check_eq 'no mount is left' "$(mounts)" "$before"
	for ((i = 0; i < 10; i++)); do
		pod_begin "k$i" "$pod_limit" || break
		pod_end "k$i"
	done
	check_eq 'pods come and go' "$i" 10
	pod_end k
	check_eq 'no process is left' "$(pgrep -c -x netnice)" 0
	ok 'no veth is left' busywait 20 no_veth || note "$(ip -o link show type veth)"
	ok 'only the mount here uses the module' busywait 10 one_user
}

# --- what cannot be ---------------------------------------------------------------------------------

# refused NAME CODE CAPABILITIES WORDS...: the pod does not start
refused() {
	local name=$1 code=$2 capabilities=$3
	shift 3
	ip netns add pod-r
	cni ADD r "$capabilities"
	check_eq "$name ($conflist): the pod does not start" $? 1
	says "$name: says why" "code $code: " "$@"
	ok "$name: DEL" cni DEL r "$capabilities"
	ip netns del pod-r
}

wrong() {
	for conflist in net required; do
		refused 'a rate in words' 7 '{ "bandwidth": { "ingressRate": "10M" } }' \
			'runtimeConfig.bandwidth.ingressRate: string' 'a whole number of bits per second'
	done
	pod_begin o '{ "bandwidth": { "egressRate": 4000, "ingressRate": 2000000000000 } }' && pass 'rates out of range: the pod starts'
	says 'the log says what holds' 'egressRate 4000 is out of range: it counts as 8000' \
		'ingressRate 2000000000000 is above the greatest rate: it limits nothing'
	check_eq 'the nearest rate, and no limit' "$(setting o bandwidth)" 'egress 8kbit ingress max'
	pod_end o
	conflist=alone
	refused 'the plugin is the first' 7 "$pod_limit" 'behind the one that makes it'
	conflist=static
	pod_begin s '{ "bandwidth": { "egressRate": 9000000, "ingressRate": 500000 } }'
	check_eq 'the configuration bounds what a pod asks for' "$(setting s bandwidth; setting s burst)" \
		$'egress 2mbit ingress 500kbit\negress 16kb ingress auto'
	ok 'CHECK finds it so' cni CHECK s '{ "bandwidth": { "egressRate": 9000000, "ingressRate": 500000 } }'
	pod_end s
	conflist=net
	ip netns add pod-n
	said=$(netnice_alone ADD n "$pod_limit")
	check_eq 'no interface: refused' $? 1
	says 'no interface: says so' '"code": 102' 'no interface eth0'
	ip netns del pod-n
	said=$(netnice_alone ADD n "$pod_limit")
	check_eq 'no namespace: refused' $? 1
	says 'no namespace: says so' '"code": 3' 'no network namespace'
}

# without_module NAME WORDS: as an annotated pod finds it
without_module() {
	conflist=required
	refused "$1, required" 100 "$pod_limit" "$2"
	conflist=net
	pod_begin m "$pod_limit" && pass "$1, not required: the pod starts"
	says "$1, not required: the runtime's log says why it has no limit" \
		"netnice: the pod is not limited: $2"
	ok "$1, not required: CHECK is content" cni CHECK m "$pod_limit"
	pod_end m
	conflist=required
	pod_begin m '{}' && pass "$1, required: a pod that asks for nothing starts"
	pod_end m
	conflist=net
}

missing() {
	local file
	unload_netnice
	file=$(modinfo -n netnice)
	mv "$file" "$file.away"
	without_module 'no module' "this machine's kernel does not have the module netnice"
	mv "$file.away" "$file"
	pod_begin l "$pod_limit"
	check_eq 'the plugin loads the module' "$(setting l bandwidth)" 'egress 5mbit ingress 10mbit'
	pod_end l
	ok 'and the module can be unloaded when the pods have gone' busywait 20 remove_netnice
}

begin
need netnice jq cni-runtime $plugin
cp "$net_dir/../units/netnice.conflist" "$tmp/example"
list net ''
list required '"required": true'
list static '"egressRate": 2000000, "egressBurst": 131072'
jq '.plugins |= .[1:]' "$tmp/example" >"$tmp/alone.conflist"
rates
checks
deletes
pods
owned
kills
wrong
missing
log_clean
