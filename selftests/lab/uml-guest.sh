# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Starting a User Mode Linux as a guest: a program of the one who starts it, whose
# root is a folder that it only reads (the guest writes to an overlay in memory).
# It has the same two serial ports as the other guests.
#
# Time is one of three:
#   virtual    passes only while all wait: a run repeats to the last digit
#   skipping   real, but no one waits for it to pass: the default
#   real       with several CPUs

# uml_cpu: the CPU to run on; on one, its threads hand over much faster
uml_cpu() {
	local list cpus=()
	list=$(taskset -cp $$ | sed 's/.*: //')
	mapfile -t cpus <<<"$(tr , '\n' <<<"$list" | while IFS=- read -r a b; do seq "$a" "${b:-$a}"; done)"
	echo "${cpus[$((${guest_slot:-RANDOM} % ${#cpus[@]}))]}"
}

# uml_memory: where the guest's memory is a file
uml_memory() { [ -w /dev/shm ] && echo /dev/shm || echo /tmp; }

uml_time() {
	if [ -n "$guest_virtual" ]; then
		echo 'time-travel=inf-cpu time-travel-start=1767225600000000000 norandmaps'
	else
		echo time-travel
	fi
}

# uml_args KERNEL APPEND [FILES]: fills guest_argv; FILES is a folder of the host
# that is copied to the guest's /lab
uml_args() {
	local kernel=$1 append=$2 tree=${uml_tree-} mem=$guest_mem program
	[ -n "$tree" ] || tree=$(build_tree_with "$kernel" "$guest_with") || return
	program=$(uml_path "$kernel")/linux
	# the sanitizers remember a lot, and take their time
	if uml_is_debug "$kernel"; then
		mem=$((2 * mem))
		guest_timeout=$((4 * guest_timeout))
		append="kasan_multi_shot $append"
	else
		# a task that has been freed is recognized, without a sanitizer, too; KASAN would take
		# each of these writes for a mistake
		append="slub_debug=P,task_struct,signal_cache $append"
	fi
	# there systemd has the kernel lose 8 bytes of its first root, which is a leak
	uml_is_debug "$kernel" || append+="${guest_with:+ LAB_WITH=$guest_with}"
	guest_argv=()
	if uml_is_smp "$kernel"; then
		append+=" ncpus=$guest_smp"
	else
		guest_argv=(taskset -c "$(uml_cpu)")
		append+=" $(uml_time)"
	fi
	guest_argv+=(env TMPDIR="$(uml_memory)")
	[ -z "$guest_virtual" ] ||
		guest_argv+=("LD_PRELOAD=$(uml_path "$kernel")/seed.so" "LAB_SEED=${opt_seed:-1}")
	# shellcheck disable=SC2206
	guest_argv+=("$program" "mem=${mem}M" seccomp=on rootfstype=hostfs root=/dev/root
		"rootflags=$tree" ro init=/lab/uml-init console=ttyS0 con=null quiet panic=-1
		${3:+"LAB_FILES=$3"} $append)
}


# uml_interactive: the guest's console is this terminal, which it switches to raw
# mode and does not always switch back
uml_interactive() {
	local saved status
	saved=$(stty -g 2>/dev/null)
	uml_folder=$(mktemp -d)
	"${guest_argv[@]}" "uml_dir=$uml_folder/" ssl=null ssl0=fd:0,fd:1 2>/dev/null
	status=$?
	[ -z "$saved" ] || stty "$saved"
	rm -rf "$uml_folder"
	return $status
}
