#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The paper's Figure 4 (Okumura, Mosse, "Virtual network interface", section III.C): a
# web server whose streaming processes get a constant bit rate. Pages and large files
# by nginx, programs by CGI behind it, and streams, each by a process of its own that
# sends as fast as it may. Downloads of large files begin in second 8; the link has
# 20 Mbit/s.
#
# Without netnice that is what the device has (tbf, 100 ms). With it only
# netniced(8) acts, by rules alone: it limits the host, finds who streams, and
# gives each 2 Mbit/s, before all that others send. From then on each stream has that
# in every second, within 1 %.
#
# Lines `# figure:` hold, for each second, the bytes on the wire of both streams and of
# the rest.
# lab: virtual, timeout=600, kernels=6.1+new, check=none
# shellcheck disable=SC2016,SC2154

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemon.sh"

eth0=/proc/network/eth0
last=20
wanted=250000		# bytes a second of a stream
streams=(8001 8002)

# exe PROGRAM: what it really is
exe() { realpath "$(command -v "$1")"; }

servers_start() {
	local port
	nginx -c "$tmp/nginx.conf"
	defer nginx -c "$tmp/nginx.conf" -s stop
	background busybox httpd -f -p 127.0.0.1:8080 -h "$tmp/www"
	for port in "${streams[@]}"; do
		background socat -lf "$tmp/socat" -u OPEN:/dev/zero "TCP-LISTEN:$port,fork,reuseaddr"
	done
	busywait 10 listening
}
listening() { [ "$(ss -Hltn '( sport = :80 or sport = :8001 or sport = :8002 or sport = :8080 )' | wc -l)" -ge 4 ]; }

# get PATH: as a client; status and seconds
get() { peer curl -sS -o /dev/null -w '%{http_code} %{time_total}\n' "http://10.0.0.1/$1"; }

# scenario NAME: files with what clients saw, and bytes by second
scenario() {
	local i pids=() port
	meter_start "$1" eth0 --in --bin 1s --csv "$tmp/csv" --ring 16 --port 8001 --port 8002 --port 80
	for port in "${streams[@]}"; do
		background peer socat -u "TCP:10.0.0.1:$port" OPEN:/dev/null
		pids+=($!)
	done
	: >"$tmp/pages"
	pause 8
	for i in 1 2 3 4 5 6; do
		background peer curl -s -o /dev/null http://10.0.0.1/big
		pids+=($!)
	done
	for ((i = 8; i < last; i++)); do
		get page >>"$tmp/pages" 2>&1
		get cgi-bin/program >>"$tmp/pages" 2>&1
		pause 0.9
	done
	pause 2
	streaming=$(find $eth0/stream -name 'netniced.streaming.*' 2>/dev/null | wc -l)
	stop "${pids[@]}"
	meter_stop "$1"
	check_eq "$1: the judge saw everything" "$(meter "$1" drops)" 0
	check_eq "$1: pages and programs are served" "$(grep -c '^200 ' "$tmp/pages")" "$(wc -l <"$tmp/pages")"
	check "$1: there were requests" "$(wc -l <"$tmp/pages") >= 10"
	note "$1: a page or program takes $(awk '{ if ($2 > max) max = $2; sum += $2 } END { printf "%.0f ms, %.0f at most", 1e3 * sum / NR, 1e3 * max }' "$tmp/pages")"
	awk -F , -v name="$1" -v last=$last '
		NR > 1 && $1 + 0.5 < last { printf "# figure: %s %d %d %d %d\n", name, $1 + 0.5, $4, $5, $6 }' "$tmp/csv" |
		tee "$tmp/figure.$1"
	check_eq "$1: seconds measured" "$(wc -l <"$tmp/figure.$1")" $last
}

# off NAME: how far a stream is from what it should have, at most, in per cent, while
# all is downloaded
off() {
	awk -v wanted=$wanted -v last=$last '
		$4 >= 9 && $4 < last - 1 {
			for (i = 5; i <= 6; i++) {
				off = ($i - wanted) / wanted * 100
				if (off < 0) off = -off
				if (off > most) most = off
			}
		}
		END { printf "%.2f", most }' "$tmp/figure.$1"
}

# others NAME: bytes a second of what is no stream, meanwhile
others() { awk -v last=$last '$4 >= 9 && $4 < last - 1 { sum += $7; n++ } END { printf "%d", sum / n }' "$tmp/figure.$1"; }

begin
mkdir -p "$tmp/www/cgi-bin" /srv/www
chmod 755 "$tmp"
printf '#!/bin/busybox sh\necho "Content-Type: text/plain"; echo; echo "$REMOTE_ADDR"\n' >"$tmp/www/cgi-bin/program"
chmod +x "$tmp/www/cgi-bin/program"
truncate -s 8G /srv/www/big
head -c 20000 /dev/zero >/srv/www/page
sed 's,root /srv/www;,&\n\t\tlocation /cgi-bin/ { proxy_pass http://127.0.0.1:8080; },' /lab/nginx.conf >"$tmp/nginx.conf"
ip link set lo up
setup_veth
wire_exact on
servers_start

tc qdisc replace dev eth0 root tbf rate 20mbit burst 1600 latency 100ms
scenario without
check "without: a stream is $(off without) % off" "$(off without) > 10"
tc qdisc del dev eth0 root

need netnice
web_rules "$(exe nginx) $(exe busybox) $(exe socat)" "$(exe socat)"
need_netniced
scenario with
check "with: each stream has 2 Mbit/s within $(off with) % in every second" "$(off with) <= 1"
check "with: the rest has $(others with) bytes a second" "$(others with) >= 0.97 * (2500000 - 2 * $wanted)"
check_eq 'with: who streams is in stream' "$streaming" 2
