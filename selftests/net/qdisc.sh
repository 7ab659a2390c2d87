#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Qdisc mode: the device drains the tree. What sets the rate of its link is a tbf
# above the qdisc, or nothing at all.
#
#        init namespace                              peer
#   processes in VIFs -> hook -> tc -> VIFs -> [tbf] -> eth0 ===== eth0
#
# Judges: wiremeter at the peer, the peer's interface counters, tc, and the log.
# lab: virtual, timeout=900, check=uml, budget=20
# shellcheck disable=SC2154

. "$(dirname "$0")/lib.sh"

top=/proc/network/eth0
link_rate=10000000

# --- the link and those who send ----------------------------------------------------

# link tbf|veth: eth0 has the qdisc, and a rate of its own or none
link() {
	tc qdisc del dev eth0 root 2>/dev/null
	if [ "$1" = tbf ]; then
		tc qdisc add dev eth0 root handle 1: tbf rate $link_rate burst 4k limit 10m &&
			tc qdisc add dev eth0 parent 1:1 netnice
	else
		tc qdisc add dev eth0 root netnice
	fi
}

# vif NAME [FILE=VALUE...]: made anew
vif() {
	local name=$1 setting
	shift
	[ ! -d $top/"$name" ] || rmdir $top/"$name"
	mkdir $top/"$name" || return
	for setting; do
		echo "egress ${setting#*=}" >$top/"$name/${setting%%=*}"
	done
}

# send NAME PROTOCOL PORT ARGUMENT...: from a process of the VIF, to its own sink
send() {
	local name=$1 protocol=$2 port=$3
	shift 3
	background peer traffic sink "$protocol" "$port" >"$tmp/sink.$port"
	sinks[$port]=$!
	busywait 5 file_says "$tmp/sink.$port" ready
	background "${in_vif_prefix[@]}" $top/"$name" traffic send "$protocol" 10.0.0.2 "$port" "$@" >"$tmp/send.$port"
	senders+=($!)
}

# quiet: all senders have ended, and what they sent has arrived
quiet() {
	stop "${senders[@]}"
	senders=()
	busywait 60 nothing_waits || note "waits: $(tc -s qdisc show dev eth0)"
	pause 0.2
	stop "${sinks[@]}"
	sinks=()
}

# waiting VIF packets|bytes: of its own, for its clock or for the device
waiting() { echo $(($(vif_stat "$1" egress_p_queue_"$2") + $(vif_stat "$1" egress_d_queue_"$2"))); }

nothing_waits() {
	[ "$(waiting $top packets)" = 0 ] &&
		! tc -s qdisc show dev eth0 | grep -q 'backlog .* [1-9][0-9]*p'
}

# of netnice as a qdisc: bytes, packets, drops, qlen, backlog, ...
sch() { tc -j -s qdisc show dev eth0 | jq ".[] | select(.kind == \"netnice\").$1"; }

# --- shares -------------------------------------------------------------------------

# shares NAME PROTOCOL SIZE...: weights 1:2:4 hold, and the link is used
shares() {
	local what=$1 protocol=$2 i n total paced ports=()
	shift 2
	for i in 1 2 3; do
		vif w$i weight=$((1 << (i - 1)))
		ports+=(--port $((9000 + i)))
	done
	meter_start shares eth0 --in --rate $link_rate --span 7 "${ports[@]}"
	for i in 1 2 3; do
		paced=()
		[ "$protocol" = tcp ] || paced=(--rate 20m --size "${!i}")
		send w$i "$protocol" $((9000 + i)) --seconds 8 "${paced[@]}"
	done
	pause 8
	quiet
	meter_stop shares
	total=$(meter shares window_bytes)
	for i in 1 2 3; do
		n=$(meter shares port_$((9000 + i))_window_bytes)
		note "$what: weight $((1 << (i - 1))): $(awk "BEGIN { printf \"%.3f %%\", 100 * $n / $total }")"
		check_near "$what: the share of weight $((1 << (i - 1)))" "$n" $((total * (1 << (i - 1)) / 7)) 1
	done
	note "$what: utilization $(awk "BEGIN { printf \"%.3f %%\", 100 * $(meter shares rate_bit_per_s) / $link_rate }")"
	check_near "$what: the link is used" "$(meter shares rate_bit_per_s)" $link_rate 1
}

# what is first by priority has what it asks for, the others what is left
priority() {
	vif first priority=0
	vif other priority=1 weight=10000
	meter_start priority eth0 --in --rate $link_rate --span 6 --port 9011 --port 9012
	send other udp 9012 --seconds 8 --rate 20m --size 1472
	send first udp 9011 --seconds 8 --rate 3m --size 972
	pause 8
	quiet
	meter_stop priority
	check_near 'priority: first' "$(meter priority port_9011_window_bytes)" \
		"$(awk "BEGIN { print $(meter priority window_seconds) * 3e6 / 8 * 1014 / 972 }")" 1
	check_near 'priority: the link is used' "$(meter priority rate_bit_per_s)" $link_rate 1
	check_eq 'priority: nothing of the first is dropped' "$(vif_stat $top/first egress_drops)" 0
}

# a VIF with a bandwidth keeps it, on a slower and on a faster link
limited() {
	local what=$1 rate=2000000
	vif nwc bandwidth=$rate
	vif rest
	meter_start limited eth0 --in --rate $rate --span 5 --port 9021
	send nwc udp 9021 --seconds 7 --rate 8m --size 1472
	send rest udp 9022 --seconds 7 --rate 20m --size 1472
	pause 7
	quiet
	meter_stop limited
	note "$what: limited: $(meter limited rate_bit_per_s) bit/s, most ever $(meter limited burst_bytes)"
	check "$what: a bandwidth is kept" "$(meter limited rate_bit_per_s) <= 1.005 * $rate"
	check "$what: a bandwidth is used" "$(meter limited rate_bit_per_s) >= 0.97 * $rate"
	check "$what: a burst is kept" "$(meter limited burst_bytes) <= $least_burst + 1514"
}

# --- the truth of counters ------------------------------------------------------------

counters() {
	local what=$1 packets bytes sch_packets sch_bytes rx_packets rx_bytes
	vif c1 bandwidth=1m
	vif c2
	packets=$(vif_stat $top egress_packets) bytes=$(vif_stat $top egress_bytes)
	sch_packets=$(sch packets) sch_bytes=$(sch bytes)
	rx_packets=$(peer_counter rx_packets) rx_bytes=$(peer_counter rx_bytes)
	send c1 udp 9031 --seconds 3 --rate 3m --size 1472
	send c2 udp 9032 --seconds 3 --rate 60m --size 29440 --segment 1472
	send c1 tcp 9033 --seconds 3
	send c2 tcp 9034 --seconds 3 --rate 20m
	pause 1
	check "$what: packets wait" "$(sch qlen) > 0 && $(sch backlog) > 1500"
	pause 2
	quiet
	packets=$(($(vif_stat $top egress_packets) - packets))
	bytes=$(($(vif_stat $top egress_bytes) - bytes))
	check_eq "$what: tc counts what the root VIF counts" \
		"$(($(sch packets) - sch_packets)) $(($(sch bytes) - sch_bytes))" "$packets $bytes"
	check_eq "$what: the peer counts what the root VIF counts" \
		"$(($(peer_counter rx_packets) - rx_packets)) $(($(peer_counter rx_bytes) - rx_bytes))" \
		"$packets $bytes"
	check_eq "$what: nothing waits" "$(sch qlen) $(sch backlog)" '0 0'
	check "$what: it was something" "$packets > 1000"
}

# --- whose packet ---------------------------------------------------------------------

# attribution NAME: what the peer gets from a port is what its process's VIF counts
attribution() {
	local what=$1 protocol n=0 name port
	for protocol in udp tcp; do
		n=$((n + 1)) name=a$n port=$((9040 + n))
		vif $name
		meter_start who eth0 --in --port $port
		send $name $protocol $port --seconds 2 --rate 1m --size 1000
		pause 2.5
		quiet
		meter_stop who
		check_eq "$what: $protocol sent" "$(vif_stat $top/$name egress_bytes)" "$(meter who bytes)"
		rmdir $top/$name
	done
	vif a3
	meter_start who eth0 --in --port 9043
	background "${in_vif_prefix[@]}" $top/a3 traffic serve tcp 9043 --bytes 300k >"$tmp/serve"
	busywait 5 file_says "$tmp/serve" ready
	peer traffic fetch tcp 10.0.0.1 9043 --bytes 300k >/dev/null
	pause 1
	meter_stop who
	# the last acknowledgement may be that of a socket in TIME_WAIT, the root's
	check "$what: tcp served" "$(meter who bytes) - $(vif_stat $top/a3 egress_bytes) == 0 ||
		$(meter who bytes) - $(vif_stat $top/a3 egress_bytes) == 66"
	check "$what: all of it" "$(meter who bytes) > 300000"
}

# tc programs see the packets before they are enqueued; the last one writes all of
# the control block that the kernel leaves to it
attributions() {
	attribution 'no filter'
	tc qdisc add dev eth0 clsact
	tc filter add dev eth0 egress matchall action pass
	attribution 'matchall'
	tc filter del dev eth0 egress
	tc filter add dev eth0 egress bpf da bytecode '1,6 0 0 0,'
	attribution 'a BPF program'
	tc qdisc del dev eth0 clsact
}

# --- installing -------------------------------------------------------------------------

# tcp_troubles: what the peer's TCP has seen out of order, and ours has sent again
tcp_troubles() {
	peer nstat -asz TcpExtTCPOFOQueue | awk '/OFO/ { print $2 }'
	nstat -asz TcpRetransSegs | awk '/Retrans/ { print $2 }'
}

# device_gets PACKETS: from the qdisc, more than that
device_gets() { [ "$(sch packets)" -gt "$1" ]; }

waits_for_device() { [ "$(sch qlen)" -gt 0 ]; }

# with a limit below, packets wait at the hook; then the device takes over, while
# they go on
switching_on() {
	local troubles
	tc qdisc del dev eth0 root
	vif on bandwidth=4m aqm=none
	troubles=$(tcp_troubles)
	send on udp 9051 --bytes 1177600 --rate 1500k --size 29440 --segment 1472
	send on tcp 9052 --bytes 1m
	pause 1
	check 'on: packets wait at the hook' "$(waiting $top/on packets) > 0"
	ok 'on' tc qdisc replace dev eth0 root netnice
	ok 'on: packets wait for the device' busywait 5 waits_for_device
	wait "${senders[@]}"
	quiet
	check_eq 'on: no datagram is lost' "$(sed -n 's/.*messages=\([0-9]*\).*/\1/p' "$tmp/sink.9051")" 800
	check_eq 'on: TCP has lost nothing, and sees no other order' "$(tcp_troubles)" "$troubles"
	check_eq 'on: no drops' "$(vif_stat $top/on egress_drops)" 0
}

# while what waits goes to the device, each of these packets brings one more to the hook: tc
# has a copy of it sent by another device above this one
switching_on_in_flood() {
	tc qdisc del dev eth0 root
	vif on bandwidth=8k
	background "${in_vif_prefix[@]}" $top/on kinds socket udp4 times 80 '{' sendto 10.0.0.2 9053 1000 '}' pause 50000
	senders+=($!)
	pause 0.5
	check 'on, in a flood: packets wait at the hook' "$(waiting $top/on packets) > 50"
	ip link add link eth0 again up type macvlan mode private
	tc qdisc add dev eth0 clsact
	tc filter add dev eth0 egress protocol ip matchall action mirred egress mirror dev again
	ok 'on, in a flood' tc qdisc replace dev eth0 root netnice
	ok 'on, in a flood: it ends, when more than there was has come' busywait 20 device_gets 1000
	check 'on, in a flood: what waited still does' \
		"$(waiting $top/on packets) > 50 && $(vif_stat $top/on egress_drops) == 0"
	tc qdisc del dev eth0 clsact
	ip link del again
	stop "${senders[@]}"
	senders=()
	echo egress max >$top/on/bandwidth
	ok 'on, in a flood: all leave' busywait 20 nothing_waits
	check_eq 'on, in a flood: each is somewhere' "$(sch qlen) $(sch backlog)" '0 0'
}

# what waits when the qdisc goes is dropped and counted; the hook takes over
switching_off() {
	local drops waits
	vif off bandwidth=1m
	send off udp 9061 --rate 3m --size 1472
	pause 1
	stop "${senders[@]}"
	echo egress 8k >$top/off/bandwidth
	drops=$(vif_stat $top/off egress_drops) waits=$(sch qlen)
	check 'off: packets wait' "$waits > 10"
	check_eq 'off: as many in the VIF as in the qdisc' "$(waiting $top/off packets) $(waiting $top/off bytes)" \
		"$waits $(sch backlog)"
	ok 'off' tc qdisc del dev eth0 root
	check_eq 'off: they are dropped and counted' "$(vif_stat $top/off egress_drops)" $((drops + waits))
	echo egress 1m >$top/off/bandwidth
	send off udp 9062 --rate 3m --size 1472
	pause 1
	check 'off: packets wait at the hook' "$(waiting $top/off packets) > 0"
	meter_start off eth0 --in --port 9062 --rate 1m
	pause 3
	meter_stop off
	check_near 'off: the limit holds on' "$(meter off rate_bit_per_s)" 1000000 0.5
	quiet
}

# --- what is refused ----------------------------------------------------------------------

# says SENTENCE COMMAND...: it fails and says so
says() {
	local sentence=$1 out
	shift
	if out=$("$@" 2>&1); then
		fail "refused: $*" "did not fail"
	else
		case $out in
		*"$sentence"*) pass "refused: $*" ;;
		*) fail "refused: $*" "$out" ;;
		esac
	fi
}

refusals() {
	tc qdisc del dev eth0 root 2>/dev/null
	tc qdisc add dev eth0 root handle 1: htb default 1
	tc class add dev eth0 parent 1: classid 1:1 htb rate 1mbit
	says 'only as the root qdisc' tc qdisc add dev eth0 parent 1:1 netnice
	link tbf
	says 'has this qdisc already' tc qdisc replace dev eth0 parent 1:1 handle 7: netnice
	ok 'the same again changes nothing' tc qdisc replace dev eth0 parent 1:1 netnice
	link veth
	says 'has this qdisc already' tc qdisc replace dev eth0 root handle 7: netnice
	ok 'the same again, as the root' tc qdisc replace dev eth0 root netnice
	check_eq 'it is one' "$(tc qdisc show dev eth0 | grep -c netnice)" 1
	fails 'the module stays' rmmod netnice
	ok 'with clsact' tc qdisc add dev eth0 clsact
	check_eq 'both' "$(tc qdisc show dev eth0 | awk '{ print $2 }' | paste -s -d ' ')" 'netnice clsact'
	tc qdisc del dev eth0 clsact
	tc qdisc del dev eth0 root
}

commands() {
	ok 'vifctl enable' vifctl enable --link eth0
	check_eq 'it is there' "$(tc qdisc show dev eth0 root | awk '{ print $2 }')" netnice
	ok 'vifctl enable, again' vifctl enable --link eth0
	says 'enable: eth0: Operation not permitted: only root may replace a qdisc' as_user vifctl enable --link eth0
	ok 'vifctl disable' vifctl disable eth0
	check_eq 'it has gone' "$(tc qdisc show dev eth0 root | awk '{ print $2 }')" noqueue
	says "vifctl: disable: eth0: nothing to disable: its root qdisc is noqueue" vifctl disable eth0
	tc qdisc add dev eth0 root pfifo
	says 'vifctl: disable: eth0: nothing to disable: its root qdisc is pfifo, not netnice' vifctl disable eth0
	tc qdisc del dev eth0 root
	says "no device 'nope'" vifctl enable --link nope
	says '"--link DEV" is missing' vifctl enable eth0
	says 'name one device' vifctl disable eth0 eth0
}

# --- everything at any time ----------------------------------------------------------------

# changes: what an administrator may do, each while packets wait and come
changes() {
	local i
	for i in 1 2; do
		tc qdisc replace dev eth0 root netnice
		pause 0.2
		tc qdisc replace dev eth0 root netnice
		echo "egress $((i + 1))m" >$top/f1/bandwidth
		ip link set eth0 mtu $((1600 - 100 * i))
		pause 0.1
		tc qdisc replace dev eth0 root handle 1: tbf rate 5mbit burst 4k limit 1m
		tc qdisc add dev eth0 parent 1:1 netnice
		pause 0.2
		tc qdisc change dev eth0 root handle 1: tbf rate 8mbit burst 4k limit 1m
		pause 0.1
		tc qdisc del dev eth0 parent 1:1
		pause 0.1
		tc qdisc add dev eth0 parent 1:1 netnice
		tc qdisc replace dev eth0 root pfifo
		pause 0.1
		tc qdisc replace dev eth0 root netnice
		ip link set eth0 down
		ip link set eth0 up
		pause 0.2
		peer ip link set eth0 down
		pause 0.1
		peer ip link set eth0 up
		mkdir $top/f2/x && echo 1 >$top/f2/x/weight
		rmdir $top/f2/x
		pause 0.2
		tc qdisc del dev eth0 root
		pause 0.1
	done
	ip link set eth0 mtu 1500
}

flood() {
	local i
	vif f1 bandwidth=2m
	vif f2
	for i in 1 2 3 4; do
		background "${in_vif_prefix[@]}" $top/f$((i % 2 + 1)) bash -c "while :; do
			traffic send udp 10.0.0.2 907$i --seconds 1 --rate 20m --size 29440 --segment 1472
			traffic send tcp 10.0.0.2 908$i --seconds 1 --rate 20m; done" >/dev/null 2>&1
		senders+=($!)
		background peer traffic sink udp 907$i >/dev/null
		background peer traffic sink tcp 908$i >/dev/null
	done
	pause 0.5
}

end_flood() {
	stop "${senders[@]}"
	senders=()
	pkill -x traffic
}

any_time() {
	flood
	changes
	link veth
	pause 1
	end_flood
	busywait 60 nothing_waits
	check_eq 'changes under traffic: nothing waits in the end' "$(sch qlen) $(sch backlog)" '0 0'
	check_eq 'changes under traffic: nor in a VIF' \
		"$(waiting $top packets) $(waiting $top/f1 packets) $(waiting $top/f2 packets)" '0 0 0'
	log_clean
}

# the device goes while packets wait
removed() {
	link tbf
	flood
	check 'removed: packets wait' "$(sch qlen) > 0"
	ok 'removed' ip link del eth0
	end_flood
	fails 'removed: its VIFs go with it' test -d $top
	log_clean
}

# to another namespace
moved() {
	link veth
	flood
	check 'moved: packets wait' "$(sch qlen) > 0"
	ip netns add elsewhere
	defer ip netns del elsewhere
	ok 'moved' ip link set eth0 netns elsewhere
	end_flood
	fails 'moved: its VIFs stay behind' test -d $top
	ip -n elsewhere link set eth0 up
	check_eq 'moved: the default qdisc there' \
		"$(tc -n elsewhere qdisc show dev eth0 | awk '{ print $2 }')" noqueue
	log_clean
}

setup() {
	local there
	setup_veth
	wire_exact on
	# what IPv6 sends by itself comes between readings of counters
	echo 1 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6
	peer sh -c 'echo 1 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6'
	# and so does who asks whether a neighbour is still there
	there=$(peer_mac)
	ip neigh replace 10.0.0.2 dev eth0 nud permanent lladdr "$there"
	peer ip neigh replace 10.0.0.1 dev eth0 nud permanent lladdr "$(</sys/class/net/eth0/address)"
}

senders=()
declare -A sinks
begin
need netnice ethtool tc
setup

for kind in tbf veth; do
	link $kind || skip_all 'the qdisc cannot be installed'
	counters $kind
	short_on_stock || limited $kind
done
link tbf
shares tcp tcp
if ! short_on_stock; then
	shares 'udp, equal sizes' udp 1472 1472 1472
	shares 'udp, other sizes' udp 1472 300 972
	priority
fi
log_clean
link veth
attributions
switching_on
switching_on_in_flood
switching_off
refusals
commands
any_time
moved
ip netns del peer
setup
removed
! own_machine || ok 'the module unloads' unload_netnice
