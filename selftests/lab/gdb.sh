# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# gdb on the module: a User Mode Linux is a program, and gdb's child here. Both run
# in the bookworm root, which has gdb and where all paths of the build are true.

# what the guest does meanwhile, if nothing else is asked for: packets wait in a VIF
gdb_job='mkdir /proc/network/eth0/waiting
echo 64k >/proc/network/eth0/waiting/bandwidth
echo $$ >/proc/network/eth0/waiting/tasks
exec ping -q -c 60 -i 0.05 -s 1400 10.0.0.2'

cmd_gdb() {
	local kernel root job batch=()
	parse_guest_options gdb "$@"
	kernel=${opt_kernels[0]-uml}
	is_uml "$kernel" || die "gdb is for the kernels: $uml_all"
	[ -z "$opt_batch" ] || batch=(-batch -ex guest -ex waiting)
	[ ${#rest[@]} -eq 0 ] || gdb_job=${rest[*]}
	prepare_guests "$kernel"
	root_add bookworm gdb
	root=$(root_path bookworm)
	job=$(mktemp -d "$root/tmp/gdb.XXXXXX") || exit
	# shellcheck disable=SC2064
	trap "rm -rf '$job'" EXIT
	trap 'exit 130' TERM
	mkdir "$job/files"
	printf '%s\n' "$gdb_job" >"$job/files/command"
	cp "$lab_dir/uml/netnice-gdb.py" "$job/"
	guest_settings
	uml_tree=$(build_tree "$kernel")
	uml_tree=${uml_tree#"$root"} job=${job#"$root"}
	guest_args "$kernel" LAB_JOB=command "$job/files"
	gdb_run "$kernel" "$job" "${batch[@]}"
}

# gdb_run KERNEL JOB-FOLDER ARGUMENT...: guest_argv begins with what prepares for
# the program, which gdb does itself
gdb_run() {
	local kernel=$1 job=$2 argv=("${guest_argv[@]}") cpu=${guest_argv[2]}
	shift 2
	while [[ ${argv[0]} != */linux ]]; do argv=("${argv[@]:1}"); done
	argv[0]=$(uml_dir "$kernel")/linux
	root_run bookworm taskset -c "$cpu" env TERM="${TERM:-dumb}" TMPDIR=/tmp \
		NETNICE_KO="$(build_dir "$kernel")/netnice.ko" \
		gdb -q -nx -iex 'set auto-load off' -x "$job/netnice-gdb.py" "$@" --args "${argv[@]}" \
		"uml_dir=$job/uml/" ssl=null ssl0=null "ssl1=null,fd:1"
}
