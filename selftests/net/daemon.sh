# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# netniced(8) in tests: its rules, its start and end, its log.

daemon=
netniced_options=()

# what its service leaves it
all_confined=(setpriv '--bounding-set=-all,+net_admin,+sys_ptrace,+dac_override,+sys_resource,+bpf,+net_raw')
confined=("${all_confined[@]}")

# rules TEXT: the rule file
rules() {
	mkdir -p "$tmp/rules"
	printf '%s\n' "$1" >"$tmp/rules/a.conf"
}

# web_rules PROGRAMS [STREAMING]: the paper's scenario. A host of 20 Mbit/s; a web server,
# which is these programs; a stream, if its program is one of STREAMING, has 2 Mbit/s before
# all others, until it ends.
web_rules() {
	rules "[vif eth0]
bandwidth = egress 20m
[vif eth0/stream]
priority = 2
[vif eth0/http]
priority = 5
[rule web]
exe = $1
attach = eth0/http
own = yes
per = process
[rule streaming]
${2:+exe = $2
}in = eth0/http
rate = above 500k for 3s
attach = eth0/stream
own = bandwidth 2m
[rule pages]
in = eth0/stream
rate = below 100k for 3s
attach = eth0/http"
}

log_has() { grep -qF -- "$1" "$tmp/log"; }

# netniced_start: until it watches
netniced_start() {
	: >"$tmp/log"
	"${confined[@]}" netniced "${netniced_options[@]}" -c "$tmp/rules" 2>>"$tmp/log" &
	daemon=$!
	busywait 60 grep -qE 'watching:|no process connector' "$tmp/log" || note "$(cat "$tmp/log")"
}

netniced_stop() {
	[ -z "$daemon" ] || stop "$daemon"
	daemon=
}

# need_netniced: started, with the present rules; or all the rest is left out
need_netniced() {
	defer netniced_stop
	netniced_start
	! log_has 'no process connector' || skip_all 'this kernel has no process connector (CONFIG_PROC_EVENTS)'
}
