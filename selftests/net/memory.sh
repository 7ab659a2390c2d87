#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=memory
# lab: kernels=new, timeout=1800, budget=36
#
# The tools under valgrind, and built with ASan and UBSan: they use no memory that is not
# theirs or holds nothing yet, and lose none, also where they fail. What they print and
# do is other tests' matter.
# shellcheck disable=SC2016,SC2034

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemon.sh"

# judge NAME DETAIL...: of all that has run since the last time
judge() {
	local name="$how: $1"
	shift
	if [ ! -e state/ran ]; then
		fail "$name" 'nothing has run' "$@" "$(tail -n 5 out)"
	elif [ -n "$(cat found/* 2>/dev/null)" ]; then
		fail "$name" "$@" "$(tail -n 5 out)" "$(cat found/*)"
	else
		pass "$name"
	fi
	rm -f state/ran found/*
}

# commands: of standard input, a line each: `STATUS COMMAND`
commands() {
	local want line status
	while read -r want line; do
		bash -c "$line" >out 2>&1 </dev/null
		status=$?
		if [ $status -ne "$want" ]; then
			fail "$how: $line" "status $status, want $want" "$(tail -n 5 out)" "$(cat found/* 2>/dev/null)"
			rm -f state/ran found/*
		else
			judge "$line"
		fi
	done
}

# soon NAME COMMAND...: comes true
soon() { busywait 120 "${@:2}" || fail "$how: $1" "not in time: ${*:2}"; }

# tools HOW: vifctl and so on are these from now on
tools() {
	local tool
	how=$1
	for tool in vifctl netnice netniced; do
		{
			echo '#!/bin/bash'
			echo ": >$tmp/state/ran"
			case $how in
			valgrind)
				echo "exec valgrind -q --leak-check=full --show-leak-kinds=definite --log-file=$tmp/found/%p /usr/bin/$tool \"\$@\""
				;;
			asan)
				echo "export ASAN_OPTIONS=log_path=$tmp/found/asan"
				echo "export UBSAN_OPTIONS=print_stacktrace=1:log_path=$tmp/found/ubsan"
				echo "exec -a $tool $net_dir/$tool.asan \"\$@\""
				;;
			esac
		} >bin/$tool
		chmod 755 bin/$tool
	done
}

# --- vifctl: by batches, as to start takes the time ---------------------------------------

vifctl_files() {
	cat >good.batch <<END
help
add help
show
set eth0 bandwidth 1gbit
add -v eth0/web bandwidth egress 10mbit ingress max burst 10ms weight 3 priority 2 local_weight 5 local_priority 1 limit 100p aqm codel target 7ms owner 1000:1000 mode 775
add eth0/web/a bandwidth 256k
set -v eth0/web weight egress 4 ingress 5 aqm none
-v set eth0/web/a bandwidth max autoremove 0
attach -v eth0/web process $$ cgroup / device lo
-s show
-j -p -s show dev eth0
show eth0/web
stat
-j stat eth0/web
stat --prometheus
top -n 2 -d 0.1
top -j -s -n 2 -d 0.1 eth0/web
top -n 2 -d 0.1 --record looks eth0/web
top --replay looks
ls -d -s -h -c
-br ls
stat --human
set -v eth0/web/a bandwidth egress 10% ingress max
attach -v pid $$ eth0/web
move -v eth0/web/a eth0/b
detach -v eth0/web cgroup / device lo process $$
enable --link eth0
disable eth0
del -v eth0/b
END
	cat >bad.batch <<'END'
wonder
vifctl show
add
add eth0
add /proc/network/eth0/x weight 7
add eth0/x/ weight 7
add eth0/x weight
add eth0/x weight 7 weight 8
add eth0/x weight 0
add eth0/x weight 99999999999999999999
add eth0/x priority eight
add eth0/x bandwidth egress
add eth0/x bandwidth egress 1m egress 2m
add eth0/x bandwidth 1q
add eth0/x bandwidth -1
add eth0/x bandwidth 99999999999999999999g
add eth0/x burst 11s
add eth0/x limit 0
add eth0/x aqm codel target
add eth0/x aqm codel target 1ms interval 1us
add eth0/x owner root
add eth0/x owner 1:99999999999
add eth0/x mode 999
add eth0/x autoremove 2
add eth0/x colour red
s
shwo
add eth0/x bandwith 1m
add eth0/x bandwidth 0%
add none0/x bandwidth 10%
attach proces 1 eth0/x
top --replay good.batch
add none0/x
add eth0/nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn
set eth0/none weight 1
set eth0/b
del eth0
del eth0/none
move eth0/none eth0/x
move eth0/web lo/web
attach eth0/web
attach eth0/web process
attach eth0/web process 99999999
attach eth0/web socket 1:99
attach eth0/web socket 1
attach eth0/web cgroup /none
attach eth0/web device none0
detach eth0/web process 1
detach eth0/web device lo
show none0
stat none0
restore none
enable eth0
enable --link none0
disable none0
'open
"a b" 'c d' \
END
	printf 'tree eth0\nvif eth0/c\nbandwidth fast\n' >bad.1
	printf 'vif eth0/c\n"\ntree eth0 \\9\n' >bad.2
	printf 'tree eth0\nvif eth0/c/d\n' >bad.3
}

vifctl_verbs() {
	commands <<'END'
1 vifctl
0 vifctl -b good.batch
1 vifctl -b bad.batch
2 vifctl --force -b bad.batch
0 vifctl save >saved
0 printf 'del --recursive eth0/web\nrestore --dry-run saved\nrestore -v saved\n' | vifctl -b -
2 printf 'restore bad.%s\n' 1 2 3 | vifctl --force -b -
2 vifctl -n nowhere show
2 printf 'show\nadd eth0/mine\nset eth0 weight 7\n' | setpriv --reuid 1000 --clear-groups vifctl --force -b -
END
}

# ended by its reader, as a program that a signal kills does not look for what it lost
vifctl_monitor() {
	local monitor
	rm -f events
	touched() { mkdir /proc/network/eth0/touched && rmdir /proc/network/eth0/touched && grep -q vif-del events; }
	has_ended() {
		touched
		! kill -0 "$monitor"
	}
	reader() {
		local line
		for _ in {1..50}; do read -r line && echo "$line" >>events; done
	}
	(
		trap '' PIPE
		exec vifctl monitor
	) > >(reader) 2>out &
	monitor=$!
	defer stop $monitor
	soon 'vifctl monitor: events' touched
	mv /proc/network/eth0/web /proc/network/eth0/moved
	mv /proc/network/eth0/moved /proc/network/eth0/web
	echo 7 >/proc/network/eth0/web/weight
	soon 'vifctl monitor: its end' has_ended
	judge 'vifctl monitor'
}

vifctl_top() {
	local key
	top_ended() { ! tmux has-session -t top; }
	top_shows() { tmux capture-pane -p -t top | grep -q -- "$1"; }
	tmux new-session -d -s top -x 80 -y 24 "PATH=$PATH vifctl top -s -d 0.5"
	soon 'vifctl top' top_shows BACKLOG
	for key in h h s 2 r t t a a / w e b Enter Escape j k Enter Enter v J K l 1 m Enter w Escape v + - p p; do
		tmux send-keys -t top $key
		pause 0.3
	done
	tmux send-keys -t top q
	soon 'vifctl top: its end' top_ended
	judge 'vifctl top, on a terminal'
}

# --- netnice ---------------------------------------------------------------------------

netnice_others() {
	commands <<END
0 netnice --help
125 netnice
0 netnice --show
0 netnice --show -i eth0 --pid $sleeper
0 netnice --show --cgroup /vt
125 netnice --show --socket $sleeper:0
125 netnice -i none0 -b 1m --pid $sleeper
END
}

# valgrind does not know the way in which these make VIFs: by a child with their memory
netnice_vifs() {
	commands <<END
0 netnice -b 256k true
3 netnice -b 256k -w 3 -p 2 -e -n named -i eth0 sh -c 'exit 3'
0 netnice -r -b 1m -i eth0 -i lo true
0 netnice --down 2MB/s --up 10% -i eth0 true
125 netnice --up 0% -i eth0 true
125 netnice -b 1m --up 2m true
127 netnice -b 256k no-such-program
125 netnice -b fast true
125 netnice -w 10001 true
125 netnice -p 8 true
125 netnice -n a/b -b 1m true
0 netnice -b 1m --pid $sleeper
125 netnice -b 1m --pid 99999999
0 netnice -b 1m --cgroup /vt
125 netnice -b 1m --cgroup /none
125 netnice -b 1m --socket $sleeper:0
0 setpriv --reuid 1000 --clear-groups netnice -b 1m true
END
}

# --- netniced --------------------------------------------------------------------------

netniced_rules() {
	rules '[vif eth0/bulk]
bandwidth = egress 1m
program = name *.example.org and tcp = named; name www.example.net = drop
[vif eth0/bulk/named]
class = 1
[rule one]
exe = /usr/bin/sleep
attach = eth0/bulk
own = bandwidth 256k
[rule two]
user = 1000
cgroup = /vt
attach = eth0/bulk
[rule three]
in = eth0/bulk
rate = above 1k for 1s
attach = eth0'
	commands <<'END'
0 netniced --help
0 netniced --check rules
0 netniced --dry-run -c rules
78 netniced --check none
78 printf '[vif eth0/a\nweight = 0\n[rule]\n[rule x]\nexe = a\nattach = b\nrate = often\n"' >bad.conf; netniced --check bad.conf
78 printf '[vif eth0/a]\nprogram = name a..b = stay\n[vif eth0/b]\nprogram = udp = c; tcp' >bad.conf; netniced --check bad.conf
END
}

netniced_runs() {
	local user
	need_netniced
	for user in 0 1000 0 1000; do
		setpriv --reuid $user --clear-groups sleep 0.2
	done
	for user in 0 1 2; do
		(: </dev/udp/www.example.org/9) 2>/dev/null
	done
	kill -HUP "$daemon"
	soon 'netniced: read again' log_has 'reloaded: '
	netniced_stop
	cp log out
	judge 'netniced: started, events, read again, ended'
}

# --- all ---------------------------------------------------------------------------------

begin
ok 'valgrind runs here' valgrind -q true
need netnice
setup_veth
cd "$tmp" || exit
chmod 755 .
mkdir -m 777 found state
mkdir bin
PATH=$tmp/bin:$PATH
confined=() netniced_options=(-v)
mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
echo nameserver 10.0.0.2 >/etc/resolv.conf
background peer nameserver at 10.0.0.2 garble 100 1 www.example.org 60 10.0.0.3 >"$tmp/nameserver"

vifctl_files
for how in asan valgrind; do
	tools "$how"
	mkdir -p /sys/fs/cgroup/vt
	sleep 1000 &
	sleeper=$!
	defer stop $sleeper
	vifctl_verbs
	vifctl_monitor
	vifctl_top
	netnice_others
	[ "$how" = valgrind ] || netnice_vifs
	netniced_rules
	netniced_runs
	stop $sleeper
	rmdir /sys/fs/cgroup/vt
	series_end eth0
done
