#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=containers
# lab: virtual, check=none, mem=3072, timeout=3600
#
# A container of an ordinary user's podman, at the host's own addresses: its server and its
# clients have ports there, and a limit (Documentation/stacks.rst, "Containers").
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/images.sh"
. "$(dirname "$0")/stacks.sh"

top=/proc/network/eth0
here=(10.0.0.1 '[fd00::1]')
there=(10.0.0.2 '[fd00::2]')

podman() { "${rootless[@]}" podman "$@"; }

# The example's command, with the image that is here
example=$(sed -n '/^ExecStart=/,/[^\\]$/p' "$net_dir/../units/container-address.service" |
	sed 's/^ExecStart=//; s/\\$//; s,docker.io/library/busybox,box /bin/busybox,' | xargs)
read -ra example <<<"$example"

# within COMMAND...: busybox in the container
within() { podman exec web /bin/busybox "$@"; }

sum() { sha256sum | cut -d' ' -f1; }
answers() { peer curl -so /dev/null "http://${here[0]}:8080/file"; }
no_vifs() { [ -z "$(find $top -mindepth 1 -type d)" ]; }

gone() {
	ok "$1: nothing is left of its VIF within a second" busywait 1 no_vifs
	ok "$1: its port is free" busywait 1 can_bind tcp4 8080
}

setup() {
	stacks_setup
	images_setup
	mkdir "$tmp/box/www"
	head -c 1000000 /dev/urandom >"$tmp/box/www/file"
	want=$(sum <"$tmp/box/www/file")
	background peer busybox httpd -f -p 80 -h "$tmp/box/www"
	# shellcheck disable=SC2016
	background peer socat TCP-LISTEN:5001,fork SYSTEM:'echo $SOCAT_PEERADDR'
	images_rootless
	# by which the example finds the device
	ip route add default via 10.0.0.2
}

serves() {
	local n
	background "${rootless[@]}" "${example[@]}" >"$tmp/run" 2>&1
	ok 'a container begins' busywait 60 answers || note "$(cat "$tmp/run")"
	for n in 0 1; do
		check_eq "its server at ${here[n]}" "$(peer curl -s "http://${here[n]}:8080/file" | sum)" "$want"
		check_eq "its client, at ${there[n]}" "$(within wget -qO - "http://${there[n]}/file" | sum)" "$want"
	done
	check_eq 'its server sees who asks' "$(podman logs web 2>&1 | grep -o 'ffff:10.0.0.2\|fd00::2' | sort -u | xargs)" \
		'fd00::2 ffff:10.0.0.2'
	check_eq 'as who its client is seen' "$(within nc 10.0.0.2 5001 </dev/null)" 10.0.0.1
}

limited() {
	local before after
	check_eq 'it has a VIF of its user' "$(find $top -mindepth 1 -type d -printf '%P\n' | xargs)" 'user-1000 user-1000/web'
	before=$(vif_stat $top/user-1000/web egress_bytes)
	check_near 'its server has 10 Mbit/s: seconds' \
		"$(peer curl -so /dev/null -w '%{time_total}' "http://${here[0]}:8080/file")" 0.83 5
	after=$(vif_stat $top/user-1000/web egress_bytes)
	check_near 'counted as sent' $((after - before)) 1046000 2
	before=$(vif_stat $top/user-1000/web ingress_bytes)
	within wget -qO /dev/null "http://${there[0]}/file"
	after=$(vif_stat $top/user-1000/web ingress_bytes)
	check_near 'what its client receives is counted' $((after - before)) 1046000 2
}

separate() {
	quietly podman exec -d web /bin/busybox httpd -f -p 8081 -h /www
	ok 'it listens at another port, too' busywait 20 within wget -qO /dev/null http://127.0.0.1:8081/file
	peer curl -so /dev/null "http://${here[0]}:8081/file"
	check_eq 'which the host refuses' $? 7
	background busybox httpd -f -p 8081 -h "$tmp"
	busywait 20 peer curl -so /dev/null "http://${here[0]}:8081/"
	peer curl -sfo /dev/null "http://${here[0]}:8081/file"
	check_eq 'or has itself, with other files' $? 22
	fails "what is the container's the host does not get" can_bind tcp4 8080
	check_eq 'it has the addresses of the host' \
		"$(within ip -o addr show dev eth0 | awk '{ print $4 }' | xargs)" '10.0.0.1/32 fd00::1/128'
}

ends() {
	quietly podman rm -f web
	gone 'removed'
}

# One that stays when it has ended: without netnice it would have all of the host's network.
outside() {
	ok 'another begins in the background' "${rootless[@]}" "${example[@]/--rm/-d}"
	ok 'and is there' busywait 60 answers
	quietly podman stop -t 0 web
	gone 'stopped'
	fails 'without netnice it is not started again' podman start web
	fails 'and does not run' within true
	quietly podman rm web
	ok 'but another in its place' "${rootless[@]}" "${example[@]/--rm/-d}"
	ok 'which is there' busywait 60 answers
	quietly podman rm -f web
	gone 'removed, too'
}

begin
need netnice podman
setup
serves
limited
separate
ends
outside
# who keeps the user's mounts
quietly podman system migrate
log_clean
