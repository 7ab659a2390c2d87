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

cell_port=10000
cell_program=kinds
here_prefix=()

# No neighbour, router or group messages are sent.
# shellcheck disable=SC2016
cell_silence='table inet silence { chain out { type filter hook output priority 0;
	ip protocol igmp drop
	icmpv6 type { mld-listener-report, mld2-listener-report, nd-router-solicit,
		nd-neighbor-solicit, nd-neighbor-advert } drop
}; }'

# cell_on DEVICE: where the next cells are
cell_on() {
	device=$1
	root=/proc/network/$device
	vif=$root/cell
	other=$root/other
}
cell_on eth0

cells_setup() {
	need netnice
	setup_veth
	wire_exact on
	cell_neighbours 10.0.0.1 10.0.0.2
	cell_neighbours fd00::1 fd00::2
	nft "$cell_silence"
	defer nft delete table inet silence
	peer nft "$cell_silence"
	# a process in the peer's namespace, through which its counters can be read
	background peer sleep infinity
	peer_proc=/proc/$!
	busywait 5 cell_peer_there
	# what an earlier test has left unsent goes to these addresses, and is refused
	busywait 150 nothing_closing
}

cell_neighbours() { set_neighbours "$1" "$2" "$device"; }

cell_peer_there() { [ "$(readlink "$peer_proc/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }

# --- counting ---------------------------------------------------------------------

# Of both, the result is in counted: packets and bytes sent, packets and bytes received.
count_wire() {
	local line lines rx_bytes rx_packets tx_bytes tx_packets
	mapfile -t lines <"$peer_proc/net/dev"
	for line in "${lines[@]}"; do
		[[ $line == *" $device:"* ]] || continue
		read -r _ rx_bytes rx_packets _ _ _ _ _ _ tx_bytes tx_packets _ <<<"$line"
		counted=("$rx_packets" "$rx_bytes" "$tx_packets" $((tx_bytes + cell_link_bytes * tx_packets)))
	done
}

# count_vif VIF
count_vif() {
	local line lines
	mapfile -t lines <"$1/stat"
	for line in "${lines[@]}"; do
		case $line in
		egress_packets*) counted[0]=${line#* } ;;
		egress_bytes*) counted[1]=${line#* } ;;
		ingress_packets*) counted[2]=${line#* } ;;
		ingress_bytes*) counted[3]=${line#* } ;;
		esac
	done
}

# what the peer's interface leaves out of a packet that it sends
cell_link_bytes=0

# tcp_closing: a connection is waiting for the last words of the other end
# (FIN_WAIT1, LAST_ACK, CLOSING), which it may send again after seconds
tcp_closing() {
	local table text
	for table in {"$peer_proc",/proc/self}/net/{tcp,tcp6}; do
		read -rd '' text <"$table"
		[[ ! $text =~ :[0-9A-F]{4}\ (04|09|0B)\  ]] || return 0
	done
	return 1
}

nothing_closing() { ! tcp_closing; }

# cell_settled: nothing has crossed the wire for a while
cell_settled() {
	local before
	! tcp_closing || return
	count_wire
	before=${counted[*]}
	pause "${settle:-0.3}"
	count_wire
	[ "${counted[*]}" = "$before" ]
}

say_counted() { echo "sent $1 ($2 bytes), received $3 ($4 bytes)"; }

# shred_begin BYTES [DECOY PORT]: all TCP and UDP of the peer comes in fragments, of which the
# first has so many bytes, with decoys; shred_end. False if the kernel has no tun.
shred_begin() {
	modprobe -q tun || return
	peer sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.eth0.rp_filter=0
	background peer kinds tun shred say ready shred eth0 "$(</sys/class/net/eth0/address)" \
		"$1" "${2-none}" "${3-0}" >"$tmp/shred" 2>&1
	shredder=$!
	busywait 5 file_says "$tmp/shred" ready || note "$(cat "$tmp/shred")"
	peer ip link set shred mtu 9000 up
	peer ip route add 10.0.0.1/32 dev shred src 10.0.0.2
	peer ip route add fd00::1/128 dev shred src fd00::2
}
shred_end() { stop "$shredder"; }

# --- a cell -------------------------------------------------------------------------

# cell_words FAMILY SIDE WORDS: with what stands for what, as the array program
cell_words() {
	local text version=$1 here=10.0.0.1 there=10.0.0.2 any=0.0.0.0
	[ "$1" != 6 ] || here=fd00::1 there=fd00::2
	[ "$1" != m ] || version=4
	[ "$1$2" != mhere ] || version=6
	[ "$version" != 6 ] || any=::
	text=${3//%/$version}
	text=${text//THERE/$there}
	text=${text//HERE/$here}
	text=${text//ANY/$any}
	text=${text//PORT/$cell_port}
	text=${text//OTHER/$other}
	read -ra program <<<"${text//VIF/$vif}"
}

# cell_attached MANNER WORDS [OTHER]: the words of a process that is attached to VIF, or
# to OTHER
cell_attached() {
	local to=${3-VIF}
	case $1 in
	process) echo "write $to/tasks 0 $2" ;;
	thread) echo "thread { attach-thread $to/tasks $2 }" ;;
	socket) sed -E "s/(socket [^ ]+|accept)/& attach-socket $to/g" <<<"$2" ;;
	cgroup) echo "write $cell_cgroup/cgroup.procs 0 $2" ;;
	none) echo "$2" ;;
	esac
}

cell_cgroup=/sys/fs/cgroup/cell

# cgroup_begin VIF: a control group that is attached; cgroup_end
cgroup_begin() {
	mkdir $cell_cgroup
	ln -s "$1" "/proc/network/cgroups/${cell_cgroup##*/}/"
}
cgroup_end() { busywait 5 rmdir $cell_cgroup; }

# cell_start FAMILY NAME SIDE WORDS: in the background, as $!, a process group; it
# writes to $tmp/NAME, and may read cell_input
cell_start() {
	local side=$3 words=${*:4} prefix=() program
	if [ "$side" = there ]; then
		prefix=("${peer_prefix[@]}")
	else
		prefix=("${here_prefix[@]}")
		words=$(cell_attached "$manner" "$words")
	fi
	cell_words "$1" "$side" "$words"
	: >"$tmp/$2"
	setsid "${prefix[@]}" "$cell_program" "${program[@]}" >"$tmp/$2" 2>&1 <"${cell_input:-/dev/null}" &
}

# cell_ready NAME: it says so
cell_ready() { busywait 5 file_says "$tmp/$1" ready || note "$(cat "$tmp/$1")"; }

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
#	early	so many packets may be sent before it is known whose they are
#	late	so many may be received
#	missing	== if these are how many there are, and not only how many there may be
#	bandwidth	of the VIF, which drops nothing; what it lets out in any interval is judged
manner=process during='' settle=0.3 early=0 late=0 missing='<=' bandwidth=''
cell() {
	local family
	for family in $2; do
		cell_one "$1, IPv${family/m/4 mapped}${manner_name:+, $manner_name}" "$family" "$3" "$4"
	done
}

cell_one() {
	local name=$1 i before device_before wire whole counted=() status
	cell_port=$((cell_port + 1))
	mkdir "$vif"
	cell_begin
	count_wire
	before=("${counted[@]}")
	count_vif "$root"
	device_before=("${counted[@]}")
	cell_run "$2" "$3" "$4"
	status=$?
	busywait 20 cell_settled
	count_wire
	wire=("${counted[@]}")
	count_vif "$root"
	whole=("${counted[@]}")
	count_vif "$vif"
	for i in 0 1 2 3; do
		wire[i]=$((wire[i] - before[i]))
		whole[i]=$((whole[i] - device_before[i]))
	done
	cell_judge "$name" $status
	[ -z "$bandwidth" ] || cell_judge_limit "$name"
	cell_end
}

# of what cell_one has counted
cell_judge() {
	local i missed=()
	if [ "$2" -ne 0 ]; then
		fail "$1" "$(cat "$tmp/first" "$tmp/second")"
	elif [ "${whole[*]}" != "${wire[*]}" ]; then
		fail "$1: counted once, by the device" "device: $(say_counted "${whole[@]}")" \
			"wire:   $(say_counted "${wire[@]}")"
	elif [ $((early + late)) -gt 0 ]; then
		for i in 0 1 2 3; do
			missed[i]=$((wire[i] - counted[i]))
		done
		check "$1: missed $(say_counted "${missed[@]}")" \
			"${missed[0]} $missing $early && (${missed[0]} > 0) == (${missed[1]} > 0) &&
			${missed[2]} $missing $late && (${missed[2]} > 0) == (${missed[3]} > 0)"
	else
		check_eq "$1" "$(say_counted "${counted[@]}")" "$(say_counted "${wire[@]}")"
	fi
}

# limited NAME egress|ingress FAMILIES FIRST SECOND: a cell with much to send
limited() { bandwidth=2m direction=$2 cell "$1, $2 limited" "${@:3}"; }

cell_begin() {
	[ "$manner" != cgroup ] || cgroup_begin "$vif"
	[ -n "$bandwidth" ] || return 0
	echo "$bandwidth" >"$vif/bandwidth"
	echo none >"$vif/aqm"
	echo max >"$vif/limit"
	if [ "$direction" = egress ]; then
		meter_start cell "$device" --in --ring 4 --rate "$bandwidth"
	else
		meter_here cell "$device" --delivered --ring 4 --rate "$bandwidth"
	fi
}

# cell_judge_limit NAME: see burst_judged() in pairs.sh for the 100 us
cell_judge_limit() {
	meter_stop cell
	check "$1: $(meter cell rate_bit_per_s) bit/s, $(meter cell burst_bytes) bytes ahead" \
		"$(meter cell burst_bytes) <= $least_burst + 25 + $late * 1514 && $(meter cell rate_bit_per_s) > 0.97 * 2000000"
}

cell_end() {
	[ "$manner" != cgroup ] || cgroup_end
	busywait 5 rmdir "$vif" || note "$(ls -R "$vif"; cat "$vif/tasks")"
}
