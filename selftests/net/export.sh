#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=4
#
# vifctl export: what Prometheus reads, once and by HTTP.
# shellcheck disable=SC2016

. "$(dirname "$0")/lib.sh"

d0=/proc/network/d0
group=/sys/fs/cgroup/machine.slice
number=$(printf '%064x' 48879)
port=9990
units=$(dirname "$0")/../units

get() { curl -s -m 20 "$@" "http://127.0.0.1:$port/metrics"; }
status_of() { curl -s -m 20 -o /dev/null -w '%{http_code}' "$@"; }

# well_formed FILE: each measurement has its head, and then all of its samples, each once
well_formed() {
	awk '
		/^# HELP netnice_vif_[a-z0-9_]+ ./ { help = $3; next }
		/^# TYPE netnice_vif_[a-z0-9_]+ (counter|gauge)$/ {
			if ($3 != help || $3 in seen)
				exit wrong = 1
			seen[name = $3] = 1
			next
		}
		/^netnice_vif_[a-z0-9_]+\{device="[^"]*",vif="[^"]*"(,[a-z]+="[^"]*")*\} ([0-9.]+|\+Inf)$/ {
			split($0, part, /[{}]/)
			if (part[1] != name || (part[1], part[2]) in samples)
				exit wrong = 1
			samples[part[1], part[2]] = 1
			n++
			next
		}
		{ exit wrong = 1 }
		END { exit wrong || n < 10 }' "$1"
}

setup() {
	ip link add d0 type dummy
	defer ip link del d0
	ip link set d0 up
	mkdir $d0/web $d0/web/$'x"y' $d0/closed
	echo 'egress 8mbit' >$d0/web/bandwidth
	echo 'egress 4000 then stop left 3000' >$d0/web/quota
	chown 1000 $d0/web
	chown 77 $d0/closed
	chmod 700 $d0/closed
	mkdir -p $group/docker-"$number".scope/inside
	defer rmdir $group/docker-"$number".scope/inside $group/docker-"$number".scope $group
	ok 'a container is attached' vifctl attach d0/web cgroup machine.slice/docker-"$number".scope
	ok 'and a part of it' vifctl attach d0/web cgroup machine.slice/docker-"$number".scope/inside
	ok 'and a group elsewhere' vifctl attach d0/closed cgroup machine.slice
}

# sample NAME LABELS VALUE
sample() {
	ok "$1{$2} $3" grep -Fxq "netnice_vif_$1{device=\"d0\",$2} $3" "$tmp/once"
}

once() {
	local unit="unit=\"docker-$number.scope\",container=\"000000000000\""
	local owner
	owner=$(awk -F : '$3 == 1000 { print $1 }' /etc/passwd)
	owner=${owner:-1000}
	vifctl export >"$tmp/once"
	check_eq 'its exit status' $? 0
	ok 'it is well formed' well_formed "$tmp/once"
	sample bandwidth_bytes_per_second 'vif="d0/web",direction="egress"' 1000000
	sample bandwidth_bytes_per_second 'vif="d0/web",direction="ingress"' +Inf
	sample minimum_bytes_per_second 'vif="d0/web",direction="egress"' 0
	sample quota_bytes 'vif="d0/web",direction="egress"' 4000
	sample quota_left_bytes 'vif="d0/web",direction="egress"' 3000
	check_eq 'of who has no quota nothing is said of one' "$(grep -c '^netnice_vif_quota' "$tmp/once")" 2
	sample packets_total 'vif="d0/web",direction="egress"' "$(vif_stat $d0/web egress_packets)"
	sample info "vif=\"d0/web\",owner=\"$owner\",cgroup=\"/machine.slice/docker-$number.scope\",$unit" 1
	sample info "vif=\"d0/web\",owner=\"$owner\",cgroup=\"/machine.slice/docker-$number.scope/inside\",$unit" 1
	sample info 'vif="d0/closed",owner="77",cgroup="/machine.slice",unit="machine.slice"' 1
	sample info 'vif="d0/web/x\\042y",owner="root"' 1
	check_eq 'of one device' "$(vifctl export dev d0 | grep -c 'info{')" "$(grep -c 'info{device="d0"' "$tmp/once")"
	check_eq 'of one VIF' "$(vifctl export d0/closed | grep -c 'info{')" 1
	check_eq 'rules, dashboard and console of the examples ask for nothing else' \
		"$(grep -hEo '[^:]netnice_vif_[a-z0-9_]+' "$units"/{prometheus-rules.yml,grafana-dashboard.json,netnice.html} |
			cut -c 2- | sort -u | grep -vxF "$(sed -n 's/^# TYPE \([^ ]*\).*/\1/p' "$tmp/once")")" ''
	vifctl export d0/nothing 2>"$tmp/said"
	check_eq 'of none' "$? $(<"$tmp/said")" "2 vifctl: export: no VIF 'd0/nothing'"
	as_user vifctl export >"$tmp/users"
	ok 'by a user' well_formed "$tmp/users"
	check_eq 'private VIFs are left out' "$(grep -c 'packets_total.*closed' "$tmp/users")" 0
}

served() {
	background vifctl export --listen $port
	server=$!
	ok 'it listens' busywait 20 eval '[ "$(status_of http://127.0.0.1:$port/metrics)" = 200 ]'
	check_eq 'root keeps what reads VIFs of users' "$(awk '/^CapEff/ { print $2 }' /proc/$server/status)" 0000000000000004
	get >"$tmp/page"
	check_eq 'it serves the same' "$(<"$tmp/page")" "$(vifctl export)"
	ok 'as what Prometheus takes' grep -qi '^content-type: text/plain; version=0.0.4' <(get -I)
	check_eq 'HEAD tells how much it is' "$(get -I | sed -n 's/^Content-Length: \([0-9]*\).*/\1/p')" "$(stat -c %s "$tmp/page")"
	check_eq 'another page' "$(status_of http://127.0.0.1:$port/)" 404
	check_eq 'POST' "$(status_of -d x http://127.0.0.1:$port/metrics)" 405
	check_eq 'no HTTP' "$(printf 'nonsense\r\n\r\n' | socat -t 5 - TCP:127.0.0.1:$port | head -n 1 | tr -d '\r')" \
		'HTTP/1.1 405 Method Not Allowed'
	check_eq 'more than a request' "$(head -c 20000 /dev/zero | tr '\0' x | socat -t 5 - TCP:127.0.0.1:$port | head -n 1 | tr -d '\r')" \
		'HTTP/1.1 400 Bad Request'
	background socat -u TCP:127.0.0.1:$port /dev/null
	pause 0.2
	silent
	slow
	crowd
	vifctl export --listen $port 2>"$tmp/said"
	check_eq 'an address that is taken' "$? $(<"$tmp/said")" "2 vifctl: export: '$port': Address already in use"
	vifctl export --listen 127.0.0.1:x 2>"$tmp/said"
	check_eq 'one that is none' "$? $(cut -d: -f1-4 "$tmp/said")" "2 vifctl: export: '127.0.0.1:x'"
	timeout 5 vifctl export --listen 70000 2>"$tmp/said"
	check_eq 'a port that there is not' "$? $(<"$tmp/said")" "2 vifctl: export: '70000': '70000' is no port: 1 to 65535 are"
}

# More connections than are served together, which say nothing
silent() {
	local begin pid
	# shellcheck disable=SC2030
	background as_user bash -c 'for i in {1..100}; do exec {fd}<>/dev/tcp/127.0.0.1/'$port'; done; echo; sleep 100' >"$tmp/silent"
	pid=$!
	busywait 20 test -s "$tmp/silent"
	begin=${EPOCHREALTIME/./}
	check_eq 'one that asks is answered beside 100 that say nothing' "$(status_of http://127.0.0.1:$port/metrics)" 200
	check 'at once' "${EPOCHREALTIME/./} - $begin < 1500000"
	stop $pid
}

# Those that ask, and do not read the answer
slow() {
	local begin
	background python3 -c 'import socket, time
some = [socket.create_connection(("127.0.0.1", '$port')) for i in range(30)]
for one in some:
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    one.send(b"GET /metrics HTTP/1.1\r\n\r\n")
print(flush=True)
time.sleep(100)' >"$tmp/slow"
	busywait 20 test -s "$tmp/slow"
	begin=${EPOCHREALTIME/./}
	check_eq 'beside 30 that do not read their answer' "$(get)" "$(vifctl export)"
	check 'at once, too' "${EPOCHREALTIME/./} - $begin < 1500000"
	stop $!
}

# An address with many connections beside another one that is slow
crowd() {
	check_eq 'one that is slow is answered beside 200 of another address' "$(python3 -c 'import socket, time
def connect(address):
    return socket.create_connection(("127.0.0.1", '$port'), source_address=(address, 0))
slow = connect("127.0.0.2")
slow.send(b"GET /metrics HTTP/1.1\r\n")
many = [connect("127.0.0.3") for i in range(200)]
time.sleep(0.2)
slow.send(b"\r\n")
print(slow.recv(12).decode())' 2>&1)" 'HTTP/1.1 200'
}

# What a user names: so many, none that is very long, and new names no faster than old ones are forgotten
bounded() {
	local long i
	long=$(printf '\377%.0s' {1..60})
	mkdir $d0/alice $d0/alice/admins
	chown 1000 $d0/alice
	as_user bash -c "cd $d0/alice && mkdir $long {1..30} && mkdir -p $d0/user-1000/{a,b}"
	vifctl export d0 >"$tmp/page"
	ok 'what users name: it is well formed' well_formed "$tmp/page"
	check_eq 'of each user, all devices together' "$(grep -c 'packets_total.*"d0/\(alice\|user-1000\)/.*egress' "$tmp/page")" 20
	check_eq 'not a long name' "$(grep -c 'alice/[^"]*377' "$tmp/page")" 0
	check_eq 'what an administrator or the kernel names is there' \
		"$(grep -c 'packets_total.*"d0/\(alice\|user-1000\)".*egress' "$tmp/page")" 2
	check_eq 'how many are left out is said' \
		"$(sed -n 's/^netnice_vif_left_out{device="d0",vif="\(.*\)"} /\1 /p' "$tmp/page" | xargs)" \
		'd0/alice 12 d0/user-1000 2 d0/web 1'
	check_eq '--users' "$(vifctl export --users 3 d0 | grep -c 'packets_total.*"d0/alice/.*egress')" 3
	printf 'alice:100000:1000\nbob:200000:1000\n' >/etc/subuid
	for i in {100000..100029} 200000 300000; do
		setpriv --reuid="$i" --clear-groups mkdir -p "$d0/user-$i/x"
	done
	vifctl export d0 >"$tmp/page"
	check_eq 'subordinate users count as one' "$(grep -c 'packets_total.*"d0/user-100[0-9]\{3\}\(/x\)\?".*egress' "$tmp/page")" 20
	check_eq 'subordinate users of another account' "$(grep -c 'packets_total.*"d0/user-200...\(/x\)\?".*egress' "$tmp/page")" 2
	check_eq 'an account' "$(grep -c 'packets_total.*"d0/user-300...\(/x\)\?".*egress' "$tmp/page")" 2
	rmdir $d0/user-[123]0*/x
	rm /etc/subuid
	check_eq '--depth' "$(vifctl export --depth 1 d0 | grep -c 'packets_total.*"d0/[^"]*/.*egress')" 0
	check_eq 'stat --prometheus' "$(vifctl stat --prometheus d0 | grep -c 'packets_total.*"d0/\(alice\|user-1000\)/.*egress')" 20
	get >"$tmp/page"
	as_user bash -c "cd $d0/alice && for i in *; do mv \$i x\$i; done"
	pause 0.3
	check_eq 'new names have to wait' "$(get | grep -c 'packets_total.*"d0/alice/x')" 0
	rmdir $d0/alice/* $d0/alice $d0/user-1000/*
}

# monitored VIF: its creation is in the events
monitored() {
	rmdir "/proc/network/$1" 2>/dev/null
	mkdir "/proc/network/$1"
	grep -q "^vif-new $1 " "$tmp/events"
}

# The module goes while it listens, and comes again.
absent() {
	own_machine || return
	vifctl detach d0/web cgroup machine.slice/docker-"$number".scope
	vifctl detach d0/web cgroup machine.slice/docker-"$number".scope/inside
	vifctl detach d0/closed cgroup machine.slice
	rmdir $d0/web/x* $d0/web $d0/closed
	background vifctl monitor >"$tmp/events"
	busywait 20 monitored d0/before
	rmdir $d0/before
	ok 'it does not keep the module' unload_netnice
	check_eq 'without the module' "$(status_of http://127.0.0.1:$port/metrics)" 503
	load_netnice
	ok 'vifctl monitor goes on with the module' busywait 20 monitored d0/after
	rmdir $d0/after
	check_eq 'and says that events were lost' "$(grep -cx lost "$tmp/events")" 2
	check_eq 'with the module again' "$(status_of http://127.0.0.1:$port/metrics)" 200
}

# as systemd.socket(5) has it
handed_over() {
	background python3 -c 'import os, socket
s = socket.create_server(("127.0.0.1", 9991))
os.dup2(s.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execvp("vifctl", ["vifctl", "export"])'
	port=9991
	ok 'a socket of the service manager' busywait 20 eval '[ "$(status_of http://127.0.0.1:$port/metrics)" = 200 ]'
}

begin
need netnice vifctl curl socat python3
setup
once
served
bounded
absent
stop $server
handed_over
log_clean
