#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The tests that may run on any machine, as they do there: outside of the laboratory, by
# run_tests. They pass, or say why they are skipped, and of the machine's own network, VIFs,
# mounts, control groups, settings, files and processes nothing has changed.
# lab: timeout=3600, kernels=6.1+new, check=none
. "$(dirname "$0")/lib.sh"

listed=$(sed -n '/^TEST_PROGS/,/[^\\]$/{ s/^.*:=//; s/\\$//; p }' "$net_dir/Makefile")

# elsewhere COMMAND...: not as in the laboratory
elsewhere() { env -u LAB_JOB -u LAB_SHORT "$@"; }

run() { elsewhere "$net_dir/../run_tests" "$net_dir" "$@"; }

# Some settings are no settings, but tell what goes on; those of protocols come with modules.
passing='kernel[.](random|ns_last_pid|pty[.]nr|tainted)|fs[.](file-nr|inode|dentry|aio-nr)'
passing+='|net[.](netfilter[.]nf_conntrack_count|(ipv4[.](tcp|udp)|sctp[.]sctp)_mem)'

machine() {
	ip -br addr
	ip link
	ip rule
	ip route
	nft list ruleset
	cut -d ' ' -f 4-6 /proc/self/mountinfo
	find /run/netns /sys/fs/cgroup -printf '%p %y\n'
	grep -o '^netnice ' /proc/modules
	find /proc/network/eth0 -type d -print
	cat /proc/network/eth0/mine/{bandwidth,tasks}
	sysctl -a 2>/dev/null | grep -vE "^($passing)"
	find /etc /home /root /run /selftests /srv /tmp /usr /var -xdev -path "$tmp" -prune -o \
		-type f -printf '%p %s %m %u %T@\n'
	# shellcheck disable=SC2009
	ps -e -o comm= | grep -vE '^(kworker|ksoftirqd|ps|grep|sort|kselftest)' | sort
	dmesg | grep -E "$kernel_log_pattern"
} 2>/dev/null

# leaves NAME COMMAND...: the machine as it was
leaves() {
	local name=$1
	shift
	machine >"$tmp/before"
	"$@" >"$tmp/out"
	sed 's/^/# /' "$tmp/out"
	machine >"$tmp/after"
	ok "$name: nothing has changed" diff "$tmp/before" "$tmp/after"
}

# skipped NAME WORDS: all of them are, with such a sentence
skipped() {
	check_eq "$1: all are skipped" "$(grep -c '^ok .*# SKIP$' "$tmp/out") $(grep -c "^# ok 1 .*# SKIP $2" "$tmp/out")" \
		"$(wc -w <<<"$listed") $(wc -w <<<"$listed")"
}

# passed TEST...
passed() {
	local test
	for test; do
		ok "$test" grep -qE "^ok [0-9]+ selftests: net: $test\$" "$tmp/out"
	done
}

begin
for what in $listed; do ok "$what is a test" test -x "$net_dir/$what"; done
# shellcheck disable=SC2086
{
	leaves 'a user' as_user env -u LAB_JOB "$net_dir/../run_tests" "$net_dir" $listed
	skipped 'a user' 'only root may run this'
	mount -t tmpfs none /lib/modules
	leaves 'no module' run $listed
	skipped 'no module' 'the module netnice is not installed'
	umount /lib/modules
}
leaves 'it loads the module' run smoke.sh
passed smoke.sh

# a machine with VIFs of its own
need netnice
modprobe dummy numdummies=0
ip link add eth0 type dummy
defer ip link del eth0
mkdir /proc/network/eth0/mine
echo 1m >/proc/network/eth0/mine/bandwidth
sleep 100000 &
defer stop $!
echo $! >/proc/network/eth0/mine/tasks
if short; then listed='tree.sh cgroups.sh'; fi
# shellcheck disable=SC2086
{
	leaves 'it is there' run $listed
	passed $listed
}
check_eq 'what was attached is' "$(vif_attached $! eth0)" ../../eth0/mine
