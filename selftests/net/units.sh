#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=systemd
# lab: kernels=6.1+new, timeout=5400, check=uml, budget=50
#
# Sections [X-Netnice] of units (netnice.unit(5)), under systemd itself, whose service this test is:
# what a unit sends, from its first packet on; what changes when units are loaded again; what is
# left at the end.
# shellcheck disable=SC1003,SC2016

. "$(dirname "$0")/lib.sh"

top=/proc/network
units=/etc/systemd/system
from=$net_dir/../units
generators=/run/systemd/system-generators

both() { printf 'egress %s\ningress %s\n' "$1" "$1"; }

# unit NAME LINE...: its file, without the section's head
unit() {
	mkdir -p "$(dirname "$units/$1")"
	printf '%s\n' "${@:2}" >"$units/$1"
}

# service NAME LINE...: one that sleeps, with a section of these lines
service() { unit "$1" '[Service]' 'ExecStart=/bin/sleep 1000' '[X-Netnice]' "${@:2}"; }

reload() { systemctl daemon-reload; }
state() { systemctl is-active "$1"; }
group_of() { systemctl show -P ControlGroup "$1"; }

# link_of UNIT [DEVICE]: the VIF of its control group
link_of() {
	local link
	link=$(readlink "$top/cgroups$(group_of "$1")/${2-eth0}") || return
	while [[ $link == ../* ]]; do link=${link#../}; done
	echo "$link"
}

bandwidth_of() { cat "$top/$(link_of "$1" "${2-eth0}")/bandwidth"; }
has_bandwidth() { [ "$(bandwidth_of "$1")" = "$(both "$2")" ]; }
has_bandwidth_on() { [ "$(bandwidth_of "$1" "$2")" = "$(both "$3")" ]; }
is_at() { [ "$(link_of "$1")" = "$2" ]; }
no_vif() { ! find "$top/eth0" -name "unit.$1" 2>/dev/null | grep -q .; }
log_has() { journalctl --no-pager -o cat -u "$1" | grep -qF -- "$2"; }

begin
[ "$(cat /proc/1/comm)" = systemd ] || skip_all 'the first process is not systemd'
busywait 60 test -S /run/systemd/private
# where other tests have brought them along, they start again and again
systemctl mask -q --now --runtime containerd docker 2>/dev/null
setup_veth
ip route add default via 10.0.0.2
defer unload_netnice

mkdir -p $generators
ln -s /usr/bin/netnice-unit $generators/netnice-generator
for name in netnice-unit@ netnice-units; do
	sed 's,@LIBEXECDIR@,/usr/bin,' "$from/$name.service" >"$units/$name.service"
done
reload
ok 'no complaint about the units' systemd-analyze verify --man=no --recursive-errors=no $units/netnice-units.service

# --- without a section ---------------------------------------------------------------------

unit plain.service '[Service]' 'ExecStart=/bin/sleep 1000'
systemctl start netnice-units
check_eq 'what follows changes runs' "$(state netnice-units)" active
systemctl start plain
fails 'without a section the module is not loaded' test -d /sys/module/netnice

# --- one service ---------------------------------------------------------------------------

send='for i in 1 2 3 4 5; do echo x >/dev/udp/10.0.0.2/9; done'
unit first.service '[Service]' "ExecStartPre=/bin/bash -c '$send'" \
	"ExecStart=/bin/bash -c '$send; exec sleep 1000'" '[X-Netnice]' 'Bandwidth=egress 5m ingress 10m' 'Weight=7'
peer ping -c 1 -q 10.0.0.1 >/dev/null
reload
systemctl start first
check_eq 'a service has a VIF' "$(state first) $(link_of first.service)" 'active eth0/unit.first.service'
vif=$top/eth0/unit.first.service
sent() { [ "$(vif_stat $vif egress_packets)" = 10 ]; }
busywait 20 sent
check_eq 'by which all it has sent has passed, from the first packet on' "$(vif_stat $vif egress_packets)" 10
check_eq 'with what the section says' "$(cat $vif/{bandwidth,weight,autoremove} | xargs)" \
	'egress 5mbit ingress 10mbit egress 7 ingress 7 1'

ok 'a share without a limit above is said' busywait 20 log_has first 'weight and priority have no effect while no VIF above has a bandwidth'

systemctl restart first
ok 'it has it again after a restart' is_at first.service eth0/unit.first.service
busywait 20 sent
check_eq 'for all packets' "$(vif_stat $vif egress_packets)" 10
again() { [ "$(systemctl show -P NRestarts first)" = 1 ] && is_at first.service eth0/unit.first.service && sent; }
unit first.service.d/again.conf '[Service]' 'Restart=always' 'RestartSec=100ms'
reload
systemctl kill -s KILL first
ok 'and after one by systemd itself, for all packets' busywait 60 again
systemctl stop first
ok 'and it goes with it' busywait 20 no_vif first.service
rm -r $units/first.service.d
reload

# --- the tools, by a unit's name --------------------------------------------------------------

service named.service 'Bandwidth=5m'
unit other.service '[Service]' 'ExecStart=/bin/sleep 1000'
reload
systemctl start named other
check_eq 'netnice --show --unit' "$(netnice --show --unit named -i eth0 | grep -o 'eth0/unit.named.service')" eth0/unit.named.service
check_eq 'vifctl show unit' "$(vifctl -j show unit named.service | jq -r '.[].path')" eth0/unit.named.service
# refuses NAME WORDS COMMAND...
refuses() {
	local said
	said=$("${@:3}" 2>&1) && { fail "$1" "did not fail: ${*:3}" "$said"; return; }
	says_in "$1" "$said" "$2"
}
refuses 'vifctl show unit, of one that has none' 'unit other is not attached itself: netnice --show --unit other' vifctl show unit other
refuses 'vifctl show unit, without a name' 'unit: a name is missing' vifctl show unit
ok 'netnice --unit' netnice -b 3m -i eth0 --unit other
check_eq 'netnice --unit: it has a VIF' "$(link_of other.service) $(bandwidth_of other.service | xargs)" \
	'eth0/netnice.other.service egress 3mbit ingress 3mbit'
mkdir $top/eth0/held
ok 'vifctl attach unit' vifctl attach eth0/held unit other
check_eq 'vifctl attach unit: it is there' "$(link_of other.service)" eth0/held
ok 'vifctl detach unit' vifctl detach eth0/held unit other.service
fails 'vifctl detach unit: it is not' link_of other.service
ok 'vifctl attach unit, the slice above all' vifctl attach eth0/held unit -.slice
check_eq 'vifctl attach unit, the slice above all: it is there' "$(readlink $top/cgroups/eth0)" ../eth0/held
vifctl detach eth0/held unit -.slice
systemctl stop named other
rmdir $top/eth0/held
refuses 'netnice --unit, that does not run' 'unit other.service has no control group' netnice -b 3m --unit other
refuses 'netnice --unit, that there is not' 'unit none.service has no control group' netnice -b 3m --unit none
refuses 'netnice --unit, a pattern' "'o*' is not the name of a unit" netnice -b 3m --unit 'o*'
refuses 'netnice --unit, no name' "'' is not the name of a unit" netnice -b 3m --unit ''

# --- groups made before the unit starts ------------------------------------------------------

unit once.service '[Service]' 'Type=oneshot' "ExecStart=/bin/bash -c '$send; cat /proc/self/cgroup'" '[X-Netnice]' 'Bandwidth=5m'
unit given.service '[Service]' 'User=user' 'Delegate=yes' 'TasksMax=77' "ExecStart=/bin/bash -c '$send; exec sleep 1000'" \
	'[X-Netnice]' 'Bandwidth=5m'
unit skipped.service '[Unit]' 'ConditionPathExists=/nonexistent' '[Service]' 'ExecStart=/bin/sleep 1000' \
	'[X-Netnice]' 'Bandwidth=5m'
unit io.service '[Service]' "ExecStart=/bin/bash -c '$send; exec sleep 1000'" '[X-Netnice]' 'Bandwidth=5m'
mkdir -p "$tmp/jail"
cp /usr/bin/busybox "$tmp/jail/" 2>/dev/null || cp "$(type -P busybox)" "$tmp/jail/"
unit jailed.service '[Service]' "RootDirectory=$tmp/jail" 'ExecStart=/busybox sleep 1000' '[X-Netnice]' 'Bandwidth=5m' \
	'Required=yes'
unit bare.service '[Unit]' 'DefaultDependencies=no' '[Service]' 'ExecStart=/bin/sleep 1000' '[X-Netnice]' 'Bandwidth=5m'
reload
dmesg -C
ok 'a service that only does something' systemctl start once
ok 'it does so again' systemctl start once
ok 'its VIF goes' busywait 20 no_vif once.service
systemctl start given io bare
vif=$top/eth0/unit.given.service
sent_by() { [ "$(vif_stat "$top/$1" egress_packets)" = "$2" ]; }
ok 'all packets of one that has its group delegated' busywait 20 sent_by eth0/unit.given.service 5
group=/sys/fs/cgroup$(group_of given)
check_eq 'whose group is what the unit says' "$(stat -c %U "$group" "$group/cgroup.procs" | xargs) $(cat "$group/pids.max")" \
	'user user 77'
ok 'a name that systemd writes otherwise' busywait 20 sent_by eth0/unit.io.service 5
fails 'has no other group' test -e /sys/fs/cgroup/system.slice/io.service
ok 'one without default dependencies' has_bandwidth bare.service 5mbit
ok 'one in a root folder, where netnice is not' systemctl start jailed
ok 'is limited' has_bandwidth jailed.service 5mbit
systemctl start skipped
not_there() { [ ! -e "/sys/fs/cgroup/system.slice/$1" ]; }
check_eq 'one whose condition is not met' "$(state skipped)" inactive
reload
ok 'leaves no group, when units are loaded again' busywait 60 not_there skipped.service
ok 'and no VIF' busywait 20 no_vif skipped.service
fails 'no cycles' sh -c 'journalctl --no-pager | grep -i "ordering cycle"'
systemctl stop given io bare jailed

# --- what files say, one after the other ---------------------------------------------------

service merged.service 'Bandwidth=1m' 'Weight=7' 'Priority=2'
unit merged.service.d/10-more.conf '[X-Netnice]' 'Bandwidth=2m' 'Weight='
unit merged.service.d/20-last.conf '[X-Netnice]' 'Bandwidth=egress \' '# a comment' '  3m'
reload
systemctl start merged
vif=$top/eth0/unit.merged.service
check_eq 'a later file has the last word, an empty value takes back' "$(cat $vif/{bandwidth,weight,priority} | xargs)" \
	'egress 3mbit ingress max egress 100 ingress 100 egress 2 ingress 2'

# --- loaded again ----------------------------------------------------------------------------

pid=$(systemctl show -P MainPID merged)
unit merged.service.d/20-last.conf '[X-Netnice]' 'Bandwidth=4m' 'Minimum=1m'
reload
ok 'what has changed is so for the unit that runs' busywait 60 has_bandwidth merged.service 4mbit
unit merged.service.d/20-last.conf '[X-Netnice]' 'Bandwidth=500k' 'Minimum=300k'
reload
ok 'a bandwidth below the minimum of before, too' busywait 60 has_bandwidth merged.service 500kbit
check_eq 'with its minimum' "$(cat $vif/minimum)" "$(both 300kbit)"
unit merged.service.d/20-last.conf '[X-Netnice]' 'Bandwidth=fast' 'Minimum=200k'
reload
has_minimum() { [ "$(cat $vif/minimum)" = "$(both "$1")" ]; }
ok 'where a value is wrong' busywait 60 has_minimum 200kbit
ok 'that of before stays' has_bandwidth merged.service 500kbit
rm $units/merged.service.d/10-more.conf
unit merged.service '[Service]' 'ExecStart=/bin/sleep 1000'
unit merged.service.d/20-last.conf '[X-Netnice]' 'Bandwith=1m' 'Weight=8' 'Minimum=200k'
reload
has_weight() { [ "$(head -n 1 $vif/weight)" = "egress $1" ]; }
ok 'where a word is wrong' busywait 60 has_weight 8
ok 'too' has_bandwidth merged.service 500kbit
rm -r $units/merged.service.d
reload
ok 'without a section it has no VIF any more' busywait 60 no_vif merged.service
check_eq 'and runs on' "$(state merged) $(systemctl show -P MainPID merged)" "active $pid"
unit merged.service.d/x.conf '[X-Netnice]' 'Bandwidth=1m'
reload
ok 'with one again it has' busywait 60 has_bandwidth merged.service 1mbit
systemctl stop merged

# --- templates, and names --------------------------------------------------------------------

service 't\x2du@.service' 'Bandwidth=1m'
unit 't\x2du@2.service.d/x.conf' '[X-Netnice]' 'Bandwidth=2m'
unit 'long-.service.d/x.conf' '[X-Netnice]' 'Bandwidth=3m'
long=long-$(printf 'x%.0s' {1..200})
unit "$long.service" '[Service]' 'ExecStart=/bin/sleep 1000'
ln -s "$units/t\\x2du@.service" "$units/alias@.service"
reload
systemctl start 't\x2du@1' 't\x2du@2' 'alias@a\x2db' "$long"
check_eq 'each instance has its own' "$(bandwidth_of 't\x2du@1.service' | xargs), $(bandwidth_of 't\x2du@2.service' | xargs)" \
	'egress 1mbit ingress 1mbit, egress 2mbit ingress 2mbit'
check_eq 'under its name' "$(link_of 't\x2du@1.service')" 'eth0/unit.t\x2du@1.service'
check_eq 'also by another one' "$(link_of 't\x2du@a\x2db.service')" 'eth0/unit.t\x2du@a\x2db.service'
ok 'drop-ins for all that begin so' has_bandwidth "$long.service" 3mbit
name=$(link_of "$long.service")
check_eq 'a long name is cut' "${#name} ${name%~*}" "$((5 + 63)) eth0/unit.long-$(printf 'x%.0s' {1..36})"
systemctl stop 't\x2du@1' 't\x2du@2' 't\x2du@a\x2db' "$long"

# --- slices ------------------------------------------------------------------------------------

no_slices=/run/systemd/generator/netnice-no-slices
ok 'as long as none has a section, that is known' test -e $no_slices
for name in x.slice x-.slice.d/x.conf slice.d/x.conf -.slice.d/x.conf; do
	unit "$name" '[X-Netnice]' 'Weight=7'
	reload
	fails "$name has one" test -e $no_slices
	rm "$units/$name"
	rmdir "$units/${name%/*}" 2>/dev/null
done
reload
ok 'none has one any more' test -e $no_slices
# no other unit checks the slice
systemctl stop netnice-units
systemctl mask -q --runtime netnice-units
unit system.slice.d/x.conf '[X-Netnice]' 'Bandwidth=50m'
reload
systemctl start first
check_eq 'a unit that starts brings along the VIF of the slice above' "$(link_of first.service)" \
	eth0/unit.system.slice/unit.first.service
systemctl stop first
rm -r $units/system.slice.d
systemctl unmask -q --runtime netnice-units
reload
systemctl start netnice-units
ok 'which goes with the section' busywait 60 no_vif system.slice
unit web.slice '[X-Netnice]' 'Bandwidth=20m'
unit web-in.slice '[X-Netnice]' 'Bandwidth=10m'
unit in.service '[Service]' 'Slice=web-in.slice' 'ExecStart=/bin/sleep 1000' '[X-Netnice]' 'Bandwidth=1m'
unit quick.service '[Service]' 'Slice=web-in.slice' "ExecStart=/bin/bash -c '$send; exec sleep 1000'"
unit early.service '[Service]' 'Slice=other.slice' "ExecStart=/bin/bash -c '$send; exec sleep 1000'"
unit other.slice '[X-Netnice]' 'Bandwidth=1m'
reload
systemctl start early
ok 'the first that runs in a slice sends by its VIF, from the first packet on' busywait 20 sent_by eth0/unit.other.slice 5
systemctl start in quick
check_eq 'VIFs are nested as slices are' "$(link_of in.service)" eth0/unit.web.slice/unit.web-in.slice/unit.in.service
ok 'who has no section sends by that of its slice' busywait 20 sent_by eth0/unit.web.slice/unit.web-in.slice 5
ok 'a slice that is restarted' systemctl restart web.slice
ok 'has its limit' has_bandwidth web.slice 20mbit
systemctl start in quick
check_eq 'and those in it are below' "$(link_of in.service)" eth0/unit.web.slice/unit.web-in.slice/unit.in.service
rm $units/web-in.slice
reload
ok 'a slice without a section any more' busywait 60 is_at in.service eth0/unit.web.slice/unit.in.service
ok 'has none' busywait 60 no_vif web-in.slice
unit web-in.slice '[X-Netnice]' 'Bandwidth=5m'
reload
ok 'with one again it has those below' busywait 60 is_at in.service eth0/unit.web.slice/unit.web-in.slice/unit.in.service
unit system.slice '[X-Netnice]' 'Bandwidth=50m'
reload
ok 'system.slice has one as soon as units are loaded again' busywait 60 is_at system.slice eth0/unit.system.slice
systemctl start first
check_eq 'and its services are below' "$(link_of first.service)" eth0/unit.system.slice/unit.first.service
rm $units/system.slice
reload
ok 'without it they are not' busywait 60 is_at first.service eth0/unit.first.service
ok 'and its VIF has gone' busywait 60 no_vif system.slice
systemctl stop first in quick early web.slice other.slice
ok 'slices that stop lose theirs' busywait 20 no_vif '*.slice'
mkdir -p $units/user-.slice.d
unit user-.slice.d/x.conf '[X-Netnice]' 'Bandwidth=2m'
unit sc.scope.d/x.conf '[X-Netnice]' 'Bandwidth=1m'
reload
background systemd-run -q --unit=ofuser --slice=user-1000.slice --uid=1000 /bin/sleep 1000 >/dev/null 2>&1
background systemd-run -q --unit=sc --scope --slice=user-1000.slice /bin/sleep 1000 >/dev/null 2>&1
is_up() { [ "$(state "$1")" = active ]; }
busywait 60 is_up ofuser
busywait 60 is_up sc.scope
check_eq 'a user has one by the slice' "$(link_of user-1000.slice)" eth0/unit.user-1000.slice
check_eq 'a scope has one below' "$(link_of sc.scope)" eth0/unit.user-1000.slice/unit.sc.scope
systemctl stop ofuser sc.scope user-1000.slice

# --- sockets that systemd opens ------------------------------------------------------------------

unit echo.socket '[Socket]' 'ListenStream=10.0.0.1:7777' 'Accept=yes' '[X-Netnice]' 'Bandwidth=5m'
unit echo@.service '[Service]' 'ExecStart=/bin/cat' 'StandardInput=socket'
reload
systemctl start echo.socket
answers() { [ "$(echo hello | peer socat -t 5 - TCP:10.0.0.1:7777)" = hello ]; }
ok 'a socket unit serves' answers
check "what comes by it goes by its VIF" "$(vif_stat $top/eth0/unit.echo.socket egress_packets) >= 4"
systemctl stop echo.socket

# --- devices --------------------------------------------------------------------------------------

setup_second_veth
service two.service 'Device=eth0 eth1' 'Bandwidth=1m'
service later.service 'Device=tun7' 'Bandwidth=1m'
reload
systemctl start two later
check_eq 'two devices, a VIF on each' "$(bandwidth_of two.service eth0 | xargs), $(bandwidth_of two.service eth1 | xargs)" \
	'egress 1mbit ingress 1mbit, egress 1mbit ingress 1mbit'
check_eq 'a unit whose device is not there starts' "$(state later)" active
ok 'and its journal says so' busywait 20 log_has later 'tun7: there is no such device'
ip link add tun7 type dummy
is_there() { [ "$(link_of later.service tun7)" = tun7/unit.later.service ]; }
ok 'when the device comes it has its VIF' busywait 60 is_there
ip link del tun7
unit two.service.d/x.conf '[X-Netnice]' 'Device=' 'Device=eth1'
reload
ok 'a device less' busywait 60 no_vif two.service
ok 'and the other as before' has_bandwidth_on two.service eth1 1mbit
systemctl stop two later
service default.service 'Bandwidth=1m'
reload
systemctl start default later
ip route del default
ip link add tun7 type dummy
ok 'a default route has gone, which has been seen' busywait 60 is_there
ok 'and the limit stays' has_bandwidth default.service 1mbit
unit default.service.d/x.conf '[X-Netnice]' 'Bandwidth=2m'
reload
ok 'and follows the files' busywait 60 has_bandwidth default.service 2mbit
systemctl stop default later
ip link del tun7
rm -r $units/default.service.d
reload
systemctl start default
ok 'without a default route the journal says so' busywait 20 log_has default 'no default route'
ip route add default via 10.0.0.2
ok 'it has its VIF with the route' busywait 60 is_at default.service eth0/unit.default.service
systemctl stop default

# --- what goes wrong --------------------------------------------------------------------------------

service wrong.service 'Bandwidth=fast' 'Weight=9' 'Prioritty=1'
service must.service 'Bandwidth=fast' 'Required=yes'
service taken.service 'Bandwidth=1m'
mkdir $top/eth0/unit.taken.service
reload
systemctl start wrong taken
check_eq 'a unit with a wrong value starts' "$(state wrong) $(head -n 1 $top/eth0/unit.wrong.service/weight)" 'active egress 9'
ok 'its journal says what would have been right' busywait 20 log_has wrong 'wrong.service:4: Bandwidth=fast: want a rate from 8kbit'
ok 'and which word was meant' log_has wrong "did you mean 'Priority'?"
fails 'where it is required it does not' systemctl start must
check_eq 'and does not run' "$(state must)" inactive
sed -i 's/fast/1m/' $units/must.service
reload
ok 'it does when that is mended' systemctl start must
systemctl stop must
cp "$(type -P systemctl)" "$tmp/ctl"
mount --bind /bin/false "$(readlink -f "$(type -P systemctl)")"
fails 'nor does it when systemd does not say what it is to have' "$tmp/ctl" start must
umount "$(readlink -f "$(type -P systemctl)")"
ok 'but afterwards' systemctl start must
check_eq 'an administrator'"'"'s VIF of the same name is left alone' \
	"$(state taken) $(cat $top/eth0/unit.taken.service/bandwidth | xargs)" 'active egress max ingress max'
ok 'which the journal says' busywait 20 log_has taken 'that is not of a unit'
rmdir $top/eth0/unit.taken.service
systemctl stop wrong taken must

mkdir "$tmp/evil"
printf '#!/bin/sh\nid -u >%s/called\n' "$tmp" >"$tmp/evil/systemctl"
chmod 755 "$tmp" "$tmp/evil" "$tmp/evil/systemctl"
unit env.service '[Service]' 'User=user' "Environment=PATH=$tmp/evil LD_PRELOAD=$tmp/evil/none.so" \
	'ExecStart=/bin/sleep 1000' '[X-Netnice]' 'Bandwidth=1m'
reload
systemctl start env
check_eq 'what a unit has in its environment does not run as root' \
	"$(link_of env.service) $(cat "$tmp/called" 2>/dev/null)" 'eth0/unit.env.service '
check_eq 'what is saved has no VIFs of units' "$(vifctl save | grep -c unit)" 0
ok 'they stay when something is restored' sh -c 'vifctl save | vifctl restore -'
ok 'as they are' is_at env.service eth0/unit.env.service

# --- without the program, without the module -----------------------------------------------------------

mv /usr/bin/netnice-unit "$tmp/"
ok 'without netnice a unit starts again' systemctl restart env
check_eq 'and runs, without a VIF' "$(state env) $(link_of env.service)" 'active '
fails 'where it is required it does not' systemctl start must
mv "$tmp/netnice-unit" /usr/bin/
systemctl reset-failed
systemctl stop env netnice-units
ok 'the module can be unloaded' unload_netnice
mkdir -p /etc/modprobe.d
echo 'install netnice /bin/false' >/etc/modprobe.d/no-netnice.conf
ok 'without the module a unit starts' systemctl start default
ok 'and its journal says so' busywait 20 log_has default 'module is not loaded'
fails 'where it is required it does not' systemctl start must
rm /etc/modprobe.d/no-netnice.conf
systemctl stop default
systemctl reset-failed
systemctl start netnice-units

# --- many ------------------------------------------------------------------------------------------------

# a start takes a second of an emulated CPU
count=${1:-$(short && echo 3 || echo 30)}
unit many@.service '[Service]' 'ExecStart=/bin/sleep 100000'
reload
seconds() {
	local from=$EPOCHREALTIME
	seq -f many@%.0f "$count" | xargs systemctl start
	awk -v from="$from" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f\n", to - from }'
}
all_have() { [ "$(find $top/eth0 -mindepth 1 -maxdepth 1 -name 'unit.many@*' | wc -l)" = "$count" ]; }
without=$(seconds)
unit many@.service.d/x.conf '[X-Netnice]' 'Bandwidth=1m'
from=$EPOCHREALTIME
reload
ok "$count units that run get one" busywait 600 all_have
note "$count units: started without a section in $without s; loaded again, with one, $(awk -v from="$from" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }') s"
systemctl stop 'many@*'
gone() { no_vif 'many@*'; }
ok 'and lose it when they stop' busywait 60 gone
with=$(seconds)
note "started with one in $with s"
ok 'each has its own when it starts' all_have
systemctl stop 'many@*'
ok 'nothing is left' busywait 60 gone

# --- the end ---------------------------------------------------------------------------------------------

systemctl stop plain netnice-units
check_eq 'no VIF' "$(find $top/eth0 $top/eth1 -mindepth 1 -type d)" ''
fails 'nothing has failed' systemctl is-failed netnice-units 'netnice-unit@*'
