#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# netniced(8) while processes come by the hundred and thousand a second: none is missed,
# and the daemon takes little of a CPU, and in the end as much memory as before.
#
# Virtual time is the count of instructions: the CPU has a thousand million a second,
# a fraction of what a real one does. STORM is for how many seconds (default: 3).
# lab: virtual, timeout=1800, kernels=new, check=none
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemon.sh"

seconds=${STORM-3}

# of the daemon: nanoseconds on a CPU; pages of its own in KB; descriptors
ran_ns() { cut -d ' ' -f 1 "/proc/$daemon/schedstat"; }
memory_kb() { awk '/^RssAnon:/ { print $2 }' "/proc/$daemon/status"; }
descriptors() { find "/proc/$daemon/fd" -mindepth 1 | wc -l; }

# word KEY: of what storm has printed
word() { sed -n "s/.*\b$1=\([0-9]*\).*/\1/p" "$tmp/storm"; }

nobody_is_left() { [ ! -s /proc/network/eth0/some/tasks ]; }

# run NAME RATE MOST-PERCENT HOW WHAT
run() {
	local before percent
	before=$(ran_ns)
	storm "$2" "$seconds" eth0 "$4" "$5" >"$tmp/storm"
	percent=$(awk "BEGIN { printf \"%.1f\", ($(ran_ns) - $before) / $(word in_ms) / 1e4 }")
	note "$1: $(cat "$tmp/storm"), the daemon ran $percent % of the time"
	check_eq "$1: all were started in time" "$((($(word in_ms) + 50) / 100))" "$((seconds * 10))"
	check_eq "$1: all are attached" "$(word attached)" "$(word started)"
	check "$1: within $(word max_ms) ms" "$(word max_ms) < 250"
	check "$1: the daemon ran $percent % of the time" "$percent < $3"
	check_eq "$1: no events were lost" "$(grep -c 'were lost' "$tmp/log")" 0
	ok "$1: no attachment is left" busywait 10 nobody_is_left
}

begin
! in_uml || skip_all 'nothing takes time in virtual time'
need netnice
setup_veth
cp "$(command -v storm)" "$tmp/some"
rules "[vif eth0/some]
weight = 3
[rule program]
exe = $tmp/some
attach = eth0/some
[rule user]
user = 1000
attach = eth0/some"
need_netniced

seconds=1 run 'to begin with' 100 100 uid 1000
memory=$(memory_kb)
fds=$(descriptors)
run '1000 users a second' 1000 25 uid 1000
run '200 programs a second' 200 25 exec "$tmp/some"
check "its memory grows by $(($(memory_kb) - memory)) KB" "$(memory_kb) - $memory < 200"
check_eq 'as many descriptors are open as before' "$(descriptors)" "$fds"
