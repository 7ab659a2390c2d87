#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: check=none, timeout=900
#
# netniced(8) beside a user that makes and removes control groups, in which a rule looks for
# others, as fast as it can: other rules are applied all the same, and signals are answered.
# How fast is counted in the groups that the user has made meanwhile: the clock of a User Mode
# Linux that is never idle hardly passes.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemon.sh"

cg=/sys/fs/cgroup

groups=200	# that are made, and then removed, in a round
rounds=0	# that the user has ended

# churned ROUNDS: so many more end
churned() {
	local last
	while read -t 0 -u "$told"; do read -r rounds <&"$told"; done
	last=$((rounds + $1))
	while ((rounds < last)); do read -rt 60 rounds <&"$told" || return; done
}

# within ROUNDS COMMAND...: it succeeds before the user has ended so many more
within() {
	local i
	for ((i = 0; i <= $1; i++)); do
		! "${@:2}" || return 0
		churned 1 || return
	done
	return 1
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
mkfifo "$tmp/told"
exec {told}<>"$tmp/told"
# shellcheck disable=SC2016
as_user bash -c 'cd "$0" && for ((i = 1; i < 1000; i++)); do mkdir $(seq $1); rmdir $(seq $1); echo $i; done' \
	$cg/user.slice/alice $groups >&"$told" &
churn=$!
defer stop $churn
churned 5
"$tmp/worker" 1000 &
worker=$!
defer stop $worker
ok "a rule is applied before $((10 * groups)) groups have come and gone" within 10 is_attached $worker
churned 5
kill -TERM "$daemon"
ok "SIGTERM is answered before $((10 * groups)) groups have come and gone" within 10 has_ended "$daemon"
wait "$daemon"
check_eq 'with status 0' $? 0
daemon=
stop $churn
find $cg/user.slice -depth -type d -exec rmdir {} +
