#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=containers
# lab: virtual, check=none, kernels=6.1+new, mem=3072, timeout=3600
#
# The container engines themselves, podman and docker. A container on their bridge has a
# limit by Documentation/examples/container-limit.sh, both ways, and has it again when it is
# started again; one without a network namespace that a bridge leads to, by netnice(1).
#
#	container		host				peer
#	eth0 -------- veth - bridge | eth0 10.0.0.1 --- 10.0.0.2
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/images.sh"

top=/proc/network
example=$net_dir/../units/container-limit.sh
rate=2000000
url=http://10.0.0.2/zeros

# Both ways at once, as long as it is let
load="/bin/busybox nc 10.0.0.2 5001 </dev/zero & exec /bin/busybox wget -q -O /dev/null $url"

engines_setup() {
	images_setup
	truncate -s 8G /srv/www/zeros
	background peer nginx -c /lab/nginx.conf -g 'daemon off;'
	background peer traffic sink tcp 5001 >"$tmp/sink"
	busywait 20 file_says "$tmp/sink" ready
	# who limits the next one is not to be told of the last one's window
	sysctl -q net.ipv4.tcp_no_metrics_save=1
	peer sysctl -q net.ipv4.tcp_no_metrics_save=1
}

# judge NAME LEAST DEVICE WAY: what the peer receives, and what DEVICE does that WAY, when
# TCP has found its rate, of which LEAST per cent have to be used
judge() {
	pause 5
	meter_start up eth0 --in --seconds 21
	meter_here down "$3" "$4" --seconds 21
	wait "${meter_up:?}" "${meter_down:?}"
	judge_one "$1: sends" "$2" "$(meter up rate_bit_per_s)"
	judge_one "$1: receives" "$2" "$(meter down rate_bit_per_s)"
}

# judge_one NAME LEAST BIT/S
judge_one() { check "$1 $3 bit/s" "$2 * $rate <= 100 * $3 && 100 * $3 <= 101 * $rate"; }

# --- on a bridge ------------------------------------------------------------------------

# port BRIDGE: its only one
port() {
	local ports=(/sys/class/net/"$1"/brif/*)
	echo "${ports[*]##*/}"
}

is_limited() { [ -L "$top/devices/$1/eth0" ] && [ -L "$top/devices/eth0/$1" ]; }

# bridge_judged NAME VETH VIF: of both directions, and that their VIFs count the same as the
# devices
bridge_judged() {
	local down=$top/$2/eth0 wire=/sys/class/net/$2/statistics/tx_bytes before
	before=("$(vif_stat "$3" egress_bytes)" "$(peer_counter rx_bytes)"
		"$(vif_stat "$down" egress_bytes)" "$(cat "$wire")")
	judge "$1" 99 "$2" --out
	check_near "$1: counted as sent" $(($(vif_stat "$3" egress_bytes) - before[0])) \
		$(($(peer_counter rx_bytes) - before[1])) 0.5
	check_near "$1: counted as received" $(($(vif_stat "$down" egress_bytes) - before[2])) \
		$(($(cat "$wire") - before[3])) 0.5
}

# bridged ENGINE BRIDGE
bridged() {
	local engine=$1 veth vif=$top/eth0/$1-web when example_pid
	quietly "$engine" run -d --name web box /bin/busybox sleep 1000000
	setsid sh "$example" "$engine" web eth0 2m &
	example_pid=$!
	for when in started 'started again'; do
		[ "$when" = started ] || quietly "$engine" restart -t 0 web
		veth=$(port "$2")
		ok "$engine: $when, its veth is limited" busywait 60 is_limited "$veth"
		quietly "$engine" exec -d web /bin/busybox sh -c "$load"
		bridge_judged "$engine: $when" "$veth" "$vif"
	done
	kill -- -$example_pid
	quietly "$engine" rm -f web
	ok "$engine: nothing of it is left" vifs_end "$vif"
}

# --- on the host's network, or by a process of the user's -----------------------------------

# run_judged NAME LEAST COMMAND...: of a load that the command starts
run_judged() {
	local pid
	setsid "${@:3}" >"$tmp/run" 2>&1 </dev/null &
	pid=$!
	judge "$1" "$2" eth0 --delivered || note "$(cat "$tmp/run")"
	kill -- -$pid
}

# grouped ENGINE GROUP: by its control group
grouped() {
	local engine=$1 id
	id=$("$engine" run -d --name web --network host box /bin/busybox sh -c "$load")
	ok "$engine: its control group" netnice -b 2m --cgroup "${2/ID/$id}"
	judge "$engine: the host's network, by control group" 99 eth0 --delivered
	quietly "$engine" rm -f web
}

# What a user's own process sends and receives for the container has the limit with which it
# was started. Debian 12's pasta leaves some of it unused, and nearly all of what it could
# send if its sockets may have as large buffers as newer kernels allow: see limits.rst.
rootless() {
	images_rootless
	modprobe tun
	chmod 666 /dev/net/tun
	# where pasta finds the device; its gateway would be the host's loopback
	ip route add default via 10.0.0.3
	run_judged 'podman, rootless, slirp4netns' 50 "${rootless[@]}" netnice -b 2m \
		podman run --network slirp4netns box /bin/busybox sh -c "$load"
	quietly "${rootless[@]}" podman rm -a -f
	# who keeps the user's mounts
	quietly "${rootless[@]}" podman system migrate
	sysctl -q net.core.wmem_max=212992
	run_judged pasta 50 "${with_root[@]}" "${rootless[@]}" netnice -b 2m \
		pasta --config-net -i eth0 -- /bin/busybox sh -c "$load"
	# its command, the first process of its namespace, goes on without it
	pkill -KILL -x busybox
}

begin
need podman docker netnice
setup_veth
wire_exact on
engines_setup
image podman
bridged podman podman0
run_judged "podman: the host's network" 99 netnice -b 2m \
	podman run --name web --network host box /bin/busybox sh -c "$load"
quietly podman rm -f web
grouped podman libpod_parent/libpod-ID
rootless

dockerd -s vfs --exec-opt native.cgroupdriver=cgroupfs >"$tmp/dockerd" 2>&1 &
defer stop $!
ok 'docker: its daemon' busywait 120 docker info
image docker
bridged docker docker0
grouped docker docker/ID
