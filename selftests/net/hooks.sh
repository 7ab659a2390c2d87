#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=containers
# lab: virtual, check=none, kernels=6.1+new, mem=3072, timeout=5400
#
# The OCI hook (tools/oci, Documentation/containers.rst): containers of podman, root's and an ordinary
# user's, on each kind of network, and of docker, by their annotations.
#
#	container		host				peer
#	eth0 -------- veth - bridge | eth0 10.0.0.1 --- 10.0.0.2
#	tap0 -------- slirp4netns
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/images.sh"

top=/proc/network
program=/usr/local/libexec/netnice-oci
up=2000000 down=3000000
limit=(--annotation netnice.bandwidth.up=2m --annotation netnice.bandwidth.down=3mbit)
engine=(podman)
port=6000
there=10.0.0.2

# The program that measures, with its libraries, comes into the image.
hooks_setup() {
	local file
	images_setup
	for file in "$(command -v traffic)" $(LD_TRACE_LOADED_OBJECTS=1 traffic | grep -o '/[^ ]*'); do
		install -D "$file" "$tmp/box$file"
	done
	ln -s "$(command -v traffic)" "$tmp/box/bin/traffic"
	modprobe tun
	chmod 666 /dev/net/tun
	# by which the host's device is found
	ip route add default via 10.0.0.3
	printf 'hooks_dir = ["%s"]\n' /usr/share/containers/oci/hooks.d >>/etc/containers/containers.conf
	echo 'nameserver 10.0.0.2' >/etc/resolv.conf
	sysctl -q net.ipv4.ip_forward=1
}

pid_of() { "${engine[@]}" inspect -f '{{.State.Pid}}' "$1"; }
id_of() { "${engine[@]}" inspect -f '{{.Id}}' "$1"; }

# tree NAME COMMAND: in the folder of its namespace's VIFs
tree() {
	nsenter --net="/proc/$(pid_of "$1")/ns/net" -- unshare -m sh -c \
		'mount -t netnice netnice /mnt && cd /mnt && eval "$0"' "$2"
}

# its_settings NAME DEVICE: in one line
its_settings() { tree "$1" "cat $2/bandwidth" | xargs; }

says() { says_in "$1" "$said" "${@:2}"; }

no_vifs() { [ -z "$(find $top -mindepth 2 -name 'container-*')" ] && [ -z "$(find $top -mindepth 2 -type d -name 'user-*')" ]; }
one_user() { grep -q '^netnice [0-9]* 1 ' /proc/modules; }

# start NAME ARGUMENT...: what it does is on its standard input, for a while
start() {
	said=$("${engine[@]}" run -d --name "$1" "${@:2}" 2>&1 </dev/null) || {
		fail "$1 begins" "$said"
		return 1
	}
}

remove() { quietly "${engine[@]}" rm -f "$1"; }

# judge NAME METER RATE
judge() {
	local bytes
	bytes=$(meter "$2" first_second_bytes)
	note "$1: $(meter "$2" rate_bit_per_s) bit/s, $bytes bytes in the first second"
	check_near "$1: bit/s" "$(meter "$2" rate_bit_per_s)" "$3" 2
	check "$1: in the first second no more than 105 %" "$bytes * 8 <= $3 * 1.05 && $bytes > 0"
}

# measured NAME [DEVICE|host] ARGUMENT...: a container that sends as soon as it is there, and receives some
# seconds later, in each direction twice as much as it gets. DEVICE is its own.
measured() {
	local name=$1 device=$2 pid load where=()
	shift 2
	port=$((port + 2))
	load="traffic send udp $there $port --rate 4m --size 1400 --seconds 9 &
		/bin/busybox sleep 4; traffic fetch udp $there $((port + 1)) --seconds 9 & /bin/busybox sleep 1000"
	background peer traffic sink udp $port >/dev/null
	background peer traffic serve udp $((port + 1)) --rate 6m --size 1400 --seconds 9 >/dev/null
	meter_start up eth0 --in --port $port --span 7
	start web "$@" box /bin/busybox sh -c "$load" || return
	pid=$(pid_of web)
	[ "$device" = host ] || where=(nsenter --net="/proc/$pid/ns/net" --)
	background "${where[@]}" wiremeter "${device/host/eth0}" --delivered --port $((port + 1)) --span 7 >"$tmp/meter.down"
	# shellcheck disable=SC2034
	meter_down=$!
	pause 16
	meter_stop up
	meter_stop down
	judge "$name: sends" up $up
	judge "$name: receives" down $down
}

# own NAME DEVICE ARGUMENT...: one with a network of its own
own() {
	measured "$1" "$2" "${limit[@]}" "${@:3}"
	check_eq "$1: its limits" "$(its_settings web "$2")" 'egress 2mbit ingress 3mbit'
	check_eq "$1: the host has none" "$(cat $top/*/bandwidth | sort -u | xargs)" 'egress max ingress max'
	remove web
	ok "$1: nothing is left" no_vifs
}

# --- podman, root's ---------------------------------------------------------------------

bridge() {
	own "$1: bridge" eth0
}

again() {
	start a "${limit[@]}" box /bin/busybox sleep 1000
	start b --annotation netnice.bandwidth=5m --annotation netnice.burst=10ms box /bin/busybox sleep 1000
	check_eq 'two containers: each has its own' "$(its_settings a eth0), $(its_settings b eth0)" \
		'egress 2mbit ingress 3mbit, egress 5mbit ingress 5mbit'
	check_eq 'and its burst' "$(tree b 'cat eth0/burst' | xargs)" 'egress 6250b ingress 6250b'
	fails 'root in it does not lift it' podman exec a /bin/busybox mount -t netnice netnice /tmp
	quietly "${engine[@]}" restart -t 0 a
	check_eq 'started again: it has it again' "$(its_settings a eth0)" 'egress 2mbit ingress 3mbit'
	start c --network container:a --annotation netnice.bandwidth=1g --annotation netnice.bandwidth.down=1m box /bin/busybox sleep 1000
	check_eq 'one that shares its network only lowers it' "$(its_settings a eth0)" 'egress 2mbit ingress 1mbit'
	remove c
	remove a
	remove b
	quietly podman network create two
	start a --network podman,two --annotation netnice.bandwidth=2m box /bin/busybox sleep 1000
	check_eq 'two interfaces share it' "$(tree a 'cat eth?/bandwidth eth?/group' | sort | uniq -c | awk '{ print $1, $2, $3 }' | xargs)" \
		'2 egress 1 2 egress 2mbit 2 ingress 1 2 ingress 2mbit'
	remove a
	quietly podman network rm two
	start a --network none "${limit[@]}" box /bin/busybox sleep 1000
	check_eq 'none: nothing to limit' "$(its_settings a lo)" 'egress max ingress max'
	remove a
	refused 'none, required' 'has no interface to limit' --network none "${limit[@]}" \
		--annotation netnice.required=true
}

on_host() {
	local vif
	measured "$1: host, to $there" host "${limit[@]}" --network host
	vif=$top/eth0/container-$(id_of web | cut -c 1-12)
	check_eq "$1: host: its VIF" "$(xargs <"$vif/bandwidth")" 'egress 2mbit ingress 3mbit'
	check "$1: host: counts what it sends" "$(vif_stat "$vif" egress_bytes) > 1500000"
	quietly "${engine[@]}" restart -t 0 web
	check_eq "$1: host: started again" "$(xargs <"$vif/bandwidth")" 'egress 2mbit ingress 3mbit'
	remove web
	ok "$1: host: nothing is left" busywait 10 no_vifs
}

# several devices that reach others, and a minimum for which there is no room
several() {
	mkdir "$tmp/shares"
	jq '.hook.args += ["--shares"]' /usr/share/containers/oci/hooks.d/netnice.json >"$tmp/shares/netnice.json"
	ip link add dummy0 type dummy
	ip link set dummy0 up
	ip route replace default nexthop via 10.0.0.3 dev eth0 nexthop dev dummy0
	ip route add blackhole default metric 9
	start web --network host "${limit[@]}" box /bin/busybox sleep 1000
	check_eq 'host: two devices of one default route' "$(cat $top/{eth0,dummy0}/container-*/bandwidth | xargs)" \
		'egress 2mbit ingress 3mbit egress 2mbit ingress 3mbit'
	remove web
	ip route del blackhole default metric 9
	ip route replace default via 10.0.0.3 dev eth0
	ip link del dummy0
	engine=(podman --runtime runc --hooks-dir "$tmp/shares")
	refused 'host: a minimum above its bandwidth' minimum --network host "${limit[@]}" --annotation netnice.minimum=1g
	engine=(podman --runtime runc)
	ok 'host: nothing is left of it' busywait 10 no_vifs
}

parts() {
	start web --network host --annotation netnice.weight=50 --annotation netnice.priority=6 box /bin/busybox sleep 1000
	check_eq 'host: its part' "$(cat $top/eth0/container-*/{weight,priority} | xargs)" 'egress 50 ingress 50 egress 6 ingress 6'
	remove web
	refused 'a part above others' 'is what the administrator grants' --network host --annotation netnice.priority=0
	refused 'a part of what it has for itself' 'has a meaning beside others only' --annotation netnice.weight=50
}

# refused NAME WORDS ARGUMENT...: it does not start
refused() {
	said=$("${engine[@]}" run --rm "${@:3}" box /bin/busybox echo started 2>&1 </dev/null)
	check "$1: it does not start" "$? > 100"
	says "$1: says why" "$2"
}

# what the image greedy says, if podman lets it: from 5 on it does not
image_rate() { podman inspect web | jq -r '.[0].Config.Annotations["netnice.bandwidth"] // "max" | sub("1g"; "1gbit")'; }

# What an image says, and what an administrator
bounded() {
	mkdir "$tmp/greedy"
	echo 'FROM box' >"$tmp/greedy/Containerfile"
	quietly podman build --annotation netnice.bandwidth=1g --annotation netnice.burst=100ms -t greedy "$tmp/greedy"
	start web --annotation netnice.bandwidth.up=2m greedy /bin/busybox sleep 1000
	check_eq "an image's annotation does not raise the limit" "$(its_settings web eth0)" "egress 2mbit ingress $(image_rate)"
	remove web
	mkdir "$tmp/hooks"
	jq '.hook.args += ["--bandwidth", "1m"] | .when = { always: true }' /usr/share/containers/oci/hooks.d/netnice.json \
		>"$tmp/hooks/all.json"
	engine=(podman --runtime runc --hooks-dir "$tmp/hooks")
	start web --annotation netnice.bandwidth.up=500k greedy /bin/busybox sleep 1000
	check_eq "nor does any that of the administrator" "$(its_settings web eth0)" 'egress 500kbit ingress 1mbit'
	remove web
	start web box /bin/busybox sleep 1000
	check_eq 'which holds without an annotation, too' "$(its_settings web eth0)" 'egress 1mbit ingress 1mbit'
	remove web
	engine=(podman --runtime runc)
}

wrong() {
	refused 'a rate that is none' "netnice.bandwidth: 'fast' is not a rate: use bits per second" --annotation netnice.bandwidth=fast
	refused 'a rate that is not there' 'netnice.bandwidth: there is no value' --annotation netnice.bandwidth=
	refused 'a rate that is too low' "'1k' is out of range" --annotation netnice.bandwidth.up=1k
	refused 'a name that is none' "did you mean 'netnice.bandwidth'" --annotation netnice.bandwith=1m
	check_eq 'no container is left' "$(podman ps -aq)" ''
}

# --- podman, a user's ----------------------------------------------------------------------

users() {
	local vif
	images_rootless
	engine=("${rootless[@]}" podman --runtime runc)
	refused 'user: a network of its own, as a stranger' 'parameter user_namespaces' --network slirp4netns "${limit[@]}" \
		--annotation netnice.required=true
	engine=("${rootless[@]}" podman)
	allow_user_namespaces
	own 'user: slirp4netns' tap0 --network slirp4netns:mtu=1500
	short || own 'user: bridge' eth0 --network bridge
	! has_pasta || own 'user: pasta' eth0 --network pasta:--mtu,1500
	measured 'user: host' host --network host "${limit[@]}"
	vif=$top/eth0/user-1000/container-$(id_of web | cut -c 1-12)
	check_eq 'user: host: its VIF' "$(xargs <"$vif/bandwidth")" 'egress 2mbit ingress 3mbit'
	remove web
	ok 'user: host: nothing is left' busywait 10 no_vifs
	# who keeps the user's mounts
	quietly "${engine[@]}" system migrate
	umount $top
	engine+=(--runtime runc)
	refused 'user, host: netnice is not mounted' 'mount -t netnice netnice /proc/network' --network host "${limit[@]}" \
		--annotation netnice.required=true
	check_eq 'and if it is not required, it starts' \
		"$("${engine[@]}" run --rm --network host "${limit[@]}" box /bin/busybox echo started 2>/dev/null)" started
	quietly "${engine[@]}" system migrate
	mount -t netnice netnice $top
}

# --- what there is not ------------------------------------------------------------------------

missing() {
	local file
	unload_netnice
	file=$(modinfo -n netnice)
	mv "$file" "$file.away"
	check_eq 'no module: it starts without a limit' "$("${engine[@]}" run --rm "${limit[@]}" box /bin/busybox echo started)" started
	refused 'no module, required' "this machine's kernel does not have the module netnice" "${limit[@]}" --annotation netnice.required=true
	mv "$file.away" "$file"
	start web "${limit[@]}" box /bin/busybox sleep 1000
	check_eq 'the hook loads the module' "$(its_settings web eth0)" 'egress 2mbit ingress 3mbit'
	remove web
	ok 'and it can be unloaded' busywait 20 remove_netnice
	load_netnice
}

# --- the runtime --------------------------------------------------------------------------------

fronted() {
	engine=(podman --runtime "$program")
	start web --uidmap 0:200000:1000 "${limit[@]}" box /bin/busybox sleep 1000
	check_eq 'runtime of podman: with a user namespace' "$(its_settings web eth0)" 'egress 2mbit ingress 3mbit'
	remove web
	refused 'runtime of podman' "netnice.bandwidth: 'fast' is not a rate" --annotation netnice.bandwidth=fast
	start web -e NETNICE_BANDWIDTH_UP=2m greedy /bin/busybox sleep 1000
	check_eq "runtime of podman: an image's annotation does not lift what the environment says" "$(its_settings web eth0)" \
		"egress 2mbit ingress $(image_rate)"
	remove web
	engine+=(--hooks-dir "$tmp/hooks")
	start web --annotation netnice.bandwidth.down=500k box /bin/busybox sleep 1000
	check_eq "nor does it keep a hook from what the administrator has told that" "$(its_settings web eth0)" \
		'egress 1mbit ingress 500kbit'
	remove web
	engine=(podman --runtime runc)
	refused 'hook: with a user namespace' 'is made after this hook has been called' --uidmap 0:200000:1000 "${limit[@]}"
}

docker_begin() {
	dockerd -s vfs --exec-opt native.cgroupdriver=cgroupfs --add-runtime "netnice=$program" >"$tmp/dockerd" 2>&1 &
	defer stop $!
	ok 'docker: its daemon' busywait 120 docker info
	image docker
	engine=(docker)
}

dockers() {
	local by=(--runtime netnice -e NETNICE_BANDWIDTH_UP=2m -e NETNICE_BANDWIDTH_DOWN=3m)
	limit=()
	own 'docker: bridge' eth0 "${by[@]}"
	start web "${by[@]}" --network host box /bin/busybox sleep 1000
	check_eq 'docker: host' "$(cat $top/eth0/container-*/bandwidth | xargs)" 'egress 2mbit ingress 3mbit'
	remove web
	ok 'docker: host: nothing is left' busywait 10 no_vifs
	refused 'docker: a rate that is none' "netnice.bandwidth: 'fast' is not a rate" --runtime netnice -e NETNICE_BANDWIDTH=fast
}

begin
need podman docker jq netnice $program
setup_veth
wire_exact on
hooks_setup
image podman
# with each runtime, and, in short, half of it with each
for runtime in crun runc; do
	engine=(podman --runtime "$runtime")
	there=10.0.0.2
	if ! short || [ $runtime = crun ]; then
		bridge $runtime
	fi
	if ! short || [ $runtime = runc ]; then
		[ $runtime = crun ] || there=fd00::2
		on_host $runtime
	fi
done
there=10.0.0.2
again
parts
several
wrong
bounded
fronted
users
engine=(podman --runtime runc)
missing
if ! short; then
	docker_begin
	dockers
fi
ok 'only the mount here uses the module' busywait 10 one_user
log_clean
