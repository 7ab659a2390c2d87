# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# A program of this machine, with its files, its user and its folder, on a User Mode Linux
# of which network stack and module are this checkout's (here.c has both its ends).

here_program() { echo "$(build_path user)/selftests/lab/here/here"; }

build_here() {
	build_sync user && build_make user -C "$(build_dir user)/selftests/lab/here"
}

# here_prepare KERNEL: all that is built, or nothing, and then the cache is only read
here_prepare() {
	if [ -n "$opt_build" ]; then
		prepare_guests "$1"
		with_lock "build-$(build_id)" build_here >&2 || make_failed "the build"
	fi
	build_exists "$1" && [ -e "$(here_program)" ] || die "nothing is built for $1"
}

# build_for_here: what its test needs
build_for_here() {
	here_prepare uml
	root_add bookworm slirp4netns
}

# here_net NET: fills here_settings, and starts what that takes
here_net() {
	case $1 in
	none) ;;
	user) here_net_user || die "no network: slirp4netns says: $(tail -n 1 "$here_job/slirp")" ;;
	*) die "there is no network '$1': user or none" ;;
	esac
}

# here_net_user: by slirp4netns, which needs no right; its addresses are those it always has
here_net_user() {
	local root
	root_add bookworm slirp4netns
	root=$(root_path bookworm)
	here_socket=$root/tmp/here.$$
	# names are asked for where this machine asks
	cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
	# in a process group of its own: what enters the root waits for it
	set -m
	root_run bookworm slirp4netns --target-type=bess "/tmp/here.$$" >"$here_job/slirp" 2>&1 </dev/null &
	set +m
	here_slirp=$!
	for _ in {1..100}; do
		[ ! -S "$here_socket" ] || break
		kill -0 $here_slirp 2>/dev/null || return
		sleep 0.02
	done
	here_settings+=("net=10.0.2.100/24,10.0.2.2,10.0.2.3")
	here_kernel+=("vec0:transport=bess,dst=$here_socket,src=$here_socket.uml,vec=0")
}

# here_run COMMAND...: with this process's standard input, and its signals
here_run() {
	"$@" <&0 &
	# shellcheck disable=SC2064
	trap "kill -TERM $!" TERM
	# who sits at the terminal means the command, which has it already
	trap : INT
	# it says itself how it has ended
	{
		while kill -0 $!; do wait $!; done
		wait $!
	} 2>/dev/null
}

here_end() {
	[ -z "$here_slirp" ] || kill -- "-$here_slirp" 2>/dev/null
	rm -rf "$here_job"
	[ -z "$here_socket" ] || rm -f "$here_socket" "$here_socket.uml"
}

cmd_here() {
	local kernel=uml linux='' net=user tree release folder
	here_settings=() here_kernel=() here_slirp='' here_socket='' opt_build=1
	while [ $# -gt 0 ]; do
		case $1 in
		-k) kernel=$(kernel_name "${2-}") || exit; shift 2 ;;
		--linux) linux=$(readlink -e "${2-}") || die "there is no kernel '${2-}'"; shift 2 ;;
		--net) net=${2-}; shift 2 ;;
		--rw)
			{ folder=$(readlink -e "${2-}") && [ -d "$folder" ]; } || die "there is no folder '${2-}'"
			here_settings+=("rw=$folder")
			shift 2
			;;
		--no-build) opt_build=''; shift ;;
		--) shift; break ;;
		-*) usage here >&2; exit 2 ;;
		*) break ;;
		esac
	done
	[ $# -gt 0 ] || { usage here >&2; exit 2; }
	is_uml "$kernel" || die "this is for the kernels: $uml_all"
	here_prepare "$kernel"
	tree=$(build_tree "$kernel")
	release=$(kernel_release "$kernel")
	here_settings+=("name=$(uname -n)" "module=$tree/usr/lib/modules/$release/extra/netnice.ko"
		"modules=$tree/usr/lib/modules/$release,$release")
	here_job=$(mktemp -d "${TMPDIR:-/tmp}/here.XXXXXX") || exit
	trap here_end EXIT
	trap 'exit 130' INT TERM
	cp "$(here_program)" "$here_job/init"
	here_net "$net"
	here_run "$here_job/init" "$here_job" env TMPDIR="$(uml_memory)" \
		"${linux:-$(uml_path "$kernel")/linux}" mem=1024M seccomp=on rootfstype=hostfs root=/dev/root \
		rootflags=/ ro "init=$here_job/init" console=ttyS0 con=null quiet panic=-1 \
		"uml_dir=$here_job/uml/" "${here_kernel[@]}" -- "${here_settings[@]}" -- "$@"
}
