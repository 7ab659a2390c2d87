#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What ends while traffic runs: rounds (24, 16 if it is to be short, or as many as the
# argument says) of load, mount, attach under traffic, then take something away while
# packets wait in both directions, connection tracking on both sides: VIFs, the device,
# its namespace, the module. Then the same while hooks linger that nothing uses any more.
# The kernel's log, read at the very end by the runner, is the other half of this.
#
#      init namespace               namespace lt
#   +------------------+         +------------------+
#   |  l0  10.9.0.1    |---------|  l1  10.9.0.2    |
#   +------------------+         +------------------+
#
# lab: smp=2, timeout=1800, check=6.1, budget=75
. "$(dirname "$0")/lib.sh"

rounds=${1:-$(short && echo 16 || echo 24)}
root=/proc/network/l0

conntrack_rules='table inet t {
	chain out { type filter hook output priority 0; ct state new accept; }
	chain in { type filter hook input priority 0; ct state new accept; }
}'

exec_quietly() { exec "$@" </dev/null >/dev/null 2>&1; }

lt_prefix=(nsenter --net=/run/netns/lt --)
in_lt() { "${lt_prefix[@]}" "$@"; }

setup_pair() {
	ip -b - <<-END && ip -n lt -b - <<-END2 && in_lt nft "$conntrack_rules"
		netns add lt
		link add l0 type veth peer name l1 netns lt
		addr add 10.9.0.1/24 dev l0
		link set l0 up
	END
		addr add 10.9.0.2/24 dev l1
		link set lo up
		link set l1 up
	END2
}

# what the ends of a round left
cleanup_pair() {
	kill -9 "${pids[@]}" 2>/dev/null
	wait "${pids[@]}" 2>/dev/null
	ip link del l0 2>/dev/null
	ip netns del lt 2>/dev/null
	ip netns del lt2 2>/dev/null
	return 0
}

run() {
	exec_quietly "$@" &
	pids+=($!)
}

# attached VIF COMMAND...
# shellcheck disable=SC2016
attached=(bash -c 'echo 0 >"$1/tasks"; shift; exec "$@"' -)

start_traffic() {
	pids=()
	run "${lt_prefix[@]}" traffic sink tcp 5001
	run "${lt_prefix[@]}" traffic sink udp 5002
	run "${attached[@]}" "$root/a/b" traffic sink tcp 5003
	run "${attached[@]}" "$root/a/b" traffic send udp 10.9.0.2 5002 --rate 4m --seconds 60
	run "${lt_prefix[@]}" traffic send udp 10.9.0.1 5004 --rate 4m --seconds 60
	run "${attached[@]}" "$root/a/b" traffic send tcp 10.9.0.2 5001 --seconds 60
	run "${lt_prefix[@]}" traffic send tcp 10.9.0.1 5003 --seconds 60
}

make_vifs() {
	mkdir "$root/a" "$root/a/b" &&
		echo ingress 2m >"$root/bandwidth" &&
		echo 2m >"$root/a/bandwidth" &&
		echo 1m >"$root/a/b/bandwidth"
}

waits() {
	grep -q '^egress_p_queue_packets [1-9]' "$root/a/b/stat" &&
		grep -q '^ingress_p_queue_packets [1-9]' "$root/stat"
}

# some may not even have begun when the first packets wait
try_rmdir() {
	local pid
	while read -r pid; do
		echo "$pid" >"$root/tasks"
	done <"$root/a/b/tasks"
	rmdir "$root/a/b" "$root/a"
}

end_rmdir() { busywait 60 try_rmdir; }

end_device() { ip link del l0; }
end_down_up() { ip link set l0 down && ip link set l0 up && ip link set l0 down; }
end_rename() { ip link set l0 down && ip link set l0 name l2 && ip link set l2 name l0; }
end_move() { ip netns add lt2 && ip link set l0 netns lt2; }

end_namespace() {
	kill -9 "${pids[@]}" 2>/dev/null
	wait "${pids[@]}" 2>/dev/null
	ip netns del lt
	busywait 60 test ! -e /sys/class/net/l0
}

# with a VIF in the namespace that ends, on the device that ends with it
end_namespace_within() {
	in_lt unshare --mount bash -c '
		mount -t netnice netnice /proc/network
		mkdir /proc/network/l1/c
		echo 300k >/proc/network/l1/c/bandwidth
		echo 0 >/proc/network/l1/c/tasks
		exec traffic send udp 10.9.0.1 5004 --rate 5m --seconds 0.2 >/dev/null'
	end_namespace
}

end_module() { umount /proc/network && remove_netnice; }

read -ra ends <<<"${ENDS:-rmdir device down_up rename move namespace namespace_within module}"

# what there is to know about a round in which nothing waits
tell() {
	echo "nothing waits; processes ${pids[*]}:"
	ps -o pid,stat,args -p "${pids[*]}"
	cat $root/a/b/tasks
	grep -E '(bytes|drops|packets) [1-9]' $root/stat $root/a/b/stat
	ip -s link show l0
	ss -Htun; in_lt ss -Htun
}

round() {
	local start
	load_netnice && setup_pair && make_vifs && start_traffic || return
	start=$SECONDS
	busywait 60 waits || { tell | sed 's/^/# /'; return 1; }
	[ $((SECONDS - start)) -le $longest ] || longest=$((SECONDS - start))
	"end_$1" || { note "end_$1: status $?"; return 1; }
}

# linger END: at once after the last use, later, and when the hooks are just going
linger() {
	local delay
	pids=()
	for delay in "${delays[@]}"; do
		load_netnice && setup_pair && mkdir "$root/a" && rmdir "$root/a" || return
		pause "$delay"
		"end_$1" || return
		cleanup_pair
	done
}

delays=(0 0.5 0.98 1 1.02)
! short || delays=(0 1)

skbuffs() { awk '$1 == "skbuff_head_cache" { print $2 }' /proc/slabinfo; }

begin
need netnice nft
nft "$conntrack_rules"
declare -A good=()
longest=0
for ((i = 0; i < rounds; i++)); do
	end=${ends[i % ${#ends[@]}]}
	if round "$end"; then
		good[$end]=$((${good[$end]-0} + 1))
	fi
	cleanup_pair
	# the first rounds fill caches
	[ "$i" -ne 8 ] || before=$(skbuffs)
done
for end in "${ends[@]}"; do
	check_eq "traffic, then $end" "${good[$end]-0}" "$(((rounds + ${#ends[@]} - 1) / ${#ends[@]}))"
done
after=$(skbuffs)
note "traffic began to wait after $longest s at most"
note "packet buffers: $before after 8 rounds, $after in the end"
check "no packet queue is left" "${after:-0} < ${before:-0} + 1000"
for end in device down_up move namespace module; do
	ok "hooks linger, then $end" linger "$end"
	cleanup_pair
done
