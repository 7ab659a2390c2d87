#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=7
#
# Nothing is reordered within a flow while VIFs, attachments and owners change: the
# receiver's judgement of sequence numbers, by iperf3, of datagrams. Nor is TCP, when it sends
# again.

. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
tasks=/proc/network/tasks

# orderly NAME FUNCTION [OPTION...]: FUNCTION goes on every 50 ms while datagrams flow
orderly() {
	local name=$1 change=$2 i
	shift 2
	mkdir $eth0/{a,b}
	echo 1500k >$eth0/a/bandwidth
	echo 1500k >$eth0/b/bandwidth
	peer iperf3 -s -1 --json >"$tmp/server" 2>&1 &
	server=$!
	pause 0.3
	iperf3 -c 10.0.0.2 -u -b 2M -l 1000 -t 3 "$@" >"$tmp/client" 2>&1 &
	pid=$!
	echo $pid >$eth0/a/tasks
	pause 0.3
	for i in {1..40}; do
		"$change" "$i"
		pause 0.05
	done
	wait $pid
	wait $server
	check_eq "$name: packets out of order" \
		"$(jq '.end.streams[].udp | .out_of_order, .packets > 500' "$tmp/server" | paste -s -d ' ')" '0 true'
	for i in a/c a b; do [ ! -d $eth0/$i ] || busywait 5 rmdir $eth0/$i; done
}

odd() { [ $(($1 % 2)) -eq 1 ]; }

nothing() { :; }
vifs() { mkdir $eth0/a/c; rmdir $eth0/a/c; }
bandwidths() { echo "$((1500 + $1 % 2 * 300))k" >$eth0/a/bandwidth; }
weights() { echo "$((100 + $1))" >$eth0/a/weight; echo $(($1 % 8)) >$eth0/a/priority; }
limits_gone() { if odd "$1"; then echo max; else echo 1500k; fi >$eth0/a/bandwidth; }
owners() { if odd "$1"; then echo $pid >$eth0/b/tasks; else echo $pid >$eth0/a/tasks; fi; }
moves() { if odd "$1"; then mv $eth0/a $eth0/b/; else mv $eth0/b/a $eth0/; fi; }
detached() { if odd "$1"; then rm $tasks/$pid/eth0; else echo $pid >$eth0/a/tasks; fi; }

# A TCP connection's packets wait much longer than its round trip took before, so that it takes them for lost, and
# gives what it sends again another hash. Nothing of that arrives twice.
timed_out() {
	local sender
	mkdir $eth0/a
	echo 10m >$eth0/a/bandwidth
	background peer traffic sink tcp 5001 >"$tmp/sink"
	busywait 5 file_says "$tmp/sink" ready
	nstat -n
	in_vif $eth0/a traffic send tcp 10.0.0.2 5001 --seconds 10 >/dev/null &
	sender=$!
	pause 1
	echo 500k >$eth0/a/bandwidth
	wait $sender
	nstat -asz --json >"$tmp/nstat"
	check 'TCP: timeouts' "$(counted TcpExtTCPTimeouts) > 0"
	check_eq 'TCP: what came twice' "$(counted TcpExtTCPDSACKRecv)" 0
	check 'TCP: what was sent again, and what was dropped' \
		"$(counted TcpRetransSegs) <= $(vif_stat $eth0/a egress_drops) + 5"
	busywait 60 rmdir $eth0/a
}

counted() { jq ".kernel.$1" "$tmp/nstat"; }

begin
setup_veth
wire_exact on
need netnice
orderly 'nothing changes' nothing
orderly 'VIFs come and go' vifs
orderly 'bandwidths change' bandwidths
orderly 'weights and priorities change' weights
orderly 'a bandwidth comes and goes' limits_gone
orderly 'attached elsewhere' owners
orderly 'detached and attached' detached
orderly 'moved' moves
timed_out
