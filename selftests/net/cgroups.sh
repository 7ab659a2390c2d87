#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml+6.1, budget=37
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

# Sockets stay where they were created.
moved() {
	local family
	for family in 4 6; do
		story 'moved to another group' $family "$mirror" \
			"here $in_service $client say up read $talk read $in_worker use 0 $talk read $client read"
		attach
		ln -s "$other" $links/service/worker/
		goes_on 'before' VIF
		goes_on 'an old socket' VIF
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

begin
stories_setup
mkdir -p $service/worker/inner
defer rmdir $service/worker/inner $service/worker $service
for group in ${GROUPS_OF_CELLS-services nested moved removed}; do
	$group
done
