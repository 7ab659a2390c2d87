#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, kernels=6.1+new, check=6.1, budget=10
#
# The module's tracepoints, and the reasons for drops that the kernel's own tells: they say
# what the counters say, by packet.
# shellcheck disable=SC2119,SC2154
. "$(dirname "$0")/lib.sh"

trace=/sys/kernel/tracing

begin
need netnice
[ -d $trace/events ] || mount -t tracefs tracefs $trace
[ -d $trace/events/netnice ] || skip_all 'this kernel has no tracefs'
setup_veth
wire_exact
eth0=/proc/network/eth0

# traced EVENT...: from now on
traced() {
	local event
	defer eval "echo 0 >$trace/events/enable"
	echo 0 >$trace/events/enable
	for event; do echo 1 >"$trace/events/$event/enable"; done
	: >$trace/trace
}

# lines EVENT [WORDS]: of what was traced
lines() { grep " $1: " "$tmp/trace" | grep -- "${2-}"; }

# sum FIELD: of the lines
sum() { sed -n "s/.* $1=\([0-9]*\).*/\1/p" | awk '{ s += $1 } END { print s + 0 }'; }

most() { sed -n "s/.* $1=\([0-9]*\).*/\1/p" | sort -n | tail -1; }

number() { stat -c vif=%i "$1"; }

send() { in_vif "$1" traffic send udp 10.0.0.2 "$2" --size 1000 --bytes "$3"; }

# traces_of PORT BYTES: what is traced while so much is sent through slow, and all of it gone
traces_of() {
	: >$trace/trace
	send $eth0/slow "$1" "$2" >/dev/null
	busywait 20 vif_empty $eth0/slow
	cp $trace/trace "$tmp/trace"
}

mkdir $eth0/slow $eth0/other
echo 1m >$eth0/slow/bandwidth
slow=$(number $eth0/slow)
traced netnice/netnice_{enqueue,dequeue,drop,classify,attach} skb/kfree_skb

echo 10p >$eth0/slow/limit
echo none >$eth0/slow/aqm
traces_of 9 60000
waited=$(vif_stat $eth0/slow egress_overlimits) drops=$(vif_stat $eth0/slow egress_drops)
check 'packets wait, and some are refused' "$waited > 5 && $drops > 5"
check_eq 'enqueue: each that waits' "$(lines netnice_enqueue "$slow " | sum packets)" "$waited"
check_eq 'and what waits then' "$(lines netnice_enqueue "$slow " | most backlog_packets)" 10
check_eq 'dequeue: each that goes on' "$(lines netnice_dequeue "$slow " | sum packets)" "$waited"
check_eq 'and how long it has waited' "$(lines netnice_dequeue "$slow " | most wait_ns)" \
	"$(vif_stat $eth0/slow egress_sojourn_max)"
check_eq 'drop: each that is refused' "$(lines netnice_drop "$slow " | sum packets)" "$drops"
check_eq 'for the limit, all of them' "$(lines netnice_drop | grep -c 'reason=overlimit')" \
	"$(lines netnice_drop | wc -l)"
check 'classify: whose it is, until that is remembered' \
	"$(lines netnice_classify "dev=eth0 dir=egress $slow " | wc -l) > 0"
check_eq 'nothing of other VIFs' \
	"$(lines 'netnice_[de][^ ]*' | grep -vc "$slow ")" 0
note "the kernel's reasons: $(lines kfree_skb | grep -o 'reason: .*' | sort | uniq -c | tr -s ' \n' ' ')"
if [[ $(uname -r) = 6.1.* ]]; then
	skip "no rule of a firewall's is blamed" 'a hook cannot say why on this kernel'
else
	check_eq "no rule of a firewall's is blamed" "$(lines kfree_skb 'reason: NETFILTER_DROP')" ''
fi

echo max >$eth0/slow/limit
echo codel target 5ms interval 20ms >$eth0/slow/aqm
traces_of 9 200000
check 'drop: what has waited for too long' "$(lines netnice_drop 'reason=codel' | wc -l) > 3"
check_eq 'no other reason' "$(lines netnice_drop | grep -vc 'reason=codel')" 0
check_eq 'what waits goes on, or is dropped' "$(lines netnice_enqueue | sum packets)" \
	"$(lines 'netnice_d[er][^ ]*' | sum packets)"

echo 100000000 >$eth0/slow/bandwidth
echo 1m >$eth0/other/bandwidth
: >$trace/trace
background sleep 1000
echo $! >$eth0/other/tasks
echo $! >$eth0/slow/tasks
rm /proc/network/tasks/$!/eth0
cp $trace/trace "$tmp/trace"
other=$(number $eth0/other)
check_eq 'attach: what, and where' \
	"$(lines netnice_attach | grep -o 'dev=.* pid=[0-9]*')" \
	"dev=eth0 $other attached kind=process pid=$!
dev=eth0 $slow attached kind=process pid=$!
dev=eth0 $slow detached kind=process pid=$!"

# The timer puts back what waits in rounds: the softirq ends between them, whatever waits.
echo ingress max >$eth0/limit
echo ingress 8k >$eth0/bandwidth
peer traffic send udp 10.0.0.1 9 --size 100 --bytes 400000 >/dev/null
waiting() { test "$(vif_stat $eth0 ingress_p_queue_packets)" "$@"; }
busywait 20 waiting -gt 3900
traced irq/softirq_entry irq/softirq_exit
echo ingress max >$eth0/bandwidth
busywait 20 waiting -eq 0
cp $trace/trace "$tmp/trace"
longest=$(awk '/softirq_entry: .*HRTIMER/ { begin = $4 } /softirq_exit: .*HRTIMER/ { us = ($4 - begin) * 1000000
	if (us > longest) longest = us } END { print int(longest) }' "$tmp/trace")
check "4,000 packets that go on at once: the longest round takes $longest us" "$longest > 100 && $longest < 3000"

rm -f "$tmp/trace"
echo 0 >$trace/events/enable
: >$trace/trace
send $eth0/slow 9 20000 >/dev/null
check_eq 'nothing is traced without a reader' "$(grep -c netnice_ $trace/trace)" 0
