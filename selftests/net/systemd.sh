#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=systemd
# lab: kernels=6.1+new, timeout=900, check=uml, budget=11
#
# The units and examples under systemd itself, whose service this test is: the module and
# its file system at boot; netniced(8) in its sandbox, by rules for units; a service with
# a limit of its own.
# shellcheck disable=SC2016

. "$(dirname "$0")/lib.sh"

top=/proc/network
units=/etc/systemd/system
from=$net_dir/../units

log_of() { journalctl --no-pager -o cat -u "$1"; }
log_has() { log_of netniced | grep -qF -- "$1"; }
is() { [ "$(systemctl is-active "$1")" = "$2" ]; }

# service NAME LINE...: starts one that sleeps
service() {
	local name=$1
	shift
	printf '%s\n' '[Service]' "$@" 'ExecStart=/bin/sleep 1000' >$units/"$name".service
	systemctl daemon-reload
	systemctl start "$name"
	defer systemctl stop "$name"
}

# both VALUE: of both directions, as files have it
both() { printf 'egress %s\ningress %s\n' "$1" "$1"; }

main_pid() { systemctl show -P MainPID "$1"; }

# link_of UNIT: the VIF of its control group
link_of() { readlink "$top/cgroups/system.slice/$1/eth0"; }
links_to() { [[ $(link_of "$1") == *"$2" ]]; }

begin
[ "$(cat /proc/1/comm)" = systemd ] || skip_all 'the first process is not systemd'
busywait 60 test -S /run/systemd/private
setup_veth

# --- module and file system --------------------------------------------------------------

cp "$from"/proc-network.mount $units
sed 's,@SBINDIR@,/usr/bin,' "$from"/netniced.service >$units/netniced.service
sed 's,@SBINDIR@,/usr/bin,' "$from"/netnice-export.service >$units/netnice-export.service
cp "$from"/netnice-export.socket $units
mkdir -p /etc/modules-load.d /etc/netnice/rules.d
defer unload_netnice
cp "$from"/netnice.modules-load /etc/modules-load.d/netnice.conf
systemctl daemon-reload
ok 'no complaint about the units' systemd-analyze verify --man=no --recursive-errors=no $units/netniced.service $units/proc-network.mount
ok 'modules-load' /lib/systemd/systemd-modules-load
ok 'the module is loaded at boot' test -d /sys/module/netnice
remove_netnice

ok 'netniced is enabled' systemctl enable netniced proc-network.mount
systemctl start netniced
check_eq 'without rules it does not start' "$(systemctl is-active netniced)" inactive

# --- netniced in its sandbox -----------------------------------------------------------

sed 's/nginx.service/web.service/' "$from"/units.conf >/etc/netnice/rules.d/units.conf
mkdir -p /usr/local/bin
cp /bin/sleep /usr/local/bin/bulk
cat >/etc/netnice/rules.d/more.conf <<'END'
[vif eth0/bulk]
bandwidth = 1m
burst = egress 10ms
limit = 100p
aqm = none
[vif eth0/desk]
account = yes
quota = 10g per month then 256k
program = name *.example.org and tcp = named
[vif eth0/desk/named]
class = 1
[rule bulk]
exe = /usr/local/bin/bulk
user = user
attach = eth0/bulk
own = bandwidth 256k
END
service web
systemctl start netniced
defer systemctl stop netniced
check_eq 'it starts, and says so' "$(systemctl is-active netniced)" active
log_of netniced | sed 's/^/# /'
ok 'its mount came with it' mountpoint -q $top
ok 'the module, too' test -d /sys/module/netnice
check_eq 'its VIF has what the rules say' "$(cat $top/eth0/bulk/{bandwidth,aqm})" "$(both 1mbit; both none)"
check_eq 'it gives a VIF a program' "$(head -n 1 $top/eth0/desk/program)" 'egress admin /sys/fs/bpf/netnice/eth0_2fdesk/egress'
check_eq 'and a quota' "$(sed 's/ left.*//' $top/eth0/desk/quota)" "$(both '10GB then 256kbit')"
ok 'and keeps accounts' test -s /var/lib/netnice/account.db
check_eq 'and listens to resolvers' "$(grep -c ' 0003 ' /proc/net/packet)" 1
busywait 20 links_to web.service /eth0/web
check_eq 'a unit is attached' "$(link_of web.service)" ../../../eth0/web
setpriv --reuid 1000 --clear-groups /usr/local/bin/bulk 1000 &
bulk=$!
defer stop $bulk
in_own() { [[ $(vif_attached $bulk eth0) == */eth0/bulk/netniced.* ]]; }
busywait 20 in_own
ok 'a user'"'"'s program is in a VIF of its own' in_own
check_eq 'whose limit it has' "$(cat $top/eth0/bulk/netniced.*/bandwidth)" "$(both 256kbit)"

sed -i 's/^weight = 500/weight = 400/' /etc/netnice/rules.d/units.conf
ok 'it reads its rules again' systemctl reload netniced
busywait 20 log_has 'reloaded: '
check_eq 'and sets what has changed' "$(cat $top/eth0/web/weight)" "$(both 400)"
ok 'all are still there' in_own

# a line of a rule would take the whole rule out of force
sed -i '/^aqm = none/a weight = often' /etc/netnice/rules.d/more.conf
systemctl reload netniced
ok 'rules with errors are seen' busywait 20 log_has 'the previous rules stay in force'
check_eq 'they do not end it' "$(systemctl is-active netniced)" active
systemctl restart netniced
check_eq 'nor keep it from being started' "$(systemctl is-active netniced)" active
check_eq 'with all lines but that one, which it says' "$(systemctl show -P StatusText netniced)" \
	'1 errors in the rules: the rest is in force'
ok 'and attachments are still there' in_own
sed -i '/^weight = often/d' /etc/netnice/rules.d/more.conf
ok 'they are read when they are mended' systemctl reload netniced
check_eq 'which it says, too' "$(systemctl show -P StatusText netniced)" watching

# no rules at all: another start would end in the same way
mkdir -p $units/netniced.service.d
printf '[Service]\nExecStart=\nExecStart=/usr/bin/netniced -c /etc/netnice/none\n' >$units/netniced.service.d/none.conf
systemctl daemon-reload
systemctl restart netniced 2>/dev/null
check_eq 'rules that cannot be read keep it from being started' \
	"$(systemctl is-active netniced) $(systemctl show -P ExecMainStatus netniced)" 'failed 78'
pause 2
check_eq 'and it does not try again' "$(systemctl show -P NRestarts netniced)" 0
ok 'nor do attachments end' in_own
rm -r $units/netniced.service.d
systemctl daemon-reload
systemctl reset-failed netniced
ok 'it starts when they can be read' systemctl start netniced

before=$(main_pid netniced)
# between the kill and the restart the unit has no process: 0
restarted() {
	local pid
	pid=$(main_pid netniced)
	is netniced active && [ "$pid" != 0 ] && [ "$pid" != "$before" ]
}
systemctl kill -s KILL netniced
busywait 60 restarted
ok 'it is there again after it was killed' restarted
ok 'with its attachments' in_own
check_eq 'who are in one VIF still' "$(find $top/eth0/bulk -name 'netniced.*' | wc -l)" 1
stop $bulk
gone() { ! compgen -G "$top/eth0/bulk/netniced.*" >/dev/null; }
busywait 20 gone
ok 'whose VIF goes with them' gone

# --- a service with its own limit --------------------------------------------------------

mkdir -p $units/backup.service.d
cp "$from"/service-limit.drop-in $units/backup.service.d/limit.conf
service backup User=user
check_eq 'a service has a limit by a drop-in' \
	"$(systemctl is-active backup) $(link_of backup.service) $(cat $top/eth0/backup/bandwidth)" \
	"active ../../../eth0/backup $(both 10mbit)"
attached() { vifctl -j show eth0/backup | jq -c '.[0].attached | map(.cgroup)'; }
nothing() { [ "$(attached)" = '[]' ]; }
check_eq 'vifctl shows it' "$(attached)" '["/system.slice/backup.service"]'
systemctl stop backup
ok 'and it ends with its control group' busywait 20 nothing

# --- the exporter --------------------------------------------------------------------------

# caps_of UNIT: what its main process has, in the four sets, and for what it executes
caps_of() { awk '/^Cap(Prm|Eff|Bnd|Amb)/ { print $2 }' "/proc/$(main_pid "$1")/status" | sort -u | xargs; }
counts() { curl -s -m 20 http://127.0.0.1:9990/metrics | grep -q '^netnice_vif_info{device="eth0",vif="eth0/web"'; }

ok 'no complaint about the exporter' systemd-analyze verify --man=no --recursive-errors=no $units/netnice-export.service
systemctl start netnice-export.socket
defer systemctl stop netnice-export.socket netnice-export.service
ok 'the exporter tells of VIFs' busywait 20 counts
check_eq 'without any capability' "$(caps_of netnice-export)" 0000000000000000
uid=$(awk '/^Uid/ { print $2 }' "/proc/$(main_pid netnice-export)/status")
ok 'as a user of its own' test "$uid" -ge 61184
check_eq 'netniced has those of its unit only' "$(caps_of netniced)" '0000000000000000 0000008001083002'

# --- a stack at a privileged port ----------------------------------------------------------

lwip=$top/eth0/user-1000/lwip
has_port() { grep -qx 'udp 80' $lwip/ports; }
answers() { [ "$(peer curl -s -m 5 "http://$1/")" = 'This is lwIP, at port 80.' ]; }
no_lwip() { [ ! -d $lwip ]; }

privileged() {
	modprobe tun
	chmod 666 /dev/net/tun
	sed "s/^User=.*/User=user/; s,/usr/local/bin/lwip-server,$net_dir/lwip-server," "$from"/lwip-server.service \
		>$units/lwip-server.service
	systemctl daemon-reload
	systemctl start lwip-server
	defer systemctl stop lwip-server
	ok 'a user-level stack has a privileged port' busywait 20 has_port
	for address in 10.0.0.1 '[fd00::1]'; do
		ok "and answers there, at $address" busywait 20 answers "$address"
	done
	check_eq 'in a VIF of its user, with its limit' "$(cat $lwip/bandwidth)" "$(both 10mbit)"
	check_eq 'who is not root, and can do nothing' \
		"$(awk '/^(Uid|CapPrm|CapEff|CapAmb)/ { print $2 }' "/proc/$(main_pid lwip-server)/status" | xargs)" \
		'1000 0000000000000000 0000000000000000 0000000000000000'
	systemctl stop lwip-server
	ok 'it ends, and its VIF with it' busywait 20 no_lwip
	ok 'and its port is free' busywait 5 kinds socket tcp4 bind 0.0.0.0 80 close
}

# Debian 13's lwIP is another one than that which the program was built with
if LD_TRACE_LOADED_OBJECTS=1 "$net_dir/lwip-server" | grep -q 'not found'; then
	skip 'a user-level stack has a privileged port' 'there is no liblwip'
else
	privileged
fi

# --- the end -----------------------------------------------------------------------------

ok 'netniced ends' systemctl stop netniced
ok 'the mount, too' systemctl stop proc-network.mount
fails 'nothing is mounted' mountpoint -q $top
fails 'nothing of it has failed' systemctl is-failed netniced proc-network.mount web backup

# --- a tool that mounts it while mount(8) is about to ------------------------------------

cp /bin/mount "$tmp/mount"
cat >"$tmp/later" <<END
#!/bin/sh
>$tmp/begun
until grep -q ' $top ' /proc/self/mountinfo; do sleep 0.1; done
exec $tmp/mount "\$@"
END
chmod 755 "$tmp" "$tmp/later"
mount --bind "$tmp/later" /bin/mount
systemctl start --no-block proc-network.mount
ok 'mount(8) begins' busywait 20 test -e "$tmp/begun"
ok 'a tool is faster' vifctl show
ok 'that is enough for the unit' busywait 20 is proc-network.mount active
check_eq 'it is mounted once' "$(grep -c " $top " /proc/self/mountinfo)" 1
umount /bin/mount
ok 'and unmounted' systemctl stop proc-network.mount
