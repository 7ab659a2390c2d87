# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What the measurements of this folder share. They run in a guest, as the tests of
# selftests/net do and with the same library, in virtual time: an instruction is a
# nanosecond. Each prints, besides KTAP, lines
#
#	# result: ROW <tab> SCHEME <tab> NUMBER <tab> VALUE
#
# of which the host makes tables and pictures: ROW says what was measured, SCHEME with
# what (see schemes.sh), NUMBER is a parameter (of classes, levels, bit/s).
#
# Their argument is `quick` or `full`.

bench_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../net/lib.sh
. "$bench_dir/../net/lib.sh"
PATH=$bench_dir:$PATH
size=${1:-full}

declare -A results=()
result() {
	results["$1 $2 $3"]=$4
	printf '# result: %s\t%s\t%s\t%s\n' "$@"
}

# full: is there time for all?
full() { [ "$size" = full ]; }

# device_new: one that swallows what it is sent, with a network of its own; sets device, devices,
# which is its number, and network, three of its four bytes. One for each measurement, as
# nothing may be left of the one before; at most 250 at once.
devices=0
device_new() {
	device=d$((++devices))
	network=10.3.$((devices % 250))
	ip link add $device type dummy &&
		sysctl -q net.ipv6.conf.$device.disable_ipv6=1 &&
		ip addr add $network.1/24 dev $device &&
		ip link set $device up
}

here() { "$@"; }

# line FROM DEVICE NETWORK TO: between two network namespaces, of which the second is new: its
# eth0, by which all goes. FROM and TO are functions that run commands there, as peer and here.
line() {
	ip netns add "$4"
	defer ip netns del "$4"
	"$4" ip link set lo up
	"$1" ip link add "$2" type veth peer name eth0 netns "$4"
	"$1" ip addr add "$3.1/24" dev "$2"
	"$1" ip link set "$2" up
	"$4" ip addr add "$3.2/24" dev eth0
	"$4" ip link set eth0 up
	"$4" ip route add default via "$3.1"
}
