# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The Debian packages that the laboratory needs on the machine it runs on.

# program and the package that brings it
deps_table='
qemu-system-x86_64 qemu-system-x86
qemu-system-aarch64 qemu-system-arm
mmdebstrap mmdebstrap
git git
gnuplot gnuplot-nox
flock util-linux
'

deps_missing() {
	local program package
	while read -r program package; do
		[ -n "$program" ] || continue
		command -v "$program" >/dev/null || echo "$package"
	done <<<"$deps_table"
	[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || echo debian-archive-keyring
	# mmdebstrap as an ordinary user maps user ids
	[ "$(id -u)" = 0 ] || command -v newuidmap >/dev/null || echo uidmap
}

deps_need() {
	local missing
	missing=$(deps_missing | tr '\n' ' ')
	[ -z "$missing" ] || die "missing packages: $missing (lab deps --install)"
}

cmd_deps() {
	local missing install='' out
	case ${1-} in
	--install) install=1 ;;
	'') ;;
	*) usage deps >&2; exit 2 ;;
	esac
	read -ra missing <<<"$(deps_missing | tr '\n' ' ')"
	if [ ${#missing[@]} -eq 0 ]; then
		say "nothing is missing"
		return 0
	fi
	say "missing packages: ${missing[*]}"
	[ -n "$install" ] || return 1
	command -v apt-get >/dev/null || die "there is no apt-get here: install them as your distribution does," \
		"as 'dnf install qemu-system-x86-core qemu-system-aarch64-core mmdebstrap debian-keyring gnuplot git'," \
		"or 'pacman -S qemu-system-x86 qemu-system-aarch64 debian-archive-keyring gnuplot git', and mmdebstrap and apt from the AUR"
	[ "$(id -u)" = 0 ] || die "installing them needs root: sudo apt-get install ${missing[*]}"
	say "installing them (about 20 to 130 MB)"
	out=$(
		export DEBIAN_FRONTEND=noninteractive
		exec 2>&1
		apt-get -qq update
		apt-get -qq -y --no-install-recommends install "${missing[@]}"
	) || { printf '%s\n' "$out"; die "installing them failed: is there a network?"; }
	[ -z "$(deps_missing)" ]
}
