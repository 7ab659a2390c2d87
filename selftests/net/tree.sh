#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: check=uml, budget=9
#
# The tree under /proc/network: directories come and go with module, devices
# and mkdir; parameter files give back what they took; owners and modes are
# kept; and a device is touched only while its tree is used.
. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0

# entries: what is at the top
entries() { find $top -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | paste -s -d ' '; }

# --- the mount point --------------------------------------------------------------

module() {
	fails 'no mount point without the module' test -e $top
	modprobe netnice || skip_all 'module netnice does not load'
	defer unload_netnice
	check_eq 'the mount point comes with the module, empty' "$(ls -A $top && stat -c %F $top)" directory
	ok 'mount' mount -t netnice netnice $top
	ok 'mountinfo names the network namespace' grep -q \
		" $top .* - netnice .*netns=$(stat -L -c %i /proc/self/ns/net)" /proc/self/mountinfo
	fails 'the module stays while mounted' rmmod netnice
	ok 'umount' umount $top
	ok 'the module unloads' rmmod netnice
	fails 'the mount point leaves with the module' test -e $top
}

entries_at_the_top() {
	need netnice
	check_eq 'a directory for each device' "$(cd $top && echo ./*/bandwidth)" \
		"$(cd /sys/class/net && printf './%s/bandwidth\n' * | paste -s -d ' ')"
	check_eq 'nothing else' "$(entries)" 'cgroups devices eth0 last_error lo tasks'
}

# a second mount, of the same namespaces
two_mounts() {
	mount -t netnice netnice "$tmp/second"
	mkdir $eth0/a
	ok 'a second mount shows the same tree' test -d "$tmp/second/eth0/a"
	rmdir "$tmp/second/eth0/a"
	fails 'also what it removes' test -e $eth0/a
	umount "$tmp/second"
}

# --- directories ------------------------------------------------------------------

names() {
	local name long
	long=$(printf '%063d' 0)
	mkdir $eth0/a
	check_eq 'the files of a VIF' "$(cd $eth0/a && echo ./* | tr -d ./)" \
		'aqm autoremove bandwidth burst class dscp fair group limit link_layer local_priority local_weight mark minimum ports priority program quota skb_priority sockets stack stat tasks weight'
	for name in 1 ... -x 'two words' 'back\slash' "it's" eth0 lo tasks2 user bandwidth. über "$long"; do
		mkdir -- "$eth0/a/$name"
		check_eq "a VIF named $name" "$(cd $eth0/a && find . -mindepth 1 -type d)" "./$name"
		rmdir -- "$eth0/a/$name"
	done
	rmdir $eth0/a
	fails 'rmdir removes a VIF' test -e $eth0/a
}

nesting() {
	local path=$eth0 i
	for ((i = 1; i <= 32; i++)); do
		path+=/$i
		mkdir $path || break
	done
	check_eq '32 levels' "$(find $eth0 -mindepth 1 -type d | wc -l)" 32
	echo 1m >$path/bandwidth
	check_eq 'parameters on the 32nd' "$(cat $path/bandwidth)" $'egress 1mbit\ningress 1mbit'
	fails 'not 33' mkdir $path/33
	(cd $top && rmdir -p "eth0/$(seq -s / 32)" 2>/dev/null)
	check_eq 'removed from the bottom up' "$(find $eth0 -mindepth 1 -type d)" ''
}

many() {
	mkdir $eth0/{1..200}
	check_eq 'each of 200 VIFs is listed once' \
		"$(find $eth0 -mindepth 1 -type d | sort -u | wc -l) $(find $eth0 -mindepth 1 | wc -l)" '200 5024'
	find $eth0 -mindepth 1 -type d -exec rmdir {} \; -prune
	check_eq 'listing while they go misses none' "$(find $eth0 -mindepth 1 -type d)" ''
}

# A VIF that goes while a process is in it
gone_under_foot() {
	mkdir $eth0/a
	(
		cd $eth0/a || exit
		rmdir $eth0/a
		mkdir $eth0/a
		echo 1m >$eth0/a/bandwidth
		check_eq 'a removed directory is empty' "$(ls)" ''
		fails 'a removed directory has no files' cat bandwidth
		fails 'nothing is made in a removed directory' mkdir b
		exit $ktap_failed
	) >"$tmp/foot"
	pass_on "$tmp/foot"
	check_eq 'the new one of that name is another' "$(head -1 $eth0/a/bandwidth)" 'egress 1mbit'
	rmdir $eth0/a
}

# results of a subshell
pass_on() {
	local line
	while IFS= read -r line; do
		case $line in
		'ok '*) pass "${line#ok * }" ;;
		'not ok '*) fail "${line#not ok * }" ;;
		*) echo "$line" ;;
		esac
	done <"$1"
}

# What a mount with other process numbers has looked at is remembered there, and then
# changed through this one.
remembered() {
	local other=$tmp/second/eth0 inode
	unshare --fork --pid mount -t netnice netnice "$tmp/second"
	mkdir $eth0/a $eth0/t $eth0/t/x
	chmod 1777 $eth0/t
	chown 1000 $eth0/t/x
	chmod 711 "$tmp"
	find "$other" -exec stat {} + >"$tmp/out"
	mv $eth0/a $eth0/b
	mkdir $eth0/a
	inode=$(stat -c %i $eth0/a)
	check_eq 'a new VIF with the name of one that was renamed' "$(stat -c %i "$other/a")" "$inode"
	check_eq 'that one' "$(stat -c %i "$other/b")" "$(stat -c %i $eth0/b)"
	rmdir $eth0/a
	mkdir $eth0/a
	echo 1m >$eth0/a/bandwidth
	check_eq 'a new VIF with the name of one that was removed' "$(cat "$other/a/bandwidth")" "$(cat $eth0/a/bandwidth)"
	chown 2000 $eth0/t/x
	fails 'another owner, in a sticky directory: the one before' as_user rmdir "$other/t/x"
	chown 1000 $eth0/t/x
	ok 'and again: the owner' as_user rmdir "$other/t/x"
	chmod 700 $eth0/b
	fails 'another mode: no search' as_user cat "$other/b/bandwidth"
	chmod 755 $eth0/b
	ok 'and again: search' as_user cat "$other/b/bandwidth"
	umount "$tmp/second"
	rmdir $eth0/a $eth0/b $eth0/t
}

# --- parameter files --------------------------------------------------------------

# reads FILE EGRESS INGRESS: what a parameter file says
reads() {
	local text
	read -rd '' text <"$1"
	[ "$text" = "egress $2"$'\n'"ingress $3" ]
}

# gives FILE WRITTEN READ: written, and written again as it was read
gives() {
	local file=$eth0/a/$1 all
	echo "$2" >"$file" 2>/dev/null
	read -rd '' all <"$file"
	if reads "$file" "$3" "$3" && echo "$all" >"$file" && reads "$file" "$3" "$3"; then
		pass "$1: $2"
	else
		fail "$1: $2" "want: $3" "got:  $all"
	fi
}

bandwidths() {
	local pair
	check_eq 'bandwidth is max' "$(cat $eth0/a/bandwidth)" $'egress max\ningress max'
	# the clock's resolution is a byte per second: 1.000001m
	for pair in 256k=256kbit 256kbit=256kbit 256Kbit=256kbit 256KBIT=256kbit 256000=256kbit \
		256000bit=256kbit 256000BIT=256kbit 32kbps=256kbit 32kB/s=256kbit 256Kbit/s=256kbit 32KBps=256kbit 32KBPS=256kbit \
		32000bps=256kbit 1.5mbit=1500kbit 1.5M=1500kbit 0.5m=500kbit 2m=2mbit 2.0mbit=2mbit \
		1mbps=8mbit 0.25Mbps=2mbit 1.000001m=1mbit 8ki=8192bit 8kibit=8192bit \
		8KiBit=8192bit 1kibps=8192bit 1mi=1048576bit 1MiBps=8388608bit 1g=1gbit 2.5Gbit=2500mbit \
		1gibit=1073741824bit 1gbps=8gbit 50gbps=400gbit 0.4t=400gbit 0.05tbit=50gbit \
		0.01tbps=80gbit 8k=8kbit 8kbit=8kbit 1kbps=8kbit 8000=8kbit 400g=400gbit 400gbit=400gbit \
		400000000000=400gbit 00256k=256kbit max=max; do
		gives bandwidth "${pair%=*}" "${pair#*=}"
	done
}

bursts() {
	local pair
	check_eq 'burst is auto' "$(cat $eth0/a/burst)" $'egress auto\ningress auto'
	for pair in 1ms=1ms 1MS=1ms 1msec=1ms 1000us=1ms 1500us=1500us 1.5ms=1500us 100ns=100ns 0.5s=500ms 2s=2s \
		10s=10s 16k=16000b 16kb=16000b 16KB=16000b 16ki=16KiB 16kib=16KiB 1m=1MB 1.5mb=1500000b 4g=4GB 4GiB=4GiB \
		65536=64KiB 1000=1000b 3000b=3000b 8kbit=1000b 8kibit=1KiB 8mbit=1MB 8gbit=1GB auto=auto; do
		gives burst "${pair%=*}" "${pair#*=}"
	done
}

limits() {
	local pair
	check_eq 'limit is auto' "$(cat $eth0/a/limit)" $'egress auto\ningress auto'
	for pair in 1=1b 64k=64000b 64KB=64000b 64KiB=64KiB 1.5mb=1500000b 8kbit=1000b 3g=3GB 4294967295=4294967295b 1p=1packets \
		100p=100packets 100P=100packets 1packet=1packets 100packets=100packets 1000000p=1000000packets \
		max=max MAX=max auto=auto; do
		gives limit "${pair%=*}" "${pair#*=}"
	done
	echo 'egress 10p ingress max' >$eth0/a/limit
	check_eq 'limit: a value for each direction' "$(cat $eth0/a/limit)" $'egress 10packets\ningress max'
	echo auto >$eth0/a/limit
}

aqms() {
	local pair
	check_eq 'aqm is codel' "$(cat $eth0/a/aqm)" $'egress codel\ningress codel'
	for pair in none=none None=none codel=codel CODEL=codel auto=codel 'codel target 20ms=codel target 20ms' \
		'codel interval 1s=codel interval 1s' 'codel interval 1000ms target 0.02s=codel target 20ms interval 1s' \
		'codel target 1500ns interval 10s=codel target 1us interval 10s' \
		'  codel   target  10s =codel target 10s' 'codel target 9999999us=codel target 9999999us' auto=codel; do
		gives aqm "${pair%=*}" "${pair#*=}"
	done
	for pair in 'egress codel target 7ms ingress none=codel target 7ms/none' 'ingress codel egress none=none/codel' \
		'egress codel interval 1s target 2us=codel target 2us interval 1s/codel'; do
		echo "${pair%=*}" >$eth0/a/aqm
		check_eq "aqm: ${pair%=*}" "$(sed 's/^[a-z]* //' $eth0/a/aqm | paste -s -d /)" "${pair#*=}"
	done
	echo auto >$eth0/a/aqm
}

# stat's keys, in their order
keys() {
	local direction
	check_eq 'the keys of stat' "$(cut -d' ' -f1 $eth0/a/stat | paste -s -d ' ')" "$(
		for direction in egress ingress; do
			printf "${direction}_%s\n" packets bytes drops marks ack_drops overlimits p_queue_packets p_queue_bytes \
				d_queue_packets d_queue_bytes sojourn_min sojourn_mean sojourn_p99 sojourn_max
		done | paste -s -d ' ')"
	check_eq 'all are 0 in a new VIF' "$(cut -d' ' -f2 $eth0/a/stat | sort -u)" 0
}

# write NAME TEXT EGRESS INGRESS: one write(2) to a bandwidth, and what it reads then
write() {
	# bash would write line by line
	printf '%b' "$2" >"$tmp/text"
	cat "$tmp/text" >$eth0/a/bandwidth
	check_eq "$1" "$(cat $eth0/a/bandwidth)" "egress $3"$'\n'"ingress $4"
}

directions() {
	local fd
	write 'egress alone' 'egress 1m\n' 1mbit max
	write 'ingress alone' 'ingress 2m\n' 1mbit 2mbit
	write 'both on a line' 'egress 3m ingress 4m\n' 3mbit 4mbit
	write 'both, in the other order' 'ingress 5m egress 6m\n' 6mbit 5mbit
	write 'both on two lines' 'egress 7m\ningress 8m\n' 7mbit 8mbit
	write 'white space around' ' \t egress\t9m\n\n ingress  10m ' 9mbit 10mbit
	write 'without a line feed' '11m' 11mbit 11mbit
	write 'up to 256 bytes' "$(printf '%-256s' 12m)" 12mbit 12mbit
	echo 'egress 1m ingress max' >$eth0/a/bandwidth
	check_eq 'a direction without a limit' "$(cat $eth0/a/bandwidth)" $'egress 1mbit\ningress max'
	mkdir $eth0/b
	cat $eth0/a/bandwidth >$eth0/b/bandwidth
	check_eq 'cat a/bandwidth > b/bandwidth' "$(cat $eth0/b/bandwidth)" "$(cat $eth0/a/bandwidth)"
	echo 'egress 2ms ingress 20k' >$eth0/a/burst
	cat $eth0/a/burst >$eth0/b/burst
	check_eq 'cat a/burst > b/burst' "$(cat $eth0/b/burst)" $'egress 2ms\ningress 20000b'
	rmdir $eth0/b
	: >$eth0/a/bandwidth
	check_eq 'truncating changes nothing' "$(cat $eth0/a/bandwidth)" $'egress 1mbit\ningress max'
	echo 3m >>$eth0/a/bandwidth
	check_eq 'appending is writing' "$(cat $eth0/a/bandwidth)" $'egress 3mbit\ningress 3mbit'
	exec {fd}<>$eth0/a/bandwidth
	echo 4m >&$fd
	echo 'egress 5m' >&$fd
	check_eq 'several writes to one descriptor' "$(cat $eth0/a/bandwidth)" $'egress 5mbit\ningress 4mbit'
	exec {fd}>&-
	check_eq 'reading byte by byte' "$(dd if=$eth0/a/bandwidth bs=1 status=none)" $'egress 5mbit\ningress 4mbit'
	echo max >$eth0/a/bandwidth
	echo auto >$eth0/a/burst
}

autoremove() {
	local fd child
	check_eq 'autoremove is 0' "$(cat $eth0/a/autoremove)" 0
	mkdir $eth0/x $eth0/x/y
	exec {fd}>$eth0/x/autoremove
	echo 1 >&$fd
	check_eq 'autoremove 1' "$(cat $eth0/x/autoremove)" 1
	echo 0 >&$fd
	check_eq 'autoremove 0' "$(cat $eth0/x/autoremove)" 0
	echo 1 >&$fd
	rmdir $eth0/x/y
	ok 'the writing descriptor counts as a process' test -d $eth0/x
	mkdir $eth0/x/y
	exec {fd}>&-
	ok 'autoremove waits for the VIFs below' test -d $eth0/x
	sleep 1000 &
	child=$!
	echo $child >$eth0/x/y/tasks
	echo 1 >$eth0/x/y/autoremove
	ok 'and for processes' test -d $eth0/x/y
	stop $child
	ok 'then both are removed' busywait 60 test ! -e $eth0/x
	mkdir $eth0/x
	echo 1 >$eth0/x/autoremove
	ok 'unused: removed when the descriptor is closed' busywait 60 test ! -e $eth0/x
}

# --- devices ----------------------------------------------------------------------

devices() {
	local child
	sleep 1000 &
	child=$!
	ip link add d0 type dummy
	ok 'a new device has a directory' test -f $top/d0/bandwidth
	mkdir $top/d0/a
	echo 1m >$top/d0/a/bandwidth
	echo $child >$top/d0/a/tasks
	ip link set d0 name d1
	ok 'a renamed device: its directory follows' test ! -e $top/d0 -a -d $top/d1
	check_eq 'a renamed device: its VIFs stay' "$(head -1 $top/d1/a/bandwidth)" 'egress 1mbit'
	check_eq 'a renamed device: links follow' "$(links_of $child) $(vif_attached $child d1)" 'd1 ../../d1/a'
	ip link set d1 up
	ip link set d1 down
	check_eq 'a device down: its VIFs stay' "$(cat $top/d1/a/tasks)" $child
	ip link set d1 up
	check_eq 'a device up again: its VIFs stay' "$(cat $top/d1/a/tasks)" $child
	ip link add d0 type dummy
	check_eq 'another one of the old name is new' "$(ls $top/d0)" "$(ls $top/lo)"
	ip link del d0
	(cd $top/d1/a && ip link del d1 && ! cat bandwidth && ! mkdir b) >/dev/null 2>&1
	check_eq 'a removed device: directory gone, though used' "$? $(entries)" '0 cgroups devices eth0 last_error lo tasks'
	check_eq 'a removed device: links gone' "$(links_of $child)" ''
	ip link add d1 type dummy
	check_eq 'the next of that name is new' "$(ls $top/d1)" "$(ls $top/lo)"
	mkdir $top/d1/a
	ip link set d1 netns peer
	fails 'a device in another namespace has no directory' test -e $top/d1
	peer ip link set d1 netns 1
	check_eq 'when it comes back it is new' "$(ls $top/d1)" "$(ls $top/lo)"
	ip link del d1
	stop $child
}

# A device that goes down while packets wait: what has not reached it is dropped,
# and not counted as sent. Only the test sends on this one.
going_down() {
	local round
	sysctl -qw net.ipv6.conf.default.disable_ipv6=1
	ip link add d0 type dummy
	sysctl -qw net.ipv6.conf.default.disable_ipv6=0
	ip addr add 10.8.0.1/24 dev d0
	mkdir $top/d0/a
	echo 'egress 10m' >$top/d0/a/bandwidth
	for round in {1..20}; do
		ip link set d0 up
		background "${in_vif_prefix[@]}" $top/d0/a traffic send udp 10.8.0.2 9 --rate 100m >/dev/null
		busywait 60 grep -q '^egress_p_queue_packets [1-9]' $top/d0/a/stat || note "round $round: nothing waits"
		ip link set d0 down
		stop $!
	done
	check_eq 'a device goes down: all that was sent has reached it' "$(vif_stat $top/d0/a egress_packets)" \
		"$(cat /sys/class/net/d0/statistics/tx_packets)"
	check 'a device goes down: what waited is dropped' "$(vif_stat $top/d0/a egress_drops) >= 20"
	check_eq 'a device goes down: nothing waits' "$(vif_stat $top/d0/a egress_p_queue_packets)" 0
	ip link del d0
}

# Some devices have no least MTU, and no header: a frame may have no bytes
any_mtu() {
	local mtu
	if ! ip link add w0 type wireguard; then
		skip 'any MTU' 'no WireGuard'
		return
	fi
	mkdir $top/w0/a
	echo 1m >$top/w0/a/bandwidth
	for mtu in 0 2147483551 1420; do
		ok "an MTU of $mtu" ip link set w0 mtu $mtu
		ok "an MTU of $mtu: a bandwidth is set" eval "echo 2m >$top/w0/a/bandwidth"
	done
	rmdir $top/w0/a
	ip link del w0
}

# A mount shows the devices of its own namespace
other_namespace() {
	mkdir $eth0/here
	check_eq 'another namespace: its own tree' "$(peer unshare --mount bash -c "
		umount $top; mount -t netnice netnice $top && mkdir $eth0/there && ls -dx $eth0/*/ && rmdir $eth0/there")" \
		"$eth0/there/"
	ok 'nothing of it here' test ! -e $eth0/there
	rmdir $eth0/here
}

reserved_devices() {
	local name
	for name in tasks cgroups devices last_error; do
		ip link add name $name type dummy
		fails "a device $name has no directory" test -e $top/$name/bandwidth
		ip link del $name
	done
	ok 'tasks is still there' test -d $top/tasks/$$
}

# --- owners, modes ----------------------------------------------------------------

# owner DIRECTORY: owner, group and mode
owner() { stat -c '%u:%g %a' "$1"; }

owners() {
	mkdir $eth0/o
	check_eq "a VIF is root's" "$(owner $eth0/o) $(owner $eth0/o/bandwidth)" '0:0 755 0:0 644'
	chown 1000:1001 $eth0/o
	chmod 2710 $eth0/o
	echo 2 >/proc/sys/vm/drop_caches
	ls -lR $top >/dev/null
	check_eq 'chown and chmod are kept' "$(owner $eth0/o)" '1000:1001 2710'
	check_eq 'its files have its owner' "$(owner $eth0/o/bandwidth)" '1000:1001 644'
	mount -t netnice netnice "$tmp/second"
	check_eq 'a second mount shows them' "$(owner "$tmp/second/eth0/o")" '1000:1001 2710'
	umount "$tmp/second"
	ok 'its owner makes VIFs below it' as_user mkdir $eth0/o/u
	check_eq 'which belong to the user' "$(owner $eth0/o/u | cut -d: -f1)" 1000
	ok 'limits them' as_user bash -c "echo 1m >$eth0/o/u/bandwidth"
	ok 'removes them' as_user rmdir $eth0/o/u
	chown 1000 $eth0
	ok "so does a device's owner" as_user mkdir $eth0/u
	rmdir $eth0/u
	chown 0 $eth0
	chown 0:0 $eth0/o
	ok 'chown -R to what is so already' chown -R 0:0 $eth0
	rmdir $eth0/o
	mkdir $eth0/o
	check_eq "a new one of that name is root's again" "$(owner $eth0/o)" '0:0 755'
	rmdir $eth0/o
}

# --- hooks ------------------------------------------------------------------------

# counts: whether eth0's packets are looked at, in both directions. (Kernels
# list their hooks for ingress only, or not at all.)
counts() {
	local before after
	read -rd '' before <$eth0/stat
	ping -q -c 1 -W 1 10.0.0.2 >/dev/null || note 'no answer'
	read -rd '' after <$eth0/stat
	[ "$after" != "$before" ]
}
counts_not() { ! counts; }

# listed: whether the kernel's list of hooks has ours
listed() { nft list hooks netdev device eth0 | grep -q 'netnice'; }

# touched NAME: eth0 is looked at
touched() {
	ok "hooks: $1" counts
	[ -z "$lists_hooks" ] || ok "hooks listed: $1" listed
}

# untouched NAME: eth0 is left alone, a second later
untouched() {
	pause 0.9
	ok "no hooks: $1" busywait 60 counts_not
	[ -z "$lists_hooks" ] || fails "no hooks listed: $1" listed
}

hooks() {
	local child qdisc
	lists_hooks=
	modprobe -q nfnetlink_hook && lists_hooks=1
	tc qdisc add dev eth0 clsact
	qdisc=$(tc qdisc show; tc filter show dev eth0)
	sleep 1000 &
	child=$!

	untouched 'nothing made yet'
	find $eth0 -type f -exec cat {} + >/dev/null
	untouched 'reading'
	mkdir $eth0/a
	touched 'a VIF'
	mkdir $eth0/b $eth0/a/c
	rmdir $eth0/a/c $eth0/a
	touched 'the last but one is gone'
	rmdir $eth0/b
	pause 0.3
	touched 'a moment after the last VIF'
	untouched 'the last VIF is gone'
	echo $child >$eth0/tasks
	touched 'an attachment'
	rm $top/tasks/$child/eth0
	untouched 'detached'
	echo $child >$eth0/tasks
	touched 'an attachment again'
	stop $child
	untouched 'the process is gone'
	echo 'egress 1g' >$eth0/bandwidth
	touched 'a bandwidth'
	echo 'ingress 1g' >$eth0/bandwidth
	echo 'egress max' >$eth0/bandwidth
	touched 'one of two bandwidths'
	echo 'ingress max' >$eth0/bandwidth
	untouched 'back to max'
	echo 'ingress 1ms' >$eth0/burst
	touched 'a burst'
	echo auto >$eth0/burst
	untouched 'back to auto'
	mkdir $eth0/a
	ip link set eth0 down
	ip link set eth0 up
	busywait 60 ping -q -c 1 -W 1 10.0.0.2
	touched 'down and up again'
	ip link set eth0 down
	rmdir $eth0/a
	ip link set eth0 up
	busywait 60 ping -q -c 1 -W 1 10.0.0.2
	untouched 'removed while down'
	check_eq 'qdiscs and filters are as they were' "$(tc qdisc show; tc filter show dev eth0)" "$qdisc"
	tc qdisc del dev eth0 clsact
	check_eq 'lo has seen nothing' "$(grep -c ' 0$' $top/lo/stat)" 28
}

begin
mkdir "$tmp/second"
modprobe dummy numdummies=0
setup_veth
! own_machine || module
entries_at_the_top
two_mounts
names
nesting
many
gone_under_foot
remembered
mkdir $eth0/a
if ! short_on_stock; then
	bandwidths
	bursts
	limits
	aqms
fi
keys
directions
autoremove
rmdir $eth0/a
devices
going_down
any_mtu
other_namespace
reserved_devices
owners
hooks
