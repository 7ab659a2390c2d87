#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=prometheus
# lab: virtual, check=none, kernels=6.1, mem=2048, timeout=3600
#
# A Prometheus that asks vifctl export every 15 seconds, for ten minutes, on a machine with 1,000
# VIFs: what that takes of a CPU, and whether the rules, the dashboard and the console of the
# examples show something of what goes on meanwhile, which is: a web server that has more to do at
# times, a backup that takes all it gets, an update that comes and goes, a stream that loses
# packets, and mail, whose quota is used up.
#
# With the argument `figure', lines `# figure:' have what the exporter has said of the device
# with this traffic, each time behind `# at SECONDS': a text of gzip and base64.
# lab figure dashboard makes a picture of it.
# shellcheck disable=SC2016

. "$(dirname "$0")/lib.sh"

eth0=/proc/network/eth0
vifs=1000
seconds=600
every=15
port=9990
units=$(dirname "$0")/../units
figure=${1-}

# --- what goes on --------------------------------------------------------------------------

# vif PATH OWNER WORDS...: with its settings
vif() {
	mkdir "$eth0/$1" && chown "$2" "$eth0/$1" && vifctl set "eth0/$1" "${@:3}"
}

make_vifs() {
	local i
	ip link add d0 type dummy && defer ip link del d0
	for ((i = 1; i <= vifs; i++)); do echo "add d0/$i bandwidth 1mbit"; done >"$tmp/add"
	vifctl batch "$tmp/add"
	vifctl set eth0 bandwidth 'egress 4m ingress 4m'
	vif web www-data bandwidth 'egress 3m' weight 300
	vif web/video www-data bandwidth 'egress 1m' priority 2
	vif backup backup bandwidth 'egress 800k'
	vif update root bandwidth 'ingress 2m'
	vif stream user bandwidth 'egress 300k' limit 20
	vif mail mail quota 'egress 2m then 64k'
}

# sends VIF RATE SECONDS: by TCP
sends() { in_vif "$eth0/$1" traffic send tcp 10.0.0.2 7 --rate "$2" --seconds "$3" >/dev/null; }

web() {
	local rate
	for rate in 400k 900k 1600k 2400k 3400k 3600k 2000k 1200k 700k 500k; do
		sends web $rate $((seconds / 10))
	done
}
video() {
	pause 90
	sends web/video 700k 150
	pause 60
	sends web/video 1200k $((seconds - 300))
}
update() {
	pause 200
	in_vif $eth0/update timeout 240 socat -u TCP:10.0.0.2:8 /dev/null
}
mail() {
	while sends mail 300k 5; do pause 40; done
}

begin_traffic() {
	sysctl -qw net.ipv4.tcp_ecn=1
	peer sysctl -qw net.ipv4.tcp_ecn=1
	background peer socat -u TCP-LISTEN:7,fork,reuseaddr /dev/null
	background peer socat -lf/dev/null -u /dev/zero TCP-LISTEN:8,fork,reuseaddr
	busywait 20 eval '[ "$(peer ss -Hltn "( sport = :7 or sport = :8 )" | wc -l)" = 2 ]'
	background web
	background video
	background update
	background mail
	mail=$!
	background "${in_vif_prefix[@]}" $eth0/backup socat -u /dev/zero TCP:10.0.0.2:7
	backup=$!
	background "${in_vif_prefix[@]}" $eth0/stream traffic send udp 10.0.0.2 9 --rate 340k --seconds $seconds >/dev/null
}

# Who receives learns of the end when all has come, and not once the link has gone.
end_traffic() {
	stop $mail $backup
	ok 'all has come' busywait 120 eval '! peer ss -Htn | grep -q .'
	ok 'the VIFs go' busywait 60 find $eth0 -mindepth 1 -depth -type d -exec rmdir {} +
}

# --- who looks ------------------------------------------------------------------------------

# another machine, where the same VIF has another owner
begin_another() {
	mkdir "$tmp/another"
	cat >"$tmp/another/metrics" <<-'END'
		netnice_vif_bytes_total{device="eth0",vif="eth0/web",direction="egress"} 1000
		netnice_vif_info{device="eth0",vif="eth0/web",owner="user"} 1
	END
	background busybox httpd -f -p 127.0.0.1:9991 -h "$tmp/another"
}

begin_prometheus() {
	background vifctl export --listen $port
	exporter=$!
	begin_another
	mkdir "$tmp/consoles"
	cp "$units/netnice.html" "$tmp/consoles/"
	cat >"$tmp/prometheus.yml" <<-END
		global: { scrape_interval: ${every}s, evaluation_interval: ${every}s }
		rule_files: [ $(realpath "$units/prometheus-rules.yml") ]
		scrape_configs:
		  - job_name: netnice
		    static_configs: [ { targets: [ "127.0.0.1:$port", "127.0.0.1:9991" ] } ]
	END
	background prometheus --config.file="$tmp/prometheus.yml" --storage.tsdb.path="$tmp/data" \
		--web.listen-address=127.0.0.1:9090 --web.console.templates="$tmp/consoles" 2>"$tmp/log"
	ok 'Prometheus begins, and takes the rules' busywait 60 curl -sf http://127.0.0.1:9090/-/ready
}

# ticks PID: hundredths of a second of a CPU that it has used
ticks() { awk '{ sub(/.*[)] /, ""); print $12 + $13 }' "/proc/$1/stat"; }

# query EXPRESSION: values, one a line
query() {
	curl -sS -m 60 --data-urlencode "query=$1" http://127.0.0.1:9090/api/v1/query |
		jq -r '.error // empty, (.data.result[]? | .value[1])' 2>&1
}

watch() {
	local i before
	before=$(ticks $exporter)
	for ((i = 0; i < seconds / every; i++)); do
		[ -z "$figure" ] || {
			echo "# at ${EPOCHSECONDS}"
			vifctl export dev eth0
		} >>"$tmp/figure"
		pause $every
	done
	used=$(($(ticks $exporter) - before))
}

# --- what is seen ----------------------------------------------------------------------------

cost() {
	local samples here="{instance=\"127.0.0.1:$port\"}"
	samples=$(query "scrape_samples_scraped$here")
	check 'it was asked all the time' "$(query "count_over_time(up${here}[${seconds}s])") >= $seconds / $every - 1"
	check_eq 'and has answered' "$(query "min_over_time(up${here}[${seconds}s])")" 1
	check 'it tells of all VIFs' "$samples > 20 * $vifs"
	check "it takes less than 2 % of a CPU: $(awk "BEGIN { print $used / $seconds }") %" \
		"$used < 0.02 * 100 * $seconds"
	note "$vifs VIFs: $samples samples, $(curl -s http://127.0.0.1:$port/metrics | wc -c) bytes, $((10 * used * every / seconds)) ms of a CPU each time"
}

# expressions of the dashboard, as JSON's strings; of the console
of_dashboard() { jq -r '.panels[].targets[].expr | gsub("\\s+"; " ")' "$units/grafana-dashboard.json"; }
of_console() { sed -En "s/^\t\t('.*': )?'(.*)',\$/\2/p" "$units/netnice.html"; }

# filled: with what is chosen in place of variables
filled() {
	sed 's/[$]__rate_interval/1m/g; s/[$]__range/10m/g; s/[$]top/10/g; s/"[$]\(instance\|vif\)"/".*"/g'
}

dashboards() {
	local expression
	check_eq 'the console asks what the dashboard asks' "$(of_console | sort)" "$(of_dashboard | sort)"
	while IFS= read -r expression; do
		check "there is something of $expression" \
			"$(query "max($expression)" | grep -x '[0-9.e+-]*' || echo 0) > 0"
	done < <(of_dashboard | filled)
	ok 'the console names the machine' grep -q "<option>127.0.0.1:$port</option>" \
		<(curl -sf http://127.0.0.1:9090/consoles/netnice.html)
	ok 'and the one that is chosen' grep -q "<option selected>127.0.0.1:$port</option>" \
		<(curl -sf "http://127.0.0.1:9090/consoles/netnice.html?instance=127.0.0.1:$port")
}

# alerts NAME STATE LABEL: pending is what would go off if it stayed so long enough
alerts() { query "ALERTS{alertname=\"$1\",alertstate=\"$2\",$3}"; }

rules() {
	check_eq 'all rules can be evaluated' "$(curl -s http://127.0.0.1:9090/api/v1/rules |
		jq -r '.data.groups[].rules[] | select(.health != "ok") | .name')" ''
	check 'owners are recorded' "$(query 'count(owner:netnice_vif_bytes:rate5m > 0)') >= 4"
	check_eq 'alert: at the limit' "$(alerts NetniceVifAtLimit pending 'vif="eth0/backup"')" 1
	check_eq 'alert: drops' "$(alerts NetniceVifDrops pending 'vif="eth0/stream"')" 1
	check_eq 'alert: a quota that is nearly used' "$(alerts NetniceQuotaNearlyUsed firing 'vif="eth0/mail"')" 1
	stop $exporter
	pause $((3 * every))
	check_eq 'alert: the exporter is down' "$(alerts NetniceExporterDown pending 'job="netnice"')" 1
}

begin
need netnice vifctl prometheus curl jq socat
setup_veth
make_vifs
begin_prometheus
begin_traffic
watch
cost
dashboards
rules
[ -z "$figure" ] || gzip -9 <"$tmp/figure" | busybox base64 | sed 's/^/# figure: /'
end_traffic
