#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, timeout=7200, budget=6
#
# A user-level stack ends while packets go both ways, in each way in which that can be, round
# after round: its ports are free within 100 ms, and nothing is left of it. stack.sh has a
# picture of who is where.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/stacks.sh"

vif=/proc/network/eth0/ends

# by_WAY: that the stack ends; $vif, if it is there, has none then
by_exit() { stop "$stack"; }
by_kill() { kill -9 "$stack" && wait "$stack" 2>/dev/null; }
by_none() { echo none >$vif/stack; }
by_rmdir() { rmdir $vif; }
by_device() { nsenter -t "$stack" -U -n -S 0 -G 0 ip link del "$tap"; }
by_attachment() { user_writes '-udp 4200' $vif/ports && user_writes '-tcp 4200' $vif/ports; }
# a stack holds its module, and the core
by_rmmod() {
	! rmmod netnice_stack 2>/dev/null && ! rmmod netnice 2>/dev/null && by_none && umount /proc/network &&
		busywait 5 remove_netnice
}

# begun: a stack with two ports, which answers the peer
begun() {
	[ -d /proc/network/eth0 ] || load_netnice
	[ -d $vif ] || { mkdir $vif && chown 1000:1000 $vif; } || return
	stack_start "$tap" $vif echo &&
		user_writes 'udp 4200' $vif/ports && user_writes 'tcp 4200' $vif/ports &&
		[ "$(reply 10.0.0.1 4200)" = hello ]
}

# left: what is still there
left() {
	[ ! -d $vif ] || busywait 5 rmdir $vif || echo "the VIF, $(cat $vif/{stack,ports,tasks,sockets} 2>&1)"
	stop "$stack"
}

# ends WAY ROUNDS: all of its rounds are in $tap's number
ends() {
	local i tap late=0 unfit=0 remains=''
	for ((i = 0; i < $2; i++)); do
		tap=tap$((round++))
		begun || { unfit=$((unfit + 1)); stop "$stack"; continue; }
		"by_$1"
		free_within udp4 4200 && free_within tcp4 4200 || late=$((late + 1))
		remains+=$(left)
		# what has been said of taps that are no more
		rm -f "$tmp/tap"*
		cleanup_list=("${cleanup_list[@]:0:kept}")
	done
	check_eq "$1, $2 rounds: it began" "$unfit" 0
	check_eq "$1: ports that were free within 100 ms" $(($2 - unfit - late)) $(($2 - unfit))
	check_eq "$1: nothing is left" "$remains" ''
}

begin
need netnice socat
own_machine || ways='exit kill none rmdir device attachment'
stacks_setup
background peer traffic send udp 10.0.0.1 4200 --rate 2m --size 500 >/dev/null 2>&1
background peer bash -c 'while :; do (exec 3<>/dev/tcp/10.0.0.1/4200) 2>/dev/null; sleep 0.02; done'
kept=${#cleanup_list[@]} round=0
for way in ${ways-exit kill none rmdir device attachment rmmod}; do
	if short; then
		ends "$way" 3
	else
		ends "$way" 30
	fi
done
log_clean
