#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# netniced(8) beside ten users, each of which makes and removes control groups of its own, processes,
# VIFs below one that it was given, beside 500 that stay and have accounts, and asks for names, as fast
# as it can: an administrator's rule is applied within a second to 99 of 100 processes and within five
# to all, events that were lost are counted and made good, SIGTERM is answered within a second, and the
# daemon has as much memory at the end as at the beginning. SWARM is for how many seconds (default: 600;
# --short: 60), in real time.
# lab: smp=2, mem=1536, timeout=3600, kernels=6.1+new, check=none
# shellcheck disable=SC2154

# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemon.sh"

seconds=${SWARM-$(short && echo 60 || echo 600)} users=${SWARM_USERS-10}
cg=/sys/fs/cgroup eth0=/proc/network/eth0

memory_kb() { awk '/^RssAnon:/ { print $2 }' "/proc/$daemon/status"; }
descriptors() { find "/proc/$daemon/fd" -mindepth 1 | wc -l; }
word() { sed -n "s/.*\b$1=\([0-9]*\).*/\1/p" "$tmp/storm"; }
is_attached() { [ -n "$(vif_attached "$1" eth0)" ]; }
has_ended() { ! kill -0 "$1" 2>/dev/null; }

# a question for www.example.org, type A
question='\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03www\x07example\x03org\x00\x00\x01\x00\x01'

# tenant UID: until it is killed; a line for each round
tenant() {
	local groups=$cg/user.slice/$1 vifs=$eth0/u$1
	exec setpriv --reuid="$1" --regid="$1" --clear-groups bash -c '
		while :; do
			mkdir "$0"/g{1..100}; rmdir "$0"/g{1..100}
			mkdir "$1"/v{1..40}; rmdir "$1"/v{1..40}
			kinds times 100 "{" fork "{" exit "}" wait "}"
			for i in {1..40}; do printf "$2" >/dev/udp/10.0.0.2/53; done
			echo round
		done 2>/dev/null' "$groups" "$vifs" "$question"
}

begin
need netnice
setup_veth
mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
cp /etc/resolv.conf "$tmp/before" 2>/dev/null
defer cp "$tmp/before" /etc/resolv.conf
echo 'nameserver 10.0.0.2' >/etc/resolv.conf
background peer nameserver at 10.0.0.2 www.example.org 60 10.0.0.3 >"$tmp/server"
mkdir -p $cg/user.slice
defer eval "find $cg/user.slice -depth -type d -exec rmdir {} +"
cp "$(command -v storm)" "$tmp/worker"
cp "$(command -v sleep)" "$tmp/late"
cp "$(command -v sleep)" "$tmp/own"
chmod 755 "$tmp"
rules "[vif eth0]
account = yes
[vif eth0/web]
program = name *.example.org = bulk
[vif eth0/web/bulk]
class = 1
[vif eth0/work]
[rule jobs]
cgroup = user.slice/*/job
attach = eth0/web
[rule units]
unit = nginx.service
attach = eth0/web
[rule work]
exe = $tmp/worker $tmp/late
attach = eth0/work
[rule own]
exe = $tmp/own
attach = eth0/work
own = yes
per = process
[rule fast]
in = eth0/work
rate = above 1g for 3s
attach = eth0/web"
netniced_options=(--state "$tmp/account.db")
# as its service has it
confined=(nice -n "$(sed -n 's/^Nice=//p' "$net_dir/../units/netniced.service")" "${confined[@]}")
need_netniced
export STORM_STEP=20

storm 2 5 eth0 exec "$tmp/worker" >"$tmp/storm"
note "without tenants: $(cat "$tmp/storm")"
fds=$(descriptors)
for ((i = 0; i < 200; i++)); do background "$tmp/own" 100000; done
pids=()
for ((i = 0; i < users; i++)); do
	uid=$((1001 + i))
	mkdir -p $cg/user.slice/$uid $eth0/u$uid
	(cd $eth0/u$uid && mkdir s{1..500})
	chown $uid $cg/user.slice/$uid $eth0/u$uid
	tenant $uid >"$tmp/rounds.$uid" 2>&1 &
	pids+=($!)
done
# a minute has a round of the accounts; then all that there is has been in the daemon's memory
storm 5 $((seconds < 300 ? seconds / 2 : 70)) eth0 exec "$tmp/worker" >"$tmp/storm"
note "at first: $(cat "$tmp/storm")"
memory=$(memory_kb)
storm 5 "$seconds" eth0 exec "$tmp/worker" >"$tmp/storm"
note "$users tenants, $(cat "$tmp"/rounds.* | wc -l) rounds of 100 groups, 100 processes, 40 VIFs and 40 questions: $(cat "$tmp/storm")"
check_eq 'an administrator'"'"'s rule is applied to all within five seconds' "$(word attached)" "$(word started)"
check "to 99 of 100 within $(word p99_ms) ms" "$(word p99_ms) <= 1000"
lost=$(grep -c 'were lost' "$tmp/log")
kill -STOP "$daemon"
background "$tmp/late" 1000
late=$!
mkdir $cg/user.slice/1001/job
# a socket's memory for events has to be used up
pause $((seconds < 300 ? 30 : 120))
kill -CONT "$daemon"
start=${EPOCHREALTIME/./}
ok 'events that were lost are made good: a process' busywait 5 is_attached $late
ok 'events that were lost are made good: a group' busywait 5 test -L /proc/network/cgroups/user.slice/1001/job/eth0
note "after $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
check "and are counted: $(grep -c 'were lost' "$tmp/log") times, $lost before" "$(grep -c 'were lost' "$tmp/log") > $lost"
check 'accounts are kept' "$(vifctl account --file "$tmp/account.db" 2>/dev/null | wc -l) > 0"
note "lost events: $(grep -c 'were lost' "$tmp/log") lines; the daemon ran $(awk '{ printf "%.1f s, and waited %.1f s for a CPU", $1 / 1e9, $2 / 1e9 }' "/proc/$daemon/schedstat")"
check "memory: $memory kB before, $(memory_kb) kB now" "$(memory_kb) < $memory + 1024"
check "descriptors: $fds before, $(descriptors) now, and one for each user's groups at most" "$(descriptors) <= $fds + $users"
start=${EPOCHREALTIME/./}
kill -TERM "$daemon"
busywait 20 has_ended "$daemon"
took=$(((${EPOCHREALTIME/./} - start) / 1000))
check "SIGTERM: $took ms" "$took < 1000"
wait "$daemon"
check_eq 'with status 0' $? 0
daemon=
{ kill -KILL "${pids[@]}"; wait "${pids[@]}"; } 2>/dev/null
busywait 20 eval '! pgrep -U "$(seq -s , 1001 $((1000 + users)))"'
