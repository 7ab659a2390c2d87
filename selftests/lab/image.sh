# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The guest's user land: archives, made once in the bookworm root: one that all guests
# have, and the extras; and all of it as a folder, for guests whose root is one.

image_dir() { # inside the root
	echo "/image/$(hash_of "$lab_dir/image-pack" "$lab_dir/userland")"
}

# image_path base|EXTRA
image_path() { echo "$(root_path bookworm)$(image_dir)/$1.cpio"; }

image_make() {
	local root
	root=$(root_path bookworm)
	say "packing the guest's user land"
	mkdir -p "$1"
	cp "$lab_dir/image-pack" "$1/"
	root_run bookworm sh "${1#"$root"}/image-pack" "${1#"$root"}" <"$lab_dir/userland"
}

image_prepare() {
	root_prepare bookworm
	[ -e "$(image_path base)" ] && return 0
	with_lock prepare make_once "$(root_path bookworm)$(image_dir)" image_make ||
		die "packing the user land failed"
}

image_tree() { echo "$(root_path bookworm)$(image_dir).tree"; }

image_make_tree() {
	mkdir -p "$1"
	# shellcheck disable=SC2016
	root_run bookworm sh -c 'cd "$1" && for archive in "$2"/*.cpio; do
		cpio --quiet -i -d -m <"$archive" || exit; done' sh \
		"${1#"$(root_path bookworm)"}" "$(image_dir)"
}

image_prepare_tree() {
	[ -e "$(image_tree)" ] && return 0
	with_lock prepare make_once "$(image_tree)" image_make_tree || die "unpacking the user land failed"
}
