#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a tenant does, an ordinary user or root of a container, is no concern of others:
# nothing of his is left that could be taken for theirs, and what he has used up they
# still have.
# lab: smp=2
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0

# Of two threads that end at the same time, on two CPUs, the kernel may be done with the
# first one last: its process has gone by then, and no other is attached.
threads() {
	local i failed=0
	mkdir $eth0/u
	chown 1000 $eth0/u
	for ((i = 0; i < 20; i++)); do
		as_user kinds times 50 "{" fork "{" pair thread "{" attach-thread $eth0/u/tasks tell 0 \
			pause 60000 "}" hear 1 exit "}" wait "}" || failed=$((failed + 1))
	done
	check_eq '1000 processes attach a thread, and end' $failed 0
	ok 'nothing is left: the VIF can be removed' busywait 20 rmdir $eth0/u
	log_clean
}

begin
setup_veth
need netnice
for group in ${TENANTS-threads}; do
	$group
done
