#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=systemd
# lab: kernels=6.1+new, timeout=900, check=uml, budget=7
#
# netnice-restore.service under systemd itself, whose service this test is: what was saved is
# there again when it starts, and what comes later gets what the file says of it.
. "$(dirname "$0")/lib.sh"

top=/proc/network
units=/etc/systemd/system
from=$net_dir/../units

log_of() { journalctl --no-pager -o cat -u "$1"; }
link_of() { readlink "$top/cgroups/system.slice/$1/eth0"; }
is_in() { [ "$(link_of "$1")" = "../../../eth0/$2" ]; }

begin
[ "$(cat /proc/1/comm)" = systemd ] || skip_all 'the first process is not systemd'
busywait 60 test -S /run/systemd/private
setup_veth
modprobe dummy numdummies=0
cp "$from"/proc-network.mount $units
sed 's,@SBINDIR@,/usr/bin,' "$from"/netnice-restore.service >$units/netnice-restore.service
printf '%s\n' '[Service]' 'ExecStart=/bin/sleep 1000' >$units/late.service
mkdir -p /etc/netnice
defer unload_netnice
defer systemctl stop proc-network.mount
systemctl daemon-reload
ok 'no complaint about the unit' systemd-analyze verify --man=no --recursive-errors=no $units/netnice-restore.service
ok 'it is enabled' systemctl enable netnice-restore
systemctl start netnice-restore
check_eq 'without a file it does not start' "$(systemctl is-active netnice-restore)" inactive

systemctl start proc-network.mount late
vifctl add eth0/web bandwidth 2m owner 0:100 mode 2775
vifctl attach eth0/web cgroup system.slice/late.service
vifctl save dev eth0 >/etc/netnice/state
printf '%s\n' 'tree wg7' 'vif wg7/bulk' 'weight 7' >>/etc/netnice/state
systemctl stop late proc-network.mount
remove_netnice
systemctl start netnice-restore
defer systemctl stop netnice-restore
check_eq 'it starts, and says so' "$(systemctl is-active netnice-restore)" active
log_of netnice-restore | sed 's/^/# /'
check_eq 'it has the capabilities of its unit only' \
	"$(awk '/^CapEff/ { print $2 }' "/proc/$(systemctl show -P MainPID netnice-restore)/status")" 000000000100101b
check_eq 'what was saved is there' "$(cat $top/eth0/web/bandwidth; stat -c '%u:%g %a' $top/eth0/web)" \
	$'egress 2mbit\ningress 2mbit\n0:100 2775'
ok 'what is missing is in the journal' grep -q "no device 'wg7'" <(log_of netnice-restore)
systemctl start late
ok 'a service that is started is attached' busywait 20 is_in late.service web
systemctl restart late
ok 'and again' busywait 20 is_in late.service web
ip link add wg7 type dummy
ok 'a device that comes has its VIFs' busywait 20 grep -qx 'egress 7' $top/wg7/bulk/weight
ip link del wg7
echo 'vif eth0/web' >>/etc/netnice/state
systemctl restart netnice-restore 2>/dev/null
check_eq 'a file with errors is refused' \
	"$(systemctl is-active netnice-restore) $(systemctl show -P ExecMainStatus netnice-restore)" 'failed 1'
pause 2
check_eq 'and not tried again' "$(systemctl show -P NRestarts netnice-restore)" 0
ok 'what was there is so still' is_in late.service web
sed -i '$d' /etc/netnice/state
systemctl reset-failed netnice-restore
ok 'it starts when that is mended' systemctl start netnice-restore
ok 'it ends' systemctl stop netnice-restore
ok 'what it has restored stays' is_in late.service web
systemctl stop late
