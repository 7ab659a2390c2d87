# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of vifctl(8) for bash.

_vifctl_params='bandwidth minimum burst weight priority local_weight local_priority limit aqm fair link_layer group class dscp mark skb_priority quota owner mode program autoremove'

# Paths of VIFs, which have slashes, without one that is no VIF
_vifctl_paths() {
	local path
	compopt -o nospace -o filenames 2>/dev/null
	while IFS= read -r path; do
		case ${path%%/*} in
		tasks | cgroups | devices | last_error) ;;
		*) COMPREPLY+=("$path/") ;;
		esac
	done < <(cd /proc/network 2>/dev/null && compgen -d -- "$1")
}

_vifctl_devices() {
	mapfile -t COMPREPLY < <(cd /sys/class/net 2>/dev/null && compgen -d -- "$1")
}

# compgen expands its list once: names that stand in a variable are split, not run
_vifctl_words() {
	local words=$1
	mapfile -t COMPREPLY < <(compgen -W '$words' -- "$2")
}

# Names of units have backslashes, which are quoted as those of files are.
_vifctl_units() {
	local units
	# shellcheck disable=SC2034
	units=$(systemctl list-units --plain --no-legend --state=active --type=service,slice,scope,socket 2>/dev/null | cut -d ' ' -f 1)
	compopt -o filenames 2>/dev/null
	# shellcheck disable=SC2016
	mapfile -t COMPREPLY < <(compgen -W '$units' -- "$1")
}

_vifctl_target() {
	case $1 in
	process | thread | pid | tid) mapfile -t COMPREPLY < <(cd /proc && compgen -d -X '![0-9]*' -- "$2") ;;
	cgroup)
		compopt -o nospace -o filenames
		mapfile -t COMPREPLY < <(cd /sys/fs/cgroup 2>/dev/null && compgen -d -S / -- "$2")
		;;
	unit) _vifctl_units "$2" ;;
	device) _vifctl_devices "$2" ;;
	*) _vifctl_words 'process thread socket cgroup unit device' "$2" ;;
	esac
}

# PID/FD
_vifctl_sockets() {
	local pid=${1%%/*}
	if [[ $1 == */* ]]; then
		mapfile -t COMPREPLY < <(cd "/proc/network/tasks/$pid/sockets" 2>/dev/null && compgen -d -P "$pid/" -- "${1#*/}")
	else
		compopt -o nospace 2>/dev/null
		mapfile -t COMPREPLY < <(cd /proc && compgen -d -S / -X '![0-9]*' -- "$1")
	fi
}

_vifctl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb='' i n=0
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-n | --netns | -b | --batch | --record | --replay) i=$((i + 1)) ;;
		-*) ;;
		*) if [ -n "$verb" ]; then n=$((n + 1)); else verb=${COMP_WORDS[i]}; fi ;;
		esac
	done
	case $verb:$prev in
	top:-n | top:--count | top:-d | top:--interval | watch:-n | watch:--count | watch:-d | watch:--interval) return ;;
	*:-n | *:--netns) _vifctl_words "$(ip netns list 2>/dev/null | cut -d ' ' -f 1)" "$cur"; return ;;
	top:--record | top:--replay | *:-b | *:--batch) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	esac
	if [[ $cur == -* ]]; then
		case $verb in
		del) _vifctl_words '--recursive --force -v' "$cur" ;;
		restore) _vifctl_words '--dry-run --wait --follow -v' "$cur" ;;
		export) _vifctl_words '--listen --depth --users' "$cur" ;;
		account) _vifctl_words '--days --file' "$cur" ;;
		stat) _vifctl_words '--prometheus --human --color -j -p' "$cur" ;;
		show | list | ls) _vifctl_words '-j -p -s -d -br --human --color' "$cur" ;;
		top) _vifctl_words '-j -p -s --interval --count --record --replay' "$cur" ;;
		watch) _vifctl_words '-j -p --interval --count' "$cur" ;;
		batch) _vifctl_words '--force' "$cur" ;;
		enable) _vifctl_words '--link' "$cur" ;;
		relay) _vifctl_words '-j -p -v --both --keep --off' "$cur" ;;
		'') _vifctl_words '--json --pretty --statistics --human --details --brief --color --verbose --netns --batch --force --help --version' "$cur" ;;
		*) _vifctl_words '-j -p -s -v' "$cur" ;;
		esac
		return
	fi
	case $verb in
	'') _vifctl_words 'show list stat account export top watch monitor add set del move attach detach stack port program relay save restore batch enable disable help' "$cur" ;;
	help) _vifctl_words 'show list stat account export top watch monitor add set del move attach detach stack port program relay save restore batch enable disable' "$cur" ;;
	restore | batch) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	enable | disable) _vifctl_devices "$cur" ;;
	show | list | ls | stat | account | export | top | monitor | save)
		if [ "$prev" = unit ]; then _vifctl_units "$cur"; elif [ "$prev" = dev ]; then _vifctl_devices "$cur"; else _vifctl_paths "$cur"; fi ;;
	watch)
		case $prev in
		dev) _vifctl_devices "$cur" ;;
		process | thread | socket | pid | tid | cgroup | unit) _vifctl_target "$prev" "$cur" ;;
		*) _vifctl_paths "$cur"; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W 'dev process thread socket cgroup unit' -- "$cur") ;;
		esac
		;;
	add | set)
		if [ $n -eq 0 ]; then
			_vifctl_paths "$cur"
		elif [[ " $_vifctl_params " == *" $prev "* && $prev != owner && $prev != mode && $prev != autoremove ]]; then
			_vifctl_words 'egress ingress' "$cur"
		else
			_vifctl_words "$_vifctl_params egress ingress" "$cur"
		fi
		;;
	attach | detach)
		if [ $n -eq 0 ]; then _vifctl_paths "$cur"; else _vifctl_target "$prev" "$cur"; fi
		[[ $n:$verb != 1:detach || all != "$cur"* ]] || COMPREPLY+=(all)
		;;
	stack)
		case $n:$prev in
		0:*) _vifctl_paths "$cur" ;;
		1:*) _vifctl_devices "$cur"; [[ none != "$cur"* ]] || COMPREPLY+=(none) ;;
		2:*) _vifctl_words netns "$cur" ;;
		*:netns) _vifctl_words "$(ip netns list 2>/dev/null | cut -d ' ' -f 1)" "$cur" ;;
		esac
		;;
	port)
		case $n:$prev in
		0:*) _vifctl_paths "$cur" ;;
		1:*) _vifctl_words 'add del' "$cur" ;;
		*:tcp | *:udp | *:auto) ;;
		*) _vifctl_words 'tcp udp auto' "$cur" ;;
		esac
		;;
	program)
		case $n in
		0) _vifctl_paths "$cur" ;;
		1 | 2) _vifctl_words 'egress ingress none' "$cur" ;;
		esac
		;;
	relay) [ "$prev" = --keep ] || _vifctl_sockets "$cur" ;;
	del | move) _vifctl_paths "$cur" ;;
	esac
}

complete -F _vifctl vifctl
