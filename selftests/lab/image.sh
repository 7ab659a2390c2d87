# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The guest's user land: archives, made once in a root, which is that of bookworm but for
# kernels of $whole_kernels: one that all guests have, and the extras, when they are first wanted;
# and all of it as a folder, for guests whose root is one.

image_dir() { # WHAT, inside the root
	echo "/image/$(hash_of "$lab_dir/image-pack" "$lab_dir/userland")-$1"
}

# image_path base|EXTRA [ROOT]
image_path() { echo "$(root_path "${2-bookworm}")$(image_dir "$1")/$1.cpio"; }

# image_path_arm64 base|EXTRA
image_path_arm64() { echo "$(root_path bookworm)$(image_dir "$1-$(hash_of "$lab_dir/image-arm64")")/$1.cpio"; }

# image_path_for KERNEL base|EXTRA
image_path_for() {
	if is_arm64 "$1"; then
		image_path_arm64 "$2"
	else
		image_path "$2" "$(kernel_userland "$1")"
	fi
}

# those that a User Mode Linux has
image_extras() { sed -n 's/^extra \([^ ]*\)$/\1/p' "$lab_dir/userland"; }
image_is_apart() { grep -qx "extra $1 apart" "$lab_dir/userland"; } # EXTRA

# image_list ROOT: what of the list is for that root
image_list() { sed "s/^$1 //; /^bookworm /d; /^trixie /d" "$lab_dir/userland"; }

# image_packages ROOT base|EXTRA...: the Debian packages that they are made of
image_packages() {
	local root=$1 what
	shift
	for what; do
		image_list "$root" | awk -v what="$what" 'BEGIN { now = "base" } $1 == "extra" { now = $2 }
			$1 == "package" && now == what { print $2 }'
	done
}

# image_make ROOT base|EXTRA TEMP
image_make() {
	local root=$1 what=$2 temp
	temp=${3#"$(root_path "$root")"}
	say "packing the guest's user land ($what)"
	mkdir -p "$3"
	cp "$lab_dir/image-pack" "$3/"
	root_run "$root" sh "$temp/image-pack" "$temp" "$what" "$(image_dir base)/list" < <(image_list "$root")
}

# image_prepare_in ROOT [EXTRA...]: them, and base
image_prepare_in() {
	local root=$1 what
	shift
	root_prepare "$root"
	# the root of bookworm has those of base
	[ "$root" = bookworm ] || set -- base "$@"
	# shellcheck disable=SC2046
	[ $# -eq 0 ] || root_add "$root" $(image_packages "$root" "$@")
	for what in base "$@"; do
		[ -e "$(image_path "$what" "$root")" ] ||
			with_lock "root-$root" make_once "$(root_path "$root")$(image_dir "$what")" image_make "$root" "$what" ||
			make_failed "packing the user land"
	done
}

image_prepare() { image_prepare_in bookworm "$@"; }

# image_make_arm64 base|EXTRA TEMP
image_make_arm64() {
	local what=$1 temp
	say "packing the guest's user land ($what) for arm64"
	mkdir -p "$2"
	cp "$lab_dir/image-arm64" "$2/"
	temp=${2#"$(root_path bookworm)"}
	root_run bookworm sh -c 'dpkg --add-architecture arm64; dpkg --add-architecture armhf
		apt-get -qq -oAPT::Sandbox::User=root update && sh "$@"' sh \
		"$temp/image-arm64" "$temp" "$what" <"$(image_path "$what")"
}

# image_prepare_arm64 base|EXTRA: after image_prepare
image_prepare_arm64() {
	[ -e "$(image_path_arm64 "$1")" ] ||
		with_lock root-bookworm make_once "$(dirname "$(image_path_arm64 "$1")")" image_make_arm64 "$1" ||
		make_failed "packing the user land for arm64"
	# what programs are built with
	root_add bookworm gcc-aarch64-linux-gnu {libc6,liblwip,libmnl,libsqlite3}-dev:arm64
}

image_tree() { echo "$(root_path bookworm)$(image_dir tree)"; }

image_make_tree() {
	local what archives=()
	# shellcheck disable=SC2046
	for what in base $(image_extras); do archives+=("$(image_dir "$what")/$what.cpio"); done
	mkdir -p "$1"
	# shellcheck disable=SC2016
	root_run bookworm sh -c 'cd "$1" && shift && for archive; do
		cpio --quiet -i -d -m <"$archive" || exit; done' sh \
		"${1#"$(root_path bookworm)"}" "${archives[@]}"
}

image_prepare_tree() {
	# shellcheck disable=SC2046
	image_prepare $(image_extras)
	[ -e "$(image_tree)" ] && return 0
	with_lock root-bookworm make_once "$(image_tree)" image_make_tree || make_failed "unpacking the user land"
}
