# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# For tests of what is refused: how (errno's text), with which words in last_error,
# and that the whole tree stays as it was. Sourced after lib.sh.

top=/proc/network
eth0=$top/eth0
a=$eth0/a
inval='Invalid argument'
eperm='Operation not permitted'
eacces='Permission denied'
enoent='No such file or directory'

# look: the tree as `seen`: directories, links, processes, parameters
shopt -s globstar
look() {
	local path lines
	seen=
	for path in "$top"/**; do
		case $path in
		*/stat | "$top/last_error" | "$top/tasks/self") continue ;;
		esac
		lines=()
		[ ! -f "$path" ] || mapfile lines <"$path"
		seen+="$path ${lines[*]}"$'\n'
	done
}

# owners and modes, and where links point to
look_closely() { find $top -path $top/tasks/self -o -printf '%p %U:%G %m %l\n'; }

remember() {
	look
	before=$seen
	look_closely >"$tmp/closely" 2>&1
}

# verdict NAME [DETAIL...]: one result; details are what is wrong
verdict() {
	local name=$1 i
	shift
	# a VIF of netnice(1) goes a moment after its process
	for ((i = 0; i < 20; i++)); do
		look
		[ "$seen" != "$before" ] || break
		pause 0.05
	done
	[ "$seen" = "$before" ] ||
		set -- "$@" 'the tree has changed:' "$(diff <(echo "$before") <(echo "$seen"))"
	if [ $# -eq 0 ]; then
		pass "$name"
	else
		fail "$name" "$@"
	fi
}

# still NAME: at the end of a group
still() { check_eq "$1: owners, modes and links are as before" "$(look_closely 2>&1)" "$(cat "$tmp/closely")"; }

# refused ERRNO-TEXT WORDS NAME COMMAND...: WORDS is a regular expression for
# last_error; - where the kernel knows the answer before netnice is asked.
who=()
refused() {
	local errno=$1 words=$2 name=$3 out said='' wrong=()
	shift 3
	fresh
	out=$("${who[@]}" "$@" 2>&1 </dev/null) && wrong+=("did not fail: $*")
	[[ $out == *"$errno"* ]] || wrong+=("want: $errno" "got:  $out")
	if [ "$words" != - ]; then
		said
		[[ $said =~ $words ]] || wrong+=("want in last_error: $words" "last_error: ${said:0:200}")
	fi
	verdict "$name" "${wrong[@]}"
}

# another sentence than any that is waited for
fresh() { "${who[@]}" eval "echo fresh >$top/lo/autoremove"; } 2>/dev/null

# most cases are without a fork but the command's own
said() {
	if [ ${#who[@]} -eq 0 ]; then
		IFS= read -r said <$top/last_error
	else
		said=$("${who[@]}" cat $top/last_error)
	fi
}

# set_to FILE TEXT: one write(2)
set_to() { printf %b "$2" >"$1"; }

# bad FILE WORDS TEXT...: values that FILE of $a does not take
bad() {
	local file=$1 words=$2 text
	shift 2
	for text; do refused "$inval" "$words" "$file: '${text:0:40}'" set_to "$a/$file" "$text"; done
}
export -f set_to

# shellcheck disable=SC2016
user_runs() { as_user bash -c '"$@"' - "$@"; }
