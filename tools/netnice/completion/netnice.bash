# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of netnice(1) for bash. Behind its options, that of the command.

# compgen expands its list once: names that stand in a variable are split, not run
_netnice_words() {
	local words=$1
	mapfile -t COMPREPLY < <(compgen -W '$words' -- "$2")
}

# Names of units have backslashes, which are quoted as those of files are.
_netnice_units() {
	local units
	# shellcheck disable=SC2034
	units=$(systemctl list-units --plain --no-legend --state=active --type=service,slice,scope,socket 2>/dev/null | cut -d ' ' -f 1)
	compopt -o filenames 2>/dev/null
	# shellcheck disable=SC2016
	mapfile -t COMPREPLY < <(compgen -W '$units' -- "$1")
}

# Values of the option before; fails if that takes none
_netnice_value() {
	case $1 in
	-i | --device) mapfile -t COMPREPLY < <(cd /sys/class/net 2>/dev/null && compgen -d -- "$2") ;;
	-p | --priority) _netnice_words '0 1 2 3 4 5 6 7' "$2" ;;
	--pid) mapfile -t COMPREPLY < <(cd /proc && compgen -d -X '![0-9]*' -- "$2") ;;
	--cgroup)
		compopt -o nospace -o filenames
		mapfile -t COMPREPLY < <(cd /sys/fs/cgroup 2>/dev/null && compgen -d -S / -- "$2")
		;;
	--unit) _netnice_units "$2" ;;
	--port) _netnice_words 'tcp: udp: auto:' "$2" ;;
	-d | --down | -u | --up | -b | --bandwidth | -m | --minimum | -w | --weight | -n | --name | --socket) ;;
	*) return 1 ;;
	esac
}

_netnice() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-b | -d | -u | -m | -w | -p | -i | -n | --down | --up | --bandwidth | --minimum | --weight | --priority | --device | --name | --pid | --unit | --cgroup | --socket | --port)
			i=$((i + 1))
			;;
		--) i=$((i + 1)); break ;;
		-*) ;;
		*) break ;;
		esac
	done
	if [ "$i" -lt "$COMP_CWORD" ] && declare -F _command_offset >/dev/null; then
		_command_offset "$i"
	elif [ "$i" -lt "$COMP_CWORD" ]; then
		compopt -o default
	elif _netnice_value "$prev" "$cur"; then
		:
	elif [[ $cur == -* ]]; then
		_netnice_words '--down --up --bandwidth --minimum --weight --priority --egress --receive --device --name --pid --unit --cgroup --socket --kernel --stack --port --show --off --verbose --help --version' "$cur"
	else
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	fi
}

complete -F _netnice netnice
