# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Building a checkout: its files are copied into a root, there make runs. One
# copy serves each kernel (`make modules`), one all programs (`make tools`,
# selftests/net and selftests/bench) of an architecture, which always come from the bookworm root,
# as the guest's user land does. Files that did not change are not copied again.

build_id() { printf '%s' "$top_dir" | hash_of; }

# build_coverage: whether the module for uml records which of its basic blocks run (coverage.sh)
build_coverage=''

# build_dir KERNEL|user|user-arm64|nri|lint: inside the root
build_dir() {
	local variant=''
	[ "$1" != uml ] || variant=${build_coverage:+-coverage}
	echo "/build/$(build_id)/$1$variant"
}

build_root() {
	case $1 in
	user* | lint) echo bookworm ;;
	nri) echo trixie ;;
	*) kernel_root "$1" ;;
	esac
}

build_programs_of() { if is_arm64 "$1"; then echo user-arm64; else echo user; fi; }

build_path() { echo "$(root_path "$(build_root "$1")")$(build_dir "$1")"; }

# the files of the checkout, one a line; without git, all but what is hidden
build_files() {
	cd "$top_dir" || return
	if [ -e .git ]; then
		git -c safe.directory='*' -c core.quotePath=false \
			ls-files --cached --others --exclude-standard
	else
		find . -name '.?*' -prune -o \( -type f -o -type l \) -printf '%P\n'
	fi | sort -u | tr '\n' '\0' | xargs -0r stat -c '%n|%F %a %s %.9Y' 2>/dev/null |
		sort
}

# build_sync KERNEL|user: bring the copy up to date. What was copied is known
# from a list of names, sizes and times; what changed gets the present time,
# so that make sees it even if it is an older file that was moved here.
build_sync() {
	local path list
	path=$(build_path "$1")
	list=$path.list
	mkdir -p "$path"
	echo "$top_dir" >"${path%/*}/from"
	touch "$list"
	build_files >"$list.new"
	[ -s "$list.new" ] || { say "no source files in $top_dir"; return 1; }
	cmp -s "$list" "$list.new" && { rm "$list.new"; return 0; }
	cut -d'|' -f1 "$list.new" | sort >"$path.names"
	cut -d'|' -f1 "$list" | sort | comm -23 - "$path.names" | tr '\n' '\0' |
		(cd "$path" && xargs -0r rm -f --) || return 1
	sort "$list" | comm -13 - "$list.new" | cut -d'|' -f1 | tr '\n' '\0' |
		(cd "$top_dir" && xargs -0r cp -P --parents --remove-destination -t "$path" --) || return 1
	mv "$list.new" "$list"
}

# what is built is told in a line, unless V=1 is in the environment
build_quiet=1
[ -z "${V-}" ] || build_quiet=

build_make() {
	local what=$1
	shift
	! is_arm64 "$what" || set -- ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- "$@"
	root_run "$(build_root "$what")" make ${build_quiet:+-s} --no-print-directory -j"$(nproc)" "$@"
}

# build_user user|user-arm64: the tools and all programs, or of those of selftests/net only
# $build_programs
build_user() {
	local what=$1 dir
	dir=$(build_dir "$what")
	build_sync "$what" &&
		build_make "$what" -C "$dir" tools || return
	is_arm64 "$what" || build_make "$what" -C "$dir/selftests/lab/here" || return
	# shellcheck disable=SC2086
	build_make "$what" -C "$dir/selftests/net" ${build_programs-} || return
	[ -n "${build_programs-}" ] || build_make "$what" -C "$dir/selftests/bench"
}

# module_names: the module and its options, as files
module_names() { sed -n 's/^obj-m := //p' "$top_dir/Kbuild" | sed 's/[.]o\>/.ko/g'; }

# module_copy FROM TO: them, from folder to folder
module_copy() {
	local name
	for name in $(module_names); do cp "$1/$name" "$2/" || return; done
}

# build_module KERNEL FOLDER: of a stock kernel. Without debugging information, and BTF, which is
# made of it: no guest looks at either, and they are most of such a module.
build_module() {
	build_make "$1" -C "$(build_dir "$1")" modules KCFLAGS=-g0 CONFIG_DEBUG_INFO_BTF_MODULES= \
		KVER="$(kernel_release "$1")" KDIR="$(kernel_headers "$1")" || return
	mkdir -p "$2.$BASHPID"
	module_copy "$(build_path "$1")" "$2.$BASHPID" || return
	# another checkout may have been first
	mv -T "$2.$BASHPID" "$2" 2>/dev/null || rm -r "$2.$BASHPID"
}

# build_modules KERNEL: of a User Mode Linux
build_modules() {
	local dir options=()
	dir=$(build_dir "$1")
	build_sync "$1" || return
	if [ -n "$build_coverage" ]; then
		build_make "$1" -C "$(uml_dir "$1").tree" modules ARCH=um M="$dir/selftests/lab/coverage" || return
		options=(KCFLAGS=-fsanitize-coverage=trace-pc
			KBUILD_EXTRA_SYMBOLS="$dir/selftests/lab/coverage/Module.symvers")
	fi
	build_make "$1" -C "$dir" modules KVER="$(kernel_release "$1")" KDIR="$(kernel_headers "$1")" ARCH=um \
		"${options[@]}" || return
	uml_is_debug "$1" || return 0
	build_make "$1" -C "$(uml_dir "$1").tree" modules ARCH=um M="$dir/selftests/lab/planted"
}

# module_path KERNEL: the folder of the module and its options. Those of a stock kernel are kept by
# the content of what they are made of, so that another checkout, or another version of this one,
# need not make them again
module_path() {
	if is_uml "$1"; then
		build_path "$1"
	else
		echo "$(root_path "$(kernel_root "$1")")/build/kept/$(basename "$(kernel_dir "$1")")-$(build_hash "$1" \
			'^(Kbuild|Makefile|selftests/lab/build[.]sh|(sched|vif|procfs)/.*)$')"
	fi
}

# build_hash KERNEL|nri PATTERN: a name for the content of those files of the copy, which stays as it is
# when the checkout is edited during the build
build_hash() {
	cut -d'|' -f1 "$(build_path "$1").list" | grep -E "$2" | sort |
		(cd "$(build_path "$1")" && tr '\n' '\0' | xargs -0r sha256sum --) | hash_of
}

build_kernel() {
	local module
	if is_uml "$1"; then
		build_uml "$1"
		return
	fi
	build_sync "$1" || return
	module=$(module_path "$1")
	[ -e "$module" ] || build_module "$1" "$module" || return
	touch "$module"
	build_pack "$1"
}

# build_put KERNEL TREE: what was built, and what runs the guest, at their places
build_put() {
	local user extra folder
	extra=$2/usr/lib/modules/$(kernel_release "$1")/extra
	user=$(build_path "$(build_programs_of "$1")")
	mkdir -p "$extra" "$2/usr/bin" "$2/lab" "$2"/selftests/{net,bench,units}
	module_copy "$(module_path "$1")" "$extra" || return
	[ -z "$build_coverage" ] || cp "$(build_path "$1")/selftests/lab/coverage/cover.ko" "$extra/" || return
	! uml_is_debug "$1" || cp "$(build_path "$1")/selftests/lab/planted/planted.ko" "$2/lab/" || return
	cp "$user"/tools/{netnice/netnice,vifctl/vifctl,netniced/netniced,units/netnice-unit} "$2/usr/bin/" || return
	mkdir -p "$2/usr/lib/python3/dist-packages" &&
		cp -r "$user/tools/python/netnice" "$2/usr/lib/python3/dist-packages/" &&
		cp "$user/tools/lib/libnetnice.so.$(sed -n 's/^NETNICE_VERSION := //p' "$top_dir/Makefile")" \
			"$2/usr/lib/libnetnice.so.0" || return
	for folder in net bench; do
		find "$user/selftests/$folder" -maxdepth 1 -type f ! -name '*.[cho]' \
			-exec cp -t "$2/selftests/$folder" {} +
	done
	cp "$user/selftests/run_tests" "$2/selftests/" || return
	cp "$user/Documentation/vifctl.schema.json" "$user/Documentation/netlink/specs/netnice.yaml" \
		"$2/selftests/net/" || return
	cp -r "$user"/tools/*/*.{service,mount,socket} "$user"/Documentation/{examples/*,tracing.rst,tutorial.rst} \
		"$2/selftests/units/" || return
	cp "$lab_dir"/guest/* "$2/lab/"
	mv "$2/lab/init" "$2/init"
}

# build_pack KERNEL: the guest's archives in one file
build_pack() {
	local kernel=$1 root path tree release modules
	root=$(kernel_root "$kernel")
	path=$(build_path "$kernel")
	release=$(kernel_release "$kernel")
	modules=$(kernel_modules_path "$kernel")
	tree=$path.tree
	rm -rf "$tree"
	build_put "$kernel" "$tree" || return

	# depmod wants to see all modules
	cp -rl "$modules/lib" "$tree/" &&
		cp "$tree/usr/lib/modules/$release/extra" -rt "$tree/lib/modules/$release" || return
	rm -f "$tree/lib/modules/$release"/modules.*[a-z]
	cp "$modules/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "$tree/lib/modules/$release/"
	root_run "$root" sh -c "
		cd '$(build_dir "$kernel").tree' || exit
		depmod -b . '$release' || exit
		mv lib/modules/$release/modules.* usr/lib/modules/$release/
		rm -rf lib
		find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0 >../$kernel.cpio" || return
	cat "$(image_path_for "$kernel" base)" "$modules/modules.cpio" "$path.cpio" >"$path.initrd.new" &&
		mv "$path.initrd.new" "$path.initrd"
	rm -rf "$tree" "$path.cpio"
}

build_initrd() { echo "$(build_path "$1").initrd"; }

# What the CNI project tries plugins with: cnitool, and the integration test of its own plugins.
# Both are in the sources of Debian's packages, and not in the packages.
cni_sources=(golang-github-appc-cni golang-github-containernetworking-plugins)

cni_source_dir() { echo "/source/cni-$(hash_of <<<"${cni_sources[*]}")"; }	# inside the root

# cni_source_make TEMP
cni_source_make() {
	local root dir
	root=$(root_path bookworm)
	dir=${1#"$root"}
	say "fetching the sources of ${cni_sources[*]} (less than 1 MB)"
	mkdir -p "$1"
	# shellcheck disable=SC2016
	root_run bookworm sh -ec 'cd "$1" && shift
		sed -n "s/^deb /deb-src /p" /etc/apt/sources.list >list
		apt="apt-get -qq -oAPT::Sandbox::User=root -oDir::Etc::SourceList=$PWD/list -oDir::Etc::SourceParts=/dev/null"
		$apt update
		$apt source --download-only "$@"
		for name; do
			mkdir "$name"
			tar -xf "$name"_*.orig.tar.xz -C "$name" --no-same-owner --strip-components=1
		done' sh "$dir" "${cni_sources[@]}"
}

# build_cni_project FOLDER: what of it runs in a guest, in its folder selftests/cni
build_cni_project() {
	local source
	source=$(cni_source_dir)
	with_lock root-bookworm make_once "$(root_path bookworm)$source" cni_source_make || return
	# shellcheck disable=SC2016
	root_run bookworm sh -ec 'to=$1/selftests/cni plugins=$2/$4
		mkdir -p "$to/integration"
		export GOFLAGS= GO111MODULE=off GOPATH=/usr/share/gocode CGO_ENABLED=0
		go build -o "$to/cnitool" "$2/$3/cnitool/cnitool.go"
		go build -o "$to/server" "$plugins/pkg/testutils/echo/server/main.go"
		go build -o "$to/client" "$plugins/pkg/testutils/echo/client/client.go"
		cd "$plugins/integration"
		go test -c -o "$to/integration/test"
		cp -r testdata "$to/integration/"' sh "$1" "$source" "${cni_sources[@]}"
}

# build_go EXTRA FILE: an archive of what is in Go for an extra, whose own tests come first, and of
# what runs it. They take the Go of the extra that has them.
build_go() {
	local dir what
	# they are built in this root, whatever the guest's user land is
	# shellcheck disable=SC2046
	root_add bookworm $(image_packages bookworm "$1")
	dir=$(build_dir user)
	case $1 in
	cni | nri) what=cni ;;
	containers) what=oci ;;
	esac
	build_make user -C "$dir" check-go $what >&2 || return
	[ $what = oci ] || build_make user -C "$dir/selftests/net" cni-runtime >&2 || return
	root_run bookworm sh -c "cd '$dir' && rm -rf go.tree && mkdir go.tree &&
		make -s install-$what DESTDIR=go.tree &&
		{ [ $what = oci ] || install -D -t go.tree/selftests/net selftests/net/cni-runtime; }" >&2 || return
	[ "$1" != cni ] || build_cni_project "$dir/go.tree" >&2 || return
	root_run bookworm sh -c "cd '$dir/go.tree' && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0" >"$2"
}

# What is younger than bookworm: NRI's library, and a runtime that speaks it. Its programs need no
# newer libc.
nri_packages=(containerd golang-go golang-github-containerd-nri-dev
	golang-github-containernetworking-plugins-dev golang-github-kubernetes-cri-api-dev)

# build_nri FILE: an archive of the NRI plugin, whose own tests come first, of the runtime, and of
# what speaks to that
build_nri() {
	local dir
	root_prepare trixie
	root_add trixie "${nri_packages[@]}"
	dir=$(build_dir nri)
	build_sync nri &&
		build_make nri -C "$dir" check-nri nri >&2 &&
		build_make nri -C "$dir/selftests/net" cri >&2 || return
	root_run trixie sh -c "cd '$dir' && rm -rf nri.tree &&
		install -D tools/nri/netnice nri.tree/opt/nri/plugins/10-netnice &&
		install -D -t nri.tree/selftests/net selftests/net/cri &&
		install -D -t nri.tree/usr/bin /usr/bin/containerd /usr/bin/containerd-shim-runc-v2 /usr/bin/ctr &&
		cd nri.tree && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0" >"$1"
}

# build_kubernetes TEMP: all its parts in one program (selftests/cluster). What they are made of does not stay.
# This machine's proxies and authorities hold in the root, too.
build_kubernetes() {
	local authorities=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
	say "building Kubernetes of Go modules (once: 117 MB of them, and 20 minutes)"
	mkdir -p "$1"
	[ ! -r "$authorities" ] || cp -L "$authorities" "$1/authorities"
	# shellcheck disable=SC2016
	root_run trixie env GOPROXY="${GOPROXY-}" HTTPS_PROXY="${HTTPS_PROXY-}" sh -ec 'cd "$1/selftests/cluster"
		version=$(sed -n "s,^\tk8s.io/kubernetes ,,p" go.mod)
		export CGO_ENABLED=0 GOFLAGS="-mod=readonly -modcacherw -p=2" GOCACHE=$2/cache GOMODCACHE=$2/modules
		[ ! -e "$2/authorities" ] || export SSL_CERT_FILE=$2/authorities
		go build -trimpath -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$version" -o "$2/cluster" .
		rm -rf "$GOCACHE" "$GOMODCACHE"' sh "$(build_dir nri)" "${1#"$(root_path trixie)"}"
}

# containerfile INSTRUCTION: what the first such line of the DaemonSet's image says, with those it goes on in
containerfile() {
	sed -n "/^$1/,/[^\\\\]\$/{ s/^RUN //; p; /[^\\\\]\$/q }" "$top_dir/Documentation/examples/kubernetes/Containerfile"
}

# build_cluster FILE: an archive of Kubernetes, and of the image of the DaemonSet, as the commands of its
# Containerfile make it
build_cluster() {
	local dir kept
	dir=$(build_dir nri)
	# shellcheck disable=SC2046
	root_add trixie ca-certificates $(containerfile 'RUN apt-get' | sed 's/.*--no-install-recommends//; s/\\$//')
	kept=/build/kept/kubernetes-$(build_hash nri '^selftests/cluster/')
	make_once "$(root_path trixie)$kept" build_kubernetes >&2 || return
	root_run trixie sh -ec "cd '$dir' && rm -rf cluster.tree && mkdir -p cluster.tree/usr/bin
		$(containerfile 'RUN make' | sed "s,/image,$dir/cluster.tree/cluster/image,g")
		ln '$kept/cluster' cluster.tree/usr/bin/
		cd cluster.tree && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0 >../cluster.cpio" >&2 || return
	cp "$(build_path nri)/cluster.cpio" "$1"
}

# build_extra KERNEL EXTRA PREFIX: the archives that an extra adds to the guest, as the array `archives`.
# The names of those that are built for it begin with PREFIX.
build_extra() {
	local kernel=$1 extra=$2 prefix=$3
	if [ "$extra" = here ]; then
		archives=("$prefix.here")
		here_archive "$prefix.here"
		return
	fi
	image_prepare_in "$(kernel_userland "$kernel")" "$extra"
	! is_arm64 "$kernel" || image_prepare_arm64 "$extra"
	archives=("$(image_path_for "$kernel" "$extra")")
	if [ "$extra" = cni ] || [ "$extra" = nri ] || [ "$extra" = containers ]; then
		build_go "$extra" "$prefix.go" || return
		archives+=("$prefix.go")
	fi
	if [ "$extra" = nri ] || [ "$extra" = cluster ]; then
		build_nri "$prefix.nri" || return
		archives+=("$prefix.nri")
	fi
	if [ "$extra" = cluster ]; then
		build_cluster "$prefix.cluster" || return
		archives+=("$prefix.cluster")
	fi
	if source_is_wanted "$extra"; then
		source_prepare
		archives+=("$(source_archive)")
	fi
}

# build_initrd_with KERNEL [EXTRA]: makes it if need be
build_initrd_with() {
	local initrd extra=$2 with archives temp
	initrd=$(build_initrd "$1")
	with=$initrd-$extra
	if [ -z "$extra" ]; then
		with=$initrd
	elif ! [ "$with" -nt "$initrd" ]; then
		build_extra "$1" "$extra" "$initrd" >&2 || return
		temp=$with.$BASHPID
		cat "$initrd" "${archives[@]}" >"$temp" && mv "$temp" "$with" || return
	fi
	echo "$with"
}

build_exists() {
	if is_uml "$1"; then
		[ -n "$(build_tree "$1")" ]
	else
		[ -e "$(build_initrd "$1")" ]
	fi
}

# --- for User Mode Linux ----------------------------------------------------------

# Its root is a folder: hard links to the user land and the kernel's modules, and
# what was built. There is one for each content of the checkout, so that going back
# to another version takes no build; the latest few stay.

# build_content KERNEL: a name for all that such a folder is made from
build_content() {
	{
		uml_key "$1"
		image_tree
		echo "$build_coverage"
		build_files | sed 's/|[^0-7]*\([0-7]*\) .*/ \1/'
		build_files | cut -d'|' -f1 | (cd "$top_dir" && tr '\n' '\0' | xargs -0r cat --)
	} | hash_of
}

build_trees() { echo "$(build_path "$1").trees"; }

# build_tree KERNEL: the one of what was built last
build_tree() { readlink -e "$(build_trees "$1")/last"; }

# build_tree_with KERNEL [EXTRA]: the same with an extra that is kept apart; makes it if need be
build_tree_with() {
	local tree extra=$2
	tree=$(build_tree "$1")
	if image_is_apart "$extra"; then
		with_lock "tree-$(build_id)-$extra" make_once "$tree-$extra" build_make_tree_with "$1" "$extra" "$tree" >&2 || return
		tree=$tree-$extra
	fi
	echo "$tree"
}

# build_make_tree_with KERNEL EXTRA TREE TEMP
build_make_tree_with() {
	local archive archives
	build_extra "$1" "$2" "$4.archive" && cp -al "$3" "$4" || return
	for archive in "${archives[@]}"; do
		root_run bookworm sh -c "cd '$(build_dir "$1").trees/${4##*/}' && cpio --quiet -i -d -m -u" <"$archive" || return
	done
	rm -f "$4".archive*
}

# build_make_tree KERNEL TEMP
build_make_tree() {
	local kernel=$1 temp=$2 modules
	modules=usr/lib/modules/$(kernel_release "$kernel")
	build_modules "$kernel" || return
	cp -al "$(image_tree)" "$temp" &&
		cp -al "$(uml_path "$kernel")/lib/modules" "$temp/usr/lib/" &&
		build_put "$kernel" "$temp" &&
		cp "$(build_path user)/selftests/lab/here/here" "$temp/lab/" || return
	if [ "$(uml_base "$kernel")" = new ]; then
		source_prepare
		cp -al "$(source_tree)/." "$temp/" || return
	fi
	rm -f "$temp/$modules"/modules.{dep,alias,symbols,softdep,devname}* # not to be written to
	root_run bookworm sh -c "
		cd '$(build_dir "$kernel").trees/$(basename "$temp")' || exit
		strip --strip-debug $modules/extra/*.ko
		depmod -b . '$(kernel_release "$kernel")'"
}

# build_has KERNEL...: is there one for each of them, of this content?
build_has() {
	local kernel
	for kernel; do
		is_uml "$kernel" && [ -e "$(build_trees "$kernel")/$(build_content "$kernel")" ] || return
	done
}

build_uml() {
	local trees tree
	trees=$(build_trees "$1")
	tree=$(build_content "$1")
	make_once "$trees/$tree" build_make_tree "$1" || return
	touch "$trees/$tree"
	ln -sfn "$tree" "$trees/last"
	find "$trees" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' | sort -rn | sed '1,9d' |
		cut -d' ' -f2 | xargs -r rm -rf
}

# build_all KERNEL...: all at a time, as much of each does not use all CPUs; first the
# programs, which all have
build_all() {
	local what kernel
	[ -e "$top_dir/Makefile" ] || die "there is no Makefile in $top_dir"
	build_prepare "$@" || return
	if ! build_has "$@"; then
		for what in $(for kernel; do build_programs_of "$kernel"; done | sort -u); do
			build_user "$what" || return
		done
	fi
	side_by_side build_one "$@"
}

build_one() {
	say "building for $1 ($(kernel_release "$1")) what has changed"
	build_kernel "$1" || { say "building for $1 failed"; return 1; }
}

# build_prepare KERNEL...: the roots side by side, then what is made in them. Packages are downloaded and
# packed while a User Mode Linux is compiled.
build_prepare() {
	local kernel roots user=user
	mapfile -t roots <<<"$({ echo bookworm; for kernel; do kernel_roots "$kernel"; done; } | sort -u)"
	for kernel; do ! is_uml "$kernel" || user='user-tree'; done
	# shellcheck disable=SC2086
	side_by_side root_prepare "${roots[@]}" && side_by_side build_prepare_one $user "$@" $build_with
}

# build_with: what the caller needs beside the guests, as build_prepare_one() has it
build_with=''

# build_prepare_one KERNEL|user|user-tree|core|here
build_prepare_one() {
	case $1 in
	user) image_prepare ;;
	user-tree) image_prepare_tree ;;
	core) core_prepare ;;
	here) here_prepare_root ;;
	*) kernel_prepare "$1" ;;
	esac
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
