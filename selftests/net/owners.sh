#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=14
#
# Whose packets they are when sockets, processes and threads have more than one
# story: forks, exec, descriptors that are handed on, attachments that come late, go,
# or contradict each other.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cells.sh"
. "$(dirname "$0")/stories.sh"

# programs here attach themselves
manner=none

tasks=/proc/network/tasks
mirror='there socket tcp% bind ANY PORT listen 16 say ready mirror 99'
talk='send 100 receive 100'
client="socket tcp% connect THERE PORT $talk"
mine='write VIF/tasks 0'
others='write OTHER/tasks 0'

# --- processes ----------------------------------------------------------------------

# one_stage NAME WORDS: the program here sends in one stage only, all of it for VIF
one_stage() {
	local family
	for family in 4 6; do
		story "$1" $family "$mirror" "here $2"
		stage 'it sends' VIF step here
		story_end
	done
}

processes() {
	one_stage 'fork' "$mine fork { say up read $client }"
	one_stage 'exec' "$mine exec say up read $client"
	one_stage 'fork, then exec' "$mine fork { exec say up read $client }"
	one_stage 'a daemon' "$mine fork { fork { say up read $client } exit } exit"
	one_stage 'exec by another user' "$mine user 1000 exec say up read $client"
	cp "$net_dir/kinds" /run/kinds-set-uid
	chmod 4755 /run/kinds-set-uid
	cell_program=/run/kinds-set-uid one_stage 'set-uid exec' "$mine user 1000 exec say up read $client"
	rm /run/kinds-set-uid
	one_stage 'children of a program that runs already' "say up read $mine fork { $client }"
}

handed_on() {
	local family
	for family in 4 6; do
		story 'a socket of two processes' $family "$mirror" \
			"here $mine pair fork { $others hear 1 use 0 $talk hear 1 $talk } say up read $client read pass 0 read $talk read tell 0 read"
		stage 'the opener sends' VIF step here
		stage 'the other one' OTHER step here
		stage 'the opener sends, again' VIF step here
		stage 'the other one, again' OTHER step here
		story_end

		story 'inherited at fork' $family "$mirror" \
			"here $mine $client pair fork { hear 1 $talk hear 1 $others $talk } say up read tell 0 read tell 0 read $talk"
		stage 'the child, attached as its parent' VIF step here
		stage 'the child, attached elsewhere' OTHER step here
		stage 'the parent' VIF step here
		story_end

		story 'passed to an unattached process' $family "$mirror" \
			"here pair fork { hear 1 $talk close hear 1 } $mine $client say up read pass 0 read $talk"
		stage 'the receiver' root step here
		stage 'the sender' VIF step here
		story_end

		story 'passed to an attached process' $family "$mirror" \
			"here pair fork { $mine hear 1 $talk } $client say up read pass 0 read $talk"
		stage 'the receiver' VIF step here
		stage 'the sender' root step here
		story_end
	done
}

# --- attachments that come late, or go ------------------------------------------------

attach() { here >"$vif/tasks"; }
attach_elsewhere() { ln -sfn "$other" "$tasks/$(here)/eth0"; }
detach() { rm "$tasks/$(here)/eth0"; }

# attach_then WHO: it goes on when the process here is attached
attach_then() {
	attach
	step "$1"
}

late() {
	local family server='socket tcp% bind ANY PORT listen 16'
	for family in 4 6 m; do
		story 'TCP, opened before' $family "$mirror" "here $client say up read $talk read close"
		stage 'it sends' VIF attach_then here
		stage 'it closes' VIF step here
		story_end
		story 'UDP, opened before' $family "there socket udp% bind ANY PORT say ready times 9 { answer }" \
			"here socket udp% connect THERE PORT $talk say up read $talk"
		stage 'it sends' VIF attach_then here
		story_end
		story 'blocked in recv' $family "there $server say ready accept receive 100 send 100 read send 100000" \
			"here $client say up receive 100000"
		stage 'it is sent to' VIF attach_then there
		story_end
		story 'UDP, blocked in recv' $family "there socket udp% bind ANY PORT say ready answer read times 9 { sendto HERE PORT 100 }" \
			"here socket udp% bind ANY PORT sendto THERE PORT 100 receive 100 say up receive 900"
		stage 'it is sent to' VIF attach_then there
		story_end
		story 'moved and detached' $family "$mirror" "here $mine $client say up times 9 { read $talk }"
		stage 'before' VIF step here
		attach_elsewhere
		stage 'moved' OTHER step here
		detach
		stage 'detached' root step here
		attach
		stage 'attached again' VIF step here
		story_end
	done
	for family in 4 6; do
		story 'a listener, opened before' $family "here $server say ready accept receive 100 send 100 end" \
			"there say up read ${client/THERE/HERE}"
		stage 'it accepts' VIF attach_then there
		story_end
		story 'a UDP server, opened before' $family "here socket udp% bind ANY PORT say ready times 9 { answer }" \
			"there say up read socket udp% connect HERE PORT times 5 { $talk }"
		stage 'it answers' VIF attach_then there
		story_end
	done
}

# while it sends, the process is attached, moved and detached again and again
restless() {
	local i
	step here
	for i in 1 2 3 4 5 6 7 8 9 10; do
		attach
		pause 0.03
		attach_elsewhere
		pause 0.03
		detach
		pause 0.03
	done
	attach
}

under_traffic() {
	local family
	for family in 4 6; do
		story 'changed while it sends' $family "$mirror" \
			"here $client say up read times 150 { send 1000 pause 10 } receive 150000 read $talk"
		stage 'all is counted' any restless
		stage 'as it was left' VIF step here
		story_end
	done
}

waiting() {
	manner=process
	limited 'TCP, exits while its packets wait' egress '4 6' \
		"there socket tcp% bind ANY PORT listen 1 say ready accept receive 300000 end" \
		"here socket tcp% connect THERE PORT send 300000 exit"
	limited 'UDP, exits while its packets wait' egress '4 6' "there socket udp% bind ANY PORT say ready times 400 { receive 1 }" \
		"here socket udp% connect THERE PORT times 400 { send 1000 } exit"
	manner=none
}

# --- two devices ----------------------------------------------------------------------

setup_eth1() {
	setup_second_veth
	ethtool -K eth1 tso off gro off >/dev/null
	peer ethtool -K eth1 tso off gso off gro off >/dev/null
	cell_on eth1
	cell_neighbours 10.1.0.1 10.1.0.2
	mkdir "$vif" "$other"
	cell_on eth0
}

# on DEVICE NAME WHOSE: the next step is all on that device
on() {
	cell_on "$1"
	stage "$2" "$3" step here
	cell_on eth0
}

two_devices() {
	local second=/proc/network/eth1
	setup_eth1
	story 'two devices' 4 "$mirror" "here $mine write $second/other/tasks 0 $client say up \
		read use 0 $talk read socket tcp% connect 10.1.0.2 PORT $talk read use 0 $talk read use 1 $talk"
	on eth0 'on the first' VIF
	on eth1 'on the second' OTHER
	detach
	on eth0 'detached from the first: there' root
	on eth1 'detached from the first: on the second' OTHER
	story_end
	rmdir $second/cell $second/other
}

# --- PID namespaces -------------------------------------------------------------------

# what is mounted inside numbers processes as they are numbered there
# shellcheck disable=SC2016
inside=(unshare -pf --mount-proc bash -c 'mount -t netnice netnice /proc/network && exec "$@"' --)

namespaces() {
	here_prefix=("${inside[@]}")
	one_stage 'PID namespace, attached inside' "$mine say up read $client"
	one_stage 'PID namespace, by number' "write VIF/tasks 1 say up read $client"
	here_prefix=("${in_vif_prefix[@]}" "$vif" "${inside[@]}")
	one_stage 'PID namespace, attached outside' "say up read $client"
	here_prefix=()
}

# --- threads --------------------------------------------------------------------------

threads() {
	local family thread='attach-thread VIF/tasks'
	# what is still open would be closed by the first thread, which is not attached
	local client="$client close"
	one_stage 'a thread' "thread { $thread say up read $client }"
	one_stage 'a thread of an attached process' "$others thread { $thread say up read $client }"
	one_stage 'a thread of a thread' "thread { $thread thread { say up read $client } }"
	one_stage 'a child of a thread' "thread { $thread fork { say up read $client } wait }"
	one_stage 'exec by a thread' "thread { $thread exec say up read $client }"
	for family in 4 6; do
		story 'one by one' $family "$mirror" \
			"here say up read thread { $thread $client } wait read thread { attach-thread OTHER/tasks $client } wait read $client"
		stage 'the first' VIF step here
		stage 'the second' OTHER step here
		stage 'neither' root step here
		story_end
		story 'a socket of two threads' $family "$mirror" \
			"here ${client% close} pair thread { $thread hear 1 $talk hear 1 $talk } say up read tell 0 read $talk read tell 0 read"
		stage 'the one that is attached' VIF step here
		stage 'the other' root step here
		stage 'the one that is attached, again' VIF step here
		story_end
	done
}

# --- who prevails ---------------------------------------------------------------------

# prevails STRONGER WEAKER
prevails() {
	local family words group=/proc/network/cgroups/${cell_cgroup##*/}
	words=$(cell_attached "$1" "say up read $client close")
	words=$(cell_attached "$2" "$words" OTHER)
	mkdir $cell_cgroup
	for family in 4 6; do
		story "$1 before $2" $family "$mirror" "here $words"
		[ "$2" != cgroup ] || ln -s "$other" "$group/"
		stage 'it sends' VIF step here
		[ "$2" != cgroup ] || rm "$group/eth0"
		story_end
	done
	busywait 5 rmdir $cell_cgroup
}

precedence() {
	prevails socket thread
	prevails socket process
	prevails socket cgroup
	prevails thread process
	prevails thread cgroup
	prevails process cgroup
}

begin
stories_setup
for group in ${GROUPS_OF_CELLS-processes handed_on late under_traffic waiting two_devices namespaces threads precedence}; do
	$group
done
