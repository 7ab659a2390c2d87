# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# User Mode Linux: kernels that are ordinary programs, built here from Debian's
# linux-source by the fragments in uml/. They lie in the cache, which the roots
# see as /uml, by the hash of version and configuration:
#
#   source-RELEASE     the source, unpacked (source.sh)
#   KERNEL-HASH.tree   where it is built; later, what modules are built against
#   KERNEL-HASH        what runs: the program `linux`, modules, the name
#   KERNEL-HASH.own    source, tree and patch of the last one that was made with a patch
#
# So is rt-debug, which is none of them: a PC's, for QEMU.
#
# A build that was stopped goes on where it was.

uml_all='uml uml-smp uml-debug uml-debug-smp uml-6.1 uml-debug-6.1'

is_uml() { [[ $1 = uml* ]]; }
uml_is_smp() { [[ $1 = *-smp* ]]; }
uml_is_debug() { [[ $1 = uml*-debug* ]]; }

# uml_base KERNEL: the stock kernel whose version it has
uml_base() {
	case $1 in
	*-6.1) echo 6.1 ;;
	*) echo new ;;
	esac
}

uml_arch() { # as the kernel's makefiles have it
	if is_uml "$1"; then
		echo um
	else
		echo x86_64
	fi
}

# uml_config KERNEL: its fragments in one; what comes later holds
uml_config() {
	cat "$lab_dir/uml/base.config"
	if ! is_uml "$1"; then
		cat "$lab_dir/uml/$1.config"
	elif uml_is_smp "$1"; then
		cat "$lab_dir/uml/smp.config"
	else
		cat "$lab_dir/uml/virtual.config"
	fi
	if uml_is_debug "$1"; then
		cat "$lab_dir/uml/debug.config"
	fi
}

uml_key() {
	{
		uml_config "$1"
		kernel_release "$(uml_base "$1")"
		cat "$lab_dir/uml/kernel-make" "$lab_dir/uml/seed.c"
	} | hash_of
}

uml_dir() { echo "/uml/$1-$(uml_key "$1")"; } # inside the roots
uml_path() { echo "$cache_dir$(uml_dir "$1")"; }

# uml_make KERNEL TEMP
uml_make() {
	local kernel=$1 temp=$2
	say "building the kernel $kernel (once; 5 to 15 minutes)"
	mkdir -p "$temp" "$(uml_path "$kernel").tree"
	cp "$lab_dir/uml/kernel-make" "$lab_dir/uml/seed.c" "$temp/"
	uml_config "$kernel" | root_run bookworm nice sh "/uml/$(basename "$temp")/kernel-make" \
		"/uml/source-$(kernel_release "$(uml_base "$kernel")")" \
		"$(uml_dir "$kernel").tree" "/uml/$(basename "$temp")" "$(uml_arch "$kernel")" >&2
}

uml_make_all() {
	local kernel=$1 base release
	base=$(uml_base "$kernel")
	release=$(kernel_release "$base")
	make_once "$cache_dir/uml/source-$release" source_unpack "$release" "$(kernel_root "$base")" '' &&
		make_once "$(uml_path "$kernel")" uml_make "$kernel"
}

uml_prepare() {
	root_prepare bookworm
	root_prepare "$(kernel_root "$(uml_base "$1")")"
	if [ -e "$(uml_path "$1")" ]; then
		touch "$(uml_path "$1")" "$(uml_path "$1").tree"
		return 0
	fi
	root_add bookworm flex bison bc libelf-dev
	with_lock uml uml_make_all "$1" || make_failed "building the kernel $1"
}

# --- with a patch ---------------------------------------------------------------------------

# Configuration and version stay those of the kernel, and so its modules, and netnice.ko, fit, where
# the patch leaves structures as they are. Objects are kept: what follows the first is compiled in
# seconds.

# uml_patched_files OWN: what its patch has changed, or one that was stopped
uml_patched_files() {
	cat "$1"/patch "$1"/patch.new 2>/dev/null | sed -n 's|^[-+]\{3\} [^/[:space:]]*/\([^[:space:]]*\).*|\1|p' | sort -u
}

# uml_unpatch SOURCE OWN: what was patched is again as in the source, and newer than its objects
uml_unpatch() {
	local file
	for file in $(uml_patched_files "$2"); do
		rm -f "$2/source/$file"
		[ ! -e "$1/$file" ] || cp "$1/$file" "$2/source/$file" || return
	done
	rm -f "$2/patch" "$2/patch.new"
}

# uml_patch SOURCE OWN PATCH
uml_patch() {
	! cmp -s "$3" "$2/patch" || return 0
	uml_unpatch "$1" "$2" && cp "$3" "$2/patch.new" || return
	# a file is replaced, not written to: it is the source's
	root_run bookworm patch -s -p1 -r - --no-backup-if-mismatch -d "/uml/${2##*/}/source" <"$3" >&2 &&
		mv "$2/patch.new" "$2/patch"
}

# uml_own KERNEL PATCH FILE
uml_own() {
	local kernel=$1 own source
	own=$(uml_path "$kernel").own
	source=$cache_dir/uml/source-$(kernel_release "$(uml_base "$kernel")")
	[ -e "$own/tree/vmlinux" ] || say "building it for the first time (5 to 15 minutes)"
	mkdir -p "$own/tree"
	make_once "$own/source" cp -al "$source" && uml_patch "$source" "$own" "$2" || return
	[ -e "$own/tree/.config" ] || uml_config "$kernel" >"$own/tree/wanted.config"
	# shellcheck disable=SC2016
	root_run bookworm nice sh -c '
		make_um() { make -s -C source ARCH=um O="$own/tree" -j"$(nproc)" "$@"; }
		own=$0
		cd "$own" || exit
		[ -e tree/.config ] || make_um KCONFIG_ALLCONFIG="$own/tree/wanted.config" allnoconfig || exit
		make_um vmlinux' "$(uml_dir "$kernel").own" >&2 || return
	touch "$own"
	# who runs the one that is there may go on
	cp "$own/tree/vmlinux" "$3.new" && mv "$3.new" "$3"
}

cmd_uml() {
	local kernel=uml patch=/dev/null
	while [ $# -gt 0 ]; do
		case $1 in
		-k) kernel=$(kernel_name "${2-}") || exit; shift 2 ;;
		--patch) patch=$(readlink -e "${2-}") || die "there is no patch '${2-}'"; shift 2 ;;
		-*) usage uml >&2; exit 2 ;;
		*) break ;;
		esac
	done
	[ $# -eq 1 ] || { usage uml >&2; exit 2; }
	is_uml "$kernel" || die "this is for the kernels: $uml_all"
	uml_prepare "$kernel"
	root_add bookworm flex bison bc patch
	with_lock uml-own uml_own "$kernel" "$patch" "$1" || make_failed "building $1"
}
