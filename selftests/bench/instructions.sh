# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# What a frame costs that has to wait, for atlimit and waiting, while others send through a
# limit: instructions of the whole machine, both ends, but for idle time. spare.c tells how
# many. Then the same with the kernel's tracer, which takes instructions itself: it counts, in
# histograms, each expiry of the timer by which the scheduler goes on, and each time that its
# lock is taken. These are the shaper's, or the qdisc's, or, of netnice's qdisc, both.
#
# instructions-CASE	a frame
# expiries-CASE		a frame
# locks-CASE		a frame
# passed-CASE		what the limit let pass, per cent of it. Where it is much less, the
#			emulated processor had no time for more

trace=/sys/kernel/tracing
expired=$trace/events/timer/hrtimer_expire_entry
locked=$trace/events/kprobes/locked

trace_begin() {
	if ! echo 'p:locked _raw_spin_lock lock=%di by=+0(%sp)' >$trace/kprobe_events ||
		! echo 'p:locked _raw_spin_trylock lock=%di by=+0(%sp)' >>$trace/kprobe_events ||
		! echo 'hist:keys=by.sym,lock.hex:size=4096' >$locked/trigger ||
		! echo 'hist:keys=function.sym:size=4096' >$expired/trigger; then
		fail 'the tracer counts'
	fi
}

# trace_end: sets expiries and locks
trace_end() {
	cat $expired/hist >"$tmp/expiries"
	cat $locked/hist >"$tmp/locks"
	echo '!hist:keys=function.sym' >$expired/trigger
	echo '!hist:keys=by.sym,lock.hex' >$locked/trigger
	: >$trace/kprobe_events
	expiries=$(awk '/qdisc_watchdog|vif_shaper_drain_timer/ { n += $NF } END { print n + 0 }' "$tmp/expiries")
	# other users of the same lock count too
	locks=$(awk '/hitcount/ {
			match($0, /lock: *[0-9a-f]+/)
			lock = substr($0, RSTART, RLENGTH)
			n[lock] += $NF
			if (/ (vif_shaper_[a-z_]*) .*\[netnice\]/ || / (sch_direct_xmit|__qdisc_run) /)
				ours[lock] = 1
		} END { for (lock in ours) sum += n[lock]; print sum + 0 }' "$tmp/locks")
}

# per N FRAMES
per() { awk "BEGIN { printf \"%.3f\", ($1) / ($2) }"; }

# frames_cost CASE SCHEME NUMBER PID LIMIT SECONDS: of the frames that PID's namespace gets;
# LIMIT is in frames a second
frames_cost() {
	local case=$1 scheme=$2 number=$3 pid=$4 limit=$5 seconds=$6 taken frames
	read -r taken frames < <(spare "$seconds" "$turn" "$pid")
	[ "${frames:-0}" -gt 0 ] || fail "$case $scheme: something passes" || return
	result "instructions-$case" "$scheme" "$number" "$(per "$taken" "$frames")"
	result "passed-$case" "$scheme" "$number" "$(per $((100 * frames)) "$limit * $seconds")"
	trace_begin || return
	read -r taken frames < <(spare "$seconds" "$turn" "$pid")
	trace_end
	holds "$frames > 0.95 * $limit * $seconds" || return
	result "expiries-$case" "$scheme" "$number" "$(per "$expiries" "$frames")"
	result "locks-$case" "$scheme" "$number" "$(per "$locks" "$frames")"
}

# peer_begin: for the pairs; `there` is a process in it, `here` one of ours. Nothing runs yet.
peer_begin() {
	turn=$(spare)
	modprobe -a sch_htb sch_hfsc sch_tbf sch_fq sch_fq_codel sch_cake ifb
	[ -d $trace/events ] || mount -t tracefs tracefs $trace
	ip netns add peer
	defer ip netns del peer
	peer ip link set lo up
	# who reads now and then only has room for what comes meanwhile
	sysctl -q net.ipv4.tcp_rmem='4096 4194304 8388608'
	peer sysctl -q net.ipv4.tcp_rmem='4096 4194304 8388608'
	background peer sleep infinity
	there=$! here=$$
}
