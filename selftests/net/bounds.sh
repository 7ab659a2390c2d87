#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=8
#
# What a user may have the kernel keep: VIFs, attachments, packets that wait, flows that
# are told apart, and sockets that are looked for. More is refused to this user only, in any namespace.
# shellcheck disable=SC2016,SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/refusals.sh"

edquot='Disk quota exceeded'
parameters=/sys/module/netnice/parameters

# as UID COMMAND...
as() { setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"; }

# may NAME NUMBER: for the time of a function
may() {
	local was
	was=$(cat "$parameters/$1")
	echo "$2" >$parameters/"$1"
	"${@:3}"
	echo "$was" >$parameters/"$1"
}

given() {
	mkdir $eth0/u $eth0/w
	chown 1000 $eth0/u
	chown 2000 $eth0/w
}

taken() {
	find $eth0/u $eth0/w -depth -type d -exec rmdir {} +
}

vifs() {
	local i
	given
	as_user mkdir $eth0/u/{1..10}
	remember
	who=(user_runs)
	refused "$edquot" 'a user may have 10 VIFs' 'the eleventh VIF' mkdir $eth0/u/11
	refused "$edquot" 'a user may have 10 VIFs' 'below another one' mkdir $eth0/u/1/1
	refused "$edquot" 'a user may have 10 VIFs' "the user's own, in the root VIF" mkdir $eth0/user-1000
	who=()
	fails 'as root of a user namespace' as_user unshare -Ur mkdir $eth0/u/11
	fails 'as another user of one, in another one' \
		as_user unshare -Ur unshare -U --map-user=5 --map-group=5 mkdir $eth0/u/11
	ok 'another user may' as 2000 mkdir $eth0/w/1
	ok 'root may' mkdir $eth0/u/11
	rmdir $eth0/u/11
	as_user rmdir $eth0/u/1
	ok 'one less: the next one' busywait 5 as_user mkdir $eth0/u/11
	ok 'moving is no making' as_user mv $eth0/u/11 $eth0/u/2/
	ok 'root has made it: it does not count' eval "mkdir $eth0/u/r && chown 1000 $eth0/u/r"
	as_user unshare -Urnm sh -c '
		ip link set lo up; mount -t netnice netnice /proc/network &&
		mkdir /proc/network/lo/1' 2>"$tmp/err"
	check_eq 'nor in a private network namespace' "$(grep -o 'Disk quota exceeded' "$tmp/err")" "$edquot"
	taken
}

attachments() {
	local i pids=()
	given
	for i in {1..6}; do
		background as_user sleep 1000
		pids+=($!)
	done
	busywait 5 eval 'for i in "${pids[@]}"; do grep -qx sleep /proc/$i/comm || exit 1; done'
	for i in 0 1 2 3 4; do as_user ln -s $eth0/u "$top/tasks/${pids[i]}/"; done
	remember
	who=(user_runs)
	refused "$edquot" 'a user may make 5 attachments' 'the sixth process' \
		ln -s $eth0/u "$top/tasks/${pids[5]}/"
	refused "$edquot" 'a user may make 5 attachments' 'by tasks' set_to $eth0/u/tasks "${pids[5]}"
	who=()
	as_user mkdir $eth0/u/v
	ok 'attaching one elsewhere costs nothing' as_user ln -s $eth0/u/v "$top/tasks/${pids[0]}/new"
	ok 'root attaches it' ln -s $eth0/u "$top/tasks/${pids[5]}/"
	check_eq 'children inherit' "$(in_vif $eth0/u sh -c "ls $top/tasks/self/ | grep -c eth0; true")" 1
	stop "${pids[0]}"
	background as_user sleep 1000
	busywait 5 grep -qx sleep /proc/$!/comm
	ok 'one has ended: the next one' busywait 5 as_user ln -s $eth0/u "$top/tasks/$!/"
	stop "${pids[@]}" $!
	busywait 5 eval "[ -z \"\$(cat $eth0/u/tasks)\" ]"
	taken
}

# waiting VIF: packets in both stages
waiting() { echo $(($(vif_stat "$1" egress_p_queue_packets) + $(vif_stat "$1" egress_d_queue_packets))); }

# A datagram of 1000 bytes takes 2304 bytes of memory here; 200000 bytes are 86 of them. Four
# VIFs get a fifth each, one that is alone gets half.
queues() {
	local i pids=() all=0
	given
	echo 8k >$eth0/bandwidth
	as_user mkdir $eth0/u/{1..5}
	for i in u/{1..5} w; do
		[ "$i" = w ] || echo max >"$eth0/$i/limit"
		echo none >"$eth0/$i/aqm"
	done
	echo max >$eth0/w/limit
	for i in u/1 u/2 u/3 u/4; do
		as_user bash -c 'echo 0 >$0/tasks && exec "$@"' $eth0/$i traffic send udp 10.0.0.2 9 --size 1000 \
			--rate 2m --seconds 2 >/dev/null 2>&1 &
		pids+=($!)
	done
	wait "${pids[@]}"
	for i in 1 2 3 4; do
		note "$i: $(waiting "$eth0/u/$i") wait, $(vif_stat $eth0/u/$i egress_drops) dropped"
		all=$((all + $(waiting "$eth0/u/$i")))
	done
	check "all of a user's VIFs together: $all packets" "$all <= 86 && $all >= 64"
	in_vif $eth0/u/5 traffic send udp 10.0.0.2 9 --size 1000 --rate 2m --bytes 5000 >/dev/null 2>&1
	check_eq 'another VIF of the user, which comes late' "$(waiting $eth0/u/5)" 5
	in_vif $eth0/w traffic send udp 10.0.0.2 9 --size 1000 --rate 2m --bytes 60000 >/dev/null 2>&1
	check "another's wait all, but for what has left: $(waiting $eth0/w)" \
		"$(waiting $eth0/w) >= 58 && $(vif_stat $eth0/w egress_drops) == 0"
	echo max >$eth0/bandwidth
	busywait 10 eval "[ \$(waiting $eth0/u/1) = 0 ]"
	echo 8k >$eth0/bandwidth
	as_user bash -c 'echo 0 >$0/tasks && exec "$@"' $eth0/u/2 traffic send udp 10.0.0.2 9 --size 1000 \
		--rate 2m --bytes 60000 >/dev/null 2>&1
	check "what has left is given back: $(waiting $eth0/u/2)" "$(waiting $eth0/u/2) >= 41"
	echo max >$eth0/bandwidth
	busywait 10 eval "[ \$(waiting $eth0/u/2) = 0 ]"
	taken
}

# names_in DIRECTORY: without a look at what they name
names_in() { find "$1" -mindepth 1 -maxdepth 1 -type d -printf '%f '; }

# What has been looked at is remembered, which does not keep it. Names are not looked up
# again: that would have it forgotten.
remembered() {
	local i
	given
	for i in {1..5}; do
		ok "2 VIFs allowed, number $i, those before have been used and have gone" as_user bash -c '
			mkdir $0 && echo 0 >$0/tasks && echo 1 >$0/autoremove && cat $0/{stat,bandwidth} >/dev/null' "$eth0/u/$i"
		ok 'which goes' busywait 5 eval "[ -z \"\$(names_in $eth0/u)\" ]"
	done
	taken
}

# send_each VIF FIRST LAST: a datagram, of a flow of its own, to each port
send_each() {
	in_vif "$1" bash -c 'for ((i = $0; i <= $1; i++)); do echo x >/dev/udp/10.0.0.2/$i; done' "$2" "$3"
}

arrived() { peer nft list counter ip flows few | sed -n 's/.*packets \([0-9]*\).*/\1/p'; }

# Many flows of one user, in many VIFs. If those of another VIF found no place, some
# long ones and short ones after them would take turns together, and the short come last.
flows() {
	local i gone all=0
	given
	peer nft 'table ip flows { counter few { }
		chain c { type filter hook prerouting priority -300; udp dport 9001-9016 counter name few; }; }'
	as_user mkdir $eth0/u/{1..40}
	for i in u/{1..40} w; do
		echo max >"$eth0/$i/limit"
		echo none >"$eth0/$i/aqm"
	done
	echo 8k >$eth0/bandwidth
	for i in {1..40}; do send_each "$eth0/u/$i" 10001 10075; done
	for i in {1..40}; do all=$((all + $(waiting "$eth0/u/$i"))); done
	# the root VIF's burst lets 104 pass at once
	check "of one user's 3000 flows $all wait" "$all > 2890"
	for i in {1..5}; do
		in_vif $eth0/w traffic send udp 10.0.0.2 9 --size 1000 --rate 2m --bytes 12000 >/dev/null 2>&1
	done
	send_each $eth0/w 9001 9016
	echo 500k >$eth0/bandwidth
	pause 0.5
	gone=$(arrived)
	check "of 16 short flows in another VIF $gone have gone before the $(waiting $eth0/w) packets of long ones" \
		"$gone >= 12 && $(waiting $eth0/w) >= 20"
	echo max >$eth0/bandwidth
	busywait 10 eval "[ \$(waiting $eth0/u/1) = 0 ]"
	taken
}

# Packets for more sockets of one user than are looked for in one go come before that for
# another's: that one is found as soon as if it was alone.
searches() {
	local receiver
	given
	: >"$tmp/receiver"
	as 2000 kinds write $eth0/w/tasks 0 socket udp4 bind 0.0.0.0 7000 say ready pause 20000 >"$tmp/receiver" &
	receiver=$!
	background as_user kinds times 500 "{" socket udp4 bind 0.0.0.0 0 "}" say ready pause 20000 >"$tmp/crowd"
	busywait 20 eval 'grep -q ready "$tmp/receiver" && grep -q ready "$tmp/crowd"'
	awk 'NR > 1 { print $2 }' /proc/net/udp | sed 's/.*:/0x/' >"$tmp/ports"
	peer bash -c 'while read -r port; do [ $((port)) = 7000 ] || echo x >/dev/udp/10.0.0.1/$((port)); done <$0
		exec kinds socket udp4 connect 10.0.0.1 7000 send 100 pause 25 times 9 "{" send 100 "}"' "$tmp/ports"
	check_eq 'of 10 packets for a socket, after some for 500 of another user, the first is missed' \
		"$(vif_stat $eth0/w ingress_packets)" 9
	stop $receiver $!
	busywait 5 eval "[ -z \"\$(cat $eth0/w/tasks)\" ]"
	taken
}

begin
setup_veth
need netnice
allow_user_namespaces
may user_vifs 10 vifs
may user_vifs 2 remembered
may user_attachments 5 attachments
peer nft 'table ip silence { chain c { type filter hook output priority 0; icmp type destination-unreachable drop; }; }'
ping -qc 1 10.0.0.2 >/dev/null
may user_queue 200000 queues
flows
searches
log_clean
