# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Building a checkout: its files are copied into a root, there make runs. One
# copy serves each kernel (`make modules`), one all programs (`make tools` and
# selftests/net), which always come from the bookworm root, as the guest's user
# land does. Files that did not change are not copied again.

build_id() { printf '%s' "$top_dir" | hash_of; }

# build_dir KERNEL|user|lint: inside the root
build_dir() { echo "/build/$(build_id)/$1"; }

build_root() {
	case $1 in
	user | lint) echo bookworm ;;
	*) kernel_root "$1" ;;
	esac
}

build_path() { echo "$(root_path "$(build_root "$1")")$(build_dir "$1")"; }

# the files of the checkout, one a line; without git, all but what is hidden
build_files() {
	cd "$top_dir" || return
	if [ -e .git ]; then
		git -c safe.directory='*' -c core.quotePath=false \
			ls-files --cached --others --exclude-standard
	else
		find . -name '.?*' -prune -o \( -type f -o -type l \) -printf '%P\n'
	fi | sort -u | tr '\n' '\0' | xargs -0r stat -c '%n|%F %a %s %.9Y' 2>/dev/null
}

# build_sync KERNEL|user: bring the copy up to date. What was copied is known
# from a list of names, sizes and times; what changed gets the present time,
# so that make sees it even if it is an older file that was moved here.
build_sync() {
	local path list
	path=$(build_path "$1")
	list=$path.list
	mkdir -p "$path"
	touch "$list"
	build_files >"$list.new"
	[ -s "$list.new" ] || { say "no source files in $top_dir"; return 1; }
	cmp -s "$list" "$list.new" && { rm "$list.new"; return 0; }
	cut -d'|' -f1 "$list.new" >"$path.names"
	cut -d'|' -f1 "$list" | comm -23 - "$path.names" | tr '\n' '\0' |
		(cd "$path" && xargs -0r rm -f --) || return 1
	comm -13 "$list" "$list.new" | cut -d'|' -f1 | tr '\n' '\0' |
		(cd "$top_dir" && xargs -0r cp -P --parents --remove-destination -t "$path" --) || return 1
	mv "$list.new" "$list"
}

build_make() {
	local what=$1
	shift
	root_run "$(build_root "$what")" make --no-print-directory -j"$(nproc)" "$@"
}

build_user() {
	local dir
	dir=$(build_dir user)
	build_sync user &&
		build_make user -C "$dir" tools &&
		build_make user -C "$dir/selftests/net"
}

build_kernel() {
	local release
	release=$(kernel_release "$1")
	build_sync "$1" &&
		build_make "$1" -C "$(build_dir "$1")" modules \
			KVER="$release" KDIR="/usr/src/linux-headers-$release" &&
		build_pack "$1"
}

# build_pack KERNEL: the guest's archives in one file
build_pack() {
	local kernel=$1 root path user tree release modules
	root=$(kernel_root "$kernel")
	path=$(build_path "$kernel")
	user=$(build_path user)
	release=$(kernel_release "$kernel")
	modules=$(root_path "$root")$(kernel_modules_dir "$kernel")
	tree=$path.tree
	rm -rf "$tree"
	mkdir -p "$tree/usr/lib/modules/$release/extra" "$tree/usr/bin" "$tree/lab" "$tree/selftests/net"

	cp "$path/netnice.ko" "$tree/usr/lib/modules/$release/extra/" || return
	cp "$user"/tools/{netnice/netnice,vifctl/vifctl} "$tree/usr/bin/" || return
	find "$user/selftests/net" -maxdepth 1 -type f ! -name '*.[cho]' ! -name Makefile \
		-exec cp -t "$tree/selftests/net" {} +
	cp "$lab_dir"/guest/* "$tree/lab/"
	mv "$tree/lab/init" "$tree/init"

	# depmod wants to see all modules
	cp -rl "$modules/lib" "$tree/" &&
		cp "$tree/usr/lib/modules/$release/extra" -rt "$tree/lib/modules/$release" || return
	rm -f "$tree/lib/modules/$release"/modules.*[a-z]
	cp "$modules/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "$tree/lib/modules/$release/"
	root_run "$root" sh -c "
		cd '$(build_dir "$kernel").tree' || exit
		strip --strip-debug lib/modules/$release/extra/netnice.ko usr/lib/modules/$release/extra/netnice.ko
		depmod -b . '$release' || exit
		mv lib/modules/$release/modules.* usr/lib/modules/$release/
		rm -rf lib
		find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0 >../$kernel.cpio" || return
	cat "$(image_path)" "$modules/modules.cpio" "$path.cpio" >"$path.initrd.new" &&
		mv "$path.initrd.new" "$path.initrd"
	rm -rf "$tree" "$path.cpio"
}

build_initrd() { echo "$(build_path "$1").initrd"; }

# build_all KERNEL...
build_all() {
	local kernel
	[ -e "$top_dir/Makefile" ] || die "there is no Makefile in $top_dir"
	image_prepare
	build_user || return
	for kernel; do
		kernel_prepare "$kernel"
		build_kernel "$kernel" || { say "building for $kernel failed"; return 1; }
	done
}

cmd_build() {
	local word kernels=()
	# shellcheck disable=SC2086
	[ $# -gt 0 ] || set -- $all_kernels
	for word; do
		kernels+=("$(kernel_name "$word")") || exit
	done
	with_lock "build-$(build_id)" build_all "${kernels[@]}"
}
