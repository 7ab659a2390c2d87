# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# User-level stacks: user 1000 has their devices in own network namespaces, and their
# ports in the host's.

# as_root_of_own COMMAND...: as user 1000, as root of new namespaces
own_prefix=("${user_prefix[@]}" unshare -rn)
as_root_of_own() { "${own_prefix[@]}" "$@"; }

# user_writes TEXT FILE
# shellcheck disable=SC2016
user_writes() { as_user sh -c 'echo "$1" >"$2"' - "$1" "$2"; }

# stack_start NAME VIF|"" WORD...: ustack by a tap, or tun, of that name; it is $stack
stack_start() {
	local name=$1 vif=$2
	shift 2
	background "${own_prefix[@]}" ustack "${name%%[0-9]*}" "$name" "${vif:+$vif/stack}" "$@" >"$tmp/$name" 2>&1
	stack=$!
	busywait 20 file_says "$tmp/$name" ready || { cat "$tmp/$name"; return 1; }
}

# reply ADDRESS PORT [TEXT]: what the peer is answered by UDP
reply() {
	echo "${3-hello}" | peer timeout 5 socat -t 0.2 - "UDP:$1:$2" 2>&1
}

# can_bind tcp4|udp4 PORT: the kernel has it for another program
can_bind() { as_user kinds socket "$1" bind 0.0.0.0 "$2" close; }

# The sockets that had the file open may be closed a tick later.
free_within() {
	local begin=${EPOCHREALTIME/./} most=100000
	! sanitized || most=2000000
	until can_bind "$1" "$2" 2>/dev/null; do
		[ $((${EPOCHREALTIME/./} - begin)) -lt $most ] || return 1
		pause 0.005
	done
}

# stacks_setup VIF...: what they need, and VIFs of user 1000
stacks_setup() {
	local vif
	modprobe -a tun veth nf_conntrack nft_ct 2>/dev/null
	chmod 666 /dev/net/tun
	chmod 711 "$tmp"
	setup_veth
	peer sysctl -qw net.ipv6.conf.eth0.router_solicitations=0 net.ipv4.icmp_ratelimit=0
	for vif; do
		mkdir "$vif"
		chown 1000:1000 "$vif"
	done
}
