#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# vifctl(8): each verb, option and message; what is saved is restored; a change that
# fails leaves nothing behind; names of any bytes. restore.sh does so with random trees.
# What the files do is tested elsewhere: here it is the words.
# lab: kernels=6.1+new, budget=25
. "$(dirname "$0")/lib.sh"

# in a checkout it is among the documents
schema=$net_dir/vifctl.schema.json
[ -e "$schema" ] || schema=$net_dir/../../Documentation/vifctl.schema.json

top=/proc/network
d0=$top/d0

# --- tables ---------------------------------------------------------------------------

# try STATUS WORDS NAME COMMAND...: its exit status, and a line of what it says. WORDS is
# a pattern; '' for nothing at all.
try() {
	local want=$1 words=$2 name=$3 out status
	shift 3
	out=$("$@" 2>&1 </dev/null)
	status=$?
	if [ $status -ne "$want" ]; then
		fail "$name" "want status: $want" "got status:  $status" "said: $out"
	elif [ -z "$words" ] && [ -n "$out" ]; then
		fail "$name" "it says: $out"
	elif [[ $out =~ $words ]]; then
		pass "$name"
	else
		fail "$name" "want: $words" "got:  $out"
	fi
}

# has NAME FILE VALUE: what a file of a VIF's says, in one line
has() { check_eq "$1" "$(paste -s -d ' ' "$2")" "$3"; }

# kept NAME COMMAND...: fails, says why, and the tree is what it was
kept() {
	local name=$1 words=$2 before
	shift 2
	before=$(vifctl save)
	try 2 "$words" "$name" "$@"
	check_eq "$name: all is as it was" "$(vifctl save)" "$before"
}

# link DIRECTORY: where what is attached belongs to on d0
link() { readlink "$top/$1/d0"; }

# --- words ------------------------------------------------------------------------------

verbs=(show stat export top watch monitor add set del move attach detach stack port program relay save restore batch enable disable)

helps() {
	local verb
	for verb in "${verbs[@]}"; do
		try 0 "Usage: vifctl $verb" "$verb help" vifctl "$verb" help
		check_eq "help $verb: the same" "$(vifctl help "$verb")" "$(vifctl "$verb" help)"
		check_eq "-h $verb: the same" "$(vifctl -h "$verb"; vifctl "$verb" x --help)" "$(vifctl "$verb" help; vifctl help "$verb")"
		ok "help lists $verb" grep -q "^  $verb " <(vifctl help)
		try 1 "vifctl: $verb: unknown option '-x'|\"--link DEV\" is missing|no device '-x'|one device" \
			"$verb -x" vifctl "$verb" -x -x
	done
	try 0 'Usage: vifctl' 'vifctl -h' vifctl -h
	try 1 "unknown verb 'none'" 'vifctl -h none' vifctl -h none
	try 0 'Usage: vifctl' 'vifctl -h -j' vifctl -h -j
	try 0 '' 'a VIF that is called -h' vifctl add -- d0/-h
	try 0 '' 'is none that asks' vifctl del -- d0/-h
	try 0 'Usage: vifctl show' 'show -h is help' vifctl show -h
	try 0 'Usage: vifctl show' 'an alias has it, too' vifctl ls --help
	try 0 'Usage: vifctl show' 'a short verb has it, too' vifctl -h sh
	try 0 'Usage: vifctl set' '-s -h, where nothing is counted' vifctl -s set -h
	try 0 'Usage: vifctl \[' '-s -h alone' vifctl -s -h
	try 0 '^vifctl [0-9]' 'vifctl -V' vifctl -V
	check_eq 'vifctl --help' "$(vifctl --help)" "$(vifctl help)"
}

usage() {
	try 1 'no verb given' 'no verb' vifctl
	try 1 "unknown verb 'x'.valid are:.*  add" 'no verb' vifctl x d0/x
	try 1 "unknown verb ''.valid are:" 'an empty word' vifctl ''
	try 1 "'s' is short for more than one verb:.  show.  stat.  set.  stack.  save$" 'a verb that is too short' vifctl s
	try 1 "'de' is short for .*  del.  detach$" 'del, detach' vifctl de d0/x
	batch 1 "'a' is short for .*  add.  attach$" 'a batch has no other words' -b <<<'a d0/x'
	try 1 "unknown verb 'shwo'; did you mean 'show'[?]" 'two letters have changed places' vifctl shwo
	try 1 "unknown verb 'delete'; did you mean 'del'[?]" 'a word goes on' vifctl delete d0/x
	try 1 "unknown verb 'xyz'.valid are:" 'nothing is near' vifctl xyz
	try 1 "unknown verb 'rm'; did you mean 'del'[?]" 'what others call it' vifctl rm d0/x
	try 1 "set: unknown option '--limit'; did you mean 'bandwidth'[?]" 'a setting with dashes' vifctl set d0/x --limit 1m
	try 1 "unknown option '--jsno'; did you mean '--json'[?]" 'an option of all verbs' vifctl --jsno show
	try 2 "no device 'd00'; did you mean 'd0'[?]" 'a device' vifctl show dev d00
	try 2 "no VIF 'web': its path begins with a device" 'a VIF without its device' vifctl show web
	try 1 "not a count: '0': use a whole number from 1" 'a count of none' vifctl top -n 0
	try 1 "bandwidth: write '10 mbit' as one word: 10mbit" 'a unit by itself' vifctl set d0 bandwidth 10 mbit
	try 1 "port: tcp: '65536' is no port: 1 to 65535 are" 'a port that there is not' vifctl port d0 add tcp 65536
	try 2 "monitor: no VIF 'd0/none'" 'monitor, no VIF' timeout 20 vifctl monitor d0/none
	try 1 "del: unknown option '--recursiv'; did you mean '--recursive'[?]" 'an option' vifctl del --recursiv d0/a
	try 1 "unknown option '-c=x'" '-c=x' vifctl -c=x show
	try 1 '-b needs an argument' 'vifctl -b' vifctl -b
	try 1 '-n needs an argument' 'vifctl -n' vifctl -n
	try 1 "unknown option '-x'" 'vifctl -x' vifctl -x
	try 1 'a batch, or a verb' '-b and a verb' vifctl -b - show
	try 1 'add: no VIF given' 'add' vifctl add
	try 1 "add: not a VIF: '/etc'" 'add /etc' vifctl add /etc
	try 1 "add: not a VIF: '/proc/network'" 'add the mount point' vifctl add $top
	try 1 "add: not a VIF: 'tasks/x'" 'add tasks/x' vifctl add tasks/x
	try 1 "add: not a VIF: 'd0/../x'" 'add d0/../x' vifctl add d0/../x
	try 1 "add: not a VIF: 'x*'" 'add, a long path' vifctl add "$(printf 'x%.0s' {1..9000})"
	try 1 "add: unknown parameter 'bandwith'; did you mean 'bandwidth'[?].*valid are:.*  bandwidth .*RATE" 'add, no parameter' \
		vifctl add d0/x bandwith 1m
	try 1 'add: bandwidth: a value is missing: RATE' 'add, no value' vifctl add d0/x bandwidth
	try 1 'add: bandwidth: a value is missing: RATE' 'add, a parameter as a value' vifctl add d0/x bandwidth weight 3
	try 1 "add: 'autoremove': the VIF would be removed at once" 'add autoremove' vifctl add d0/x autoremove 1
	try 1 'set: a parameter is missing' 'set, no parameter' vifctl set d0/a
	try 1 "set: unknown parameter 'x'" 'set, no such parameter' vifctl set d0/a x 1
	try 1 'set: weight: a value is missing: 1..10000' 'set, no value' vifctl set d0/a bandwidth 1m weight
	try 1 'del: no VIF given' 'del' vifctl del
	try 1 "del: too many words: 'd0/b'" 'del, two' vifctl del d0/a d0/b
	try 1 'move: the new path is missing' 'move, one' vifctl move d0/a
	try 1 "move: too many words: 'x'" 'move, three' vifctl move d0/a d0/b x
	try 1 'attach: no target given.*valid are:.*  process' 'attach, no target' vifctl attach d0/a
	try 1 "attach: unknown kind of target 'proces'; did you mean 'process'[?].*  socket *PID:FD" 'attach, no kind' vifctl attach d0/a proces 1
	try 1 'attach: process: a name is missing: PID' 'attach, no name' vifctl attach d0/a process
	try 1 "attach: not a VIF: 'tasks'" 'attach, a target first' vifctl attach pid 1 tasks
	try 1 "attach: process: 'x' is not valid: use PID" 'attach, no PID' vifctl attach d0/a process x
	try 1 "attach: socket: '1' is not valid: use PID:FD" 'attach, no socket' vifctl attach d0/a socket 1
	try 1 "attach: socket: '1:x' is not valid" 'attach, no descriptor' vifctl attach d0/a socket 1:x
	try 1 "attach: cgroup: '../tasks' is not valid" 'attach, out of the groups' vifctl attach d0/a cgroup ../tasks
	try 1 "attach: device: 'a/b' is not valid" 'attach, no device' vifctl attach d0/a device a/b
	try 1 "detach: thread: '0' is not valid: use TID" 'detach, no thread' vifctl detach d0/a thread 0
	try 1 'restore: no file given' 'restore' vifctl restore
	try 1 "restore: too many words: 'b'" 'restore, two' vifctl restore a b
	try 2 'Is a directory' 'restore, a directory' vifctl restore /
	try 2 'Is a directory' 'batch, a directory' vifctl batch /
	try 1 "restore: not a number of seconds: 'x'" 'restore --wait=x' vifctl restore --wait=x a
	try 1 "restore: unknown option '--follow=1'" 'restore --follow=1' vifctl restore --follow=1 a
	try 1 'restore: .* exclude each other' 'restore --wait --dry-run' vifctl restore --wait --dry-run a
	try 1 "save: too many words: 'd1'" 'save, two' vifctl save d0 d1
	try 1 'stat: -j and --prometheus exclude' 'stat -j --prometheus' vifctl stat -j --prometheus
	try 1 'batch: no file given' 'batch' vifctl batch
	try 2 '/none: No such file' 'batch, no file' vifctl batch /none
	try 2 '/none: No such file' 'restore, no file' vifctl restore /none
	check_eq 'usage: nothing was made' "$(vifctl save d0)" $'tree d0\nvif d0'
}

# --- single verbs -----------------------------------------------------------------------

adding() {
	try 0 '' 'add' vifctl add d0/a
	try 3 '^vifctl: d0: minimum, weight and priority have no effect while no VIF above has a bandwidth' 'add with settings' vifctl add d0/a/b bandwidth 1.5m weight egress 300 ingress 7 \
		limit 100p aqm codel target 5ms interval 100ms mode 750 owner 1000:1000
	has 'its bandwidth' $d0/a/b/bandwidth 'egress 1500kbit ingress 1500kbit'
	has 'its weight' $d0/a/b/weight 'egress 300 ingress 7'
	has 'its limit' $d0/a/b/limit 'egress 100packets ingress 100packets'
	has 'its aqm' $d0/a/b/aqm 'egress codel target 5ms interval 100ms ingress codel target 5ms interval 100ms'
	check_eq 'its owner and mode' "$(stat -c '%u:%g %a' $d0/a/b)" '1000:1000 750'
	try 3 'have no effect' 'add, the whole path' vifctl add $top/d0//c/ priority 'egress 2'
	has 'its priority' $d0/c/priority 'egress 2 ingress 4'
	try 0 '' 'set, back to what every VIF has' vifctl set d0/c priority 4
	vifctl set d0/c priority 'egress 2' 2>/dev/null
	try 3 '^add d0/d.set d0/d weight 5.vifctl: ' 'add -v' vifctl add -v d0/d weight 5
	try 0 '' 'add, a name like an option' vifctl add -- d0/-j
	ok 'it is there' rmdir -- $d0/-j
	kept 'add, a bad value' "add: d0/x: bandwidth: 'fast' is not a rate" vifctl add d0/x weight 7 bandwidth fast
	kept 'add, a bad mode' "add: d0/x: mode: '999' is not valid: use octal" vifctl add d0/x mode 999
	kept 'add, a bad owner' "add: d0/x: owner: 'root' is not valid: use UID:GID" vifctl add d0/x owner root
	kept 'add, twice' 'add: d0/a: File exists.*"vifctl set d0/a" changes it' vifctl add d0/a
	kept 'add, a reserved name' "add: d0/user-1: .*user-" vifctl add d0/user-1
	kept "add, a file's name" 'add: d0/a/tasks: the name is reserved' vifctl add d0/a/tasks
	kept 'add, no VIF above' "add: d0/none/x: no VIF 'd0/none'" vifctl add d0/none/x
	kept 'add, no device' "add: none/x: no device 'none'" vifctl add none/x
	kept 'add, as a user' 'no permission to write.*vifctl: you may make d0/user-1000, and then d0/user-1000/x$' as_user vifctl add d0/x
	try 0 '' 'add, what was said' as_user vifctl add d0/user-1000
	kept 'add, as a user, again' 'vifctl: you may make d0/user-1000/x$' as_user vifctl add d0/x
	kept 'add, as a user who is elsewhere' 'vifctl: you may make d0/a/user-1000, and then d0/a/user-1000/x$' \
		in_vif $d0/a setpriv --reuid 1000 --regid 1000 --clear-groups vifctl add d0/x
	vifctl del d0/user-1000
	kept 'add, a long name' 'add: d0/x*: .*63' vifctl add "d0/$(printf 'x%.0s' {1..64})"
}

setting() {
	try 0 '^set d0/a burst 10ms.set d0/a bandwidth egress 1m ingress max.set d0/a local_weight 7$' 'set: a bandwidth begins with its burst' \
		vifctl -v set d0/a bandwidth egress 1m ingress max local_weight 7 burst 10ms
	has 'bandwidth' $d0/a/bandwidth 'egress 1mbit ingress max'
	has 'burst' $d0/a/burst 'egress 10ms ingress 10ms'
	try 3 '^set d0/a weight 5.vifctl: ' 'set -v' vifctl -v set d0/a weight 5
	batch 3 '^vifctl: d0: minimum, weight and priority have no effect[^:]*$' 'set, in a batch: said once, at its end' \
		-b <<<$'set d0/a weight 6\nset d0/c weight 5'
	batch 0 '' 'set, in a batch: a later line gives it an effect' -b <<<$'set d0/a weight 5\nset d0 bandwidth 1g'
	batch 0 '' 'set, in a batch: a later line takes it back' -b <<<$'set d0 bandwidth max\nset d0/c weight 5\nset d0/c weight 100 priority 4'
	try 0 '' 'set, of a device: nothing above has a bandwidth' vifctl set d0 bandwidth 1g
	try 0 '^set d0/a weight 5$' 'set -v, it has an effect' vifctl -v set d0/a weight 5
	try 0 '' 'set, back' vifctl set d0 bandwidth max
	try 0 '' 'set, of a device' vifctl set d0 local_priority 2
	try 0 '' 'set, of a device, again' vifctl set $d0 local_priority 4
	kept 'set, the second is bad' "set: d0/a: weight: '0' is out of range" vifctl set d0/a bandwidth 5m weight 0
	kept 'set, no VIF' "set: no VIF 'd0/none'" vifctl set d0/none weight 5
	kept 'set, a quota with a period' 'is not a quota.*goes into a section of netniced.conf' vifctl set d0/a quota 2t 'then' 1m per month
	kept 'set, as a user' 'set: d0/a: weight: .*no permission' as_user vifctl set d0/a weight 5
	kept 'set, the same again' "set: d0/a: weight: '0' is out of range" vifctl set d0/a weight 0
}

# cakes: words of tc-cake(8), and what they are to the kernel
cakes() {
	local words want
	while IFS='|' read -r words want; do
		# shellcheck disable=SC2086
		try 0 '' "set, $words" vifctl set d0 $words
		has "it is $want" $d0/link_layer "egress $want ingress $want"
	done <<-'END'
	overhead 44 atm|overhead 44 atm
	overhead -14 mpu 84 ptm|overhead -14 mpu 84 ptm
	noatm overhead 0|overhead 0
	raw|none
	raw overhead 0|none
	noatm via-ethernet overhead 44|overhead 44
	conservative|overhead 48 atm
	ipoa-vcmux|overhead 8 atm
	ipoa-llcsnap|overhead 16 atm
	bridged-vcmux|overhead 24 atm
	bridged-llcsnap|overhead 32 atm
	pppoa-vcmux|overhead 10 atm
	pppoa-llc|overhead 14 atm
	pppoe-vcmux|overhead 32 atm
	pppoe-llcsnap|overhead 40 atm
	pppoe-ptm|overhead 30 ptm
	bridged-ptm|overhead 22 ptm
	docsis|overhead 18 mpu 64
	ethernet|overhead 38 mpu 84
	ether-vlan|overhead 4
	pppoe-ptm ether-vlan|overhead 34 ptm
	ethernet ether-vlan ether-vlan mpu 68|overhead 46 mpu 68
	overhead 10 ether-vlan atm|overhead 14 atm
	bridged-vcmux overhead 20|overhead 20 atm
	link_layer mpu 60|mpu 60
	link_layer none|none
	END
}

link_layers() {
	cakes
	kept 'set, an overhead upon the frame' 'raw overhead 18' vifctl set d0 raw overhead 18
	kept 'set, too much overhead' '4294967340' vifctl set d0 pppoe-ptm overhead 4294967340
	try 0 '' 'set, a line of cake' vifctl set d0 bandwidth egress 20mbit overhead 44 mpu 84 atm weight 100
	has 'its link layer' $d0/link_layer 'egress overhead 44 mpu 84 atm ingress overhead 44 mpu 84 atm'
	has 'its bandwidth' $d0/bandwidth 'egress 20mbit ingress max'
	try 0 '' 'set, of two directions' vifctl set d0 link_layer egress pppoe-ptm ether-vlan ingress docsis bandwidth max
	has 'each has its own' $d0/link_layer 'egress overhead 34 ptm ingress overhead 18 mpu 64'
	check_eq 'show: a link layer' "$(vifctl show d0 | sed -n 3p)" '|   link_layer egress overhead 34 ptm ingress overhead 18 mpu 64'
	check_eq 'show -j: a link layer' "$(vifctl -j show d0 | jq -c '.[0].link_layer')" \
		'{"egress":"overhead 34 ptm","ingress":"overhead 18 mpu 64"}'
	schema 'show, with a link layer' show vifctl -j show dev d0
	check_eq 'save: a link layer' "$(vifctl save d0 | sed -n '/link_layer/p')" \
		$'\tlink_layer egress overhead 34 ptm ingress overhead 18 mpu 64'
	kept 'set, too much' "set: d0: link_layer: 'overhead 257' is out of range" vifctl set d0 overhead 257
	kept 'set, too much in sum' "set: d0: link_layer: 'overhead 260' is out of range" vifctl set d0 overhead 256 ether-vlan
	kept 'set, what cake does not know' "link_layer: 'overhead 4 pppoe' is not a link layer" vifctl set d0 overhead 4 pppoe
	kept 'set, of a VIF' "set: d0/a: link_layer: it applies to all" vifctl set d0/a atm
	try 1 'link_layer: a value is missing' 'set, no link layer' vifctl set d0 link_layer
	try 0 '' 'set, none' vifctl set d0 link_layer none
	check_eq 'show: none' "$(vifctl show d0 | grep -c link_layer)" 0
}

moving() {
	try 0 '' 'move' vifctl move d0/a d0/c/a
	has 'it is there' $d0/c/a/b/weight 'egress 300 ingress 7'
	kept 'move, to what is there' 'move: d0/c/a to d0/d: ' vifctl move d0/c/a d0/d
	kept 'move, below itself' 'move: d0/c to d0/c/a/c: ' vifctl move d0/c d0/c/a/c
	kept 'move, to another device' 'move: d0/c to d1/c: .*device' vifctl move d0/c d1/c
	kept 'move, no VIF' "move: d0/none: no VIF 'd0/none'" vifctl move d0/none d0/x
	try 0 '^move d0/c/a d0/a$' 'move -v' vifctl move -v d0/c/a d0/a
}

attaching() {
	local fd
	background sleep 1000
	exec {fd}<>/dev/tcp/10.0.0.1/7
	mkdir -p /sys/fs/cgroup/vt/sub
	try 0 '' 'attach a process' vifctl attach d0/a process $!
	check_eq 'it is' "$(link tasks/$!)" ../../d0/a
	try 0 '' 'attach it elsewhere' vifctl attach d0/a/b process $!
	try 0 '' 'attach, the target first' vifctl attach pid $! tid $! d0/a
	check_eq 'it is there' "$(link tasks/$!) $(link tasks/$!/threads/$!)" '../../d0/a ../../../../d0/a'
	try 0 '^detach d0/a thread [0-9]*$' 'detach, the target first' vifctl -v detach tid $! d0/a
	try 0 '' 'attach it elsewhere, as a pid' vifctl attach d0/a/b pid $!
	try 0 '' 'and again' vifctl attach d0/a/b process $!
	check_eq 'it is there' "$(link tasks/$!)" ../../d0/a/b
	try 0 '' 'attach a thread' vifctl attach d0/a thread $!
	check_eq 'the thread is' "$(link tasks/$!/threads/$!)" ../../../../d0/a
	try 0 '' 'attach a socket' vifctl attach d0/a socket $$:$fd
	check_eq 'the socket is' "$(link tasks/$$/sockets/$fd)" ../../../../d0/a
	try 0 '' 'attach groups and a device' vifctl attach d0/a cgroup / cgroup /sys/fs/cgroup/vt/sub device eth0
	check_eq 'all groups are' "$(link cgroups)" ../d0/a
	check_eq 'the group is' "$(link cgroups/vt/sub)" ../../../d0/a
	check_eq 'the device is' "$(link devices/eth0)" ../../d0/a
	kept 'attach, no process' 'attach: no process 99999999, or no power' vifctl attach d0/a process 99999999
	kept 'attach, no group' 'attach: no cgroup vt/none' vifctl attach d0/a cgroup vt/none
	kept 'attach, no VIF' "attach: d0/none: .* is not a VIF" vifctl attach d0/none cgroup vt
	kept 'attach, a device that is near' "attach: no device d00; did you mean 'd0'[?], or no power over it" vifctl attach d0/a device d00
	kept 'attach, the second is none' 'attach: no device none' vifctl attach d0/a/b cgroup vt device none
	kept 'attach, where it was before' 'attach: no device none' vifctl attach d0/a/b cgroup vt/sub device none
	kept 'del, something attached' 'del: d0/a: .*below' vifctl del d0/a
	kept 'del --recursive, something attached' 'del: d0/a/b: .*attached' vifctl del --recursive d0/a
	kept 'detach, from another' 'detach: cgroup / is attached to d0/a, not to d0/a/b' vifctl detach d0/a/b cgroup /
	kept 'detach, what is not' 'detach: cgroup vt is not attached to d0/a' vifctl detach d0/a cgroup vt
	try 0 'detach d0/a cgroup / *.detach d0/a cgroup vt/sub.detach d0/a device eth0' 'detach groups and a device' \
		vifctl detach -v d0/a cgroup / cgroup vt//sub/ device eth0
	try 0 '' 'detach a process' vifctl detach d0/a/b process $!
	try 0 '' 'detach a thread' vifctl detach d0/a thread $!
	try 0 '' 'detach a socket' vifctl detach d0/a socket $$:$fd
	stop $!
	background peer sleep 1000
	busywait 20 grep -qx sleep /proc/$!/comm
	echo $! >/sys/fs/cgroup/vt/sub/cgroup.procs
	try 3 "^vifctl: d0/a: cgroup vt: its processes are in another network namespace.*.vifctl -n /proc/$!/ns/net attach" \
		'attach a group of another namespace' vifctl attach d0/a cgroup vt
	try 0 'another network namespace' 'netnice --show says so, too' netnice --show -i d0 --cgroup vt
	echo $$ >/sys/fs/cgroup/vt/cgroup.procs
	try 0 '' 'attach a group of both' vifctl attach d0/a cgroup vt
	check_eq "attach a group: the files of its groups are not looked at" \
		"$(strace -qqq -e trace=%%stat vifctl attach d0/a cgroup vt 2>&1 | grep -c '/cgroup\.')" 0
	echo $$ >/sys/fs/cgroup/cgroup.procs
	try 0 '' 'detach it' vifctl detach d0/a cgroup vt
	try 3 "d0/a: PID $! is in another network namespace" 'attach a process of another namespace' vifctl attach d0/a process $!
	batch 3 'is in another network namespace' 'that ends no batch' -b <<<"attach d0/a process $!"$'\nset d0/a local_weight 9'
	has 'the line behind it' $d0/a/local_weight 'egress 9 ingress 9'
	vifctl set d0/a local_weight 100
	stop $!
	detaching_all
	check_eq 'nothing is attached' "$(cat $d0/a/tasks $d0/a/b/tasks $d0/a/sockets)$(find $top/cgroups -type l)" ''
	exec {fd}<&-
}

# A guest's device behind a bridge of its own, from which its packets come to that of d0 by a veth
bridges() {
	local dev
	ip link add br1 type bridge
	ip link add br2 type bridge
	ip link add ln1 type veth peer name pr1
	ip link add t1 type dummy
	ip link set t1 master br1
	try 3 'd0/a: t1 is a port of br1, from which no packets come to d0' 'attach a device that leads nowhere' vifctl attach d0/a device t1
	ip link set ln1 master br1
	ip link set pr1 master br2
	ip link set d0 master br2
	try 3 'd0/a: t1 is a port of br1, from which packets come to d0 by pr1 only: attach that .vifctl attach d0/a device pr1' \
		'attach a device behind a firewall bridge' vifctl attach d0/a device t1
	try 0 '' 'attach what it says' vifctl attach d0/a device pr1
	vifctl set d0/a bandwidth 3m
	try 3 'd0/a: its bandwidth for ingress does not limit packets to pr1: .*.vifctl set pr1 bandwidth egress 3mbit' \
		'attach a device to what limits both directions' vifctl attach d0/a device pr1
	vifctl set d0/a bandwidth ingress max
	try 0 '' 'attach a device to what limits what it sends' vifctl attach d0/a device pr1
	try 3 'd0/a: its bandwidth for ingress does not limit packets to pr1' 'set it when the device is attached' vifctl set d0/a bandwidth 2m
	try 0 '' 'set it for what the device sends' vifctl set d0/a bandwidth egress 2m ingress max
	vifctl set d0/a bandwidth max
	ip addr add 10.9.0.1/24 dev br1
	try 0 '' 'attach a device whose bridge has an address' vifctl attach d0/a device t1
	ip link set d0 nomaster
	for dev in t1 ln1 br1 br2; do ip link del $dev; done
}

has_children() { [ "$(pgrep -P "$1" | wc -l)" -eq "$2" ]; }

attach_and_detach() {
	vifctl attach "$@"
	vifctl detach "$1" all
}

# strace delays the change until the user has moved the process.
detaching_chosen() {
	local user n
	vifctl add d0/go
	vifctl add d0/go/u
	chown 1000 $d0/go/u
	as_user mkdir $d0/go/u/x $d0/go/u/y
	"${user_prefix[@]}" sleep 1000 &
	user=$!
	busywait 20 grep -qx sleep /proc/$user/comm
	vifctl attach d0/go process $user
	as_user sh -c "echo $user >$d0/go/u/x/tasks"
	n=$(strace -qqq -e trace=socket vifctl detach d0/go/u/y all 2>&1 | grep -c socket)
	strace -qqq -o /dev/null -e trace=socket -e inject=socket:delay_enter=1000000:when=$((n + 1)) vifctl detach d0/go/u/x all &
	pause 0.5
	as_user sh -c "echo $user >$d0/go/u/y/tasks"
	wait $!
	check_eq 'detach all, the user moves the process meanwhile: no error' $? 0
	check_eq 'detach all, the user moves the process meanwhile: it stays attached' "$(link tasks/$user)" ../../d0/go/u/y
	kill $user
	{ wait $user; } 2>/dev/null
	vifctl del --recursive --force d0/go
}

# What a user has below a VIF that cannot be removed is the user's again.
users_again() {
	vifctl add d0/go
	vifctl add d0/go/given owner 1000:1000 mode 2750
	sleep 1000 &
	member=$!
	vifctl attach d0/go process $member
	in_vif $d0/go "${user_prefix[@]}" sh -c "mkdir -m 700 $d0/go/user-1000 $d0/go/user-1000/x; echo 5m >$d0/go/user-1000/x/bandwidth"
	kept "del --recursive, a user's below" 'del: d0/go: .*attached' vifctl del --recursive d0/go
	check_eq "a user's again: owner and mode" "$(stat -c '%u:%g %a' $d0/go/given $d0/go/user-1000 $d0/go/user-1000/x | xargs)" \
		'1000:1000 2750 1000:1000 700 1000:1000 700'
	ok "a user's again: it may be set by its user" as_user sh -c "echo 6m >$d0/go/user-1000/x/bandwidth"
	ok "a user's again: the last VIF in it is removed" as_user rmdir $d0/go/user-1000/x
	ok "a user's again: and it goes by itself" busywait 5 test ! -e $d0/go/user-1000
	kill $member
	{ wait $member; } 2>/dev/null
	vifctl del --recursive --force d0/go
}

# Whatever is attached, also by inheritance; del --force of what goes by itself
detaching_all() {
	local parent
	sh -c 'sleep 1000 & sleep 1000 & wait' &
	parent=$!
	busywait 20 has_children $parent 2
	try 0 '' 'attach three processes, a group and a device' vifctl attach d0/a process $parent process "$(pgrep -P $parent | head -n 1)" \
		process "$(pgrep -P $parent | tail -n 1)" cgroup vt device eth0
	try 0 '(detach d0/a .*){5}' 'detach all' vifctl detach -v d0/a all
	check_eq 'detach all: nothing is' "$(cat $d0/a/tasks)$(find $top/cgroups $top/devices -type l)" ''
	bridges
	try 0 '' 'detach all, again' vifctl detach d0/a all
	try 2 "detach: no VIF 'd0/none'" 'detach all, no VIF' vifctl detach d0/none all
	try 3 'd0/a/b: 1 socket stays attached until it is closed' 'detach all: a socket' \
		attach_and_detach d0/a/b socket "$$:$fd"
	vifctl detach d0/a/b socket $$:"$fd"
	vifctl add d0/go
	vifctl attach d0/go process $parent
	kept 'del, a process is attached' 'del: d0/go: .*attached' vifctl del d0/go
	vifctl set d0/go autoremove 1
	try 0 '' 'del --force, of one that goes with the last process' vifctl del --force d0/go
	vifctl add d0/go
	vifctl add d0/go/below
	vifctl attach d0/go/below process $parent
	vifctl attach d0/go cgroup vt
	kept 'del --force, one is below' 'del: d0/go: .*below' vifctl del --force d0/go
	vifctl attach d0/go/below socket "$$:$fd"
	kept 'del --recursive --force, a socket' 'del: d0/go/below: .*nothing was changed' vifctl del --recursive --force d0/go
	check_eq 'what was detached is attached again' "$(link cgroups/vt) $(link tasks/$parent)" '../../d0/go ../../d0/go/below'
	vifctl detach d0/go/below socket "$$:$fd"
	try 0 '' 'del --recursive --force' vifctl del --recursive --force d0/go
	users_again
	ok 'all of it has gone' test ! -e $d0/go
	detaching_chosen
	pkill -P $parent
	{ wait $parent; } 2>/dev/null
}

removing() {
	kept 'del, VIFs below' 'del: d0/a: .*below' vifctl del d0/a
	kept 'del, no VIF' "del: d0/none: no VIF 'd0/none'" vifctl del d0/none
	kept 'del --recursive, no VIF' "del: no VIF 'd0/none'" vifctl del d0/none --recursive
	kept 'del, a device' "del: d0: .*root VIF" vifctl del d0
	kept 'del --recursive, a device' 'del: d0: .*root VIF' vifctl del --recursive d0
	try 0 '^del d0/d$' 'del -v' vifctl -v del d0/d
	try 0 '^del d0/a/b.del d0/a$' 'del --recursive' vifctl del -v --recursive d0/a
	try 0 '' 'del' vifctl del d0/c
	check_eq 'all are gone' "$(vifctl save d0)" $'tree d0\nvif d0'
}

# A device has other names, which all verbs take
altnames() {
	local long=d0-by-a-name-longer-than-15-bytes name
	ip link property add dev d0 altname d0too altname "$long"
	for name in d0too "$long" d0@if9; do
		try 0 '' "$name: add" vifctl add "$name/web"
		try 0 '' "$name: set" vifctl set "$name/web" bandwidth 1m
		try 0 '^d0/web' "$name: show" vifctl -br show "$name/web"
		try 0 'd0/web' "$name: export" vifctl export dev "$name"
		try 0 'd0/web' "$name: top" vifctl top -n 1 -d 0.1 "$name"
		try 0 '' "$name: attach" vifctl attach eth0 device "$name"
		check_eq "$name: it is the device" "$(readlink $top/devices/d0/eth0)" ../../eth0
		try 0 '' "$name: detach" vifctl detach eth0 device "$name"
		printf 'tree %s\nvif %s/web\n' "$name" "$name" >"$tmp/altname"
		try 0 '' "$name: restore" vifctl restore "$tmp/altname"
		check_eq "$name: it is done" "$(vifctl save d0)" $'tree d0\nvif d0\nvif d0/web'
		try 2 "no VIF 'd0/wbe'; did you mean 'd0/web'[?]" "$name: a VIF that is near" vifctl show "$name/wbe"
		try 0 '' "$name: del" vifctl del "$name/web"
	done
	ip link property del dev d0 altname d0too altname "$long"
}

# Sizes as vifctl saved them until it printed GB and GiB
old_sizes() {
	printf 'tree d0\nvif d0/a\nquota egress 10gb then 256kbit left 10736418240b\nburst 16kb\n' >"$tmp/old"
	try 0 'quota: 10gb is read as 10GiB.*burst: 16kb is read as 16KiB' 'sizes of earlier versions' vifctl restore "$tmp/old"
	has 'they are what they were: quota' $d0/a/quota 'egress 10GiB then 256kbit left 10736418240b ingress none'
	has 'they are what they were: burst' $d0/a/burst 'egress 16KiB ingress 16KiB'
	vifctl save d0 >"$tmp/new"
	try 0 '' 'as they are saved now, there is nothing to say' vifctl restore -v "$tmp/new"
	vifctl del d0/a
}

# --- printing ---------------------------------------------------------------------------

# schema NAME DEF COMMAND...: what it prints fits
schema() {
	local name=$1 def=$2
	shift 2
	"$@" >"$tmp/json"
	check_eq "$name: the version of the schema" "$(jq -r 'map(.schema_version) | unique[]' "$tmp/json")" 2
	check_eq "$name: fits the schema" "$(jq -r --slurpfile schema "$schema" --arg name "$def" \
		-f "$net_dir/schema.jq" "$tmp/json" 2>&1)" ''
	ok "$name: is not empty" jq -e 'length > 1' "$tmp/json"
}

showing() {
	local pid pids socket fd line='d0/a  1mbit   max    '
	sleep 1000 &
	pid=$!
	pids=("$pid")
	shown() { vifctl show "$1" | sed -n 2p; }
	mkdir -p /sys/fs/cgroup/vt
	vifctl add d0/a bandwidth egress 1m
	check_eq 'show: the columns' "$(vifctl show d0/a | head -n 1)" \
		'VIF   EGRESS  INGRESS  WEIGHT  PRIO  ATTACHED'
	check_eq 'show: of a VIF' "$(shown d0/a)" "$line     100     4"
	vifctl set d0/a weight egress 10 ingress 3000 priority 7
	vifctl attach d0/a process $pid cgroup vt device eth0
	check_eq 'show: shares, and what is attached' "$(shown d0/a)" \
		"$line  10/3000     7  $pid sleep, cgroup /vt, device eth0"
	check_eq 'show: nothing of it elsewhere' "$(vifctl show d0 | grep -c /vt)" 1
	vifctl attach d0/a thread $pid
	check_eq 'show: a thread' "$(vifctl show d0/a | grep -c ", thread $pid sleep, ")" 1
	check_eq 'list and ls are show, and so is its begin' "$(vifctl list d0; vifctl ls d0; vifctl sho d0)" "$(vifctl show d0; vifctl show d0; vifctl show d0)"
	check_eq 'show -br: no heads, and whole paths' "$(vifctl -br show d0/a | cut -c 1-17)" 'd0/a  1mbit   max'
	check_eq 'show -br: nothing below' "$(vifctl show -br -s -d dev d0 | awk '{ print $1 }' | paste -s -d ' ')" 'd0 d0/a'
	vifctl set d0/a burst 10ms
	check_eq 'show -d' "$(vifctl show -d d0/a | sed '1,2d; s/^ *//' | paste -s -d ' ')" \
		'burst 10ms minimum none local_weight 100 local_priority 4 limit auto aqm codel fair flow link_layer none group none class none dscp none mark none skb_priority none quota none owner 0:0 mode 755 autoremove 0'
	vifctl set d0/a burst auto
	check_eq 'show -j: numbers' "$(vifctl -j show d0/a | jq -c '.[0] | [.bandwidth_bits_per_s, .minimum_bits_per_s.egress]')" \
		'[{"egress":1000000,"ingress":null},0]'
	check_eq 'show -j -d' "$(vifctl -j -d show d0/a | jq -c '.[0] | [.burst.egress, .local_weight.ingress, .uid, .mode, .autoremove]')" \
		'["auto",100,0,"755",0]'
	schema 'show -d' show vifctl -j -d show dev d0
	vifctl set d0/a minimum ingress 1m
	check_eq 'show: a minimum' "$(vifctl show d0/a | head -n 1)" \
		'VIF   EGRESS  INGRESS  MINIMUM      WEIGHT  PRIO  ATTACHED'
	check_eq 'show: of a VIF' "$(vifctl show d0 | awk '{ print $4 }' | paste -s -d ' ')" 'MINIMUM - none/1mbit'
	check_eq 'show -j: a minimum' "$(vifctl -j show d0/a | jq -c '.[0].minimum')" '{"egress":"none","ingress":"1mbit"}'
	vifctl set d0/a minimum none
	check_eq 'show: the root has no share' "$(vifctl show d0 | awk '$1 == "d0" { print $4, $5 }')" '- -'
	check_eq 'show -j: shares' "$(vifctl -j show d0/a | jq -c '.[0] | [.weight, .priority.egress]')" \
		'[{"egress":10,"ingress":3000},7]'
	check_eq 'show -j: what is attached' "$(vifctl -j show d0/a | jq -c '.[0].attached | map([.kind, .origin, .pid, .cgroup, .device])')" \
		"[[\"process\",\"admin\",$pid,null,null],[\"thread\",\"admin\",$pid,null,null],[\"cgroup\",\"admin\",null,\"/vt\",null],[\"device\",\"admin\",null,null,\"eth0\"]]"
	check_eq 'show -j: processes' "$(vifctl -j show d0/a | jq -c '.[0].tasks')" "[{\"pid\":$pid,\"comm\":\"sleep\"}]"
	schema 'show, with attachments' show vifctl -j show dev d0
	for _ in 1 2 3 4 5 6 7; do
		sleep 1000 &
		pids+=($!)
		vifctl attach d0/a process $!
	done
	check_eq 'show: after eight, only how many' "$(vifctl show d0/a | grep -o 'sleep, and .*')" 'sleep, and 3 more'
	check_eq 'show -j: all' "$(vifctl -j show d0/a | jq '.[0].attached | length')" 11

	vifctl add d0/b mode 711
	vifctl add d0/b/hidden
	background as_user socat UDP-RECVFROM:9009,bind=127.0.0.1 -
	socket=$!
	busywait 20 eval "ss -Hulnp 'sport = 9009' | grep -q pid=$socket,"
	fd=$(ss -Hulnp 'sport = 9009' | sed -n "s/.*pid=$socket,fd=\([0-9]*\).*/\1/p")
	vifctl attach d0/b/hidden process $pid socket "$socket:$fd"
	check_eq 'show -j: a cookie is a string' "$(vifctl -j show d0/b/hidden | jq -r '.[0].attached[] | select(.kind == "socket") | .cookie | type')" string
	check_eq 'show: a socket' "$(vifctl show d0/b/hidden | grep -Eo "$pid sleep, socket sk:[0-9a-f]+$" | wc -l)" 1
	check_eq 'show: a user sees what can be named' "$(as_user vifctl show d0/b/hidden | sed -n 's/sk:.*/sk/; 2s/.*4  //p')" \
		"$pid sleep, socket sk"
	stop "${pids[@]}" $socket
	vifctl detach d0/a cgroup vt device eth0
	rmdir /sys/fs/cgroup/vt
	ok 'all go' busywait 20 vifctl del --recursive d0/b
	ok 'and here' busywait 20 vifctl del d0/a
}

counting() {
	vifctl add d0/a bandwidth 8k
	vifctl add d0/a/$'x\ny"z\\\x9b'
	in_vif $d0/a sh -c 'exec ping -q -c 1 -W 1 -s 100 192.0.2.2' >/dev/null
	schema 'show' show vifctl -j show
	schema 'show -s' show vifctl show -j -s dev d0
	schema 'stat' stat vifctl -j stat
	schema 'stat of a device' stat vifctl stat -j -p dev d0
	check_eq 'stat: as the file' "$(vifctl -j stat d0/a | jq '.[0].egress.packets')" \
		"$(vif_stat $d0/a egress_packets)"
	check 'stat: there was one' "$(vifctl -j stat d0/a | jq '.[0].egress.packets') >= 1"
	ok 'stat: text' grep -Eq "^d0/a +egress +$(vif_stat $d0/a egress_packets) +$(vif_stat $d0/a egress_bytes) " \
		<(vifctl stat dev d0)
	check_eq 'show -s -h: with units, without zeros' "$(vifctl show -s -h d0/a | sed -n 's/^| *egress *//p')" \
		"packets $(vif_stat $d0/a egress_packets) bytes $(vif_stat $d0/a egress_bytes)B"
	check_eq 'show -s --human: the same' "$(vifctl show -s --human d0/a)" "$(vifctl -h -s show d0/a)"
	ok 'show -s: all' grep -q 'drops 0 marks 0' <(vifctl -s show d0/a)
	ok 'stat --human' grep -Eq "^d0/a +egress +$(vif_stat $d0/a egress_packets) +$(vif_stat $d0/a egress_bytes)B " \
		<(vifctl stat --human dev d0)
	try 2 "stat: no VIF 'd0/none'" 'stat, no VIF' vifctl stat d0/none
	vifctl stat --prometheus dev d0 >"$tmp/prom"
	ok 'stat --prometheus' grep -Fxq "netnice_vif_bytes_total{device=\"d0\",vif=\"d0/a\",direction=\"egress\"} $(vif_stat \
		$d0/a egress_bytes)" "$tmp/prom"
	check_eq 'stat --prometheus: each line is one' "$(grep -Evc '^(# (HELP|TYPE) netnice_vif_[a-z0-9_]+ .+|netnice_vif_[a-z0-9_]+\{device="d0",vif="[^"]*",direction="(e|in)gress"\} [0-9.]+)$' "$tmp/prom")" 0
	ok 'stat --prometheus: names are escaped' grep -Fq 'vif="d0/a/x\\012y\\042z\\134\\233"' "$tmp/prom"
	vifctl del --recursive d0/a
}

has_colour() { grep -q $'\e' <("$@"); }

colours() {
	vifctl add d0/a bandwidth 1m
	ok 'colours: -c' has_colour vifctl -c show d0
	ok 'colours: asked for, with NO_COLOR' env NO_COLOR=1 bash -c 'vifctl show -color=always d0 | grep -q "\[36m"'
	fails 'colours: none in a pipe' has_colour vifctl -c=auto show d0
	fails 'colours: none unasked' has_colour vifctl show d0
	fails 'colours: never' has_colour vifctl -c -c=never stat d0
	fails 'colours: none in JSON' has_colour vifctl -c -j show d0
	ok 'colours: on a terminal' has_colour script -qc 'vifctl --colour=auto show d0' /dev/null
	fails 'colours: on a terminal, with NO_COLOR' has_colour script -qc 'NO_COLOR=1 vifctl --colour=auto show d0' /dev/null
	check_eq 'colours: nothing else changes' "$(vifctl -c show d0 | sed $'s/\e\\[[0-9]*m//g')" "$(vifctl show d0)"
	vifctl del d0/a
}

# started: a monitor has seen something
started() {
	rmdir $d0/start 2>/dev/null
	mkdir $d0/start
	grep -q start "$1"
}

monitoring() {
	timeout 0.5 vifctl monitor >/dev/null 2>&1
	if [ $? -ne 124 ]; then
		skip 'monitor' 'the module has no events'
		return
	fi
	background vifctl monitor dev d0 >"$tmp/events"
	busywait 20 started "$tmp/events"
	background vifctl -j monitor >"$tmp/json"
	busywait 20 started "$tmp/json"
	rmdir $d0/start
	vifctl add d0/a bandwidth egress 1m
	vifctl add d1/a
	vifctl attach d0/a process $$ device eth0
	vifctl move d0/a $'d0/b\n'
	vifctl detach $'d0/b\n' process $$ device eth0
	vifctl del $'d0/b\n'
	vifctl del d1/a
	busywait 20 grep -q 'vif-del.*d1/a' "$tmp/json"
	check_eq 'monitor' "$(sed -n '/vif-new d0.a/,$p' "$tmp/events")" 'vif-new d0/a owner 0:0 mode 755
vif-set d0/a bandwidth egress 1mbit ingress max owner 0:0 mode 755
attach d0/a process '$$'
attach d0/a device eth0
vif-move d0/a d0/b\012 bandwidth egress 1mbit ingress max owner 0:0 mode 755
detach d0/b\012 process '$$'
detach d0/b\012 device eth0
vif-del d0/b\012'
	check_eq 'monitor -j' "$(jq -r 'select(.path | test("start") | not) | "\(.event) \(.path)"' "$tmp/json" | head -3 |
		paste -s -d ' ')" 'vif-new d0/a vif-set d0/a vif-new d1/a'
	check_eq 'monitor -j: the version of the schema' "$(jq .schema_version "$tmp/json" | sort -u)" 2
	check_eq 'monitor -j: fits the schema' "$(jq -r --slurpfile schema "$schema" --arg name event \
		-f "$net_dir/schema.jq" "$tmp/json" 2>&1)" ''
}

# read_on: what a monitor says within a second, in $tmp/part; fails if that is nothing
read_on() {
	timeout 1 cat <&"$slow" >"$tmp/part"
	[ -s "$tmp/part" ]
}

begins_to_read() {
	vifctl set d0 local_weight $((RANDOM % 99 + 1))
	read_on
}

says_new() {
	vifctl del d0/after 2>/dev/null
	vifctl add d0/after
	read_on && grep -q '^vif-new d0/after ' "$tmp/part"
}

# Who reads too slowly loses events, is told so, and gets those behind. Long paths fill the
# buffer sooner. As long as events wait in it, the kernel goes on to lose those that come.
overrun() {
	local i name path=d0 slow lost=0
	mkfifo "$tmp/slow"
	name=$(printf 'x%.0s' {1..63})
	for i in {1..30}; do
		path+=/$name
		vifctl add "$path"
	done
	for i in {1..3000}; do echo "set $path weight $((i % 9 + 1))"; done >"$tmp/many"
	exec {slow}<>"$tmp/slow"
	background vifctl monitor dev d0 >&"$slow"
	busywait 20 begins_to_read
	vifctl -b "$tmp/many"
	while read_on; do lost=$((lost + $(grep -cx lost "$tmp/part"))); done
	check 'monitor: events are lost, and it says so' "$lost >= 1"
	ok 'monitor: and goes on' busywait 20 says_new
	stop $!
	exec {slow}<&-
	vifctl set d0 local_weight 100
	vifctl del --recursive "d0/$name"
	vifctl del d0/after
}

steers() { LC_ALL=C.UTF-8 grep -aPq '[\x00-\x08\x0b-\x1f\x7f-\x9f\x{200b}-\x{200f}\x{202a}-\x{202e}]' <<<"$1"; }
is_not_utf8() { LC_ALL=C.UTF-8 grep -avxq '.*' <<<"$1"; }

# No name has any byte that steers a terminal come out
names() {
	local -x LC_ALL=C.UTF-8
	local name i=0 out
	for name in $'a\nb' $'\e[31m' $'\x9b31m' $'\xc2\x9b31m' $'\x7f' ' a' '#a' 'a"b' "a'b" $'\\' '\101' $'\xe2\x80\xaex' \
		$'\xff\xfe' $'\xc3\xa9' "$(printf '\x80%.0s' {1..63})"; do
		i=$((i + 1))
		try 0 '' "names: $i: add" vifctl add "d0/$name"
		out=$(vifctl show dev d0; vifctl save d0; vifctl stat d0; vifctl -j show dev d0
			vifctl set "d0/$name" weight 0 2>&1; vifctl add "d0/$name/$name/x" 2>&1
			vifctl "x$name" 2>&1; vifctl attach "d0/$name" cgroup "$name" 2>&1; netnice -i "$name" -b 1m true 2>&1)
		fails "names: $i: nothing steers the terminal" steers "$out"
		fails "names: $i: what is printed is UTF-8" is_not_utf8 "$out"
		vifctl save d0 >"$tmp/name"
		check_eq "names: $i: a file is plain ASCII" "$(LC_ALL=C tr -d '\n\t -~' <"$tmp/name")" ''
		vifctl del "d0/$name"
		try 0 '' "names: $i: restore" vifctl restore "$tmp/name"
		ok "names: $i: it is there" test -d "$d0/$name"
		ok "names: $i: batch" eval "vifctl restore --dry-run - <<<'tree d0' | vifctl batch -"
		fails "names: $i: it is gone" test -d "$d0/$name"
	done
	ok 'names: printable UTF-8 passes' grep -q 'é' <(vifctl add d0/é; LC_ALL=C.UTF-8 vifctl show dev d0)
	ok 'names: not in an ASCII locale' grep -Fq '\303\251' <(LC_ALL=C vifctl show dev d0)
	vifctl del d0/é
}

# --- batch, namespaces --------------------------------------------------------------------

# batch STATUS WORDS NAME OPTION...: of the lines on standard input
batch() {
	cat >"$tmp/batch"
	try "$1" "$2" "$3" vifctl "${@:4}" "$tmp/batch"
}

batches() {
	batch 3 '^vifctl: d0: minimum, weight and priority have no effect' 'batch' batch <<-'END'
		# a remark
		add d0/a \
			weight 5   # and another

		add "d0/a/b c"
		set d0/a/b\040c 'weight' 8
	END
	batch 3 '^set d0/a/b.040c weight 7.vifctl: d0:' '-b' -b <<-'END'
		-v set d0/a/b\040c 'weight' 7
	END
	has 'its weight' "$d0/a/b c/weight" 'egress 7 ingress 7'
	batch 1 'more than 8 batches in each other' 'a batch that names itself' batch <<<"batch $tmp/batch"
	batch 2 'vifctl: .*/batch:2: add: d0/x: weight: .*out of range' 'batch stops' batch <<-'END'
		add d0/b
		add d0/x weight 0
		add d0/c
	END
	fails 'nothing behind it' test -d $d0/c
	batch 2 "batch:2: unknown verb 'bad'.*batch:4: add: d0/b: File exists" '-force goes on' -force -b <<-'END'
		del d0/b
		bad
		add d0/b
		add d0/b
		add d0/c
	END
	ok 'what is behind it' test -d $d0/c
	batch 2 'batch:1: del: d0/none' 'batch --force' batch --force <<-'END'
		del d0/none
		del d0/b
	END
	batch 1 'batch:2: a quote is not closed' 'batch, a quote' batch <<<$'del d0/c\ndel "d0/a'
	batch 1 'batch:1: .*-b and -n belong before the batch' 'batch in a batch' batch <<<'-b x'
	batch 1 'batch:1: .*-b and -n belong before the batch' '-n in a batch' batch <<<'-n peer show'
	printf 'show\0\n' >"$tmp/zero"
	try 1 'zero:1: a zero byte' 'batch, a zero byte' vifctl -b "$tmp/zero"
	check_eq 'batch, standard input' "$(printf 'show dev d0\n' | vifctl -b -)" "$(vifctl show dev d0)"
	check_eq 'batch, -j' "$(printf 'show dev d0\n' | vifctl -j -b -)" "$(vifctl -j show dev d0)"
	vifctl del --recursive d0/a
}

namespaces() {
	local mounts
	mounts=$(cat /proc/mounts)
	try 0 'VIF .*eth0 .*lo ' '-n show' vifctl -n peer show
	try 3 'have no effect while no VIF above has a bandwidth' '-n add' vifctl -n peer add lo/there weight 9
	try 0 'vif lo/there.*weight 9' '--netns' vifctl --netns peer save lo
	try 0 'vif lo/there' '-n, a path' vifctl -n /run/netns/peer save lo
	ok '-n restore' eval "vifctl -n peer restore - <<<'tree lo'"
	check_eq '-n: it is gone' "$(vifctl -n peer save lo)" $'tree lo\nvif lo'
	fails '-n: not here' test -d $top/lo/there
	try 0 '' '-n batch' vifctl -n peer batch -
	try 2 '[-]n: /run/netns/none: No such file.*or a path ' '-n, none' vifctl -n none show
	try 2 '[-]n: not a network namespace' '-n ..' vifctl -n .. show
	try 2 '[-]n: /etc/passwd: Invalid argument' '-n, a file' vifctl -n /etc/passwd show
	try 2 '[-]n: ' '-n as a user' as_user vifctl -n peer show
	check_eq '-n: nothing stays mounted' "$(cat /proc/mounts)" "$mounts"
}

# --- save and restore -----------------------------------------------------------------------

# wants STATUS WORDS NAME: restore of the file on standard input; nothing is changed by it
wants() {
	local before
	before=$(vifctl save)
	cat >"$tmp/file"
	try "$1" "$2" "restore: $3" vifctl restore -v "$tmp/file"
	check_eq "restore: $3: all is as it was" "$(vifctl save)" "$before"
}

files() {
	vifctl add d0/a bandwidth 1m
	vifctl add d0/a/b weight 7
	wants 1 'no "tree PATH" in it' 'an empty file' <<<'# nothing'
	wants 1 "file:1: unknown word 'tre'.valid are:.*tree PATH.*bandwidth .*cgroup " 'no keyword' <<<'tre d0'
	wants 1 "file:2: unknown word 'unit'" 'a unit is not kept' <<<$'vif d0/a\nunit nginx.service'
	wants 1 'file:2: bandwidth: no "vif PATH" before it' 'no VIF' <<<$'tree d0\nbandwidth 1m'
	wants 1 'file:3: bandwidth: a value is missing: RATE' 'no value' <<<$'tree d0\nvif d0/a\nbandwidth'
	wants 1 'file:4: weight: given twice for d0/a' 'twice' <<<$'tree d0\nvif d0/a\nweight 5\nweight 5'
	wants 1 'file:3: vif d0/a: line 2 has it already' 'a VIF twice' <<<$'tree d0\nvif d0/a\nvif d0/a'
	wants 1 'file:2: vif d1/a: it is in no "tree"' 'another device' <<<$'tree d0\nvif d1/a'
	wants 1 'file:2: vif d0/a/b: there is no "vif d0/a"' 'no VIF above' <<<$'tree d0\nvif d0/a/b'
	wants 1 'file:2: tree d0/a: line 1 has it already' 'a tree twice' <<<$'tree d0\ntree d0/a'
	wants 1 'file:1: use "tree PATH"' 'two paths' <<<'tree d0 d1'
	wants 1 "file:1: restore: not a VIF: '/etc'" 'no path' <<<'tree /etc'
	wants 1 'file:3: process: processes, .* are not kept' 'a process' <<<$'tree d0\nvif d0/a\nprocess 1'
	wants 1 "file:3: cgroup: '../x' is not valid" 'no group' <<<$'tree d0\nvif d0/a\ncgroup ../x'
	wants 1 'file:4: vif d0/b: cgroup x is attached to d0/a, too' 'a group twice' <<<$'tree d0\nvif d0/a\ncgroup x\nvif d0/b\ncgroup /x'
	wants 1 'file:2: vif d0/b: autoremove, and nothing is attached' 'autoremove' <<<$'tree d0\nvif d0/b\nautoremove 1'
	wants 3 "file:1: tree none: no device 'none'" 'no device' <<<$'tree none\nvif none/a'
	wants 3 'file:4: vif d0/a: no cgroup none.*file:5: vif d0/a: no device none' 'what is to be attached is not there' \
		<<<$'tree d0/a\nvif d0/a\n bandwidth 1m\n cgroup none\n device none\nvif d0/a/b\n weight 7'
	wants 2 "restore: d0/z: bandwidth: 'fast' is not a rate.*nothing was changed" 'a bad value' <<<$'tree d0\nvif d0/z\nbandwidth fast\nvif d0/b'
	wants 0 'file:2: vif d0: .* no siblings: weight is left out' 'the weight of a root VIF' \
		<<<$'tree d0\nvif d0\n weight 5\nvif d0/a\n bandwidth 1m\nvif d0/a/b\n weight 7'
	wants 0 '' 'nothing wanted of a device' <<<$'tree none\nvif none\n bandwidth max\ntree d0/a/b\nvif d0/a/b\n weight 7'
	wants 0 '' 'nothing to do' <<<$'tree d0\nvif d0/a\n bandwidth 1000kbit\nvif d0/a/b\n weight egress 7 ingress 7\ntree none'
	wants 0 '' 'a part, other words' <<<$'tree d0/a/b\nvif /proc/network/d0/a/b\nweight 7\naqm auto\nmode 0755\nowner 0:0'
}

# restores FILE WORDS NAME: prints what it does, and is what was printed before
restores() {
	local dry
	dry=$(vifctl restore --dry-run "$1")
	[[ $dry =~ $2 ]] || note "--dry-run: $dry"
	check_eq "$3: what is done" "$(vifctl restore -v "$1")" "$dry"
	check_eq "$3: again, nothing" "$(vifctl restore -v "$1" 2>&1)" ''
	[[ $dry =~ ^$2$ ]]
	check_eq "$3: as expected" $? 0
}

has_tasks() { grep -q . "$1/tasks"; }
netnice_runs() { has_tasks $d0/netnice.*; }
has_none() { ! has_tasks "$1"; }

differences() {
	local i
	mkdir -p /sys/fs/cgroup/vt/{one,two}
	vifctl attach d0/a cgroup vt/one device eth0
	printf '%s\n' 'tree d0' 'vif d0/a' 'bandwidth 2m' 'vif d0/c' 'cgroup vt/one' 'cgroup vt/two' >"$tmp/file"
	restores "$tmp/file" $'set d0/a bandwidth 2mbit\nadd d0/c\nattach d0/c cgroup vt/one\nattach d0/c cgroup vt/two\ndetach d0/a device eth0\ndel d0/a/b' \
		'differences'
	printf '%s\n' 'tree d0/a' 'vif d0/a' 'weight egress 5' >"$tmp/file"
	for i in '' ', again'; do
		try 3 '^vifctl: d0: minimum, weight and priority have no effect' "restore: shares without a limit above$i" vifctl restore "$tmp/file"
	done
	printf '%s\n' 'tree d0/a' 'vif d0/a' 'bandwidth egress 5m' >"$tmp/file"
	restores "$tmp/file" $'set d0/a bandwidth egress 5mbit ingress max\nset d0/a weight 100' 'a part'
	ok 'a part: others stay' test -d $d0/c
	printf '%s\n' 'tree d0/a' >"$tmp/file"
	restores "$tmp/file" 'del d0/a' 'a part that is not there'
	# netnice(1)'s, and users', are not ours
	background netnice -b 1m -i d0 sleep 1000
	busywait 20 netnice_runs
	check_eq 'save: no VIF of netnice' "$(vifctl save d0 | grep -c netnice)" 0
	printf 'tree d0\n' >"$tmp/file"
	restores "$tmp/file" $'detach d0/c cgroup vt/one\ndetach d0/c cgroup vt/two\ndel d0/c' 'beside netnice'
	ok 'beside netnice: its VIF is there' test -d $d0/netnice.*
	stop $!
	# minima fit at each step: what gets less before what gets more, and a device's bandwidth
	printf '%s\n' 'tree d0' 'vif d0' 'bandwidth 10m' 'vif d0/a' 'minimum 6m' 'vif d0/a/b' 'minimum 5m' \
		'vif d0/c' 'minimum 4m' 'vif d0/d' >"$tmp/file"
	restores "$tmp/file" $'set d0 bandwidth 10mbit\nadd d0/a\nadd d0/a/b\nadd d0/c\nadd d0/d\nset d0/a minimum 6mbit\nset d0/a/b minimum 5mbit\nset d0/c minimum 4mbit' \
		'minima'
	printf '%s\n' 'tree d0' 'vif d0' 'bandwidth 9m' 'vif d0/a' 'bandwidth 2m' 'minimum 1m' 'vif d0/a/b' 'vif d0/d' \
		'minimum egress 8m' >"$tmp/file"
	restores "$tmp/file" $'set d0/c minimum none\nset d0/a/b minimum none\nset d0/a minimum 1mbit\nset d0 bandwidth 9mbit\nset d0/a bandwidth 2mbit\nset d0/d minimum egress 8mbit ingress none\ndel d0/c' \
		'other minima'
	printf '%s\n' 'tree d0' 'vif d0' 'bandwidth 9m' 'vif d0/a' 'minimum 7m' 'vif d0/d' 'minimum 8m' >"$tmp/minima"
	wants 2 "restore: d0/a: .*above guarantees 9000000.*nothing was changed" 'too many minima' <"$tmp/minima"
	printf 'tree d0\n' >"$tmp/file"
	restores "$tmp/file" $'set d0/d minimum none\nset d0/a minimum none\nset d0 bandwidth max\ndel d0/d\ndel d0/a/b\ndel d0/a' 'no minima'
	# cake's words are the numbers that they stand for
	printf '%s\n' 'tree d0' 'vif d0' 'bandwidth 9m' 'link_layer egress pppoe-ptm ether-vlan' >"$tmp/file"
	restores "$tmp/file" $'set d0 bandwidth 9mbit\nset d0 link_layer egress overhead 34 ptm ingress none' 'a link layer'
	printf 'tree d0\n' >"$tmp/file"
	restores "$tmp/file" $'set d0 bandwidth max\nset d0 link_layer none' 'no link layer'
	# one that goes with its group
	printf '%s\n' 'tree d0' 'vif d0/a' 'cgroup vt/one' 'autoremove 1' >"$tmp/file"
	restores "$tmp/file" $'add d0/a\nattach d0/a cgroup vt/one\nset d0/a autoremove 1' 'autoremove'
	printf '%s\n' 'tree d0' 'vif d0/a' 'cgroup vt/two' 'autoremove 1' >"$tmp/file"
	restores "$tmp/file" $'set d0/a autoremove 0\nattach d0/a cgroup vt/two\ndetach d0/a cgroup vt/one\nset d0/a autoremove 1' \
		'autoremove, another group'
	printf 'tree d0\n' >"$tmp/file"
	restores "$tmp/file" $'set d0/a autoremove 0\ndetach d0/a cgroup vt/two\ndel d0/a' 'autoremove, removed'
	printf '%s\n' 'tree d0' 'vif d0/a' 'vif d0/b' >"$tmp/file"
	vifctl restore "$tmp/file"
	background "${in_vif_prefix[@]}" $d0/a sleep 1000
	busywait 20 has_tasks $d0/a
	wants 2 'restore: d0/a: .*attached.*nothing was changed' 'a process in what is left over' <<<$'tree d0\nvif d0/c\nweight 3'
	stop $!
	busywait 20 has_none $d0/a
	vifctl restore - <<<'tree d0'
}

# What ends the program in the middle takes all back
interrupted() {
	{
		echo 'tree d0'
		printf 'vif d0/n%d\nweight 7\n' {1..300}
	} >"$tmp/many"
	try 143 'restore: interrupted.*nothing was changed' 'interrupted' \
		strace -qqq -e inject=mkdirat:signal=TERM:when=200 -o /dev/null vifctl restore "$tmp/many"
	check_eq 'interrupted: all is as it was' "$(vifctl save d0)" $'tree d0\nvif d0'
	vifctl restore -v "$tmp/many" | sed 10q >/dev/null
	check_eq 'output is not read: all is made' "$(vifctl save d0 | grep -c weight)" 300
	ok 'all are removed' eval "vifctl restore - <<<'tree d0'"
}

begin
setup_veth
modprobe dummy numdummies=0
ip link add d0 type dummy
defer ip link del d0
ip link add d1 type dummy
defer ip link del d1
ip link set d0 up
ip route add 192.0.2.0/24 dev d0
need netnice jq strace socat
background socat TCP-LISTEN:7,fork,bind=10.0.0.1 /dev/null
busywait 20 eval ': <>/dev/tcp/10.0.0.1/7'
helps
usage
adding
setting
link_layers
moving
attaching
removing
altnames
old_sizes
showing
counting
colours
monitoring
overrun
names
batches
namespaces
files
differences
interrupted
check_eq 'nothing is left' "$(vifctl save d0)$(vifctl save d1)" $'tree d0\nvif d0tree d1\nvif d1'
