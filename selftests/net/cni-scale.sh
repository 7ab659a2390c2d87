#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=cni
# lab: virtual, check=none, kernels=6.1, mem=6144, timeout=7200
#
# Many pods of one node, 10,000 or as many as the argument says: what each costs the kernel when
# the module is there, and when the plugin has limited it, and what a packet of one costs
# among a hundred and among all. Pods are network namespaces with a veth to the node, made
# by hand, as the time is the plugin's here. Virtual time: an instruction is a nanosecond.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pods.sh"

plugin=/opt/cni/bin/netnice
pods=${1:-10000}
few=100

# make_pods FIRST LAST
make_pods() {
	local i
	for ((i = $1; i <= $2; i++)); do
		ip netns add "pod-$i" || return
		printf 'link add v%d type veth peer name eth0 netns pod-%d\n' $i $i
	done >"$tmp/links"
	ip -batch "$tmp/links"
}

# limit_pods FIRST LAST: one after the other; prints microseconds, a pod
limit_pods() {
	local i start=${EPOCHREALTIME/./}
	for ((i = $1; i <= $2; i++)); do
		CNI_NETNS=/run/netns/pod-$i $plugin <"$tmp/config" >/dev/null || return
	done
	echo $(((${EPOCHREALTIME/./} - start) / ($2 - $1 + 1)))
}

# cost: instructions of a datagram from the first pod to the node
cost() { per_datagram 10.1.0.1 7000 64 nsenter --net=/run/netns/pod-1 -- | sort -n | head -n 1; }

begin
need netnice jq $plugin
unload_netnice
# `ip -batch` keeps a descriptor of each namespace
ulimit -n $((pods + 1000))
mount -t tmpfs tmpfs /run/netns && mount --make-private /run/netns
export CNI_COMMAND=ADD CNI_CONTAINERID=pod CNI_IFNAME=eth0
jq -n '{ cniVersion: "1.0.0", name: "net", type: "netnice", egressRate: 400000000000,
	ingressRate: 400000000000, prevResult: { cniVersion: "1.0.0",
	interfaces: [ { name: "eth0" } ] } }' >"$tmp/config"
make_pods 1 $few
ip addr add 10.1.0.1/24 dev v1 && ip link set v1 up
pod 1 ip addr add 10.1.0.2/24 dev eth0
pod 1 ip link set eth0 up
silent_socket 7000
note "a datagram, without the module: $(cost) instructions"
modprobe netnice
limit_pods 1 $few >/dev/null
among_few=$(cost)
limit_pods 1 $few >/dev/null
note "a datagram, of one of $few pods with a limit: $among_few instructions"
unload_netnice

make_pods $((few + 1)) "$pods"
empty=$(free_bytes)
modprobe netnice
loaded=$(free_bytes)
took=$(limit_pods 1 "$pods")
limited=$(free_bytes)
note "the module costs $(((empty - loaded) / pods)) bytes a pod, both ends of its veth, and a limit $(((loaded - limited) / pods)) more"
note "the plugin takes $took us a pod, of which the most is the start of a program"
among_all=$(cost)
note "a datagram, of one of $pods pods with a limit: $among_all instructions"
check "a packet costs the same among $pods pods" "$among_all <= 1.02 * $among_few"
# of which most is a table of flows, as fq_codel has one
check 'a pod takes less than 100 KB' "($empty - $limited) / $pods < 100000"
check_eq 'the last pod has its limit' \
	"$(tree "$pods" 'cat bandwidth' | xargs)" \
	'egress 400gbit ingress 400gbit'
log_clean
