# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Starting a guest: QEMU's command line (that of User Mode Linux is in
# uml-guest.sh). Software emulation always works and is
# the default; hardware virtualization is used only where it is allowed
# (NETNICE_LAB_KVM=1) and a stock kernel was seen to boot with it.

# What software emulation gets wrong now and then, seen as kernels that fault at
# random: cmpxchg16b, which allocators use; and, with a thread for each CPU, code
# that one CPU changes while another one runs it (int3 where a static key is
# switched, as each hook that comes or goes does). One thread takes the CPUs in
# turns, at any instruction's end.
#
# The CPU is the same in every QEMU: what it has is named, as `max` has more in each
# version, and a kernel runs other code then. It does not say that copying byte by byte is
# fast (erms, fsrm): here it is slow, and memmove() of 6.1 destroys memory where there is
# fsrm without erms.
guest_cpu=qemu64,-cx16,-svm,+abm,+adx,+aes,+avx,+avx2,+bmi1,+bmi2,+clflushopt,+f16c,+fma
guest_cpu+=,+fsgsbase,+movbe,+pclmulqdq,+pdpe1gb,+popcnt,+rdrand,+rdtscp,+smap,+smep,+sse4.1
guest_cpu+=,+sse4.2,+ssse3,+umip,+xgetbv1,+xsave,+xsaveopt
guest_cpu=${NETNICE_LAB_CPU:-$guest_cpu}
# of arm64: one that has programs of 32 bits, and pages of 16 kB
guest_cpu_arm64=${NETNICE_LAB_CPU:-neoverse-n1}
guest_accel=tcg,thread=single

# Virtual time is made of instructions, and these are what it costs: spare those that
# the kernel spends each time it has nothing to do, and on clearing memory.
guest_virtual_append='nosmp nohz=off cpuidle.off=1 init_on_alloc=0'

# kvm_works: the answer of a probe with a time limit, kept in the cache
kvm_works() {
	local answer=$cache_dir/kvm kernel=6.1 out
	[ "${NETNICE_LAB_KVM-}" = 1 ] && [ -w /dev/kvm ] || return 1
	if [ ! -e "$answer" ]; then
		out=$(timeout -k 1 10 qemu-system-x86_64 -accel kvm -cpu host -m 512 -nodefaults \
			-no-reboot -display none -serial stdio -kernel "$(kernel_image "$kernel")" \
			-append 'console=ttyS0 panic=-1' </dev/null 2>/dev/null)
		# without an initramfs, the way to the end is a panic
		case $out in
		*'Unable to mount root fs'*) echo yes ;;
		*) echo no ;;
		esac >"$answer"
	fi
	[ "$(cat "$answer")" = yes ]
}

# guest_settings [TEST-FILE]...: fills guest_virtual, guest_smp, guest_mem,
# guest_timeout, guest_debug (only kernels with sanitizers will do), guest_alone (what it does to
# the kernel stays, so no other test shares its guest), guest_with (an extra of the user land),
# guest_check and guest_kernels (where `check` and `check-all` run the test, +-separated; none:
# only at night), guest_budget (CPU seconds in all of `check`) from defaults, the files' heads, then the command line
guest_settings() {
	local file word timeout
	guest_virtual='' guest_smp=1 guest_mem=1024 guest_timeout=0 guest_debug=''
	guest_check=uml guest_kernels=${all_kernels// /+} guest_with='' guest_alone='' guest_budget=''
	for file; do
		timeout=900
		for word in $(sed -n '/^[^#]/q; s/^# lab: //p' "$file" | tr ',' ' '); do
			case $word in
			virtual) guest_virtual=1 ;;
			debug) guest_debug=1 ;;
			alone) guest_alone=1 ;;
			check=*) guest_check=${word#*=} ;;
			kernels=*) guest_kernels=${word#*=} ;;
			budget=*) guest_budget=${word#*=} ;;
			with=*) guest_with=${word#*=} ;;
			smp=*) guest_smp=${word#*=} ;;
			mem=*) [ "${word#*=}" -lt "$guest_mem" ] || guest_mem=${word#*=} ;;
			timeout=*) timeout=${word#*=} ;;
			*) say "$file: unknown setting: $word" ;;
			esac
		done
		guest_timeout=$((guest_timeout + timeout))
	done
	[ "$guest_timeout" -gt 0 ] || guest_timeout=900
	[ -z "${opt_virtual-}" ] || guest_virtual=1
	[ -z "${opt_smp-}" ] || guest_smp=$opt_smp
	[ -z "$guest_virtual" ] || guest_smp=1
}

# guest_args KERNEL APPEND [FILES]: fills guest_argv; FILES is a folder whose files
# get into the guest's /lab
guest_args() {
	if is_uml "$1"; then
		uml_args "$@"
	else
		qemu_args "$@"
	fi
}

qemu_args() {
	local kernel=$1 append=$2 initrd cpu=$guest_cpu
	initrd=$(build_initrd_with "$kernel" "$guest_with") || return
	if [ -n "${3-}" ]; then
		initrd_with "$initrd" "$3"/* >"$3.initrd"
		initrd=$3.initrd
	fi
	# the tests of the kernel's own cryptography are half of its start; that of the timer
	# fails, by panic, where the host is busy
	append="console=ttyS0 quiet panic=-1 mitigations=off cryptomgr.notests no_timer_check rdinit=/init $append"
	append+=${guest_with:+ LAB_WITH=$guest_with}
	guest_argv=(qemu-system-x86_64)
	if is_arm64 "$kernel"; then
		guest_argv=(qemu-system-aarch64 -M virt)
		cpu=$guest_cpu_arm64
	fi
	guest_argv+=(-nodefaults -no-user-config -no-reboot -display none -net none
		-m "$guest_mem" -kernel "$(kernel_image "$kernel")" -initrd "$initrd")
	if [ -n "$guest_virtual" ]; then
		guest_argv+=(-accel tcg -cpu "$cpu" -smp 1 -icount 'shift=0,sleep=off'
			-rtc 'base=2026-01-01T00:00:00,clock=vm' -seed "${opt_seed:-1}")
		append+=" $guest_virtual_append"
	elif ! is_arm64 "$kernel" && kvm_works; then
		guest_argv+=(-accel kvm -cpu host -smp "$guest_smp")
	else
		guest_argv+=(-accel "$guest_accel" -cpu "$cpu" -smp "$guest_smp")
	fi
	guest_argv+=(-append "$append")
}

# A guest that does not come to its first process is ended. Until that has said its word
# on the console nothing is to be heard, as the kernel is told to be quiet. What counts is
# the CPU time that the guest has used, which a busy machine does not spend, or, if it
# uses none, the clock.
guest_first_word='lab: init'
guest_patience=${NETNICE_LAB_PATIENCE:-60}

# guest_cpu_seconds PID: what the children of PID have used
guest_cpu_seconds() {
	cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v parent="$1" '{ sub(/.*[)] /, "") } $2 == parent { sum += $12 + $13 } END { print int(sum / 100) }'
}

# guest_watch PID LOG-FOLDER: PID is the guest's `timeout`, which takes an alarm as the end
# of its time. Says why on the console, which is shown when a guest has ended early.
guest_watch() {
	local from=$SECONDS used
	while sleep 1 && kill -0 "$1" 2>/dev/null; do
		grep -qsaF "$guest_first_word" "$2/console" && return
		used=$(guest_cpu_seconds "$1")
		[ "${used:-0}" -ge "$guest_patience" ] ||
			[ $((SECONDS - from)) -ge $((5 * guest_patience)) ] || continue
		guest_is_stuck "$used" >>"$2/console"
		kill -ALRM "$1"
		return
	done
}

# guest_is_stuck SECONDS
guest_is_stuck() {
	cat <<-END

		lab: The guest's kernel did not come to its first process, and was ended after
		lab: $1 s of CPU time. What it said last is above, if anything.
		lab: On a slow machine, NETNICE_LAB_PATIENCE=300 in the environment gives it more.
	END
	[[ ${guest_argv[0]} != qemu* ]] || cat <<-END
		lab: $("${guest_argv[0]}" --version | head -n 1): ${guest_argv[*]}.
		lab: Another CPU may do: NETNICE_LAB_CPU=max.
	END
}

# guest_lines CHARDEV...: has the guest's serial lines ttyS0 and so on end at these
guest_lines() {
	local chardev
	for chardev; do
		case ${guest_argv[0]} in
		*aarch64) guest_argv+=(-device "pci-serial,chardev=$chardev") ;;
		*) guest_argv+=(-serial "chardev:$chardev") ;;
		esac
	done
}

# guest_batch LOG-FOLDER: runs a guest without a terminal to its end; standard
# output is the job's, the console goes to LOG-FOLDER/console, what the emulator
# says to LOG-FOLDER/host. Called in a subshell, which it replaces: so the guest
# dies with who started it, and gets a terminal's Ctrl-C.
guest_batch() {
	local serial pid=$BASHPID
	: >"$1/console"
	echo "$pid" >"$1/pid"
	# ends within a second of this process, which becomes `timeout`
	guest_watch "$pid" "$1" </dev/null >/dev/null 2>&1 &
	if [[ ${guest_argv[0]} = qemu* ]]; then
		# shellcheck disable=SC2054
		serial=(-chardev "file,id=console,path=${1//,/,,}/console" -chardev stdio,id=job)
		guest_lines console job
	else
		serial=(ssl=null 'ssl0=null,fd:3' 'ssl1=null,fd:1' "uml_dir=$1/uml/")
	fi
	exec setpriv --pdeathsig KILL timeout --foreground -k 5 "$guest_timeout" \
		setpriv --pdeathsig KILL "${guest_argv[@]}" "${serial[@]}" \
		</dev/null 3>"$1/console" 2>"$1/host"
}

# positive OPTION VALUE: the value, if it is a number that makes sense
positive() {
	[[ $2 =~ ^[1-9][0-9]{0,2}$ ]] || die "$1 takes a number from 1 to 999, not '$2'"
	echo "$2"
}

# parse_guest_option VERB OPTION [ARGUMENT]...: returns how many words it has taken,
# 0 if the verb has no such option, or an argument is missing
parse_guest_option() {
	case $1:$2 in
	*:--no-build) opt_build=; return 1 ;;
	check-all:--part) [ $# -ge 3 ] || return 0 ;;
	check-all:--again | mutants:--again) opt_again=1; return 1 ;;
	mutants:--names) opt_names=1; return 1 ;;
	mutants:--likely) opt_likely=1; return 1 ;;
	run:-a) read -ra opt_kernels <<<"$all_kernels"; return 1 ;;
	run:--short) run_short=1; return 1 ;;
	run:--virtual | shell:--virtual) opt_virtual=1; return 1 ;;
	gdb:--batch) opt_batch=1; return 1 ;;
	*:-k | run:--smp | shell:--smp | check*:-j | mutants:-j | bench:-j | figures:-j) [ $# -ge 3 ] || return 0 ;;
	run:--seed | shell:--seed | repeat:--seed | flaky:-[nj] | coverage:-j | flaky:--busy) [ $# -ge 3 ] || return 0 ;;
	*) return 0 ;;
	esac
	case $2 in
	-k) opt_kernels+=("$(kernel_name "$3")") || exit ;;
	--smp) opt_smp=$(positive "$2" "$3") || exit ;;
	--seed) opt_seed=$(positive "$2" "$3") || exit ;;
	-n) opt_times=$(positive "$2" "$3") || exit ;;
	--busy) opt_busy=$(positive "$2" "$3") || exit ;;
	--part)
		if ! [[ $3 =~ ^([1-9][0-9]?)/([1-9][0-9]?)$ ]] || [ "${BASH_REMATCH[1]}" -gt "${BASH_REMATCH[2]}" ]; then
			die "--part takes N/M, for example 2/5, not '$3'"
		fi
		opt_part=$3
		;;
	-j) opt_jobs=$(positive "$2" "$3") || exit ;;
	esac
	return 2
}

# parse_guest_options VERB ARGUMENT...: fills opt_* and rest
parse_guest_options() {
	local verb=$1 n
	shift
	opt_kernels=() opt_virtual='' opt_smp='' opt_seed='' opt_batch='' opt_again='' opt_names='' opt_likely='' opt_part='' opt_times='' opt_busy='' opt_build=1 opt_jobs=$(nproc) rest=()
	while [ $# -gt 0 ]; do
		parse_guest_option "$verb" "$@"
		n=$?
		if [ $n -gt 0 ]; then
			shift $n
			continue
		fi
		case $1 in
		--) shift; rest+=("$@"); break ;;
		-*) usage "$verb" >&2; exit 2 ;;
		*) rest+=("$1"); shift
			# the rest of a command is the command's own
			[[ $verb = shell || $verb = gdb ]] && { rest+=("$@"); break; }
			;;
		esac
	done
}

prepare_guests() {
	local kernel kernels
	deps_need
	# each once: they are built side by side
	mapfile -t kernels < <([ $# -eq 0 ] || printf '%s\n' "$@" | sort -u)
	if [ -n "$opt_build" ]; then
		with_lock "build-$(build_id)" build_all "${kernels[@]}" >&2 || make_failed "the build"
	fi
	for kernel; do
		build_exists "$kernel" || die "nothing is built for $kernel"
	done
}

cmd_shell() {
	local rows columns
	parse_guest_options shell "$@"
	[ ${#opt_kernels[@]} -gt 0 ] || opt_kernels=(6.1)
	prepare_guests "${opt_kernels[0]}"
	guest_settings
	if [ ${#rest[@]} -gt 0 ]; then
		shell_command "${rest[*]}"
		return
	fi
	read -r rows columns <<<"$(stty size 2>/dev/null)"
	[ "${rows:-0}" -gt 0 ] || rows=24 columns=80
	guest_args "${opt_kernels[0]}" \
		"LAB_JOB=shell LAB_ROWS=$rows LAB_COLUMNS=$columns LAB_TERM=${TERM:-linux}"
	if is_uml "${opt_kernels[0]}"; then
		uml_interactive
	else
		guest_lines tty
		exec "${guest_argv[@]}" -chardev stdio,id=tty,signal=off
	fi
}

# initrd_with INITRD FILE...
initrd_with() {
	local file
	cat "$1"
	shift
	for file; do
		cpio_file "lab/${file##*/}" <"$file"
	done
}

# cpio_file PATH: standard input as a cpio archive of one executable file. Its
# folder exists in the guest. (The machine itself need not have cpio.)
cpio_file() {
	local path=$1 data
	data=$(cat; printf x)
	data=${data%x}
	cpio_member "$path" 81ed "$data"
	cpio_member 'TRAILER!!!' 0 ''
}

# cpio_member NAME MODE DATA: one member in the format `newc`
cpio_member() {
	local LC_ALL=C name=$1 mode=$2 data=$3
	printf '070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s' \
		0 "0x$mode" 0 0 1 0 ${#data} 0 0 0 0 $((${#name} + 1)) 0 "$name"
	head -c $((1 + (4 - (110 + ${#name} + 1) % 4) % 4)) /dev/zero
	printf '%s' "$data"
	head -c $(((4 - ${#data} % 4) % 4)) /dev/zero
}

# shell_command LINE: one command in a guest; its status is ours
shell_command() {
	local status
	job_dir=$(mktemp -d)
	trap 'rm -rf "$job_dir"' EXIT
	trap 'exit 130' INT TERM
	mkdir "$job_dir/files"
	printf '%s\n' "$1" >"$job_dir/files/command"
	guest_timeout=0
	guest_args "${opt_kernels[0]}" LAB_JOB=command "$job_dir/files"
	# in the background, as only `wait` lets a signal through at once
	guest_batch "$job_dir" | tee "$job_dir/out" | grep -a --line-buffered -v '^lab: exit status ' &
	wait $!
	status=$(sed -n 's/^lab: exit status //p' "$job_dir/out" | tail -n 1)
	if [ -z "$status" ]; then
		say "the guest ended early"
		tail -n 40 "$job_dir/console" >&2
		status=125
	fi
	return "$status"
}
