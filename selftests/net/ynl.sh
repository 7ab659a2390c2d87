#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: with=ynl
# lab: kernels=new, timeout=900, budget=9
#
# YNL, the kernel's own client, knows the netlink family by its description alone
# (Documentation/netlink/specs), and is told the same as nl, which knows it by the header.
# That this is what the files say is netlink.sh's matter.

. "$(dirname "$0")/lib.sh"

top=/proc/network
eth0=$top/eth0
groups=/sys/fs/cgroup/ynl
linux=/usr/src/linux
spec=$linux/Documentation/netlink/specs/netnice.yaml
cli=$linux/tools/net/ynl/pyynl/cli.py
client=(python3 -u "$cli" --spec "$spec")

# clients NAME COMMAND...: one for many commands, which COMMAND starts
declare -A to from
clients() {
	local in out
	mkfifo "$tmp/to.$1" "$tmp/from.$1"
	exec {in}<>"$tmp/to.$1" {out}<>"$tmp/from.$1"
	to[$1]=$in from[$1]=$out
	"${@:2}" python3 "$net_dir/ynl.py" "$cli" <&"$in" >"$tmp/said.$1" 2>&"$out" &
	defer stop $!
}

# to look at the schema each time takes too long; `as` is as_user, or nothing
as=
ynl() {
	local who=${as:-root} line=''
	printf '%s\n' --spec "$spec" --no-schema --output-json "$@" '' >&"${to[$who]}"
	until [ "$line" = answered ]; do
		IFS= read -rt 300 line <&"${from[$who]}" || return
	done
	cat "$tmp/said.$who"
}

# in_words NAME: of standard input; jq counts up to 2^53
in_words() { sed -E 's/: ([0-9]{16,})/: "\1"/g' | jq -r --arg name "$1" -f "$net_dir/ynl.jq"; }

# agree: of standard input, a line each: YNL and nl are given the same answer
agree() {
	local name mode operation json words said
	while IFS='|' read -r name mode operation json words; do
		# shellcheck disable=SC2086
		said=$($as nl $words)
		check_eq "$mode $operation: $name" \
			"$(ynl "--$mode" "$operation" --json "$json" | tee -a "$tmp/$operation" |
				in_words "${said%% *}")" \
			"${said:-something}"
	done
}

# refused: of standard input, a line each: what YNL makes of an extended ack
refused() {
	local name mode operation json want
	while IFS='|' read -r name mode operation json want; do
		check_eq "refused: $name" "$(ynl "--$mode" "$operation" --json "$json")" \
			"Netlink error: $want"
	done
}

# --- what there is to be told ---------------------------------------------------------

parameters() {
	echo 'egress 3mbit ingress 256kbit' >$eth0/a/bandwidth
	echo 'egress 1mbit' >$eth0/a/minimum
	echo 'egress 1500b ingress 20ms' >$eth0/a/burst
	echo 'egress 100p ingress 64000b' >$eth0/a/limit
	echo max >$eth0/a/x/limit
	echo 'egress overhead -14 mpu 64 atm ingress mpu 84 ptm' >$eth0/link_layer
	echo 'egress codel target 7ms interval 40ms no-ack-filter' >$eth0/a/aqm
	echo 'ingress none' >$eth0/a/aqm
	echo 'egress dual-dsthost ingress dual-srchost' >$eth0/a/fair
	echo 300 >$eth0/a/weight
	echo 'egress 1 ingress 2' >$eth0/a/class
	echo 7 >$eth0/a/group
	echo 'ef force' >$eth0/a/dscp
	echo '0x10/0x70 force' >$eth0/a/mark
	echo '3 force' >$eth0/a/skb_priority
	echo 'egress 10g then 256k left 9g ingress 1m then stop' >$eth0/a/quota
	echo 'uid 1000 1,6 0 0 0' >$eth0/a/program
	echo 'ingress 2' >$eth0/a/priority
	echo 7 >$eth0/a/local_weight
	echo 3 >$eth0/a/local_priority
	chown 1000:100 $eth0/b
	chmod 711 $eth0/b
	mkdir -m 700 $eth0/private
}

attach() {
	ln -s $eth0/a $top/tasks/$process/
	ln -s $eth0/a/x $top/tasks/$process/threads/$process/
	ln -s $eth0/b $top/tasks/$process/sockets/3/
	ln -s $eth0/b $top/cgroups/ynl/
	ln -s $eth0/a/x $top/devices/lo/
	ln -s $top/lo/many $top/tasks/$process/
}

detach() {
	rm $top/tasks/$process/{lo,eth0,threads/$process/eth0,sockets/3/eth0} \
		$top/{cgroups/ynl,devices/lo}/eth0
}

# none_waits: what is read twice is the same
none_waits() { ! grep -q '_queue_packets [1-9]' $eth0/a/stat; }

# listen: to events, both of them; YNL does not say when it is there, and ends where
# events are lost
listen() {
	background nl events >"$tmp/nl.events"
	background "${client[@]}" --no-schema --output-json --subscribe events >"$tmp/ynl.events"
	busywait 60 file_says "$tmp/nl.events" ready
	busywait 120 told_of_mode || note 'YNL does not hear of a mode'
}

# a mode that it has already is no event
told_of_mode() {
	chmod 711 $eth0
	chmod 755 $eth0
	grep -q . "$tmp/ynl.events"
}

# between: the first VIF of ours and the last one
between() { sed -n '/^vif-new .* path=a /,/^vif-new .* path=last /p'; }

told() { grep -q '[="]last[", ]' "$tmp/$1.events"; }

# --- what is described, and what comes ----------------------------------------------------

# described FILTER: of the description
described() { jq -r "$1" "$tmp/spec.json" | sort -u; }

# policy MODE OPERATION: attributes of requests and their types, as the kernel has them
policy() {
	ynl --policy "--$1" "$2" |
		jq -r 'to_entries[] | "\(.key) \(.value.type | sub("nul-"; ""))"' | sort
}

# complete NAME FILTER FILE MESSAGES: attributes of the description, as FILTER has them; and of
# messages in the file
complete() {
	check_eq "$1: all that is described comes, and nothing else" \
		"$(jq -r "$4 | keys[]" "$3" | sort -u)" "$(described "$2")"
}

# set_of NAME, reply_of OPERATION: filters of the description
set_of() {
	echo ".\"attribute-sets\"[] | select(.name == \"$1\").attributes[] | select(.type != \"pad\").name"
}

reply_of() {
	echo ".operations.list[] | select(.name == \"$1\") | (.dump.reply // .event).attributes[]"
}

each='if type == "array" then .[] else . end'

# --- the description ----------------------------------------------------------------------

begin
[ -e $linux/tools/net/ynl ] || skip_all 'there is no YNL'
need netnice
setup_veth
clients root
clients as_user "${user_prefix[@]}"

mkdir -p ${spec%/*}
ln -s "$net_dir/netnice.yaml" $spec
python3 -c 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)' \
	<$spec >"$tmp/spec.json"

ok 'the description is as the schema has it' "${client[@]}" --validate
sed 's/type: flag/type: flags/' $spec >${spec%/*}/wrong.yaml
check_eq 'another one is not' \
	"$("${client[@]}" --spec ${spec%/*}/wrong.yaml --validate 2>&1 | grep -o "'flags' is not one of")" \
	"'flags' is not one of"

for request in 'do vif-get' 'dump vif-get' 'dump attachment-get'; do
	mode=${request% *} operation=${request#* }
	# shellcheck disable=SC2016,SC2086
	check_eq "$request: the kernel takes the attributes that are described" \
		"$(policy $request)" "$(described '."attribute-sets" as $sets
			| .operations.list[] | select(.name == "'$operation'")
			| .'$mode'.request.attributes[] as $name
			| ."attribute-set" as $set
			| $sets[] | select(.name == $set).attributes[] | select(.name == $name)
			| "\($name) \(.type)"')"
done

# --- dumps and requests -------------------------------------------------------------------

mkdir $groups
defer rmdir $groups
mkdir $top/lo/many
(cd $top/lo/many && seq 300 | xargs mkdir)
background traffic sink udp 9100 >/dev/null
process=$!
busywait 60 test -e "$top/tasks/$process/sockets/3"
listen
mkdir -p $eth0/a/x $eth0/b
parameters
attach
ip link add ynl0 type veth peer name ynl1
ip link set ynl0 up
echo ynl0 >$eth0/b/stack
echo udp 4990 >$eth0/b/ports
in_vif $eth0/a ping -q -c 20 -i 0.01 -s 1000 10.0.0.2 >/dev/null
in_vif $eth0/a traffic send udp 10.0.0.2 9 --rate 20m --seconds 1 >/dev/null 2>&1
busywait 60 none_waits

id=$(stat -c %i $eth0/a)
index=$(</sys/class/net/eth0/ifindex)
agree <<END
all|dump|vif-get|{}|vifs
of a device|dump|vif-get|{"device": "eth0"}|vifs device=eth0
by index and path|dump|vif-get|{"ifindex": $index, "path": "a"}|vifs ifindex=$index path=a
by number, with statistics|dump|vif-get|{"id": $id, "stat": true}|vifs id=$id stat
one|do|vif-get|{"device": "eth0", "path": "a/x"}|vif device=eth0 path=a/x
one by number|do|vif-get|{"id": $id, "stat": true}|vif id=$id stat
all|dump|attachment-get|{}|attachments
of a device|dump|attachment-get|{"device": "lo"}|attachments device=lo
by path|dump|attachment-get|{"device": "eth0", "path": "a"}|attachments device=eth0 path=a
by number|dump|attachment-get|{"vif-id": $id}|attachments id=$id
END
as=as_user
agree <<'END'
as a user, who sees less|dump|vif-get|{"device": "eth0"}|vifs device=eth0
END
as=
check_eq 'several requests at once' \
	"$(ynl --multi vif-get '{"device": "lo"}' --multi vif-get "{\"id\": $id}" | in_words vif | cut -d' ' -f3-4)" \
	$'device=lo path=\ndevice=eth0 path=a'

# --- what goes wrong ------------------------------------------------------------------------

none='there is no VIF with this'
refused <<END
no device|do|vif-get|{"device": "eth9"}|there is no such network device in this namespace: No such device {'bad-attr': '.device'}
no path|do|vif-get|{"device": "eth0", "path": "none"}|$none path below the device, or it is not visible to you: use a path like web/video: No such file or directory {'bad-attr': '.path'}
two names|do|vif-get|{"device": "eth0", "id": 1}|name a VIF by its number, or by device and path: Invalid argument {'bad-attr': '.id'}
no name|do|vif-get|{}|name a VIF by its number, or by device and path; or ask for a dump: Invalid argument
no filter|dump|vif-get|{"device": "eth0", "uid": 0}|Unsupported attribute: Invalid argument {'bad-attr': '.uid'}
a long name|do|vif-get|{"device": "a-name-of-16-byt"}|Attribute failed policy validation: Invalid argument {'policy': {'max-length': 15, 'type': 'nul-string'}, 'bad-attr': '.device'}
no target|do|attachment-get|{"device": "eth0"}|name one process, thread or socket, and a device; or ask for a dump: Invalid argument
END
if nl vifs device=eth9 2>&1 | grep -q 'there is no'; then
	refused <<-END
	no index|dump|vif-get|{"ifindex": 999}|there is no such network device in this namespace: No such device {'bad-attr': '.ifindex'}
	no number|dump|attachment-get|{"vif-id": 999}|$none number, or it is not visible to you: No such file or directory {'bad-attr': '.vif-id'}
	a path alone|dump|attachment-get|{"path": "a"}|a path is below a device: also name the device: Invalid argument {'bad-attr': '.path'}
	END
else
	skip 'refused: dumps' 'this kernel does not tell why a dump does not begin'
fi

# --- events ------------------------------------------------------------------------------------

chmod 750 $eth0/b
mv $eth0/b $eth0/a/moved
echo none >$eth0/a/moved/stack
ip link del ynl0
detach
find $eth0 -mindepth 1 -depth -type d -exec rmdir {} +
mkdir $eth0/last
defer rmdir $eth0/last
busywait 60 told ynl
busywait 60 told nl
in_words '' <"$tmp/ynl.events" >"$tmp/events"
check_eq 'events' "$(between <"$tmp/events")" "$(between <"$tmp/nl.events")"
check_eq 'of every kind' "$(between <"$tmp/events" | cut -d' ' -f1 | sort -u)" \
	"$(described '.operations.list[] | select(.mcgrp).name')"

# --- no more and no less than is described ---------------------------------------------------

for event in vif-del vif-move attach detach; do
	complete "$event" "$(reply_of $event)" "$tmp/ynl.events" \
		"select(.name == \"$event\").msg"
done
complete 'vif-new, vif-set' "$(reply_of vif-get)" "$tmp/ynl.events" \
	'select(.name == "vif-new" or .name == "vif-set").msg'
complete vif-get "$(reply_of vif-get)" "$tmp/vif-get" "$each"
complete 'egress, ingress' "$(set_of dir)" "$tmp/vif-get" "$each | .egress // {}, .ingress // {}"
complete stat "$(set_of stat)" "$tmp/vif-get" "$each | .egress.stat // {}"
complete attachment-get "$(reply_of attachment-get)" "$tmp/attachment-get" "$each"
