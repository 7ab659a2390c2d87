#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: fsfuzz.sh [SECONDS [SEED]]
#
# File operations on /proc/network at random, for 20 seconds (if it is to be short, for 4, in
# which each worker does 20,000 operations at most) or as
# many as the first argument says, with the seed that the second one says; see fsfuzz.c.
# Meanwhile devices come and go, and programs send. Nothing hangs, what was accepted is
# what is read, and afterwards all works, can be removed, and the module unloads. Then
# files and directories that are quiet are read in pieces: see rereads.c.
#
# lab: smp=2, timeout=1800, budget=25
. "$(dirname "$0")/lib.sh"

seconds=${1:-$(short && echo 4 || echo 20)}
seed=${2:-$SRANDOM}
top=/proc/network
eth0=$top/eth0
groups=/sys/fs/cgroup/fsfuzz

# --- what goes on besides -----------------------------------------------------------

second_device() {
	until [ -e "$tmp/enough" ]; do
		ip link add eth1 type dummy
		ip link set eth1 up
		pause 0.5
		ip link del eth1
		pause 0.1
	done
}

senders() {
	until [ -e "$tmp/enough" ]; do
		traffic send tcp 10.0.0.2 9002 --seconds 0.5
		traffic send udp fd00::2 9002 --rate 10m --seconds 0.2
	done
}

# as children of this shell, which are given to VIFs as all others are
start_others() {
	background peer traffic sink tcp 9002
	background peer traffic sink udp 9002
	second_device &
	others=($!)
	senders &
	others+=($!)
} >/dev/null 2>&1

# --- the fuzz --------------------------------------------------------------------------

fuzz() {
	local must op times tried
	mkdir "$tmp/mounts"
	note "fsfuzz $seed $seconds"
	# shellcheck disable=SC2046
	fsfuzz "$seed" "$seconds" "$tmp/mounts" $(! short || echo 20000) >"$tmp/report" 2>"$tmp/errors"
	check_eq 'fsfuzz ends by itself' "$? $(cat "$tmp/errors")" '0 '
	touch "$tmp/enough"
	wait "${others[@]}"
	ip link del eth1 2>/dev/null
	check_eq 'nothing hangs' "$(grep '^hung' -A 30 "$tmp/report" | head -60)" ''
	check_eq 'nothing is wrong' "$(grep '^fault' "$tmp/report")" ''
	while IFS=: read -r op tried; do
		read -r times _ tried <<<"$tried"
		must=${op#must }
		if [ "$must" != "$op" ]; then
			check "${must#op }: succeeds $times times of $tried" "$times > 0"
		else
			note "${op#op }: succeeds $times times of $tried"
		fi
	done < <(grep -E '^(must )?op' "$tmp/report")
}

# --- afterwards -------------------------------------------------------------------------

remove_links() {
	find $top/tasks $top/devices $top/cgroups -type l ! -name self -delete
	[ -z "$(find $top/tasks $top/devices $top/cgroups -type l ! -name self)" ]
}

remove_vifs() {
	find $eth0 $top/lo -mindepth 1 -depth -type d -exec rmdir {} +
	[ -z "$(find $eth0 $top/lo -mindepth 1 -type d)" ]
}

# the device's own settings
reset_root() {
	local file
	for file in bandwidth=max burst=auto weight=100 priority=4 local_weight=100 local_priority=4 \
		limit=auto aqm=auto fair=flow; do
		echo "${file#*=}" >"$eth0/${file%=*}" || return
	done
	chown 0:0 $eth0
	chmod 755 $eth0
}

remove_groups() {
	find $groups -depth -type d -exec rmdir {} +
	[ ! -e $groups ]
}

all_works() {
	local seconds
	ok 'all attachments can be taken away' busywait 60 remove_links
	ok 'all VIFs can be removed' busywait 60 remove_vifs
	ok 'the device can be set as it was' reset_root
	ok 'all groups can be removed' busywait 60 remove_groups
	ok 'mkdir' mkdir $eth0/after
	echo 8m >$eth0/after/bandwidth
	check_eq 'set' "$(cat $eth0/after/bandwidth)" $'egress 8mbit\ningress 8mbit'
	background sleep 1000
	echo $! >$eth0/after/tasks
	check_eq 'attach' "$(cat $eth0/after/tasks) $(vif_attached $! eth0)" "$! ../../eth0/after"
	rm $top/tasks/$!/eth0
	check_eq 'detach' "$(cat $eth0/after/tasks)" ''
	in_vif $eth0/after traffic send udp 10.0.0.2 9002 --size 1000 --bytes 200000 >/dev/null
	check 'limit' "$(vif_stat $eth0/after egress_overlimits) > 100"
	ok 'rmdir' busywait 60 rmdir $eth0/after
	check_eq 'nothing is left' "$(find $eth0 $top/lo $top/cgroups/fsfuzz -mindepth 1 -type d 2>/dev/null)" ''
}

# --- in a quiet tree --------------------------------------------------------------------

# many processes and sockets attached to a VIF, VIFs below, groups
crowd() {
	local i fd
	mkdir -p $eth0/quiet/{1..60}/below $groups/{1..40}
	for i in {1..100}; do
		background sleep 1000
		echo $! >$eth0/quiet/tasks
		exec {fd}<>/dev/udp/10.0.0.2/9002
		ln -s $eth0/quiet "$top/tasks/$$/sockets/$fd/"
	done
}

rereading() {
	local pid=$$ what
	crowd
	check_eq 'in a quiet tree: processes and sockets' \
		"$(wc -l <$eth0/quiet/tasks) $(wc -l <$eth0/quiet/sockets)" '100 100'
	for what in $eth0/quiet/{tasks,sockets,stat,bandwidth,aqm,limit,weight,autoremove} $top/last_error \
		$top $eth0 $eth0/quiet $eth0/quiet/1 $top/tasks $top/tasks/$pid $top/tasks/$pid/sockets \
		$top/tasks/$pid/threads $top/cgroups $top/cgroups/fsfuzz $top/devices; do
		ok "the same in pieces: ${what#"$top/"}" rereads "$seed" 50 "$what"
	done
}

begin
setup_veth
need netnice
lease_break=$(cat /proc/sys/fs/lease-break-time)
echo 1 >/proc/sys/fs/lease-break-time
defer eval "echo $lease_break >/proc/sys/fs/lease-break-time"
start_others
fuzz
log_clean
all_works
rereading
# only processes with an attachment of their own are listed
ok 'all attachments of its sockets can be taken away' rm $top/tasks/$$/sockets/*/eth0
ok 'and of its processes' remove_links
ok 'the quiet tree can be removed' busywait 60 remove_vifs
ok 'its groups can be removed' busywait 60 remove_groups
ok 'umount, and the module unloads' unload_netnice
