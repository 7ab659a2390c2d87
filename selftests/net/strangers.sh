#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# User 1000, also as root of user and network namespaces of its own, has the kernel load nothing, and
# has no VIFs there, unless the parameter user_namespaces says so or root has made a mount there.
# lab: kernels=6.1+new, budget=3
# shellcheck disable=SC2016

. "$(dirname "$0")/lib.sh"

top=/proc/network

# own COMMAND: of a shell, as root of namespaces of the user's
own() { as_user unshare -rnm sh -c "$1"; }

# --- the module is installed ------------------------------------------------------------

is_loaded() { [ -d /sys/module/netnice ]; }

# loads_not NAME COMMAND...: which may do what it likes
loads_not() {
	local name=$1
	shift
	"$@" >/dev/null 2>&1 </dev/null
	if is_loaded; then
		fail "$name does not load the module" "$*"
		remove_netnice
	else
		pass "$name does not load the module"
	fi
}

unloaded() {
	own_machine || return
	ok 'the module is unloaded' unload_netnice
	loads_not 'modprobe' as_user modprobe netnice
	loads_not 'a mount' own 'mount -t netnice netnice /mnt'
	loads_not 'a qdisc' own 'tc qdisc add dev lo root netnice'
	loads_not 'the netlink family' as_user nl vifs
	loads_not 'the netlink family, as root of a namespace' own 'nl vifs'
	loads_not 'the name of a device' as_user busybox ifconfig netnice
	loads_not 'the name of a device, as root of a namespace' own 'busybox ifconfig netnice'
	for command in 'vifctl show' 'vifctl monitor' 'netnice -b 1m true'; do
		loads_not "$command" as_user sh -c "$command"
		loads_not "$command, as root of a namespace" own "$command"
	done
	# whatever else may ask for a module asks by an alias
	check_eq 'the kernel knows it by no other name' "$(modinfo -F alias netnice)" netdev-netnice
	nl vifs >/dev/null 2>&1
	fails 'nor does root load it by chance' is_loaded
	ok 'root loads it by vifctl' vifctl show
	ok 'and has it unloaded' unload_netnice
	load_netnice
}

# --- it is loaded -----------------------------------------------------------------------

# stranger_begin: namespaces of the user's, with a process, and a device
stranger_begin() {
	background "${user_prefix[@]}" unshare -rnm sh -c 'ip link add d0 type dummy && ip link set d0 up && echo begun
		exec sleep 1000' >"$tmp/begun"
	stranger=$!
	busywait 20 file_says "$tmp/begun" begun
}

stranger_end() {
	kill "$stranger"
	wait "$stranger" 2>/dev/null
}

# in_it OPTION... COMMAND: as root of it
in_it() { as_user nsenter --preserve-credentials -t "$stranger" -U -m -n "$@"; }

devices() { in_it nl vifs 2>/dev/null | sed 's/.*device=\([^ ]*\).*/\1/' | sort -u | xargs; }
mounts() { in_it unshare -m sh -c 'mount -t netnice netnice /mnt && ls /mnt' | xargs; }

# a process with two sockets, and a relay between them
relays=(sh -c 'ip link set lo up
	kinds socket udp4 bind 127.0.0.1 5000 socket udp4 connect 127.0.0.1 6000 pause 100000000 &
	cd /proc/network/tasks/$!/sockets
	until [ -e 4 ]; do sleep 0.01; done
	ln -s ../../../$!/sockets/4 3/relay && echo made || cat /proc/network/last_error
	kill $!')

# options_are_not_loaded: in the namespaces of the user's, where root has made a mount
options_are_not_loaded() {
	own_machine || return
	check_eq 'the stranger has no option loaded' \
		"$(in_it "${relays[@]}" 2>/dev/null | grep -o 'may not load it')" 'may not load it'
	fails 'so it is not there' test -d /sys/module/netnice_relay
	fails 'its limit has loaded none, either' test -d /sys/module/netnice_window
	modprobe netnice_relay
	check_eq 'but uses one that root has loaded' "$(in_it "${relays[@]}" 2>/dev/null)" made
	ok 'which ends with its sockets' busywait 5 rmmod netnice_relay
	check_eq 'nor is a program' "$(in_it sh -c "echo 1,6 0 0 0 >$top/d0/a/program || cat $top/last_error" 2>/dev/null |
		grep -o 'may not load it')" 'may not load it'
	modprobe netnice_program
	ok 'but one that root has loaded makes it' in_it sh -c "echo 1,6 0 0 0 >$top/d0/a/program"
	ok 'and it ends' in_it sh -c "echo none >$top/d0/a/program"
	ok 'so that the module can go' busywait 5 rmmod netnice_program
}

loaded() {
	stranger_begin
	check_eq 'a stranger mounts nothing' "$(mounts 2>&1 | grep -o denied)" denied
	check_eq 'and is told why' "$(in_it vifctl show 2>&1 | grep -o 'parameter user_namespaces')" 'parameter user_namespaces'
	check_eq 'its devices have no VIFs' "$(devices)" ''
	check_eq 'nor do those that come later' "$(in_it ip link add d1 type dummy; devices)" ''
	check_eq 'nor a qdisc' "$(in_it tc qdisc add dev d0 root netnice 2>&1 | grep -o 'has no VIFs')" 'has no VIFs'
	ok 'its devices go' in_it ip link del d1

	ok 'root makes a mount for it' nsenter -t "$stranger" -m -n mount -t netnice netnice $top
	check_eq 'which has its devices' "$(devices)" 'd0 lo'
	check_eq 'the stranger uses the mount' "$(in_it sh -c "mkdir $top/d0/a && echo 1m >$top/d0/a/bandwidth &&
		cat $top/d0/a/bandwidth" 2>&1 | xargs)" 'egress 1mbit ingress 1mbit'
	check_eq 'devices that come later have VIFs' "$(in_it ip link add d1 type dummy; devices)" 'd0 d1 lo'
	check_eq 'it still makes no mount of its own' "$(mounts 2>/dev/null)" ''
	options_are_not_loaded
	stranger_end
}

allowed() {
	local before
	stranger_begin
	before=$stranger
	echo 1 >/sys/module/netnice/parameters/user_namespaces
	check_eq 'the parameter allows a mount where there was none' "$(mounts)" 'cgroups d0 devices last_error lo tasks'
	stranger_begin
	check_eq 'new namespaces have VIFs at once' "$(devices)" 'd0 lo'
	stranger_end
	echo 0 >/sys/module/netnice/parameters/user_namespaces
	stranger=$before
	check_eq 'switched off: what has VIFs keeps them' "$(devices)" 'd0 lo'
	check_eq 'but makes no mount' "$(mounts 2>/dev/null)" ''
	stranger_end
}

begin
need netnice
unloaded
loaded
allowed
log_clean
