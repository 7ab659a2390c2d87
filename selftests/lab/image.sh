# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The guest's user land: archives, made once in the bookworm root: one that all guests
# have, and the extras, when they are first wanted; and all of it as a folder, for guests
# whose root is one.

image_dir() { # WHAT, inside the root
	echo "/image/$(hash_of "$lab_dir/image-pack" "$lab_dir/userland")-$1"
}

# image_path base|EXTRA
image_path() { echo "$(root_path bookworm)$(image_dir "$1")/$1.cpio"; }

# image_path_arm64 base|EXTRA
image_path_arm64() { echo "$(root_path bookworm)$(image_dir "$1-$(hash_of "$lab_dir/image-arm64")")/$1.cpio"; }

# image_path_for KERNEL base|EXTRA
image_path_for() { if is_arm64 "$1"; then image_path_arm64 "$2"; else image_path "$2"; fi; }

# those that a User Mode Linux has
image_extras() { sed -n '/ stock$/d; s/^extra //p' "$lab_dir/userland"; }

# image_packages base|EXTRA...: the Debian packages that they are made of
image_packages() {
	local what
	for what; do
		awk -v what="$what" 'BEGIN { now = "base" } $1 == "extra" { now = $2 }
			$1 == "package" && now == what { print $2 }' "$lab_dir/userland"
	done
}

# image_make base|EXTRA TEMP
image_make() {
	local root what=$1 temp
	root=$(root_path bookworm)
	temp=${2#"$root"}
	say "packing the guest's user land ($what)"
	mkdir -p "$2"
	cp "$lab_dir/image-pack" "$2/"
	root_run bookworm sh "$temp/image-pack" "$temp" "$what" "$(image_dir base)/list" <"$lab_dir/userland"
}

# image_prepare [EXTRA...]: them, and base
image_prepare() {
	local what
	root_prepare bookworm
	# shellcheck disable=SC2046
	[ $# -eq 0 ] || root_add bookworm $(image_packages "$@")
	for what in base "$@"; do
		[ -e "$(image_path "$what")" ] ||
			with_lock prepare make_once "$(root_path bookworm)$(image_dir "$what")" image_make "$what" ||
			make_failed "packing the user land"
	done
}

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
		with_lock prepare make_once "$(dirname "$(image_path_arm64 "$1")")" image_make_arm64 "$1" ||
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
	with_lock prepare make_once "$(image_tree)" image_make_tree || make_failed "unpacking the user land"
}
