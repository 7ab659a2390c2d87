#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# vifctl watch: each change of TCP's control block, of a program that runs as it is, of a
# control group, of a VIF: the values are those of ss(8), and of others' connections there is
# nothing.
# lab: check=uml, kernels=6.1+new, budget=13
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"

schema=$net_dir/vifctl.schema.json
[ -e "$schema" ] || schema=$net_dir/../../Documentation/vifctl.schema.json

eth0=/proc/network/eth0
group=/sys/fs/cgroup/watched

# --- who is watched ----------------------------------------------------------------------

# serve: swallows on port 7, 50 ms away
serve() {
	modprobe sch_netem
	peer tc qdisc add dev eth0 root netem delay 50ms limit 10000
	background peer socat -u TCP6-LISTEN:7,fork,reuseaddr,ipv6only=0 /dev/null
	# one for each connection, which it may not hear the end of
	defer pkill -P $!
	busywait 20 peer bash -c ': <>/dev/tcp/10.0.0.2/7'
}

# wait_for_go COMMAND...: in the background, when something is written to $tmp/go; its number is
# that of the program then
wait_for_go() {
	rm -f "$tmp/go"
	mkfifo "$tmp/go"
	background bash -c 'read -r <"$1"; shift; exec "$@"' bash "$tmp/go" "$@"
	subject=$!
}
go() { echo >"$tmp/go"; }

# watch ARGUMENT...: in the background, to $tmp/out; it has begun
watch() {
	background vifctl watch "$@" >"$tmp/out" 2>&1
	watcher=$!
	busywait 20 file_says "/proc/$watcher/comm" vifctl
	pause 0.5
}

# briefly ARGUMENT...: what is wrong ends at once
briefly() { timeout 20 vifctl watch "$@"; }

# of JQ: of all lines of $tmp/out
of() { jq -rs "$1" "$tmp/out"; }

# ended NAME STATUS
ended() {
	local status
	if ! busywait 20 eval "! kill -0 $watcher"; then
		fail "$1" 'it goes on'
		kill $watcher
		return
	fi
	wait $watcher
	status=$?
	check_eq "$1" $status "$2"
}

# --- tests --------------------------------------------------------------------------------

# a program that sends, over a path with a delay and losses
sends() {
	# frame by frame: of fewer, large packets none may be lost
	ip link set eth0 gso_max_segs 1
	tc qdisc add dev eth0 root netem loss 1%
	# not at once: the first look may be late
	wait_for_go kinds socket tcp4 connect 10.0.0.2 7 pause 1000 times 60 '{' send 50000 '}' shutdown end
	watch -j process "$subject"
	# another user's
	background kinds socket tcp4 connect 10.0.0.2 7 send 30000 pause 100000000
	go
	ended 'it ends with the program' 0
	kill $!
	check_eq 'it fits the schema' "$(jq -r --slurpfile schema "$schema" --arg name change -f "$net_dir/schema.jq" "$tmp/out" 2>&1)" ''
	check_eq 'one connection, the program'"'"'s' "$(of 'map("\(.remote) \(.pid) \(.comm)") | unique[]')" "10.0.0.2:7 $subject kinds"
	check_eq 'no two lines in a row are the same' "$(of '[range(1; length) as $i | select((.[$i] | del(.time_ns)) == (.[$i - 1] | del(.time_ns)))] | length')" 0
	check_eq 'time passes' "$(of 'map(.time_ns) | . == sort')" true
	check 'the congestion window changes' "$(of 'map(.cwnd) | unique | length') > 5"
	check 'it begins at 10' "$(of '.[0].cwnd') == 10"
	check_eq 'there is no threshold first' "$(of '.[0].ssthresh')" null
	check 'then there is one' "$(of 'last.ssthresh // 0') > 1"
	check 'packets are sent again, and counted' "$(of 'last.retransmissions') > 0"
	check 'the round trip is measured' "$(of 'map(.srtt_us) | max') > 1000"
	check 'so is how it varies' "$(of 'map(.rttvar_us) | max') > 0"
	check 'what the other end has room for' "$(of 'map(.snd_wnd_bytes) | max') > 10000"
	if [ "$(uname -r | cut -d. -f1,2)" = 6.1 ]; then
		check_eq 'what this end has room for is not known' "$(of 'last.rcv_wnd_bytes')" null
	else
		check 'what this end has room for' "$(of 'last.rcv_wnd_bytes') > 10000"
	fi
	tc qdisc del dev eth0 root
	ip link set eth0 gso_max_segs 65535
}

# of_ss PORT KEY: what ss(8) says of the connection to it
of_ss() { ss -tinH "dport = :$1" | grep -o " $2:[^ ]*" | cut -d: -f2; }

# local_of PID: this end of its connection
local_of() { ss -tnpH 'dport = :7' | awk -v pid="pid=$1," 'index($0, pid) { print $4 }'; }

# connections NAME COUNT: so many connections are in $tmp/out
connections() { check_eq "$1" "$(of 'map(.cookie) | unique | length')" "$2"; }

# a connection that rests: what was printed last is what ss says
rests() {
	local family=$1 address=$2 end=$3
	wait_for_go kinds socket "$family" connect "$address" 7 send 300000 pause 100000000
	watch -j pid "$subject"
	go
	busywait 20 file_says "$tmp/out" '"established"'
	pause 1
	check_eq "$family: both ends" "$(of '.[0] | "\(.local) \(.remote)"' | sed 's/:[0-9]* / /')" "$end"
	check_eq "$family: the window is that of ss" "$(of last.cwnd)" "$(of_ss 7 cwnd)"
	check_near "$family: and the time" "$(of 'last.srtt_us / 1000')" "$(of_ss 7 rtt | cut -d/ -f1)" 1
	kill $subject
	ended "$family: it ends with the program" 0
	watch_text "$family" "$address"
}

# as lines of text: all first, then what has changed
watch_text() {
	local number='[0-9]+' field fields=''
	ln -sf "$(command -v kinds)" "$tmp/two words"
	wait_for_go "$tmp/two words" socket "$1" connect "$2" 7 send 300000 pause 100000000
	watch tid "$subject"
	go
	busywait 20 file_says "$tmp/out" snd_wnd
	pause 1
	kill $subject
	ended "$1: text" 0
	ok "$1: the first line has all" grep -Eq "^${number}[.]$number [^ ]+ [^ ]+ pid $subject two\\\\040words (syn-sent|established) cwnd $number ssthresh (-|$number) srtt ${number}us rttvar ${number}us snd_wnd $number rcv_wnd (-|$number) retransmissions $number pacing (-|[0-9.]+[kMGT]?)\$" <(head -n 1 "$tmp/out")
	for field in cwnd ssthresh srtt rttvar snd_wnd rcv_wnd retransmissions pacing; do fields+=" $field .*"; done
	check_eq "$1: the others what has changed" "$(sed 1d "$tmp/out" | grep -c " pid \|$fields")" 0
	ok "$1: in which there is the window" grep -Eq ' cwnd [0-9]+' <(sed 1d "$tmp/out")
}

# groups: sockets made in one, or below it
groups() {
	mkdir -p $group/below $group/beside
	wait_for_go bash -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' bash $group/below \
		kinds socket tcp4 connect 10.0.0.2 7 send 30000 pause 100000000
	watch -j cgroup watched
	background kinds socket tcp4 connect 10.0.0.2 7 send 30000 pause 100000000
	go
	busywait 20 file_says "$tmp/out" '"established"'
	pause 0.5
	connections 'a control group: what is below it' 1
	kill $subject $!
	busywait 10 file_says "$tmp/out" '"gone"'
	check_eq 'its end' "$(of last.state)" gone
	busywait 10 rmdir $group/below
	rmdir $group/beside $group
	ended 'it ends with the group' 0
}

# of a VIF: what is attached to it, or below, now or later
vifs() {
	mkdir $eth0/a $eth0/a/b
	wait_for_go kinds socket tcp4 connect 10.0.0.2 7 send 30000 pause 100000000
	echo "$subject" >$eth0/a/b/tasks
	watch -j eth0/a
	background kinds socket tcp4 connect 10.0.0.2 7 send 30000 pause 100000000
	other=$!
	go
	busywait 20 file_says "$tmp/out" '"established"'
	pause 0.5
	connections 'a VIF: what is attached below it' 1
	check_eq 'and its process' "$(of 'map(.pid) | unique[]')" "$subject"
	echo "$other" >$eth0/a/tasks
	busywait 20 file_says "$tmp/out" "\"pid\":$other,"
	connections 'what is attached later is there, too' 2
	kill "$subject" "$other"
	busywait 10 rmdir $eth0/a/b
	busywait 10 rmdir $eth0/a
	ended 'it ends with the VIF' 0
	wait_for_go kinds socket tcp4 connect 10.0.0.2 7 pause 100000000
	watch -j dev eth0
	go
	busywait 20 eval '[ -n "$(local_of "$subject")" ]'
	ok 'a device' busywait 20 file_says "$tmp/out" "\"local\":\"$(local_of "$subject")\""
	stop $watcher
	kill "$subject"
}

# others: one socket, a count of lines, another network namespace
others() {
	kinds socket tcp4 connect 10.0.0.2 7 socket tcp4 connect 10.0.0.2 7 say up pause 100000000 >"$tmp/up" &
	subject=$!
	defer stop $subject
	busywait 20 file_says "$tmp/up" up
	watch -j process "$subject"
	busywait 20 eval '[ "$(of "map(.cookie) | unique | length")" = 2 ]'
	stop $watcher
	connections 'all of a process' 2
	fd=$(find "/proc/$subject/fd" -lname 'socket:*' -printf '%f\n' | sort -n | tail -n 1)
	watch -j socket "$subject:$fd"
	connections 'one of its sockets' 1
	check_eq 'that one' "$(of '.[0].cookie')" "$(ss -tneH "dport = :7" | grep "ino:$(readlink "/proc/$subject/fd/$fd" | tr -dc 0-9) " |
		sed 's/.* sk:\([0-9a-f]*\).*/0x\1/' | xargs printf %d)"
	kill $subject
	ended 'it ends with the process' 0
	wait_for_go kinds socket tcp4 connect 10.0.0.2 7 send 300000 pause 1000
	watch -j -n 3 --interval 0.001 process "$subject"
	go
	ended 'so many lines' 0
	check_eq 'they are' "$(wc -l <"$tmp/out")" 3
	background peer kinds socket tcp4 connect 10.0.0.2 7 pause 100000000
	busywait 20 eval '[ "$(readlink "/proc/$!/ns/net")" != "$(readlink /proc/self/ns/net)" ]'
	check_eq 'elsewhere' "$(briefly process $! 2>&1)" \
		"vifctl: watch: process $! is in another network namespace (vifctl -n /proc/$!/ns/net watch ...)"
	ok 'there' timeout 20 vifctl -n peer watch -n 1 process $!
	kill $!
}

# a connection of a user, to be watched by this user only
users() {
	background as_user kinds socket tcp4 connect 10.0.0.2 7 pause 100000000
	subject=$!
	busywait 20 eval '[ -n "$(local_of "$subject")" ]'
	ok 'a user watches an own process' as_user timeout 20 vifctl watch -n 1 process $subject
	background kinds socket tcp4 connect 10.0.0.2 7 pause 100000000
	ok 'and no other user'"'"'s' grep -q 'vifctl: watch: Permission denied' <(as_user timeout 20 vifctl watch -n 1 process $! 2>&1)
	kill $subject $! 2>/dev/null
}

# accepts: of a server, connections that last less than a second
accepts() {
	background kinds socket tcp4 bind 10.0.0.1 7100 listen 4 times 4 '{' accept pause 300 close use 0 '}'
	subject=$!
	busywait 20 eval '[ -n "$(ss -tlnH "sport = :7100")" ]'
	watch -j process "$subject"
	for _ in {1..4}; do peer bash -c 'exec 3<>/dev/tcp/10.0.0.1/7100; read -r <&3'; done
	ended 'it ends with the server' 0
	connections 'what a server accepts' 4
}

# ends: a user's process of which only a thread is left, as of one whose memory has gone, but not its
# files yet: on older kernels, as 6.1, these are root's then
ends() {
	local new status
	# whose sockets these are is asked when there are new ones; they are not to keep others waiting
	background nice -n 19 bash -c 'while :; do : <>/dev/tcp/10.0.0.2/7; done'
	new=$!
	background as_user kinds socket tcp4 connect 10.0.0.2 7 thread '{' pause 3400 '}' pause 3000 retire
	busywait 20 eval '[ -n "$(local_of $!)" ]'
	timeout 60 "${user_prefix[@]}" vifctl watch process $! >"$tmp/out" 2>&1
	status=$?
	check_eq 'of a process that is ending' "$status $(grep vifctl "$tmp/out")" '0 '
	stop "$new"
}

wrong_words() {
	local words said status want
	while IFS='|' read -r want words said; do
		# shellcheck disable=SC2086
		briefly $words >"$tmp/said" 2>&1 </dev/null
		status=$?
		check_eq "watch $words" "$status $(grep -Fo -- "$said" "$tmp/said")" "$want $said"
	done <<-'END'
		1||vifctl: watch: no subject given: name a process, socket, control group, device or VIF
		1|/proc/network|vifctl: watch: no subject given
		1|process|process: a name is missing: PID
		1|process x|process: 'x' is not valid: use PID
		1|process 1 2|too many words: '2'
		1|socket 1|socket: '1' is not valid: use PID:FD
		2|socket 1:9999|vifctl: watch: socket 1:9999: No such file or directory
		2|process 99999999|vifctl: watch: process 99999999: 
		2|cgroup none|vifctl: watch: cgroup none: No such file or directory
		1|cgroup ../x|cgroup: '../x' is not valid
		2|cgroup cgroup.procs|vifctl: watch: cgroup cgroup.procs: this is no control group
		1|device eth0|a device has no sockets: its VIFs are "dev eth0"
		2|eth0/none|vifctl: watch: no VIF 'eth0/none'
		2|dev none|vifctl: watch: no device 'none'
		1|eth0 lo|too many words: 'lo'
		1|-n 0 eth0|not a count: '0'
		1|-d 0 eth0|not an interval: '0': use 0.001 to 3600 seconds
		1|-d 1e9 eth0|not an interval: '1e9'
		1|--interval|--interval needs an argument
		1|--cout 1 eth0|unknown option '--cout'; did you mean '--count'?
	END
	exec {udp}<>/dev/udp/10.0.0.2/9
	check_eq 'what is no connection' "$(briefly socket $$:$udp 2>&1)" "vifctl: watch: socket $$:$udp: this is no socket of TCP, but of UDP"
	exec {udp}>&-
	check_eq 'what is no socket' "$(briefly socket $$:0 2>&1)" "vifctl: watch: socket $$:0: Socket operation on non-socket"
}

begin
setup_veth
need netnice jq
serve
sends
rests tcp4 10.0.0.2 '10.0.0.1 10.0.0.2:7'
rests tcp6 fd00::2 '[fd00::1] [fd00::2]:7'
groups
vifs
others
users
accepts
ends
wrong_words
