# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# The kernel's source, from Debian's package linux-source. It lies in the cache, which
# the roots see as /uml:
#
#   source-RELEASE       all of it, for User Mode Linux
#   files-RELEASE-HASH   of the newest kernel's, what extras of the user land want: a
#                        tree as the guest has it, and its archive

# source_unpack RELEASE ROOT MEMBERS FOLDER: patterns of tar, or all of it; from where
# ROOT gets its packages
source_unpack() {
	local root=$2 members=$3 package dir
	package=linux-source-$(cut -d. -f1,2 <<<"$1")
	dir=/uml${4#"$cache_dir/uml"}
	say "fetching $package (about 170 MB)"
	mkdir -p "$4"
	root_run "$root" sh -c "cd $dir && apt-get -qq -oAPT::Sandbox::User=root update &&
		apt-get -qq -oAPT::Sandbox::User=root download $package" || return
	root_run bookworm sh -c "cd $dir && dpkg-deb --fsys-tarfile *.deb |
		tar -xO --wildcards './usr/src/*.tar.xz' | xz -dc -T0 |
		tar -x --no-same-owner --strip-components=1 --wildcards $members && rm *.deb"
}

# source_lines: what extras want, an extra and its files a line
source_lines() {
	awk '$1 == "extra" { extra = $2 } $1 == "source" { $1 = extra; print }' "$lab_dir/userland"
}

source_wanted() { source_lines | cut -d' ' -f2-; }
source_is_wanted() { source_lines | grep -q "^$1 "; } # EXTRA

source_dir() { # inside the roots
	echo "/uml/files-$(kernel_release new)-$(source_wanted | hash_of)"
}

source_tree() { echo "$cache_dir$(source_dir)/tree"; }
source_archive() { echo "$cache_dir$(source_dir)/tree.cpio"; }

# source_copy FOLDER: what is wanted, out of the whole if that is there
source_copy() {
	local release whole wanted
	release=$(kernel_release new)
	whole=$cache_dir/uml/source-$release
	read -ra wanted <<<"$(source_wanted | tr '\n' ' ')"
	if [ -d "$whole" ]; then
		mkdir -p "$1" && (cd "$whole" && cp -a -t "$1" --parents "${wanted[@]}")
	else
		source_unpack "$release" "$(kernel_root new)" "$(printf "'*/%s' " "${wanted[@]}")" "$1"
	fi
}

source_make() {
	local dir=/uml/${1##*/}
	source_copy "$1/tree/usr/src/linux" &&
		root_run bookworm sh -c "cd $dir/tree && find . -mindepth 1 |
			cpio --quiet -o -H newc -R 0:0 >../tree.cpio"
}

source_prepare() {
	root_prepare bookworm
	root_prepare "$(kernel_root new)"
	[ -e "$(source_archive)" ] && return 0
	with_lock source make_once "$cache_dir$(source_dir)" source_make ||
		make_failed "getting files of the kernel's source"
}
