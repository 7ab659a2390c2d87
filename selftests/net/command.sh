#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=19
#
# netnice(1) as a command: it is transparent (exit status, signals, process
# number, descriptors), it leaves nothing behind however it ends, and it makes
# the VIFs that its options say. Time is virtual: a second here is exact.
. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0

# vifs: all that there are below the devices
vifs() { (cd $top && find . \( -path ./tasks -o -path ./cgroups -o -path ./devices \) -prune -o -type d -path './*/*' -printf '%P\n' | sort | paste -s -d ' '); }
vifs_are() { [ "$(vifs)" = "$1" ]; }
no_vifs() { [ -z "$(vifs)" ]; }
no_tasks() { [ "$(ls $top/tasks)" = self ]; }
has_member() { grep -qx "$1" "$2/tasks"; }

# gone NAME: within a second of virtual time nothing is left of it
gone() { ok "$1: its VIF is gone within a second" busywait 1 no_vifs; }

# settle: what was before is gone, that only what follows is seen
settle() { busywait 1 no_vifs; }

# start COMMAND...: in the background, as $pid
start() {
	"$@" >"$tmp/out" 2>&1 </dev/null &
	pid=$!
}

# limits NAME FILE-OF-VIF EGRESS INGRESS
limits() { check_eq "$1" "$(paste -s -d ' ' "$2")" "egress $3 ingress $4"; }

# --- as nice(1) -------------------------------------------------------------------

# exits STATUS NAME COMMAND...
exits() {
	local want=$1 name=$2 status
	shift 2
	{ "$@"; } >/dev/null 2>&1
	status=$?
	check_eq "exit status: $name" $status "$want"
	gone "$name"
}

statuses() {
	exits 0 'true' netnice -b 1m true
	exits 1 'false' netnice -b 1m false
	exits 42 'exit 42' netnice -b 1m sh -c 'exit 42'
	exits 126 'not executable' netnice -b 1m /etc/passwd
	exits 126 'a directory' netnice -b 1m /tmp
	exits 127 'not found' netnice -b 1m none
	exits 125 'a bad rate' netnice -b fast true
	exits 137 'killed' netnice -b 1m sh -c 'kill -9 $$'
	exits 143 'terminated' netnice -b 1m sh -c 'kill $$'
	exits 130 'interrupted' netnice -b 1m sh -c 'kill -INT $$'
	exits 139 'crashed' netnice -b 1m sh -c 'kill -SEGV $$'
}

# same NAME COMMAND...: prints the same with and without netnice
same() {
	local name=$1 without
	shift
	without=$("$@" 2>&1)
	check_eq "the command's $name" "$(netnice -b 1m -- "$@" 2>&1)" "$without"
}

environment() {
	same 'signal masks' grep ^Sig /proc/self/status
	same 'descriptors' find /proc/self/fd -mindepth 1 -printf '%f\n'
	same 'environment' env -u _
	same 'directory' readlink /proc/self/cwd
	same 'arguments' printf '<%s>' -b -- '' 'a b' --pid
	same 'options' ls -d -e
	same 'limits and nice' sh -c 'cat /proc/self/limits; nice'
	same 'mounts' cat /proc/self/mountinfo
	same 'user and capabilities' grep -E '^(Uid|Gid|Groups|Cap)' /proc/self/status
	(trap '' INT HUP; same 'ignored signals' grep ^SigIgn /proc/self/status >"$tmp/same")
	ok 'ignored signals stay ignored' grep -q '^ok' "$tmp/same"
	start netnice -b 1m sh -c 'echo $$; exec sleep 1000'
	busywait 5 test -s "$tmp/out"
	check_eq 'the process number is its own' "$(cat "$tmp/out")" $pid
	check_eq 'no process waits for it' "$(pgrep -x netnice)" ''
	check_eq 'the VIF has its number' "$(vifs)" "eth0/netnice.$pid eth1/netnice.$pid"
	stop $pid
	gone 'stopped'
	check_eq 'standard input goes through' "$(echo hello | netnice -b 1m cat)" hello
}

# --- how it ends ------------------------------------------------------------------

# reaped: the status of $pid, without bash's words on it
reaped() { { wait "$pid"; } 2>/dev/null; }

# ends SIGNAL: sent to the whole group, a shell with two children
ends() {
	start setsid netnice -b 1m sh -c 'sleep 1000 & sleep 1000 & wait'
	busywait 10 members_are 3
	kill "-$1" -- -$pid
	reaped
	gone "SIG$1 to the group"
}
members_are() { [ "$(cat $eth0/netnice.*/tasks | wc -l)" -eq "$1" ]; }

signals() {
	ends KILL
	ends TERM
	ends HUP
	ip link set late down
	start netnice -b 1m sleep 1000
	busywait 10 members_are 1
	kill $pid
	reaped
	check_eq 'exit status of SIGTERM' $? 143
	gone 'SIGTERM'
}

# at_terminal NAME STATUS DOES: DOES is run when the command is
at_terminal() {
	local name=$1 want=$2 does=$3
	rm -f "$tmp/status"
	# what bash starts in the background ignores Ctrl-C
	env --default-signal script -qc "trap : INT QUIT; netnice -b 1m sleep 1000; echo \$? >$tmp/status" \
		/dev/null <>"$tmp/keys" >"$tmp/out" 2>&1 &
	pid=$!
	busywait 10 members_are 1
	$does
	reaped
	check_eq "exit status: $name" "$(cat "$tmp/status" 2>/dev/null)" "$want"
	gone "$name"
}
press_interrupt() { printf '\003' >"$tmp/keys"; }
press_quit() { printf '\034' >"$tmp/keys"; }
hang_up() { kill -9 $pid; }

terminal() {
	mkfifo "$tmp/keys"
	at_terminal 'Ctrl-C' 130 press_interrupt
	at_terminal 'Ctrl-backslash' 131 press_quit
	at_terminal 'the terminal is gone' '' hang_up 2>/dev/null
}

# killed at 30 moments after its start
killed_early() {
	local i left=0
	for ((i = 0; i < 30; i++)); do
		start netnice -b 1m sleep 1000
		sleep "$(printf '0.%03d' $((i * 50 / 30)))"
		kill "-$1" $pid
		reaped
		busywait 1 no_vifs && continue
		left=$((left + 1))
		note "left after $((i * 50 / 30)) ms: $(vifs)"
		rmdir $top/*/netnice.* 2>/dev/null
	done
	check_eq "30 times SIG$1 right after the start: nothing left" $left 0
	ok 'no process is listed' busywait 1 no_tasks
}

# killed on entering each open and write in turn, until the command is done
killed_anywhere() {
	local call i left=()
	for call in openat write; do
		for ((i = 1; i < 100; i++)); do
			strace -qqq -e inject=$call:signal=KILL:when=$i -o /dev/null \
				netnice -b 1m -i eth0 true && break
			busywait 1 no_vifs && continue
			left+=("$call $i")
			rmdir $top/*/netnice.*
		done
	done
	check_eq 'SIGKILL before each open and write: nothing left' "${left[*]}" ''
} 2>/dev/null

daemons() {
	settle
	netnice -b 1m sh -c 'setsid -f sleep 1000' >/dev/null 2>&1
	check_eq 'a daemon keeps the VIF' "$(vifs | sed 's/[.][0-9]*/.N/g')" 'eth0/netnice.N eth1/netnice.N'
	ok 'it is in it' busywait 1 members_are 1
	pkill -x -f 'sleep 1000'
	gone 'the daemon has ended'
}

# --- the VIFs that it makes -------------------------------------------------------

# makes NAME VIFS OPTION...: names of VIFs, P for the process number
makes() {
	local name=$1 want=$2
	shift 2
	settle
	start netnice "$@" sleep 1000
	busywait 10 grep -qx sleep "/proc/$pid/comm"
	check_eq "$name" "$(vifs)" "${want//P/$pid}"
}

options() {
	makes 'all devices that are up, but lo' 'eth0/netnice.P eth1/netnice.P' -b 1m
	limits 'both directions' $eth0/netnice.$pid/bandwidth 1mbit 1mbit
	stop $pid
	makes '-i' 'eth1/netnice.P' -b 256k -i eth1
	limits 'the rate' $top/eth1/netnice.$pid/bandwidth 256kbit 256kbit
	stop $pid
	makes '-i twice' 'eth0/netnice.P lo/netnice.P' -b 1m -i lo -i eth0
	stop $pid
	makes '-i twice the same' 'eth0/netnice.P' -b 1m -i eth0 -i eth0
	stop $pid
	makes '-e' 'eth0/netnice.P' -b 1m -i eth0 -e
	limits '-e: egress only' $eth0/netnice.$pid/bandwidth 1mbit max
	stop $pid
	makes '-r' 'eth0/netnice.P' --bandwidth=1m --device=eth0 --receive
	limits '-r: ingress only' $eth0/netnice.$pid/bandwidth max 1mbit
	stop $pid
	makes '--down and --up' 'eth0/netnice.P' --down 2m --up=1m -w 7 -i eth0
	limits '--down is ingress, --up is egress' $eth0/netnice.$pid/bandwidth 1mbit 2mbit
	limits '--down and --up: -w is for both' $eth0/netnice.$pid/weight 7 7
	stop $pid
	makes '--down' 'eth0/netnice.P' --down 2MB/s -i eth0
	limits '--down alone' $eth0/netnice.$pid/bandwidth max 16mbit
	stop $pid
	makes '-b -e and --down' 'eth0/netnice.P' -b 1m -e --down 3m -i eth0
	limits '-b -e and --down' $eth0/netnice.$pid/bandwidth 1mbit 3mbit
	stop $pid
	makes 'a device that is down, by -i' 'eth2/netnice.P' -b 1m -i eth2
	stop $pid
	makes '-b max' 'eth0/netnice.P' -b max -i eth0 --
	limits '-b max' $eth0/netnice.$pid/bandwidth max max
	stop $pid
	makes 'no options: a VIF as any' 'eth0/netnice.P eth1/netnice.P'
	limits 'no options' $eth0/netnice.$pid/weight 100 100
	stop $pid
	makes '-w and -p' 'eth0/netnice.P' -w 300 -p 2 -i eth0
	limits '-w' $eth0/netnice.$pid/weight 300 300
	limits '-p' $eth0/netnice.$pid/priority 2 2
	limits '-w and -p: no limit' $eth0/netnice.$pid/bandwidth max max
	stop $pid
	makes '-w, -p and -r' 'eth0/netnice.P' --weight=7 --priority=0 -r -b 1m -i eth0
	limits '-w and -r' $eth0/netnice.$pid/weight 100 7
	limits '-p and -r' $eth0/netnice.$pid/priority 4 0
	stop $pid
	gone 'all of them'
}

# refuses NAME WORDS OPTION...
refuses() {
	local name=$1 words=$2
	shift 2
	check_eq "$name" "$(netnice "$@" true 2>&1 | head -1)" "netnice: $words"
}

contradictions() {
	refuses '-b and --up' '-b and --up exclude each other: -b is for both directions; --down and --up give each direction its own' -b 1m --up 2m
	refuses '-b -r and --down' '-b and --down exclude each other: -b is for ingress; --down and --up give each direction its own' --down 2m -r -b 1m
	refuses '-e and --up' '-e and -r need -b, -m, -w or -p; --down and --up have theirs' -e --up 1m
	refuses '--up, nothing' 'no bandwidth given: RATE | max' --up ''
	refuses '--show and --up' '--show goes with -i, and with one of --pid, --unit, --cgroup and --socket' --show --up 1m
	refuses '--up, no rate' "eth0: egress fast: bandwidth: 'fast' is not a rate: use bits per second with tc's suffixes (256k, 1.5mbit), or bytes per second (2MB/s), from 8kbit to 400gbit, or max" -i eth0 --up fast
	gone 'contradictions'
}

# Of the tightest limit above, or of the link's speed
percentages() {
	local speed
	settle
	speed=$(cat /sys/class/net/eth0/speed)
	makes '-b 10%' 'eth0/netnice.P' -b 10% -i eth0
	limits "-b 10%: of the link's $speed Mbit/s" $eth0/netnice.$pid/bandwidth "$((speed / 10000))gbit" "$((speed / 10000))gbit"
	stop $pid
	echo egress 8m >$eth0/bandwidth
	makes '--up 12.5%' 'eth0/netnice.P' --up 12.5% --down 50% -i eth0
	limits '--up 12.5%: of the limit above; --down: of the link' $eth0/netnice.$pid/bandwidth 1mbit "$((speed / 2000))gbit"
	stop $pid
	mkdir $eth0/web
	echo 4m >$eth0/web/bandwidth
	check_eq '-b 50%, further down: of the tightest above' "$(in_vif $eth0/web netnice -n p -b 50% -i eth0 paste -s -d ' ' $eth0/web/p/bandwidth)" \
		'egress 2mbit ingress 2mbit'
	check_eq 'vifctl set bandwidth 25%' "$(vifctl -v set eth0/web bandwidth egress 25% ingress 1m weight 5)" \
		$'set eth0/web bandwidth egress 2mbit ingress 1m\nset eth0/web weight 5'
	check_eq 'vifctl add minimum 50%' "$(vifctl -v add eth0/m minimum egress 50%)" $'add eth0/m\nset eth0/m minimum egress 4mbit'
	check_eq 'vifctl add bandwidth 101%: no VIF' "$(vifctl add eth0/n bandwidth 101% 2>&1; vifctl -br ls eth0/n 2>&1)" \
		$'vifctl: eth0/n: \'101%\' is not valid: use more than 0% and up to 100%\nvifctl: show: no VIF \'eth0/n\''
	ok 'no percentages are left' busywait 1 rmdir $eth0/web $eth0/m
	echo max >$eth0/bandwidth
	modprobe dummy numdummies=0
	ip link add d9 type dummy
	check_eq '10% of what is not known' "$(netnice -b 10% -i d9 true 2>&1 | sed 's/[.][0-9]*:/.P:/'; vifs)" \
		'netnice: d9/netnice.P: 10% of what? No VIF above has a bandwidth for egress, and d9 does not report its link speed: give a rate'
	check_eq '10x%' "$(netnice -b 10x% -i d9 true 2>&1 | sed 's/[.][0-9]*:/.P:/')" \
		"netnice: d9/netnice.P: '10x%' is not valid: use more than 0% and up to 100%"
	ip link del d9
}

# tc's bps are bytes: said to who sits there
bytes_or_bits() {
	local want='netnice: 10Mbps is 80mbit: bps are bytes per second, as to tc(8); bits are 10Mbit'
	check_eq '10Mbps, no terminal: nothing is said' "$(netnice -b 10Mbps -i eth0 true 2>&1)" ''
	check_eq '10Mbps, a terminal: once' "$(script -qc 'netnice --up 10Mbps --down 10Mbps -i eth0 true' /dev/null | tr -d '\r')" "$want"
	check_eq '10Mbps, vifctl' "$(script -qc 'vifctl set eth0 bandwidth egress 10Mbps; vifctl set eth0 bandwidth max' /dev/null | tr -d '\r')" "${want/netnice/vifctl}"
	check_eq '10MB/s: nothing to say' "$(script -qc 'netnice -b 10MB/s -i eth0 true' /dev/null)" ''
	gone 'bytes or bits'
}

# -n NAME, also if the name is taken
named() {
	makes '-n' 'eth0/web eth1/web' -n web -b 1m
	check_eq '-n: attached' "$(vif_attached $pid eth0)" ../../eth0/web
	check_eq '-n, the name is taken' "$(netnice -n web true 2>&1; echo $?)" \
		$'netnice: eth0: VIF eth0/web already exists: give another name, or none\n125'
	check_eq '-n, taken on the second device: nothing is left' "$(netnice -n web -i lo -i eth1 true 2>&1; vifs)" \
		$'netnice: eth1: VIF eth1/web already exists: give another name, or none\neth0/web eth1/web'
	check_eq '-n as a user, the name is taken above' "$(as_user netnice -n web -i eth0 readlink $top/tasks/self/eth0)" \
		../../eth0/user-1000/web
	stop $pid
	makes '-n, any bytes' "eth0/a ;\$" -n 'a ;$' -i eth0
	stop $pid
	gone 'all of them'
}

# says_no_effect NAME WANT OPTION...: the devices of which it says so
says_no_effect() {
	local name=$1 want=$2
	shift 2
	check_eq "no effect: $name" "$(netnice "$@" true 2>&1 >/dev/null | sed -n 's/^netnice: \(.*\): minimum, weight and priority have no effect.*/\1/p' |
		paste -s -d ' ')" "$want"
}

no_effect() {
	settle
	says_no_effect 'no limit above' 'eth0 eth1' -w 200
	says_no_effect 'a bandwidth only' '' -b 1m
	says_no_effect 'a minimum' 'eth0 eth1' -m 1m
	echo egress 8m >$eth0/bandwidth
	says_no_effect 'a limit above' eth1 -p 3
	says_no_effect 'a limit above, of the other direction' 'eth0 eth1' -p 3 -r
	mkdir $eth0/web
	check_eq 'no effect: a limit further above' "$(in_vif $eth0/web netnice -w 7 -i eth0 true 2>&1)" ''
	ok 'no effect: what was made there is gone' busywait 1 rmdir $eth0/web
	echo max >$eth0/bandwidth
	tc qdisc replace dev eth0 root netnice
	says_no_effect 'the device drains' eth1 -w 200
	says_no_effect 'the device drains what is sent only' eth0 -w 200 -r -i eth0
	tc qdisc del dev eth0 root
	check_eq 'no effect: it goes on' "$(netnice -w 2 -i eth0 echo hello 2>/dev/null)" hello
	gone 'no effect'
}

# shown NAME WANT COMMAND...: prints, with P for the process number
shown() {
	local name=$1 want=$2
	shift 2
	check_eq "$name" "$("$@" 2>&1 | sed -E 's/netnice\.[0-9]+/netnice.P/g')" "$want"
}

quiet() { "$@" 2>/dev/null; }

showing() {
	settle
	shown '--show, attached to nothing' $'eth0\neth1' netnice --show
	shown '--show, inside' $'eth0/netnice.P/netnice.P bandwidth 1mbit\n  in eth0/netnice.P weight egress 7 ingress 100\n  in eth0' \
		quiet netnice -w 7 -e -i eth0 netnice -b 1m -i eth0 netnice --show -i eth0
	start netnice -b 1m -p 2 -n shown sleep 1000
	busywait 10 test -e $top/tasks/$pid/eth1
	shown '--show --pid' $'eth0/shown bandwidth 1mbit priority 2\n  in eth0\neth1/shown bandwidth 1mbit priority 2\n  in eth1' \
		netnice --show --pid $pid
	fails "--show --pid, another's" as_user netnice --show --pid $pid
	stop $pid
	gone '--show'
}

# --cgroup and --socket: they are attached themselves
others() {
	local fd group=/sys/fs/cgroup/nn
	settle
	mountpoint -q /sys/fs/cgroup || { mount -t cgroup2 cgroup2 /sys/fs/cgroup && defer umount /sys/fs/cgroup; }
	mkdir -p $group/sub
	ok '--cgroup' netnice -b 1m -i eth0 --cgroup nn
	check_eq '--cgroup: attached, and the VIF is there' "$(readlink $top/cgroups/nn/eth0) $(vifs)" '../../eth0/netnice.nn eth0/netnice.nn'
	ok '--cgroup, again, by its whole path' netnice -b 2m -i eth0 -n inner --cgroup $group/
	check_eq '--cgroup, again: below the first' "$(readlink $top/cgroups/nn/eth0)" ../../eth0/netnice.nn/inner
	ok '--cgroup, one below' netnice -b 2m -i eth0 --cgroup nn/sub
	check_eq '--cgroup, one below: below the VIF of that above it' "$(readlink $top/cgroups/nn/sub/eth0)" \
		../../../eth0/netnice.nn/inner/netnice.sub
	check_eq '--show --cgroup' "$(netnice --show -i eth0 --cgroup nn/sub)" \
		$'eth0/netnice.nn/inner/netnice.sub bandwidth 2mbit\n  in eth0/netnice.nn/inner bandwidth 2mbit\n  in eth0/netnice.nn bandwidth 1mbit\n  in eth0'
	check_eq '--cgroup, a bad rate: all is as it was' "$(netnice -b fast -i eth0 --cgroup nn/sub 2>/dev/null; readlink $top/cgroups/nn/sub/eth0)" \
		../../../eth0/netnice.nn/inner/netnice.sub
	fails '--cgroup, as a user' as_user netnice -b 1m --cgroup nn
	rmdir $group/sub $group
	gone '--cgroup: the groups have gone'
	group+=$(printf 'g%.0s' {1..100})
	mkdir "$group"
	ok '--cgroup, a long name' netnice -i eth0 --cgroup "${group##*/}"
	check_eq '--cgroup, a long name: cut off' "$(vifs)" "eth0/netnice.nn$(printf 'g%.0s' {1..41})"
	rmdir "$group"
	gone '--cgroup, a long name'
	exec {fd}<>/dev/udp/10.0.0.2/9
	ok '--socket' netnice -b 1m -i eth0 --socket $$:$fd
	check_eq '--socket: attached' "$(readlink $top/tasks/$$/sockets/$fd/eth0) $(vifs)" "../../../../eth0/netnice.$$:$fd eth0/netnice.$$:$fd"
	check_eq '--socket: its process is not' "$(links_of $$)" ''
	ok '--socket, again' netnice -w 5 -i eth0 -n inner --socket $$:$fd
	check_eq '--show --socket' "$(netnice --show -i eth0 --socket $$:$fd)" \
		"eth0/netnice.$$:$fd/inner weight 5"$'\n'"  in eth0/netnice.$$:$fd bandwidth 1mbit"$'\n  in eth0'
	fails "--socket, as a user, of another's process" as_user netnice -b 1m --socket $$:$fd
	exec {fd}<&-
	gone '--socket: it is closed'
}

nesting() {
	settle
	start netnice -b 2m -i eth0 sh -c 'netnice -b 1m sleep 1000 & sleep 1000'
	busywait 10 members_below $pid
	check_eq 'netnice inside netnice' "$(vifs | sed "s/$pid/P/g; s/$(pgrep -P $pid -f 'sleep 1000' | head -1)/C/g")" \
		'eth0/netnice.P eth0/netnice.P/netnice.C eth1/netnice.C'
	pkill -P $pid
	stop $pid
	gone 'both'
	makes 'netnice of netnice' 'eth0/netnice.P eth0/netnice.P/netnice.P' -b 2m -i eth0 netnice -b 5m -i eth0
	limits 'the inner one' $eth0/netnice.$pid/netnice.$pid/bandwidth 5mbit 5mbit
	stop $pid
	gone 'both'
	background peer traffic sink udp 9001 >/dev/null
	meter_start nested eth0 --in --port 9001 --seconds 4
	netnice -b 1m netnice -b 5m traffic send udp 10.0.0.2 9001 --rate 3m --seconds 5 >/dev/null &
	wait "${meter_nested:?}"
	check_near 'it has no more than the outer one' "$(meter nested rate_bit_per_s)" 1000000 2
	wait $!
}
members_below() { grep -q . "$eth0/netnice.$1"/netnice.*/tasks; }

# result NAME STATUS WORDS COMMAND...: its status, and a sentence that it says; WORDS: '': none
result() {
	local name=$1 want=$2 words=$3 out
	shift 3
	out=$("$@" 2>&1 >/dev/null)
	check_eq "$name: status" $? "$want"
	if [ -z "$words" ]; then
		check_eq "$name: nothing to say" "$out" ''
	elif grep -qE "^netnice: .*($words)" <<<"$out"; then
		pass "$name: it is said"
	else
		fail "$name: it is said" "want: $words" "got:  $out"
	fi
}

# --pid: a process with children of its own
running() {
	local child
	settle
	start sh -c 'sleep 1000 & while :; do sleep 0.05; done'
	busywait 10 pgrep -P $pid -f 'sleep 1000'
	child=$(pgrep -P $pid -f 'sleep 1000')
	result '--pid' 0 '' netnice -b 1m -i eth0 --pid $pid
	check_eq '--pid: the VIF' "$(vifs)" eth0/netnice.$pid
	ok '--pid: attached' has_member $pid $eth0/netnice.$pid
	ok '--pid: children of before are, too' has_member "$child" $eth0/netnice.$pid
	ok '--pid: later ones are' busywait 5 members_are 3
	result '--pid again' 0 '' netnice -b 2m -i eth0 -r --pid $pid
	check_eq '--pid again: the same VIF' "$(vifs)" "eth0/netnice.$pid"
	limits '--pid again: what was given is set' $eth0/netnice.$pid/bandwidth 1mbit 2mbit
	result '--pid again, on more devices' 0 '' netnice -u 3m -d 4m --pid $pid
	check_eq '--pid again, on more devices: one each' "$(vifs)" "eth0/netnice.$pid eth1/netnice.$pid"
	limits '--pid again, on more devices: -u and -d' $eth0/netnice.$pid/bandwidth 3mbit 4mbit
	result '--pid again, wrong on the last device' 125 'not a rate' netnice -b fast -i eth0 --pid $pid
	echo 9m >$top/eth1/bandwidth
	result '--pid again, 50% of nothing on one' 125 'of what' netnice -b 50% -i eth1 -i lo --pid $pid
	echo max >$top/eth1/bandwidth
	limits '--pid again, an error: as it was' $top/eth1/netnice.$pid/bandwidth 3mbit 4mbit
	result '--pid of the child: below' 0 '' netnice -b 1m -i eth0 --pid "$child"
	result '--pid again: children are below it' 0 '' netnice -b 5m -i eth0 --pid $pid
	check_eq '--pid again: they keep their VIFs' "$(vif_attached "$child" eth0)" "../../eth0/netnice.$pid/netnice.$child"
	result '--pid of the child, more than there is above' 0 'a VIF above has a bandwidth of 5mbit for egress, which still holds' \
		netnice -b 20m -i eth0 --pid "$child"
	mkdir $eth0/web
	echo "$child" >$eth0/web/tasks
	result '--pid again: a child elsewhere' 3 "eth0: PID $child, which PID $pid has started, is not limited by this: it stays in eth0/web" \
		netnice -b 6m -i eth0 --pid $pid
	result '--off' 0 '' netnice --off --pid $pid
	ok '--off: its VIFs have gone' busywait 5 vifs_are eth0/web
	result '--off, again' 3 "PID $pid: netnice has made no VIF for it" netnice --off --pid $pid
	result '--off of what is elsewhere' 3 'netnice has made no VIF for it' netnice --off --pid "$child"
	rm "$top/tasks/$child/eth0"
	rmdir $eth0/web
	mkdir $eth0/netnice.$pid
	ok '--pid, the name is taken' netnice -b 1m -i eth0 --pid $pid
	check_eq '--pid, the name is taken: the next one' "$(vif_attached $pid eth0)" ../../eth0/netnice.$pid.2
	ok '--pid, the name is taken: again' netnice -b 2m -i eth0 --pid $pid
	limits '--pid, the name is taken: that is set' $eth0/netnice.$pid.2/bandwidth 2mbit 2mbit
	pkill -P $pid
	stop $pid
	rmdir $eth0/netnice.$pid
	gone '--pid: the process has ended'
}

# A process that is limited by its control group, before and after
running_in_group() {
	local group=/sys/fs/cgroup/off
	settle
	mkdir $group $eth0/web
	start bash -c "echo 0 >$group/cgroup.procs; exec sleep 1000"
	busywait 10 grep -qx $pid $group/cgroup.procs
	ln -s $eth0/web $top/cgroups/off/
	result '--pid in a control group' 0 '' netnice -b 1m -i eth0 --pid $pid
	check_eq '--pid in a control group: below its VIF' "$(vif_attached $pid eth0)" "../../eth0/web/netnice.$pid"
	result '--off in a control group' 0 '' netnice --off -i eth0 --pid $pid
	check_eq '--off in a control group: it has no attachment of its own' "$(vif_attached $pid eth0)" ''
	stop $pid
	rm $top/cgroups/off/eth0
	busywait 5 rmdir $group
	rmdir $eth0/web
	gone '--off in a control group'
}

# What an administrator has given stays above what a user sets; --off takes back one's own.
running_users() {
	local user=$eth0/netnice.P/user-1000/netnice.P
	settle
	start "${user_prefix[@]}" sleep 1000
	busywait 10 grep -qx sleep "/proc/$pid/comm"
	user=${user//P/$pid}
	result "root's --pid of a user's process" 0 '' netnice -b 1m -i eth0 --pid $pid
	result 'the user wants more' 0 'a VIF above has a bandwidth of 1mbit for egress, which still holds' \
		in_vif $eth0/netnice.$pid "${user_prefix[@]}" netnice -b 20m -i eth0 --pid $pid
	limits 'the user wants more: below' "$user/bandwidth" 20mbit 20mbit
	limits "the user wants more: root's stays" $eth0/netnice.$pid/bandwidth 1mbit 1mbit
	result 'the user wants less' 0 '' as_user netnice -b 500k -i eth0 --pid $pid
	limits 'the user wants less: the same VIF' "$user/bandwidth" 500kbit 500kbit
	result "the user's --off" 0 'a VIF above has a bandwidth of 1mbit' as_user netnice --off -i eth0 --pid $pid
	ok "the user's --off: root's limit is left" busywait 5 vifs_are "eth0/netnice.$pid"
	check_eq "the user's --off: the process is in it" "$(vif_attached $pid eth0)" "../../eth0/netnice.$pid"
	stop $pid
	gone "a user's and root's"
}

# A program of several processes, and one in another network namespace
programs() {
	local first
	settle
	cp /bin/bash "$tmp/browser"
	"$tmp/browser" -c "$tmp/browser -c 'sleep 1000; :' & wait" >/dev/null 2>&1 &
	first=$!
	busywait 10 pgrep -f -x 'sleep 1000'
	pid=$(pgrep -P $first)
	result '--pid of the last process of a program' 0 "PID $pid is not the first process of browser, .*: --pid $first takes all" \
		netnice -b 1m -i eth0 --pid "$pid"
	result '--pid of its first process' 0 '' netnice -b 1m -i eth0 --pid $first
	check_eq '--pid of its first process: all are in it' "$(cat $eth0/netnice.$first/tasks $eth0/netnice.*/netnice.*/tasks 2>/dev/null | wc -l)" 3
	pkill -x -f 'sleep 1000'
	{ wait $first; } 2>/dev/null
	ip link add ifb9 type ifb 2>/dev/null &&
		result '-i, an ifb' 3 'ifb9: .* an ifb does not know the process' netnice -b 1m -i ifb9 --pid $$ &&
		netnice --off --pid $$ && ip link del ifb9
	result 'an option that is none' 125 "did you mean '--bandwidth'[?]" netnice --bandwith 1m true
	start unshare --net sleep 1000
	busywait 10 grep -qx sleep "/proc/$pid/comm"
	result '--pid in another network namespace' 3 "PID $pid is in another network namespace" netnice -b 1m -i eth0 --pid $pid
	stop $pid
	gone 'programs'
}

# comes DEVICE...: they come up
comes() {
	local device
	for device; do
		ip link show "$device" >/dev/null 2>&1 || ip link add "$device" type dummy
		ip link set "$device" up
	done
}
# limited VIF EGRESS: its bandwidth
limited() { [ "$(head -1 "$top/$1/bandwidth" 2>/dev/null)" = "egress $2" ]; }
# has_members COUNT VIF
has_members() { [ "$(wc -l <"$2/tasks")" -eq "$1" ]; }
# no_followers: of processes that follow others to devices that come up
no_followers() { ! pgrep '^netnice[.][0-9]' >/dev/null; }

# Devices that come up while it runs
later() {
	local child outer
	settle
	start netnice -b 1m sh -c 'sleep 1000 & netnice -b 300k -i eth0 sleep 1000 & wait'
	busywait 10 members_are 3
	child=$(pgrep -P $pid -f -x 'sleep 1000' | head -1)
	comes late1
	ok 'a device that comes up later: limited' busywait 5 limited late1/netnice.$pid 1mbit
	ok 'a device that comes up later: with its children' busywait 5 has_member "$child" $top/late1/netnice.$pid
	ok 'a device that comes up later: all of them' busywait 5 has_members 3 "$top/late1/netnice.$pid"
	echo 2m >$eth0/netnice.$pid/bandwidth
	ip link set late1 down
	ip link set late1 name late0
	comes late0 late2
	ok 'another one: the present settings' busywait 5 limited late2/netnice.$pid 2mbit
	limits 'a device that is renamed: as it was' $top/late0/netnice.$pid/bandwidth 1mbit 1mbit
	ip link del late2
	comes late2
	ok 'a device that comes again' busywait 5 limited late2/netnice.$pid 2mbit
	pkill -P $pid
	stop $pid
	gone 'a device that comes up later'
	ok 'nothing follows it any more' busywait 5 no_followers
	ip link del late0
	ip link del late2

	start netnice -b 3m netnice -b 1m sleep 1000
	outer=netnice.$pid
	busywait 10 test -e "$eth0/$outer/netnice.$pid/bandwidth"
	comes late1
	ok 'nested: the outer one' busywait 5 limited "late1/$outer" 3mbit
	ok 'nested: the inner one below it' busywait 5 limited "late1/$outer/netnice.$pid" 1mbit
	ok 'nested: the process is there' busywait 5 has_member $pid "$top/late1/$outer/netnice.$pid"
	stop $pid
	gone 'nested'
	ip link del late1

	start "${user_prefix[@]}" netnice -b 1m sleep 1000
	busywait 10 test -e "$eth0/user-1000/netnice.$pid/bandwidth"
	comes late1
	ok "a user's: limited" busywait 5 limited "late1/user-1000/netnice.$pid" 1mbit
	stop $pid
	gone "a user's"
	ip link del late1

	start sleep 1000
	result '--pid' 0 '' netnice -b 1m --pid $pid
	result '--pid again' 0 '' netnice -b 2m --pid $pid
	check_eq '--pid: one process follows it' "$(pgrep -c -x "netnice.$pid")" 1
	comes late1
	ok '--pid: limited' busywait 5 limited "late1/netnice.$pid" 2mbit
	netnice --off --pid $pid
	ok '--off: nothing is left' busywait 5 no_vifs
	comes late2
	stop $pid
	ok '--off: nothing follows it any more' busywait 5 no_followers
	ip link del late1
	ip link del late2
	mkdir -p /sys/fs/cgroup/later
	result '--cgroup' 0 'devices that come up later are not limited' netnice -b 1m --cgroup later
	rmdir /sys/fs/cgroup/later
	gone '--cgroup'
	start netnice -b 1m -i eth0 sleep 1000
	ok '-i: nothing follows it' no_followers
	stop $pid
}

# -v: how much went by each device
verbose() {
	settle
	check_eq '-v: exit status' "$(netnice -v -i eth0 sh -c 'exit 42' 2>/dev/null; echo $?)" 42
	check_eq '-v: exit status, killed' "$(netnice -v -i eth0 sh -c 'kill $$' 2>/dev/null; echo $?)" 143
	check_eq '-v: exit status, not found' "$(netnice -v -i eth0 none 2>/dev/null; echo $?)" 127
	netnice -v -b 1m -i eth0 sh -c 'sleep 1000 & echo $!' >"$tmp/out" 2>/dev/null
	pid=$(cat "$tmp/out")
	limits '-v: a process that stays keeps its limit' "$top/tasks/$pid/eth0/bandwidth" 1mbit 1mbit
	kill "$pid"
	gone '-v: and its VIF'
	netnice -v -b 1m sh -c "ip link add late up type dummy; until [ -d $top/late/netnice.* ]; do sleep 0.1; done" 2>"$tmp/err"
	ok '-v: nothing' grep -qE '^netnice: eth1: no traffic passed this device in [0-9.e-]+ s$' "$tmp/err"
	ok '-v: nothing by any device' grep -q 'nothing was limited: packets to addresses of this machine pass lo' "$tmp/err"
	ok '-v: a device that came up later' grep -q '^netnice: late: no traffic passed this device' "$tmp/err"
	ip link del late
	netnice -v --up 1m -i eth0 traffic send udp 10.0.0.2 9 --rate 2m --seconds 1 >/dev/null 2>"$tmp/err"
	note "$(cat "$tmp/err")"
	ok '-v: sent' grep -qE '^netnice: eth0: sent [0-9]{5,} bytes in [0-9]+ packets, .*bit/s, queued for .* on average, at most .*.*; received [0-9]+ bytes in' "$tmp/err"
	ip link set lo up
	netnice -v -b 4kB/s -i lo traffic send udp 127.0.0.1 9 --rate 10m --seconds 1 >/dev/null 2>"$tmp/err"
	note "$(cat "$tmp/err")"
	check 'lo: no more than some packets of an Ethernet pass at once' \
		"$(sed -n 's/.*lo: sent \([0-9]*\) bytes.*/\1/p' "$tmp/err") < 20000"
	start sleep 1000
	check_eq '-v --pid: where it is' "$(netnice -v -b 1m -i eth0 --pid $pid)" "eth0/netnice.$pid bandwidth 1mbit"$'\n  in eth0'
	stop $pid
	gone '-v'
}

setup_more() {
	ip link add eth1 type veth peer name eth1 netns peer
	ip link add eth2 type veth peer name eth2 netns peer
	defer ip link del eth2
	defer ip link del eth1
	ip link set eth1 up
	peer ip link set eth1 up
}

begin
setup_veth
setup_more
need netnice
statuses
environment
signals
terminal
killed_early KILL
killed_early TERM
killed_anywhere
daemons
options
contradictions
percentages
bytes_or_bits
named
no_effect
showing
others
nesting
running
running_in_group
running_users
programs
later
verbose
