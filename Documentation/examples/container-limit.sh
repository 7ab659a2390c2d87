#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# container-limit.sh DEVICE VETH RATE: what a container with a network namespace of its
# own sends through DEVICE gets RATE at most. VETH is the host's end of its veth pair;
# who forwards (routes, bridges, or both) does not matter. The pair is a new one after a
# restart of the container: then again. For all of a bridge give its name instead.
# Example, with podman's bridge:
#	container-limit.sh eth0 veth0 20m
set -e
vif=/proc/network/$1/from-$2
mkdir -p "$vif"
echo "$3" >"$vif/bandwidth"
ln -sfn "$vif" "/proc/network/devices/$2/$1"
