# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The kernels by their short names: which root builds for them, where image and
# modules lie. See uml.sh for those whose name begins with uml.

all_kernels='6.1 6.12 new'

# added to the root of the kernel beside which they are released: PREEMPT_RT, and what another
# machine has, where everything is built for it; but for rt-debug, which is built here, of
# the source of `new`, with what finds mistakes (uml.sh)
rt_kernels='6.1-rt 6.12-rt rt-debug'
arm64_kernels='6.1-arm64 6.12-arm64'
added_kernels="$rt_kernels $arm64_kernels"

# that of 6.12 again, and the user land of the Debian that it is of: its systemd, podman and docker
whole_kernels='debian13'

is_arm64() { [[ $1 = *-arm64 ]]; }

# is_built KERNEL: here, from the source?
is_built() { is_uml "$1" || [ "$1" = rt-debug ]; }

# kernel_flavour KERNEL: Debian's word for one that is added. That of 6.12 has pages of 16 kB.
kernel_flavour() {
	case $1 in
	*-rt) echo rt-amd64 ;;
	6.12-arm64) echo arm64-16k ;;
	*-arm64) echo cloud-arm64 ;;
	esac
}

# kernel_userland KERNEL: the root that gives the guest its user land
kernel_userland() { if [ "$1" = debian13 ]; then echo trixie; else echo bookworm; fi; }

kernel_root() {
	case $1 in
	6.1 | 6.1-* | rt-debug | uml*) echo bookworm ;;
	*) echo trixie ;;
	esac
}

# kernel_name WORD: the short name; a version stands for the kernel that has it
kernel_name() {
	local word=$1 release
	case " $all_kernels $added_kernels $whole_kernels $uml_all " in
	*" $word "*) echo "$word"; return ;;
	esac
	release=$(kernel_release new 2>/dev/null)
	case $release in
	"$word" | "$word"[.+-]*) echo new ;;
	*) die "unknown kernel $word (known: $all_kernels $added_kernels $whole_kernels $uml_all${release:+; new is $release})" ;;
	esac
}

# kernel_roots KERNEL: the roots that preparing it takes, one a line
kernel_roots() {
	kernel_root "$1"
	kernel_userland "$1"
	! is_built "$1" || kernel_root "$(uml_base "$1")"
}

kernel_dir() { # inside the root
	if is_built "$1"; then
		uml_dir "$1"
	else
		echo "/kernel/${1/debian13/6.12}"
	fi
}

# kernel_outside KERNEL FOLDER: a folder of the kernel's, inside the root, from here
kernel_outside() {
	if is_built "$1"; then
		echo "$cache_dir$2"
	else
		echo "$(root_path "$(kernel_root "$1")")$2"
	fi
}

kernel_path() { kernel_outside "$1" "$(kernel_dir "$1")"; }
kernel_release() { cat "$(kernel_path "$1")/release"; }
kernel_image() { echo "$(kernel_path "$1")/vmlinuz"; }

# kernel_headers KERNEL: what modules are built against, inside the root
kernel_headers() {
	if is_built "$1"; then
		echo "$(uml_dir "$1").tree"
	else
		echo "/usr/src/linux-headers-$(kernel_release "$1")"
	fi
}

kernel_modules_dir() { # inside the root
	echo "$(kernel_dir "$1")/modules-$(hash_of "$lab_dir/modules-pack")"
}

kernel_modules_path() { kernel_outside "$1" "$(kernel_modules_dir "$1")"; }
kernel_modules() { echo "$(kernel_modules_path "$1")/modules.cpio"; }

kernel_make_modules() {
	local kernel=$1 temp=$2
	say "packing the modules of $kernel ($(kernel_release "$kernel"))"
	mkdir -p "$temp"
	cp "$lab_dir/modules-pack" "$temp/"
	temp=${temp#"$(kernel_outside "$kernel" '')"}
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
	with_lock "root-$root" make_once "$(kernel_path "$1")" kernel_unpack "$1" ||
		make_failed "unpacking $1"
}

kernel_prepare() {
	local root
	! is_built "$1" || uml_prepare "$1"
	! is_uml "$1" || return 0
	root=$(kernel_root "$1")
	root_prepare "$root"
	if is_arm64 "$1"; then
		deps_need arm64
		root_add "$root" gcc-aarch64-linux-gnu
		image_prepare_arm64 base
	fi
	image_prepare_in "$(kernel_userland "$1")"
	[ -e "$(kernel_modules "$1")" ] && return 0
	[ -z "$(kernel_flavour "$1")" ] || kernel_add "$1"
	with_lock "root-$root" make_once "$(kernel_modules_path "$1")" \
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
