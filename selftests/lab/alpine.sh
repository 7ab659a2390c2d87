# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Figures of "Alpine: a user-level infrastructure for network protocol development" (Ely, Savage,
# Wetherall).

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
	alpine_picture alpine8 cwnd 'set title "What the kernel knows of an upload by curl: vifctl watch"' \
		'set xlabel "seconds"' 'set ylabel "packets"' 'set ytics nomirror' 'set yrange [0:*]' \
		'set y2label "milliseconds"' 'set y2tics' 'set y2range [0:*]' 'set key bottom right' "plot $(
			alpine_curves cwnd 1e3 1 curl='congestion window'), $(
			alpine_curves ssthresh 1e3 1 curl='slow start threshold'), $(
			alpine_curves srtt 1e3 1e3 curl='round trip time (right)') axes x1y2"
}
