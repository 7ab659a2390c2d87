# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The guest's user land: one archive, made once in the bookworm root.

image_dir() { # inside the root
	echo "/image/$(hash_of "$lab_dir/image-pack" "$lab_dir/userland")"
}

image_path() { echo "$(root_path bookworm)$(image_dir)/base.cpio"; }

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
	[ -e "$(image_path)" ] && return 0
	with_lock prepare make_once "$(root_path bookworm)$(image_dir)" image_make ||
		die "packing the user land failed"
}
