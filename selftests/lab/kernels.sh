# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The kernels by their short names: which root builds for them, where image and
# modules lie. See uml.sh for those whose name begins with uml.

all_kernels='6.1 6.12 new'

# added to the root of the kernel beside which they are released: PREEMPT_RT, and what another
# machine has, where everything is built for it
rt_kernels='6.1-rt 6.12-rt'
arm64_kernels='6.1-arm64 6.12-arm64'
added_kernels="$rt_kernels $arm64_kernels"

is_arm64() { [[ $1 = *-arm64 ]]; }

# kernel_flavour KERNEL: Debian's word for one that is added. That of 6.12 has pages of 16 kB.
kernel_flavour() {
	case $1 in
	*-rt) echo rt-amd64 ;;
	6.12-arm64) echo arm64-16k ;;
	*-arm64) echo cloud-arm64 ;;
	esac
}

kernel_root() {
	case $1 in
	6.1 | 6.1-* | uml*) echo bookworm ;;
	*) echo trixie ;;
	esac
}

# kernel_name WORD: the short name; a version stands for the kernel that has it
kernel_name() {
	local word=$1 release
	case " $all_kernels $added_kernels $uml_all " in
	*" $word "*) echo "$word"; return ;;
	esac
	release=$(kernel_release new 2>/dev/null)
	case $release in
	"$word" | "$word"[.+-]*) echo new ;;
	*) die "unknown kernel $word (known: $all_kernels $added_kernels $uml_all${release:+; new is $release})" ;;
	esac
}

kernel_dir() { echo "/kernel/$1"; } # inside the root

kernel_release() {
	if is_uml "$1"; then
		cat "$(uml_path "$1")/release"
	else
		cat "$(root_path "$(kernel_root "$1")")$(kernel_dir "$1")/release"
	fi
}

kernel_image() { echo "$(root_path "$(kernel_root "$1")")$(kernel_dir "$1")/vmlinuz"; }

kernel_modules_dir() { # inside the root
	echo "$(kernel_dir "$1")/modules-$(hash_of "$lab_dir/modules-pack")"
}

kernel_modules() {
	echo "$(root_path "$(kernel_root "$1")")$(kernel_modules_dir "$1")/modules.cpio"
}

kernel_make_modules() {
	local kernel=$1 temp=$2 root
	root=$(root_path "$(kernel_root "$kernel")")
	say "packing the modules of $kernel ($(kernel_release "$kernel"))"
	mkdir -p "$temp"
	cp "$lab_dir/modules-pack" "$temp/"
	temp=${temp#"$root"}
	root_run "$(kernel_root "$kernel")" sh "$temp/modules-pack" "$(kernel_dir "$kernel")" "$temp"
}

kernel_unpack() {
	local kernel=$1 temp=$2 root arch=amd64
	root=$(kernel_root "$kernel")
	! is_arm64 "$kernel" || arch=arm64
	say "unpacking $kernel"
	mkdir -p "$temp"
	cp "$lab_dir/kernel-setup" "$temp/"
	temp=${temp#"$(root_path "$root")"}
	root_run "$root" sh "$temp/kernel-setup" "$temp" "$(kernel_flavour "$kernel")" "$arch"
}

kernel_add() {
	local root
	root=$(kernel_root "$1")
	with_lock prepare make_once "$(root_path "$root")$(kernel_dir "$1")" kernel_unpack "$1" ||
		make_failed "unpacking $1"
}

kernel_prepare() {
	local root
	is_uml "$1" && { uml_prepare "$1"; return; }
	root=$(kernel_root "$1")
	root_prepare "$root"
	if is_arm64 "$1"; then
		root_add "$root" gcc-aarch64-linux-gnu
		image_prepare_arm64 base
	fi
	[ -e "$(kernel_modules "$1")" ] && return 0
	[ -z "$(kernel_flavour "$1")" ] || kernel_add "$1"
	with_lock prepare make_once "$(root_path "$root")$(kernel_modules_dir "$1")" \
		kernel_make_modules "$1" || make_failed "packing the modules of $1"
}

cmd_prepare() {
	local word kernel
	# shellcheck disable=SC2086
	[ $# -gt 0 ] || set -- $all_kernels
	image_prepare
	for word; do
		case $word in
		[0-9]*) [ "$(kernel_root "$word")" = trixie ] && root_prepare trixie ;;
		esac
		kernel=$(kernel_name "$word") || exit
		kernel_prepare "$kernel"
		[ "$kernel" != new ] || source_prepare
	done
	say "prepared in $cache_dir"
}
