# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# A program of this machine, with its files, its user and its folder, on a User Mode Linux
# of which network stack and module are this checkout's (here.c has both its ends).

# here_prepare KERNEL: all that is built, or nothing, and then the cache is only read; fills here_tree
here_prepare() {
	[ -z "$opt_build" ] || prepare_guests "$1"
	build_exists "$1" || die "nothing is built for $1"
	here_tree=$(build_tree "$1")
}

# here_prepare_root: the program that its test takes for the network
here_prepare_root() { root_add bookworm slirp4netns; }

# build_for_here: what its test needs
build_for_here() {
	here_prepare uml
	here_prepare_root
}

# here_archive FILE: what this takes on another machine, as the checkout /srv/checkout and the
# cache /srv/cache. (Symbols are for gdb only.)
here_archive() {
	local root root_new temp cache release last status
	here_prepare uml
	release=$(kernel_release uml) root=$(root_path bookworm) root_new=$(root_path "$(kernel_root new)")
	last=$(top_dir=/srv/checkout build_trees uml)/last
	temp=$(mktemp -d "$root/tmp/here.XXXXXX") || return
	cache=$temp/srv/cache
	mkdir -p "$temp/srv/checkout/selftests" "$cache${last#"$cache_dir"}" &&
		cp -r "$lab_dir" "$temp/srv/checkout/selftests/" &&
		(cd "$here_tree" && cp -r --parents -t "$cache${last#"$cache_dir"}" \
			lab/here "usr/lib/modules/$release/extra") &&
		(cd "$cache_dir" && cp --parents -t "$cache" ".$(uml_dir uml)"/{linux,release} \
			".${root_new#"$cache_dir"}$(kernel_dir new)/release") &&
		root_run bookworm sh -c "cd '${temp#"$root"}' && strip 'srv/cache$(uml_dir uml)/linux' &&
			find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0" >"$1"
	status=$?
	rm -rf "$temp"
	return $status
}

# here_net NET: fills here_settings, and starts what that takes
here_net() {
	case $1 in
	none) ;;
	user) here_net_user || die "no network: slirp4netns says: $(tail -n 1 "$here_job/slirp")" ;;
	stack) here_net_stack ;;
	*) die "there is no network '$1': user, stack or none" ;;
	esac
}

# here_has_tap: is this run by netnice --stack?
here_has_tap() { [ -n "${NETNICE_TAP-}" ] && [ -e "/proc/$$/fd/$NETNICE_TAP" ]; }

# here_net_stack: by the tap of netnice --stack, with what else its environment tells
here_net_stack() {
	local address
	for address in $NETNICE_ADDRESSES; do
		case $address in
		*:*) here_settings+=("net6=$address/128") ;;
		*) here_settings+=("net=$address/32") ;;
		esac
	done
	here_settings+=(route=vec0 "ports=$NETNICE_PORTS")
	here_kernel+=("vec0:transport=fd,fd=$NETNICE_TAP,vec=0,mtu=$NETNICE_MTU")
}

# here_net_user: by slirp4netns, which needs no right; its addresses are those it always has
here_net_user() {
	local root socket
	root_add bookworm slirp4netns
	root=$(root_path bookworm)
	# others can make files beside it, none in it
	here_shared=$(mktemp -d "$root/tmp/here.XXXXXX") || exit
	socket=$here_shared/socket
	[ ${#socket} -lt 104 ] || die "the cache's folder has too long a name for a socket"
	# names are asked for where this machine asks
	cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
	# its input ends with this process, and so does it
	mkfifo "$here_job/alive" && exec {here_alive}<>"$here_job/alive" || exit
	# in a process group of its own: what enters the root waits for it
	set -m
	root_run bookworm slirp4netns --exit-fd=0 --target-type=bess "${socket#"$root"}" \
		>"$here_job/slirp" 2>&1 <"$here_job/alive" {here_alive}>&- &
	set +m
	here_slirp=$!
	for _ in {1..100}; do
		[ ! -S "$socket" ] || break
		kill -0 $here_slirp 2>/dev/null || return
		sleep 0.02
	done
	here_settings+=("net=10.0.2.100/24,10.0.2.2,10.0.2.3")
	here_kernel+=("vec0:transport=bess,dst=$socket,src=$socket.uml,vec=0")
}

# here_pass SIGNAL: to the command, or, if that has not begun, when it has
here_pass() {
	if [ -n "$here_child" ]; then
		kill "-$1" "$here_child" 2>/dev/null
	else
		here_early=$1
	fi
}

# here_run COMMAND...: with this process's standard input, and its signals
here_run() {
	local signal status
	for signal in TERM HUP QUIT USR1 USR2; do
		# shellcheck disable=SC2064
		trap "here_pass $signal" $signal
	done
	# who sits at the terminal means the command, which has it already
	trap : INT
	"$@" <&0 &
	here_child=$!
	[ -z "$here_early" ] || here_pass "$here_early"
	# it says itself how it has ended
	{
		while kill -0 $here_child; do wait $here_child; done
		wait $here_child
	} 2>/dev/null
	status=$?
	here_child=''
	return $status
}

# here_stop PID: a child, that has some seconds to end what it began
here_stop() {
	kill "$1" 2>/dev/null
	for _ in {1..50}; do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

# here_argv FOLDER COMMAND...: fills here_argv; here_linux is how the kernel is begun
here_argv() {
	mkdir "$1" && cp "$here_tree/lab/here" "$1/init" || exit
	here_argv=(env "${user_locale[@]}" "$1/init" "$1" env TMPDIR="$(uml_memory)" "${here_linux[@]}" mem=1024M seccomp=on
		rootfstype=hostfs root=/dev/root rootflags=/ ro "init=$1/init" console=ttyS0 con=null quiet
		panic=-1 "uml_dir=$1/uml/" "${here_kernel[@]}" -- "${here_settings[@]}" -- "${@:2}")
}

# here_gdb KERNEL: it is run by this machine's gdb; paths of the build are the roots'
here_gdb() {
	command -v gdb >/dev/null || die "there is no gdb here"
	here_settings+=(gdb=1)
	here_linux=(NETNICE_KO="$(build_path "$1")/netnice.ko" gdb -q -nx -iex 'set auto-load off'
		-ex "set substitute-path /uml $cache_dir/uml"
		-ex "set substitute-path /build $(root_path bookworm)/build"
		-x "$lab_dir/uml/netnice-gdb.py" -ex guest --args "${here_linux[@]}")
}

# here_linked N COMMAND...: of the two that are linked, as here_argv()
here_linked() {
	local here_settings=("${here_settings[@]}" "net=10.0.0.$1/24" "net6=fd00::$1/64")
	local here_kernel=("vec0:transport=fd,fd=$((7 + $1)),vec=0")
	here_argv "$here_job/$1" "${@:2}"
}

# here_pair COMMAND1... -- COMMAND2...: the first ends with the second
here_pair() {
	local first=() status
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		first+=("$1")
		shift
	done
	if [ ${#first[@]} -eq 0 ] || [ $# -le 1 ]; then
		usage here >&2
		exit 2
	fi
	here_linked 1 "${first[@]}"
	"${here_argv[@]}" </dev/null &
	here_first=$!
	# until its command begins
	while [ -e "$here_job/1/init" ] && kill -0 "$here_first" 2>/dev/null; do sleep 0.02; done
	if ! kill -0 "$here_first" 2>/dev/null; then
		wait "$here_first"
		status=$?
		here_first=''
		[ $status -ne 125 ] || return 125
	fi
	here_linux=("${here_linux_second:-${here_linux[0]}}")
	here_linked 2 "${@:2}"
	here_run "${here_argv[@]}"
	status=$?
	[ -z "$here_first" ] || here_stop "$here_first"
	here_first=''
	return $status
}

here_end() {
	[ -z "$here_child" ] || here_stop "$here_child"
	[ -z "$here_first" ] || here_stop "$here_first"
	[ -z "$here_slirp" ] || kill -- "-$here_slirp" 2>/dev/null
	rm -rf "$here_job"
	[ -z "$here_shared" ] || rm -rf "$here_shared"
}

cmd_here() {
	local kernel=uml linux=() file net='' pair='' gdb='' release folder words=("$@")
	here_settings=() here_kernel=() here_slirp='' here_shared='' here_first='' here_child='' here_early='' opt_build=1
	while [ $# -gt 0 ]; do
		case $1 in
		-k) kernel=$(kernel_name "${2-}") || exit; shift 2 ;;
		--linux)
			file=$(readlink -e "${2-}") || die "there is no kernel '${2-}'"
			linux+=("$file")
			shift 2
			;;
		--net) net=${2-}; shift 2 ;;
		--rw)
			folder=$(readlink -e "${2-}")
			[ -d "$folder" ] || die "there is no folder '${2-}'"
			here_settings+=("rw=$folder")
			shift 2
			;;
		--pair) pair=1; shift ;;
		--gdb) gdb=1; shift ;;
		--no-build) opt_build=''; shift ;;
		--) shift; break ;;
		-h | --help) usage here; exit 0 ;;
		-*) usage here >&2; exit 2 ;;
		*) break ;;
		esac
	done
	[ $# -gt 0 ] || { usage here >&2; exit 2; }
	is_uml "$kernel" || die "this is for the kernels: $uml_all"
	[ ${#linux[@]} -le $((pair + 1)) ] || die "there are two kernels with --pair only"
	[ -z "$pair" ] || [ -z "$gdb" ] || die "--pair has no --gdb: there is one terminal, and two kernels"
	[ -z "$pair" ] || [ "${net:-none}" = none ] || die "--pair has no --net: its network is the link"
	here_prepare "$kernel"
	if [ "$net" = stack ] && ! here_has_tap; then
		command -v netnice >/dev/null || die "--net stack takes netnice on this machine: Documentation/installing.rst"
		exec env "${user_locale[@]}" netnice --stack -- "$lab_dir/lab" here --no-build "${words[@]}"
	fi
	if [ -n "$pair" ] && [ -z "${HERE_LINKED-}" ]; then
		HERE_LINKED=1 exec env "${user_locale[@]}" "$here_tree/lab/here" linked "$lab_dir/lab" here --no-build "${words[@]}"
	fi
	unset HERE_LINKED
	release=$(kernel_release "$kernel")
	here_settings+=("parent=$$" "name=$(uname -n)" "module=$here_tree/usr/lib/modules/$release/extra/netnice.ko"
		"modules=$here_tree/usr/lib/modules/$release,$release")
	here_job=$(mktemp -d "${TMPDIR:-/tmp}/here.XXXXXX") || exit
	trap here_end EXIT
	trap 'exit 130' INT TERM HUP QUIT USR1 USR2
	here_linux=("${linux[0]-$(uml_path "$kernel")/linux}")
	here_linux_second=${linux[1]-}
	[ -z "$gdb" ] || here_gdb "$kernel"
	if [ -n "$pair" ]; then
		here_pair "$@"
		return
	fi
	here_net "${net:-user}"
	here_argv "$here_job/1" "$@"
	here_run "${here_argv[@]}"
}
