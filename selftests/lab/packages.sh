# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Debian packages: built from what is committed, in a root of each suite that has nothing but
# what that takes; then put to use on a machine of that suite. Such a machine is a folder, a
# copy of the suite's empty Debian, in which packages are installed (apt, and DKMS's compiler,
# run there at this machine's speed), and of which a disk is made to boot with its own kernel.

packages_suites='bookworm trixie'

# packages_out SUITE: where packages go
packages_out() { echo "$top_dir/dist/$1"; }

# --- building -------------------------------------------------------------------------------

packages_build_in() {
	local suite=$1 dir path out
	dir=$(build_dir deb)
	path=$(root_path "$suite-deb")$dir
	out=$(packages_out "$suite")
	rm -rf "$path" "$out"
	mkdir -p "$path" "$out"
	echo "$top_dir" >"${path%/*}/from"
	cp "$top_dir/dist/netnice-$packages_version.tar.gz" "$path/" || return
	# shellcheck disable=SC2016
	root_run "$suite-deb" sh -ec 'cd "$1"
		tar -xf *.tar.gz
		rm *.tar.gz
		cd netnice-*
		dpkg-buildpackage -us -uc >../build.log 2>&1 || { tail -n 40 ../build.log; exit 1; }
		rm -rf "$PWD"' sh "$dir" || return
	find "$path" -maxdepth 1 -type f -exec cp -t "$out" {} +
	# shellcheck disable=SC2016
	root_run "$suite-deb" sh -ec 'cd "$1"
		lintian --allow-root --display-info --show-overrides --fail-on error,warning *.changes' \
		sh "$dir" | tee "$out/lintian.log"
}

packages_parse() {
	local suite
	packages_wanted=("$@")
	# shellcheck disable=SC2206
	[ $# -gt 0 ] || packages_wanted=($packages_suites)
	for suite in "${packages_wanted[@]}"; do
		[[ " $packages_suites " == *" $suite "* ]] ||
			die "there are no packages for $suite, but for: $packages_suites"
	done
	packages_version=$(sed -n 's/^NETNICE_VERSION := //p' "$top_dir/Makefile")
}

packages_build() {
	local suite
	make -s --no-print-directory -C "$top_dir" dist DISTDIR="$top_dir/dist" || return
	for suite in "${packages_wanted[@]}"; do
		root_prepare "$suite-deb"
		say "building packages for Debian $suite"
		with_lock "build-$(build_id)" packages_build_in "$suite" || make_failed "the build for $suite"
		(cd "$(packages_out "$suite")" && ls -s --block-size=K ./*.deb) >&2
	done
}

cmd_deb() {
	packages_parse "$@"
	deps_need
	packages_build
}

# --- machines -------------------------------------------------------------------------------

# machine_run COMMAND...: in its folder, which is $machine
machine_run() { root_enter "$machine" env DEBIAN_FRONTEND=noninteractive "$@"; }

machine_apt() {
	machine_run apt-get -qq -y -oAPT::Sandbox::User=root -oDpkg::Use-Pty=0 \
		--no-install-recommends "$@" >>"$logs/apt" 2>&1 ||
		{ tail -n 40 "$logs/apt" >&2; make_failed "apt-get $*"; }
}

# machine_owner COMMAND...: as root, or as who takes himself for it
machine_owner() {
	if [ "$(id -u)" = 0 ]; then "$@"; else unshare -r "$@"; fi
}

# machine_releases: the kernels for clouds that the suite has, the oldest first
machine_releases() {
	machine_run apt-cache search --names-only '^linux-headers-[0-9].*-cloud-amd64$' |
		sed 's/^linux-headers-\([^ ]*\).*/\1/' | grep -v -e '-rt-' | sort -V
}

# machine_new SUITE: an empty Debian with a kernel of its own
machine_new() {
	local releases
	rm -rf "$machine"
	mkdir -p "${machine%/*}"
	cp -a --reflink=auto "$(root_path "$1-guest")" "$machine" || return
	# bash's process substitution, which dkms uses
	ln -s /proc/self/fd "$machine/dev/fd"
	# it is no machine yet: nothing is started
	printf '#!/bin/sh\nexit 101\n' >"$machine/usr/sbin/policy-rc.d"
	chmod 755 "$machine/usr/sbin/policy-rc.d"
	machine_apt update
	releases=$(machine_releases)
	machine_first=$(head -n 1 <<<"$releases") machine_last=$(tail -n 1 <<<"$releases")
	machine_flavour=cloud-amd64
	# where the archive has one only, what follows is the same kernel for all machines
	[ "$machine_first" != "$machine_last" ] ||
		machine_last=${machine_first/-cloud/} machine_flavour=amd64
	machine_apt install initramfs-tools "linux-image-$machine_first"
	mkdir -p "$machine/lab"
	cp "$lab_dir/guest/packages" "$machine/lab/"
	cp "$lab_dir/guest/packages@.service" "$machine/etc/systemd/system/"
}

# machine_boot STAGE RELEASE: starts it with that kernel, which does the stage of
# selftests/lab/guest/packages, and has afterwards what that has changed of settings and data
machine_boot() {
	local disk=$machine.disk ktap=$logs/$1.ktap guest_patience=600 guest_timeout=1800 folder
	rm -f "$disk"
	rm "$machine/usr/sbin/policy-rc.d"
	machine_owner mke2fs -q -t ext4 -E root_owner=0:0 -d "$machine" "$disk" 4G >/dev/null || return
	mkdir -p "$logs/$1"
	guest_argv=(qemu-system-x86_64 -nodefaults -no-user-config -no-reboot -display none
		-accel "$guest_accel" -cpu "$guest_cpu" -m 1024
		-drive "file=$disk,format=raw,if=virtio,cache=unsafe"
		-nic 'user,model=virtio,restrict=on'
		-kernel "$machine/boot/vmlinuz-$2" -initrd "$machine/boot/initrd.img-$2" -append
		"console=ttyS0 panic=-1 mitigations=off cryptomgr.notests no_timer_check net.ifnames=0
		root=/dev/vda rw systemd.wants=packages@$1.service")
	(guest_batch "$logs/$1") | tee "$ktap"
	[ "$(tail -n 1 "$ktap" | cut -c1-3)" = 1.. ] || {
		echo "not ok - the machine came to the end of '$1'" | tee -a "$ktap"
		tail -n 40 "$logs/$1"/{console,host}
	}
	for folder in etc var; do
		rm -rf "${machine:?}/$folder"
		machine_owner debugfs -R "rdump /$folder $machine" "$disk" >/dev/null 2>&1 || return
	done
	printf '#!/bin/sh\nexit 101\n' >"$machine/usr/sbin/policy-rc.d"
	chmod 755 "$machine/usr/sbin/policy-rc.d"
	rm "$disk"
}

# machine_result SENTENCE COMMAND...
machine_result() {
	local sentence=$1 verdict=ok
	shift
	"$@" || verdict='not ok'
	echo "$verdict - $sentence" | tee -a "$logs/machine.ktap"
}

# machine_modules_have RELEASE FIELD PATTERN: the module and its options
machine_modules_have() {
	local name
	for name in $(module_names); do
		machine_run modinfo -k "$1" -F "$2" "${name%.ko}" | grep -q "$3" || return
	done
}

# machine_has_module RELEASE: DKMS has built it
machine_has_module() {
	machine_run dkms status | grep -q "^netnice.*$1.*installed" && machine_modules_have "$1" vermagic "^$1 "
}

machine_module_is_signed() { machine_modules_have "$1" signer .; }

# machine_put_to_use SUITE
machine_put_to_use() {
	local suite=$1 from=$SECONDS
	machine=$cache_dir/packages/$(build_id)-$suite
	logs=$logs_all/$suite
	mkdir -p "$logs"
	echo "# Debian $suite"
	machine_new "$suite" || make_failed "the machine of $suite"
	machine_apt install autopkgtest curl libpcap0.8 openssl socat "linux-headers-$machine_first"
	cp "$(packages_out "$suite")"/netnice*.deb "$machine/lab/"
	rm "$machine"/lab/*dbgsym*
	tar -x --no-same-owner -f "$top_dir/dist/netnice-$packages_version.tar.gz" -C "$machine/lab"
	machine_apt install ./lab/netnice_"$packages_version"_amd64.deb \
		./lab/netnice-dkms_"$packages_version"_all.deb
	machine_result "installed: DKMS has built the module for $machine_first" \
		machine_has_module "$machine_first"
	machine_result 'it is signed' machine_module_is_signed "$machine_first"
	machine_boot first "$machine_first" || return
	machine_apt install "linux-image-$machine_flavour" "linux-headers-$machine_flavour"
	machine_result "kernel updated: DKMS has built it for $machine_last" \
		machine_has_module "$machine_last"
	machine_boot updated "$machine_last" || return
	echo "# $suite: $((SECONDS - from)) s; all that was said is in $logs"
}

# --- other distributions' recipes -------------------------------------------------------------

# recipes_run SENTENCE COMMAND...: in the folder of the recipes
recipes_run() {
	local sentence=$1
	shift
	root_run trixie-recipes env -C "$(build_dir recipes)" "$@" >"$logs/said" 2>&1
	machine_result "$sentence" test $? -eq 0
	! tail -n 1 "$logs/machine.ktap" | grep -q '^not' || tail -n 30 "$logs/said"
}

# recipes: as far as Debian's own rpm, makepkg and nix go
recipes() {
	local dir path
	root_prepare trixie-recipes
	dir=$(build_dir recipes)
	path=$(root_path trixie-recipes)$dir
	rm -rf "$path"
	mkdir -p "$path"/{rpm,nix}
	echo "$top_dir" >"${path%/*}/from"
	ln -sfn /proc/self/fd "$(root_path trixie-recipes)/dev/fd"
	cp "$top_dir"/dist/{netnice-*.tar.gz,netnice.spec,PKGBUILD} "$path/"
	cp "$lab_dir/rpm-macros" "$lab_dir/rpmlint.toml" "$path/"
	tar -x --no-same-owner -f "$path"/netnice-*.tar.gz -C "$path/nix"
	# shellcheck disable=SC2016
	recipes_run 'netnice.spec: rpmbuild -ba' sh -c 'rpmbuild --load=rpm-macros --nodeps -ba \
		--define "_sourcedir $PWD" --define "_topdir $PWD/rpm" netnice.spec'
	# shellcheck disable=SC2016
	recipes_run 'netnice.spec: rpmlint' sh -c 'rpmlint -c rpmlint.toml netnice.spec rpm/*RPMS/*.rpm rpm/RPMS/*/*.rpm'
	# makepkg does nothing for root, who is the only one in a root of an ordinary user's
	# shellcheck disable=SC2016
	if [ "$(id -u)" = 0 ]; then
		recipes_run 'PKGBUILD: makepkg' sh -c 'useradd -M builder 2>/dev/null
			chown -R builder . && HOME=$PWD setpriv --reuid builder --clear-groups \
				makepkg --nodeps --noconfirm'
	else
		echo 'ok - PKGBUILD: makepkg # SKIP it wants another user than root'
	fi
	recipes_run 'default.nix: nix-instantiate --parse' sh -c \
		'nix-instantiate --parse nix/*/packaging/default.nix'
}

packages_count() { cat "$logs_all"/*/*.ktap | grep -c "^$1"; }

cmd_check_packages() {
	local suite failed machine
	packages_parse "$@"
	deps_need
	PATH=$PATH:/usr/sbin:/sbin
	command -v mke2fs debugfs >/dev/null || die "missing packages: e2fsprogs"
	packages_build
	new_logs
	logs_all=$logs
	logs=$logs_all/recipes
	mkdir "$logs"
	recipes
	for suite in "${packages_wanted[@]}"; do
		root_prepare "$suite-guest"
		(trap 'rm -rf "$cache_dir/packages/$(build_id)-$suite"*' EXIT; machine_put_to_use "$suite") ||
			echo "not ok - $suite: the end was reached" | tee -a "$logs_all/$suite/end.ktap"
	done
	failed=$(packages_count 'not ok')
	echo "$(packages_count 'ok') passed, $failed failed"
	[ "$failed" -eq 0 ]
}
