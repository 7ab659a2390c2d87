#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: check=uml, timeout=14400, budget=4
#
# Programs made at random, written to VIFs that are made, moved and removed meanwhile, under
# traffic: valid ones are taken, others refused with the error that interface.rst has for what
# is wrong with them, and nothing has changed then. At last the programs are removed, and the
# module goes, under traffic.
#
# usage: program-fuzz.sh [COUNT [SEED]]
#
# So many programs (100,000; in the short run 10,000, on a stock kernel 2,000), by that seed.

. "$(dirname "$0")/lib.sh"

web=/proc/network/eth0/web

# done_of WORD: how many progfuzz says
done_of() { line_of "$tmp/said" "$1 "; }

# sender COMMAND...: in the VIF, again and again, as a program may drop all that it sends
# shellcheck disable=SC2016
sender() {
	background "${in_vif_prefix[@]}" $web bash -c 'while :; do timeout 5 "$@"; sleep 0.01; done' sh "$@" >"$tmp/sender" 2>&1
}

begin
need netnice
! short || short_count=10000
! short_on_stock || short_count=2000
count=${1:-${short_count:-100000}}
seed=${2:-$(date +%s)}
# packets take ten times as long then, and the programs are to get on
rate=2m
! sanitized || rate=200k
setup_veth
mkdir $web "$tmp/bpf"
mount -t bpf bpf "$tmp/bpf"
defer umount "$tmp/bpf"
chown 1000 $web
for port in 9 443; do
	background peer traffic sink tcp $port >"$tmp/sink"
	background peer traffic sink udp $port >"$tmp/sink"
	background "${in_vif_prefix[@]}" $web traffic sink udp 7$port >"$tmp/sink"
	background peer traffic send udp 10.0.0.1 7$port --rate $rate --size 3000
	sender traffic send udp 10.0.0.2 $port --rate $rate --size 500
	sender "${user_prefix[@]}" traffic send udp fd00::2 $port --rate $rate --size 3000
	sender "${user_prefix[@]}" traffic send tcp 10.0.0.2 $port --rate $rate
done
echo "# programs: $count, seed: $seed"
progfuzz $web "$count" "$seed" "$tmp/bpf" >"$tmp/said"
status=$?
sed 's/^/# /' "$tmp/said"
check_eq 'what is valid is taken, what is not refused, and changes nothing' $status 0
check "of $count a fifth is wrong" "$(done_of taken) > $count * 0.7 && $(done_of refused) > $count * 0.15"
check 'VIFs came, moved and went meanwhile' "$(done_of removals) > $count / 200 && $(done_of moves) > $count / 2000"
# how many there are in that time is the machine's
check 'packets met them' "$(vif_stat $web program_runs) > $count / 1000"
log_clean
# shellcheck disable=SC2016
find $web -name program -exec sh -c 'for f; do echo none >"$f"; done' sh {} +
ok 'the module goes under traffic' unload_netnice
