#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml+6.1, budget=47
#
# Attached by control group: what a socket is counted for that was created in a group
# of the tree below; groups that are nested, moved out of, detached, removed.
#
#	/sys/fs/cgroup/
#	  service/	attached to VIF
#	    worker/	in some stories attached to OTHER
#	      inner/

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cells.sh"
. "$(dirname "$0")/stories.sh"

manner=none
groups=/sys/fs/cgroup
links=/proc/network/cgroups
service=$groups/service

in_outside="write $groups/cgroup.procs 0"
in_service="write $service/cgroup.procs 0"
in_worker="write $service/worker/cgroup.procs 0"
in_inner="write $service/worker/inner/cgroup.procs 0"

mirror='there socket tcp% bind ANY PORT listen 16 say ready mirror 99'
talk='send 100 receive 100'
client="socket tcp% connect THERE PORT $talk"
server='socket tcp% bind ANY PORT listen 16'

attach() { ln -s "$vif" $links/service/; }
detach() { rm $links/service/eth0; }

# in a story: a stage in which the process here goes on
goes_on() { stage "$1" "$2" step here; }

# attach_then WHO
attach_then() {
	attach
	step "$1"
}

services() {
	local family
	for family in 4 6 m; do
		story 'started after' $family "$mirror" "here say up read $in_service $client"
		attach
		goes_on 'it connects and sends' VIF
		detach
		story_end

		story 'started before' $family "$mirror" "here $in_service $client say up times 4 { read $talk }"
		goes_on 'before' root
		stage 'attached' VIF attach_then here
		ln -sfn "$other" $links/service/eth0
		goes_on 'attached elsewhere' OTHER
		detach
		goes_on 'detached' root
		story_end

		story 'a listener, started before' $family \
			"here $in_service $server say ready accept receive 100 send 100 end" \
			"there say up read socket tcp% connect HERE PORT $talk"
		stage 'it accepts' VIF attach_then there
		detach
		story_end

		story 'UDP, started before' $family "there socket udp% bind ANY PORT say ready times 9 { answer }" \
			"here $in_service socket udp% connect THERE PORT $talk say up read $talk"
		stage 'it sends' VIF attach_then here
		detach
		story_end
	done
}

nested() {
	story 'nested' 4 "$mirror" "here say up fork { $in_inner read $client read $talk read $talk }"
	attach
	goes_on 'of the nearest that is attached' VIF
	ln -s "$other" $links/service/worker/
	goes_on 'of one that is nearer' OTHER
	rm $links/service/worker/eth0
	goes_on 'detached' VIF
	detach
	story_end

	story 'the root group' 4 "$mirror" "here say up read $client read $talk"
	ln -s "$vif" $links/
	goes_on 'attached' VIF
	rm $links/eth0
	goes_on 'detached' root
	story_end
}

# A group holds for what its processes send, by sockets from elsewhere, too.
moved() {
	local family
	for family in 4 6; do
		story 'moved to another group' $family "$mirror" \
			"here $in_service $client say up read $talk read $in_worker use 0 $talk read $client read"
		attach
		ln -s "$other" $links/service/worker/
		goes_on 'before' VIF
		goes_on 'an old socket' OTHER
		goes_on 'a new one' OTHER
		rm $links/service/worker/eth0
		detach
		story_end

		story 'passed out of its group' $family "$mirror" \
			"here pair fork { hear 1 $talk } $in_service $client say up read pass 0 wait read $talk"
		attach
		goes_on 'another process sends' VIF
		goes_on 'its own process sends' VIF
		detach
		story_end
	done
}

# A socket that is made outside of the group that uses it, as by sshd and systemd.
used() {
	local family
	for family in 4 m; do
		story 'accepted, then moved' $family "here $server say ready accept read $in_service $talk read receive 100 send 100" \
			"there say up read socket tcp% connect HERE PORT times 2 { receive 100 send 100 }"
		attach
		stage 'accepted' root step there
		goes_on 'moved' VIF
		detach
		story_end
	done

	story 'UDP, then moved' 4 "there socket udp% bind ANY PORT say ready times 9 { answer }" \
		"here socket udp% connect THERE PORT $talk say up read $in_service $talk read $talk read $in_outside $talk"
	attach
	goes_on 'moved' VIF
	detach
	goes_on 'detached' root
	attach
	goes_on 'moved back' root
	detach
	story_end

	story 'a listener of another group' 4 "here socket tcp% bind ANY PORT say ready read $in_service listen 16 say listens accept receive 100 send 100 end" \
		"there say up read socket tcp% connect HERE PORT $talk"
	attach
	step here
	busywait 5 file_says "$tmp/first" listens
	stage 'it accepts' VIF step there
	detach
	story_end

	story 'passed into a group' 4 "$mirror" "here pair fork { $in_service hear 1 $talk } $client say up read pass 0 wait read $talk"
	attach
	goes_on 'another process sends' VIF
	goes_on 'its own process sends' root
	detach
	story_end

	story 'passed to a group of a VIF above' 4 "$mirror" "here pair fork { hear 1 $talk } $in_service $client say up read pass 0 wait"
	attach
	ln -s "$root" $links/
	goes_on 'it stays below' VIF
	rm $links/eth0
	detach
	story_end
}

# What waits goes along, at once and in order.
followed() {
	story 'moved while packets wait' 4 "there socket udp% bind ANY PORT say ready times 20 { receive 1000 } receive 100" \
		"here $in_worker socket udp% connect THERE PORT say up read times 20 { send 1000 } read $in_service send 100 read"
	attach
	ln -s "$other" $links/service/worker/
	{ echo 10k >"$other/bandwidth"; echo none >"$other/aqm"; }
	step here
	busywait 2 waits_in "$other"
	step here
	ok 'moved while packets wait: they leave the VIF' busywait 2 emptied "$other"
	ok 'moved while packets wait: all arrive, in order' wait "${story_pids[0]}"
	rm $links/service/worker/eth0
	detach
	story_end
}

waits_in() { [ "$(vif_stat "$1" egress_p_queue_packets)" -gt 0 ]; }
emptied() { ! waits_in "$1"; }

# The record holds the group that uses a socket, until another one does or it ends.
used_by_removed() {
	local dying
	dying=$(dying_groups)
	mkdir $groups/gone
	story 'the group that uses it is removed' 4 "$mirror" \
		"here $client say up read write $groups/gone/cgroup.procs 0 $talk read $in_outside say out read $talk read reset"
	ln -s "$vif" $links/gone/
	goes_on 'before' VIF
	step here
	busywait 5 file_says "$tmp/second" out
	ok 'the group that used a socket can be removed' busywait 5 rmdir $groups/gone
	goes_on 'after' root
	check_eq 'a socket that another group uses does not hold it' "$(dying_groups)" "$dying"
	story_end
}

dying_groups() { awk '$1 == "nr_dying_descendants" { print $2 }' $groups/cgroup.stat; }

# The group goes while packets wait: it is empty, and its VIF can be removed.
removed() {
	local before waited
	mkdir $groups/gone
	story 'the group is removed' 4 "there socket tcp% bind ANY PORT listen 1 say ready accept receive 300000 end" \
		"here write $groups/gone/cgroup.procs 0 socket tcp% connect THERE PORT say up read send 300000 exit"
	ln -s "$vif" $links/gone/
	{ echo 2m >"$vif/bandwidth"; echo none >"$vif/aqm"; }
	meter_start cell eth0 --in --rate 2m
	count_wire
	before=${counted[1]}
	step here
	ok 'the group can be removed while packets wait' busywait 10 rmdir $groups/gone
	ok 'it has left the directory' test ! -e $links/gone
	ok 'its VIF can be removed' busywait 5 rmdir "$vif"
	count_wire
	waited=$((300000 - counted[1] + before))
	check "$waited bytes are still to come" "$waited > 20000"
	busywait 20 cell_settled
	meter_stop cell
	check "the limit holds: $(meter cell burst_bytes) bytes ahead" "$(meter cell burst_bytes) <= $least_burst + 25"
	mkdir "$vif"
	story_end
}

# A group holds in each way in which a socket is found, whether its process is attached elsewhere or
# not: a line has a name, families, and two programs.
# shellcheck disable=SC2016
ways='a socket of UDP|4 6|there $receiver times 3 { answer }|here socket udp% connect THERE PORT times 3 { send 500 receive 500 }
a socket of TCP|4 m|there $listener accept receive 3000 send 20000 end|here $client
by its number: ping|4 6|there say ready|here socket ping% connect THERE 0 ping 3
by its number: raw IP|4|there socket raw% connect HERE 0 say ready times 3 { receive 100 send 100 }|here socket raw% connect THERE 0 times 3 { send 100 receive 100 }
by its number: later fragments|4 6|there $receiver times 3 { answer }|here socket udp% connect THERE PORT times 3 { send 5000 receive 5000 }
by its number: later fragments, of a socket that only receives|4|here $receiver times 3 { receive 5000 }|there socket udp% connect HERE PORT times 3 { send 5000 pause 10 }
by its listener, and as a request|4 6|here $listener pause 300|there times 3 { $caller send 1000 } pause 100
as a timewait socket|4|there $listener accept receive 1000 end pause 200|here socket tcp% connect THERE PORT send 1000 exit'
# shellcheck disable=SC2016
shredded_ways='by its listener, and as a request, in fragments|4 6|here $listener pause 300|there times 3 { $caller send 1000 } pause 100
a socket of TCP, in fragments|4 6|there $listener accept receive 3000 send 20000 end|here $client'

# all_ways WAYS
# shellcheck disable=SC2034 # WAYS names the variables
all_ways() {
	local name families first second place
	local listener='socket tcp% bind ANY PORT listen 16 say ready' receiver='socket udp% bind ANY PORT say ready'
	local client='socket tcp% connect THERE PORT send 3000 receive 20000' caller='socket tcp% connect HERE PORT'
	while IFS='|' read -r name families first second; do
		for place in '' "write /proc/network/lo/elsewhere/tasks 0 "; do
			eval "first=\"$first\" second=\"$second\""
			cell "${place:+attached elsewhere and }of a group, $name" "$families" \
				"${first/#here /here ${place}}" "${second/#here /here ${place}}"
		done
	done <<<"$1"
}

found() {
	local manner=cgroup
	mkdir /proc/network/lo/elsewhere
	all_ways "$ways"
	if shred_begin 32; then
		all_ways "$shredded_ways"
		shred_end
	else
		skip 'found by fragments of TCP' 'the kernel has no tun'
	fi
	busywait 5 rmdir /proc/network/lo/elsewhere
}

begin
stories_setup
mkdir -p $service/worker/inner
defer rmdir $service/worker/inner $service/worker $service
for group in ${GROUPS_OF_CELLS-found services nested moved used followed used_by_removed removed}; do
	$group
done
