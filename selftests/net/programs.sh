#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=12
#
# Real programs under netnice(1): shells and pipelines, static, 32-bit and Go
# programs, uploads, ssh, and a download that runs already. The peer's meter
# sees each at 1 Mbit/s, while another program on the same device, attached to
# nothing, is as fast as ever.
. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
url=http://10.0.0.2/zeros

# --- the rest is not limited ------------------------------------------------------

# download_ms: the best of nine, in virtual time, which only the work passes
download_ms() {
	local i start best=1000000
	for i in 1 2 3 4 5 6 7 8 9; do
		start=${EPOCHREALTIME/./}
		curl -s -o /dev/null -r 0-4999999 http://10.0.0.2:8080/zeros
		i=$(((${EPOCHREALTIME/./} - start) / 1000))
		[ $i -ge $best ] || best=$i
	done
	echo "$best"
}

# as_fast WHEN: a download now takes as long as without the module
as_fast() {
	local ms
	ms=$(download_ms)
	check "not attached, $1: 5 MB in $ms ms, without the module in $before_ms ms" \
		"$ms <= 1.25 * $before_ms && $before_ms <= 1.25 * $ms"
}

# --- 1 Mbit/s ---------------------------------------------------------------------

# has_passed DIRECTION BYTES: through a VIF of netnice's
has_passed() { [ "$(cat $eth0/netnice.*/stat | awk -v k="$1_bytes" '$1 == k { n += $2 } END { print n + 0 }')" -gt "$2" ]; }

# judge NAME in|out PORT: a meter on what the peer receives (in), or IP here gets of
# what it sends (out), once TCP has found its rate. What waits here grows and
# shrinks every few seconds: the meter runs for many of these. (To sleep is free in
# virtual time.)
judge() {
	local name=$1 way=$2 port=$3 dir=egress free rate
	[ "$way" = in ] || dir=ingress
	ok "$name: runs" busywait 30 has_passed $dir 60000
	pause 5
	if [ "$way" = in ]; then
		meter_start one eth0 --in --port "$port" --seconds 21
	else
		meter_here one eth0 --delivered --port "$port" --seconds 21
	fi
	free=$(curl -s -o /dev/null -r 0-1999999 -w '%{speed_download}' http://10.0.0.2:8080/zeros)
	wait "${meter_one:?}"
	rate=$(meter one rate_bit_per_s)
	check "$name: $rate bit/s" "$rate >= 900000 && $rate <= 1020000"
	check "$name: meanwhile another one: $free bytes/s" "$free * 8 > 20000000"
}

no_vif() { ! compgen -G "$eth0/netnice.*"; }

# finish: end what is in VIFs; they go
finish_programs() {
	cat $eth0/netnice.*/tasks | xargs -r kill 2>/dev/null
	{ wait "$pid"; } 2>/dev/null
	ok "$1: its VIF has gone" busywait 10 no_vif
}

# limited NAME in|out PORT COMMAND...: the command under netnice
limited() {
	local name=$1 way=$2 port=$3
	shift 3
	netnice -b 1m "$@" >/dev/null 2>&1 </dev/null &
	pid=$!
	judge "$name" "$way" "$port"
	finish_programs "$name"
}

# A download that has started; its socket is as old as itself
taken() {
	curl -s -o /dev/null --limit-rate 4m $url &
	pid=$!
	busywait 10 eval "ss -tn state established dst 10.0.0.2:80 | grep -q :80"
	ok 'netnice --pid' netnice -b 1m --pid $pid
	judge 'a running download' out 80
	finish_programs 'a running download'
}

begin
setup_veth
wire_exact on
truncate -s 1G /srv/www/zeros
sed 's/listen 80;/listen 80; listen 8080;/' /lab/nginx.conf >"$tmp/nginx.conf"
peer nginx -c "$tmp/nginx.conf"
defer peer nginx -c "$tmp/nginx.conf" -s stop
background peer /usr/sbin/sshd -D -e 2>/dev/null
busywait 10 ssh -o ConnectTimeout=1 10.0.0.2 true
# A limited connection leaves its window and round-trip time for later ones to the
# same host.
sysctl -q net.ipv4.tcp_no_metrics_save=1
peer sysctl -q net.ipv4.tcp_no_metrics_save=1
before_ms=$(download_ms)
need netnice
as_fast 'no VIF'

limited 'a pipeline' out 80 sh -c "curl -s $url | cat | wc -c"
limited 'a subshell in the background' out 80 sh -c "(busybox wget -q -O /dev/null $url &)"
limited 'static wget' out 80 busybox wget -q -O /dev/null $url
if in_uml; then
	skip '32-bit wget' 'User Mode Linux runs no 32-bit programs'
else
	limited '32-bit wget' out 80 busybox32 wget -q -O /dev/null $url
fi
limited 'wget' out 80 wget -q -O /dev/null $url
limited 'a Go program' out 80 hey -z 1000s -c 1 $url
limited 'curl uploads' in 80 curl -s -T /srv/www/zeros http://10.0.0.2/upload/a
limited 'ssh' out 22 ssh 10.0.0.2 cat /srv/www/zeros
limited 'scp uploads' in 22 scp -q /srv/www/zeros 10.0.0.2:/srv/www/upload/b
taken
as_fast 'the VIFs have gone'
