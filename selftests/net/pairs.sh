# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# For tests that measure rates: several veth pairs beside each other, and flows
# of which one end is attached to a VIF. Sourced after lib.sh.
#
#        init namespace (under test)          namespace peer
#   +------------------------------+     +----------------------+
#   |  v1  10.1.1.1  fd00:1::1     |-----|  v1  10.1.1.2  ...   |
#   |  v2  10.1.2.1  fd00:2::1     |-----|  v2  10.1.2.2  ...   |
#   +------------------------------+     +----------------------+
#
# The judge is wiremeter, where a packet has just left the limiter: for egress
# the peer's end of the veth; for ingress this end's taps of IP and IPv6 alone,
# which see a packet when IP gets it (--delivered). All figures are bytes of
# the wire from the link-layer header on: offloads are off, so that each packet
# is one packet of a wire.

# pair_new: makes a pair and sets n to its number. No number is used twice, and
# ports are made from it: connections of an earlier pair, which the kernel has not
# given up yet, must not be seen by the judge. Addresses need no resolution.
pair_last=0
pair_new() {
	local mac
	n=$((++pair_last))
	mac=02:00:00:00:$(printf %02x "$n")
	ip -batch - <<-END || return
		link add v$n address $mac:01 type veth peer name v$n address $mac:02 netns peer
		addr add 10.1.$n.1/24 dev v$n
		addr add fd00:$n::1/64 dev v$n nodad
		link set v$n up
		neigh add 10.1.$n.2 lladdr $mac:02 dev v$n
		neigh add fd00:$n::2 lladdr $mac:02 dev v$n
	END
	ip -n peer -batch - <<-END || return
		addr add 10.1.$n.2/24 dev v$n
		addr add fd00:$n::2/64 dev v$n nodad
		link set v$n up
		neigh add 10.1.$n.1 lladdr $mac:01 dev v$n
		neigh add fd00:$n::1 lladdr $mac:01 dev v$n
	END
	ethtool -K "v$n" tso off tx-udp-segmentation off gro off >/dev/null
	peer ethtool -K "v$n" tso off gso off tx-udp-segmentation off gro off >/dev/null
	busywait 5 grep -q up "/sys/class/net/v$n/operstate"
}

# pair_silence N...: nothing can be sent any more on the pairs
pair_silence() {
	local rule
	rule="table inet halt { chain out {
		type filter hook output priority 0; oifname { $(printf 'v%s, ' "$@") } drop; }; }"
	nft "$rule"
	peer nft "$rule"
}

# pair_drain N...: what waits passes
pair_drain() {
	busywait 10 pairs_empty "$@"
	pause 0.01
}

# pair_halt N...: judges and counters stand still
pair_halt() {
	pair_silence "$@"
	pair_drain "$@"
}

pairs_empty() {
	local n
	for n; do
		! grep -rqs "[pd]_queue_packets [1-9]" "/proc/network/v$n" || return
	done
}

# pair_del N...
pair_del() {
	local n
	for n; do
		ip link del "v$n"
	done
	# if they were halted
	nft delete table inet halt 2>/dev/null
	peer nft delete table inet halt 2>/dev/null
	return 0
}

# flow N egress|ingress tcp|udp v4|v6 PORT VIF [ARGUMENT...]: traffic on pair N
# between a process of the VIF here and the peer. ARGUMENTs are the sender's.
# What the sender says goes to $tmp/send.PORT, the receiver to $tmp/receive.PORT;
# flow_receiver are the receiver's arguments.
# The process here opens the connection, or sends the first datagram: whose a
# socket is that has never sent anything, netnice does not know (limits.rst).
flow() {
	local n=$1 direction=$2 protocol=$3 family=$4 port=$5 vif=$6 to
	shift 6
	to=10.1.$n.2
	[ "$family" = v4 ] || to=fd00:$n::2
	if [ "$direction" = egress ]; then
		background peer traffic sink "$protocol" "$port" "${flow_receiver[@]}" >"$tmp/receive.$port"
		flow_peer[port]=$!
		busywait 5 file_says "$tmp/receive.$port" ready
		background "${in_vif_prefix[@]}" "$vif" traffic send "$protocol" "$to" "$port" "$@" >"$tmp/send.$port"
	else
		background peer traffic serve "$protocol" "$port" "$@" >"$tmp/send.$port"
		flow_peer[port]=$!
		busywait 5 file_says "$tmp/send.$port" ready
		background "${in_vif_prefix[@]}" "$vif" traffic fetch "$protocol" "$to" "$port" \
			"${flow_receiver[@]}" >"$tmp/receive.$port"
	fi
	flow_here[port]=$!
}
flow_peer=() flow_here=() flow_receiver=()

# flow_received PORT: bytes that the receiver got, once it has ended
flow_received() { sed -n 's/^who=.* bytes=\([0-9]*\).*/\1/p' "$tmp/receive.$1"; }

# flow_stop PORT...: ends both ends
flow_stop() {
	local port
	for port; do
		stop "${flow_here[port]}" "${flow_peer[port]}"
	done
}

# meter_flow NAME N egress|ingress ARGUMENT...: the judge of that direction; then
# meter_stop NAME as usual
meter_flow() {
	local name=$1 n=$2 direction=$3
	shift 3
	set -- --ring 4 "$@"
	if [ "$direction" = egress ]; then
		background peer wiremeter "v$n" --in "$@" >"$tmp/meter.$name" 2>&1
	else
		background wiremeter "v$n" --delivered "$@" >"$tmp/meter.$name" 2>&1
	fi
	declare -g "meter_$name=$!"
	busywait 5 file_says "$tmp/meter.$name" ready || note "wiremeter: $(cat "$tmp/meter.$name")"
}

# meter_load NAME: the results as variables m_KEY
meter_load() {
	local key value
	unset m_early_stamps
	while IFS='=' read -r key value; do
		[ -z "$value" ] || declare -g "m_$key=$value"
	done <"$tmp/meter.$1"
}

# meter_whole: did the judge whose results are loaded see everything, and rightly?
meter_whole() { [ "$m_drops $m_oversize ${m_early_stamps:-0}" = '0 0 0' ]; }

# stat_load VIF: the counters as variables s_KEY
stat_load() {
	local key value
	while read -r key value; do
		declare -g "s_$key=$value"
	done <"$1/stat"
}

# bits RATE: 64k, 10m, ... as a number
bits() {
	case $1 in
	*k) echo "${1%k}000" ;;
	*m) echo "${1%m}000000" ;;
	*) echo "$1" ;;
	esac
}

# burst RATE: what interface.rst promises by default, for frames of 1514 bytes
burst() {
	local rate=$(($(bits "$1") / 8)) frames
	frames=$((rate / 50 < slow_burst ? slow_burst : rate / 50))
	frames=$((frames > least_burst ? least_burst : frames))
	echo $((rate / 1000 > frames ? rate / 1000 : frames))
}

# burst_judged RATE: where every interval counts, however short, the judge's stamps
# matter: it sees a packet some 10 us after it was let go, more or less. So what the
# limit gives in 100 us is allowed on top.
burst_judged() { echo $(($(burst "$1") + $(bits "$1") / 80000)); }

# cpu_start; cpu_idle: per cent of the time since then in which the CPU was idle.
# A guest without CPU to spare measures itself.
cpu_read() {
	local user nice sys idle iowait irq soft
	read -r _ user nice sys idle iowait irq soft _ </proc/stat
	cpu_idle_ticks=$((idle + iowait))
	cpu_ticks=$((user + nice + sys + idle + iowait + irq + soft))
}

cpu_start() {
	cpu_read
	cpu_idle_before=$cpu_idle_ticks cpu_before=$cpu_ticks
}

cpu_idle() {
	cpu_read
	echo $((100 * (cpu_idle_ticks - cpu_idle_before) / (cpu_ticks - cpu_before)))
}
