#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: check=none, timeout=900
#
# netniced(8) beside a user that makes and removes control groups, in which a rule looks for
# others, as fast as it can: other rules are applied all the same, and signals are answered.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemon.sh"

cg=/sys/fs/cgroup

# within SECONDS COMMAND...: succeeds until then
within() {
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000))
	until "${@:2}"; do
		[ "${EPOCHREALTIME/./}" -lt $end ] || return 1
		pause 0.05
	done
}
is_attached() { [ -n "$(vif_attached "$1" eth0)" ]; }
has_ended() { ! kill -0 "$1" 2>/dev/null; }

begin
need netnice
setup_veth
cp /usr/bin/sleep "$tmp/worker"
chmod 755 "$tmp" "$tmp/worker"
mkdir -p $cg/user.slice/alice
chown 1000 $cg/user.slice/alice
rules "[vif eth0/web]
[rule jobs]
cgroup = user.slice/alice/*/job
attach = eth0/web
[rule work]
exe = $tmp/worker
attach = eth0/web"
need_netniced
# shellcheck disable=SC2016
as_user bash -c 'cd "$0" && while :; do mkdir {1..200}; rmdir {1..200}; done' $cg/user.slice/alice &
churn=$!
defer stop $churn
pause 1
"$tmp/worker" 1000 &
worker=$!
defer stop $worker
ok 'a rule is applied within a second' within 1 is_attached $worker
pause 1
kill -TERM "$daemon"
ok 'SIGTERM is answered within a second' within 1 has_ended "$daemon"
wait "$daemon"
check_eq 'with status 0' $? 0
daemon=
stop $churn
find $cg/user.slice -depth -type d -exec rmdir {} +
