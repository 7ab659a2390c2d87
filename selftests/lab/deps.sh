# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The Debian packages that the laboratory needs on the machine it runs on.

# program, the package that has it, and the kernels that need it, if not all do
deps_table='
qemu-system-x86_64 qemu-system-x86
qemu-system-aarch64 qemu-system-arm arm64
mmdebstrap mmdebstrap
git git
gnuplot gnuplot-nox
flock util-linux
'

# deps_missing [arm64]: packages that this machine lacks, one a line
deps_missing() {
	local program package use
	while read -r program package use; do
		[ -n "$program" ] || continue
		[ "${use:-${1-}}" = "${1-}" ] || continue
		command -v "$program" >/dev/null || echo "$package"
	done <<<"$deps_table"
	[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || echo debian-archive-keyring
	# mmdebstrap as an ordinary user maps user ids
	[ "$(id -u)" = 0 ] || command -v newuidmap >/dev/null || echo uidmap
}

# deps_need [arm64]
deps_need() {
	local missing
	missing=$(deps_missing "$@" | tr '\n' ' ')
	[ -z "$missing" ] || die "missing packages: $missing(lab deps --install${1:+ $1})"
}

# what installs a package NAME, as the user types it
deps_command() {
	local sudo=''
	[ "$(id -u)" = 0 ] || sudo='sudo '
	echo "${sudo}apt-get update && ${sudo}apt-get install --no-install-recommends $*"
}

# deps_apt ARGUMENT...: apt-get, which waits while another one holds a lock. It can do so itself
# for dpkg's locks, but not for that of the package lists.
deps_apt() {
	local log from=$SECONDS status said=''
	log=$(mktemp)
	while :; do
		DEBIAN_FRONTEND=noninteractive apt-get -qq -oDPkg::Lock::Timeout=60 "$@" >"$log" 2>&1
		status=$?
		if [ $status -eq 0 ] || ! grep -qE 'Could not get lock|Unable to lock' "$log" ||
			[ $((SECONDS - from)) -gt "$deps_patience" ]; then
			break
		fi
		[ -n "$said" ] || say "waiting for another apt to end: $(sed -n 's/.*held by //p' "$log" | head -n 1)"
		said=1
		sleep 3
	done
	[ $status -eq 0 ] || cat "$log" >&2
	rm -f "$log"
	return $status
}

# seconds to wait for another apt
deps_patience=900

cmd_deps() {
	local missing install='' use=()
	if [ "${1-}" = --install ]; then
		install=1
		shift
	fi
	case $# in
	0) ;;
	1) [ "$1" = arm64 ] || { usage deps >&2; exit 2; }
		use=(arm64) ;;
	*) usage deps >&2; exit 2 ;;
	esac
	read -ra missing <<<"$(deps_missing "${use[@]}" | tr '\n' ' ')"
	if [ ${#missing[@]} -eq 0 ]; then
		[ -n "$install" ] || say "nothing is missing"
		return 0
	fi
	say "missing packages: ${missing[*]}"
	[ -n "$install" ] || return 1
	command -v apt-get >/dev/null || die "there is no apt-get here. Install the packages as your distribution does, for example" \
		"'dnf install qemu-system-x86-core qemu-system-aarch64-core mmdebstrap debian-keyring gnuplot git'," \
		"or 'pacman -S qemu-system-x86 qemu-system-aarch64 debian-archive-keyring gnuplot git' with mmdebstrap and apt from the AUR"
	[ "$(id -u)" = 0 ] || die "installing them needs root: $(deps_command "${missing[@]}")"
	say "installing them (20 to 130 MB)"
	if ! deps_apt update || ! deps_apt -y --no-install-recommends install "${missing[@]}"; then
		die "apt-get failed: its messages are above"
	fi
	[ -z "$(deps_missing "${use[@]}")" ]
}
