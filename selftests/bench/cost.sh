#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Instructions that a datagram of 64 bytes takes, from the system call on.
#
# sent		to a device that swallows it, through each scheme, with nothing waiting
#		there; NUMBER is that of classes, one of which is used
# received	from the peer (which sends it, on the same CPU) by a socket that is full.
#		What tc has for received packets is to redirect them to an ifb device
# deep schemes have eight levels. -limit: each class has a bandwidth that is not reached,
# as all of tbf, htb and hfsc have one.
#
# lab: virtual, timeout=3600, mem=2048
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/schemes.sh"

# Of tc's no more than it can make in time: see manage.sh.
classes='1 10 1000 10000'
classes_netnice=60000
full || classes='1 1000' classes_netnice=''

# sent SCHEME RATE NUMBER [RESULT-NAME]
sent() {
	local scheme=$1 rate=$2 number=$3
	device_new
	scheme_set "$scheme" $device "$rate" "$number" || fail "$scheme $number" || return
	result sent "${4:-$scheme}" "$number" "$(per_datagram $network.2 9 64 "${through[@]}")"
	ip link del $device
}

# received SCHEME NUMBER
received() { result received "$1" "$2" "$(per_datagram 10.0.0.1 9003 64 "${peer_prefix[@]}")"; }

# received_by_ifb SCHEME: what comes in takes its way through the ifb device, and all of
# what the scheme has there
received_by_ifb() {
	ip link add ifb0 type ifb && ip link set ifb0 up &&
		tc qdisc add dev eth0 ingress &&
		tc filter add dev eth0 parent ffff: matchall action mirred egress redirect dev ifb0 &&
		scheme_set "$1" ifb0 max || fail "$1" || return
	received "$1-ifb" 1
	tc qdisc del dev eth0 ingress
	ip link del ifb0
}

# received_in_vif SCHEME RATE LEVELS NUMBER
received_in_vif() {
	series "$3" eth0 "$2"
	echo $silent >"$vif/tasks"
	received "$1" 1
	echo $silent >/proc/network/eth0/tasks
	series_end eth0
}

begin
modprobe ifb numifbs=0
modprobe -a dummy sch_htb sch_hfsc sch_fq sch_cake sch_tbf cls_matchall act_mirred
setup_veth
# before netnice is loaded
sent none max 1
need netnice
for scheme in pfifo_fast fq fq_codel cake tbf; do sent $scheme max 1; done
sent cake 10gbit 1 cake-limit
sent htb-deep max 1
sent netnice-deep max 1
sent netnice-deep 10gbit 1 netnice-deep-limit
sent netnice-unattached max 1
sent netnice-others max 1
stop $!
sent netnice-qdisc-deep max 1
sent netnice-qdisc-deep 10gbit 1 netnice-qdisc-deep-limit
sent netnice-qdisc-unattached max 1
for number in $classes; do
	sent htb max "$number"
	sent hfsc max "$number"
done
for number in $classes $classes_netnice; do
	sent netnice max "$number"
	sent netnice 10gbit "$number" netnice-limit
	sent netnice-qdisc max "$number"
	sent netnice-qdisc 10gbit "$number" netnice-qdisc-limit
done
sent none max 1 netnice-unused

silent_socket 9003
per_datagram 10.0.0.1 9003 64 "${peer_prefix[@]}" >/dev/null
received none 1
received_by_ifb htb
received_by_ifb htb-deep
received_by_ifb tbf
mkdir /proc/network/eth0/other
received netnice-unattached 1
attach_other /proc/network/eth0/other
received netnice-others 1
stop $!
rmdir /proc/network/eth0/other
received_in_vif netnice max 1
received_in_vif netnice-limit 10gbit 1
received_in_vif netnice-deep max $deep
received_in_vif netnice-deep-limit 10gbit $deep
check_near 'a device that is not used costs nothing' "${results[sent netnice-unused 1]}" \
	"${results[sent none 1]}" 0.1
