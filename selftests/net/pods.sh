# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Pods, which are network namespaces here, made by CNI's plugins as a runtime has them made. A
# test that includes this has tmp, of lib.sh, and makes there the configurations it uses.

export CNI_PATH=/opt/cni/bin:/usr/lib/cni

# pod NAME COMMAND...: within it
pod() { nsenter --net="/run/netns/pod-$1" -- "${@:2}"; }

# tree NAME COMMAND: the files of the interface's root VIF are in its working folder
tree() {
	# shellcheck disable=SC2016
	pod "$1" unshare -m sh -c 'mount -t netnice netnice /mnt && cd /mnt/eth0 && eval "$0"' "$2"
}

# list NAME KEYS: a configuration, as administrators write them; the example is ours
list() {
	jq --argjson more "{$2}" '.plugins[-1] += $more' "$tmp/example" >"$tmp/$1.conflist"
}

# cni ADD|CHECK|DEL NAME [CAPABILITIES]: by the list $conflist; what it says is in $said
conflist=net
cni() {
	said=$(cni-runtime "$1" "$tmp/$conflist.conflist" "container-$2" "/run/netns/pod-$2" "${@:3}" 2>&1)
}

# pod_begin NAME [CAPABILITIES]
pod_begin() {
	ip netns add "pod-$1"
	cni ADD "$@" || { fail "pod $1 begins" "$said"; return 1; }
	# so that each packet is one of a wire
	pod "$1" ethtool -K eth0 tso off gso off gro off tx-udp-segmentation off >/dev/null
}

pod_end() {
	cni DEL "$1" || fail "pod $1 ends" "$said"
	ip netns del "pod-$1"
}

address() { pod "$1" ip -o -4 addr show dev eth0 | sed 's/.* inet \([^/]*\).*/\1/'; }

# flow_run FROM TO RATE in|delivered: 11 seconds of datagrams, at twice the rate, of which the
# meter `flow` sees ten; - is the node. The first packet of all is the first that is limited.
flow_port=6000
flow_run() {
	local from=$1 to=$2 rate=$3 where=$4 run=() meter=() address=10.88.0.1 device=cni0 sink
	flow_port=$((flow_port + 1))
	[ "$from" = - ] || run=(nsenter --net="/run/netns/pod-$from" --)
	if [ "$to" != - ]; then
		meter=(nsenter --net="/run/netns/pod-$to" --)
		address=$(address "$to") device=eth0
	fi
	background "${meter[@]}" traffic sink udp $flow_port >/dev/null
	sink=$!
	background "${meter[@]}" wiremeter $device "--$where" --port $flow_port --span 10 >"$tmp/meter.flow"
	# shellcheck disable=SC2034
	meter_flow=$!
	busywait 20 file_says "$tmp/meter.flow" ready
	"${run[@]}" traffic send udp "$address" $flow_port --rate $((2 * rate)) --size 1400 --seconds 11 >/dev/null
	meter_stop flow
	# who is in a namespace keeps it
	stop $sink
}
