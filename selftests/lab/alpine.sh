# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Figures of "Alpine: a user-level infrastructure for network protocol development" (Ely, Savage,
# Wetherall) that are about whole machines: programs here, by `lab here`, on kernels that are
# programs, too, in real time.

alpine_all='daytona switch debugger'

# alpine_here ARGUMENT...: lab here, whose command is root there, as networks are made
alpine_here() {
	local root=()
	[ "$(id -u)" = 0 ] || root=(unshare -r)
	"${root[@]}" "$lab_dir/lab" here --no-build "$@"
}

# what comes before a command, so that it is one of the guests' user land, and finds selftests there
alpine_inside() {
	# shellcheck disable=SC2016
	inside=(env LAB_JOB=here unshare -m sh -c '
		for folder in proc sys dev; do mount --rbind /$folder "$0/$folder" || exit; done
		exec chroot "$0" env PATH=/selftests/net:/usr/sbin:/usr/bin TMPDIR=/tmp "$@"' "$(build_tree uml)")
}

# alpine_kernel PATCH: builds it, as $logs/daytona
alpine_kernel() { "$lab_dir/lab" uml --patch "$1" "$logs/daytona"; }

# the same program on two stacks, beside another one
alpine_daytona() {
	local scheme
	for scheme in ordinary daytona; do
		alpine_here --pair --linux "$logs/ordinary" --linux "$logs/$scheme" \
			"${inside[@]}" bash /selftests/bench/daytona.sh sender $scheme -- \
			"${inside[@]}" bash /selftests/bench/daytona.sh receiver $scheme || return
	done
}

# alpine_download SCHEME: 60 kB; prints when the first byte came, and the last one
# shellcheck disable=SC2016
alpine_download() {
	alpine_here --pair --linux "$logs/ordinary" --linux "$logs/$1" \
		"${inside[@]}" sh -c 'traffic serve tcp 5001 --bytes 60k >/dev/null; sleep 60' -- \
		"${inside[@]}" timeout 60 bash -c '
			until got=$(traffic fetch tcp 10.0.0.1 5001); do sleep 0.02; done
			seconds=${got#* seconds=}
			echo "$EPOCHREALTIME ${seconds%% *}" | awk "{ printf \"%.6f %.6f\\n\", \$1 - \$2, \$1 }"'
}

# alpine_between COMMAND...: seconds from the last byte on one stack to the first one on another, after COMMAND
alpine_between() {
	local before after
	before=$(alpine_download ordinary) && "$@" && after=$(alpine_download daytona) || return
	echo "$before $after" | awk '{ printf "%.3f\n", $3 - $2 }'
}

# a line of TCP is another one
alpine_rebuild() {
	sed 's/^+\(.*\)rcv_tsval - 300;$/+\1rcv_tsval - 301;/' "$alpine_patch" >"$logs/changed.patch"
	alpine_kernel "$logs/changed.patch"
}

alpine_switch() {
	local i seconds
	for i in 1 2 3 4 5; do
		seconds=$(alpine_between true) || return
		printf '# result: switch\tprogram\t%s\t%s\n' $i "$seconds"
	done
	seconds=$(alpine_between alpine_rebuild) || return
	printf '# result: switch\trebuild\t1\t%s\n' "$seconds"
}

# one of two in a debugger; in a network of their own
alpine_debugger() {
	local flags=(-n)
	command -v gdb >/dev/null || die "there is no gdb here"
	[ "$(id -u)" = 0 ] || flags+=(-r)
	unshare "${flags[@]}" bash "$lab_dir/here/stopped.sh" "$lab_dir/lab" "${inside[@]}"
}

# alpine_measure NAME
alpine_measure() {
	local dir=$logs/uml-$1
	mkdir -p "$dir"
	"alpine_$1" 2>"$dir/console" | tee "$dir/ktap" | measure_show "uml $1"
	if grep -q '^not ok' "$dir/ktap" || ! grep -q '^# result' "$dir/ktap"; then
		tail -n 40 "$dir/ktap" "$dir/console" >&2
		die "measuring $1 failed; logs: $dir"
	fi
	measure_results uml "$1" "$size" "$dir"
	results_merge "$dir/results" "$results"
}

# alpine_measure_all NAME...: one at a time, in real time
alpine_measure_all() {
	local name inside alpine_patch=$top_dir/Documentation/examples/tcp-daytona.patch
	[ $# -gt 0 ] || return 0
	prepare_guests uml
	root_add bookworm slirp4netns
	alpine_inside
	if [ "$*" != debugger ]; then
		ln -s "$(uml_path uml)/linux" "$logs/ordinary"
		alpine_kernel "$alpine_patch" || die "no kernel, no figures"
	fi
	for name; do alpine_measure "$name"; done
}

# alpine_curves ROW X Y SCHEME=TITLE...: curves for gnuplot, of NUMBER / X and value / Y, of one kernel
alpine_curves() {
	local word data curves=''
	for word in "${@:4}"; do
		data=$logs/$1.${word%%=*}
		awk -F '\t' -v row="$1" -v x="$2" -v y="$3" -v scheme="${word%%=*}" '
			$3 == row && (!kernel || kernel == $1) { kernel = $1; if ($4 == scheme) print $5 / x, $6 / y }' \
			"$results" >"$data"
		curves+="${curves:+, }'$data' with linespoints pt 7 ps 0.6 title \"${word#*=}\""
	done
	printf '%s\n' "$curves"
}

# alpine_picture NAME ROW COMMAND...: gnuplot's commands, if that was measured
alpine_picture() {
	local name=$1 row=$2
	grep -q $'\t'"$row"$'\t' "$results" || return 0
	printf '%s\n' 'set terminal png size 1000,500' "set output '$folder/$name.png'" "${@:3}" | gnuplot
}

alpine_pictures() {
	alpine_picture alpine7 debugged 'set title "Programs that send 8 Mbit/s each, one of which is stopped in gdb"' \
		'set xlabel "seconds"' 'set ylabel "Mbit/s"' 'set yrange [0:20]' "plot $(
			alpine_curves debugged 1e3 1e6 stopped='on the kernel in gdb' \
				beside='on another such kernel' host="on the machine's own")" || return
	alpine_picture alpine8 cwnd 'set title "What the kernel knows of an upload by curl: vifctl watch"' \
		'set xlabel "seconds"' 'set ylabel "packets"' 'set ytics nomirror' 'set yrange [0:*]' \
		'set y2label "milliseconds"' 'set y2tics' 'set y2range [0:*]' 'set key bottom right' "plot $(
			alpine_curves cwnd 1e3 1 curl='congestion window'), $(
			alpine_curves ssthresh 1e3 1 curl='slow start threshold'), $(
			alpine_curves srtt 1e3 1e3 curl='round trip time (right)') axes x1y2"
}
