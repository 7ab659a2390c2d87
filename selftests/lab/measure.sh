# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Measurements, selftests/bench: each runs in a guest, and what it finds is kept as
# lines of six columns, separated by tabs:
#
#	kernel  measurement  row  scheme  number  value
#
# Rows called `run` say how: the kernel's release, the processor, the day, the size.

bench_dir=$top_dir/selftests/bench

results_head=$'kernel\tmeasurement\trow\tscheme\tnumber\tvalue'

# measure_known KNOWN NAME...: none but these
measure_known() {
	local name
	for name in "${@:2}"; do
		case " $1 " in
		*" $name "*) ;;
		*) die "there is no measurement '$name' (there are: $1)" ;;
		esac
	done
}

# measure_size: sets size by QUICK in the environment, and the kernels if none was asked for
measure_size() {
	local kernels=$all_kernels
	size=full
	[ -z "${QUICK-}" ] || size=quick kernels=new
	[ ${#opt_kernels[@]} -gt 0 ] || read -ra opt_kernels <<<"$kernels"
}

# measure KERNEL NAME quick|full: shows what is found, which is $logs/KERNEL-NAME/results then
measure() {
	local kernel=$1 name=$2 size=$3 dir=$logs/$1-$2 start=$SECONDS
	mkdir -p "$dir"
	guest_settings "$bench_dir/$name.sh"
	guest_args "$kernel" "LAB_JOB=test LAB_FOLDER=bench LAB_TEST=$name LAB_ARGUMENT=$size"
	(guest_batch "$dir") | tee "$dir/ktap" | measure_show "$kernel $name"
	if ! grep -q '^1\.\.' "$dir/ktap" || grep -q '^not ok' "$dir/ktap"; then
		grep -v '^# result' "$dir/ktap" | cat - "$dir/console" | tail -n 40 >&2
		die "measuring $name on $kernel failed; logs: $dir"
	fi
	measure_results "$kernel" "$name" "$size" "$dir"
	say "$kernel $name took $((SECONDS - start)) s"
}

# measure_results KERNEL NAME quick|full FOLDER: of its ktap; machine, time, way
measure_results() {
	{
		printf 'run\trelease\t0\t%s\n' "$(kernel_release "$1")"
		printf 'run\tprocessor\t0\t%s\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
		printf 'run\tday\t0\t%s\n' "$(date +%F)"
		printf 'run\tsize\t0\t%s\n' "$3"
		sed -n 's/^# result: //p' "$4/ktap"
	} | sed "s/^/$1\t$2\t/" >"$4/results"
}

# measure_show NAME: what is found, as it comes
measure_show() {
	local line
	while IFS= read -r line; do
		case $line in
		'# result: '*) printf '%s: %s\n' "$1" "${line#\# result: }" | expand -t 28 ;;
		'not ok'*) printf '%s: %s\n' "$1" "$line" ;;
		esac
	done
}

measure_stop() {
	trap '' INT TERM
	# shellcheck disable=SC2046
	kill $(jobs -p) 2>/dev/null
	wait
	exit "${1-130}"
}

# measure_reap: takes what one of those that run has found
measure_reap() {
	local pid status
	wait -n -p pid "${!running[@]}"
	status=$?
	if [ -n "${pid-}" ]; then
		dir=$logs/${running[$pid]}
		unset "running[$pid]"
	fi
	[ $status -eq 0 ] || measure_stop $status
	results_merge "$dir/results" "$results"
}

# measure_queue NAME...: lines `KERNEL NAME`, each once
measure_queue() {
	local kernel name
	for name; do
		for kernel in "${opt_kernels[@]}"; do echo "$kernel $name"; done
	done | awk '!seen[$0]++'
}

# measure_all NAME...: on all the kernels, -j at a time
measure_all() {
	local kernel name dir
	declare -A running=()
	trap measure_stop INT TERM
	while read -r kernel name; do
		while [ ${#running[@]} -ge "$opt_jobs" ]; do measure_reap; done
		measure "$kernel" "$name" "$size" &
		running[$!]=$kernel-$name
	done < <(measure_queue "$@")
	while [ ${#running[@]} -gt 0 ]; do measure_reap; done
	trap - INT TERM
}

# results_merge NEW FILE: what was found last takes the place of what FILE has of the same
# kernel and measurement
results_merge() {
	touch "$2"
	{
		echo "$results_head"
		awk -F '\t' 'NR == FNR { new[$1, $2] = 1; next }
			FNR > 1 && !(($1, $2) in new)' "$1" "$2"
		cat "$1"
	} >"$logs/merged" && mv "$logs/merged" "$2"
}

# results_release KERNEL FILE: the kernel that was measured last under this name
results_release() {
	awk -F '\t' -v kernel="$1" '$1 == kernel && $3 == "run" && $4 == "release" { r = $6 } END { print r }' "$2"
}

# results_page NAME FILE: the page of selftests/bench/NAME.awk from results
results_page() { awk -f "$bench_dir/results.awk" -f "$bench_dir/$1.awk" "$2"; }
