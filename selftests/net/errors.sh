#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: budget=30
#
# What is refused: one line a case says how (errno's text, or exit status), with
# which words (of last_error, or of a tool's message), and of which command.
# Each case leaves the whole tree as it was.
. "$(dirname "$0")/lib.sh"

. "$(dirname "$0")/refusals.sh"

# --- values -----------------------------------------------------------------------

rate_range='out of range.* from 8kbit to 400gbit, or max'
rate_form='a rate: use bits per second .* 8kbit to 400gbit, or max'
minimum_range='out of range.* from 8kbit to 400gbit, or none'
minimum_form='a rate: use bits per second .* 8kbit to 400gbit, or none'
burst_range='out of range.* up to 3600s, .* up to 4GiB, or auto'
burst_form='a time or size: use .* up to 3600s, .* up to 4GiB, or auto'
weight_range='out of range for a weight: use a whole number from 1 to 10000'
weight_form='is not a weight: use a whole number from 1 to 10000'
priority_range='out of range for a priority: use a whole number from 0 .* to 7'
priority_form='is not a priority: use a whole number from 0 .* to 7'
limit_range='out of range.* less than 4GiB, .* up to 1000000p, max or auto'
limit_form='a size or number of packets: use .* less than 4GiB, .* up to 1000000p, max or auto'
aqm_range='out of range.* codel .target TIME. .interval TIME. .no-ack-filter.,'
aqm_form='not a setting of CoDel: use codel .target TIME. .interval TIME. .no-ack-filter., .* or none, or auto'
link_layer_form='.overhead BYTES. .mpu BYTES. .atm . ptm . noatm., .* from -64 to 256, an mpu from 0 to 256, or none'
twice='use .*egress VALUE.* ingress VALUE'

values() {
	bad bandwidth "^bandwidth: '.+' .*$rate_form" fast -1m +1m -1 .5m 1.m 1.5.5m 1e6 0x100000 1mx 1kib \
		1kbitt kbit 1,5m 1m/s maximum m 'egress egress'
	bad bandwidth "^bandwidth: '.+' .*$rate_range" 0 0k 0.0mbit 1 7999 7.9kbit 999bps 400.1gbit 401g \
		400000000001 51gbps 1t 1tbps 99999999999999999g 18446744073709551616 18446744073709551615t
	bad bandwidth "^bandwidth: '.+' .*$twice" '1m 2m' '1 m' '1m junk' 'egress 1m 2m' \
		'egress 1m egress 2m' 'ingress 1m egress 2m ingress 3m' '1m egress 2m'
	bad bandwidth '^bandwidth: a value is missing: use bits' '\n' ' \t\n'
	bad bandwidth "^bandwidth: a value is missing after '?(e|in)gress'?: use bits" egress 'ingress 1m egress'
	bad bandwidth "^bandwidth: '(1m|fast|0)' " 'sideways 1m' 'egress 1m ingress fast' 'egress 1m ingress 0'
	bad minimum "^minimum: '.+' .*$minimum_form" fast -1 max 1.5.5m 1mx nothing 'egress egress'
	bad minimum "^minimum: '.+' .*$minimum_range" 0 7999 400.1gbit 99999999999999999g
	bad minimum "^minimum: '.+' .*$twice" '1m 2m' 'none none' 'egress 1m egress none'
	bad minimum '^minimum: a value is missing: use bits' '\n'
	bad burst "^burst: '.+' .*$burst_form" fast -1 1h 1mibi 1kbps 1.ms ms 1us2 automatic 'egress egress'
	bad burst "^burst: '.+' .*$burst_range" 0 0ms 0.5 0.9ns 3601s 3600.000000001s 5g 4.1GiB 1tb 4294967297 \
		99999999999999999999s 18446744073709551615g
	bad burst "^burst: '.+' .*$twice" '1 ms' '5ns junk' 'auto 5' 'egress 1ms egress 2ms'
	bad burst '^burst: a value is missing' '\n' egress
	for file in weight local_weight; do
		bad $file "^$file: '.+' .*$weight_range" 0 10001 99999 2147483647 2147483648 99999999999999999999
		bad $file "^$file: '.+' .*$weight_form" -1 +1 1.5 1k heavy 01 0x10 max 'egress egress'
		bad $file "^$file: '.+' .*$twice" '1 2' 'egress 1 2' 'egress 1 egress 2' 'ingress 5 egress 6 ingress 7'
		bad $file "^$file: a value is missing" '\n' egress 'egress 5 ingress'
		bad $file "^$file: '(0|x)' " 'egress 5 ingress 0' 'ingress 5 egress x'
	done
	for file in priority local_priority; do
		bad $file "^$file: '.+' .*$priority_range" 8 10 99999 2147483648 99999999999999999999
		bad $file "^$file: '.+' .*$priority_form" -1 +1 1.5 high 00 07 0x1 max 'ingress ingress'
		bad $file "^$file: '.+' .*$twice" '1 2' 'ingress 1 ingress 2' '1 egress 2'
		bad $file "^$file: a value is missing" '\n' ingress
		bad $file "^$file: '8' " 'egress 0 ingress 8' 'ingress 0 egress 8'
	done
	bad limit "^limit: '.+' .*$limit_form" fast -1 1x 10pp 1.5p p packets 1ms 1kbps 1e6 automatic maximum 'egress egress'
	bad limit "^limit: '.+' .*$limit_range" 0 0p 0.5b 4GiB 4294967296 1000001p 99999999999999999999p 5gb \
		18446744073709551615g
	bad limit "^limit: '.+' .*$twice" '1 2' '10 p' '1k junk' 'egress 1k egress 2k' '1k egress 2k'
	bad limit '^limit: a value is missing' '\n' egress 'ingress 1k egress'
	bad aqm "^aqm: '.+' .*$aqm_form" red fq_codel target 'target 5ms' 'codel 5ms' 'codel target' 'codel interval' \
		'codel target 5' 'codel target 5k' 'codel target -5ms' 'codel target 1ms target 2ms' 'codel ack-filter ack-filter' 'codel ack-filter no-ack-filter' 'none ack-filter' 'codel ecn' \
		'codel target 5ms interval 100ms ecn' \
		'codel target 5ms interval' 'none target 5ms' 'none none' 'auto target 5ms' 'egress codel target' \
		"codel target $(printf '%055d' 5)ms"
	bad fair "^fair: '.+' .*not a kind of fairness: use flow, dual-srchost or dual-dsthost" flows host none 1 dual-host
	bad aqm "^aqm: '.+' .*$aqm_range" 'codel target 0ms' 'codel target 999ns' 'codel interval 10.1s' \
		'codel target 5ms interval 5ms' 'codel target 200ms interval 100ms' 'codel target 99999999999999999999s'
	bad aqm "^aqm: '.+' .*$twice" 'egress codel egress none' 'none ingress none'
	bad aqm '^aqm: a value is missing' '\n' egress 'ingress codel egress'
	bad aqm "^aqm: '(red|fast)' " 'egress codel ingress red' 'egress none ingress fast'
	bad link_layer "^link_layer: '.+' is not a link layer: use $link_layer_form" fast 'overhead' 'overhead 4k' 'overhead +4' \
		'overhead 04' 'overhead 4 overhead 4' 'mpu 4 mpu 5' 'atm ptm' 'noatm atm' 'none atm' 'atm none' 'overhead 44 cells' \
		'pppoe-ptm' 'overhead - 4' 'overhead --4' 'overhead 1.5' 'mpu'
	bad link_layer "^link_layer: '.+' is out of range for a link layer: use $link_layer_form" 'overhead -65' 'overhead 257' \
		'mpu 257' 'mpu -1' 'overhead 99999999999'
	bad link_layer "^link_layer: '.+' .*$twice" 'overhead 4 mpu 5 atm 3' 'egress atm egress ptm' 'atm ingress none'
	bad link_layer '^link_layer: it applies to all VIFs of a device' atm 'ingress overhead 0' 'egress none ingress mpu 1'
	for value in 'overhead -64 mpu 256 ptm' 'overhead 256' 'mpu 1 atm' none; do
		ok "link_layer: $value" set_to $eth0/link_layer "$value"
		check_eq "link_layer: $value, as it is read" "$(<$eth0/link_layer)" $'egress '"$value"$'\ningress '"$value"
	done
	ok 'link_layer: any order and case' set_to $eth0/link_layer 'egress PTM MPU 7 Overhead -0'
	check_eq 'link_layer: as it is printed, of one direction' "$(<$eth0/link_layer)" $'egress overhead 0 mpu 7 ptm\ningress none'
	ok 'link_layer: what adds nothing' set_to $eth0/link_layer 'mpu 0 noatm'
	check_eq 'link_layer: is none' "$(<$eth0/link_layer)" $'egress none\ningress none'
	bad autoremove "^autoremove: '.*' is neither 0 nor 1" '\n' 2 -1 01 yes '1 1' egress 1x
	bad tasks "^tasks: '.*' is not a process: write its number, PROCESS/THREAD, or 0" '\n' web -1 1.5 01 0x1 '1 2' \
		99999999999 $$x
	for file in bandwidth minimum burst weight local_weight priority local_priority limit aqm link_layer group class dscp mark skb_priority quota autoremove tasks; do
		bad $file "^$file: the value has a zero byte" '1m\0' '\0'
		bad $file "^$file: a value has up to 256 bytes" "$(printf '%257s' 1)" "$(printf '%65536s' 1)"
		refused "$inval" "^$file: .* at offset 0" "$file: at an offset" \
			dd if=/dev/zero of=$a/$file bs=1 count=1 seek=1 conv=notrunc
	done
	refused "$inval" '^autoremove: a device.s root VIF' 'autoremove of a root VIF' set_to $eth0/autoremove 1
	refused "$inval" 'has no siblings' 'weight of a root VIF' set_to $eth0/weight 5
	refused "$inval" 'has no siblings' 'priority of a root VIF' set_to $eth0/priority 'ingress 3'
	ok 'the default is no change' eval "set_to $eth0/weight 100 && set_to $eth0/priority 4"
	refused "$eacces" '^stat: can be read only' 'writing to stat' set_to $a/stat 1
}

# --- directories ------------------------------------------------------------------

directories() {
	local name deep
	deep=$eth0/$(seq -s / 31)/32
	(cd $eth0 && mkdir -p "$(seq -s / 32)")
	remember
	refused 'File name too long' 'has 64 bytes: .* up to 63' 'a name of 64 bytes' mkdir "$eth0/$(printf '%064d' 0)"
	refused 'File name too long' 'has 255 bytes' 'a name of 255 bytes' mkdir "$eth0/$(printf '%0255d' 0)"
	refused 'File name too long' - 'a name of 256 bytes' mkdir "$eth0/$(printf '%0256d' 0)"
	for name in user-1000 user- user-x; do
		refused "$inval" "'$name' is a reserved name" "reserved: $name" mkdir $a/$name
	done
	for name in bandwidth minimum weight local_weight priority local_priority burst limit aqm link_layer group class dscp mark skb_priority quota autoremove tasks sockets stack ports program stat; do
		refused 'File exists' - "reserved, there: $name" mkdir $a/$name
	done
	refused 'File exists' - 'a VIF that is there' mkdir $a/b
	refused 'Too many levels' 'on level 33: VIFs nest up to 32 levels' 'the 33rd level' mkdir "$deep/33"
	mkdir $a/c/d
	remember
	refused 'Too many levels' "mv: 'x' would reach down to level 33" 'moving too deep' mv -T $a/c "${deep%/32}/x"
	rmdir $a/c/d
	(cd $eth0 && rmdir -p "$(seq -s / 32)")
	remember
	refused 'not empty' "'a' has VIFs below it: remove these first" 'with VIFs below' rmdir $a
	refused 'busy' "'b' still has 1 attached: see its tasks" 'with a process' rmdir $a/b
	just_ended
	refused "$eperm" '^rmdir: a device.s root VIF' 'a root VIF' rmdir $eth0
	refused "$eperm" "'tasks' is always there" 'the directory tasks' rmdir $top/tasks
	refused 'Not a directory' - 'rmdir of a file' rmdir $a/bandwidth
	refused "$eperm" - 'the mount point' rmdir $top
	refused "$eperm" - 'rm of a file' rm -f $a/bandwidth
	refused "$eperm" "'x' is not a network device" 'a directory at the top' mkdir $top/x
	refused "$eperm" - 'a directory in tasks' mkdir $top/tasks/x
	refused "$eperm" - 'a directory in tasks/PID' mkdir $top/tasks/$child/x
	refused "$enoent" - 'an unknown device' mkdir $top/nodev/x
	refused "$eacces" - 'a file in a VIF' set_to $a/x 1
	refused "$eperm" - 'a fifo in a VIF' mkfifo $a/x
	refused "$eperm" - 'a hard link' ln $a/bandwidth $a/x
	refused 'cannot move' "'a' to 'user-1': a reserved name" 'renaming to a reserved name' mv $a $eth0/user-1
	refused 'File exists' "mv: there is a VIF named 'c' already" 'renaming to one that is there' mv -T $a/b $a/c
	refused 'subdirectory of itself' - 'moving below itself' mv $a $a/b/
	refused 'File name too long' 'mv: the name has 64 bytes' 'a new name of 64 bytes' mv $a "$eth0/$(printf '%064d' 0)"
	refused "$eperm" "'bandwidth' is a file of its VIF" 'renaming a file' mv $a/bandwidth $a/x
	refused 'cannot move' "'c' cannot leave its device" 'moving it to another device' mv $a/c $top/lo/
	refused "$eperm" "'eth0' cannot be renamed here" 'renaming a device' mv $eth0 $top/eth9
	refused "$eperm" "'bandwidth'" 'chmod of a file' chmod 666 $a/bandwidth
	refused "$eperm" "'bandwidth'.* owner and write permission of its directory" 'chown of a file' chown 1000 $a/bandwidth
	refused "$eperm" "'tasks'" 'chown of tasks' chown 1000 $top/tasks
}

# A process counts for a grace period after it has been waited for, which may be short: of
# 50 attempts some see it.
just_ended() {
	local i tried=0 untold=0
	for ((i = 0; i < 50; i++)); do
		mkdir $a/ended
		kinds fork '{' write $a/ended/tasks 0 exit '}' wait rmdir $a/ended 2>/dev/null && continue
		tried=$((tried + 1))
		said
		[[ $said =~ 'has ended only a moment ago: try again' ]] || untold=$((untold + 1))
		busywait 20 rmdir $a/ended
	done
	note "busy in $tried of $i attempts"
	check 'rmdir right after the end of a process: it may be busy' "$tried > 0"
	check_eq 'rmdir right after the end of a process: then it says to try again' $untold 0
	fails 'rmdir right after the end of a process: it goes' test -d $a/ended
}

# A VIF, and a device, that were removed while a file of theirs was open
removed() {
	local fd
	mkdir $eth0/r
	ip link add d0 type dummy
	exec {fd}>$eth0/r/bandwidth {fd_tasks}>$eth0/r/tasks {fd_dev}>$top/d0/bandwidth
	rmdir $eth0/r
	ip link del d0
	remember
	refused "$enoent" "VIF 'r' has been removed" 'a value for a removed VIF' bash -c "echo 1m >&$fd"
	refused "$enoent" "VIF 'r' has been removed" 'a process for a removed VIF' bash -c "echo 1 >&$fd_tasks"
	refused 'No such' 'removed' 'a value for a removed device' bash -c "echo 1m >&$fd_dev"
	exec {fd}>&- {fd_tasks}>&- {fd_dev}>&-
}

# --- attaching --------------------------------------------------------------------

# no_vif TEXT...: texts of links that are no VIF's directory
no_vif() {
	local text
	for text; do
		refused "$inval" '^'.*' is not a VIF: use its directory, for example /proc/network/eth0/web' \
			"a link to ${text:0:40}" ln -sT -- "$text" $top/tasks/$other/lo
	done
}

attaching() {
	local dead
	sleep 0 &
	dead=$!
	wait $dead
	mkdir $eth0/gone
	rmdir $eth0/gone
	no_vif $a/bandwidth $a/tasks /tmp /etc/passwd $eth0/none $eth0/gone $top/nodev/a $top $top/ $top/tasks \
		$top/tasks/$child $top/tasks/$child/eth0 $top/last_error ../../../eth0/a ../eth0/a eth0/a a . .. / \
		../../.. ../../../../../../../.. /proc/networks/eth0/a /proc/network../eth0/a /proc/eth0/a \
		proc/network/eth0/a "$(printf '%04000d' 0)"
	refused 'File exists' - 'a link where there is one' ln -sT $eth0/a $top/tasks/$child/eth0
	refused "$eperm" 'replace them there with ln -sfn' 'a link into a VIF, by ln -sf' ln -sf $eth0/a $top/tasks/$child/eth0
	refused "$eperm" 'links cannot be made in a VIF' 'a link in a VIF' ln -s $eth0/a $a/x
	refused "$eperm" "'x': links cannot be made here: .* directory of the object to attach: tasks/PID," 'a link at the top' \
		ln -s $eth0/a $top/x
	refused "$eperm" "'bash': links cannot be made here" 'a link in tasks' ln -s $eth0/a $top/tasks/bash
	refused "$eperm" "'x': links cannot be made here" 'a link in threads' ln -s $eth0/a $top/tasks/$child/threads/x
	refused "$eperm" "'x': links cannot be made here" 'a link in sockets' ln -s $eth0/a $top/tasks/$child/sockets/x
	refused "$eperm" "'x': links cannot be made here" 'a link in devices' ln -s $eth0/a $top/devices/x
	refused "$eperm" 'a link cannot be renamed' 'renaming a link' mv -T $top/tasks/$child/eth0 $top/tasks/$child/x
	refused "$enoent" - 'a link for a dead process' ln -s $a $top/tasks/$dead/
	refused "$enoent" - 'a link for no number' ln -s $a $top/tasks/web/
	refused "$enoent" - 'a thread is not in tasks' ls $top/tasks/"$thread"
	refused "$enoent" - 'rm of a link that is not there' rm $top/tasks/$child/lo
	refused "$inval" 'a kernel thread cannot be attached' 'a link for a kernel thread' ln -s $a $top/tasks/2/
	refused "$inval" 'a kernel thread cannot be attached' 'a kernel thread in tasks' set_to $a/tasks 2
	refused 'No such process' "^tasks: no process $dead" 'a dead process in tasks' set_to $a/tasks $dead
	refused 'No such process' 'no process 2147483647' 'a number beyond all' set_to $a/tasks 2147483647
}

# --- without privileges -------------------------------------------------------------

unprivileged() {
	local mine
	background as_user sleep 1000
	mine=$!
	chmod 711 "$tmp"
	cp /bin/echo "$tmp/"
	chmod u+s "$tmp/echo"
	mkdir $eth0/u $eth0/u/v $eth0/u/w
	chown -h 1000 $eth0/u $eth0/u/v $eth0/u/w
	remember
	cat $top/last_error >"$tmp/ours"
	who=(user_runs)
	refused "$eacces" '^eth0: no permission to write: it belongs to user 0' 'user: mkdir' mkdir $eth0/x
	refused "$eacces" '^eth0/a: no permission to write: it belongs to user 0' 'user: mkdir below' mkdir $a/x
	refused "$eacces" '^eth0/a: no permission to write' 'user: rmdir' rmdir $a/c
	refused "$eacces" '^eth0/a/bandwidth: no permission to write: it belongs to user 0' 'user: a value' set_to $a/bandwidth 1m
	refused "$eacces" '^eth0/a/burst: no permission' 'user: a burst' set_to $a/burst 1ms
	refused "$eacces" '^eth0/a/autoremove: no permission' 'user: autoremove' set_to $a/autoremove 1
	refused "$eacces" '^eth0/a/tasks: no permission' 'user: tasks' set_to $a/tasks $mine
	refused "$eacces" - 'user: stat' set_to $a/stat 1
	refused "$eperm" 'change owner or mode: it belongs to user 0' 'user: chmod' chmod 777 $a
	refused "$eperm" 'change owner or mode: it belongs to user 0' 'user: chown' chown 1000 $a
	refused "$eacces" "^eth0/a: no permission to attach to it: it belongs to user 0" 'user: a link for an own process' \
		ln -s $a $top/tasks/$mine/
	refused "$enoent" - 'user: a link for our process' ln -s $eth0/u $top/tasks/$child/
	refused "$eperm" "^tasks: process $child is another user's" 'user: tasks of an own VIF' set_to $eth0/u/tasks $child
	refused "$enoent" - 'user: rm of a link' rm $top/tasks/$child/eth0
	refused "$enoent" - 'user: ls of our process' ls $top/tasks/$child
	refused "$eacces" "^mv: 'v': no permission to write" 'user: moving out of an own VIF' mv $eth0/u/v $eth0/
	refused 'cannot move' "'w' to 'user-1000': a reserved name" 'user: taking the reserved name' \
		mv $eth0/u/w $eth0/u/user-1000
	refused "$eacces" '' 'user: the limit set for the VIF' set_to $eth0/u/bandwidth max
	refused "$eacces" '' 'user: its burst' set_to $eth0/u/burst 1s
	refused "$eacces" '' 'user: its limit' set_to $eth0/u/limit max
	refused "$eacces" '^eth0: no permission to write' 'user: rmdir of the given VIF' rmdir $eth0/u/
	refused "$eperm" - 'user: tasks, written by a set-uid program' bash -c "exec $tmp/echo $child >$eth0/u/tasks"
	who=()
	check_eq "user: our last_error is ours" "$(cat $top/last_error)" "$(cat "$tmp/ours")"
	rmdir $eth0/u/v $eth0/u/w $eth0/u
}

# --- which failure it was about -------------------------------------------------------

# the lines below the sentence
serial() { sed -n 's/^serial //p' $top/last_error; }
process() { sed -n 's/^process //p' $top/last_error; }

serials() {
	local before
	set_to $a/bandwidth fast 2>/dev/null
	before=$(serial)
	check_eq 'last_error: a sentence and two lines' "$(sed '1s/:.*//; s/ .*//' $top/last_error | paste -s -d ' ')" \
		'bandwidth serial process'
	check_eq 'last_error: whose failure it was' "$(process)" "$$ $(</proc/$$/comm)"
	cat $a/none 2>/dev/null
	check_eq 'last_error: what is no failure of ours has no number' "$(serial)" "$before"
	set_to $a/bandwidth fast 2>/dev/null
	check 'last_error: the same failure again has a greater one' "$(serial) > $before"
	before=$(serial)
	as_user bash -c "echo fast >$eth0/bandwidth" 2>/dev/null
	check_eq "last_error: others' leave ours" "$(serial)" "$before"
	mkdir $eth0/stat/x 2>/dev/null
	busybox mkdir $eth0/x/y/z 2>/dev/null
	check_eq 'last_error: no number either' "$(serial)" "$before"
	busybox mkdir $eth0/user-1 2>/dev/null
	check_eq 'last_error: the process has a name' "$(process | cut -d ' ' -f 2)" busybox
	(exec -a x bash -c 'printf "a\\033[31m" >/proc/$$/comm; echo fast >"$1"' - $a/bandwidth) 2>/dev/null
	check_eq 'last_error: which is escaped' "$(process | cut -d ' ' -f 2-)" 'a\033[31m'
	check_eq 'last_error: in another pid namespace' "$(unshare -fp bash -c "echo fast >$a/bandwidth; sed -n 's/^process //p' $top/last_error" 2>/dev/null)" '1 bash'
	check_eq "last_error: a process outside has no number there" "$(unshare -fp sed -n 's/^process //p' $top/last_error)" '0 bash'
	# tools: the same sentence twice is not a stale one, and a stale one is not told
	check_eq 'a tool: the same refusal twice' "$(as_user bash -c "vifctl add $eth0/x; vifctl add $eth0/x" 2>&1 | grep -c 'no permission to write: it belongs')" 2
	check_eq "a tool: what the kernel's names say" "$(as_user bash -c "vifctl set $eth0/a weight 0; vifctl move $eth0/a $eth0/none/x" 2>&1 | tail -n 1)" \
		"vifctl: move: eth0/a to eth0/none/x: No such file or directory (was it removed or renamed meanwhile?)"
}

# --- netnice(1), vifctl(8) ------------------------------------------------------------

# says STATUS WORDS NAME COMMAND...: a line of its message is "TOOL: ... WORDS"
says() {
	local want=$1 words=$2 name=$3 out status wrong=()
	shift 3
	out=$("$@" 2>&1 >/dev/null </dev/null)
	status=$?
	[ $status -eq "$want" ] || wrong+=("want status: $want" "got status:  $status")
	[[ $'\n'$out =~ $'\n'(netnice|vifctl):\ .*($words) ]] || wrong+=("want: $words" "got:  $out")
	verdict "$name" "${wrong[@]}"
}

netnice_usage() {
	local dead
	sleep 0 &
	dead=$!
	wait $dead
	says 125 'no command given' 'netnice' netnice
	says 125 'no command given' 'netnice without command' netnice -b 1m
	says 125 'no bandwidth given: RATE' 'netnice with an empty bandwidth' netnice -b '' true
	says 125 'no weight given: 1[.][.]10000' 'netnice with an empty weight' netnice -w '' true
	says 125 '[-]e and -r need -b' 'netnice -e alone' netnice -e true
	says 125 "not a name for a VIF: 'a/b'" 'netnice -n a/b' netnice -n a/b true
	says 125 "not a name for a VIF: '..'" 'netnice -n ..' netnice -n .. true
	says 125 "not a name for a VIF: ''" 'netnice -n, nothing' netnice -n '' true
	says 125 'user-1.*user-' 'netnice -n user-1' netnice -n user-1 true
	says 125 "the name 'tasks' is reserved" 'netnice -n tasks' netnice -n tasks true
	says 125 "the name 'weight' is reserved" 'netnice -n weight, as a user' as_user netnice -n weight true
	says 125 'has up to 63' 'netnice -n, a long one' netnice -n "$(printf 'x%.0s' {1..64})" true
	says 125 "weight: '0' is out of range" 'netnice -w 0' netnice -w 0 true
	says 125 "priority: '8' is out of range" 'netnice -p 8' netnice -p 8 true
	says 125 '[-]-pid and --cgroup exclude each other' 'netnice --pid --cgroup' netnice --pid $child --cgroup /
	says 125 '[-]-cgroup and a command exclude each other' 'netnice --cgroup and a command' netnice --cgroup / true
	says 125 '[-]-show goes with -i' 'netnice --show and a command' netnice --show true
	says 125 '[-]-show goes with -i' 'netnice --show -b' netnice --show -b 1m
	says 125 "not a control group's path: '../x'" 'netnice --cgroup ../x' netnice -b 1m --cgroup ../x
	says 125 "no control group 'none'" 'netnice --cgroup none' netnice -b 1m --cgroup none
	says 125 "not a PID and a descriptor, as 1234:7: '7'" 'netnice --socket 7' netnice -b 1m --socket 7
	says 125 "$child:99: no such descriptor" 'netnice --socket, no descriptor' netnice -b 1m --socket $child:99
	says 125 "$child:0: no such descriptor, or no IPv4, IPv6 or packet socket" 'netnice --socket, a file' \
		netnice -b 1m --socket $child:0
	says 125 "no process with PID $dead" 'netnice --socket of a dead process' netnice -b 1m --socket $dead:3
	says 125 "no process with PID $dead" 'netnice --show of a dead process' netnice --show --pid $dead
	says 125 'option requires an argument' 'netnice -b' netnice -b
	says 125 'option requires an argument' 'netnice -b 1m -i' netnice -b 1m -i
	says 125 'requires an argument' 'netnice --pid' netnice -b 1m --pid
	says 125 'invalid option' 'netnice -x' netnice -x -b 1m true
	says 125 'unrecognized option' 'netnice --nice' netnice -b 1m --nice true
	says 125 '-e and -r exclude each other' 'netnice -e -r' netnice -b 1m -e -r true
	says 125 '[-]-pid and a command exclude each other' 'netnice --pid and a command' netnice -b 1m --pid $child true
	says 125 "not a PID: 'web'" 'netnice --pid web' netnice -b 1m --pid web
	says 125 "not a PID: '0'" 'netnice --pid 0' netnice -b 1m --pid 0
	says 125 "not a PID: '-1'" 'netnice --pid=-1' netnice -b 1m --pid=-1
	says 125 "not a PID: '99999999999'" 'netnice --pid, beyond all' netnice -b 1m --pid 99999999999
	says 125 "no process with PID $dead" 'netnice --pid, a dead one' netnice -b 1m --pid $dead
	says 125 "$thread is a thread of the process with PID $threads: give that one" 'netnice --pid, a thread' \
		netnice -b 1m --pid "$thread"
	says 125 'a kernel thread cannot be attached' 'netnice --pid, a kernel thread' netnice -b 1m --pid 2
	says 125 "no device 'nodev'" 'netnice -i nodev' netnice -b 1m -i nodev true
	says 125 "no device 'eth0:1' .an alias" 'netnice -i eth0:1' netnice -b 1m -i eth0:1 true
	says 125 "no device 'nodev'" 'netnice -i eth0 -i nodev' netnice -b 1m -i eth0 -i nodev true
	says 125 "lo: fast: bandwidth: 'fast' .*$rate_form" 'netnice -b fast' netnice -b fast -i lo true
	says 125 "bandwidth: '-1m' .*$rate_form" 'netnice -b -1m' netnice -b -1m true
	says 125 "bandwidth: '7k' .*$rate_range" 'netnice -b 7k' netnice -b 7k true
	says 125 "bandwidth: '2m' .*$twice" 'netnice -b "1m 2m"' netnice -b '1m 2m' true
	says 125 "bandwidth: write '10 mbit' as one word: 10mbit" 'netnice -b "10 mbit"' netnice -b '10 mbit' true
	says 125 "option '--down' requires an argument" 'netnice --down' netnice --down
	check_eq 'an option that there is: no other one is meant' "$(netnice --down 2>&1 | grep -c 'did you mean')" 0
	says 125 "no device 'lo,eth0' .give one device" 'netnice -i lo,eth0' netnice -b 1m -i lo,eth0 true
	says 125 'bandwidth' 'netnice --pid, with a bad rate' netnice -b fast --pid $child
	says 127 'none: No such file or directory' 'a command that is not there' netnice -b 1m none
	says 127 '/none/none: No such file' 'a path that is not there' netnice -b 1m -- /none/none -b
	says 126 '/etc/passwd: Permission denied' 'a file that is no program' netnice -b 1m /etc/passwd
	says 126 '/tmp: Permission denied' 'a directory as a command' netnice -b 1m /tmp
	says 125 '' 'netnice --pid as a user' as_user netnice -b 1m --pid $child
	ip link add name tasks type dummy
	remember
	says 125 'tasks: this device has no VIF .its name is reserved' 'netnice -i tasks' netnice -b 1m -i tasks true
	ip link del tasks
	remember
}

vifctl_usage() {
	says 1 'no verb given' 'vifctl' vifctl
	says 1 "unknown verb 'shwo'; did you mean 'show'" 'vifctl shwo' vifctl shwo
	says 1 "unknown verb 'none'" 'vifctl help none' vifctl help none
	says 1 "unknown option '-x'" 'vifctl -x show' vifctl -x show
	says 1 "show: unknown option '-x'" 'vifctl show -x' vifctl show -x
	says 1 'show: "dev" needs the name of a device' 'vifctl show dev' vifctl show dev
	says 2 "show: no device 'nodev'" 'vifctl show dev nodev' vifctl show dev nodev
	says 2 "show: no device 'eth0:1' .an alias" 'vifctl show dev eth0:1' vifctl show dev eth0:1
	says 1 "show: too many words: 'more'" 'vifctl show dev eth0 more' vifctl show dev eth0 more
	says 2 "show: no VIF 'eth0/none'" 'vifctl show eth0/none' vifctl show eth0/none
	says 2 "show: no VIF 'nodev'" 'vifctl show nodev' vifctl show nodev
	says 2 "show: no VIF 'eth0/a/tasks'" 'vifctl show, a file' vifctl show eth0/a/tasks
	says 1 "show: not a VIF: '/etc'" 'vifctl show /etc' vifctl show /etc
	says 1 "show: not a VIF: 'tasks'" 'vifctl show tasks' vifctl show tasks
	says 1 "show: not a VIF: 'eth0/../lo'" 'vifctl show eth0/../lo' vifctl show eth0/../lo
	says 2 'standard output: No space left' 'vifctl show, output full' bash -c 'exec 1>/dev/full; exec -a vifctl vifctl show'
}

# --- no file system ---------------------------------------------------------------------

mount_command='mount -t netnice netnice /proc/network'

# both_say WORDS NAME COMMAND-PREFIX...: netnice and vifctl
both_say() {
	local words=$1 name=$2
	shift 2
	says 125 "$words" "netnice: $name" "$@" netnice -b 1m true
	says 2 "$words" "vifctl: $name" "$@" vifctl show
}

# A module that lacks a file. strace(1) keeps it from the programs.
older_module() {
	local name
	for name in devices lo/aqm; do
		both_say "module that is loaded is older than this program, it has no '${name#lo/}': load that of version [0-9]" \
			"a module without $name" strace -qqq -o /dev/null -P "$name" -e inject=faccessat,faccessat2:error=ENOENT
	done
}

no_file_system() {
	both_say "/proc/network shows another network or PID namespace: as root .* \"$mount_command\"" \
		'another namespace, as a user' peer "${user_prefix[@]}"
	mount -t tmpfs none $top
	remember
	both_say 'has another file system on it: as root, unmount' 'another file system, as a user' as_user
	umount $top
	umount $top
	remember
	both_say "is not mounted: as root, run \"$mount_command\"" 'not mounted, as a user' as_user
	remove_netnice
	remember
	both_say "module is not loaded: as root, run \"modprobe netnice\", then \"$mount_command\"" \
		'no module, as a user' as_user
	echo /bin/false >/proc/sys/kernel/modprobe
	both_say 'module is not loaded, and loading it failed' 'no module to be had'
	says 2 'netnice module has no netlink family .is it loaded[?]' 'vifctl monitor: no module to be had' vifctl monitor
	echo /sbin/modprobe >/proc/sys/kernel/modprobe
	ok 'netnice as root loads the module and mounts' netnice -b 1m mountpoint -q $top
}

# one that is not the process itself
find_thread() { find "/proc/$threads/task" -mindepth 1 -maxdepth 1 ! -name "$threads" -printf '%f\n' -quit; }

begin
modprobe dummy numdummies=0
setup_veth
need netnice strace
sleep 1000 &
child=$!
defer stop $child
sleep 1000 &
other=$!
defer stop $other
background hey -z 1000s -c 1 -q 1 http://10.0.0.2/ >/dev/null 2>&1
threads=$!
busywait 60 eval 'find_thread | grep -q .'
thread=$(find_thread)
mkdir $a $a/b $a/c
echo 'egress 1m ingress 2m' >$a/bandwidth
echo $child >$a/b/tasks
remember
values
directories
still directories
removed
attaching
still links
unprivileged
serials
remember
netnice_usage
vifctl_usage
still tools
no_file_system
