#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a packet costs, in virtual time, which is made of instructions: datagrams
# sent to the peer and received from it, on a device whose tree is not used, on a
# used one, attached and not, with programs; and a flood to closed ports.
#
# The file cost.figures has what was found on some kernels before. There no case may
# cost more than that by 2 % of the packet's instructions: what counts is what is added
# to the plain kernel's in the same run, so that another emulator changes nothing.
# `lab gate` writes the file anew.
#
# Lines `# cost: CASE FIGURE` are for that.
# lab: virtual, check=6.1+new, budget=45
. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
declare -A found=()

# take CASE ADDRESS PORT [PREFIX...]
take() {
	local case=$1
	shift
	found[$case]=$(per_datagram "$1" "$2" 64 "${@:3}")
	echo "# cost: $case ${found[$case]}"
}

# The peer drops what we send before a socket of its own sees it: how often a
# receiver is woken is the scheduler's luck, not ours.
sent() { take "$1" 10.0.0.2 9002 "${@:2}"; }

received() { take "$1" 10.0.0.1 9003 "${peer_prefix[@]}"; }

# the peer's own cost is in it, as both are one CPU
flooded() { take "$1" 10.0.0.1 9 "${peer_prefix[@]}"; }

# more CASE OTHER: than another case takes
more() { awk "BEGIN { printf \"%.1f\", ${found[$1]} - ${found[$2]} }"; }

# added CASE: to what the plain kernel takes
added() { more "$1" "plain_${1%%_*}"; }

# costs_less CASE MOST
costs_less() { check "$1 costs $(added "$1") instructions more" "$(added "$1") <= $2"; }

# --- the figures of before -------------------------------------------------------------

# figure CASE: of this kernel
figure() { awk -v release="$(uname -r)" -v case="$1" '$1 == release && $2 == case { print $3 }' "$net_dir/cost.figures"; }

# gate CASE: more by 2 % fails, less by as much is told
gate() {
	local before plain most
	before=$(figure "$1")
	plain=$(figure "plain_${1%%_*}")
	if [ -z "$before" ] || [ -z "$plain" ]; then
		skip "gate: $1" "cost.figures has nothing of $(uname -r): lab gate"
		return
	fi
	most=$(awk "BEGIN { print $before * 0.02 }")
	check "gate: $1 adds $(added "$1") instructions, before $(awk "BEGIN { print $before - $plain }")" \
		"$(added "$1") <= $before - $plain + $most"
	awk "BEGIN { exit !($(added "$1") < $before - $plain - $most) }" &&
		note "$1 has become cheaper by more than 2 %: let lab gate write cost.figures anew"
	return 0
}

begin
! in_uml || skip_all 'nothing takes time in virtual time'
setup_veth
peer nft 'table inet silence { chain c {
	type filter hook prerouting priority -400; udp dport 9002 drop; }; }'
silent_socket 9003
received full >/dev/null
sent plain_sent
received plain_received

need netnice tcpdump
sent sent_unused
received received_unused
flooded flooded_unused
costs_less sent_unused 10
costs_less received_unused 10

mkdir $eth0/a
sent sent_unattached
received received_unattached
flooded flooded_unattached
costs_less sent_unattached 1000
costs_less received_unattached 1000

echo $silent >$eth0/a/tasks
sleep 1000 &
defer stop $!
echo $! >$eth0/a/tasks
sent sent_beside bash -c 'true; exec "$@"' -
received received_attached
flooded flooded_beside
costs_less sent_beside 1000
check "a flood to closed ports costs ${found[flooded_beside]} instead of ${found[flooded_unused]} instructions" \
	"${found[flooded_beside]} <= 1.2 * ${found[flooded_unused]}"

sent sent_attached in_vif $eth0/a
costs_less sent_attached 2000
echo 10g >$eth0/a/bandwidth
sent sent_bandwidth in_vif $eth0/a
costs_less sent_bandwidth 4000
series 8 eth0
sent sent_deep in_vif "$vif"

# programmed NAME TEXT MOST: what a program adds to what is sent and received by one VIF
programmed() {
	printf %s "$2" | dd of=$eth0/p/program bs=1M status=none
	sent "sent_$1" in_vif $eth0/p
	received "received_$1"
	costs_less_than "sent_$1" sent_none "$3"
	costs_less_than "received_$1" received_none "$3"
}

# costs_less_than CASE OTHER MOST
costs_less_than() { check "$1 costs $(more "$1" "$2") instructions more than $2" "$(more "$1" "$2") <= $3"; }

mkdir $eth0/p $eth0/p/q
echo 1 >$eth0/p/q/class
echo $silent >$eth0/p/tasks
programmed none none 0
six='6,48 0 0 9,21 0 3 17,40 0 0 22,21 0 1 9002,6 0 0 1,6 0 0 0'
of_tcpdump=$(tcpdump -y RAW -ddd 'udp port 9002' | sed 's/ 262144$/ 1/')
note "of tcpdump: $(head -n 1 <<<"$of_tcpdump") instructions"
programmed six "$six" 430
programmed many "$of_tcpdump" 520
programmed users "uid 0 $of_tcpdump" 680

for case in sent_unused sent_unattached received_unattached received_attached sent_attached \
	sent_bandwidth sent_deep; do
	gate $case
done
