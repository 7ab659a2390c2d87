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
#
# A build that was stopped goes on where it was.

uml_all='uml uml-smp uml-debug uml-debug-smp uml-6.1 uml-debug-6.1'

is_uml() { [[ $1 = uml* ]]; }
uml_is_smp() { [[ $1 = *-smp* ]]; }
uml_is_debug() { [[ $1 = *-debug* ]]; }

# uml_base KERNEL: the stock kernel whose version it has
uml_base() {
	case $1 in
	*-6.1) echo 6.1 ;;
	*) echo new ;;
	esac
}

# uml_config KERNEL: its fragments in one; what comes later holds
uml_config() {
	cat "$lab_dir/uml/base.config"
	if uml_is_smp "$1"; then
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
		"$(uml_dir "$kernel").tree" "/uml/$(basename "$temp")" >&2
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
	root_add bookworm flex bison bc
	with_lock uml uml_make_all "$1" || make_failed "building the kernel $1"
}
