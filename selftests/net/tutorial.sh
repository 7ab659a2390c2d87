#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# lab: virtual, budget=7
#
# Documentation/tutorial.rst, typed as it stands there: what comes of each command is what it
# shows, in which "..." is anything.
. "$(dirname "$0")/lib.sh"

# type_it COMMAND EXPECTED: in this shell, as a reader does
type_it() {
	local glob
	glob=$(sed 's/[][\\?*]/\\&/g; s/\.\.\./*/g' <<<"$2")
	# a failure is visible to the reader, who continues
	eval "$1" >"$tmp/typed" 2>&1 || true
	# shellcheck disable=SC2053
	if [[ $(cat "$tmp/typed") == $glob ]]; then
		pass "$1"
	else
		fail "$1" "shows: $(cat "$tmp/typed")" "and not: $2"
	fi
}

# commands FILE: each with what is below it until the next one, ended by a NUL
commands() {
	awk '
		/^    # / { if (typing) printf "%c", 0; typing = 1; print substr($0, 7); next }
		/^    / && typing { print substr($0, 5); next }
		/^$/ { next }
		typing { typing = 0; printf "%c", 0 }
		END { if (typing) printf "%c", 0 }' "$1"
}

begin
need netnice
need nginx
setup_veth
wire_exact on
defer pkill nginx
defer pkill iperf3

exec {tutorial}< <(commands "$net_dir/../units/tutorial.rst")
while IFS= read -r -d '' -u "$tutorial" step; do
	command=${step%%$'\n'*}
	expected=${step#"$command"}
	expected=${expected#$'\n'}
	type_it "$command" "${expected%$'\n'}"
done
fails 'the module has gone' test -e /sys/module/netnice
