#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=13
#
# Ordinary users: netnice(1) with nothing set up for them, in the VIF that each may
# have, below what an administrator has set; and what one of them gets against
# another.
# shellcheck disable=SC2016,SC2154
. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0
fs_cgroup=/sys/fs/cgroup

# as UID COMMAND...
as() { setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"; }

no_vifs() { [ -z "$(find $eth0 -mindepth 1 -type d)" ]; }
gone() { ok "$1: nothing is left" busywait 2 no_vifs; }

where=(readlink /proc/network/tasks/self/eth0)

# attached NAME WANT COMMAND...: where its process is
attached() {
	local name=$1 want=$2 got
	shift 2
	got=$("$@" 2>&1)
	if [[ $got =~ ^\.\./\.\./$want$ ]]; then
		pass "$name"
	else
		fail "$name" "got $got" "want $want"
	fi
}

command() {
	attached 'netnice' 'eth0/user-1000/netnice\.[0-9]+' as 1000 netnice -b 1m "${where[@]}"
	gone 'netnice'
	check_eq 'the user'"'"'s VIF' "$(as 1000 netnice -b 1m sh -c "cd $eth0/user-1000 && stat -c '%u %g %a' . && \
		paste -s -d ' ' autoremove weight bandwidth" | paste -s -d ' ')" \
		'1000 1000 755 1 egress 100 ingress 100 egress max ingress max'
	attached 'netnice within netnice' 'eth0/user-1000/netnice\.[0-9]+/netnice\.[0-9]+(\.2)?' \
		as 1000 netnice -b 1m netnice -b 500k "${where[@]}"
	attached 'another user' 'eth0/user-2000/netnice\.[0-9]+' as 2000 netnice -b 1m "${where[@]}"
	check_eq 'a bad rate' "$(as 1000 netnice -b fast true 2>&1; echo $?)" \
		"$(netnice -b fast true 2>&1; echo 125)"
	gone 'a bad rate'
	check_eq 'no such command' "$(as 1000 netnice -b 1m none 2>&1; echo $?)" \
		$'netnice: none: No such file or directory\n127'
	gone 'no such command'
	check_eq 'many at a time, each with its own' "$(for i in {1..20}; do as 1000 netnice -b 1m "${where[@]}" & done | sort -u | wc -l)" 20
	gone 'many at a time'
}

running() {
	local mine ours
	background as_user sleep 1000
	mine=$!
	sleep 1000 &
	ours=$!
	defer stop $ours
	busywait 5 grep -qx sleep /proc/$mine/comm
	ok 'netnice --pid, an own process' as 1000 netnice -b 1m --pid $mine
	check_eq 'it is attached' "$(vif_attached $mine eth0)" "../../eth0/user-1000/netnice.$mine"
	ok 'detached' as 1000 rm $top/tasks/$mine/eth0
	gone 'detached'
	fails "netnice --pid, another's" as 1000 netnice -b 1m --pid $ours
	check_eq "another's is attached to nothing" "$(links_of $ours)" ''
	stop $mine $ours
	gone '--pid'
}

# limited NAME COMMAND...: its download by curl has 1 Mbit/s
limited() {
	local name=$1 got
	shift
	got=$("$@" curl -s -o /dev/null --max-time 12 -w '%{size_download}' http://10.0.0.2/zeros)
	check "$name: $((got * 8 / 12)) bit/s" "$got * 8 / 12 <= 1040000 && $got * 8 / 12 >= 850000"
}

# What an administrator has attached: netnice divides it, and it goes on to hold
below() {
	mkdir $eth0/web
	echo 1m >$eth0/web/bandwidth
	attached 'attached by root: netnice is below that' 'eth0/web/user-1000/netnice\.[0-9]+' \
		in_vif $eth0/web "${user_prefix[@]}" netnice -b 5m "${where[@]}"
	ok 'the VIF there has gone' busywait 2 test ! -e $eth0/web/user-1000
	limited 'a faster netnice in a VIF of 1 Mbit/s' in_vif $eth0/web "${user_prefix[@]}" netnice -b 5m
	limited 'a netnice of 1 Mbit/s' as 1000 netnice -b 1m
	busywait 5 rmdir $eth0/web
	gone 'below a VIF'
}

in_group() { bash -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$fs_cgroup/$group" "$@"; }

by_group() {
	if ! mountpoint -q $fs_cgroup; then
		mount -t cgroup2 cgroup2 $fs_cgroup || return
		defer umount $fs_cgroup
	fi
	group=netnice-users
	mkdir $fs_cgroup/$group $eth0/web
	echo 1m >$eth0/web/bandwidth
	ln -s $eth0/web $top/cgroups/$group/
	attached 'attached by control group: netnice is below that' 'eth0/web/user-1000/netnice\.[0-9]+' \
		in_group "${user_prefix[@]}" netnice -b 5m "${where[@]}"
	limited 'a faster netnice in a group of 1 Mbit/s' in_group "${user_prefix[@]}" netnice -b 5m
	as_user mkdir $eth0/user-1000
	limited 'a VIF elsewhere is no way out of the group' in_group "${user_prefix[@]}" bash -c \
		"echo 0 >$eth0/user-1000/tasks && exec \"\$@\"" -
	busywait 5 rmdir $fs_cgroup/$group
	busywait 5 rmdir $eth0/web
	busywait 5 no_vifs
}

# Alice is given a VIF, which her control group is attached to: she needs no more
given() {
	group=netnice-alice
	mkdir -p $fs_cgroup/$group $eth0/users/alice
	echo 2m >$eth0/users/alice/bandwidth
	chown 1000:1000 $eth0/users/alice
	ln -s $eth0/users/alice $top/cgroups/$group/
	attached 'in the VIF that she was given' 'eth0/users/alice/netnice\.[0-9]+' \
		in_group "${user_prefix[@]}" netnice -b 1M "${where[@]}"
	chmod 755 "$tmp"
	head -c 3M /dev/urandom >"$tmp/file"
	mkdir "$tmp/there"
	printf '%s\n' 'use chroot = no' '[there]' "path = $tmp/there" 'read only = no' 'uid = 0' >"$tmp/rsyncd"
	background peer rsync --daemon --no-detach --config="$tmp/rsyncd"
	busywait 5 eval ': <>/dev/tcp/10.0.0.2/873'
	rsync_at 1M 1000000
	check_eq 'netnice -b 1M rsync: all is there' "$(cmp "$tmp/file" "$tmp/there/file" 2>&1)" ''
	rsync_at 5M 2000000
	busywait 5 rmdir $fs_cgroup/$group
	ok 'nothing of hers is left' vifs_end $eth0/users/alice $eth0/users
}

# rsync_at RATE WANT: while it copies
rsync_at() {
	local pid
	meter_start given eth0 --in --port 873 --seconds 6
	in_group "${user_prefix[@]}" netnice -b "$1" rsync -W --ignore-times "$tmp/file" rsync://10.0.0.2/there/ &
	pid=$!
	wait "${meter_given:?}"
	check_near "netnice -b $1 rsync in a VIF of 2 Mbit/s" "$(meter given rate_bit_per_s)" "$2" 2
	wait $pid
}

owned() {
	mkdir $eth0/own
	chown 1000 $eth0/own
	attached 'in an own VIF, without another one' 'eth0/own/netnice\.[0-9]+' \
		in_vif $eth0/own "${user_prefix[@]}" netnice -b 1m "${where[@]}"
	busywait 5 rmdir $eth0/own
}

# A hundred VIFs of one user are one share against one of another's
shares() {
	local i pids=() one two
	echo 8m >$eth0/bandwidth
	for i in {1..100}; do
		as 1000 netnice -b 8m traffic send udp 10.0.0.2 9 --size 1000 --rate 400k --seconds 14 >/dev/null 2>&1 &
		pids+=($!)
	done
	as 2000 netnice -b 8m traffic send udp 10.0.0.2 9 --size 1000 --rate 16m --seconds 14 >/dev/null 2>&1 &
	pids+=($!)
	busywait 10 eval "[ \$(find $eth0/user-1000 -mindepth 1 -type d | wc -l) -eq 100 ]"
	busywait 5 test -d $eth0/user-2000
	pause 2
	one=$(vif_stat $eth0/user-1000 egress_bytes)
	two=$(vif_stat $eth0/user-2000 egress_bytes)
	pause 8
	one=$(($(vif_stat $eth0/user-1000 egress_bytes) - one))
	two=$(($(vif_stat $eth0/user-2000 egress_bytes) - two))
	check "100 VIFs of one user, $one bytes, against one of another, $two" \
		"$one <= 1.01 * $two && $two <= 1.01 * $one && $one + $two >= 0.98 * 8000000"
	kill "${pids[@]}" 2>/dev/null
	wait "${pids[@]}" 2>/dev/null
	echo max >$eth0/bandwidth
	busywait 10 no_vifs
}

begin
setup_veth
wire_exact on
need netnice
truncate -s 1G /srv/www/zeros
peer nginx -c /lab/nginx.conf
defer peer nginx -c /lab/nginx.conf -s stop
command
running
below
by_group
given
owned
peer nft 'table ip silence { chain c { type filter hook output priority 0; icmp type destination-unreachable drop; }; }'
shares
log_clean
