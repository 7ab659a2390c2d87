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
	flock -w "${lock_patience:-0}" "$fd" || { say "waiting for another run ($name)"; flock "$fd"; }
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

# cache_free: MB that the cache may still grow by
cache_free() {
	mkdir -p "$cache_dir" || die "cannot make the folder $cache_dir (NETNICE_CACHE in the environment names another)"
	df -Pm "$cache_dir" | awk 'NR == 2 { print $4 }'
}

# cache_announce WHAT DOWNLOAD-MB DISK-MB MINUTES PATH...: what is ahead if one of the paths
# is not there yet, on two CPUs; there has to be room for it
cache_announce() {
	local what=$1 download=$2 disk=$3 minutes=$4 path free
	shift 4
	for path; do [ -e "$path" ] || break; done
	[ ! -e "$path" ] || return 0
	say "The first time, $what gets $download MB of Debian packages, takes $minutes minutes or so and"
	say "keeps $((disk / 1000)).$((disk / 100 % 10)) GB in $cache_dir; nothing else is changed here. Ctrl-C stops it; it"
	say "goes on from where it was."
	free=$(cache_free) || exit
	[ "$free" -ge $((disk + 300)) ] ||
		die "there is not enough room: $free MB are free in $cache_dir (NETNICE_CACHE in the environment names another folder)"
}

# side_by_side COMMAND ARGUMENT...: runs COMMAND with each of the arguments, all at a time; fails if
# one of them does. Each can be stopped by Ctrl-C, which commands in the background otherwise ignore.
side_by_side() {
	local command=$1 argument pids=() pid status=0
	# these wait for each other, and not only for another run
	local lock_patience=60
	shift
	for argument; do
		(
			trap - INT
			"$command" "$argument"
		) &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid" || status=1; done
	return $status
}

# make_failed WHAT: ends, with the likely reason
make_failed() {
	[ "$(cache_free)" -ge 200 ] || die "$1 failed: no space is left in $cache_dir"
	die "$1 failed: what went wrong is above; the same command tries again"
}

# cache_prune: what has not been used for a month, what was left unfinished, and what was
# built for checkouts that are no more. Called with the lock `prepare`.
cache_prune() {
	local from
	find "$cache_dir"/{roots,roots/*/build/kept,uml,logs,packages,check-all,mutants} -mindepth 1 -maxdepth 1 \( -mtime +30 \
		-o -path '*/roots/.new-*' -mmin +300 \) -print0 2>/dev/null | xargs -0r rm -rf
	for from in "$cache_dir"/roots/*/build/*/from; do
		[ ! -e "$from" ] || [ -e "$(cat "$from")" ] || rm -rf "${from%/from}"
	done
}

cmd_refresh() {
	[ $# -eq 0 ] || die "refresh takes no argument"
	[ -d "$cache_dir" ] || return 0
	say "dropping roots, images and builds in $cache_dir"
	rm -rf "$cache_dir"/{roots,uml,kvm,packages,check-all,mutants}
}
