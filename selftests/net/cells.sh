# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# For tests of attribution: one small exchange at a time between a process here
# and one of the peer, and nothing else on the wire. All of it has to be counted
# in the VIF, to the byte; the peer's interface is the judge. Sourced after lib.sh.
#
# A cell has two programs for kinds, which begin with `here` or `there`, where they
# run. The second starts when the first one has said `ready`. In them stands
#
#	%		the version of IP: as in `socket tcp%`
#	HERE THERE ANY	addresses
#	PORT		one that no cell has used before
#	VIF		the VIF that the cell is about, made for it
#
# Families: 4, 6, and m: an IPv6 socket here that speaks IPv4 (mapped addresses).

eth0=/proc/network/eth0
vif=$eth0/cell
cell_port=10000

# Nobody asks who is who, for a router, or tells which groups he is in.
# shellcheck disable=SC2016
cell_silence='table inet silence { chain out { type filter hook output priority 0;
	ip protocol igmp drop
	icmpv6 type { mld-listener-report, mld2-listener-report, nd-router-solicit,
		nd-neighbor-solicit, nd-neighbor-advert } drop
}; }'

cells_setup() {
	local address
	need netnice
	setup_veth
	wire_exact on
	for address in 10.0.0.2 fd00::2; do
		ip neigh replace $address dev eth0 nud permanent lladdr "$(peer_mac)"
	done
	for address in 10.0.0.1 fd00::1; do
		peer ip neigh replace $address dev eth0 nud permanent lladdr "$(cat /sys/class/net/eth0/address)"
	done
	nft "$cell_silence"
	defer nft delete table inet silence
	peer nft "$cell_silence"
	# somebody in the peer's namespace, through whom its counters can be read
	background peer sleep infinity
	peer_proc=/proc/$!
	busywait 5 cell_peer_there
}

# /sys is this namespace's
peer_mac() { peer ip -o link show dev eth0 | sed 's/.*ether \([^ ]*\).*/\1/'; }

cell_peer_there() { [ "$(readlink "$peer_proc/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }

# --- counting ---------------------------------------------------------------------

# Of both, the result is in counted: packets and bytes sent, packets and bytes received.
count_wire() {
	local name rx_bytes rx_packets tx_bytes tx_packets
	while read -r name rx_bytes rx_packets _ _ _ _ _ _ tx_bytes tx_packets _; do
		[ "$name" != eth0: ] ||
			counted=("$rx_packets" "$rx_bytes" "$tx_packets" $((tx_bytes + cell_link_bytes * tx_packets)))
	done <"$peer_proc/net/dev"
}

# count_vif VIF
count_vif() {
	local key value
	while read -r key value; do
		case $key in
		egress_packets) counted[0]=$value ;;
		egress_bytes) counted[1]=$value ;;
		ingress_packets) counted[2]=$value ;;
		ingress_bytes) counted[3]=$value ;;
		esac
	done <"$1/stat"
}

# what the peer's interface leaves out of a packet that it sends
cell_link_bytes=0

# cell_settled: nothing has crossed the wire for a while
cell_settled() {
	local before
	count_wire
	before=${counted[*]}
	sleep "${settle:-0.3}"
	count_wire
	[ "${counted[*]}" = "$before" ]
}

say_counted() { echo "sent $1 ($2 bytes), received $3 ($4 bytes)"; }

# --- a cell -------------------------------------------------------------------------

# cell_words FAMILY SIDE WORDS: with what stands for what
cell_words() {
	local words=$3 version=$1 here=10.0.0.1 there=10.0.0.2 any=0.0.0.0
	[ "$1" != 6 ] || here=fd00::1 there=fd00::2
	[ "$1" != m ] || version=4
	[ "$1$2" != mhere ] || version=6
	[ "$version" != 6 ] || any=::
	words=${words//%/$version}
	words=${words//THERE/$there}
	words=${words//HERE/$here}
	words=${words//ANY/$any}
	words=${words//PORT/$cell_port}
	echo "${words//VIF/$vif}"
}

# cell_attached MANNER WORDS: the words of somebody who is attached to VIF
cell_attached() {
	case $1 in
	process) echo "write VIF/tasks 0 $2" ;;
	thread) echo "thread { attach-thread VIF/tasks $2 }" ;;
	socket) sed -E 's/(socket [^ ]+|accept)/& attach-socket VIF/g' <<<"$2" ;;
	cgroup) echo "write $cell_cgroup/cgroup.procs 0 $2" ;;
	none) echo "$2" ;;
	esac
}
cell_cgroup=/sys/fs/cgroup/cell

# cell_start FAMILY NAME SIDE WORDS: in the background, as $!, a process group; it
# writes to $tmp/NAME
cell_start() {
	local side=$3 words=${*:4} prefix=()
	if [ "$side" = there ]; then
		prefix=("${peer_prefix[@]}")
	else
		words=$(cell_attached "$manner" "$words")
	fi
	read -ra words <<<"$(cell_words "$1" "$side" "$words")"
	: >"$tmp/$2"
	setsid "${prefix[@]}" kinds "${words[@]}" >"$tmp/$2" 2>&1 </dev/null &
}

# cell_ready NAME: it says so
cell_ready() { busywait 5 grep -q ready "$tmp/$1" || note "$(cat "$tmp/$1")"; }

# cell_run FAMILY FIRST SECOND: fails if one of them does
# shellcheck disable=SC2086
cell_run() {
	local first second status
	cell_start "$1" first $2
	first=$!
	cell_ready first
	cell_start "$1" second $3
	second=$!
	[ -z "$during" ] || $during
	wait $second
	status=$?
	[ "$status" -eq 0 ] || kill $first 2>/dev/null
	wait $first && [ "$status" -eq 0 ]
}

# cell NAME FAMILIES FIRST SECOND: with these settings
#	manner	how the process here is attached
#	during	a function that is called when both run
#	settle	after so many seconds without a packet nothing more comes
#	late	so many packets may be received before it is known whose they are
#	bandwidth	of the VIF; what leaves it then is judged by what it lets out in any
#			interval
manner=process during='' settle=0.3 late=0 bandwidth=''
cell() {
	local family
	for family in $2; do
		cell_one "$1, IPv${family/m/4 mapped}${manner_name:+, $manner_name}" "$family" "$3" "$4"
	done
}

cell_one() {
	local name=$1 i before root_before wire root counted=() status
	cell_port=$((cell_port + 1))
	mkdir $vif
	cell_begin
	count_wire
	before=("${counted[@]}")
	count_vif $eth0
	root_before=("${counted[@]}")
	cell_run "$2" "$3" "$4"
	status=$?
	busywait 20 cell_settled
	count_wire
	wire=("${counted[@]}")
	count_vif $eth0
	root=("${counted[@]}")
	count_vif $vif
	for i in 0 1 2 3; do
		wire[i]=$((wire[i] - before[i]))
		root[i]=$((root[i] - root_before[i]))
	done
	cell_judge "$name" $status
	cell_end
}

# of what cell_one has counted
cell_judge() {
	if [ "$2" -ne 0 ]; then
		fail "$1" "$(cat "$tmp/first" "$tmp/second")"
	elif [ -n "$bandwidth" ]; then
		meter_stop cell
		cell_judge_limit "$1"
	elif [ "${root[*]}" != "${wire[*]}" ]; then
		fail "$1: counted once, by the device" "root: $(say_counted "${root[@]}")" \
			"wire: $(say_counted "${wire[@]}")"
	elif [ $late -gt 0 ] && [ "${counted[*]:0:2}" = "${wire[*]:0:2}" ]; then
		check "$1: received ${counted[2]} of ${wire[2]} packets" \
			"${counted[2]} <= ${wire[2]} && ${counted[2]} >= ${wire[2]} - $late"
	else
		check_eq "$1" "$(say_counted "${counted[@]}")" "$(say_counted "${wire[@]}")"
	fi
}

# limited NAME egress|ingress FAMILIES FIRST SECOND: a cell with much to send
limited() { bandwidth=2m direction=$2 cell "$1, $2 limited" "${@:3}"; }

cell_begin() {
	if [ "$manner" = cgroup ]; then
		mkdir -p $cell_cgroup
		ln -s $vif "/proc/network/cgroups/${cell_cgroup##*/}/"
	fi
	[ -n "$bandwidth" ] || return 0
	echo "$bandwidth" >$vif/bandwidth
	if [ "$direction" = egress ]; then
		meter_start cell eth0 --in --ring 4 --rate "$bandwidth"
	else
		meter_here cell eth0 --delivered --ring 4 --rate "$bandwidth"
	fi
}

# cell_judge_limit NAME: what was dropped has been on the wire only if it was received
cell_judge_limit() {
	local drops
	drops=$(vif_stat $vif ingress_drops)
	if [ $((counted[0] + late)) -lt "${wire[0]}" ] || [ $((counted[2] + drops + late)) -lt "${wire[2]}" ]; then
		fail "$1: all goes through the VIF" "VIF: $(say_counted "${counted[@]}"), $drops dropped" \
			"wire: $(say_counted "${wire[@]}")"
		return
	fi
	# see burst_judged() in pairs.sh for the 100 us
	check "$1: $(meter cell rate_bit_per_s) bit/s, $(meter cell burst_bytes) bytes ahead" \
		"$(meter cell burst_bytes) <= 3028 + 25 + $late * 1514 && $(meter cell rate_bit_per_s) > 0.9 * 2000000"
}

cell_end() {
	[ "$manner" != cgroup ] || busywait 5 rmdir $cell_cgroup
	busywait 5 rmdir $vif || note "$(ls -R $vif; cat $vif/tasks)"
}
