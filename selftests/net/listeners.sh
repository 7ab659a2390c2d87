#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: budget=5
#
# User 1000 chooses how many listeners to events there are, and how many ports a stack has. Neither keeps
# others waiting for RTNL, or for the tree: with 2,000 listeners and 1,000 ports.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/stacks.sh"

eth0=/proc/network/eth0
vif=$eth0/many
listeners=2000

# took COMMAND...: how long, in milliseconds
took() {
	local begin=${EPOCHREALTIME/./}
	"$@"
	echo $(((${EPOCHREALTIME/./} - begin) / 1000))
}

# longest COMMAND...: the same of the slowest one, until the file `over' is there. Each comes after a
# pause: time passes slowly in a User Mode Linux that is never idle
longest() {
	local ms most=0
	rm -f "$tmp/over"
	until [ -e "$tmp/over" ]; do
		pause 0.005
		ms=$(took "$@")
		[ "$ms" -le "$most" ] || most=$ms
	done
	echo "$most"
}

rtnl() { ip link set lo alias "x$RANDOM"; }
vifs() { mkdir $eth0/x{1..50} && rmdir $eth0/x{1..50}; }
no_stack() { grep -qx none $vif/stack && [ "$(cat $vif/sockets)" = '' ]; }

begin
need netnice
stacks_setup $vif
alone=$(took vifs)

ulimit -n 100000
background as_user nl listeners $listeners >"$tmp/listeners" 2>&1
busywait 60 file_says "$tmp/listeners" ready || skip_all "there are no events for users: $(cat "$tmp/listeners")"
background nl events >"$tmp/events"
busywait 60 file_says "$tmp/events" ready

with=$(took vifs)
note "50 VIFs made and removed: alone $alone ms, with $listeners listeners $with ms"
check 'listeners do not slow down changes' "$with <= 3 * $alone + 200"

stack_start tap0 $vif echo
ok 'a stack with 1,000 ports' user_writes 'auto 500' $vif/ports
longest rtnl >"$tmp/longest" &
pause 0.3
kill -9 "$stack"
wait "$stack" 2>/dev/null
ok 'its device goes, and all ports' busywait 60 no_stack
touch "$tmp/over"
wait $!
note "RTNL: $(cat "$tmp/longest") ms at most"
check 'others get RTNL meanwhile' "$(cat "$tmp/longest") < 500"
ok 'the stack'"'"'s end is told' busywait 60 sh -c "grep '^vif-set .*path=many' '$tmp/events' | tail -n 1 | grep -qv stack="
check_eq 'once for all of its ports' "$(grep -c ^detach "$tmp/events")" 0
log_clean
