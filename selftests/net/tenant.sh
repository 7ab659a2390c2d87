# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# A tenant's container: an ordinary user is root of an own network namespace, with
# devices d0, d1, ... It does what it is told on its standard input, line by line. Sourced
# after lib.sh.

# container_start NAME DEVICES; inside NAME COMMAND: sets status and out
# shellcheck disable=SC2016
tenant='
	exec 2>&1
	ip link set lo up
	for ((i = 0; i < $0; i++)); do echo "link add d$i type dummy"; done | ip -b -
	mount -t netnice netnice /proc/network
	while IFS= read -r line; do
		out=$({ eval "$line"; } 2>&1 </dev/null)
		printf "%s\n" $? "${out//$'"'\n'"'/ }"
	done'

declare -A to from container
container_start() {
	local in out
	mkfifo "$tmp/to.$1" "$tmp/from.$1"
	exec {in}<>"$tmp/to.$1" {out}<>"$tmp/from.$1"
	to[$1]=$in from[$1]=$out
	"${user_prefix[@]}" unshare -Urnm bash -c "$tenant" "$2" <&"$in" >&"$out" &
	container[$1]=$!
}

inside() {
	inside_begin "$1" "$2"
	inside_end "$1"
}

# what is done meanwhile stands between these
inside_begin() { echo "$2" >&"${to[$1]}"; }

# shellcheck disable=SC2034
inside_end() {
	IFS= read -r status <&"${from[$1]}"
	IFS= read -r out <&"${from[$1]}"
}

container_end() {
	local in=${to[$1]} out=${from[$1]}
	exec {in}>&- {out}>&-
	kill -KILL "${container[$1]}"
	wait "${container[$1]}" 2>/dev/null
	rm "$tmp/to.$1" "$tmp/from.$1"
}
