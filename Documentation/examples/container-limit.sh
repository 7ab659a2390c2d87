#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# container-limit.sh podman|docker CONTAINER DEVICE RATE: what a container on a bridge sends
# through DEVICE gets RATE at most, and so does what comes back by it. The container has a
# new pair of veth whenever it is started: this goes on, and limits that, too, a moment after,
# until it is ended (as a service: Restart=always). Example:
#	container-limit.sh podman web eth0 20m &
# Other veth pairs, of LXC's or libvirt's: link() below is all it takes.
engine=$1 name=$2 device=$3 rate=$4
net=/proc/network

# link VIF FROM DEVICE: what FROM receives and DEVICE sends goes by the VIF
link() {
	mkdir -p "$1" && echo "egress $rate" >"$1/bandwidth" && ln -sfn "$1" "$net/devices/$2/$3"
}

# veths: the host's ends of the container's, which the host knows. The container chooses what its own
# network namespace says of its devices.
veths() {
	pid=$("$engine" inspect -f '{{.State.Pid}}' "$name") && [ "$pid" -gt 0 ] || return
	# ip names namespaces that are here
	mkdir -p /run/netns && ln -sfn "/proc/$pid/ns/net" "/run/netns/limit-$$"
	ip -o link show type veth | sed -n 's/^[0-9]*: \([^@:]*\)@.* link-netns \([^ ]*\).*/\1 \2/p' |
		while read -r veth namespace; do
			# shellcheck disable=SC3013	# dash and busybox have -ef
			[ ! "/run/netns/$namespace" -ef "/proc/$pid/ns/net" ] || echo "$veth"
		done
	rm "/run/netns/limit-$$"
}

limit() {
	veths=$(veths)
	[ -n "$veths" ] || echo "$0: $name has no veth: it is not limited" >&2
	for veth in $veths; do
		link "$net/$device/$engine-$name" "$veth" "$device"
		link "$net/$veth/$device" "$device" "$veth"
	done
}

since=$(date +%s)
limit
"$engine" events --since "$since" --filter container="$name" --filter event=start --format '{{.ID}}' |
	while read -r _; do limit; done
