#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=7
#
# The laboratory tests itself, without netnice: programs, topology, and that the
# judges (traffic, wiremeter) tell the truth about what is known otherwise.

. "$(dirname "$0")/lib.sh"
begin
setup_veth

for program in bash ip ss tc ethtool ping curl wget ssh sshd iperf3 tcpdump nft conntrack jq strace \
	hey nginx busybox busybox32 socat unshare nsenter setpriv prlimit flock traffic wiremeter; do
	ok "program $program" command -v "$program"
done
if in_uml; then
	skip '32-bit programs' 'User Mode Linux runs none'
else
	ok 'the 32-bit program runs' busybox32 true
fi
check_eq 'the ordinary user' "$(as_user id -u)" 1000

for module in veth dummy tun bridge 8021q macvlan bonding ifb vxlan wireguard sctp nf_conntrack nf_tables \
	nft_ct nf_socket_ipv4 nf_socket_ipv6 sch_tbf sch_htb sch_fq_codel sch_ingress act_mirred \
	cls_flower cls_bpf; do
	ok "module $module" modprobe "$module"
done

ok 'the peer answers (IPv4)' ping -c 1 -W 2 10.0.0.2
ok 'the peer answers (IPv6)' ping -c 1 -W 2 fd00::2

# --- real programs -----------------------------------------------------------------

peer nginx -c /lab/nginx.conf
defer peer nginx -c /lab/nginx.conf -s stop
truncate -s 10M /srv/www/zeros
busywait 5 curl -sf -o /dev/null -I http://10.0.0.2/zeros
ok 'curl downloads' curl -sf -o "$tmp/zeros" http://10.0.0.2/zeros
ok 'curl downloads the whole file' cmp "$tmp/zeros" /srv/www/zeros
ok 'curl downloads (IPv6)' curl -sf -o /dev/null 'http://[fd00::2]/zeros'
ok 'curl uploads' curl -sf -T "$tmp/zeros" http://10.0.0.2/upload/zeros
check_eq 'the upload is whole' "$(stat -c %s /srv/www/upload/zeros)" 10485760
ok 'wget downloads' wget -q -O /dev/null http://10.0.0.2/zeros
in_uml || ok 'the 32-bit program downloads' busybox32 wget -q -O /dev/null http://10.0.0.2/zeros
ok 'the Go program downloads' hey -n 2 -c 1 http://10.0.0.2/zeros

background peer /usr/sbin/sshd -D -e 2>/dev/null
busywait 5 ssh -o ConnectTimeout=1 10.0.0.2 true
check_eq 'ssh' "$(ssh 10.0.0.2 echo hello)" hello

background peer iperf3 -s >/dev/null 2>&1
busywait 5 iperf3 -c 10.0.0.2 -n 1K
ok 'iperf3' iperf3 -c 10.0.0.2 -n 1M

# --- the judges ----------------------------------------------------------------------

background peer traffic sink udp 9001 >/dev/null
background peer traffic sink tcp 9002 >"$tmp/sink"
busywait 5 file_says "$tmp/sink" ready
wire_exact on

# counted NAME COMMAND...: the meter and the peer's interface counter agree. They
# are started and read one after the other: what the kernel itself sends just
# between the two (neighbour discovery) makes the comparison void, and another
# one is made.
counted() {
	local name=$1 first last try
	shift
	for try in 1 2 3 4 5; do
		first=$(peer_counter rx_bytes)
		meter_start counted eth0 --in
		[ "$(peer_counter rx_bytes)" = "$first" ] || { meter_stop counted; continue; }
		"$@" >/dev/null
		pause 0.5
		last=$(peer_counter rx_bytes)
		meter_stop counted
		[ "$(peer_counter rx_bytes)" = "$last" ] && break
	done
	check_eq "$name: meter and counter agree (attempt $try)" "$(meter counted bytes)" $((last - first))
	check_eq "$name: the meter lost nothing" "$(meter counted drops)" 0
	check_eq "$name: single wire packets" "$(meter counted oversize)" 0
}
counted 'udp' traffic send udp 10.0.0.2 9001 --rate 1m --seconds 1
counted 'udp, IPv6' traffic send udp fd00::2 9001 --rate 1m --seconds 1
counted 'tcp' traffic send tcp 10.0.0.2 9002 --bytes 2m
counted 'tcp, IPv6' traffic send tcp fd00::2 9002 --bytes 2m

# 1 Mbit/s of 1200 bytes of payload, on the wire 1242
meter_start paced eth0 --in --port 9001 --rate 1035k --bin 100ms --csv "$tmp/csv"
traffic send udp 10.0.0.2 9001 --rate 1m --size 1200 --seconds 5 >/dev/null
meter_stop paced
check_near 'a paced sender keeps its rate' "$(meter paced rate_bit_per_s)" 1035000 0.5
check 'a paced sender makes no bursts' "$(meter paced burst_bytes) <= 3 * 1242"
check_near 'the bins hold all bytes' "$(awk -F, '{ n += $3 } END { print n }' "$tmp/csv")" \
	"$(meter paced bytes)" 0

for rate in 256000 10000000; do
	tc qdisc replace dev eth0 root tbf rate ${rate}bit burst 3200 latency 500ms
	meter_start tbf eth0 --in --port 9002 --rate $rate
	traffic send tcp 10.0.0.2 9002 --seconds 6 >/dev/null
	meter_stop tbf
	check_near "tbf at $rate bit/s" "$(meter tbf rate_bit_per_s)" $rate 1
	check "tbf at $rate bit/s keeps its burst" "$(meter tbf burst_bytes) <= 3200 + 1514"
	tc qdisc del dev eth0 root
done
