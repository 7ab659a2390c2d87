#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: timeout=1200, budget=23
#
# "vifctl save | vifctl restore" is the identity, on random trees: what was saved is
# there again when it is restored over itself, from nothing, and from another tree; a
# restore that fails leaves what was there; --dry-run prints a batch that does the same.
# The trees have names of any bytes, all settings, owners, modes, levels, devices, and
# what is kept of attachments. Numbers seed them: "restore.sh 17 18" are those two.
. "$(dirname "$0")/lib.sh"

# These leave what they choose in REPLY: a process for each would take most of the time.
pick() {
	local n=$((RANDOM % $#))
	REPLY=${*:n + 1:1}
}

words=(a b 'c\040d' '-x' '\233\377' '\#' "'q\"'" é)
rates=(max 8k 1m 1.5mbit 99999bit 400gbit 12345kbps 1gibit)
minima=(none 8k 10k 16k 1m)
bursts=(auto 1ms 10s 1500b 4GB 4GiB 12345 1.5ms)
limits=(auto max 7p 1000000packets 1500 64KiB)
aqms=(auto none codel 'codel target 7ms' 'codel interval 1s' 'codel target 1500us interval 70ms' 'codel ack-filter' 'codel no-ack-filter')
layers=(none atm 'overhead -64' 'overhead 0' 'overhead 44 mpu 84 atm' 'mpu 256 ptm' 'overhead 256 noatm'
	'pppoe-ptm ether-vlan' 'raw mpu 60')

# any_name: 1 to 63 bytes, each any but zero and slash
any_name() {
	local i byte name=''
	for ((i = RANDOM % 8 ? RANDOM % 6 : 62; i >= 0; i--)); do
		byte=$((RANDOM % 255 + 1))
		[ $byte -ne 47 ] || continue
		printf -v byte '\\%03o' $byte
		name+=$byte
	done
	REPLY=${name:-_}
}

# value PARAMETER: for one direction or both
value() {
	case $1 in
	bandwidth) pick "${rates[@]}" ;;
	minimum) pick "${minima[@]}" ;;
	burst) pick "${bursts[@]}" ;;
	dscp | mark | skb_priority) pick none 6 '0x21 force' ;;
	group) pick none 1 2 65535 ;;
	*weight) REPLY=$((RANDOM % 10000 + 1)) ;;
	*priority) REPLY=$((RANDOM % 8)) ;;
	limit) pick "${limits[@]}" ;;
	aqm) pick "${aqms[@]}" ;;
	fair) pick flow dual-srchost dual-dsthost ;;
	link_layer) pick "${layers[@]}" ;;
	quota) pick none '10GB then 256kbit' '10GiB then stop' '1500b then stop left 7b' ;;
	esac
}

setting_of() {
	local egress
	value "$1"
	egress=$REPLY
	value "$1"
	case $((RANDOM % 4))$1 in
	0*) REPLY="$1 $egress" ;;
	1* | ?dscp | ?mark | ?skb_priority) REPLY="$1 egress $egress" ;;
	2*) REPLY="$1 ingress $egress" ;;
	3*) REPLY="$1 egress $egress ingress $REPLY" ;;
	esac
}

# random_vif PATH: settings for it
random_vif() {
	local param
	for param in bandwidth minimum burst weight priority local_weight local_priority limit aqm fair group dscp mark skb_priority quota; do
		[ $((RANDOM % 4)) -eq 0 ] || continue
		setting_of $param
		echo "set -- $1 $REPLY"
	done
	[ $((RANDOM % 6)) -eq 0 ] || return
	pick 700 755 2775 1750
	echo "set -- $1 owner $((RANDOM % 3)):$((RANDOM % 3)) mode $REPLY"
}

# random_tree DEVICE: commands that make one; --force, as names come twice
random_tree() {
	local paths=("$1") path i target
	for ((i = RANDOM % 9; i > 0; i--)); do
		# three of four times below the last one: deep trees are rare otherwise
		if [ $((RANDOM % 4)) -eq 0 ]; then pick "${paths[@]}"; else REPLY=${paths[-1]}; fi
		path=$REPLY
		if [ $((RANDOM % 3)) -eq 0 ]; then any_name; else pick "${words[@]}"; fi
		path+=/$REPLY
		paths+=("$path")
		echo "add -- $path"
		random_vif "$path"
	done
	for target in 'cgroup /' 'cgroup vt' 'cgroup vt/one' 'cgroup vt/two' 'device d0' 'device d1' 'device lo'; do
		[ $((RANDOM % 4)) -eq 0 ] || continue
		pick "${paths[@]}"
		echo "attach -- $REPLY $target"
		[ $((RANDOM % 3)) -ne 0 ] || [ "$REPLY" = "$1" ] || echo "set -- $REPLY autoremove 1"
	done
	pick "${rates[@]}"
	[ $((RANDOM % 3)) -ne 0 ] || echo "set $1 bandwidth $REPLY"
	setting_of link_layer
	[ $((RANDOM % 3)) -ne 0 ] || echo "set $1 $REPLY"
}

# batch: the lines on standard input, with what is said on standard output, but for what has no effect
batch() {
	vifctl -b - 2>&1 | grep -v -e 'have no effect while no VIF above has a bandwidth' -e 'for ingress does not limit packets to'
}

# empty: a file; what all trees begin and end with
clear_trees() { vifctl restore "$tmp/empty"; }

# one_random SEED: of many; says what is wrong. Several things are done by one batch, as
# starting a program is what takes the time. $now and $before are this tree's and the last
# one's file.
one_random() {
	RANDOM=$1
	before=$now
	cp "$tmp/now" "$tmp/before"
	{
		echo "restore $tmp/empty"
		random_tree d0
		random_tree d1
		echo save
	} >"$tmp/commands"
	now=$(vifctl --force -b "$tmp/commands" 2>/dev/null)
	[[ $now == *'tree d1'* ]] || echo 'not saved'
	echo "$now" >"$tmp/now"
	# over itself, where -v says nothing; from nothing; and the other tree
	[ "$(printf '%s\n' "restore -v $tmp/now" "restore $tmp/empty" "restore $tmp/now" save "restore $tmp/before" save | batch)" = \
		"$now"$'\n'"$before" ] || echo 'what is restored is not what was saved'
	{ echo "$now"; printf 'vif eth0/zz\nbandwidth fast\n'; } | vifctl restore - 2>/dev/null && echo 'a bad value is taken'
	[ "$({ echo save; vifctl restore --dry-run "$tmp/now"; echo save; } | batch)" = "$before"$'\n'"$now" ] ||
		echo 'a failure leaves something behind, or --dry-run is not what is done'
}

# try_seed SEED: fails, with what is wrong
try_seed() {
	local file
	one_random "$1" >"$tmp/wrong" 2>&1
	file=$now
	while [[ $file == *$'\nvif '* ]]; do
		file=${file#*$'\nvif '}
		vifs=$((vifs + 1))
	done
	[ -s "$tmp/wrong" ] || return 0
	note "tree $1:"
	sed 's/^/# /' "$tmp/wrong" "$tmp/commands"
	clear_trees
	now=$(vifctl save)
	echo "$now" >"$tmp/now"
	return 1
}

# 1000 in a User Mode Linux, 100 if it is to be short or with sanitizers, elsewhere as
# many as a minute is enough for
random_trees() {
	local i wrong=0 count=1000 begin=$EPOCHSECONDS end=$((EPOCHSECONDS + 60))
	! in_uml || end=$((EPOCHSECONDS + 900))
	! short && ! sanitized || count=100
	for ((i = 1; i <= count && (i <= 5 || EPOCHSECONDS < end); i++)); do
		try_seed $i || wrong=$((wrong + 1))
	done
	note "$((i - 1)) trees of $vifs VIFs in $((EPOCHSECONDS - begin)) s"
	check_eq "what is saved is restored: $((i - 1)) random trees" $wrong 0
}

begin
need netnice
modprobe dummy numdummies=0
ip link add d0 type dummy
defer ip link del d0
ip link add d1 type dummy
defer ip link del d1
mountpoint -q /sys/fs/cgroup || { mount -t cgroup2 cgroup2 /sys/fs/cgroup && defer umount /sys/fs/cgroup; }
mkdir -p /sys/fs/cgroup/vt/{one,two}
defer rmdir /sys/fs/cgroup/vt/{one,two,}
vifs=0
printf 'tree %s\n' d0 d1 >"$tmp/empty"
clear_trees
now=$(vifctl save)
echo "$now" >"$tmp/now"
if [ $# -gt 0 ]; then
	for seed; do
		try_seed "$seed"
		check_eq "tree $seed" $? 0
	done
else
	random_trees
fi
clear_trees
check_eq 'nothing is left' "$(vifctl save d0)$(vifctl save d1)" $'tree d0\nvif d0tree d1\nvif d1'
