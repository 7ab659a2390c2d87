#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Who passes datagrams on: a process, as all are (process) or of SCHED_FIFO (fifo), or a relay,
# as they come (relay).
#
#   peer                          here                           far
#   10.0.0.2  eth0 ------ eth0  10.0.0.1  10.2.0.1  eth1 ------ eth0  10.2.0.2
#             out ---------------------------------------------- in
#   10.3.0.1                                                            10.3.0.2
#
# jitter-mean jitter-max transit-mean	of datagrams with 1,000 bytes, every 5 ms, in nanoseconds;
#		NUMBER processes are busy meanwhile
# rate		datagrams a second, as many as a sender of SCHED_FIFO can give to the relay, while NUMBER
#		processes are busy
# datagram	instructions that one with 1,000 bytes takes from one end to the other, unread; 0: one by a system call, 1: 50. none: by a line of its own, directly; forward: who routes it
#
# lab: virtual, timeout=7200
# shellcheck disable=SC2016,SC2154
. "$(dirname "$0")/lib.sh"

loads='0 2 4 8 16 32'
count=600
full || { loads='0 8'; count=150; }
tasks=/proc/network/tasks

far() { nsenter --net=/run/netns/far -- "$@"; }

setup() {
	setup_veth
	line here eth1 10.2.0 far
	peer ip link add out type veth peer name in netns far
	peer ip addr add 10.3.0.1/24 dev out
	far ip addr add 10.3.0.2/24 dev in
	peer ip link set out up
	far ip link set in up
	sysctl -q net.ipv4.ip_forward=1
	peer ip route add 10.2.0.0/24 via 10.0.0.1
	# processes are not to be of a group, which would have a share by itself
	sysctl -q kernel.sched_autogroup_enabled=0 2>/dev/null
	sysctl -q kernel.sched_rt_runtime_us=-1
}

# between SCHEME: a process that forwards from 10.0.0.1:5000 to far's port 6000; `who`
between() {
	local run=()
	case $1 in
	process) run=(transit pass) ;;
	fifo) run=(chrt -f 40 transit pass) ;;
	relay) run=(transit hold) ;;
	esac
	background "${run[@]}" 5000 10.2.0.2 6000 >"$tmp/between"
	who=$!
	busywait 5 file_says "$tmp/between" ready
	[ "$1" != relay ] || ln -s ../../../$who/sockets/4 $tasks/$who/sockets/3/relay
}

# busy NUMBER: so many processes are, until idle
busy() {
	local i
	processes=()
	for ((i = 0; i < $1; i++)); do
		# shellcheck disable=SC2016
		background bash -c 'while :; do :; done'
		processes+=($!)
	done
}
idle() { [ ${#processes[@]} -eq 0 ] || stop "${processes[@]}"; }

# jitter SCHEME LOAD
jitter() {
	local receiver
	between "$1"
	background far chrt -f 60 transit receive 6000 $count >"$tmp/received"
	receiver=$!
	busywait 5 file_says "$tmp/received" ready
	busy "$2"
	peer chrt -f 50 transit send 10.0.0.1 5000 $count 5000
	idle
	wait $receiver
	stop $who
	[ "$(line_of "$tmp/received" received=)" -eq $count ] || fail "$1, $2 busy: all arrive"
	result jitter-mean "$1" "$2" "$(line_of "$tmp/received" jitter_mean=)"
	result jitter-max "$1" "$2" "$(line_of "$tmp/received" jitter_max=)"
	result transit-mean "$1" "$2" "$(line_of "$tmp/received" transit_mean=)"
}

# arrived: datagrams, at the far end
arrived() { far awk '$1 == "Udp:" && $2 ~ /^[0-9]/ { print $2 + $3 + $4 }' /proc/net/snmp; }

# rate LOAD: who receives does not read, so that only the way there counts
rate() {
	local before seconds
	between relay
	busy "$1"
	before=$(arrived)
	seconds=$(peer chrt -f 50 traffic send udp 10.0.0.1 5000 --size 1000 --bytes 20000000 |
		sed -n 's/.* seconds=\([0-9.]*\).*/\1/p')
	idle
	stop "$who"
	check_eq "$1 busy: all arrive" $(($(arrived) - before)) 20000
	result rate relay "$1" "$(awk "BEGIN { printf \"%.0f\n\", 20000 / $seconds }")"
}

# datagram SCHEME HOST PORT: who passes on takes the CPU as soon as there is something to do
datagram() {
	local batch
	[ "$1" = none ] || [ "$1" = forward ] || between "$1"
	for batch in 1 50; do
		result datagram "$1" $((batch > 1)) "$(peer chrt -f 30 traffic send udp "$2" "$3" --size 1000 \
			--bytes 4000000 --batch $batch --lap 100 |
			sed -n 's/.* lap_ns=\([0-9]*\).*/\1/p' | awk '{ printf "%.1f\n", $1 / 100 }')"
	done
	[ "$1" = none ] || [ "$1" = forward ] || stop "$who"
}

begin
setup
need netnice
for load in $loads; do
	for scheme in process fifo relay; do jitter "$scheme" "$load"; done
done
# full, so that no process is woken by packets
background far kinds socket udp4 bind 0.0.0.0 6000 say ready pause 100000000 >"$tmp/silent"
busywait 5 file_says "$tmp/silent" ready
peer traffic send udp 10.3.0.2 6000 --size 1000 --bytes 4000000 >/dev/null
for load in $loads; do rate "$load"; done
datagram none 10.3.0.2 6000
datagram forward 10.2.0.2 6000
datagram relay 10.0.0.1 5000
datagram fifo 10.0.0.1 5000
last=${loads##* }
# 50 ns is what an interrupt of the clock between the two stamps adds to the mean
check 'jitter of the relay does not depend on who else is busy' \
	"${results[jitter-mean relay $last]} <= 1.1 * ${results[jitter-mean relay 0]} + 50"
for load in $loads; do
	check "jitter of the relay beside $load: 20 us at most" "${results[jitter-max relay $load]} <= 20000"
done
for load in $loads; do
	note "datagrams a second beside $load: ${results[rate relay $load]}"
	check_near "what the relay carries does not depend on who else is busy: $load" \
		"${results[rate relay $load]}" "${results[rate relay 0]}" 2
done
cost() { awk "BEGIN { print ${results[datagram $1 $2]} - ${results[datagram none $2]} }"; }
for batch in 0 1; do
	note "instructions between the ends: forwarded $(cost forward $batch), relayed $(cost relay $batch), by a process $(cost fifo $batch)"
done
check 'relayed it costs up to 1.6 times what it does forwarded' "$(cost relay 0) <= 1.6 * $(cost forward 0)"
check 'by a process 2.3 times what it does relayed, or more' "$(cost fifo 0) >= 2.3 * $(cost relay 0)"
