#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: alone, check=6.1, kernels=6.1+new, budget=14
#
# A kernel that takes only signed modules, as with Secure Boot: the tools say so, where the
# module cannot be loaded for that, and for another reason, what modprobe says.
. "$(dirname "$0")/lib.sh"

enforce=/sys/module/module/parameters/sig_enforce
key='this kernel takes only modules that are signed with a key it knows; installing.rst, "Secure Boot"'

# says SENTENCE COMMAND...: and fails
says() {
	local sentence=$1
	shift
	if "$@" >"$tmp/said" 2>&1 || ! grep -qF -- "$sentence" "$tmp/said"; then
		note "$(cat "$tmp/said")"
		return 1
	fi
}

begin
own_machine || skip_all 'it would be for good'
[ -w $enforce ] || skip_all 'the kernel knows no signatures'
[ ! -d /sys/module/netnice ] || unload_netnice

mkdir -p /etc/modprobe.d
echo 'install netnice echo "modprobe: there is none" >&2; false' >/etc/modprobe.d/netnice.conf
ok 'another reason' says 'loading it failed (modprobe: ' vifctl show
rm /etc/modprobe.d/netnice.conf

echo Y >$enforce
ok 'modprobe is refused' says 'Key was rejected by service' modprobe netnice
ok 'vifctl says why' says "$key" vifctl show
ok 'netnice, too' says "$key" netnice -b 1m true
ok 'netniced, too' says "$key" netniced -c /dev/null
ok 'a user is told to ask root' says 'as root, run "modprobe netnice"' \
	setpriv --reuid 1000 --clear-groups vifctl show
