# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Debian roots in the cache: `bookworm` builds for 6.1, builds all programs and
# gives the guest its user land; `trixie` (with backports) builds for the newer
# kernels. Each carries its kernels, unpacked, in /kernel; what is built
# in a root lies in the root, in /build. All see the cache's folder `uml` as /uml. Of each
# suite there are more for packages.sh: SUITE-deb builds packages and has nothing but what that
# takes; SUITE-guest is an empty Debian, of which installed ones are copies; SUITE-recipes has
# what other distributions build packages with.

roots_common=make,gcc,libc6-dev,cpio,kmod,xz-utils,zstd,apt

roots_deb=apt,build-essential,debhelper,dh-dkms,libmnl-dev,libsqlite3-dev,lintian,pkgconf

roots_packages() {
	case $1 in
	bookworm)
		printf '%s' "$roots_common,liblwip-dev,libmnl-dev,libsqlite3-dev"
		image_packages bookworm base | sed 's/^/,/' | tr -d '\n'
		;;
	trixie) printf %s "$roots_common" ;;
	bookworm-deb) printf '%s' "$roots_deb,systemd" ;;
	*-recipes)
		printf %s apt,debugedit,fakeroot,file,gcc,libarchive-tools,libc6-dev,libmnl-dev,libsqlite3-dev,make
		printf %s ,makepkg,nix-bin,pacman-package-manager,rpm,rpmlint
		;;
	*-deb) printf '%s' "$roots_deb,systemd-dev" ;;
	*-guest) printf %s apt,iproute2,systemd-sysv,udev ;;
	esac
}

# shape of a kernel's release in the root ROOT
roots_kernels() {
	case $1 in
	bookworm) echo '6.1=6[.]1[.]' ;;
	trixie) echo '6.12=6[.]12[.] new=' ;;
	esac
}

root_key() {
	{ roots_packages "$1"; roots_kernels "$1"; cat "$lab_dir/root-setup"; } | hash_of
}

root_suite() { echo "${1%%-*}"; }

root_path() { echo "$cache_dir/roots/$1-$(root_key "$1")"; }

# where this machine gets Debian from, without naming any mirror
root_mirror() {
	command -v apt-get >/dev/null || return 0
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(ORIGIN) $(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null |
		awk '$1 == "main" && $2 ~ /^(bookworm|trixie|forky|sid|testing|stable|unstable)$/ &&
			($3 == "Debian" || $3 !~ /^[A-Za-z]/) { print $NF; exit }'
}

# the host's proxies and the like hold for the roots too
root_apt_options() {
	command -v apt-config >/dev/null || return 0
	apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-|Retries)[^"]*"[^"]+"'
}

# root_make ROOT TEMP
root_make() {
	local root=$1 temp=$2 suite mirror packages option kernels log=$2.log args=()
	suite=$(root_suite "$root")
	mirror=$(root_mirror)
	packages=$(roots_packages "$root")
	kernels=$(roots_kernels "$root")
	while read -r option; do
		[ -z "$option" ] || args+=(--aptopt="$option")
	done <<<"$(root_apt_options)"
	[ "$root" = bookworm ] && args+=("--architectures=amd64,i386")
	# an empty Debian has what others leave out
	[[ $root = *-guest ]] || args+=(--dpkgopt='path-exclude=/usr/share/doc/*'
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*')
	# shellcheck disable=SC2016
	[ "$root" = trixie ] && args+=(--setup-hook='list=$1/etc/apt/sources.list
		sed -n "s/ trixie main/ trixie-backports main/p" $list >$list.d/backports.list')
	say "making a root of Debian $suite: $root (a minute or two, about 200 MB of packages)"
	mkdir -p "$temp"
	# shellcheck disable=SC2016
	# not /tmp, which may be memory
	TMPDIR=${TMPDIR:-/var/tmp} mmdebstrap --variant=minbase --format=tar --quiet \
		--aptopt='APT::Install-Recommends "false"' \
		--dpkgopt=force-unsafe-io \
		--include="$packages" "${args[@]}" \
		--customize-hook="copy-in $lab_dir/root-setup /" \
		--customize-hook="chroot \"\$1\" sh /root-setup $root $kernels" \
		"$suite" - ${mirror:+"deb $mirror $suite main"} 2>"$log" |
		tar -x -p --no-same-owner --exclude='./dev/*' -C "$temp" ||
		{ tail -n 20 "$log" >&2; return 1; }
	rm -f "$log"
	root_devices "$temp"
}

root_devices() {
	local name minor
	mkdir -p "$1/dev"
	for name in null:3 zero:5 random:8 urandom:9; do
		minor=${name#*:} name=${name%:*}
		mknod -m 666 "$1/dev/$name" c 1 "$minor" 2>/dev/null || : >"$1/dev/$name"
	done
}

# root_run ROOT COMMAND...: run in the root, as its root, with /proc, and with
# this machine's devices where nodes cannot be made (as an ordinary user). The
# mounts are private; only where that cannot be (in a chroot) they must be undone.
root_run() {
	local path
	path=$(root_path "$1")
	shift
	root_enter "$path" "$@"
}

# root_enter FOLDER COMMAND...: the same of any folder that is a root
root_enter() {
	local path=$1 flags=(-m)
	shift
	mkdir -p "$cache_dir/uml" "$path/uml"
	[ "$(id -u)" = 0 ] || flags+=(-r)
	unshare "${flags[@]}" true 2>/dev/null || flags+=(--propagation unchanged)
	# shellcheck disable=SC2016
	unshare "${flags[@]}" sh -c '
		root=$1 uml=$2; shift 2
		mount --bind "$uml" "$root/uml" || exit
		mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc" || exit
		if [ ! -c "$root/dev/null" ]; then
			for n in null zero random urandom; do
				mount --bind /dev/$n "$root/dev/$n" || exit
			done
		fi
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
			chroot "$root" "$@"
		status=$?
		umount -l "$root"/dev/* "$root/proc" "$root/uml" 2>/dev/null
		exit $status' sh "$path" "$cache_dir/uml" "$@"
}

# root_prepare ROOT
root_prepare() {
	local path
	path=$(root_path "$1")
	if [ ! -d "$path" ]; then
		deps_need
		with_lock prepare cache_prune
		with_lock "root-$1" make_once "$path" root_make "$1" || make_failed "making the $1 root"
	fi
	touch "$path"
}

root_install() {
	local root=$1
	shift
	say "adding to the $root root: $*"
	# shellcheck disable=SC2016
	root_run "$root" sh -c '
		export DEBIAN_FRONTEND=noninteractive
		apt="apt-get -qq -y -oAPT::Sandbox::User=root -oDpkg::Use-Pty=0"
		# a root is no machine: no daemon is started there
		printf "#!/bin/sh\nexit 101\n" >/usr/sbin/policy-rc.d
		chmod 755 /usr/sbin/policy-rc.d
		dpkg --configure -a && $apt update &&
			$apt install --no-install-recommends "$@" >/dev/null' sh "$@" || return
	mkdir -p "$added"
	(cd "$added" && touch "$@")
}

# root_add ROOT PACKAGE...: what only some uses need
root_add() {
	local root=$1 added package missing=()
	shift
	added=$(root_path "$root")/added
	for package; do
		[ -e "$added/$package" ] || missing+=("$package")
	done
	[ ${#missing[@]} -eq 0 ] ||
		with_lock "root-$root" root_install "$root" "${missing[@]}" || make_failed "adding to the $root root"
}
