#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=25
# lab: timeout=900, kernels=6.1+new
#
# netniced(8): rules, from their errors to who is attached where. Programs are copies of
# sleep(1) under names of their own. Time is virtual: the daemon has all the time it
# needs between two steps.
# shellcheck disable=SC2016,SC2054

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemon.sh"

top=/proc/network
bulk=$top/eth0/bulk
netniced_options=(-v)

# --- tools --------------------------------------------------------------------------

# reload WORDS: SIGHUP, until the log says WORDS
reload() {
	: >"$tmp/log"
	kill -HUP "$daemon"
	busywait 60 log_has "$1"
}

# start PROGRAM [PREFIX...]: in the background, as $pid, until it sleeps
pids=()
start() {
	local program=$1
	shift
	"$@" "$tmp/$program" 1000 &
	pid=$!
	pids+=("$pid")
	busywait 60 is_asleep "$pid" "$program"
}
is_asleep() { [ "$(cat "/proc/$1/comm")" = "$2" ] && grep -q '^State:.S' "/proc/$1/status"; }

end_all() {
	stop "${pids[@]}"
	pids=()
}

# where PID: the VIF on eth0, or nothing
where() {
	local link
	link=$(vif_attached "$1" eth0)
	echo "${link#../../}"
}
is_in() { [ "$(where "$1")" = "$2" ]; }

# attached NAME PID VIF: is, or comes there
attached() {
	busywait 20 is_in "$2" "$3"
	check_eq "$1" "$(where "$2")" "$3"
}

# stays NAME PID VIF: is there, and still is when the daemon has had its time
stays() {
	pause 1
	check_eq "$1" "$(where "$2")" "$3"
}

no_own() { [ -z "$(find $top/eth0 -name 'netniced.*')" ]; }

# --- rules with errors ----------------------------------------------------------------

# bad RULES WORDS: the error has them, with a place before
bad() {
	local out
	printf '%b' "$1" >"$tmp/bad.conf"
	if out=$(netniced --check "$tmp/bad.conf" 2>&1); then
		fail "an error: $2" 'accepted'
	elif [[ $out =~ ^"$tmp"/bad.conf:[0-9]+:\  && $out == *"$2"* ]]; then
		pass "an error: $2"
	else
		fail "an error: $2" "$out"
	fi
}

errors() {
	local head='[vif eth0/a]\n' rule='[vif eth0/a]\n[rule r]\nexe = /x\nattach = eth0/a\n' out
	bad 'colour = red\n' ':1: colour before any section: want [vif'
	bad '[vif eth0/a\n' ':1: [vif eth0/a: want a ] at the end'
	bad '[what]\n' ':1: unknown section: want [vif DEVICE/NAME] or [rule NAME]'
	bad "${head}red\n" ':2: red: want KEY = VALUE'
	bad "${head}colour = red\n" ":2: unknown key 'colour' of a VIF: want bandwidth,"
	bad "${head}bandwidth =\n" ':2: bandwidth has no value: want bandwidth = VALUE'
	bad "${head}bandwidth = fast\n" 'bandwidth = fast: want a rate from 8kbit'
	bad "${head}bandwidth = 10 mbit\n" 'bandwidth = 10 mbit: want 10mbit, in one word'
	bad "${head}bandwidth = 1k\n" 'bandwidth = 1k: want a rate from 8kbit'
	bad "${head}bandwidth = 1m 2m\n" 'want VALUE for both directions'
	bad "${head}bandwidth = egress 1m egress 2m\n" 'each once'
	bad "${head}minimum = max\n" 'minimum = max: want a rate from 8kbit to 400gbit (256k, 1.5mbit, 2MB/s), or none'
	bad "${head}burst = 0\n" 'burst = 0: want a time up to 3600s'
	bad "${head}aqm = codel target 2ms interval 1ms\n" 'aqm = codel target 2ms interval 1ms: want codel [target TIME]'
	bad "${head}aqm = codel target 5ms target 5ms\n" 'want codel [target TIME]'
	bad "${head}weight = 007\n" 'weight = 007: want a whole number from 1 to 10000'
	bad "${head}weight = 0\n" 'weight = 0: want a whole number from 1 to 10000'
	bad "${head}weight = 1.5\n" 'weight = 1.5: want a whole number'
	bad "${head}priority = 8\n" 'want a whole number from 0 (first) to 7'
	bad "${head}weight = 1\nweight = 1\n" ':3: weight is set a second time'
	bad "${head}${head}" ':2: [vif eth0/a] is there already, at '
	bad "${head}program = tcp\n" "[vif eth0/a]: program: 'tcp': \"= VIF\" is missing behind it: want EXPRESSION = VIF; ..."
	bad "${head}program = udp port x = stay\n" "'udp port x': "
	bad "${head}program = tcp = b\n" 'want stay, drop, or the name of a VIF right below with a section that has a class: [vif eth0/a/b] with class = 1'
	bad "${head}program = name a..b = stay\n" "name: 'a..b' is not valid: use a host name (www.example.org), or *. and a name"
	bad "${head}program = name *.*.org = stay\n" "name: '*.*.org' is not valid"
	bad "${head}program = $(printf 'name n%d or ' {1..65})tcp = stay\n" 'more than 64 names'
	bad '[vif eth0/a/b]\n' 'want [vif eth0/a], too'
	bad '[vif eth0/user-1]\n' 'want names that do not begin with "user-"'
	bad '[vif eth0/netniced.a.1]\n' 'want names that do not begin with "netniced."'
	bad '[vif eth0/tasks]\n' 'want names that no file of a VIF has'
	bad '[vif eth0//a]\n' 'with one slash between names'
	bad '[vif /eth0]\n' 'without a slash before it'
	bad '[rule a.b]\nexe = /x\nattach = eth0\n' 'want a name of up to 24 letters'
	bad '[rule r]\nexe = rsync\nattach = eth0\n' ':2: exe = rsync: want the whole path'
	bad '[rule r]\ncgroup = a ../../b\nattach = eth0\n' 'cgroup = /../../b: want the path of a control group'
	bad '[rule r]\nuser = none-at-all\nattach = eth0\n' 'there is no such user: want a name or a number'
	bad '[rule r]\nunit = nginx\nattach = eth0\n' 'want the name of a unit, with its type'
	bad '[rule r]\nexe = /x\n' 'attaches to nothing: want attach'
	bad '[rule r]\nattach = eth0\n' 'says nothing about who is attached: want exe'
	bad '[rule r]\nexe = /x\nattach = eth0/a\n' 'attaches to eth0/a, which no section makes: want [vif eth0/a], too'
	bad "${rule}attach = eth0\n" 'a second VIF of the same device'
	bad '[vif */a/b]\n' '[vif */a/b] is below a VIF that no section makes: want [vif */a], too'
	bad '[vif */a]\n[vif */a]\n' ':2: [vif */a] is there already, at '
	bad '[rule r]\nexe = /x\nattach = wl*/a\n' 'attaches to wl*/a, which no section makes: want [vif wl*/a], too'
	bad '[rule r]\nin = */a\nattach = eth0\n' ':2: in = */a: want a device by its name'
	bad '[vif */a]\nprogram = tcp = stay\n' ':2: program of [vif */a]: want a device by its name'
	bad '[vif */a]\n[rule r]\nin = eth0\nrate = above 1m for 3s\nattach = */a\n' 'want one VIF in "in" and one in "attach"'
	bad "${rule}own = fast\n" 'own = fast: want yes, or settings of the VIF'
	bad "${rule}own = bandwidth\n" 'bandwidth = : want a rate'
	bad "${rule}per = process\n" 'per goes with own'
	bad "${rule}per = host\n" 'want family (a VIF for a process and its children), process (one for each) or user'
	bad "${rule}user = 1999-1000\n" 'user = 1999-1000: want the lower number first'
	bad "${rule}rate = over 1m for 3s\n" 'rate: want [egress|ingress] above|below RATE for TIME'
	bad "${rule}rate = above 1m for 3s\n" 'want one VIF in "in" and one in "attach"'
	bad "${rule}in = eth1/a\nrate = above 1m for 3s\n" 'want two VIFs of one device'
	bad "${rule}colour = red\n" "unknown key 'colour' of a rule: want exe,"
	bad "${rule}grop = red\n" "or per; did you mean 'group'?"
	bad "${head}bandwith = 1m\n" "or program; did you mean 'bandwidth'?"
	bad "$rule$(printf '%01100d' 0)\n" ':5: more than 1023 bytes: want shorter lines'
	bad '\000\n' ':1: a zero byte: want text'
	bad '[vif eth0/\033[2J]\n' '\x1b'

	printf '[x]\n[vif eth0/a]\nweight = 0\n[rule r]\n' >"$tmp/bad.conf"
	out=$(netniced --check "$tmp/bad.conf" 2>&1 | cut -d: -f2 | paste -s -d ' ')
	check_eq 'all errors are said, with their lines' "$out" '1 3 4 4'
	netniced --check "$tmp/bad.conf" 2>/dev/null
	check_eq 'errors have a status of their own' $? 78
	fails 'a folder that is not there' netniced --check "$tmp/none"
	ok 'no errors' netniced --check /dev/null
	printf '%s\n' '[vif eth0/a]' 'bandwidth = Egress 1Mbit' 'burst = 5msecs' 'limit = 64kbit' 'aqm = CoDel target 1.5msec' \
		'[rule r]' 'exe = /x' 'attach = eth0/a' 'own = burst 1sec weight 2' >"$tmp/good.conf"
	ok 'values as tc has them' netniced --check "$tmp/good.conf"
	check_eq 'a limit of its own is no share' "$(netniced --check "$tmp/good.conf" 2>&1)" ''
	printf '%s\n' '[vif */a]' 'weight = 2' '[vif eth0]' 'bandwidth = 1m' '[vif eth0/a]' 'weight = 2' >"$tmp/good.conf"
	check_eq 'shares without a limit above are said' "$(netniced --check "$tmp/good.conf" 2>&1 | cut -d: -f2-4)" \
		'1: [vif */a]: minimum, weight and priority have an effect if a VIF above has a bandwidth'
}

# --- without the module -----------------------------------------------------------------

absent() {
	local out helper
	rules '[vif eth0/bulk]'
	helper=$(cat /proc/sys/kernel/modprobe)
	echo /bin/false >/proc/sys/kernel/modprobe
	out=$(netniced -c "$tmp/rules" 2>&1)
	check_eq 'no module: exit status' $? 1
	check_eq 'no module: a sentence' "${out%%,*}" 'netniced: the netnice module is not loaded'
	echo "$helper" >/proc/sys/kernel/modprobe
	modprobe netnice
	out=$(strace -qqq -f -o /dev/null -P lo/limit -e inject=faccessat,faccessat2:error=ENOENT netniced -c "$tmp/rules" 2>&1)
	check_eq 'an older module: exit status' $? 1
	check_eq 'an older module: a sentence' "${out%%, *}" \
		'netniced: the netnice module that is loaded is older than this program'
}

# --- who is attached ----------------------------------------------------------------------

base="
[vif eth0/bulk]
bandwidth = 10m
[vif eth0/users]
weight = 50
[rule alpha]
exe = TMP/alpha
attach = eth0/bulk
"

by_exe() {
	local early
	rules "${base//TMP/$tmp}"
	start alpha
	early=$pid
	check_eq 'a dry run says what it would do' "$(netniced --dry-run -c "$tmp/rules" | sort)" \
		"$(printf '%s\n' "mkdir $bulk" "echo 10m > $bulk/bandwidth" "mkdir $top/eth0/users" \
			"echo 50 > $top/eth0/users/weight" "echo $early > $bulk/tasks" | sort)"
	check_eq 'a dry run: exit status, standard output that is full' \
		"$(netniced --dry-run -c "$tmp/rules" >/dev/full 2>"$tmp/err"; echo $?; cut -d : -f 1,2 "$tmp/err")" $'1\nnetniced: standard output'
	printf '[vif eth0]\nweight = 0\n' >"$tmp/bad.conf"
	netniced --dry-run -c "$tmp/rules" -c "$tmp/bad.conf" >/dev/null 2>&1
	check_eq 'a dry run: exit status, an error in the rules' $? 78
	check_eq 'and does nothing' "$(ls -d $top/eth0/*/ 2>/dev/null)" ''
	umount $top
	confined=(env)
	netniced_start
	confined=("${all_confined[@]}")
	ok 'it mounts the file system where nothing is mounted' mountpoint -q $top
	check_eq 'the VIFs are made' "$(cd $top/eth0 && echo */ | sort)" 'bulk/ users/'
	check_eq 'and have their settings' "$(cat $bulk/bandwidth $top/eth0/users/weight | paste -s -d ' ')" \
		"egress 10mbit ingress 10mbit egress 50 ingress 50"
	check_eq 'a share without a limit above is said' "$(grep -c 'weight and priority have no effect while no VIF above has a bandwidth' "$tmp/log")" 1
	attached 'who was there before is attached' "$early" eth0/bulk
	start alpha ip netns exec peer
	start alpha ip netns exec peer
	attached 'in another network namespace: attached' "$pid" eth0/bulk
	check_eq 'in another network namespace: said once that this has no effect' "$(grep -c 'is in another network namespace' "$tmp/log")" 1
	start alpha
	attached 'who begins is attached' "$pid" eth0/bulk
	start beta
	stays 'who is not meant is not' "$pid" ''
	start alpha bash -c 'exec -a /usr/bin/other "$@"' --
	attached 'other arguments do not help' "$pid" eth0/bulk
	ln "$tmp/alpha" "$tmp/gamma"
	start gamma
	attached 'nor does another name of the same file' "$pid" eth0/bulk
	start alpha unshare -m bash -c 'mount --bind "$0/beta" "$0/alpha" && exec "$@"' "$tmp"
	stays 'another file under that name is not meant' "$pid" ''
	rm "$tmp/alpha"
	cp "$tmp/beta" "$tmp/alpha"
	end_all
}

chains() {
	local family
	rules "${base//TMP/$tmp}
[rule shell]
exe = $tmp/shell
attach = eth0/users"
	netniced_start
	start beta "$tmp/shell" -c 'sleep 1; exec "$@"' --
	attached 'a user without a rule: back to the earlier VIF' "$pid" ''
	start alpha "$tmp/shell" -c 'sleep 1; exec "$@"' --
	attached 'a user with another rule goes there' "$pid" eth0/bulk
	"$tmp/shell" -c 'sleep 1; "$0/beta" 1000 & wait' "$tmp" &
	pids+=($!)
	busywait 60 pgrep -P $! -x beta
	busywait 60 is_in $! eth0/users
	family=$(pgrep -P $! -x beta)
	stays 'a child that no rule is about keeps what it inherited' "$family" eth0/users
	kill "$family"
	end_all
}

by_user() {
	rules "${base//TMP/$tmp}
[rule user]
user = 1000
attach = eth0/users
[rule group]
group = 2000
attach = eth0/bulk"
	netniced_start
	start beta "${user_prefix[@]}"
	attached 'a user' "$pid" eth0/users
	start alpha "${user_prefix[@]}"
	attached 'the first rule that matches counts' "$pid" eth0/bulk
	start beta setpriv --groups 7,2000
	attached 'a supplementary group' "$pid" eth0/bulk
	# when the daemon has seen the process
	start beta "${user_prefix[@]}" bash -c 'sleep 0.5; exec "$@"' - netnice -b 1m
	stays 'a user divides own bandwidth' "$pid" "eth0/users/user-1000/netnice.$pid"
	netniced_stop
	start beta "${user_prefix[@]}" netnice -b 1m
	stays 'without the daemon a user is in an own VIF' "$pid" "eth0/user-1000/netnice.$pid"
	netniced_start
	attached 'that does not prevent the rule' "$pid" eth0/users
	as_user bash -c "sleep 1; mkdir -p $top/eth0/users/user-1000/mine"
	kill -STOP "$daemon"
	start beta "${user_prefix[@]}" bash -c 'echo 0 >"$0/tasks"; exec "$@"' \
		$top/eth0/users/user-1000/mine
	kill -CONT "$daemon"
	attached 'nor does it if the user was faster than the daemon' "$pid" eth0/users
	mkdir $top/eth0/mine
	start beta bash -c 'echo 0 >/proc/network/eth0/mine/tasks; exec setpriv --reuid=1000 "$@"' --
	stays 'what root has attached by hand stays' "$pid" eth0/mine
	end_all
	vifs_end $top/eth0/mine $top/eth0/users/user-1000/mine
}

# sleeps UID: a process of that user's, which is in no family
sleeps() {
	setpriv --reuid "$1" --regid "$1" --clear-groups sleep 1000 &
	pid=$!
	pids+=("$pid")
}

owns_of_users() {
	rules "[vif eth0/bulk]
[rule each]
user = 1100 900-1099 65534
attach = eth0/bulk
own = bandwidth 1m
per = user"
	sleeps 1099
	netniced_start
	attached 'per = user: a process that ran before' "$pid" eth0/bulk/netniced.each.u1099
	sleeps 1000
	attached 'per = user' "$pid" eth0/bulk/netniced.each.u1000
	sleeps 1000
	attached 'per = user: another one of the same user' "$pid" eth0/bulk/netniced.each.u1000
	check_eq 'per = user: has its settings' "$(head -1 $bulk/netniced.each.u1000/bandwidth)" 'egress 1mbit'
	sleeps 1100
	attached 'per = user: another user' "$pid" eth0/bulk/netniced.each.u1100
	sleeps 1101
	stays 'per = user: out of the range' "$pid" ''
	printf '1000:200000:10\nnobody:200010:10\nnone:200020:10\n' >/etc/subuid
	sleeps 200003
	attached 'per = user: a subordinate user' "$pid" eth0/bulk/netniced.each.u1000
	sleeps 200013
	attached 'per = user: one of a user with a name' "$pid" eth0/bulk/netniced.each.u65534
	sleeps 200023
	stays 'per = user: one of a user that is not meant' "$pid" ''
	rm /etc/subuid
	netniced_stop
	netniced_start
	sleeps 1000
	attached 'per = user, after a restart' "$pid" eth0/bulk/netniced.each.u1000
	end_all
	ok 'per = user: the VIFs go with the last process' busywait 5 no_own
	netniced_stop
}

owns() {
	local first
	rules "[vif eth0/bulk]
[rule alpha]
exe = $tmp/alpha
attach = eth0/bulk
own = bandwidth egress 1m weight 7
[rule shell]
exe = $tmp/shell
attach = eth0/bulk
own = yes
[rule beta]
exe = $tmp/beta
attach = eth0/bulk
own = yes
per = process"
	netniced_start
	start alpha
	first=$pid
	attached 'a VIF of its own' "$pid" "eth0/bulk/netniced.alpha.$pid"
	check_eq 'has its settings' "$(cat "$bulk/netniced.alpha.$first/"{bandwidth,weight,autoremove} | paste -s -d ' ')" \
		'egress 1mbit ingress max egress 7 ingress 7 1'
	start alpha
	attached 'another one' "$pid" "eth0/bulk/netniced.alpha.$pid"
	netniced_stop
	stays 'it ends: all stays' "$first" "eth0/bulk/netniced.alpha.$first"
	sed -i 's/egress 1m/egress 2m/' "$tmp/rules/a.conf"
	netniced_start
	stays 'it starts again: all stays' "$first" "eth0/bulk/netniced.alpha.$first"
	check_eq 'with the settings that the rules have now' \
		"$(head -1 "$bulk/netniced.alpha.$first/bandwidth")" 'egress 2mbit'
	sed -i 's/egress 2m/egress 3m/' "$tmp/rules/a.conf"
	reload 'reloaded: '
	check_eq 'reloaded: they change' "$(head -1 "$bulk/netniced.alpha.$first/bandwidth")" 'egress 3mbit'
	"$tmp/shell" -c 'sleep 1; "$0/shell" -c "sleep 1000; :" & wait' "$tmp" &
	pid=$!
	pids+=("$pid")
	attached 'a family' "$pid" "eth0/bulk/netniced.shell.$pid"
	busywait 60 pgrep -P "$pid" -x shell
	pids+=("$(pgrep -P "$pid" -x shell)")
	stays 'children are in the VIF of their parent' "${pids[-1]}" "eth0/bulk/netniced.shell.$pid"
	end_all
	pkill -x sleep
	ok 'their VIFs go with them' busywait 5 no_own
}

# --- what users do ------------------------------------------------------------------------

# sends: a line of commands for the user's process; which VIFs its packets went by, of two
sends='for i in 1 2 3; do echo x >/dev/udp/10.0.0.2/9; done'
says() {
	local vif before=()
	for vif in slow alice; do before+=("$(vif_stat "$top/eth0/$vif" egress_packets)"); done
	echo "$1" >"$tmp/do"
	pause 1
	for vif in slow alice; do
		[ "$(vif_stat "$top/eth0/$vif" egress_packets)" -eq "${before[0]}" ] || echo -n "$vif "
		before=("${before[@]:1}")
	done
}

# A user's process in a control group with a limit, which it has left by its own choice: that
# does not count, and no tool of root's makes it count
launders() {
	local user_process
	# shellcheck disable=SC2016
	echo 'while read -r line; do eval "$line"; done' >"$tmp/loop"
	mkdir -p /sys/fs/cgroup/slow $top/eth0/{slow,alice,bulk}
	chown 1000 $top/eth0/alice
	ln -s $top/eth0/slow $top/cgroups/slow/
	mkfifo -m 666 "$tmp/do"
	# shellcheck disable=SC2016
	user_process=(bash -c 'echo $$ >/sys/fs/cgroup/slow/cgroup.procs; exec "$@"' sh "${user_prefix[@]}"
		bash -c 'echo 0 >"$0"; . "$1"' "$top/eth0/alice/tasks" "$tmp/loop")
	"${user_process[@]}" <>"$tmp/do" &
	pid=$!
	pids=("$pid")
	attached 'a user has chosen a VIF of its own' "$pid" eth0/alice
	check_eq 'which does not count' "$(says "$sends")" 'slow '
	rules "[vif eth0/bulk]
[vif eth0/other]
[rule shell]
exe = $tmp/shell
attach = eth0/bulk
[rule in]
in = eth0/alice
attach = eth0/other"
	netniced_start
	stays 'nor is it a condition of a rule' "$pid" eth0/alice
	says "exec $tmp/shell -c 'sleep 2; exec bash $tmp/loop'" >/dev/null
	attached 'a rule attaches it' "$pid" eth0/bulk
	pause 3
	check_eq 'a rule that has ended does not make it count' "$(says "$sends")" 'slow '
	netniced_stop
	end_all
	"${user_process[@]}" <>"$tmp/do" &
	pid=$!
	pids=("$pid")
	attached 'again' "$pid" eth0/alice
	fails 'root: vifctl attach, of two of which one is not there' vifctl attach eth0/bulk process "$pid" process 999999
	check_eq 'does not make it count' "$(says "$sends")" 'slow '
	says "echo 0 >$top/eth0/alice/tasks" >/dev/null
	ok 'root: netnice --pid' netnice -i eth0 -b 50m --pid "$pid"
	check_eq 'divides what counts' "$(where "$pid")" "eth0/slow/netnice.$pid"
	end_all
	rm "$tmp/do" $top/cgroups/slow/eth0
	busywait 5 rmdir /sys/fs/cgroup/slow $top/eth0/slow $top/eth0/alice
}

# watched: how many watches the daemon has
watched() { cat /proc/"$daemon"/fdinfo/* 2>/dev/null | grep -c ^inotify; }

# Control groups: made by a user, in what was delegated to it
delegated() {
	local cg=/sys/fs/cgroup most unit='vm-a\x2db.scope'
	mkdir -p $cg/user.slice/alice $cg/system.slice
	chown 1000 $cg/user.slice/alice
	as_user bash -c "cd $cg/user.slice/alice && mkdir {1..60}"
	rules '[vif eth0/bulk]
[rule unit]
unit = vm-*\x2db.scope
attach = eth0/bulk'
	netniced_start
	ok 'only slices are watched for units' watches_slices
	mkdir "$cg/system.slice/$unit"
	busywait 20 test -L "$top/cgroups/system.slice/$unit/eth0"
	ok 'a unit whose name systemd has escaped' test -L "$top/cgroups/system.slice/$unit/eth0"
	netniced_stop
	most=$(sysctl -n fs.inotify.max_user_watches)
	sysctl -qw fs.inotify.max_user_watches=160
	rules '[vif eth0/bulk]
[rule jobs]
cgroup = user.slice/alice/*/job system.slice/*/job
attach = eth0/bulk'
	netniced_start
	check "a user has no more watches than are left of ours, of 40: $(watched)" "$(watched) > 15 && $(watched) < 25"
	ok 'which is said' log_has 'cannot be watched'
	mkdir -p "$cg/system.slice/$unit/job"
	busywait 20 test -L "$top/cgroups/system.slice/$unit/job/eth0"
	ok "and keeps nothing from root's groups" test -L "$top/cgroups/system.slice/$unit/job/eth0"
	as_user bash -c "cd $cg/user.slice/alice && rmdir {1..60}"
	busywait 20 bash -c '! ls -d '$cg'/user.slice/alice/*/'
	pause 1
	check "groups that have gone are watched no more: $(watched)" "$(watched) < 8"
	netniced_stop
	sysctl -qw fs.inotify.max_user_watches="$most"
	find $cg/user.slice/alice $cg/system.slice -depth -type d -exec rmdir {} +
}

# Lines with errors when it starts, and a user that is not known yet
mistakes() {
	cp /etc/passwd "$tmp/passwd"
	rules "[vif eth0/bulk]
bandwidth = 2m
weight = often
[vif eth0/none/below]
bandwidth = 1m
[rule none]
exe = $tmp/alpha
attach = eth0/none/below
[rule ghost]
user = ghost
attach = eth0/bulk
[rule alpha]
exe = $tmp/alpha
attach = eth0/bulk
[rule $(printf '%01100d' 0)]
exe = $tmp/beta
[rule condition]
exe = $tmp/beta
user =$(printf '%1100s' 7)
attach = eth0/bulk
[vif eth0/long]
bandwidth =$(printf '%1100s' 1m)"
	netniced_start
	check_eq 'lines with errors: the rest is in force' "$(head -1 $bulk/bandwidth)" 'egress 2mbit'
	ok 'which is said' log_has 'rules without errors are in force'
	start alpha
	attached 'rules without errors, too' "$pid" eth0/bulk
	start beta
	stays 'none has lost a condition, or gets those of another one whose head is too long' "$pid" ''
	ok 'a VIF that has lost its bandwidth is not made' test ! -e $top/eth0/long
	start beta setpriv --reuid=4242 --clear-groups
	stays 'a user that is not known matches nothing' "$pid" ''
	# the search waits until a FIFO is opened, which the library does not read
	mkfifo /etc/fifo
	mv /etc/fifo /etc/passwd
	pause 61
	check_eq 'the searching process has none of our descriptors' \
		"$(cd "/proc/$(pgrep -P "$daemon")/fd" && echo *)" '0 1 2 3'
	mv /etc/passwd /etc/fifo
	{ cat "$tmp/passwd" && echo 'ghost:x:4242:4242::/:/bin/sh'; } >/etc/passwd
	: <>/etc/fifo
	rm /etc/fifo
	pause 61
	attached 'until it is known' "$pid" eth0/bulk
	cp "$tmp/passwd" /etc/passwd
	pause 61
	check_eq 'no process that searched is left' "$(pgrep -P "$daemon")" ''
	end_all
}

# A device that is known, with all its names: to ask for names takes a socket each time
flapping() {
	local strace i
	strace -qq -p "$daemon" -e trace=socket -o "$tmp/sockets" &
	strace=$!
	busywait 20 eval '! grep -qx "TracerPid:[[:space:]]0" /proc/$daemon/status'
	for i in early1 early2 early1 early2 early1 early2; do
		ip link set $i down
		ip link set $i up
	done
	pause 1
	check_eq 'known devices go up and down: their names are not asked for again' "$(wc -l <"$tmp/sockets")" 0
	ip link add early3 type dummy
	ok 'those of a new one are' busywait 20 test -s "$tmp/sockets"
	ip link del early3
	kill $strace
	{ wait $strace; } 2>/dev/null
}

# A device that gets its name after it has come
renamed() {
	rules '[vif late0]
bandwidth = 3m
[vif late1]
bandwidth = 4m'
	netniced_start
	ip link add early0 type dummy
	pause 1
	ip link set early0 name late1
	pause 1
	check_eq 'a device that is renamed has the settings of its name' "$(head -1 $top/late1/bandwidth)" 'egress 4mbit'
	ip link del late1
	netniced_stop
	ip link property add dev eth0 altname uplink0
	rules '[vif uplink0]
bandwidth = 6m
[vif eth0/web]
[vif late2]
bandwidth = 5m
[rule r]
user = 1000
attach = uplink0/web'
	ok 'an alternative name: no error' netniced --check "$tmp/rules"
	netniced_start
	check_eq 'an alternative name: the device has its settings' "$(head -1 $top/eth0/bandwidth)" 'egress 6mbit'
	start beta "${user_prefix[@]}"
	attached 'an alternative name: a rule attaches' "$pid" eth0/web
	ip link add early0 type dummy
	ip link set early0 up
	ip link property add dev early0 altname late2
	pause 1
	check_eq 'an alternative name that comes later' "$(head -1 $top/early0/bandwidth)" 'egress 5mbit'
	echo 9m >$top/early0/bandwidth
	ip link set early0 down
	ip link set early0 name early2
	ip link set early2 up
	pause 1
	check_eq 'one with an alternative name is renamed: as new' "$(head -1 $top/early2/bandwidth)" 'egress 5mbit'
	ip link property del dev early2 altname late2
	ip link add early1 type dummy
	ip link property add dev early1 altname late2
	pause 1
	check_eq 'an alternative name that goes to another one' "$(head -1 $top/early1/bandwidth)" 'egress 5mbit'
	flapping
	ip link del early1
	ip link del early2
	end_all
	netniced_stop
	rules '[vif up*]
bandwidth = 7m'
	netniced_start
	check_eq 'an alternative name: a pattern matches it' "$(head -1 $top/eth0/bandwidth)" 'egress 7mbit'
	netniced_stop
	printf '%s\n' '[vif uplink0]' '[vif eth0]' >"$tmp/bad.conf"
	says_in 'two names of one device' "$(netniced --check "$tmp/bad.conf" 2>&1)" 'is there already, by another name of the device'
	ip link property del dev eth0 altname uplink0
	echo max >$top/eth0/bandwidth
}

# --- many -----------------------------------------------------------------------------------

# who looks more often takes the time that the daemon needs
many_are() {
	pause 1
	[ "$(wc -l <$bulk/tasks)" -eq "$1" ]
}

# Each that stays is started together with one that is gone at once.
many() {
	local n=${MANY-1000}
	rules "${base//TMP/$tmp}"
	netniced_start
	dash -c 'i=0; while [ $i -lt "$0" ]; do "$1/alpha" 1000 & "$1/beta" 0 & i=$((i + 1)); done; wait' \
		"$n" "$tmp" &
	pid=$!
	busywait 60 many_are "$n"
	check_eq "all of $n that live are attached" "$(wc -l <$bulk/tasks)" "$n"
	check_eq 'no events were lost' "$(grep -c 'were lost' "$tmp/log")" 0
	pkill -x alpha
	wait $pid
}

lost() {
	local i
	rules "${base//TMP/$tmp}"
	export NETNICED_QUEUE=4096
	netniced_start
	unset NETNICED_QUEUE
	kill -STOP "$daemon"
	for ((i = 0; i < 50; i++)); do (:); done
	start alpha
	kill -CONT "$daemon"
	ok 'lost events are said' busywait 60 log_has 'events of processes were lost'
	attached 'and all processes looked at' "$pid" eth0/bulk
	end_all
	busywait 5 rmdir $bulk
	start alpha
	attached 'a VIF that was removed is made again' "$pid" eth0/bulk
	end_all
}

# A process is forked and ends before the daemon looks at it, and its number is another's by then.
numbers() {
	local child worker most
	rules "[vif eth0/bulk]
[rule shell]
exe = $tmp/shell
attach = eth0/bulk"
	netniced_start
	most=$(cat /proc/sys/kernel/pid_max)
	echo 400 >/proc/sys/kernel/pid_max
	kill -STOP "$daemon"
	"$tmp/shell" -c '(:) & echo $! >"$0"; wait; sleep 1000 & wait' "$tmp/child" &
	worker=$!
	pause 0.5
	child=$(cat "$tmp/child")
	# numbers come in their order: this one is the last that is free
	until sleep 1000 & pids+=($!) && [ $! -eq "$child" ]; do :; done
	echo "$most" >/proc/sys/kernel/pid_max
	kill -CONT "$daemon"
	attached 'the parent of a process that has ended' $worker eth0/bulk
	stays 'another process with the number of that one' "$child" ''
	pids+=("$(pgrep -P "$worker")" "$worker")
	end_all
}

# --- other rules ------------------------------------------------------------------------------

again() {
	local user
	background socat -u "UNIX-RECV:$tmp/socket" "OPEN:$tmp/told,creat,append"
	busywait 20 test -S "$tmp/socket"
	export NOTIFY_SOCKET=$tmp/socket
	rules "${base//TMP/$tmp}
[rule user]
user = 1000
attach = eth0/users"
	netniced_start
	unset NOTIFY_SOCKET
	start alpha
	start beta "${user_prefix[@]}"
	user=$pid
	attached 'before' "$user" eth0/users
	printf 'colour = red\n' >"$tmp/rules/b.conf"
	reload 'the previous rules stay in force'
	ok 'an error: it is said' log_has 'b.conf:1: colour before any section'
	rm "$tmp/rules/b.conf"
	start beta "${user_prefix[@]}"
	attached 'an error: the rules before go on' "$pid" eth0/users
	rules "[vif eth0/bulk]
weight = 9
[rule alpha]
exe = $tmp/alpha
attach = eth0/bulk"
	reload 'reloaded: '
	attached 'a rule that is gone: back to the earlier VIF' "$user" ''
	check_eq 'a rule that is still there: nothing was done' "$(grep -c 'bulk/tasks' "$tmp/log")" 0
	check_eq 'settings: the new one, and the default of the one that is gone' \
		"$(cat $bulk/{weight,bandwidth} | paste -s -d ' ')" 'egress 9 ingress 9 egress max ingress max'
	ok 'a VIF that is gone is removed' test ! -e $top/eth0/users
	netniced_stop
	ok 'it ends: VIFs stay' test -d $bulk
	check_eq 'the service manager is told' "$(grep -oaE '(READY|RELOADING|STOPPING)=1' "$tmp/told" | paste -s -d ' ')" \
		'READY=1 RELOADING=1 READY=1 RELOADING=1 READY=1 STOPPING=1'
	check_eq 'and the journal, what is an error' "$(JOURNAL_STREAM=1 netniced -c "$tmp/none" 2>&1 | cut -c1-4)" '<3>/'
	end_all
}

groups=/sys/fs/cgroup
group_is_in() { [ "$(readlink "$top/cgroups/$1/eth0")" = "${3-../../}$2" ]; }
group_where() { readlink "$top/cgroups/$1/eth0" | sed 's,^[./]*,,'; }
group_in() { [ "$(group_where "$1")" = "$2" ]; }
# where units can begin
watches_slices() { [ "$(watched)" = $(($(find $groups -name '*.slice' | wc -l) + 1)) ]; }
# group_attached NAME GROUP VIF
group_attached() {
	busywait 20 group_in "$2" "$3"
	check_eq "$1" "$(group_where "$2")" "$3"
}

by_group() {
	local inode
	mkdir -p $groups/t.slice/early.service/netniced $groups/t.slice/.early $groups/user.slice/user@1.service
	defer rmdir $groups/t.slice/{early.service/netniced,early.service,late.service,.early,.late,} $groups/user.slice/{user@1.service/{late.service,},}
	rules "[vif eth0/bulk]
[vif eth0/users]
[rule early]
cgroup = t.slice/e* t.slice/.*
attach = eth0/bulk
[rule late]
unit = late.service
attach = eth0/users
own = weight 3
[rule inside]
cgroup = t.slice
exe = $tmp/alpha
attach = eth0/bulk"
	netniced_start
	group_attached 'a control group that is there, whatever groups are in it' t.slice/early.service eth0/bulk
	group_attached 'also if its name begins with a dot' t.slice/.early eth0/bulk
	mkdir $groups/t.slice/.late
	group_attached 'and if it is made later' t.slice/.late eth0/bulk
	mkdir $groups/t.slice/late.service $groups/user.slice/user@1.service/late.service
	inode=$(stat -c %i $groups/t.slice/late.service)
	group_attached 'a unit that begins' t.slice/late.service "eth0/users/netniced.late.g$inode"
	check_eq 'in a VIF of its own' "$(head -1 "$top/eth0/users/netniced.late.g$inode/weight")" 'egress 3'
	check_eq "a user's unit of that name is not meant" "$(group_where user.slice/user@1.service/late.service)" ''
	start alpha bash -c 'echo 0 >/sys/fs/cgroup/t.slice/late.service/cgroup.procs; exec "$@"' --
	stays 'rules of groups come first, if they do' "$pid" ''
	end_all
	sed -i '/rule early/,/bulk/d' "$tmp/rules/a.conf"
	reload 'reloaded: '
	check_eq 'a rule that is gone: so is its link' "$(group_where t.slice/early.service)" ''
	check_eq 'the other is still there' "$(group_where t.slice/late.service)" "eth0/users/netniced.late.g$inode"
	start alpha bash -c 'echo 0 >/sys/fs/cgroup/t.slice/early.service/cgroup.procs; exec "$@"' --
	attached 'a program in a control group' "$pid" eth0/bulk
	end_all
	busywait 5 rmdir $groups/t.slice/late.service
	ok 'the VIF goes with its group' busywait 5 no_own
	rmdir $top/eth0/users
	mkdir $groups/t.slice/late.service
	inode=$(stat -c %i $groups/t.slice/late.service)
	group_attached 'a VIF that was removed is created again' t.slice/late.service "eth0/users/netniced.late.g$inode"
	busywait 5 rmdir $groups/t.slice/late.service
	busywait 5 no_own
	ok 'and only slices are watched' busywait 20 watches_slices
}

# --- devices ------------------------------------------------------------------------------

devices() {
	rules '[vif late0]
bandwidth = 5m
[vif late0/a]
[vif late0/a/b]
weight = 7
[vif eth0/bulk]'
	netniced_start
	ok 'a device that is not there is said' log_has 'there is no device late0: its VIFs are created when it appears'
	ip link add late0 type veth peer late1
	ok 'it comes: its VIFs are made' busywait 20 test -d $top/late0/a/b
	busywait 20 log_has 'late0/a/b/weight'
	check_eq 'and have their settings' "$(cat $top/late0/{bandwidth,a/b/weight} | paste -s -d ' ')" \
		'egress 5mbit ingress 5mbit egress 7 ingress 7'
	ip link set late0 name early0
	ip link del early0
	ip link add late0 type veth peer late1
	ok 'it comes again' busywait 20 test -d $top/late0/a/b
	ip link del late0
}

# patterns: each device that matches has VIFs, when it comes; its own name goes before
patterns() {
	rules '[vif late*]
bandwidth = 5m
[vif late*/a]
[vif l*/a/b]
weight = 7
[vif late0/a]
weight = 3
[vif */bulk]
weight = 9
[rule alpha]
exe = '"$tmp/alpha"'
attach = */bulk
own = weight 5
[rule beta]
exe = '"$tmp/beta"'
attach = late*/a eth0/bulk'
	if netniced --check "$tmp/rules" 2>"$tmp/said"; then
		fail 'a VIF below one of another pattern is an error' 'accepted'
	else
		ok 'a VIF below one of another pattern is an error' grep -q -F 'want [vif l*/a], too' "$tmp/said"
	fi
	sed -i 's/l\*/late*/' "$tmp/rules/a.conf"
	netniced_start
	check_eq 'a device that is there has the VIFs' "$(head -n 1 $top/eth0/bulk/weight)" 'egress 9'
	ok 'but for lo' test ! -e $top/lo/bulk
	start alpha
	attached 'a program is attached there' $pid eth0/bulk/netniced.alpha.$pid
	ip link add late0 type veth peer late1
	ok 'a device comes: its VIFs are made' busywait 20 test -d $top/late0/a/b
	ok 'and those of its other end' busywait 20 test -d $top/late1/bulk
	busywait 20 log_has 'late1/bulk/weight'
	check_eq 'they have their settings, where its name is said that section'"'"'s' \
		"$(cat $top/late0/{bandwidth,a/weight,a/b/weight,bulk/weight} $top/late1/a/weight | grep egress | paste -s -d ' ')" \
		'egress 5mbit egress 3 egress 7 egress 9 egress 100'
	ok 'the program is attached there, too' busywait 20 \
		eval '[ "$(readlink $top/tasks/$pid/late0)" = ../../late0/bulk/netniced.alpha.$pid ]'
	start beta
	attached 'another one, at a device that is named' $pid eth0/bulk
	ok 'and at one that is not' busywait 20 eval '[ "$(readlink $top/tasks/$pid/late1)" = ../../late1/a ]'
	ip link set late0 down
	ip link set late0 name odd0
	ip link set odd0 name late2
	ok 'a device that is called so then has the VIFs, too' busywait 20 \
		eval '[ "$(head -n 1 $top/late2/a/b/weight)" = "egress 7" ]'
	sed -i '/bulk\]/,$d' "$tmp/rules/a.conf"
	end_all
	busywait 5 eval '! ls -d $top/*/bulk/netniced.*'
	reload 'reloaded: '
	ok 'without the section the VIFs go' busywait 20 eval '! ls -d $top/*/bulk'
	ok 'and others stay' test -d $top/late2/a/b
	ip link del late2
}

# --- the scenario of the paper --------------------------------------------------------------

streams() {
	local own
	# each VIF is looked at in a turn of its own
	export NETNICED_TURN=0
	web_rules "$net_dir/traffic"
	netniced_start
	check_eq 'the host is limited' "$(head -1 $top/eth0/bandwidth)" 'egress 20mbit'
	background traffic send udp 10.0.0.2 5000 --rate 50k --size 500 --seconds 60 >"$tmp/out"
	own=$!
	background traffic send udp 10.0.0.2 5001 --rate 3m --size 1000 --seconds 60 >"$tmp/out"
	pid=$!
	attached 'who begins is in http' "$pid" "eth0/http/netniced.web.$pid"
	attached 'who streams comes to stream' "$pid" "eth0/stream/netniced.streaming.$pid"
	check_eq 'into a shaper' "$(head -1 "$top/eth0/stream/netniced.streaming.$pid/bandwidth")" 'egress 2mbit'
	reload 'reloaded: '
	stays 'reloaded: it is there' "$pid" "eth0/stream/netniced.streaming.$pid"
	check_eq 'who does not is still in http' "$(where $own)" "eth0/http/netniced.web.$own"
	kill -STOP "$pid"
	attached 'who streams no more goes back' "$pid" "eth0/http/netniced.pages.$pid"
	check_eq 'without a shaper' "$(head -1 "$top/eth0/http/netniced.pages.$pid/bandwidth")" 'egress max'
	kill -CONT "$pid"
	stop "$pid" "$own"
	ok 'the VIFs go with their processes' busywait 5 no_own
	netniced_stop
	echo max >$top/eth0/bandwidth
	rmdir $top/eth0/{stream,http}
	unset NETNICED_TURN
}

# one GROUP: with a daemon of its own, and without errors in the log
one() {
	"$1"
	check_eq "$1: the log has no errors but those asked for" \
		"$(grep -vE ': (echo|mkdir|mv|rm|rmdir|ln|\[rule|watching|reloaded: |events of|device|there is no device|attach to eth0/bulk|/tmp.*: (weight|more than|\[|user)|the rules have errors|/.*cannot be watched|eth0/(bulk|users) was removed|eth0: minimum, weight and priority have no effect|eth0/bulk: PID [0-9]* is in another network namespace)|colour|going on' "$tmp/log")" ''
	netniced_stop
	busywait 5 vifs_removed
}
vifs_removed() {
	rmdir $top/eth0/*/
	! ls -d $top/eth0/*/
}

begin
mkdir "$tmp/rules"
chmod 755 "$tmp"
for name in alpha beta; do cp /usr/bin/sleep "$tmp/$name"; done
cp /bin/bash "$tmp/shell"
errors
absent
need netnice
setup_veth
rules '[vif eth0]'
need_netniced
netniced_stop
for group in ${GROUPS_OF_CELLS-by_exe chains by_user owns owns_of_users lost numbers again by_group devices renamed launders delegated mistakes patterns streams many}; do
	one "$group"
done
