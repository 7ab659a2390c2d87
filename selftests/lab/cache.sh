# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The cache folder and what every other file of the laboratory uses: messages,
# locks, things made once. All that is made has its final name only when it is
# whole; what a killed run leaves behind has a name that starts with a dot and
# is removed by the next one. No process substitution in these files: it needs
# /proc, which a bare root may lack.

cache_dir=${NETNICE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/netnice}
[[ $cache_dir = /* ]] || cache_dir=$PWD/$cache_dir

say() { printf 'lab: %s\n' "$*" >&2; }
die() { say "$*"; exit 2; }

# hash_of [FILE...]: a short name for the content of files, or of stdin
hash_of() { cat -- "$@" | sha256sum | cut -c1-10; }

# with_lock NAME COMMAND...: one run at a time, of all that use this cache
with_lock() {
	local name=$1 fd rc
	shift
	mkdir -p "$cache_dir/locks" || die "cannot write to $cache_dir"
	exec {fd}>"$cache_dir/locks/$name"
	flock -n "$fd" || { say "waiting for another run ($name)"; flock "$fd"; }
	"$@"
	rc=$?
	exec {fd}>&-
	return $rc
}

# make_once TARGET COMMAND...: COMMAND makes the temporary name given to it as
# its last argument; the caller holds the lock that protects TARGET
make_once() {
	local target=$1 temp
	shift
	[ -e "$target" ] && return 0
	temp=$(dirname "$target")/.new-$(basename "$target")
	mkdir -p "$(dirname "$target")"
	rm -rf "$temp"
	if ! "$@" "$temp"; then
		rm -rf "$temp"
		return 1
	fi
	mv -T "$temp" "$target"
}

cmd_refresh() {
	[ $# -eq 0 ] || die "refresh takes no argument"
	[ -d "$cache_dir" ] || return 0
	say "dropping roots, images and builds in $cache_dir"
	with_lock prepare rm -rf "$cache_dir"/{roots,uml,kvm}
}
