#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The paper's Table I: what creating, deleting, attaching, detaching, reading and
# writing cost, in nanoseconds, which are instructions; and the same of control groups.
# The number of a result says which: 0 max, 1 mean, 2 min, 3 deviation.
#
# lab: virtual
. "$(dirname "$0")/lib.sh"

count=1000
groups=/sys/fs/cgroup

# table SCHEME PLACE
table() {
	local operation max mean min deviation
	operations "$1" "$2" $count >"$tmp/table" || fail "$1" || return
	while read -r operation max mean min deviation; do
		result "$operation" "$1" 0 "$max"
		result "$operation" "$1" 1 "$mean"
		result "$operation" "$1" 2 "$min"
		result "$operation" "$1" 3 "$deviation"
	done <"$tmp/table"
}

begin
need netnice
setup_veth
mkdir /proc/network/eth0/other
table netnice /proc/network/eth0
echo +cpu >$groups/cgroup.subtree_control
table cgroup $groups
check_eq 'operations measured' "$(wc -l <"$tmp/table")" 6
