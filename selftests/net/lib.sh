# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What all tests in this folder share: KTAP output, a cleanup list, waiting, and
# the standard topology:
#
#        init namespace (under test)          namespace peer
#   +------------------------------+     +----------------------+
#   |  eth0  10.0.0.1  fd00::1     |-----|  eth0  10.0.0.2      |
#   +------------------------------+     |        fd00::2       |
#                                        +----------------------+
#
# A test begins with
#	. "$(dirname "$0")/lib.sh"
#	begin
#	setup_veth
# and needs no end: the plan is written when it exits. Sourcing this file alone
# does nothing. Tests are the executable *.sh files of this folder. They run as
# root. In the laboratory (selftests/lab/lab) the machine is theirs; elsewhere
# begin() gives them namespaces of their own, and those that keep to these are
# the Makefile's TEST_PROGS.

net_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=$net_dir:$PATH
# in another locale each program begins with a dozen files to be read
export LC_ALL=C

# bytes that a limit may let out at once by default: of one below 1.2 Mbit/s two full frames, at most
# four frames up to 48 Mbit/s
# shellcheck disable=SC2034
slow_burst=$((2 * 1514)) least_burst=$((4 * 1514))

# --- results -----------------------------------------------------------------

ktap_count=0
ktap_failed=0

begin() {
	local missing=''
	if [ -z "${LAB_JOB-}" ] && own_machine; then
		missing=$(machine_lacks) || machine_test
	fi
	echo 'KTAP version 1'
	tmp=$(mktemp -d)
	trap finish EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	[ -z "$missing" ] || skip_all "$missing"
}

finish() {
	local status=$?
	trap - EXIT
	# a child that is stopped before it has forgotten these traps
	[ "$BASHPID" = $$ ] || exit "$status"
	cleanup
	rm -rf "$tmp"
	# a test that stops in the middle has not passed; one whose last check failed has
	# not stopped in the middle
	if [ "$status" -ne 0 ] && [ "$status" -ne 4 ] && ! { [ "$status" -eq 1 ] && [ "$ktap_failed" -gt 0 ]; }; then
		fail "no early end" "status $status"
	fi
	echo "1..$ktap_count"
	[ "$status" -ne 4 ] || exit 4
	[ "$ktap_failed" -eq 0 ] && [ "$ktap_count" -gt 0 ]
	# without a number it would be the status from before the trap
	exit $?
}

pass() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count $1"
}

# fail NAME [DETAIL...]
fail() {
	local name=$1
	shift
	ktap_count=$((ktap_count + 1))
	ktap_failed=$((ktap_failed + 1))
	[ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/# /'
	echo "not ok $ktap_count $name"
	return 1
}

# skip NAME REASON
skip() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count $1 # SKIP $2"
}

# skip_all REASON: nothing here can be tested; ends the test
skip_all() {
	skip "$(basename "$0" .sh)" "$1"
	exit 4
}

note() { printf '# %s\n' "$*"; }

# ok NAME COMMAND...: passes if the command succeeds; its output is shown if not
ok() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1 </dev/null); then
		pass "$name"
	else
		fail "$name" "failed: $*" ${out:+"$out"}
	fi
}

# fails NAME COMMAND...: passes if the command fails
fails() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1 </dev/null); then
		fail "$name" "did not fail: $*" ${out:+"$out"}
	else
		pass "$name"
	fi
}

# check_eq NAME GOT WANT
check_eq() {
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "got:  $2" "want: $3"
	fi
}

# check NAME EXPRESSION: an expression of awk, decimals allowed
check() {
	if holds "$2"; then
		pass "$1"
	else
		fail "$1" "not true: $2"
	fi
}

# holds EXPRESSION: what has whole numbers and no division is the same in bash
holds() {
	local more='[^0-9()+*<>=&|![:space:]-]|(^|[^0-9])0[0-9]'
	if [[ $1 =~ $more ]]; then
		awk "BEGIN { exit !($1) }"
	else
		(($1))
	fi
}

# says_in NAME TEXT WORDS...: all of them are in the text
says_in() {
	local name=$1 text=$2 word
	shift 2
	for word; do
		[[ $text == *"$word"* ]] || { fail "$name" "not in it: $word" "$text"; return; }
	done
	pass "$name"
}

# check_near NAME GOT WANT PERCENT
check_near() {
	if awk -v g="$2" -v w="$3" -v p="$4" \
		'BEGIN { d = g - w; if (d < 0) d = -d; exit !(g != "" && d <= w * p / 100) }'; then
		pass "$1"
	else
		fail "$1" "got $2, want $3 within $4 %"
	fi
}

# --- cleaning up, waiting ------------------------------------------------------

cleanup_list=()

# defer COMMAND...: run at the end, the last one first, whatever happens
defer() { cleanup_list+=("$(printf '%q ' "$@")"); }

cleanup() {
	local i
	for ((i = ${#cleanup_list[@]} - 1; i >= 0; i--)); do
		eval "${cleanup_list[i]}" >/dev/null 2>&1
	done
	cleanup_list=()
}

# pause SECONDS: sleep without a process for it, by reading what never comes
exec {pause_fd}<> <(:)
pause() { ! read -rt "$1" -u "$pause_fd"; }

# busywait SECONDS COMMAND...: until it succeeds. Who waits in real time, on a machine
# that may be busy, gives it a minute: only a failure takes that long.
busywait() {
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "${EPOCHREALTIME/./}" -lt "$end" ] || return 1
		pause 0.05
	done
}

# file_says FILE WORDS: are they in it?
file_says() {
	local text
	read -rd '' text <"$1"
	[[ $text == *"$2"* ]]
}

# line_of FILE BEGINNING: the rest of the first line that begins so
line_of() {
	local line lines
	mapfile -t lines <"$1"
	for line in "${lines[@]}"; do
		[[ $line == "$2"* ]] || continue
		echo "${line#"$2"}"
		return
	done
}

# background [peer|as_user] COMMAND...: ended at cleanup; $! is the program itself. What
# it says goes into a file that is emptied before this returns: with `COMMAND >FILE &` it
# is the child who does that, and who waits may find what the one before has said.
background() {
	local argv=()
	while :; do
		case $1 in
		peer) argv+=("${peer_prefix[@]}") ;;
		as_user) argv+=("${user_prefix[@]}") ;;
		*) break ;;
		esac
		shift
	done
	"${argv[@]}" "$@" </dev/null &
	defer stop $!
}

# stop PID...: end a child and wait for it
stop() {
	kill "$@" 2>/dev/null
	wait "$@" 2>/dev/null
}

# --- a machine that has more to do ---------------------------------------------------

# What is outside of a guest: a real machine. A test sees of it a network, mounts,
# processes and a control group that go with the test. What is there but once is the module:
# it is unloaded only if it was not there before.

test_arguments=("$@")

# own_machine: is all of it the test's, the module too?
own_machine() { [ -z "${netnice_inside-}" ]; }

# machine_lacks: says what a test would need here; fails if nothing
machine_lacks() {
	if [ "$(id -u)" -ne 0 ]; then
		echo 'only root may run this'
	elif ! [ -d /sys/module/netnice ] && ! modprobe -nq netnice 2>/dev/null; then
		echo 'the module netnice is not installed for this kernel (make install)'
	elif ! unshare --net --mount --pid --fork true; then
		echo 'the kernel makes no namespaces'
	else
		return 1
	fi
}

# machine_test: runs this test again, inside, and ends with its status
machine_test() {
	local loaded='' status group
	[ -d /sys/module/netnice ] || loaded=1
	group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/netnice-test.$$
	mkdir "$group" 2>/dev/null && echo $$ >"$group/cgroup.procs"
	echo "netnice selftest $$" >/dev/kmsg
	# as a job: otherwise it, and all inside, would ignore SIGINT
	set -m
	PATH=$PATH:$net_dir/../../tools/netnice:$net_dir/../../tools/vifctl:$net_dir/../../tools/netniced \
		netnice_inside=$$ unshare --net --mount --pid --uts --ipc --cgroup --fork --kill-child \
		bash -c "$machine_inside" inside "$0" "${test_arguments[@]}" </dev/null &
	set +m
	# unshare heeds nothing else; with it goes all that is inside
	# shellcheck disable=SC2064
	trap "kill -KILL $!" INT TERM
	wait $!
	status=$?
	if [ -d "$group" ]; then
		echo $$ >"${group%/*}/cgroup.procs"
		busywait 10 find "$group" -depth -type d -exec rmdir {} +
	fi
	[ -z "$loaded" ] || [ ! -d /sys/module/netnice ] || busywait 10 remove_netnice ||
		note 'the module netnice stays loaded'
	exit $status
}

# what the first process inside does, with the test's command line
# shellcheck disable=SC2016
machine_inside='
	# under the new /proc it would still seem to be there
	while umount -n /proc/network 2>/dev/null; do :; done
	mount -n -t proc proc /proc
	mount -n -t tmpfs -o mode=755 run /run
	mkdir -p -m 1777 /run/netns /run/tmp
	mount -n -t sysfs sys /sys
	mount -n -t cgroup2 cgroup2 /sys/fs/cgroup
	mount -n -t tracefs trace /sys/kernel/tracing 2>/dev/null
	mount -n -t debugfs debug /sys/kernel/debug 2>/dev/null
	echo "0 2147483647" >/proc/sys/net/ipv4/ping_group_range
	ip link set lo up
	TMPDIR=/run/tmp "$@"'

# --- what a test needs ---------------------------------------------------------

# need netnice|PROGRAM...
need() {
	local what
	for what; do
		if [ "$what" = netnice ]; then
			load_netnice || skip_all "module netnice does not load"
			defer unload_netnice
		else
			command -v "$what" >/dev/null || skip_all "there is no $what"
		fi
	done
}

load_netnice() {
	modprobe netnice || return
	mountpoint -q /proc/network || mount -t netnice netnice /proc/network
}

# allow_user_namespaces: network namespaces that belong to user namespaces may have VIFs of their own
allow_user_namespaces() {
	local parameter=/sys/module/netnice/parameters/user_namespaces was
	read -r was <$parameter
	echo 1 >$parameter
	own_machine || defer eval "echo $was >$parameter"
}

unload_netnice() {
	while mountpoint -q /proc/network; do
		umount /proc/network || return
	done
	own_machine || return 0
	# a container that was killed may still be on its way to let go of its mounts
	[ ! -d /sys/module/netnice ] || busywait 10 remove_netnice 2>/dev/null || remove_netnice
}

# remove_netnice: the module's options, and then the module
remove_netnice() {
	local option
	for option in /sys/module/netnice_*; do
		[ ! -d "$option" ] || rmmod "${option##*/}" || return
	done
	rmmod netnice
}

# in_uml: is the kernel a User Mode Linux?
in_uml() { grep -q 'User Mode Linux' /proc/cpuinfo; }

# short: is this the daily check, and not the night's? Random tests do less then.
short() { [ -n "${LAB_SHORT-}" ]; }

# short_on_stock: the same on a stock kernel, for a test that runs in a User Mode Linux, too?
# Only what a version of the kernel may change is worth its time there.
short_on_stock() { short && ! in_uml; }

# sanitized: does the kernel check itself? Then all takes ten times as long.
sanitized() { [ -e $kmemleak ]; }

# as_user COMMAND...: as the ordinary user 1000
user_prefix=(setpriv --reuid=1000 --regid=1000 --clear-groups)
as_user() { "${user_prefix[@]}" "$@"; }

# a prefix: with a root that pivot_root(2) takes
# shellcheck disable=SC2016,SC2034
with_root=(unshare -m sh -c 'mount --rbind / /mnt && cd /mnt && mount --move . / &&
	exec chroot . "$@"' sh)

# --- topology --------------------------------------------------------------------

setup_veth() {
	ip netns add peer || return
	defer ip netns del peer
	ip link add eth0 type veth peer name eth0 netns peer || return
	defer ip link del eth0
	ip addr add 10.0.0.1/24 dev eth0
	ip addr add fd00::1/64 dev eth0 nodad
	peer ip addr add 10.0.0.2/24 dev eth0
	peer ip addr add fd00::2/64 dev eth0 nodad
	peer ip link set lo up
	peer ip link set eth0 up
	ip link set eth0 up
	busywait 60 grep -q up /sys/class/net/eth0/operstate
}

# setup_second_veth: another line to the peer, eth1: 10.1.0.1 and 10.1.0.2
setup_second_veth() {
	ip link add eth1 type veth peer name eth1 netns peer || return
	defer ip link del eth1
	ip addr add 10.1.0.1/24 dev eth1
	peer ip addr add 10.1.0.2/24 dev eth1
	peer ip link set eth1 up
	ip link set eth1 up
	busywait 60 grep -q up /sys/class/net/eth1/operstate
}

# peer COMMAND...: in the peer's namespace
peer_prefix=(nsenter --net=/run/netns/peer --)
peer() { "${peer_prefix[@]}" "$@"; }

# peer_mac [DEVICE]: the link address of the peer's end. (/sys is this namespace's.)
peer_mac() { peer ip -o link show dev "${1:-eth0}" | sed 's/.*ether \([^ ]*\).*/\1/'; }

# set_neighbours HERE THERE [DEVICE]: addresses of the two ends, which then need not ask for each other
set_neighbours() {
	local on=${3:-eth0}
	ip neigh replace "$2" dev "$on" nud permanent lladdr "$(peer_mac "$on")"
	peer ip neigh replace "$1" dev "$on" nud permanent lladdr "$(cat "/sys/class/net/$on/address")"
}

# setup_silent_veth: setup_veth without IPv6, where the kernel sends nothing by itself, and each
# packet is counted as a packet of a wire
setup_silent_veth() {
	setup_veth || return
	wire_exact on
	sysctl -qw net.ipv6.conf.eth0.disable_ipv6=1
	peer sysctl -qw net.ipv6.conf.eth0.disable_ipv6=1
	set_neighbours 10.0.0.1 10.0.0.2
}

# setup_above DEVICE NETWORK: a device that is at both ends gets NETWORK.1 here and NETWORK.2 there
setup_above() {
	ip addr add "$2.1/24" dev "$1"
	peer ip addr add "$2.2/24" dev "$1"
	ip link set "$1" up
	peer ip link set "$1" up
}

# add_above DEVICE TYPE...: a device of this type above eth0, at both ends
add_above() {
	ip link add link eth0 name "$1" type "${@:2}" &&
		peer ip link add link eth0 name "$1" type "${@:2}"
}

# add_vlan DEVICE NETWORK: a VLAN above eth0 at both ends, with addresses that each other knows
add_vlan() {
	add_above "$1" vlan id 5 || return
	setup_above "$1" "$2"
	set_neighbours "$2.1" "$2.2" "$1"
}

# del_both DEVICE: at both ends
del_both() {
	ip link del "$1"
	peer ip link del "$1"
}

# wireguard_keys HERE THERE [MORE]: the device `top' at both ends, which is WireGuard's, gets
# its keys, and addresses that it takes from the other end; MORE is what the peer takes besides
wireguard_keys() {
	(umask 077 && wg genkey >"$tmp/key" && wg genkey >"$tmp/peer-key")
	wg set top private-key "$tmp/key" listen-port 51820 \
		peer "$(wg pubkey <"$tmp/peer-key")" endpoint 10.0.0.2:51820 allowed-ips "$2/32"
	peer wg set top private-key "$tmp/peer-key" listen-port 51820 \
		peer "$(wg pubkey <"$tmp/key")" endpoint 10.0.0.1:51820 allowed-ips "$1/32${3:+,$3}"
}

# wire_exact [on|off]: every packet that crosses the veth is one packet of a
# wire, so that the peer's counters count wire bytes. The host's segmentation
# offload of the stack (gso) stays on: large packets reach its hooks whole.
wire_exact() {
	local to=off
	[ "${1-on}" = on ] || to=on
	ethtool -K eth0 tso $to tx-udp-segmentation $to tx-sctp-segmentation $to gro $to >/dev/null
	peer ethtool -K eth0 tso $to gso $to gro $to tx-udp-segmentation $to \
		tx-sctp-segmentation $to >/dev/null
}

# peer_counter rx_bytes|rx_packets|tx_bytes|tx_packets
# shellcheck disable=SC2016
peer_counter() {
	peer awk -v key="$1" 'BEGIN { field["rx_bytes"] = 2; field["rx_packets"] = 3
			field["tx_bytes"] = 10; field["tx_packets"] = 11 }
		$1 == "eth0:" { print $field[key] }' /proc/net/dev
}

# --- VIFs ------------------------------------------------------------------------

# vif_stat VIF KEY: one of its counters
vif_stat() { line_of "$1/stat" "$2 "; }

# vif_empty VIF: nothing that its processes have sent waits there
vif_empty() { ! grep -q "egress_[pd]_queue_packets [1-9]" "$1/stat"; }

# vifs_end VIF...: they go in this order, each as soon as nothing of it is in use
vifs_end() {
	local vif
	for vif; do busywait 20 rmdir "$vif" || return; done
}

# links_of PID: the devices it is attached to
links_of() { find "/proc/network/tasks/$1" -maxdepth 1 -type l -printf '%f\n' 2>/dev/null | sort; }

# vif_attached PID DEVICE: the text of the link, or nothing
vif_attached() { readlink "/proc/network/tasks/$1/$2"; }

# in_vif VIF COMMAND...: attached to it from the beginning
# shellcheck disable=SC2016
in_vif_prefix=(bash -c 'echo 0 >"$0/tasks" && exec "$@"')
in_vif() { "${in_vif_prefix[@]}" "$@"; }

# serve_short: connections to the peer that last for 100 bytes there and 200 back; server is
# the process
serve_short() {
	background peer kinds socket tcp4 bind 0.0.0.0 7000 listen 64 say ready \
		times 1000000 '{' accept receive 100 send 200 close leave '}' >"$tmp/server" 2>&1
	# shellcheck disable=SC2034
	server=$!
	busywait 60 file_says "$tmp/server" ready
}

# series COUNT DEVICE [BANDWIDTH]: so many VIFs, each in the one before; vif is the last
series() {
	local i
	vif=/proc/network/$2
	for ((i = 0; i < $1; i++)); do
		vif+=/level$i
		mkdir "$vif" || return
		[ -z "${3-}" ] || echo "$3" >"$vif/bandwidth"
	done
}

# series_end DEVICE: without the series, as soon as nothing of it is in use
series_end() { busywait 5 find "/proc/network/$1" -mindepth 1 -depth -type d -exec rmdir {} +; }

# --- measuring -------------------------------------------------------------------

# meter_start NAME ARGUMENT...: wiremeter in the peer's namespace
meter_start() { meter_begin "$1" peer "${@:2}"; }

# meter_here NAME ARGUMENT...: wiremeter in this namespace
meter_here() { meter_begin "$1" '' "${@:2}"; }

# meter_begin NAME peer|'' ARGUMENT...
meter_begin() {
	local name=$1 where=$2
	shift 2
	background ${where:+"$where"} wiremeter "$@" >"$tmp/meter.$name" 2>&1
	declare -g "meter_$name=$!"
	busywait 5 file_says "$tmp/meter.$name" ready || note "wiremeter: $(cat "$tmp/meter.$name")"
}

# meter_stop NAME; then `meter NAME KEY` gives a result
meter_stop() {
	local pid=meter_$1
	stop "${!pid}"
}

meter() { line_of "$tmp/meter.$1" "$2="; }

# per_datagram ADDRESS PORT BYTES [PREFIX...]: instructions that a datagram of so many
# bytes takes, the least of all that were sent, 100 at a time: timer interrupts and the
# kernel's own work come between some of them, not between all.
per_datagram() {
	local address=$1 port=$2 bytes=$3
	shift 3
	"$@" traffic send udp "$address" "$port" --size "$bytes" --bytes $((bytes * 4000)) --lap 100 |
		sed -n 's/.* lap_ns=\([0-9]*\).*/\1/p' | awk '{ printf "%.2f\n", $1 / 100 }'
}

# silent_socket PORT: a socket here that is full, so that no process is woken by its
# packets; silent is the process
silent_socket() {
	background kinds socket udp4 bind 0.0.0.0 "$1" say ready pause 100000000 >"$tmp/silent.$1"
	# shellcheck disable=SC2034
	silent=$!
	busywait 5 file_says "$tmp/silent.$1" ready
}

# --- the kernel's log ------------------------------------------------------------

kernel_log_pattern='WARNING:|BUG:|BUG |Oops|Call Trace|general protection|KASAN|UBSAN|KCSAN'
kernel_log_pattern+='|kmemleak: [0-9]+ new|ODEBUG:|INFO: task'
kernel_log_pattern+='|possible circular locking|possible recursive locking|inconsistent lock state'
kernel_log_pattern+='|suspicious RCU usage|rcu.*(stall|detected)|soft lockup|hard LOCKUP|hung task'
kernel_log_pattern+='|blocked for more than|unregister_netdevice: waiting|refcount_t|list_(add|del) corruption'
kernel_log_pattern+='|scheduling while atomic|sleeping function called|bad page|page allocation failure'
kernel_log_pattern+='|unchecked MSR|stack-protector|kernel panic|Kernel panic|segfault|Objects remaining'
kernel_log_pattern+='|tainted kernel memory|DEBUG_LOCKS|slab .* leak'

# kernel_log_faults: prints what is wrong in the kernel's log; fails if any is. What was there
# before machine_test() is not looked at.
kernel_log_faults() {
	! kernel_log | grep -E -A 40 "$kernel_log_pattern"
}

kernel_log() {
	if own_machine; then
		dmesg
	else
		dmesg | tac | sed "/netnice selftest $netnice_inside\$/q" | tac
	fi
}

# log_clean: a result of its own, in the middle of a test
log_clean() { ok 'no warning in the kernel log so far' kernel_log_faults; }

# --- memory ------------------------------------------------------------------------

# free_bytes: when the kernel has given back what it can
free_bytes() {
	local cache
	echo 3 >/proc/sys/vm/drop_caches
	for cache in /sys/kernel/slab/*/shrink; do
		[ ! -w "$cache" ] || echo 1 >"$cache"
	done
	# a User Mode Linux has no smaps, and pages of 4 kB
	{ grep -s -m 1 KernelPageSize: /proc/self/smaps; cat /proc/zoneinfo; } |
		awk 'BEGIN { kb = 4 } $1 == "KernelPageSize:" { kb = $2 }
			$1 == "nr_free_pages" || $1 == "count:" { n += $2 }
			END { printf "%.0f\n", n * kb * 1024 }'
}

kmemleak=/sys/kernel/debug/kmemleak

# leaks_forget: objects that exist by now are ignored
leaks_forget() {
	[ -w $kmemleak ] || return 0
	echo scan=off >$kmemleak
	echo clear >$kmemleak
}

# leaks: prints what nothing points to any more; fails if there is any. Only what
# is older than five seconds is looked at, and a stale pointer, on some stack, may
# hide it from a scan.
leaks() {
	local i
	pause 6
	for i in 1 2 3; do
		echo scan >$kmemleak
		pause 1
	done
	! grep . $kmemleak
}
