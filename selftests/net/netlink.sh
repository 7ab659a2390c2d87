#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The generic netlink family says what the files say, to those who may read the files,
# and tells of what happens.
# lab: virtual, timeout=900, kernels=6.1+new, budget=13

. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0
groups=/sys/fs/cgroup/netlink

# word LINE KEY: its value
word() {
	local w
	for w in $1; do
		[ "${w%%=*}" != "$2" ] || echo "${w#*=}"
	done
}

# --- what the files say, in the words of nl -------------------------------------------

# rate TEXT: bytes per second
rate() {
	case $1 in
	*kbit) echo $((${1%kbit} * 125)) ;;
	*mbit) echo $((${1%mbit} * 125000)) ;;
	*gbit) echo $((${1%gbit} * 125000000)) ;;
	*bit) echo $((${1%bit} / 8)) ;;
	esac
}

# ns TEXT
ns() {
	case $1 in
	*ns) echo "${1%ns}" ;;
	*us) echo $((${1%us} * 1000)) ;;
	*ms) echo $((${1%ms} * 1000000)) ;;
	*s) echo $((${1%s} * 1000000000)) ;;
	esac
}

# link_layer DIRECTION WORD...
link_layer() {
	local dir=$1
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		overhead | mpu)
			echo "$dir.$1=$2"
			shift
			;;
		atm) echo "$dir.framing=1" ;;
		ptm) echo "$dir.framing=2" ;;
		esac
		shift
	done
}

# written FIELD VALUE [force]: what is written to packets
written() {
	local value=${2%/*} mask=0xffffffff
	[[ $1 != *.dscp ]] || value=$(dscp "$value")
	[[ $2 != */* ]] || mask=${2#*/}
	# 0 is told of where there is no mask beside it
	[ $((value)) = 0 ] && [[ $1 = *.mark ]] || echo "$1=$((value))"
	[[ $1 != *.mark ]] || echo "$1_mask=$((mask))"
	[ $# -lt 3 ] || echo "$1_force=1"
}

dscp() {
	case $1 in
	cs?) echo $((${1#cs} * 8)) ;;
	af??) echo $((${1:2:1} * 8 + ${1:3:1} * 2)) ;;
	ef) echo 46 ;;
	*) echo "$1" ;;
	esac
}

# quota DIRECTION SIZE then RATE left SIZE
quota() {
	echo "$1.quota_bytes=${2%b}"
	[ "${6%b}" = 0 ] || echo "$1.quota_left=${6%b}"
	case $4 in
	stop) echo "$1.quota_then=18446744073709551615" ;;
	*) echo "$1.quota_then=$(rate "$4")" ;;
	esac
}

# parameter DIRECTION FILE VALUE...: as nl has it
parameter() {
	local dir=$1 file=$2 value=$3
	shift 3
	case $file:$value in
	bandwidth:max | minimum:none | burst:auto | limit:auto | class:none | group:none | dscp:none | mark:none | skb_priority:none | quota:none) ;;
	dscp:* | mark:* | skb_priority:*) written "$dir.$file" "$value" "$@" ;;
	quota:*) quota "$dir" "$value" "$@" ;;
	bandwidth:* | minimum:*) echo "$dir.$file=$(rate "$value")" ;;
	burst:*s) echo "$dir.burst_ns=$(ns "$value")" ;;
	burst:*) echo "$dir.burst_bytes=${value%b}" ;;
	link_layer:none) ;;
	link_layer:*) link_layer "$dir" "$value" "$@" ;;
	limit:max) echo "$dir.limit_max=1" ;;
	limit:*packets) echo "$dir.limit_packets=${value%packets}" ;;
	limit:*) echo "$dir.limit_bytes=${value%b}" ;;
	fair:flow) ;;
	fair:dual-srchost) echo "$dir.fair=1" ;;
	fair:dual-dsthost) echo "$dir.fair=2" ;;
	aqm:none) echo "$dir.aqm=1" ;;
	aqm:*)
		echo "$dir.aqm=0"
		while [ $# -gt 0 ]; do
			if [ "$1" = no-ack-filter ]; then
				echo "$dir.no_ack_filter=1"
				shift
				continue
			fi
			echo "$dir.$1_us=$(($(ns "$2") / 1000))"
			shift 2
		done
		;;
	*) echo "$dir.$file=$value" ;;
	esac
}

# files_say DIRECTORY
files_say() {
	local file dir value
	echo "path=${1#"$eth0"}" | sed 's,=/,=,'
	stat -c $'id=%i\nuid=%u\ngid=%g' "$1"
	echo "mode=$((8#$(stat -c %a "$1")))"
	echo "autoremove=$(<"$1/autoremove")"
	[ "$1" = $eth0 ] || echo "parent_id=$(stat -c %i "$1/..")"
	for file in bandwidth minimum burst weight priority local_weight local_priority limit aqm fair link_layer group class dscp mark skb_priority quota; do
		while read -r dir value; do
			# shellcheck disable=SC2086
			parameter "$dir" $file $value
		done <"$1/$file"
	done
}

# nl_says LINE: the same from a line of nl
nl_says() { tr ' ' '\n' <<<"$1" | grep -Ev '^(vif|ifindex=.*|device=.*)$'; }

# agree: dump and files
agree() {
	local line path count=0
	nl vifs device=eth0 >"$tmp/dump" || return
	while read -r line; do
		path=$(word "$line" path)
		diff <(files_say "$eth0${path:+/$path}" | sort) <(nl_says "$line" | sort) || return
		count=$((count + 1))
	done <"$tmp/dump"
	[ $count = "$(find $eth0 -type d | wc -l)" ]
}

random_tree() {
	local i dirs=("$eth0") dir
	local -a rates=(max 8kbit 256kbit 3mbit 1gbit) bursts=(auto 1500b 20ms 700us 65537b)
	local -a fairs=(flow dual-srchost dual-dsthost) limits=(auto max 100p 64000b) aqms=(none auto 'codel target 7ms' 'codel target 3ms interval 40ms no-ack-filter')
	local -a dscps=(none ef cs0 'af21 force' 7) marks=(none 0 '0xffffffff force' 0x10/0xf0 '0/1 force')
	local -a quotas=(none '65537 then 256kbit' '1501 then stop left 1500' '1501 then stop left 0')
	echo 'egress overhead -14 mpu 64 atm ingress mpu 84 ptm' >$eth0/link_layer
	for i in {1..40}; do
		dir=${dirs[RANDOM % ${#dirs[@]}]}/v$i
		mkdir "$dir" 2>/dev/null || continue
		dirs+=("$dir")
		echo "egress ${rates[RANDOM % 5]} ingress ${rates[RANDOM % 5]}" >"$dir/bandwidth"
		# many are refused: the VIF above has none
		{ echo "egress 8kbit ingress none" >"$dir/minimum"; } 2>/dev/null
		echo "egress ${bursts[RANDOM % 5]}" >"$dir/burst"
		echo "ingress ${limits[RANDOM % 4]}" >"$dir/limit"
		echo "egress ${aqms[RANDOM % 4]}" >"$dir/aqm"
		echo "ingress ${fairs[RANDOM % 3]}" >"$dir/fair"
		echo "${dscps[RANDOM % 5]}" >"$dir/dscp"
		echo "${marks[RANDOM % 5]}" >"$dir/mark"
		echo "${marks[RANDOM % 3]}" >"$dir/skb_priority"
		echo "egress ${quotas[RANDOM % 4]} ingress ${quotas[RANDOM % 4]}" >"$dir/quota"
		echo $((RANDOM % 10000 + 1)) >"$dir/weight"
		echo "ingress $((RANDOM % 8))" >"$dir/local_priority"
		chmod $((RANDOM % 8))$((RANDOM % 8))5 "$dir"
		chown $((RANDOM % 3)):$((RANDOM % 3)) "$dir"
	done
}

clear_tree() { find $eth0 -mindepth 1 -depth -type d -exec rmdir {} +; }

# --- the tests --------------------------------------------------------------------------

begin
need netnice
setup_veth
defer clear_tree

random_tree
ok 'a dump says what the files of a random tree say' agree
check_eq 'each VIF comes once, after the one above' "$(awk '{
	for (i = 2; i <= NF; i++) { split($i, w, "="); v[w[1]] = w[2] }
	if ("parent_id" in v && !(v["parent_id"] in seen)) print "early", $0
	if (seen[v["id"]]++) print "twice", $0
	delete v }' "$tmp/dump")" ''
clear_tree

mkdir -p $eth0/a/x/deep $eth0/b $eth0/private/below
chmod 700 $eth0/private
chmod 711 $eth0/b
mkdir $eth0/b/hidden
paths() { nl "$@" | sed 's/.* path=\([^ ]*\) .*/\1/' | sort | tr '\n' ' '; }

check_eq 'a path is a filter' "$(paths vifs device=eth0 path=a)" 'a a/x a/x/deep '
check_eq 'a number is one' "$(paths vifs id="$(stat -c %i $eth0/a/x)")" 'a/x a/x/deep '
check_eq 'an index is one' "$(paths vifs ifindex="$(</sys/class/net/eth0/ifindex)" path=b)" 'b b/hidden '
check_eq 'all devices come' "$(nl vifs | grep -c 'device=lo path= ')" 1
check_eq 'one VIF by path' "$(paths vif device=eth0 path=a/x)" 'a/x '
check_eq 'one VIF by number' "$(paths vif id="$(stat -c %i $eth0/b)")" 'b '

# --- who may see what ---------------------------------------------------------------------

check_eq 'a user does not see what is below a private VIF, or a VIF that may not be listed' \
	"$(as_user nl vifs device=eth0 | sed 's/.* path=\([^ ]*\) .*/\1/' | sort | tr '\n' ' ')" \
	' a a/x a/x/deep b private '
check_eq 'of a private VIF it sees what ls -l shows' \
	"$(as_user nl vifs device=eth0 path=private 2>/dev/null | grep -c 'mode=448$')" 1
check_eq 'an unlisted VIF that is named is there' \
	"$(as_user nl vif device=eth0 path=b/hidden | grep -c egress.weight)" 1
fails 'not by number' as_user nl vif id="$(stat -c %i $eth0/b/hidden)"
fails 'nor without search permission' as_user nl vif device=eth0 path=private/below
check_eq 'who opened the socket counts' "$(nl -u 1000 vifs device=eth0 path=private | wc -l)" 1
fails 'also for one VIF' nl -u 1000 vif device=eth0 path=private/below

# --- attachments ----------------------------------------------------------------------------

background sleep 1000
mine=$!
background as_user sleep 1000
user_pid=$!
busywait 60 test -e "$top/tasks/$user_pid/threads"
ln -s $eth0/a $top/tasks/$mine/
ln -s $eth0/a/x $top/tasks/$user_pid/
ln -s $eth0/private/below $top/tasks/$mine/threads/$mine/
mkdir $groups
defer rmdir $groups
ln -s $eth0/b $top/cgroups/netlink/
ln -s $eth0/b $top/devices/lo/
attachment() { nl attachments "${@:2}" | grep "$1"; }

line=$(attachment "path=a kind=2 origin=0 pid=$mine comm=sleep")
check_eq 'a process is listed' "${line:+yes}" yes
check_eq 'a thread' "$(attachment "path=private/below kind=3" | grep -c "pid=$mine tid=$mine")" 1
check_eq 'a control group' "$(attachment 'path=b kind=1 origin=0' | grep -c "cgroup_id=$(stat -c %i $groups) cgroup=/netlink")" 1
check_eq 'a device' "$(attachment 'path=b kind=0 origin=0' | grep -c 'from_device=lo')" 1
check_eq 'a path is a filter' "$(nl attachments device=eth0 path=a | wc -l)" 2
check_eq 'for a user, who sees the same numbers as in the file tasks' \
	"$(as_user nl attachments | grep -c "pid=$mine")" 1
check_eq 'but no names of processes of others' \
	"$(as_user nl attachments | grep "pid=$mine" | grep -c comm)" 0
check_eq 'only of own processes' "$(as_user nl attachments | grep "pid=$user_pid" | grep -c comm=sleep)" 1
check_eq 'nothing below a private VIF' "$(as_user nl attachments | grep -c private)" 0

# where one belongs, and by whose decision
belongs() { nl attachment device=eth0 "$@" | sed -n 's/.* kind=/kind=/p'; }
check_eq 'where a process belongs' "$(belongs pid=$mine)" 'kind=2 origin=0 given=a base=a path=a'
check_eq 'a thread' "$(belongs tid=$mine)" 'kind=3 origin=0 given=private/below base=private/below path=private/below'
check_eq 'a user, of a process of its own' "$(as_user nl attachment device=eth0 pid=$user_pid | sed 's/.* kind=/kind=/')" \
	'kind=2 origin=1 given=a/x base=a/x path=a/x'
check_eq 'not of others' "$(as_user nl attachment device=eth0 pid=$mine | grep -c kind=)" 0
check_eq 'nor of none' "$(belongs pid=$mine tid=$mine)$(belongs)$(nl attachment pid=$mine | grep -c kind=)" 0
background as_user sleep 1000
free=$!
busywait 60 test -e "$top/tasks/$free/threads"
as_user bash -c "mkdir $eth0/user-1000 && echo $free >$eth0/user-1000/tasks"
check_eq "a user's choice" "$(belongs pid=$free)" 'kind=2 origin=0 chosen=user-1000 base= path=user-1000'
ln -s $eth0/b $top/cgroups/
check_eq 'which does not count any more' "$(belongs pid=$free)" 'kind=2 origin=0 chosen=user-1000 base=b path=b'
rm $top/cgroups/eth0
stop $free

# sockets
background traffic sink udp 9100 >/dev/null
sink=$!
busywait 60 test -e "$top/tasks/$sink/sockets/3"
ln -s $eth0/a/x "$top/tasks/$sink/sockets/3/"
check_eq 'a socket' "$(attachment 'path=a/x kind=4' | grep -c "cookie=$((16#$(awk '{ print $1 }' $eth0/a/x/sockets))) .*type=2 protocol=17")" 1
check_eq 'a socket, by its cookie' "$(belongs cookie=$((16#$(awk '{ print $1 }' $eth0/a/x/sockets))))" \
	'kind=4 origin=0 given=a/x'

# --- statistics -------------------------------------------------------------------------------

echo 10m >$eth0/a/bandwidth
in_vif $eth0/a ping -c 20 -i 0.01 -s 1000 10.0.0.2 >/dev/null
line=$(nl vif device=eth0 path=a stat)
for key in packets bytes drops sojourn_max sojourn_p99; do
	check_eq "stat: $key" "$(word "$line" egress.stat.$key)" "$(vif_stat $eth0/a egress_$key)"
done
check_eq 'none unless asked for' "$(nl vif device=eth0 path=a | grep -c stat)" 0
in_vif $eth0/a traffic send udp 10.0.0.2 9 --rate 20m --seconds 1 >/dev/null 2>&1
line=$(nl vif device=eth0 path=a stat)
check_eq 'the histogram has all packets' \
	"$(word "$line" egress.stat.histogram | tr ',' '\n' | awk -F: '{ n += $2 } END { print n + 0 }')" \
	"$(word "$line" egress.stat.packets)"

# --- what goes wrong ---------------------------------------------------------------------------

refused() { nl "$@" 2>&1 >/dev/null | sed 's/^nl: //'; }
check_eq 'no device' "$(refused vif device=eth9)" \
	'No such device: there is no such network device in this namespace'
check_eq 'no VIF' "$(refused vif device=eth0 path=a/nothing)" \
	'No such file or directory: there is no VIF with this path below the device, or it is not visible to you: use a path like web/video'
check_eq 'no number' "$(refused vif id=999999999)" \
	'No such file or directory: there is no VIF with this number, or it is not visible to you'
check_eq 'too many names' "$(refused vif id=1 device=eth0)" \
	'Invalid argument: name a VIF by its number, or by device and path'
check_eq 'a path alone' "$(refused vif path=a)" \
	'Invalid argument: a path is below a device: also name the device'
check_eq 'no name' "$(refused vif)" \
	'Invalid argument: name a VIF by its number, or by device and path; or ask for a dump'
fails 'an attribute that is no filter' nl vifs device=eth0 uid=0
fails 'an unknown attribute' nl vifs bogus=0
fails 'a dump of what is not there' nl vifs device=eth0 path=nothing
log_clean

# --- events ---------------------------------------------------------------------------------------

all_users=yes # or only administrators
background nl events >"$tmp/events"
busywait 60 file_says "$tmp/events" ready
as_user nl events >"$tmp/user.events" 2>&1 </dev/null &
defer stop $!
busywait 60 grep -q . "$tmp/user.events"
grep -q ready "$tmp/user.events" || all_users=

told() { busywait 10 grep -q "$2" "$tmp/$1"; }

mkdir $eth0/c
ok 'vif-new' told events "^vif-new .*path=c id=$(stat -c %i $eth0/c) .*uid=0 .*egress.weight=100"
echo 3m >$eth0/c/bandwidth
ok 'vif-set' told events '^vif-set .*path=c .*ingress.bandwidth=375000'
chmod 750 $eth0/c
ok 'vif-set: the mode' told events '^vif-set .*path=c .*mode=488'
check_eq 'vif-set: once for both directions' "$(grep -c '^vif-set .*path=c .*mode=493' "$tmp/events")" 1
mv $eth0/c $eth0/a/d
ok 'vif-move' told events '^vif-move .*path=a/d old_path=c .*parent_id='"$(stat -c %i $eth0/a)"
ln -s $eth0/a/d $top/tasks/$user_pid/
ok 'attach' told events "^attach .*path=a/d kind=2 origin=0 pid=$user_pid"
rm $top/tasks/$user_pid/eth0
ok 'detach' told events "^detach .*path=a/d kind=2 origin=0 pid=$user_pid"
ln -s $eth0/a/d $top/tasks/$mine/threads/$mine/
ok 'attach: a thread' told events "^attach .*path=a/d kind=3 .*pid=$mine tid=$mine"
ln -s $eth0/a/d $top/tasks/$mine/threads/$mine/
check_eq 'attach: as it was already' "$(grep -c "^attach .*path=a/d kind=3" "$tmp/events")" 1
stop $mine
busywait 10 rmdir $eth0/a/d
ok 'vif-del' told events '^vif-del .*path=a/d '
mkdir $eth0/auto
background "${in_vif_prefix[@]}" $eth0/auto sleep 1000
busywait 60 grep -q . $eth0/auto/tasks
echo 1 >$eth0/auto/autoremove
stop $!
ok 'vif-del: autoremove' told events '^vif-del .*path=auto '
modprobe dummy numdummies=0
ip link add dum0 type dummy
ok 'vif-new: a device' told events '^vif-new .*device=dum0 path= '
ip link set dum0 name dum1
ok 'vif-move: a device' told events '^vif-move .*device=dum1 path= '
ip link del dum1
ok 'vif-del: a device' told events '^vif-del .*device=dum1 path= '

if [ $all_users ]; then
	mkdir $eth0/private/secret $eth0/open
	ok 'a user gets events of visible VIFs' told user.events '^vif-new .*path=open '
	check_eq 'and nothing else' "$(grep -c secret "$tmp/user.events")" 0
	mv $eth0/open $eth0/private/
	ok 'a VIF that is hidden has gone, for a user' told user.events '^vif-del .*path=open '
	mv $eth0/private/open $eth0/shown
	ok 'one that is shown is new' told user.events '^vif-new .*path=shown '
	ok 'an administrator is told that they move' told events '^vif-move .*path=private/open old_path=open'
	check_eq 'not the user' "$(grep -c 'secret\|private/\|^vif-move .*open' "$tmp/user.events")" 0
	rmdir $eth0/private/secret $eth0/shown
else
	check_eq 'a kernel that cannot choose tells administrators only' \
		"$(grep -c 'not permitted' "$tmp/user.events")" 1
fi

# --- namespaces -----------------------------------------------------------------------------------

check_eq 'another namespace has its own' "$(peer nl vifs | grep -c 'path=a ')" 0
check_eq 'with its own devices' "$(peer nl vifs | grep -c 'device=eth0 path= ')" 1
fails 'numbers are not shared' peer nl vif id="$(stat -c %i $eth0/a)"
check_eq 'nor attachments' "$(peer nl attachments | wc -l)" 0

# --- many --------------------------------------------------------------------------------------------

mkdir $eth0/many
(cd $eth0/many && seq 10000 | xargs mkdir)
best=
for i in 1 2 3 4 5; do
	line=$(nl -q vifs device=eth0 path=many)
	us=${line#*us=}
	[ -n "$best" ] && [ "$best" -lt "$us" ] || best=$us
done
check_eq '10000 VIFs come' "${line%% *}" messages=10001
note "10000 VIFs in $best us"
line=$(nl -q vifs device=eth0 path=many stat)
note "with statistics: ${line#* }"
sanitized || check 'in 50 ms' "$best <= 50000"

# dumps while the tree changes: whatever stays is there once
churn() {
	while :; do
		mkdir $eth0/many/new && mv $eth0/many/new $eth0/many/1/new && rmdir $eth0/many/1/new
		# in virtual time no other process would get a turn
		pause 0.001
	done
}
churn &
defer stop $!
whole=0 interrupted=0 rounds=3
! sanitized || rounds=2
for ((i = 0; i < rounds; i++)); do
	nl vifs device=eth0 path=many >"$tmp/dump"
	grep -q interrupted "$tmp/dump" && interrupted=$((interrupted + 1))
	[ "$(grep -Eo 'path=many/[0-9]+ ' "$tmp/dump" | sort -u | wc -l)" = 10000 ] &&
		[ "$(grep -Ec 'path=many/[0-9]+ ' "$tmp/dump")" = 10000 ] && whole=$((whole + 1))
done
check_eq 'dumps of a tree that changes have what stays, once' $whole $rounds
if in_uml && [ $interrupted -eq 0 ]; then
	skip 'and say so' 'nothing changes while a dump takes no time'
else
	check 'and say so' "$interrupted > 0"
fi
log_clean
