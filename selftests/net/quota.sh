#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, budget=11
#
# Quotas: exact to a packet. A datagram is a packet of 1000 bytes on the wire; the peer counts
# those that arrive, the VIF those that have left.
#
# values	what is refused, and how a quota is shown, in files, by vifctl and in JSON
# up		sent: one, large ones (GSO), TCP, from several VIFs below at once
# down		the same of what is received
# then		another bandwidth, never more than the VIF's own
# stop		nothing passes, what waits stays, and goes on when the quota is filled again
# change	while there is traffic; another name, another place
# end		the VIF is removed, its device goes down, the module is unloaded, with packets that wait
# user		permissions
# kept		what is left survives save and restore
# link		the same in qdisc mode
# namespace	ends while packets wait in it
# shellcheck disable=SC1010,SC2094,SC2119,SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/refusals.sh"

# left VIF [DIRECTION]; used VIF [DIRECTION]: of its quota, in bytes
left() { vif_stat "$1" "${2-egress}_quota_left"; }
used() { vif_stat "$1" "${2-egress}_quota_used"; }
bytes() { vif_stat "$1" "${2-egress}_bytes"; }

# udp PACKETS [WORD...]: as many datagrams, at once
udp() { traffic send udp 10.0.0.2 9 --size 958 --bytes $((958 * $1)) "${@:2}" >/dev/null; }
large() { traffic send udp 10.0.0.2 9 --size 9580 --segment 958 --bytes 95800 >/dev/null; }
export -f udp large
from() { in_vif "$1" bash -c '"$@"' - "${@:2}"; }

# quota VIF TEXT: a new one, and bytes from now on
quota() {
	began=$(bytes "$1" "${3-egress}")
	echo "$2" >"$1/quota"
}

# passed VIF [DIRECTION]: bytes since then
passed() { echo $(($(bytes "$1" "${2-egress}") - began)); }

# exactly NAME VIF QUOTA SIZE [DIRECTION]: it has let pass the quota, and less than a packet more
exactly() {
	local passed
	passed=$(passed "$2" "${5-egress}")
	check "$1: $passed of $3 bytes" "$passed >= $3 && $passed < $3 + $4"
	check_eq "$1: nothing is left" "$(left "$2" "${5-egress}"),$(used "$2" "${5-egress}")" "0,$3"
}

values() {
	remember
	bad quota "^quota: '.+' is not a quota: use BYTES then RATE" x 10g '10g then' 'then stop' '10g then 256k left' '10g than stop' \
		'10g then stop right 1g' '10g then stop left' -1 '10x then stop' 'none none' '10g then max' '10g stop' 'stop' '10g then stop stop'
	bad quota "^quota: '.+' is out of range for a quota" '1025TiB then stop' '1g then 1bit' '1g then 401gbit' '1g then stop left 1001m'
	bad quota "^quota: a value is missing" '\n' egress
	bad quota "^quota: '.+' is unexpected" '1g then stop left 1m 5' 'egress none egress none'
	still values
	check_eq 'the default' "$(<$a/quota)" $'egress none\ningress none'
	check_eq 'none in stat' "$(grep -c quota $a/stat)" 0
	echo '10G THEN 256k' >$a/quota
	check_eq 'both' "$(<$a/quota)" $'egress 10GB then 256kbit left 10GB\ningress 10GB then 256kbit left 10GB'
	echo 'ingress 0 then stop' >$a/quota
	check_eq 'one' "$(<$a/quota)" $'egress 10GB then 256kbit left 10GB\ningress 0b then stop left 0b'
	cat $a/quota >$a/quota
	echo 'egress 1125899906842623 then 99999999992bit left 1125899906842621 ingress none' >$a/quota
	check_eq 'the longest text' "$(<$a/quota)" $'egress 1125899906842623b then 99999999992bit left 1125899906842621b\ningress none'
	ok 'what is shown may be written' eval "cat $a/quota >$tmp/quota && cat $tmp/quota >$a/quota && cmp $tmp/quota $a/quota"
	check_eq 'stat' "$(grep quota $a/stat)" $'egress_quota_used 2\negress_quota_left 1125899906842621'
	check_eq 'vifctl show' "$(vifctl show eth0/a | grep -o 'quota.*')" 'quota egress 1125899906842623b then 99999999992bit left 1125899906842621b ingress none'
	vifctl set eth0/a quota ingress 3m then 1mbit
	check_eq 'vifctl -j -d show' "$(vifctl -j -d show eth0/a | jq -c '.[0].quota')" \
		'{"egress":"1125899906842623b then 99999999992bit left 1125899906842621b","ingress":"3MB then 1mbit left 3MB"}'
	vifctl set eth0/a quota none
	check_eq 'none any more' "$(<$a/quota)" $'egress none\ningress none'
	check_eq 'nor in stat' "$(grep -c quota $a/stat)" 0
	check_eq 'nor in vifctl stat' "$(vifctl stat eth0 | awk 'NR == 1 { print $NF }') $(vifctl -j stat eth0 | grep -c quota)" 'P99 0'
	echo '1m then stop' >$eth0/quota
	check_eq 'a root VIF' "$(<$eth0/quota)" $'egress 1MB then stop left 1MB\ningress 1MB then stop left 1MB'
	echo none >$eth0/quota
}

# arrived: UDP packets at the peer since it was asked the last time
arrived() {
	local now
	now=$(peer nft list chain inet seen c | sed -n 's/.*counter packets \([0-9]*\).*/\1/p')
	REPLY=$((now - arrived_before))
	arrived_before=$now
}

# no_tcp: what it had to send has gone
no_tcp() { ! ss -Htn | grep -q .; }

sends_exactly() { # NAME QUOTA PACKETS COMMAND...
	local name=$1 bytes=$2 packets=$3
	shift 3
	arrived
	quota $a "egress $bytes then stop"
	"$@"
	pause 5
	exactly "$name" $a "$bytes" 1000
	arrived
	check_eq "$name: packets that arrive" "$REPLY" "$packets"
	quota $a none
	busywait 20 vif_empty $a
}

up() {
	sends_exactly 'a whole number of packets' 10000 10 from $a udp 20
	sends_exactly 'a part of a packet' 10001 11 from $a udp 20
	sends_exactly 'a part of the first packet' 1 1 from $a udp 20
	sends_exactly 'none' 0 0 from $a udp 20
	sends_exactly 'UDP in large packets' 25500 26 from $a large
	echo 1mbit >$a/bandwidth
	sends_exactly 'with a bandwidth' 25500 26 from $a udp 50
	sends_exactly 'with a bandwidth, large packets' 25500 26 from $a large
	echo 1gbit >$a/bandwidth
	sends_exactly 'with a large bandwidth, large packets' 25500 26 from $a large
	echo max >$a/bandwidth
	quota $a 'egress 2m then stop'
	background peer traffic sink tcp 9001 >"$tmp/sink"
	busywait 5 file_says "$tmp/sink" ready
	background "${in_vif_prefix[@]}" $a traffic send tcp 10.0.0.2 9001 --bytes 20m >"$tmp/send"
	pause 5
	exactly TCP $a 2000000 1514
	quota $a none
	stop $!
	busywait 60 no_tcp
	below
}

below() {
	local i
	mkdir $a/x $a/x/z $a/y
	echo 'egress 50 ingress 50' >$a/y/weight
	quota $a 'egress 100000 then stop'
	echo 'egress 40500 then stop' >$a/y/quota
	arrived
	for i in x x/z y; do
		background "${in_vif_prefix[@]}" $a/$i traffic send udp 10.0.0.2 9 --size 958 --bytes 191600 --rate 1m >"$tmp/below.${i/\//.}"
	done
	pause 10
	exactly 'three VIFs below' $a 100000 1000
	check_eq 'three VIFs below: their sum' "$(($(bytes $a/x) + $(bytes $a/y)))" "$(passed $a)"
	check "one of them has a quota, too: $(bytes $a/y)" "$(bytes $a/y) <= 41000"
	check_eq 'of which it has used' "$((40500 - $(left $a/y)))" "$(bytes $a/y | awk '{ print ($1 > 40500 ? 40500 : $1) }')"
	check_eq 'others of the device are not concerned' "$(from $eth0/other udp 20; pause 1; bytes $eth0/other)" 20000
	quota $a none
	echo none >$a/y/quota
	busywait 20 vif_empty $a
	vifs_end $a/x/z $a/x $a/y
}

down() {
	background "${in_vif_prefix[@]}" $a traffic sink udp 9 >"$tmp/sink"
	busywait 5 file_says "$tmp/sink" ready
	quota $a 'ingress 30500 then stop' ingress
	peer traffic send udp 10.0.0.1 9 --size 958 --bytes 95800 --rate 10m >/dev/null
	pause 2
	exactly 'received' $a 30500 1000 ingress
	check_eq 'received: sent is not counted' "$(from $a udp 20; pause 1; grep -c egress_quota $a/stat)" 0
	quota $a 'ingress 30500 then stop' ingress
	pause 2
	exactly 'filled again' $a 30500 1000 ingress
	quota $a none
	pause 2
	stop $!
	quota $a 'ingress 2m then stop' ingress
	background peer traffic serve tcp 9002 >"$tmp/serve"
	busywait 5 file_says "$tmp/serve" ready
	background "${in_vif_prefix[@]}" $a traffic fetch tcp 10.0.0.2 9002 --bytes 20m >"$tmp/fetch"
	pause 10
	exactly 'received by TCP' $a 2000000 1514 ingress
	quota $a none
	stop $!
	busywait 60 no_tcp
}

then_rate() {
	local start
	echo none >$a/aqm
	quota $a 'egress 20000 then 80kbit'
	start=${EPOCHREALTIME/./}
	from $a udp 100
	busywait 60 vif_empty $a
	check_near "then: seconds for 80 packets at 10 a second" "$(((${EPOCHREALTIME/./} - start) / 1000))" $((8000 - 100 * slow_burst / 1000)) 3
	check_eq 'then: all have left' "$(passed $a)" 100000
	check_eq 'then: the bandwidth is as it was' "$(<$a/bandwidth)" $'egress max\ningress max'
	quota $a none
	echo 80kbit >$a/bandwidth
	quota $a 'egress 5000 then 10gbit'
	start=${EPOCHREALTIME/./}
	from $a udp 50
	busywait 60 vif_empty $a
	check_near 'then: never more than the bandwidth' "$(((${EPOCHREALTIME/./} - start) / 1000))" $((5000 - 100 * slow_burst / 1000)) 3
	echo max >$a/bandwidth
	quota $a 'egress 1000 then 8kbit'
	from $a udp 31
	pause 1
	echo 16kbit >$a/bandwidth
	start=$(passed $a)
	pause 5
	check_near 'then: a bandwidth that is set does not lift it' $(($(passed $a) - start)) 5000 21
	start=${EPOCHREALTIME/./}
	quota $a 'egress 100000 then 8kbit'
	echo max >$a/bandwidth
	busywait 60 vif_empty $a
	check 'filled again: at once' "${EPOCHREALTIME/./} - $start < 500000"
	quota $a none
}

# a quota of 4000 bytes, which is used up
tells() {
	local top='.vifs[0] | [.egress.limit_bytes_per_s, .egress.quota_bytes, .egress.quota_left_bytes,
		.ingress.limit_bytes_per_s, .ingress.quota_bytes]'
	check_eq 'vifctl stat' "$(vifctl stat eth0/a | awk '{ print $NF }' | xargs)" 'LEFT 0 -'
	check_eq 'vifctl -j stat' "$(vifctl -j stat eth0/a | jq -c '.[0] | [.egress.quota_used, .egress.quota_left, .ingress.quota_left]')" \
		'[4000,0,null]'
	check_eq 'vifctl -j top' "$(vifctl -j top -n 1 -d 0.1 eth0/a | jq -c "$top")" '[0,4000,0,null,null]'
	echo '1m' >$a/bandwidth
	quota $a 'egress 4000 then 256k left 0'
	check_eq 'vifctl -j top, a rate that is less' "$(vifctl -j top -n 1 -d 0.1 eth0/a | jq -c "$top")" '[32000,4000,0,125000,null]'
	quota $a 'egress 4000 then 2m left 0'
	check_eq 'vifctl -j top, and one that is not' "$(vifctl -j top -n 1 -d 0.1 eth0/a | jq -c "$top")" '[125000,4000,0,125000,null]'
	echo max >$a/bandwidth
}

stops() {
	local i
	quota $a 'egress 10500 then stop'
	from $a udp 30
	pause 3600
	exactly 'an hour later' $a 10500 1000
	check_eq 'what waits stays' "$(vif_stat $a egress_p_queue_packets)" 19
	fails 'it is not empty' vif_empty $a
	quota $a 'egress 4000 then stop'
	pause 1
	exactly 'filled with less' $a 4000 1000
	check_eq 'the rest stays' "$(vif_stat $a egress_p_queue_packets)" 15
	# who sends more than its buffer takes would wait, too
	for i in {1..10}; do from $a udp 60; done
	pause 1
	check 'the limit holds' "$(vif_stat $a egress_drops) > 200 && $(vif_stat $a egress_p_queue_packets) < 400"
	quota $a 'egress 4000 then stop left 1000'
	pause 1
	check_eq 'filled in part' "$(passed $a),$(left $a),$(used $a)" 1000,0,4000
	tells
	quota $a none
	busywait 20 vif_empty $a
	check "without a quota all of it goes: $(passed $a)" "$(passed $a) > 100000"
}

change() {
	mkdir $eth0/b
	background "${in_vif_prefix[@]}" $a traffic send udp 10.0.0.2 9 --size 958 --rate 766400 >"$tmp/background"
	pause 1
	quota $a 'egress 50500 then stop'
	pause 3
	# two may pass between a look at the counter and the quota
	exactly 'set while packets pass' $a 50500 3000
	quota $a 'egress 20000 then 80kbit'
	pause 0.1
	mv $a $eth0/b/c
	a=$eth0/b/c
	pause 0.1
	echo 'egress 1 then stop' >$eth0/b/quota
	pause 1
	check_eq 'below another one, which stops' "$(vif_stat $eth0/b egress_quota_left),$(bytes $eth0/b)" 0,2000
	check "what it has used meanwhile: $(used $a)" "$(used $a) >= 19000"
	mv $a $eth0/a
	a=$eth0/a
	began=$(bytes $a)
	pause 4
	check_near 'back: at the rate that follows' "$(passed $a)" 40000 20
	quota $a 'egress 1 then stop'
	pause 1
	check_eq 'stopped' "$(passed $a)" 1000
	quota $a none
	stop $!
	busywait 20 vif_empty $a
	vifs_end $eth0/b
}

ends() {
	local before
	mkdir $eth0/gone $eth0/gone/below
	echo '1 then stop' >$eth0/gone/quota
	from $eth0/gone udp 20
	from $eth0/gone/below udp 20
	pause 1
	before=$(bytes $eth0)
	ok 'a VIF below is removed while it waits' busywait 5 rmdir $eth0/gone/below
	ok 'so is the one that has stopped' busywait 5 rmdir $eth0/gone
	pause 1
	# the first one's have waited for the quota, and are dropped; what is left of the other's goes
	check "what waited there itself is dropped: $(($(bytes $eth0) - before))" "$(bytes $eth0) - $before <= 20000"
	mkdir $eth0/gone
	check_eq 'one of the same name has none' "$(<$eth0/gone/quota)" $'egress none\ningress none'
	echo '1 then stop' >$eth0/gone/quota
	from $eth0/gone udp 20
	ok 'a device that goes down' ip link set eth0 down
	ip link set eth0 up
	busywait 60 grep -q up /sys/class/net/eth0/operstate
	ping -q -c 1 10.0.0.2 >/dev/null
	check_eq 'does not keep what waits' "$(vif_stat $eth0/gone egress_p_queue_packets)" 0
	check_eq 'but what is left' "$(<$eth0/gone/quota)" $'egress 1b then stop left 0b\ningress 1b then stop left 1b'
	from $eth0/gone udp 20
	pause 1
	check_eq 'and stops again' "$(vif_stat $eth0/gone egress_p_queue_packets)" 20
	vifs_end $eth0/gone
}

user() {
	mkdir $eth0/u
	chown 1000 $eth0/u
	echo 'egress 10000 then stop' >$eth0/u/quota
	fails "a user does not lift an administrator's" as_user bash -c "echo none >$eth0/u/quota"
	ok 'a user has VIFs below' as_user mkdir $eth0/u/below
	ok 'and their quotas' as_user bash -c "echo '5000 then stop' >$eth0/u/below/quota"
	from $eth0/u/below udp 20
	pause 1
	check_eq 'which hold' "$(bytes $eth0/u/below)" 5000
	ok 'the user lifts the own quota' as_user bash -c "echo none >$eth0/u/below/quota"
	from $eth0/u/below udp 20
	pause 1
	check_eq "and does not escape the administrator's" "$(bytes $eth0/u/below),$(left $eth0/u)" 10000,0
	fails 'nor by moving' as_user mv $eth0/u/below $eth0/below
	as_user mkdir $eth0/u/new
	from $eth0/u/new udp 20
	pause 1
	check_eq 'nor by a new one' "$(bytes $eth0/u/new)" 0
	echo none >$eth0/u/quota
	vifs_end $eth0/u/new $eth0/u/below $eth0/u
}

kept() {
	quota $a 'egress 20000 then 8kbit ingress 1g then stop'
	from $a udp 5
	check_eq 'used' "$(<$a/quota)" $'egress 20000b then 8kbit left 15000b\ningress 1GB then stop left 1GB'
	vifctl save >"$tmp/saved"
	echo none >$a/quota
	ok 'removed' busywait 5 rmdir $a
	ok 'restored' vifctl restore "$tmp/saved"
	check_eq 'what is left is kept' "$(<$a/quota)" $'egress 20000b then 8kbit left 15000b\ningress 1GB then stop left 1GB'
	echo none >$a/quota
}

link_mode() {
	tc qdisc replace dev eth0 root netnice
	busywait 10 eval 'tc qdisc show dev eth0 | grep -q netnice'
	sends_exactly 'qdisc mode' 10001 11 from $a udp 20
	sends_exactly 'qdisc mode, large packets' 25500 26 from $a large
	mkdir $a/x
	quota $a 'egress 10500 then stop'
	from $a/x udp 30
	pause 60
	exactly 'qdisc mode, below' $a 10500 1000
	ok 'removed, below' rmdir $a/x
	quota $a 'egress 5000 then stop'
	pause 1
	exactly 'qdisc mode, filled again' $a 5000 1000
	from $a udp 5
	mkdir $eth0/gone
	echo '1 then stop' >$eth0/gone/quota
	from $eth0/gone udp 20
	ok 'removed, with what waits' busywait 5 rmdir $eth0/gone
	pause 1
	check_eq 'the qdisc has let go of it' "$(tc -j -s qdisc show dev eth0 | jq '.[0].qlen')" "$(vif_stat $a egress_p_queue_packets | awk '{ print $1 + 14 }')"
	ok 'the qdisc goes with what waits' tc qdisc del dev eth0 root
	quota $a none
	busywait 20 vif_empty $a
}

# within_ends WHAT COMMANDS: a namespace in which COMMANDS leave packets in the queue of q1/x, whose quota has
# stopped. They keep their socket, that its namespace, that the device: not for ever.
within_ends() {
	ip -b - <<-END
		netns add quota
		link add q0 type veth peer name q1 netns quota
		addr add 10.7.0.1/24 dev q0
		link set q0 up
	END
	ip -n quota addr add 10.7.0.2/24 dev q1
	ip -n quota link set q1 up
	waiting=$(nsenter --net=/run/netns/quota -- unshare --mount bash -c "
		mount -t netnice netnice /proc/network
		mkdir /proc/network/q1/x /proc/network/q1/y
		ping -q -c 1 10.7.0.1 >/dev/null
		echo egress 1 then stop >/proc/network/q1/x/quota
		ln -s /proc/network/q1/x /proc/network/tasks/\$\$/
		$2
		traffic send udp 10.7.0.1 9 --size 958 --bytes 9580 >/dev/null
		sed -n 's/^egress_p_queue_packets //p' /proc/network/q1/x/stat")
	check "$1: packets in the queue: $waiting" "$waiting > 0"
	ip netns del quota
	ok "$1: the namespace ends" busywait 20 test ! -e /sys/class/net/q0
}

namespace() {
	within_ends 'a stopped quota' ''
	# the work that looks for such packets has ended when the last one comes, and the VIF is still scheduled
	within_ends 'after packets were pulled out' '
		exec 5<>/dev/udp/10.7.0.1/9
		for i in 1 2 3; do echo $i >&5; done
		ln -s /proc/network/q1/y /proc/network/tasks/$$/sockets/5
		echo 4 >&5
		sleep 6'
}

# --- the tests --------------------------------------------------------------------------

begin
need netnice nft
setup_veth
wire_exact
peer nft 'add table inet seen; add chain inet seen c { type filter hook input priority 0; }
	add rule inet seen c udp dport 9 counter drop'
arrived_before=0
eth0=/proc/network/eth0 a=$eth0/a
mkdir $a $eth0/other
# the first datagram to a neighbour on the same host is the root's: see limits.rst
ping -q -c 1 10.0.0.2 >/dev/null

values
up
down
then_rate
stops
change
ends
user
kept
link_mode
namespace

quota $a '1 then stop'
from $a udp 20
pause 1
check_eq 'packets wait when the module is unloaded' "$(vif_stat $a egress_p_queue_packets)" 19
arrived
ok 'unloaded' unload_netnice
pause 1
arrived
check_eq 'what waited is sent then' "$REPLY" 19
ok 'loaded again' load_netnice
log_clean
