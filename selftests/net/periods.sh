#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, check=uml, budget=6
#
# netniced(8): quotas with periods, and accounts by days. A datagram is a packet of 1000 bytes on
# the wire; the peer counts those that arrive. Time is virtual.
#
# errors	what rules may say
# three		three periods, exact to a packet, with a restart of the daemon in one, and of the module
# down		periods that end while the daemon does not run, or has been killed
# both		a quota of both directions together
# changed	another quota, another period, another clock
# account	by days, of VIFs that are there no more, as text and JSON
# shellcheck disable=SC2016,SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemon.sh"

eth0=/proc/network/eth0 a=$eth0/a
schema=$net_dir/vifctl.schema.json
[ -e "$schema" ] || schema=$net_dir/../../Documentation/vifctl.schema.json

udp() { traffic send udp 10.0.0.2 9 --size 958 --bytes $((958 * $1)) >/dev/null; }
export -f udp
from() { in_vif "$1" bash -c 'udp "$0"' "$2"; }

# arrived: packets at the peer since it was asked the last time
arrived() {
	local now
	now=$(peer nft list chain inet seen c | sed -n 's/.*counter packets \([0-9]*\).*/\1/p')
	REPLY=$((now - arrived_before))
	arrived_before=$now
}

# arrive NAME PACKETS
arrive() {
	arrived
	check_eq "$1" "$REPLY" "$2"
}

# until_s TIME: a second later than that
until_s() { pause $(($1 + 1 - ${EPOCHREALTIME%.*})); }

quota() { line_of "$a/quota" 'egress '; }
# left NAME BYTES
left() { check_eq "$1" "$(quota)" "20000b then stop left ${2}b"; }
daemon_killed() {
	kill -KILL "$daemon"
	wait "$daemon" 2>/dev/null
	daemon=
}

reload_module() {
	unload_netnice && load_netnice
}

bad() {
	printf '[vif eth0]\n[vif eth0/a]\n%s\n' "$1" >"$tmp/bad.conf"
	fails "an error: $1" netniced --check "$tmp/bad.conf"
	check "and what is wanted: $1" "$(netniced --check "$tmp/bad.conf" 2>&1 | grep -c "$2") == 1"
}

errors() {
	local good
	for good in '10g per 30d then 256k' '10g per 1h then stop' '10g then stop per 2w' '10g per month then 1m' \
		'egress 10g per month from 28 then 1m ingress none' 'none' '10g then stop' '2t then 1m per month both'; do
		printf '[vif eth0]\naccount = no\n[vif eth0/a]\nquota = %s\n' "$good" >"$tmp/good.conf"
		ok "quota = $good" netniced --check "$tmp/good.conf"
	done
	for good in 30 30s 0d d 30dd -1d 10001d 99999999999999999999h '' 'month from' 'month from 29' 'month from 0' \
		'month from x' '1d per 1d' '1d 2d'; do
		bad "quota = 10g then stop per $good" 'quota'
	done
	bad 'quota = 10g per 1d' quota
	bad 'quota = 10g then stop both' 'want both for a quota with per'
	bad 'quota = egress 10g then stop per 1d both' 'want one size and one rate with both'
	bad 'account = perhaps' 'want yes or no'
}

# the period of 3600 s that begins now
new_period() { began=${EPOCHREALTIME%.*}; }

three() {
	rules '[vif eth0/a]
quota = egress 20000 per 1h then stop'
	new_period
	netniced_start
	left 'the first period' 20000
	arrived
	from $a 30
	pause 10
	arrive 'the first period: packets' 20
	left 'the first period: nothing is left' 0
	until_s $((began + 3600))
	arrive 'the second period: what has waited' 10
	from $a 5
	left 'the second period' 5000
	netniced_stop
	from $a 2
	left 'the daemon has gone' 3000
	netniced_start
	left 'the daemon is back' 3000
	from $a 1
	netniced_stop
	ok 'the module is loaded again' reload_module
	fails 'it knows nothing' test -d $a
	netniced_start
	left 'the daemon knows' 2000
	arrive 'the second period: eight more' 8
	from $a 30
	pause 10
	arrive 'the second period: to its end' 2
	left 'the second period: nothing is left' 0
	until_s $((began + 7200))
	arrive 'the third period' 20
	left 'the third period: nothing is left' 0
	until_s $((began + 10800))
	arrive 'the fourth: what was left of all' 8
	left 'the fourth' 12000
}

down() {
	netniced_stop
	until_s $((began + 14400 + 600))
	from $a 30
	pause 1
	arrive 'a period without a daemon: it goes on' 12
	netniced_start
	pause 1
	arrive 'a new one begins when it is back' 18
	left 'and has been used by what has waited' 2000
	until_s $((began + 18000))
	left 'and ends when it would have' 20000
	from $a 3
	daemon_killed
	netniced_start
	left 'killed, with the module loaded: exact' 17000
	pause 61
	from $a 4
	daemon_killed
	ok 'killed, and the module loaded again' reload_module
	netniced_start
	left 'it knows what was a minute ago' 17000
	netniced_stop
	ok 'a file that cannot be written' mkdir "$tmp/no-file"
	state=("${netniced_options[@]}")
	netniced_options=(-v --state "$tmp/no-file")
	netniced_start
	check_eq 'is said, once' "$(grep -c "$tmp/no-file: cannot be opened" "$tmp/log")" 1
	from $a 1
	: >"$tmp/log"
	kill -HUP "$daemon"
	busywait 60 log_has 'reloaded: '
	check "it works without: $(quota)" "$(($(quota | sed 's/.*left \([0-9]*\).*/\1/') % 20000)) == 19000"
	netniced_stop
	netniced_options=("${state[@]}")
}

reload() {
	: >"$tmp/log"
	kill -HUP "$daemon"
	busywait 60 log_has 'reloaded: '
}

# of 400 packets in both directions together
both() {
	rules '[vif eth0/a]
quota = 400000 per 2w then stop both'
	rm -f "$tmp/state"
	netniced_start
	check_eq 'both directions: a half for each' "$(paste -s -d ' ' $a/quota)" \
		'egress 200000b then stop left 200000b ingress 200000b then stop left 200000b'
	arrived
	from $a 240
	pause 5
	arrive 'both directions: its half' 200
	pause 60
	arrive 'both directions: half of the rest' 40
	check_eq 'both directions: what is used is known' "$(paste -s -d ' ' $a/quota)" \
		'egress 300000b then stop left 60000b ingress 100000b then stop left 100000b'
	netniced_stop
	netniced_start
	check_eq 'both directions: a restart' "$(paste -s -d ' ' $a/quota)" \
		'egress 320000b then stop left 80000b ingress 80000b then stop left 80000b'
	from $a 120
	pause 130
	arrive 'both directions: half of the rest, and again' 120
	check_eq 'both directions: it ends when less than 64 KiB is left' "$(sed 's/.*left //' $a/quota | paste -s -d ' ')" '0b 0b'
	from $a 5
	pause 65
	arrive 'both directions: the end' 0
	netniced_stop
	rules '[vif eth0/a]
quota = egress 20000 per 1h then stop'
	echo none >$a/quota
	arrived
}

changed() {
	rm -f "$tmp/state"
	echo none >$a/quota
	netniced_start
	from $a 5
	left 'begun' 15000
	rules '[vif eth0/a]
quota = egress 30000 per 1h then 256k'
	reload
	check_eq 'a larger one: what was used is' "$(quota)" '30000b then 256kbit left 25000b'
	rules '[vif eth0/a]
quota = egress 4000 per 1h then 256k'
	reload
	check_eq 'a smaller one' "$(quota)" '4000b then 256kbit left 0b'
	rules '[vif eth0/a]
quota = egress 20000 per month then stop'
	reload
	left 'another period begins' 20000
	from $a 5
	date -s '2027-01-31 23:59:00' >/dev/null
	pause 5
	left 'another clock: another month' 20000
	from $a 5
	pause 50
	left 'to the end of the month' 15000
	pause 10
	left 'a new month' 20000
	from $a 5
	date -s '2026-12-24 12:00:00' >/dev/null
	pause 61
	left 'a clock that is set back' 15000
	date -s '2027-02-02 12:00:00' >/dev/null
	pause 61
	left 'and right again' 15000
	date -s '2036-02-02 12:00:00' >/dev/null
	pause 61
	date -s '2027-02-02 12:10:00' >/dev/null
	pause 61
	left 'one that was in the future for a while' 15000
	date -s '2027-03-02 12:00:00' >/dev/null
	pause 61
	left 'the next month' 20000
	from $a 5
	rules '[vif eth0/a]
quota = egress 20000 then stop'
	reload
	left 'no period any more: the kernel alone' 15000
	rules '[vif eth0/a]'
	reload
	check_eq 'no quota any more' "$(quota)" none
	netniced_stop
	rules ''
}

# account [WORD...]: VIF, day, what was sent
account() { vifctl account --file "$tmp/state" "$@" | awk 'NR > 1 { print $4, $1, $2 }'; }

accounts() {
	local gone today
	rm -f "$tmp/state"
	from $a 9
	date -s '2027-03-01 23:50:00' >/dev/null
	rules '[vif eth0]
account = yes
[vif eth0/a]'
	netniced_start
	mkdir $eth0/gone
	from $a 5
	from $eth0/gone 7
	pause 61
	gone=$(account eth0/gone)
	check_eq 'a VIF' "$gone" 'eth0/gone 2027-03-01 7000'
	busywait 5 rmdir $eth0/gone
	pause 61
	check_eq 'that has gone' "$(account eth0/gone)" "$gone"
	mkdir $eth0/gone
	from $eth0/gone 1
	netniced_stop
	check_eq 'another one of its name; kept at the end' "$(account eth0/gone)" 'eth0/gone 2027-03-01 8000'
	from $eth0/gone 1
	netniced_start
	from $eth0/gone 1
	until_s "$(date -d 2027-03-02 +%s)"
	from $eth0/gone 3
	netniced_stop
	ok 'the module is loaded again' reload_module
	netniced_start
	mkdir $eth0/gone
	from $eth0/gone 2
	netniced_stop
	check_eq 'by days' "$(account eth0/gone)" $'eth0/gone 2027-03-01 10000\neth0/gone 2027-03-02 5000'
	check_eq 'the last day' "$(account --days 1 eth0/gone)" 'eth0/gone 2027-03-02 5000'
	today=$(account eth0 | awk '$1 == "eth0" { n += $3 } END { print n }')
	check "the device has all of it: $today" "$today >= 20000 && $today < 22000"
	vifctl -j account --file "$tmp/state" >"$tmp/json"
	check_eq 'JSON' "$(jq -c '.[] | select(.path == "eth0/gone" and .day == "2027-03-02") | [.dev, .egress_bytes, .ingress_bytes]' "$tmp/json")" '["eth0",5000,0]'
	check_eq 'JSON fits the schema' "$(jq -r --slurpfile schema "$schema" --arg name account -f "$net_dir/schema.jq" "$tmp/json" 2>&1)" ''
	check_eq 'what was before is of no day' "$(account eth0/a)" 'eth0/a 2027-03-01 5000'
	fails 'no file' vifctl account --file "$tmp/none"
	fails 'no number' vifctl account --days 0
	check_eq 'it is for root' "$(stat -c %a "$tmp/state")" 600
	names
}

# A user that renames its VIFs as fast as it can has no part of the disk
names() {
	local before
	mkdir $eth0/user
	chown 1000 $eth0/user
	netniced_start
	# shellcheck disable=SC2016
	as_user bash -c 'cd "$0" && mkdir {1..300} && for i in {1..300}; do
		echo $$ >$i/tasks && echo >/dev/udp/10.0.0.2/9; done' $eth0/user
	pause 61
	before=$(account eth0/user | wc -l)
	check_eq 'of a user, so many new names a day are kept, and the VIF above' "$before" 257
	check_eq 'which is said once' "$(grep -c 'user 1000 has given more than 256 names' "$tmp/log")" 1
	# shellcheck disable=SC2016
	as_user bash -c 'cd "$0" && mv 1 other && echo $$ >other/tasks && echo >/dev/udp/10.0.0.2/9' $eth0/user
	mkdir $eth0/roots
	from $eth0/roots 1
	pause 61
	check_eq 'another name is not' "$(account eth0/user | wc -l)" "$before"
	check_eq 'a VIF of root has its account' "$(account eth0/roots | wc -l)" 1
	netniced_stop
}

# --- the tests --------------------------------------------------------------------------

begin
need netnice netniced nft jq
setup_veth
peer nft 'add table inet seen; add chain inet seen c { type filter hook input priority 0; }
	add rule inet seen c udp dport 9 counter drop'
arrived_before=0
mkdir $a
# the first datagram to a neighbour on the same host is the root's: see limits.rst
ping -q -c 1 10.0.0.2 >/dev/null
peer ip link set eth0 address 02:00:00:00:00:02
ip neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev eth0 nud permanent
netniced_options=(-v --state "$tmp/state")
rules ''

errors
need_netniced
netniced_stop
three
down
both
changed
# each VIF is counted in a turn of its own
export NETNICED_TURN=0
accounts
log_clean
