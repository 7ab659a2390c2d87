#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Relays: what a socket of one process receives leaves by a socket of another one, at packet time.
#
#   peer                init namespace (under test)                    peer
#   +-----------+     +-----------------------------------------+     +------+
#   | sender    |-----| eth0/in: receiving --> eth0/out: sending |-----| sink |
#   +-----------+     |  10.0.0.1:5000         10.0.0.1:5001     |     | :6000|
#                     +-----------------------------------------+     +------+
#
# lab: virtual, check=uml, timeout=900, budget=18
# shellcheck disable=SC1083,SC2015,SC2016,SC2086,SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/refusals.sh"

tasks=/proc/network/tasks
in=/proc/network/eth0/in
out=/proc/network/eth0/out
rounds=20
! short_on_stock || rounds=3

# end_start NAME [as_user] WORD...: a process with sockets, from descriptor 3 on; its number
# is $NAME
end_start() {
	local name=$1 as=()
	shift
	[ "$1" != as_user ] || { as=(as_user); shift; }
	background "${as[@]}" kinds "$@" say ready pause 100000000 >"$tmp/$name"
	declare -g "$name=$!"
	busywait 10 file_says "$tmp/$name" ready
}

# relay PID/FD PID/FD, relay_end PID/FD: with the files alone
relay() { ln -s "../../../${2%/*}/sockets/${2#*/}" "$tasks/${1%/*}/sockets/${1#*/}/relay"; }
relay_end() { rm "$tasks/${1%/*}/sockets/${1#*/}/relay"; }
relay_is() { [ -L "$tasks/${1%/*}/sockets/${1#*/}/relay" ]; }
relay_count() { line_of "$tasks/${1%/*}/sockets/${1#*/}/socket" "relay_$2 "; }

# hear PORT [FAMILY]: the peer writes what it gets to a file, which is emptied
hear() {
	background peer socat -u "UDP${2-4}-RECV:$1" "OPEN:$tmp/heard,creat,append"
	hearer=$!
	busywait 5 peer sh -c "ss -Hlun 'sport = :$1' | grep -q ."
	: >"$tmp/heard"
}

# say TEXT ADDRESS PORT
say() { peer socat -u - "UDP:$2:$3" <<<"$1"; }

heard() { busywait 5 file_says "$tmp/heard" "$1"; }

# --- what it does ---------------------------------------------------------------------

# families: each to each, a word, and its counters
families() {
	local from to name
	for from in 4 6; do
		for to in 4 6; do
			name="IPv$from to IPv$to"
			end_start a socket udp$from bind "${here[from]}" 5000
			end_start b socket udp$to bind "${here[to]}" 5001 connect "${there[to]}" 6000
			echo $a >$in/tasks
			echo $b >$out/tasks
			hear 6000 $to
			packets=$(($(vif_stat $in ingress_packets) + $(vif_stat $out egress_packets)))
			ok "$name: a relay" relay $a/3 $b/3
			say "over $name" "${url[from]}" 5000
			ok "$name: a datagram arrives" heard "over $name"
			check_eq "$name: as it was" "$(cat "$tmp/heard")" "over $name"
			check_eq "$name: each VIF counts it" \
				$(($(vif_stat $in ingress_packets) + $(vif_stat $out egress_packets) - packets)) 2
			check_eq "$name: the relay, too" "$(relay_count $a/3 packets) $(relay_count $a/3 drops)" '1 0'
			check_eq "$name: the link says where to" "$(readlink $tasks/$a/sockets/3/relay)" "../../../$b/sockets/3"
			ok "$name: its end" relay_end $a/3
			say 'to the socket again' "${url[from]}" 5000
			pause 0.2
			check_eq "$name: then nothing is relayed" "$(wc -l <"$tmp/heard")" 1
			stop $a $b $hearer
		done
	done
}

# both_ways: a client and a server, each connected through it
both_ways() {
	local family
	for family in 4 6; do
		end_start a socket udp$family bind "${here[family]}" 5000 connect "${there[family]}" 7000
		end_start b socket udp$family bind "${here[family]}" 5001 connect "${there[family]}" 6000
		background peer kinds socket udp$family bind "${there[family]}" 6000 times 3 { answer } pause 100000 >/dev/null
		busywait 5 peer sh -c "ss -Hlun 'sport = :6000' | grep -q ."
		relay $a/3 $b/3
		relay $b/3 $a/3
		ok "IPv$family, both ways: a server answers three times" peer kinds socket udp$family \
			bind "${there[family]}" 7000 connect "${here[family]}" 5000 \
			times 3 { send 500 receive 500 }
		check_eq "IPv$family, both ways: both have relayed" \
			"$(relay_count $a/3 packets) $(relay_count $b/3 packets)" '3 3'
		stop $a $b $!
	done
}

# sizes: what the wire has in pieces, and what is merged or not cut yet
sizes() {
	local family sink
	for family in 4 6; do
		end_start a socket udp$family bind "${here[family]}" 5000
		end_start b socket udp$family bind "${here[family]}" 5001 connect "${there[family]}" 6000
		relay $a/3 $b/3
		background peer traffic sink udp 6000 >"$tmp/sink"
		sink=$!
		busywait 5 file_says "$tmp/sink" ready
		peer traffic send udp "${here[family]}" 5000 --size 9000 --bytes 90000 --rate 20m >/dev/null
		pause 0.3
		check_eq "IPv$family: fragments" "$(relay_count $a/3 packets) $(relay_count $a/3 drops)" '10 0'
		peer traffic send udp "${here[family]}" 5000 --size 40000 --segment 1000 --bytes 400000 --rate 50m >/dev/null
		pause 0.3
		check_eq "IPv$family: segments, not cut yet" "$(relay_count $a/3 packets) $(relay_count $a/3 drops)" '410 0'
		ethtool -K eth0 gro on rx-udp-gro-forwarding on >/dev/null
		peer traffic send udp "${here[family]}" 5000 --size 40000 --segment 1000 --bytes 400000 --rate 50m >/dev/null
		pause 0.3
		ethtool -K eth0 rx-udp-gro-forwarding off >/dev/null
		check_eq "IPv$family: merged ones" "$(relay_count $a/3 packets) $(relay_count $a/3 drops)" '810 0'
		stop $sink
		check_eq "IPv$family: all of it arrives" "$(grep -o '\bbytes=[0-9]*' "$tmp/sink")" bytes=890000
		stop $a $b
	done
	# one whose reader takes merged ones
	end_start a socket udp4 bind 10.0.0.1 5000 set gro 1
	end_start b socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
	relay $a/3 $b/3
	peer traffic send udp 10.0.0.1 5000 --size 40000 --segment 1000 --bytes 40000 >/dev/null
	pause 0.3
	check_eq 'UDP_GRO of the socket: each is relayed' "$(relay_count $a/3 packets)" 40
	stop $a $b
}

# limit: both ends belong to a process with a VIF
limit() {
	local vif sender
	for vif in $in $out; do
		end_start a socket udp4 bind 10.0.0.1 5000
		echo $a >$in/tasks
		end_start b write $out/tasks 0 socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
		echo 1m >$vif/bandwidth
		relay $a/3 $b/3
		background peer traffic send udp 10.0.0.1 5000 --size 1000 --rate 3m >/dev/null
		sender=$!
		pause 4
		meter_start one eth0 --in --port 6000 --seconds 21
		wait "${meter_one:?}"
		check_near "1 Mbit/s of ${vif##*/}: that is what leaves, $(meter one rate_bit_per_s)" \
			"$(meter one rate_bit_per_s)" 1000000 0.25
		stop $sender $a $b
		echo max >$vif/bandwidth
	done
}

# passed_on: the process that was named has gone, and left its socket to a child
passed_on() {
	local sender before
	end_start a socket udp4 bind 10.0.0.1 5000
	background kinds write $out/tasks 0 socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000 \
		fork { pause 100000000 } say ready pause 2000 exit >"$tmp/b"
	b=$!
	busywait 5 file_says "$tmp/b" ready
	relay $a/3 $b/3
	background peer traffic send udp 10.0.0.1 5000 --size 100 --rate 800k >/dev/null
	sender=$!
	wait $b
	pause 0.5
	before=$(($(vif_stat $out egress_packets) - $(relay_count $a/3 packets)))
	pause 2
	# of two thousand; some come between the two readings
	check_near 'a child that has the socket has its packets' \
		$((2000 + $(vif_stat $out egress_packets) - $(relay_count $a/3 packets) - before)) 2000 1
	stop $sender $a
	xargs kill <$out/tasks
}

# left: the process that was named has gone, and left its socket to a process that is not attached;
# 3 and 4 are the pair
left() {
	local sender before
	end_start a socket udp4 bind 10.0.0.1 5000
	background kinds pair fork { hear 1 pause 100000000 } write $out/tasks 0 \
		socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000 pass 0 say ready pause 2000 exit >"$tmp/b"
	b=$!
	busywait 5 file_says "$tmp/b" ready
	relay $a/3 $b/5
	background peer traffic send udp 10.0.0.1 5000 --size 100 --rate 800k >/dev/null
	sender=$!
	pause 1
	check 'an attached process relays' "$(relay_count $a/3 packets) > 0"
	wait $b
	pause 0.5
	before=$(relay_count $a/3 packets)
	pause 1
	check_eq 'a process that is not attached has the socket: nothing is relayed' "$(relay_count $a/3 packets)" "$before"
	ok 'the relay is there' relay_is $a/3
	stop $sender $a
	pkill -x kinds
}

# hidden: the process that was named has gone, and left its socket to a child, which has it only in a
# message that it has not read
hidden() {
	local sender before
	end_start a socket udp4 bind 10.0.0.1 5000
	background kinds write $out/tasks 0 user 1000 pair socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000 \
		fork { pass 0 close pause 100000000 } say ready pause 2000 exit >"$tmp/b"
	b=$!
	busywait 5 file_says "$tmp/b" ready
	relay $a/3 $b/5
	background peer traffic send udp 10.0.0.1 5000 --size 100 --rate 800k >/dev/null
	sender=$!
	wait $b
	pause 0.5
	before=$(vif_stat $out egress_packets)
	pause 2
	# of two thousand
	check 'a child that has the socket in a message has its packets' \
		"$(vif_stat $out egress_packets) - $before > 1000"
	stop $sender $a
	xargs kill <$out/tasks
}

# kept: what a program wants its reader to have. Offsets count from the IP header.
kept() {
	local file
	end_start b socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
	background kinds socket udp4 bind 10.0.0.1 5000 say ready receive 4 say kept pause 100000000 >"$tmp/a"
	a=$!
	busywait 5 file_says "$tmp/a" ready
	file=$tasks/$a/sockets/3/relay_program
	hear 6000
	relay $a/3 $b/3
	check_eq 'a relay has no program' "$(cat $file)" none
	# the first byte of what is in it, at 28, is a k
	ok 'it gets one' sh -c "echo '4,48 0 0 28,21 0 1 107,6 0 0 1,6 0 0 0' >$file"
	check_eq 'which is shown' "$(cat $file)" '4,48 0 0 28,21 0 1 107,6 0 0 1,6 0 0 0'
	say relayed 10.0.0.1 5000
	ok 'what it does not want is relayed' heard relayed
	say kept 10.0.0.1 5000
	ok 'what it wants its reader gets' busywait 5 file_says "$tmp/a" kept
	pause 0.2
	check_eq 'and no other' "$(cat "$tmp/heard")" relayed
	remember
	refused 'Invalid argument' program: 'a program that is none' sh -c "echo '1,2' >$file"
	refused 'Invalid argument' 'has a zero byte in it' 'a zero byte in it' sh -c "printf '1,6 0 0 0\\0x' >$file"
	ok 'it loses it' sh -c "echo none >$file"
	say k-again 10.0.0.1 5000
	ok 'then all is relayed' heard k-again
	stop $a $b $hearer
}

# circle: what leaves by b comes to a again, and ends as among routers
circle() {
	local times
	end_start a socket udp4 bind 127.0.0.1 5000
	end_start b socket udp4 bind 127.0.0.1 5001 connect 127.0.0.1 5000
	relay $a/3 $b/3
	socat -u - UDP:127.0.0.1:5000 <<<round
	pause 1
	times=$(relay_count $a/3 packets)
	check_eq 'a datagram that goes in a circle ends' "$times" 63
	pause 1
	check_eq 'and is where it ended' "$(relay_count $a/3 packets)" "$times"
	stop $a $b
}

# as_its_own: what leaves is as if the socket itself had sent it
# shellcheck disable=SC1083
as_its_own() {
	local sink
	end_start a socket udp4 bind 10.0.0.1 5000
	end_start b socket udp4 set discover 3 bind 10.0.0.1 5001 connect 10.0.0.2 6000
	relay $a/3 $b/3
	background peer traffic sink udp 6000 >"$tmp/sink"
	sink=$!
	busywait 5 file_says "$tmp/sink" ready
	peer traffic send udp 10.0.0.1 5000 --size 2000 --bytes 20000 --rate 20m >/dev/null
	peer traffic send udp 10.0.0.1 5000 --size 1400 --bytes 1400 >/dev/null
	pause 0.3
	stop $sink $a $b
	check_eq 'what a socket that probes the path sends is not cut' \
		"$(grep -o '\bbytes=[0-9]*' "$tmp/sink")" bytes=1400

	# SOF_TIMESTAMPING_TX_SCHED, TX_SOFTWARE and SOFTWARE
	end_start a socket udp4 bind 10.0.0.1 5000
	background kinds socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000 say ready pause 2000 \
		stamps pause 100000000 >"$tmp/b"
	b=$!
	busywait 5 file_says "$tmp/b" ready
	relay $a/3 $b/3
	hear 6000
	peer kinds socket udp4 connect 10.0.0.1 5000 set timestamping 274 times 3 { send 5 }
	check_eq 'three are relayed' "$(relay_count $a/3 packets)" 3
	busywait 5 grep -qx '[0-9]*' "$tmp/b"
	check_eq "and their times are none of the socket's" "$(tail -n 1 "$tmp/b")" 0
	stop $a $b $hearer
}

# full: what waits takes room in the buffer of the socket
full() {
	end_start a socket udp4 bind 10.0.0.1 5000
	end_start b write $out/tasks 0 socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
	echo 100k >$out/bandwidth
	echo 1000p >$out/limit
	relay $a/3 $b/3
	peer traffic send udp 10.0.0.1 5000 --size 1000 --bytes 500000 --rate 100m >/dev/null
	pause 0.2
	check 'what has no room in the buffer is dropped, and counted' "$(relay_count $a/3 drops) > 100"
	check_eq 'the rest is sent' $(($(relay_count $a/3 packets) + $(relay_count $a/3 drops))) 500
	stop $a $b
	echo max >$out/bandwidth
	echo auto >$out/limit
}

# --- what is refused --------------------------------------------------------------------

refusals() {
	ip route add 239.0.0.0/8 dev eth0
	end_start a socket udp4 bind 10.0.0.1 5000 \
		socket tcp4 bind 10.0.0.1 5000 listen 1 \
		socket udp4 bind 10.0.0.1 5010 set encap 2 \
		socket udp4 bind 10.0.0.1 5011
	end_start b socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000 \
		socket udp4 bind 10.0.0.1 5002 \
		socket tcp4 bind 10.0.0.1 5003 \
		socket udp4 connect 239.1.1.1 6000
	remember
	refused 'not supported' 'joins UDP sockets' 'TCP receives' relay $a/4 $b/3
	refused 'not supported' 'the sending socket is not UDP' 'TCP sends' relay $a/3 $b/5
	refused 'not connected' 'is not connected' 'one that is not connected' relay $a/3 $b/4
	refused 'assign requested address' 'multicast or broadcast' 'one that sends to a group' relay $a/3 $b/6
	refused 'Too many levels' 'the same socket' 'the same socket' relay $b/3 $b/3
	refused 'busy' 'a tunnel, a sockmap' 'UDP_ENCAP' relay $a/5 $b/3
	refused 'not permitted' 'no socket' 'no such descriptor' relay $a/3 $b/77
	refused 'not permitted' 'no socket' 'no such process' relay $a/3 4000000/3
	refused 'Invalid argument' 'is not a socket' 'no path of a socket' ln -s ../../../x $tasks/$a/sockets/3/relay
	refused 'Invalid argument' 'is not a socket' 'no path of a socket, either' ln -s /proc/network/eth0/in $tasks/$a/sockets/3/relay
	ok 'a relay' relay $a/3 $b/3
	fails 'a second one of a socket' relay $a/3 $b/3
	ok 'two to one socket' relay $a/6 $b/3
	ok 'listed' sh -c "ls $tasks/$a/sockets/3 | grep -qx relay"
	ok 'it can be found out by an absolute path, too' \
		sh -c "rm $tasks/$a/sockets/3/relay && ln -s $tasks/$b/sockets/3 $tasks/$a/sockets/3/relay"
	relay_end $a/6
	stop $a $b
	ip route del 239.0.0.0/8
	peer_socket
	owners
}

# peer_socket: of another network namespace
peer_socket() {
	background peer kinds socket udp4 bind 10.0.0.2 5001 connect 10.0.0.1 6000 say ready pause 100000000 >"$tmp/b"
	b=$!
	busywait 5 file_says "$tmp/b" ready
	end_start a socket udp4 bind 10.0.0.1 5000
	remember
	refused 'not permitted' 'no socket' 'a socket of another namespace' relay $a/3 $b/3
	stop $a $b
}

user_relay() { as_user ln -s "../../../${2%/*}/sockets/${2#*/}" "$tasks/${1%/*}/sockets/${1#*/}/relay"; }

# owners: user 1000 with own sockets, with root's, and with one that root has passed on
owners() {
	end_start a as_user socket udp4 bind 10.0.0.1 5000
	end_start b as_user socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000 socket udp4 bind 10.0.0.1 5003
	ok 'a user relays between own sockets' user_relay $a/3 $b/3
	as_user sh -c "echo '1,6 0 0 1' >$tasks/$a/sockets/3/relay_program"
	check_eq 'with a program' "$(cat $tasks/$a/sockets/3/relay_program)" '1,6 0 0 1'
	fails 'an administrator relays to none' vifctl relay $a/3 $b/9
	ok "the user's relay stays" relay_is $a/3
	fails 'an administrator relays to one that is not connected' vifctl relay $a/3 $b/4
	ok "the user's relay is not put back with the administrator's power" no_relay $a/3
	user_relay $a/3 $b/3
	ok 'and ends that' as_user rm $tasks/$a/sockets/3/relay
	stop $b
	end_start b socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
	fails "not to another user's" user_relay $a/3 $b/3
	ok "not to another user's: the sentence" as_user grep -q 'is not one that you may trace' /proc/network/last_error
	fails "nor from that" user_relay $b/3 $a/3
	ok 'an administrator does' relay $a/3 $b/3
	relay_end $a/3
	stop $b
	# the user's process, but root's socket
	exec 3<>/dev/udp/10.0.0.2/6000
	background as_user sleep 100000
	b=$!
	exec 3>&-
	busywait 5 eval '[ "$(cat /proc/$b/comm)" = sleep ]'
	fails "not to a passed socket of another user" user_relay $a/3 $b/3
	ok "not to a passed socket of another user: the sentence" \
		as_user grep -q 'must belong to the user' /proc/network/last_error
	stop $a $b
}

# commands: vifctl's
commands() {
	local said schema=$net_dir/vifctl.schema.json
	end_start a socket udp4 bind 10.0.0.1 5000 connect 10.0.0.2 7000
	end_start b socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
	ok 'vifctl relay' vifctl relay $a/3 $b/3
	ok 'it is there' relay_is $a/3
	check_eq 'and is printed' "$(vifctl relay)" "$a/3 -> $b/3  packets 0  drops 0"
	ok 'again, and what is kept' vifctl relay --keep 'udp[8] = 107' $a/3 $b/3
	ok 'that is there' grep -q '"keep": *"udp' <(vifctl -j relay)
	ok 'again, and nothing is' vifctl relay $a/3 $b/3
	fails "--keep ''" vifctl relay --keep '' $a/3 $b/3
	end_start c socket udp4 bind 10.0.0.1 5002 connect 10.0.0.2 6001
	ok 'to another one' vifctl relay $a/3 $c/3
	check_eq 'in its place' "$(vifctl relay)" "$a/3 -> $c/3  packets 0  drops 0"
	fails 'to one that there is not' vifctl relay $a/3 $c/9
	check_eq 'it stays' "$(vifctl relay)" "$a/3 -> $c/3  packets 0  drops 0"
	vifctl relay --keep 'udp[8] = 107' $a/3 $c/3
	fails 'to one that there is not, what is kept' vifctl relay $a/3 $c/9
	check_eq 'it stays, and so does what it keeps' "$(vifctl relay)" "$a/3 -> $c/3  packets 0  drops 0  keep udp[8] = 107"
	vifctl relay --keep none $a/3 $c/3
	vifctl relay $a/3 $b/3
	stop $c
	check_eq 'as JSON, too' "$(vifctl -j relay | jq -c '.[0] | [.pid, .fd, .to_pid, .to_fd, .packets, .drops, .keep]')" \
		"[$a,3,$b,3,0,0,null]"
	[ -e "$schema" ] || schema=$net_dir/../../Documentation/vifctl.schema.json
	check_eq 'which fits the schema' "$(vifctl -j relay | jq -r --slurpfile schema "$schema" --arg name relay \
		-f "$net_dir/schema.jq" 2>&1)" ''
	said=$(vifctl relay --off $a/3 $a/3 2>&1)
	check_eq '--off, another end than it has' "$? $said" "2 vifctl: relay: $a/3 does not relay to $a/3"
	check_eq 'it stays' "$(vifctl relay)" "$a/3 -> $b/3  packets 0  drops 0"
	check_eq '--off' "$(vifctl relay -v --off $a/3 $b/3)" "relay --off $a/3"
	ok 'ends it' no_relay $a/3
	fails '--off again' vifctl relay --off $a/3
	check_eq '--both' "$(vifctl relay -v --both --keep 'udp[8] = 107' $a/3 $b/3)" \
		$'relay '"$a/3 $b/3"$'\nrelay '"$b/3 $a/3"
	check_eq 'makes two' "$(vifctl -j relay | jq -r 'sort_by(.pid)[].keep')" $'udp[8] = 107\nudp[8] = 107'
	ok '--both --off' vifctl relay --both --off $a/3 $b/3
	ok 'ends both' no_relay $b/3
	said=$(vifctl relay $a/3 $a/3 2>&1)
	check_eq 'a sentence of the kernel is printed' "$said" "vifctl: relay: $a/3: relay: both ends are the same socket"
	fails 'nothing is half done' vifctl relay --both $a/3 $b/9
	ok 'and none is left' no_relay $a/3
	check_eq 'a word that is no socket' "$(vifctl relay x $b/3 2>&1; echo $?)" \
		$'vifctl: relay: \'x\' is not a socket: use PID/FD ("vifctl relay help" says what is valid)\n1'
	stop $a $b
}

# --- how it ends -------------------------------------------------------------------------

no_relay() { ! relay_is "$1"; }

# ends: at any moment under traffic
ends() {
	local round sender how
	background peer traffic send udp 10.0.0.1 5000 --size 500 --rate 40m >/dev/null
	sender=$!
	for how in receiver sender unlink both again; do
		for ((round = 0; round < rounds; round++)); do
			end_start a socket udp4 bind 10.0.0.1 5000
			end_start b socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
			relay $a/3 $b/3 || break
			pause 0.00$((RANDOM % 10))
			case $how in
			receiver) stop $a ;;
			sender) stop $b ;;
			unlink) relay_end $a/3 ;;
			both) kill -9 $a $b ;;
			again) relay_end $a/3 && relay $a/3 $b/3 || break ;;
			esac
			[ $how != sender ] || busywait 5 no_relay $a/3 || break
			stop $a $b
		done
		check_eq "under traffic, $how ends" $round $rounds
	done
	stop $sender
	log_clean
}

# encap_taken: who has the socket takes it from the relay; 3: as L2TP does, which leaves the function
encap_taken() {
	local kind
	for kind in 0 3; do
		background kinds socket udp4 bind 10.0.0.1 5000 say ready pause 1000 set encap $kind \
			say taken pause 100000000 >"$tmp/a"
		a=$!
		end_start b socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
		busywait 5 file_says "$tmp/a" ready
		ok "a relay of a socket, $kind" relay $a/3 $b/3
		busywait 5 file_says "$tmp/a" taken
		ok 'that its owner uses for another tunnel: it ends' busywait 5 no_relay $a/3
		stop $a $b
	done
}

# closed: who still has the directory of a socket that has been closed
closed() {
	local said
	end_start a socket udp4 bind 10.0.0.1 5000
	end_start b socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
	cd $tasks/$a/sockets/3 || return
	stop $a
	said=$(ln -s ../../../$b/sockets/3 relay 2>&1)
	cd - >/dev/null || return
	check_eq 'a socket that has been closed gets none' "$(grep -o 'No such file' <<<"$said")" 'No such file'
	stop $b
}

# namespaces: they go with their sockets
namespaces() {
	local round
	for ((round = 0; round < rounds; round++)); do
		background unshare -n -m bash -c 'ip link set lo up
			mount -t netnice netnice /proc/network
			kinds socket udp4 bind 127.0.0.1 5000 say ready pause 100000000 >"$0/na" &
			kinds socket udp4 bind 127.0.0.1 5001 connect 127.0.0.1 5000 say ready pause 100000000 >"$0/nb" &
			until grep -qs ready "$0/na" && grep -qs ready "$0/nb"; do sleep 0.01; done
			ln -s ../../../$!/sockets/3 /proc/network/tasks/$(jobs -p | head -n 1)/sockets/3/relay && echo made >"$0/made"
			echo x | socat -u - UDP:127.0.0.1:5000
			kill -9 $(jobs -p)' "$tmp"
		wait $!
		busywait 5 test -e "$tmp/made" || break
		rm -f "$tmp/made" "$tmp/na" "$tmp/nb"
	done
	check_eq 'network namespaces end with a relay in them' $round $rounds
}

# option: a relay loads the module of relays, and each relay holds it
option() {
	local parameter=/sys/module/netnice/parameters/options helper link
	own_machine || return 0
	end_start a as_user socket udp4 bind 10.0.0.1 5000
	end_start b as_user socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
	link=(ln -s "../../../$b/sockets/3" "$tasks/$a/sockets/3/relay")
	ok 'without relays the option is unloaded, and the core stays' busywait 5 rmmod netnice_relay
	remember
	who=(user_runs)
	echo >$parameter
	refused 'not permitted' 'the parameter options' 'the administrator does not allow it' "${link[@]}"
	fails 'then root does not load it, either' modprobe netnice_relay
	echo window,stack,relay,program >$parameter
	check_eq 'the parameter reads as it was written, in order' "$(cat $parameter)" program,relay,stack,window
	fails 'an option that does not exist is refused' sh -c "echo relay,unknown >$parameter"
	helper=$(cat /proc/sys/kernel/modprobe)
	echo /bin/false >/proc/sys/kernel/modprobe
	refused 'not supported' 'netnice_relay is not installed' 'it is not installed' "${link[@]}"
	echo "$helper" >/proc/sys/kernel/modprobe
	fails 'nothing of this has loaded it' test -d /sys/module/netnice_relay
	ok 'the first relay of a user loads it' "${who[@]}" "${link[@]}"
	fails 'a relay holds its module' rmmod netnice_relay
	fails 'and the core' rmmod netnice
	who=()
	ok 'the program of a relay' sh -c "echo '1,6 0 0 1' >$tasks/$a/sockets/3/relay_program"
	fails 'holds the module of programs' rmmod netnice_program
	stop $a $b
	ok 'it ends with its sockets' busywait 5 rmmod netnice_relay
	ok 'and so does its program' busywait 5 rmmod netnice_program
}

# module: unloaded under traffic
module() {
	local round sender
	own_machine || return 0
	background peer traffic send udp 10.0.0.1 5000 --size 500 --rate 40m >/dev/null
	sender=$!
	end_start a socket udp4 bind 10.0.0.1 5000
	end_start b socket udp4 bind 10.0.0.1 5001 connect 10.0.0.2 6000
	for ((round = 0; round < rounds; round++)); do
		relay $a/3 $b/3 || break
		pause 0.00$((RANDOM % 10))
		relay_end $a/3 && umount /proc/network && busywait 5 remove_netnice && load_netnice || break
	done
	check_eq 'the module goes when a relay has ended' $round $rounds
	stop $sender $a $b
	log_clean
}

here=([4]=10.0.0.1 [6]=fd00::1)
there=([4]=10.0.0.2 [6]=fd00::2)
url=([4]=10.0.0.1 [6]='[fd00::1]')

begin
setup_veth
need netnice socat
wire_exact off
mkdir $in $out
families
both_ways
sizes
wire_exact on
limit
passed_on
left
hidden
kept
circle
as_its_own
full
refusals
commands
encap_taken
closed
ends
namespaces
option
rmdir $in $out
module
