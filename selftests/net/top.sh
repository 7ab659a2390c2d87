#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# vifctl top, in a real terminal (tmux) as on a screen, and without one: rates,
# order, filter, sockets, sizes; and the terminal is what it was, however it ends.
# lab: virtual, timeout=1800, kernels=new, check=none, budget=37
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"

export LC_ALL=C.UTF-8
top=/proc/network
eth0=$top/eth0
rate=2000000

# --- a terminal ---------------------------------------------------------------------

# of the screen, and what is typed
term() { tmux -L top -f /dev/null "$@"; }
screen() { term capture-pane -p; }
press() { term send-keys "$@"; }

# run LINE: at a shell's prompt
run() { press -l "$1" && press Enter; }

no_server() { ! term has-session 2>/dev/null; }

# look COLUMNS LINES: a terminal of that size, with a shell
look() {
	term kill-server
	busywait 5 no_server
	rm -f "$tmp/bytes"
	term new-session -d -x "$1" -y "$2" "env PS1='$ ' PATH=$PATH LC_ALL=$LC_ALL bash --norc -i"
	term set -g status off
	term resize-window -x "$1" -y "$2"
	term pipe-pane "cat >$tmp/bytes"
	busywait 20 seen '^\$'
}

# seen PATTERN: on the screen now, each line by itself
seen() { screen | grep -Eq -- "$1"; }
unseen() { ! seen "$1"; }

# shows NAME PATTERN: soon
shows() { soon "$1" seen "$2"; }
soon() {
	local name=$1
	shift
	if busywait 20 "$@"; then
		pass "$name"
	else
		fail "$name" "failed: $*" "$(screen)"
	fi
}

# order_of: the VIFs as they are on the screen, without their branches
order_of() {
	screen | sed '$d' | sed -n '/^VIF/,/SOCKET/p' | sed '1d; /SOCKET/d; s/^[ │├└─|`-]*//' |
		awk 'NF { printf "%s%s", sep, $1; sep = " " }'
}
has_order() { [ "$(order_of)" = "$1" ]; }

# figure NAME: the screen as it is, for those who draw it; see "lab figure"
figure() { term capture-pane -p -e -N | sed "s/\x1b/\\\\e/g; s/^/# figure: $1 /"; }

# widest FILE: the longest line of what was sent to the terminal
widest() {
	local line max=0
	while IFS= read -r line; do
		[ ${#line} -le "$max" ] || max=${#line}
	done < <(sed 's/\x1b\[[0-9]*;1H/\n/g' "$1" | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/\r//g')
	echo "$max"
}

# is_restored: the shell's own screen, with a cursor, and the settings of before
is_restored() {
	[ "$(term display-message -p '#{alternate_on} #{cursor_flag}')" = '0 1' ] || return
	run 'stty -g >settings.now; cmp settings settings.now && echo the"se are" equal'
	busywait 10 seen '^these are equal'
}

# --- what is looked at ----------------------------------------------------------------

# flow VIF: as fast as it may
flow() { background "${in_vif_prefix[@]}" "$1" socat -u /dev/zero TCP:10.0.0.2:7; }

is_flowing() { [ "$(vif_stat $eth0/web/video egress_packets)" -gt 100 ] && [ "$(vif_stat $eth0/bulk egress_packets)" -gt 100 ]; }

prepare() {
	mkdir $eth0/web $eth0/web/video $eth0/bulk $eth0/idle
	echo 2m >$eth0/web/bandwidth
	echo 500k >$eth0/bulk/bandwidth
	background peer socat -u TCP-LISTEN:7,fork,reuseaddr /dev/null
	busywait 20 peer bash -c ': <>/dev/tcp/10.0.0.2/7'
	flow $eth0/web/video
	video=$!
	flow $eth0/bulk
	bulk=$!
	busywait 60 is_flowing || note "nothing flows: $(vifctl stat eth0)"
}

# --- as lines -----------------------------------------------------------------------------

# of_vif PATH JQ: from what top -j says
of_vif() { jq -r --arg path "$1" ".vifs[] | select(.path == \$path) | $2" "$tmp/json"; }

as_lines() {
	vifctl -j top -s -n 2 -d 2 dev eth0 >"$tmp/json"
	check_eq 'JSON: fits the schema' "$(jq -r --slurpfile schema "$net_dir/vifctl.schema.json" --arg name top \
		-f "$net_dir/schema.jq" "$tmp/json" 2>&1)" ''
	check_eq 'JSON: an object each time' "$(jq -s length "$tmp/json")" 2
	check_near 'JSON: the interval' "$(jq -s '.[1].interval_ms' "$tmp/json")" 2000 10
	check_near 'JSON: the rate' "$(of_vif eth0/web '.egress.bytes_per_s * 8' | tail -1)" $rate 10
	check_eq 'JSON: the limit' "$(of_vif eth0/web '.egress.limit_bytes_per_s' | tail -1)" $((rate / 8))
	check_eq 'JSON: VIFs' "$(jq -sr '.[1].vifs | map(.path) | join(" ")' "$tmp/json")" \
		'eth0 eth0/bulk eth0/idle eth0/web eth0/web/video'
	check 'JSON: it waits' "$(of_vif eth0/web/video .egress.backlog_bytes | tail -1) > 1000"
	check 'JSON: as long as that takes' "$(of_vif eth0/web/video .egress.delay_mean_ns | tail -1) > 4e6"
	check 'JSON: p99 is more than the mean' "$(of_vif eth0/web/video '"\(.egress.delay_p99_ns) > \(.egress.delay_mean_ns)"' |
		tail -1)"
	check_eq 'JSON: nothing waits elsewhere' "$(of_vif eth0/idle .egress.delay_p99_ns | tail -1)" null
	check_eq 'JSON: the socket has its process' "$(of_vif eth0/web/video '.sockets[].pid' | tail -1)" $video
	check_near 'JSON: what it has sent, without headers' "$(of_vif eth0/web/video '.sockets[].sent_bytes_per_s * 8' | tail -1)" \
		$((rate * 1448 / 1514)) 10
	check_eq 'JSON: it has received nothing' "$(of_vif eth0/web/video '.sockets[].received_bytes_per_s' | tail -1)" 0
	check_eq 'JSON: no socket above' "$(of_vif eth0/web '.sockets | length' | tail -1)" 0
	vifctl top -n 2 -d 0.5 eth0/web eth0/web/video eth0/idle >"$tmp/out"
	check_eq 'lines: VIFs, each once' "$(awk 'NF && $1 != "VIF" { print $1 }' "$tmp/out" | paste -s -d ' ')" \
		'eth0/idle eth0/web eth0/web/video eth0/idle eth0/web eth0/web/video'
	fails 'lines: nothing steers a terminal' grep -q $'\e' "$tmp/out"
	vifctl top -s -n 1 eth0/web >"$tmp/out"
	ok 'lines: the socket' grep -Eq "^  tcp established 10.0.0.1:[0-9]+ 10.0.0.2:7 pid $video socat cwnd [0-9]+ srtt [0-9.]+[mu]?s retransmissions [0-9]+ rate [0-9.]+[kM]? sent [0-9.]+[kM]? received 0\$" "$tmp/out"
	chmod 700 $eth0/idle
	ok 'as a user: a hidden VIF' grep -Eq '^eth0/idle( +[?]){5}$' <(as_user vifctl top -n 1 -d 0.1 eth0)
	ok 'as a user: a visible VIF' grep -Eq '^eth0/bulk +[0-9]' <(as_user vifctl top -n 1 -d 0.1 eth0)
	chmod 755 $eth0/idle
	check_eq 'TERM=dumb is no terminal' "$(TERM=dumb vifctl top -n 1 -d 0.1 eth0/idle | head -1 | cut -c1-3)" VIF
}

wrong_words() {
	local words
	while IFS='|' read -r words said; do
		# shellcheck disable=SC2086
		ok "top $words" grep -Fq -- "$said" <(vifctl top $words 2>&1)
	done <<-'END'
		eth0/none|vifctl: top: no VIF 'eth0/none'
		dev none|vifctl: top: no device 'none'
		eth0 none|vifctl: top: no VIF 'none'
		-n peer|not a count: 'peer': use a whole number from 1 (a network namespace stands before "top")
		-n 0|not a count: '0'
		-d 0|not an interval: '0': use 0.1 to 3600 seconds
		-d nan|not an interval: 'nan'
		-d 1x|not an interval: '1x'
		--interval|--interval needs an argument
		-x|unknown option '-x'
	END
}

# Sockets that belong to VIFs for other reasons than their process
sockets() {
	local fd
	mkdir -p /sys/fs/cgroup/top/below
	background bash -c 'echo $$ >/sys/fs/cgroup/top/below/cgroup.procs; exec socat -u TCP:10.0.0.2:7 /dev/null'
	group=$!
	exec {fd}<>/dev/tcp/10.0.0.2/7
	vifctl attach eth0/idle cgroup top
	vifctl attach eth0/bulk socket $$:$fd
	vifctl -j top -s -n 1 -d 0.1 eth0 >"$tmp/json"
	check_eq 'sockets: that are attached themselves' "$(of_vif eth0/bulk '.sockets | length')" 2
	check_eq 'sockets: made in a group below one' "$(of_vif eth0/idle '.sockets | length')" 1
	vifctl attach eth0/web process $group
	vifctl -j top -s -n 1 -d 0.1 eth0 >"$tmp/json"
	check_eq 'sockets: of a process in such a group' "$(of_vif eth0/web '.sockets[].pid')" $group
	check_eq 'sockets: the group has no other' "$(of_vif eth0/idle '.sockets | length')" 0
	vifctl detach eth0/idle cgroup top
	vifctl detach eth0/bulk socket $$:$fd
	stop $group
	exec {fd}<&-
	rmdir /sys/fs/cgroup/top/below /sys/fs/cgroup/top
}

# A download is what is received, limited or not
downloads() {
	local got
	mkdir $eth0/down
	echo ingress 1m >$eth0/down/bandwidth
	background peer socat -u /dev/zero TCP-LISTEN:8,fork,reuseaddr
	busywait 20 peer ss -Hltn 'sport = 8' | grep -q .
	background "${in_vif_prefix[@]}" $eth0/down socat -u TCP:10.0.0.2:8 /dev/null
	got=$!
	busywait 60 eval '[ "$(vif_stat $eth0/down ingress_packets)" -gt 50 ]'
	vifctl -j top -s -n 2 -d 4 eth0/down >"$tmp/json"
	check_near 'a download: what is received' "$(of_vif eth0/down '.sockets[].received_bytes_per_s * 8' | tail -1)" \
		$((1000000 * 1448 / 1514)) 10
	check_eq 'a download: what is sent' "$(of_vif eth0/down '.sockets[].sent_bytes_per_s' | tail -1)" 0
	stop $got
	ok 'a download: its VIF goes' busywait 60 rmdir $eth0/down
}

records() {
	vifctl -j top -n 2 -d 0.5 --record "$tmp/record" eth0/web eth0/bulk >"$tmp/json"
	check_eq 'a record, shown again' "$(vifctl -j top --replay "$tmp/record")" "$(<"$tmp/json")"
	check_eq 'a record from standard input, one look' "$(vifctl -j top -n 1 --replay - <"$tmp/record")" "$(head -n 1 "$tmp/json")"
	head -c -100 "$tmp/record" >"$tmp/cut"
	check_eq 'a record that is cut off: what is whole' "$(vifctl -j top --replay "$tmp/cut")" "$(head -n 1 "$tmp/json")"
	check_eq 'no record' "$(vifctl top --replay /etc/passwd 2>&1)" 'vifctl: top: /etc/passwd: no record of vifctl top'
	printf 'netnice top 1\n\1\0\0\0\0\0\0\0\34\0\0\0\0\0\0\0\4\0\0\200\40\0\0\0\0\0\0\0\0\0\0\0\1\1\0\0\374\377\1\0eth0' >"$tmp/bad"
	check_eq 'a record with a message of 2 GB' "$(vifctl -j top --replay "$tmp/bad" 2>&1)" 'vifctl: top: record: Bad message'
	check_eq 'no file' "$(vifctl top --replay "$tmp/none" 2>&1)" "vifctl: top: $tmp/none: No such file or directory"
	check_eq 'a record that cannot be written' "$(vifctl top -n 1 -d 0.1 --record /dev/full 2>&1 >/dev/null; echo $?)" \
		$'vifctl: top: record: No space left on device\n2'
	ok 'a record and a VIF' grep -q 'no --record, VIF or -s with it' <(vifctl top --replay "$tmp/record" eth0 2>&1)
	look 80 24
	run "vifctl top --replay $tmp/record"
	shows 'a record on a screen: its end' '^vifctl top: 3 of 3 VIFs.*PAUSED'
	shows 'a record on a screen: rates' '^eth0/web +(1.9|2.0)[0-9]M/2.00M'
	press l 1 m Enter
	shows 'a record on a screen: nothing is set' '^this is a record: nothing can be set'
	press q
}

# what is set from within
setting() {
	look 110 24
	run 'vifctl top dev eth0'
	shows 'the limit beside the rate, and how much is used' '─bulk +[0-9.]+k/500k +[▏▎▍▌▋▊▉█]+ '
	press Down l
	shows 'l: a question' '^bandwidth of eth0/bulk .1m, 10%, max; Esc: as it is.: _'
	press 6 0 0 x BSpace k
	shows 'l: an answer' ': 600k_$'
	press Escape
	soon 'l: Esc' seen '^q quit'
	check_eq 'l: Esc: as it was' "$(head -n 1 $eth0/bulk/bandwidth)" 'egress 500kbit'
	press l
	run 'egress 600k'
	shows 'l: it is set' '^set eth0/bulk bandwidth egress 600k'
	check_eq 'l: so it is' "$(paste -s -d ' ' $eth0/bulk/bandwidth)" 'egress 600kbit ingress 500kbit'
	press w
	run 0
	shows 'w: refused, and why' "^vifctl: set: eth0/bulk: weight: '0' is out of range for a weight"
	press w
	run 7
	shows 'w: set, without an effect' '^vifctl: eth0: .*weight and priority have no effect'
	check_eq 'w: so it is' "$(paste -s -d ' ' $eth0/bulk/weight)" 'egress 7 ingress 7'
	mkdir $eth0/a
	soon 'a VIF comes before it' has_order 'eth0 a bulk idle web video'
	press l
	shows 'l: of the selected one' '^bandwidth of eth0/bulk '
	press Escape Up l
	shows 'l: of the one before' '^bandwidth of eth0/a '
	rmdir $eth0/a
	soon 'it goes' has_order 'eth0 bulk idle web video'
	run 9m
	shows 'l: nothing else is set' '^it is gone: nothing has been set'
	check_eq 'l: so it is not' "$(cat $eth0/bandwidth $eth0/bulk/bandwidth | grep -c 9mbit)" 0
	press Home v
	shows 'v: processes' '^[0-9]+ PROCESSES: eth0 +SOCKS +SENT +RECVD'
	shows 'v: with their VIF and rates' "^$video socat +eth0/web/video +1 +(1.[89]|2.0)[0-9]M +0"
	press Down v v J J J K K K
	shows 'v: of the selected VIF' "^1 PROCESS: eth0/bulk "
	press l
	shows 'l: of a process' '^bandwidth of socat '
	run 300k
	shows 'l: the process has a VIF' "^set process $bulk bandwidth 300k"
	check_eq 'l: its own' "$(link_of $bulk) $(head -n 1 $eth0/bulk/netnice.$bulk/bandwidth)" \
		"../../eth0/bulk/netnice.$bulk egress 300kbit"
	shows 'l: and is seen there' "^$bulk socat +eth0/bulk/netnice.$bulk "
	press w
	run 3
	shows 'w: of the process' "^set process $bulk weight 3"
	check_eq 'w: in the same VIF' "$(head -n 1 $eth0/bulk/netnice.$bulk/weight) $(find $eth0/bulk -name 'netnice*' | wc -l)" 'egress 3 1'
	press q
	soon 'the end' unseen '^vifctl top:'
	vifctl attach eth0/bulk process $bulk
	ok 'its VIF goes' busywait 60 eval '[ ! -e $eth0/bulk/netnice.$bulk ]'
	vifctl set eth0/bulk bandwidth 500k weight 100
}
link_of() { readlink "$top/tasks/$1/eth0"; }

# --- on a terminal ---------------------------------------------------------------------

# pictures COLUMNS LINES: what is seen at this size
pictures() {
	local size=$1x$2
	look "$1" "$2"
	run 'stty -g >settings; echo bef"ore"'
	busywait 10 seen '^before'
	run 'vifctl top dev eth0'
	shows "$size: title" '^vifctl top: 5 of 5 VIFs, every 1 s'
	shows "$size: rates" '└─video +(1.9|2.0)[0-9]M .* [0-9.]+[km]'
	soon "$size: a tree" has_order 'eth0 bulk idle web video'
	shows "$size: pictures of rates" '├─bulk .*[▁▂▃▄▅▆▇█]{3}'
	shows "$size: sockets" "^tcp $bulk socat +[~0-9].*10.0.0.2:7 +[0-9]+ +[0-9.]+[mu]?s +[0-9]+ +[0-9.]+[kMG]"
	check_eq "$size: the keys are at the bottom" "$(screen | sed -n "$2s/ .*//p")" q
	press Down Down Down
	shows "$size: sockets of the selected VIF" '^1 SOCKET: eth0/web '
	press Down Down Down Down
	shows "$size: no further than the last" '^1 SOCKET: eth0/web/video'
	press Up Up Up Up PPage
	shows "$size: all the way up" '^[0-9]+ SOCKETS?: eth0 '
	pause 10
	figure "$size"
	press Enter
	soon "$size: no sockets" unseen SOCKET
	press 2
	soon "$size: by rate" has_order 'eth0 web video bulk idle'
	press r
	soon "$size: the other way round" has_order 'eth0 idle bulk web video'
	press r t
	soon "$size: as a list" has_order 'eth0 eth0/web eth0/web/video eth0/bulk eth0/idle'
	press 1
	soon "$size: by name" has_order 'eth0 eth0/bulk eth0/idle eth0/web eth0/web/video'
	press s s s
	shows "$size: by the next columns" 'vBACKLOG'
	press 1 t a
	soon "$size: only what is active" has_order 'eth0 bulk web video'
	press a / V I D
	soon "$size: filter" has_order 'eth0 web video'
	shows "$size: it is seen" '/VID_'
	press BSpace BSpace BSpace b u Enter
	soon "$size: another filter" has_order 'eth0 bulk'
	shows "$size: it is kept" '/bu$'
	press Escape
	soon "$size: all again" has_order 'eth0 bulk idle web video'
	press p
	shows "$size: paused" PAUSED
	screen >"$tmp/before"
	pause 3
	check_eq "$size: nothing changes" "$(screen)" "$(<"$tmp/before")"
	press p
	soon "$size: it goes on" unseen PAUSED
	press + +
	shows "$size: less often" 'every 4 s'
	press - - -
	shows "$size: more often" 'every 0.5 s'
	press h
	shows "$size: help" '^  q +quit'
	press x
	soon "$size: and back" unseen '^  q +quit'
	mkdir "$eth0/new"$'\e[31m\xff'
	shows "$size: a VIF comes, its name is escaped" 'new\\033\[31m\\377'
	rmdir "$eth0/new"*
	soon "$size: and goes" unseen new
	press Enter
	shows "$size: sockets again" SOCKET
	check "$size: no line is too long" "$(widest "$tmp/bytes") <= $1"
	check "$size: and it is used" "$(widest "$tmp/bytes") >= $1 * 0.9"
	press q
	shows "$size: what was there before" '^before'
	ok "$size: the terminal is what it was" is_restored
}

# ends NAME STATUS HOW...: how it ends
ends() {
	local name=$1 status=$2
	shift 2
	look 80 24
	run 'stty -g >settings'
	run 'vifctl top'
	busywait 20 seen '^vifctl top:'
	pause 1.5
	"$@"
	busywait 20 unseen '^vifctl top:'
	run 'echo sta"tus" $?'
	shows "$name: its status" "^status $status\$"
	ok "$name: the terminal is what it was" is_restored
}

kill_top() { pkill "-$1" -x vifctl; }

stopped() {
	look 80 24
	run 'stty -g >settings'
	run 'vifctl top'
	busywait 20 seen '^vifctl top:'
	press C-z
	shows 'Ctrl-Z: stopped' 'Stopped +vifctl top'
	ok 'Ctrl-Z: the terminal is what it was' is_restored
	run fg
	shows 'fg: back' '^vifctl top:'
	press q
	soon 'fg: the end' unseen '^vifctl top:'
	ok 'fg: the terminal is what it was' is_restored
}

# failing: what netlink says, from some time on
failing() {
	look 80 24
	run 'stty -g >settings'
	run 'strace -qqq -o /dev/null -e trace=sendto -e inject=sendto:error=EPERM:when=20+ vifctl top; echo sta"tus" $?'
	shows 'a failure: its status' '^status 2$'
	shows 'a failure: is told' '^vifctl: top: .*: Operation not permitted'
	ok 'a failure: the terminal is what it was' is_restored
}

# fits COLUMNS: what is drawn from now on
fits() {
	rm -f "$tmp/bytes"
	term pipe-pane "cat >$tmp/bytes"
	press Down
	pause 1
	term pipe-pane
	[ -s "$tmp/bytes" ] && [ "$(widest "$tmp/bytes")" -le "$1" ]
}

# sized: is the last line of the screen that of the keys
sized() { [ "$(screen | sed -n "$1s/ .*//p")" = q ]; }

sizes() {
	local size
	look 80 24
	run 'exec vifctl top'
	busywait 20 seen '^vifctl top:'
	for size in 200:50 80:24 40:10 1:1 3:2 10:4 300:100 60:30; do
		term resize-window -x ${size%:*} -y ${size#*:}
		soon "$size: fits" fits ${size%:*}
		[ ${size#*:} -lt 10 ] || soon "$size: the keys are at the bottom" sized ${size#*:}
	done
}

colours() {
	look 80 24
	run 'vifctl top'
	busywait 20 seen video
	soon 'colours' eval 'term capture-pane -p -e | grep -q "video.*\[32m"'
	press q
	run 'NO_COLOR=1 vifctl top'
	busywait 20 seen '^vifctl top:'
	fails 'NO_COLOR' eval 'sed "1,/NO_COLOR/d" $tmp/bytes | grep -q "\[[0-9;]*3[0-9]m"'
	press q
	look 80 24
	run 'LC_ALL=C vifctl top'
	shows 'ASCII: a tree' '^`-web|^\|-web'
	shows 'ASCII: pictures' '\|-bulk .*[.:=+*%#-]{3}'
	fails 'ASCII: all of it' grep -aPq '[\x80-\xff]' "$tmp/bytes"
	press q
}

begin
setup_veth
need netnice tmux jq socat strace
cd "$tmp" || exit
defer term kill-server
prepare
as_lines
wrong_words
sockets
downloads
records
setting
pictures 80 24
pictures 200 50
ends 'q' 0 press q
ends 'Ctrl-C' 130 press C-c
ends 'SIGQUIT by a key' 131 press "C-\\"
ends 'SIGTERM' 143 kill_top TERM
ends 'SIGHUP' 129 kill_top HUP
stopped
failing
sizes
colours
term kill-server
stop $video $bulk
# a connection that has been closed may still be in its VIF
ok 'nothing is left' busywait 60 find $eth0 -mindepth 1 -depth -type d -exec rmdir {} +
