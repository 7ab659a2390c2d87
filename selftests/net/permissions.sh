#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Who may do what, as a table: a line for each thing that can be done, a column for
# each who tries. What is allowed has to have an effect, which root takes back. What
# is refused must say so in the right way, and change nothing.
# lab: kernels=6.1+new, timeout=1800, budget=35

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/refusals.sh"

# The columns. All have the same processes besides, see server_body.
#	root
#	own	user 1000, who has been given VIFs
#	mem	user 1001, a member of group 2000, which has been given some
#	oth	user 1002
#	net	user 1000 with CAP_NET_ADMIN and no other capability
#	nsr	root of a user namespace that user 1000 has made, on the host's network
#	con	the same with a network namespace of its own; at the host's file system
columns=(root own mem oth net nsr con)
declare -A who_is=(
	[root]=''
	[own]='setpriv --reuid=1000 --regid=1000 --clear-groups'
	[mem]='setpriv --reuid=1001 --regid=1001 --groups=2000'
	[oth]='setpriv --reuid=1002 --regid=1002 --clear-groups'
	[net]='setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=+net_admin --ambient-caps=+net_admin'
	[nsr]='setpriv --reuid=1000 --regid=1000 --clear-groups unshare -Ur'
	[con]='setpriv --reuid=1000 --regid=1000 --clear-groups unshare -Urn'
)

# What a cell says. Capital letters: netnice has said why, in last_error; small ones:
# it has not been asked, or keeps quiet about what is not to be known.
#	+	it is done, and can be seen
#	=	it is done, there is nothing to be seen of it
declare -A says_so=(
	[A]=$eacces [P]=$eperm [N]=$enoent [I]=$inval [B]='busy' [S]='No such process' [U]='superuser' [C]='Cannot find device' [D]='permission denied'
)

# --- who tries --------------------------------------------------------------------

# A shell for each column, which does what it is told: it is fast where programs
# are slow to start. It says its status, what last_error says if that is new, and
# what the command has said.
# each VIF FILE=VALUE...: all have to be written, or all be refused
each() {
	local vif=$1 setting said errors='' written=0
	shift
	for setting; do
		if said=$(set_to "$vif/${setting%%=*}" "${setting#*=}" 2>&1); then
			written=$((written + 1))
		else
			errors+=$said
		fi
	done
	[ $written -gt 0 ] || echo "$errors"
	[ $written -eq 0 ] || [ $written -eq $# ] || echo "$written of $# written"
	[ $written -eq $# ]
}

# lists PROCESS: does the directory tasks?
lists() {
	local entry
	for entry in "$T"/tasks/*; do
		[ "${entry##*/}" != "$1" ] || return 0
	done
	echo 'No such file or directory'
	return 1
}
export -f each lists

# shellcheck disable=SC2016
server_body='
	exec 7<>/dev/udp/127.0.0.1/9
	bash -c "exec sleep 100000" & mine=$!
	sleep 100000 & given=$!
	exec 7>&-
	out_file=/dev/shm/permissions.$BASHPID
	echo "$mine $given"
	while IFS= read -r line; do
		{ echo fresh >$T/lo/autoremove; } 2>/dev/null
		IFS= read -r was <$T/last_error
		{ eval "$line"; } </dev/null >$out_file 2>&1
		status=$?
		IFS= read -rd "" out <$out_file
		IFS= read -r said <$T/last_error
		[ "$was" != "$said" ] || said=
		printf "%s\n" "$status" "$said" "${out//$'"'\n'"'/ }"
	done
	rm $out_file'

# Programs that start fast, where starting them is all there is to do
for name in mkdir rmdir mv rm chown chmod chgrp cat ls; do
	eval "$name() { busybox $name \"\$@\"; }"
	# shellcheck disable=SC2163
	export -f "$name"
done

declare -A to from mine_of given_of
theirs='' roots='' plain='' able=''
# shellcheck disable=SC2086
server_start() {
	local in out
	mkfifo "$tmp/to.$1" "$tmp/from.$1"
	exec {in}<>"$tmp/to.$1" {out}<>"$tmp/from.$1"
	to[$1]=$in from[$1]=$out
	${who_is[$1]} bash -c "$server_body" 2>/dev/null <&"$in" >&"$out" &
	defer stop $!
	defer rm -f "/dev/shm/permissions.$!"
	read -r "mine_of[$1]" "given_of[$1]" <&"$out"
	defer kill "${mine_of[$1]}" "${given_of[$1]}"
}

# tries COLUMN COMMAND: sets status, said, out
tries() {
	echo "mine=${mine_of[$1]} given=${given_of[$1]} theirs=$theirs roots=$roots plain=$plain able=$able; $2" >&"${to[$1]}"
	IFS= read -r status <&"${from[$1]}"
	IFS= read -r said <&"${from[$1]}"
	IFS= read -r out <&"${from[$1]}"
}

# --- the judge --------------------------------------------------------------------

# everything that can be seen, in few programs: owners, modes, links, files
look_at_all() {
	seen=$({
		find $top -path $top/tasks/self -o -printf '%p %U:%G %m %l\n'
		grep -rs '' $E $T/lo --exclude=stat
	} | sort)
}

# undo COLUMN COMMAND: by root
# shellcheck disable=SC2034
undo() {
	local mine=${mine_of[$1]} given=${given_of[$1]} id=${id_of[$1]}
	eval "$2"
}
declare -A id_of=([root]=0 [own]=1000 [mem]=1001 [oth]=1002 [net]=1000 [nsr]=1000 [con]=1000)

# cell COLUMN WANT COMMAND UNDO: what is wrong is added to `wrong`
cell() {
	local column=$1 want=$2 letter=${2^}
	tries "$column" "id=${id_of[$column]}; $3"
	if [[ $want == [+=] ]]; then
		[ "$status" -eq 0 ] || wrong+=("not allowed: $out; $said")
		[ "$want" = = ] && return
		# where nothing has been done, most of them cannot be undone
		case $4 in
		*each* | *chown* | *chmod* | *chgrp* | *mount*)
			look_at_all
			[ "$seen" != "$before" ] || wrong+=('no effect')
			;;
		esac
		undo "$column" "$4" || wrong+=("cannot be undone: $4")
		return
	fi
	[ "$status" -ne 0 ] || { wrong+=("allowed, want: ${says_so[$letter]}"); undo "$column" "$4"; return; }
	[[ $out == *"${says_so[$letter]}"* ]] || wrong+=("want: ${says_so[$letter]}" "got: $out")
	[[ $want != [[:upper:]] ]] || [ -n "$said" ] || wrong+=("nothing in last_error; got: $out")
	[[ $said != *[[:cntrl:]]* ]] || wrong+=("last_error: $(cat -v <<<"$said")")
}

# row NAME CELLS COMMAND UNDO
row() {
	local name=$1 i=0 want wrong command=$3 undo=$4
	for want in $2; do
		wrong=()
		cell "${columns[i]}" "$want" "$command" "$undo"
		if [ ${#wrong[@]} -eq 0 ]; then
			pass "$name: ${columns[i]}: $want"
		else
			fail "$name: ${columns[i]}: $want" "$command" "${wrong[@]}"
		fi
		i=$((i + 1))
	done
	look_at_all
	if [ "$seen" != "$before" ]; then
		fail "$name: nothing else has changed" "$(diff <(echo "$before") <(echo "$seen"))"
		before=$seen
	fi
}

# rows GROUP: from stdin, see below
rows() {
	local name cells command undo
	look_at_all
	before=$seen
	while IFS='|' read -r name cells command undo; do
		[[ $name == '#'* ]] && continue
		name=${name%"${name##*[![:blank:]]}"}
		row "$1: $name" "$cells" "$command" "${undo:-true}"
	done
}

# --- what they try ------------------------------------------------------------------

# Of eth0:	u	user 1000's, who also owns x, y and y/in there; u2 another one
#		g	group 2000's, in which x is its
#		mm	user 1001's
#		o	root's, with o/p
#		t	everybody's, but sticky, with user 1000's x
#		w	everybody's
#		d	root's, who has closed it; d/in is everybody's
make_tree() {
	mkdir -p $E/u/x $E/u/y/in $E/u2 $E/g/x $E/mm $E/o/p $E/t/x $E/w $E/d/in
	chown 1000:1000 $E/u $E/u/x $E/u/y $E/u/y/in $E/u2 $E/t/x
	chown 0:2000 $E/g $E/g/x
	chown 1001:1001 $E/mm
	chmod 775 $E/g $E/g/x
	chmod 1777 $E/t
	chmod 777 $E/w $E/d/in
	chmod 700 $E/d
	echo 8m >$E/u/bandwidth
}

directories() {
	rows mkdir <<-'END'
	#                           root own mem oth net nsr con
	in the root VIF            | +    A   A   A   A   A   A  | mkdir $E/new      | rmdir $E/new
	in the owner's             | +    +   A   A   +   +   +  | mkdir $E/u/new    | rmdir $E/u/new
	in the owner's, below      | +    +   A   A   +   +   +  | mkdir $E/u/x/new  | rmdir $E/u/x/new
	in the group's             | +    A   +   A   A   A   A  | mkdir $E/g/new    | rmdir $E/g/new
	in root's                  | +    A   A   A   A   A   A  | mkdir $E/o/new    | rmdir $E/o/new
	in everybody's             | +    +   +   +   +   +   +  | mkdir $E/w/new    | rmdir $E/w/new
	in a sticky one            | +    +   +   +   +   +   +  | mkdir $E/t/new    | rmdir $E/t/new
	no search permission       | +    a   a   a   a   a   a  | mkdir $E/d/in/new | rmdir $E/d/in/new
	at the top                 | P    a   a   a   a   a   a  | mkdir $T/new      |
	in tasks                   | p    a   a   a   a   a   a  | mkdir $T/tasks/new |
	user-UID, own              | +    +   +   +   +   +   +  | mkdir $E/user-$id | rmdir $E/user-$id
	user-UID, another's        | I    I   I   I   I   I   I  | mkdir $E/user-4242 |
	user-UID, badly written    | I    I   I   I   I   I   I  | mkdir $E/user-0$id |
	user-UID elsewhere         | +    A   A   A   A   A   A  | mkdir $E/o/user-$id | rmdir $E/o/user-$id
	user-UID in an own VIF     | +    +   A   A   +   +   +  | mkdir $E/u/user-$id | rmdir $E/u/user-$id
	END
	mkdir $E/user-0
	rows rmdir <<-'END'
	#                           root own mem oth net nsr con
	own, in the root VIF       | +    A   A   A   A   A   A  | rmdir $E/u2       | mkdir $E/u2; chown 1000:1000 $E/u2
	own, in own                | +    +   A   A   +   +   +  | rmdir $E/u/x      | mkdir $E/u/x; chown 1000:1000 $E/u/x
	in the group's             | +    A   +   A   A   A   A  | rmdir $E/g/x      | mkdir -m 775 $E/g/x; chgrp 2000 $E/g/x
	own, in a sticky one       | +    +   p   p   +   +   +  | rmdir $E/t/x      | mkdir $E/t/x; chown 1000:1000 $E/t/x
	root's                     | +    A   A   A   A   A   A  | rmdir $E/o/p      | mkdir $E/o/p
	no search permission       | +    a   a   a   a   a   a  | rmdir $E/d/in     | mkdir -m 777 $E/d/in; chmod 777 $E/d/in
	user-UID, another's        | +    A   A   A   A   A   A  | rmdir $E/user-0   | mkdir $E/user-0
	END
	rmdir $E/user-0
}

moves() {
	rows mv <<-'END'
	#                           root own mem oth net nsr con
	in place, in the root VIF  | +    A   A   A   A   A   A  | mv -T $E/u2 $E/z        | mv -T $E/z $E/u2
	in place, the owner's      | +    +   A   A   +   +   +  | mv -T $E/u/x $E/u/z     | mv -T $E/u/z $E/u/x
	in place, the group's      | +    A   +   A   A   A   A  | mv -T $E/g/x $E/g/z     | mv -T $E/g/z $E/g/x
	in place, root's           | +    A   A   A   A   A   A  | mv -T $E/o/p $E/o/z     | mv -T $E/o/z $E/o/p
	in place, a sticky one     | +    +   p   p   +   +   +  | mv -T $E/t/x $E/t/z     | mv -T $E/t/z $E/t/x
	down, in own               | +    +   A   A   +   +   +  | mv -T $E/u/x $E/u/y/x   | mv -T $E/u/y/x $E/u/x
	down, from the root VIF    | +    A   A   A   A   A   A  | mv -T $E/u2 $E/u/u2     | mv -T $E/u/u2 $E/u2
	down, into root's          | +    A   A   A   A   A   A  | mv -T $E/u/x $E/o/x     | mv -T $E/o/x $E/u/x
	up, in own                 | +    +   A   A   +   +   +  | mv -T $E/u/y/in $E/u/in | mv -T $E/u/in $E/u/y/in
	up, out of own             | +    A   A   A   A   A   A  | mv -T $E/u/x $E/x       | mv -T $E/x $E/u/x
	across, to own             | +    P   A   A   P   P   P  | mv -T $E/u/x $E/u2/x    | mv -T $E/u2/x $E/u/x
	across, to everybody's     | +    P   A   A   P   P   P  | mv -T $E/u/x $E/w/x     | mv -T $E/w/x $E/u/x
	across, out of the group's | +    A   P   A   A   A   A  | mv -T $E/g/x $E/w/x     | mv -T $E/w/x $E/g/x
	across, into the group's   | +    A   A   A   A   A   A  | mv -T $E/o/p $E/g/p     | mv -T $E/g/p $E/o/p
	to another device          | I    I   I   I   I   I   I  | mv -T $E/u/x $T/lo/x    |
	to a reserved name         | I    I   I   I   I   I   I  | mv -T $E/w $E/user-$id  |
	a device                   | P    a   a   a   a   a   a  | mv -T $E $T/eth9        |
	a file                     | P    P   P   P   P   P   P  | mv -T $E/w/stat $E/w/x  |
	END
}

owners() {
	rows owner <<-'END'
	#                           root own mem oth net nsr con
	chown to himself           | =    P   P   P   P   i   i  | chown $id $E/o          |
	chown of own to others     | +    P   P   P   P   i   i  | chown 1001 $E/u2        | chown 1000 $E/u2
	chgrp to own group         | +    P   +   P   P   i   i  | chgrp 2000 $E/mm        | chgrp 1001 $E/mm
	chgrp to another group     | +    P   P   P   P   i   i  | chgrp 3000 $E/mm        | chgrp 1001 $E/mm
	chgrp of the group's       | +    P   P   P   P   i   i  | chgrp 1001 $E/g         | chgrp 2000 $E/g
	chmod of own               | +    +   P   P   +   +   +  | chmod 700 $E/u2         | chmod 755 $E/u2
	chmod of the group's       | +    P   P   P   P   P   P  | chmod 777 $E/g          | chmod 775 $E/g
	chmod of root's            | +    P   P   P   P   P   P  | chmod 777 $E/o          | chmod 755 $E/o
	chmod of the root VIF      | +    P   P   P   P   P   P  | chmod 777 $E            | chmod 755 $E
	chmod of a file            | P    P   P   P   P   P   P  | chmod 666 $E/u/tasks    |
	chmod of tasks             | P    P   P   P   P   P   P  | chmod 777 $T/tasks      |
	chmod of the top           | P    P   P   P   P   P   P  | chmod 777 $T            |
	END
}

# shellcheck disable=SC2034
# a device's root VIF has no share, and stays
restrain_root='bandwidth=2m minimum=none burst=9ms limit=9p link_layer=atm quota=none'
restrain='bandwidth=2m minimum=none burst=9ms weight=7 priority=1 limit=9p link_layer=none group=none class=3 quota=none autoremove=0'
# shellcheck disable=SC2034
restrain_undo='burst=auto weight=100 priority=4 limit=auto link_layer=none group=none class=none quota=none'
divide='local_weight=7 local_priority=1 aqm=none fair=dual-dsthost dscp=ef skb_priority=6'
# shellcheck disable=SC2034
divide_undo='local_weight=100 local_priority=4 aqm=auto fair=flow dscp=none skb_priority=none'

parameters() {
	rows 'write, what restrains' <<-'END'
	#                           root own mem oth net nsr con
	the root VIF               | +    A   A   A   A   A   A  | each $E $restrain_root | each $E bandwidth=max $restrain_undo
	own                        | +    A   A   A   A   A   A  | each $E/u $restrain   | each $E/u bandwidth=8m $restrain_undo
	own, in own                | +    +   A   A   +   +   +  | each $E/u/x $restrain | each $E/u/x bandwidth=max $restrain_undo
	the group's                | +    A   A   A   A   A   A  | each $E/g $restrain   | each $E/g bandwidth=max $restrain_undo
	the group's, in its        | +    A   +   A   A   A   A  | each $E/g/x $restrain | each $E/g/x bandwidth=max $restrain_undo
	root's                     | +    A   A   A   A   A   A  | each $E/o $restrain   | each $E/o bandwidth=max $restrain_undo
	everybody's                | +    A   A   A   A   A   A  | each $E/w $restrain   | each $E/w bandwidth=max $restrain_undo
	END
	rows 'write, the rest' <<-'END'
	#                           root own mem oth net nsr con
	the root VIF               | +    A   A   A   A   A   A  | each $E $divide  | each $E $divide_undo
	own                        | +    +   A   A   +   +   +  | each $E/u $divide     | each $E/u $divide_undo
	own, in own                | +    +   A   A   +   +   +  | each $E/u/x $divide   | each $E/u/x $divide_undo
	the group's                | +    A   +   A   A   A   A  | each $E/g $divide     | each $E/g $divide_undo
	the group's, in its        | +    A   +   A   A   A   A  | each $E/g/x $divide   | each $E/g/x $divide_undo
	root's                     | +    A   A   A   A   A   A  | each $E/o $divide     | each $E/o $divide_undo
	everybody's                | +    +   +   +   +   +   +  | each $E/w $divide     | each $E/w $divide_undo
	END
	chown 1000:1000 $T/lo
	rows 'write, own root VIF' <<-'END'
	#                           root own mem oth net nsr con
	what restrains             | +    A   A   A   A   A   A  | each $T/lo $restrain_root | each $T/lo bandwidth=max $restrain_undo
	the rest                   | +    +   A   A   +   +   +  | each $T/lo $divide | each $T/lo $divide_undo
	END
	chown 0:0 $T/lo
	rows 'write, anything else' <<-'END'
	#                           root own mem oth net nsr con
	a mark                     | +    P   A   A   +   P   P  | set_to $E/u/mark 7      | set_to $E/u/mark none
	autoremove of the root VIF | I    A   A   A   A   A   A  | set_to $E/autoremove 1  |
	stat                       | A    A   A   A   A   A   A  | set_to $E/u/stat 1      |
	a new file                 | a    a   a   a   a   a   a  | set_to $E/w/new 1       |
	nonsense                   | I    I   A   A   I   I   I  | set_to $E/u/x/weight x  |
	END
	rows read <<-'END'
	#                           root own mem oth net nsr con
	a VIF                      | =    =   =   =   =   =   =  | cat $E/o/[a-oq-z]*      |
	the root VIF               | =    =   =   =   =   =   =  | cat $E/stat $E/tasks    |
	own                        | =    =   =   =   =   =   =  | ls $E/u; cat $E/u/sockets |
	no search permission       | =    a   a   a   a   a   a  | cat $E/d/in/stat        |
	last_error                 | =    =   =   =   =   =   =  | cat $T/last_error       |
	END
}

# root has attached $given to u. What others attach to VIFs below can be seen.
attaching() {
	local column
	background setpriv --reuid=1003 --regid=1003 --clear-groups sleep 100000
	theirs=$!
	background sleep 100000
	roots=$!
	# shellcheck disable=SC2086
	background ${who_is[own]} sleep 100000
	plain=$!
	# shellcheck disable=SC2086
	background ${who_is[net]} sleep 100000
	able=$!
	for column in "${columns[@]}"; do
		echo "${given_of[$column]}" >$E/u/tasks
	done
	echo $roots >$E/o/tasks
	rows link <<-'END'
	#                           root own mem oth net nsr con
	own process                | +    +   A   A   +   +   +  | ln -s $V/u/x $T/tasks/$mine/        | rm $T/tasks/$mine/eth0
	own process, the group's   | +    A   +   A   A   A   A  | ln -s $V/g $T/tasks/$mine/          | rm $T/tasks/$mine/eth0
	own process, everybody's   | +    +   +   +   +   +   +  | ln -s $V/w $T/tasks/$mine/          | rm $T/tasks/$mine/eth0
	own process, root's        | +    A   A   A   A   A   A  | ln -s $V/o $T/tasks/$mine/          | rm $T/tasks/$mine/eth0
	own process, the root VIF  | +    A   A   A   A   A   A  | ln -s $V $T/tasks/$mine/            | rm $T/tasks/$mine/eth0
	own process, unsearchable  | +    I   I   I   I   I   I  | ln -s $V/d/in $T/tasks/$mine/       | rm $T/tasks/$mine/eth0
	himself                    | =    =   A   A   =   =   =  | (ln -s $V/u $T/tasks/self/)         |
	another user's             | +    n   n   n   n   n   n  | ln -s $V/w $T/tasks/$theirs/        | rm $T/tasks/$theirs/eth0
	root's                     | +    n   n   n   n   n   n  | ln -sfn $V/w $T/tasks/$roots/eth0   | echo $roots >$E/o/tasks
	one of user 1000           | +    +   n   n   +   n   n  | ln -s $V/w $T/tasks/$plain/         | rm $T/tasks/$plain/eth0
	the same with capabilities | +    n   n   n   +   n   n  | ln -s $V/w $T/tasks/$able/          | rm $T/tasks/$able/eth0
	a thread                   | +    +   A   A   +   +   +  | ln -s $V/u/x $T/tasks/$mine/threads/$mine/ | rm $T/tasks/$mine/threads/$mine/eth0
	another user's thread      | +    n   n   n   n   n   n  | ln -s $V/w $T/tasks/$theirs/threads/$theirs/ | rm $T/tasks/$theirs/threads/$theirs/eth0
	a socket                   | +    +   A   A   +   +   n  | ln -s $V/u/x $T/tasks/$mine/sockets/7/ | rm $T/tasks/$mine/sockets/7/eth0
	given, to one below        | +    +   A   A   +   +   +  | ln -sfn $V/u/x $T/tasks/$given/eth0 | echo $given >$E/u/tasks
	given, elsewhere           | +    P   P   P   +   P   P  | ln -sfn $V/w $T/tasks/$given/eth0   | echo $given >$E/u/tasks
	a group                    | +    P   P   P   P   P   P  | ln -s $V/w $T/cgroups/of-perms/     | rm $T/cgroups/of-perms/eth0
	a delegated group          | +    P   P   P   +   P   P  | ln -s $V/w $T/cgroups/of-perms/own/ | rm $T/cgroups/of-perms/own/eth0
	a group, root's VIF        | +    P   P   P   A   P   P  | ln -s $V/o $T/cgroups/of-perms/     | rm $T/cgroups/of-perms/eth0
	a device                   | +    P   P   P   +   P   P  | ln -s $V/w $T/devices/lo/           | rm $T/devices/lo/eth0
	END
	rows tasks <<-'END'
	#                           root own mem oth net nsr con
	own process                | +    +   A   A   +   +   +  | set_to $E/u/x/tasks $mine           | rm $T/tasks/$mine/eth0
	own process, the group's   | +    A   +   A   A   A   A  | set_to $E/g/tasks $mine             | rm $T/tasks/$mine/eth0
	own process, root's VIF    | +    A   A   A   A   A   A  | set_to $E/o/tasks $mine             | rm $T/tasks/$mine/eth0
	a thread                   | +    +   A   A   +   +   +  | set_to $E/u/x/tasks $mine/$mine     | rm $T/tasks/$mine/threads/$mine/eth0
	another user's             | +    P   P   P   P   P   P  | set_to $E/w/tasks $theirs           | rm $T/tasks/$theirs/eth0
	another user's thread      | +    P   P   P   P   P   P  | set_to $E/w/tasks $theirs/$theirs   | rm $T/tasks/$theirs/threads/$theirs/eth0
	root's                     | +    P   P   P   P   P   P  | set_to $E/w/tasks $roots            | echo $roots >$E/o/tasks
	one of user 1000           | +    +   P   P   +   P   P  | set_to $E/w/tasks $plain            | rm $T/tasks/$plain/eth0
	the same with capabilities | +    P   P   P   +   P   P  | set_to $E/w/tasks $able             | rm $T/tasks/$able/eth0
	given, to one below        | +    +   A   A   +   +   +  | set_to $E/u/x/tasks $given          | echo $given >$E/u/tasks
	given, elsewhere           | +    P   P   P   +   P   P  | set_to $E/w/tasks $given            | echo $given >$E/u/tasks
	one that is not there      | S    S   S   S   S   S   S  | set_to $E/w/tasks 2147483647        |
	END
	for column in "${columns[@]}"; do
		tries "$column" "echo \$mine >$E/w/tasks"
	done
	ln -s $V/w $T/cgroups/of-perms/
	ln -s $V/w $T/devices/lo/
	rows detach <<-'END'
	#                           root own mem oth net nsr con
	own attachment             | +    +   +   +   +   +   +  | rm $T/tasks/$mine/eth0              | tries $column "echo $mine >$E/w/tasks"
	what root has attached     | +    P   P   P   +   P   P  | rm $T/tasks/$given/eth0             | echo $given >$E/u/tasks
	another user's             | n    n   n   n   n   n   n  | rm $T/tasks/$theirs/eth0            |
	root's                     | +    n   n   n   n   n   n  | rm $T/tasks/$roots/eth0             | echo $roots >$E/o/tasks
	a group                    | +    P   P   P   +   P   P  | rm $T/cgroups/of-perms/eth0         | ln -s $V/w $T/cgroups/of-perms/
	a device                   | +    P   P   P   +   P   P  | rm $T/devices/lo/eth0               | ln -s $V/w $T/devices/lo/
	END
	rm $T/cgroups/of-perms/eth0 $T/devices/lo/eth0
	rows tasks/PID <<-'END'
	#                           root own mem oth net nsr con
	ls of own                  | =    =   =   =   =   =   =  | ls $T/tasks/$mine/ $T/tasks/$mine/threads/$mine $T/tasks/$mine/sockets |
	own socket                 | =    =   =   =   =   =   n  | cat $T/tasks/$mine/sockets/7/socket |
	ls of another user's       | =    n   n   n   n   n   n  | ls $T/tasks/$theirs/                |
	its threads                | =    n   n   n   n   n   n  | ls $T/tasks/$theirs/threads         |
	its thread                 | =    n   n   n   n   n   n  | ls $T/tasks/$theirs/threads/$theirs |
	its sockets                | =    n   n   n   n   n   n  | ls $T/tasks/$theirs/sockets         |
	its owner                  | =    n   n   n   n   n   n  | stat $T/tasks/$theirs               |
	its mode                   | P    n   n   n   n   n   n  | chmod 700 $T/tasks/$theirs          |
	its times                  | =    n   n   n   n   n   n  | touch -h -d 2000-01-01 $T/tasks/$theirs |
	ls of root's               | =    n   n   n   n   n   n  | ls $T/tasks/$roots/                 |
	the list names             | =    =   =   =   =   =   =  | lists $given                        |
	the list hides             | =    n   n   n   n   n   n  | lists $roots                        |
	groups                     | =    =   =   =   =   =   =  | ls $T/cgroups/of-perms              |
	devices                    | =    =   =   =   =   =   =  | ls $T/devices/lo                    |
	END
}

mounts() {
	mkdir -p /run/second
	rows mount <<-'END'
	#                           root own mem oth net nsr con
	a second one               | =    u   u   u   u   d   d  | mount -t netnice none /run/second && umount /run/second |
	with options               | b    u   u   u   u   d   d  | mount -t netnice -o mode=700 none /run/second |
	remount                    | +    u   u   u   u   d   d  | mount -o remount,mode=511 $T        | mount -o remount,mode=555 $T
	END
	rows tc <<-'END'
	#                           root own mem oth net nsr con
	qdisc                      | =    p   p   p   =   p   c  | tc qdisc replace dev eth0 root netnice && tc qdisc del dev eth0 root |
	END
}

# made NAME WANT COLUMN MASK: owner and mode of a VIF made in s
made() {
	tries "$3" "umask $4; mkdir $E/s/new"
	check_eq "modes: $1" "$(stat -c '%u:%g %a' $E/s/new $E/s/new/weight $E/s/new/stat | tr '\n' ' ')" "$2 "
	rmdir $E/s/new
}

# umask, set-group-ID, and who may search the top
modes() {
	mkdir $E/s
	chmod 777 $E/s
	made 'umask 022' '1000:1000 755 1000:1000 644 1000:1000 444' own 022
	made 'umask 002' '1000:1000 775 1000:1000 664 1000:1000 444' own 002
	made 'umask 077' '1000:1000 700 1000:1000 644 1000:1000 444' own 077
	made 'umask 777' '1000:1000 0 1000:1000 444 1000:1000 444' own 777
	made 'in a user namespace' '1000:1000 755 1000:1000 644 1000:1000 444' nsr 022
	chgrp 2000 $E/s
	chmod 2777 $E/s
	made 'set-group-ID' '1000:2000 2755 1000:2000 644 1000:2000 444' own 022
	made "set-group-ID, a member's" '1001:2000 2775 1001:2000 664 1001:2000 444' mem 002
	rmdir $E/s
	check_eq 'modes: a root VIF' "$(stat -c '%u:%g %a' $E)" '0:0 755'
	rows 'the top is closed, remount' <<-'END'
	#                           root own mem oth net nsr con
	mode=700                   | +    u   u   u   u   d   d  | mount -o remount,mode=700 $T        | mount -o remount,mode=555 $T
	END
	mount -o remount,mode=750,gid=2000 $T
	fails 'the top is closed to others' as_user cat $E/stat
	tries mem "cat $E/stat"
	check_eq "the top is open to the group" "$status" 0
	mount -o remount,mode=555,gid=0 $T
	ok 'the top is open again' as_user cat $E/stat
}

# told COMMAND PROCESS: what user 1002 is told of it, and last_error is not of
told() {
	setpriv --reuid=1002 --regid=1002 --clear-groups bash -c "cd $T/tasks; ${1//@/$2}" 2>&1 | sed "s/\<$2\>/@/g"
}

# Process $$ is root's. No process has the other number.
hidden() {
	local command seen='' names=0
	exec 8<"$T/tasks/$$"
	for command in 'mkdir @' 'rmdir @' 'rm @' 'mv @ @x' 'mv -T self @' 'ln -s x @' 'ln self @' 'readlink -v @' 'stat -f @' \
		'stat @' 'ls -d @' 'ls @/' 'chmod 700 @' 'touch @' 'touch -c @' ': <@' ': >@' ': >>@/x' 'cd @' 'mkdir @/threads/x'; do
		[ "$(told "$command" $$)" = "$(told "$command" 4194303)" ] || seen+="$command: $(told "$command" $$); "
	done
	check_eq 'a hidden process is the same as none' "$seen" ''
	# shellcheck disable=SC2034
	for command in /proc/self/fd/8/*; do names=$((names + 1)); done
	check_eq 'its directory stays open for root' $names 2
	exec 8<&-

	mkdir -p $E/private/inner
	chmod 700 $E/private
	echo "${mine_of[own]}" >$E/private/inner/tasks
	check_eq 'a link to a VIF that is hidden is there' "$(as_user ls $T/tasks/"${mine_of[own]}" | grep eth0)" eth0
	check_eq 'but cannot be read' "$(as_user readlink -v "$T/tasks/${mine_of[own]}/eth0" 2>&1 | grep -o "$eacces")" "$eacces"
	check_eq 'root reads it' "$(readlink "$T/tasks/${mine_of[own]}/eth0")" ../../eth0/private/inner
	chmod 711 $E/private
	check_eq 'as does the user who may search' "$(as_user readlink "$T/tasks/${mine_of[own]}/eth0")" ../../eth0/private/inner
	rm "$T/tasks/${mine_of[own]}/eth0"
	rmdir $E/private/inner $E/private
}

begin
modprobe dummy numdummies=0
setup_veth
need netnice
T=$top E=$eth0 V=$eth0
export T E V restrain restrain_root divide
mkdir -p /sys/fs/cgroup/of-perms/own && defer rmdir /sys/fs/cgroup/of-perms/own /sys/fs/cgroup/of-perms
chown 1000:1000 /sys/fs/cgroup/of-perms/own/cgroup.procs
chmod 711 "$tmp"
make_tree
for column in "${columns[@]}"; do
	server_start "$column"
done
for group in ${GROUPS_OF_PERMISSIONS-directories moves owners parameters attaching mounts modes hidden}; do
	$group
done
log_clean
