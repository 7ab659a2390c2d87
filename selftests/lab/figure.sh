# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Figures: a test that prints lines `# figure: ...` is run, and they are drawn: what it has
# measured, or the screen of a terminal.

# figure8_data KTAP-FILE: lines of `second vif bytes ideal`, as kB/s
figure8_data() {
	awk '$2 == "figure:" { print $4, $3 + 0.5, $5 / 1000, $6 / 1000 }' "$1"
}

# figure8_plot DATA KERNEL OUTPUT
figure8_plot() {
	gnuplot <<-END
		set terminal png size 1000,600
		set output '$3'
		set title 'Output of the VIFs, Linux $2: measured at the receiver (points) and ideal (lines)'
		set xlabel 'seconds'
		set ylabel 'kB/s on the wire'
		set xrange [0:55]
		set yrange [0:600]
		set key top right
		plot for [vif in '4 3/1 3/2 5'] \
			sprintf('< grep "^%s " $1', vif) using 2:4 with steps lw 2 title 'VIF '.vif.', ideal', \
			for [vif in '4 3/1 3/2 5'] \
			sprintf('< grep "^%s " $1', vif) using 2:3 with points pt 7 title 'VIF '.vif
	END
}

# inversion_data KTAP-FILE: lines of `how second Mbit/s ms`
inversion_data() {
	awk '$2 == "figure:" { print $3, $4 + 0.5, $5 * 8 / 1e6, $6 / 1000 }' "$1"
}

# inversion_plot DATA KERNEL OUTPUT
inversion_plot() {
	gnuplot <<-END
		set terminal png size 1000,700
		set output '$3'
		set multiplot layout 2,1 title 'A stream of 4 Mbit/s on a link of 10 Mbit/s, flooded from 5 to 15 s; Linux $2'
		set xrange [0:20]
		set ylabel 'Mbit/s of the stream'
		set yrange [0:5]
		plot for [how in 'without with'] sprintf('< grep "^%s " $1', how) using 2:3 with linespoints pt 7 \
			title how.' netnice'
		set xlabel 'seconds'
		set ylabel 'longest request, ms'
		set logscale y
		set yrange [0.01:200]
		plot for [how in 'without with'] sprintf('< grep "^%s " $1', how) using 2:4 with linespoints pt 7 \
			title how.' netnice'
	END
}

# figure4_data KTAP-FILE: lines of `how second` and Mbit/s of two streams and of the rest
figure4_data() {
	awk '$2 == "figure:" { print $3, $4 + 0.5, $5 * 8 / 1e6, $6 * 8 / 1e6, $7 * 8 / 1e6 }' "$1"
}

# figure4_plot DATA KERNEL OUTPUT
figure4_plot() {
	gnuplot <<-END
		set terminal png size 1000,700
		set output '$3'
		set multiplot layout 2,1 title 'A web server with 20 Mbit/s, six large downloads from second 8 on; Linux $2'
		set xrange [0:20]
		set yrange [0:20]
		set ylabel 'Mbit/s on the wire'
		set key right
		set xlabel 'seconds'
		do for [how in 'without with'] {
			set label 1 how.' netniced' at graph 0.02, 0.92
			plot for [i=3:5] sprintf('< grep "^%s " $1', how) using 2:i with linespoints pt 7 \
				title word('stream stream downloads', i - 2)
		}
	END
}

# top_data KTAP-FILE SIZE: the screen's lines, with their control sequences
top_data() { sed -n "s/^# figure: $2 //p" "$1"; }

# top_plot DATA KERNEL OUTPUT
top_plot() { awk -f "$lab_dir/screen-svg.awk" "$1" >"$3"; }

cmd_figure() {
	local kernel logs picture figure=figure8 test kind=png size=
	parse_guest_options figure "$@"
	[ ${#opt_kernels[@]} -gt 0 ] || opt_kernels=(6.1)
	case ${rest[0]-} in
	figure4 | figure8 | inversion | top | top-wide)
		figure=${rest[0]}
		rest=("${rest[@]:1}")
		;;
	esac
	test=$figure
	case $figure in
	top) kind=svg size=80x24 ;;
	top-wide) test=top kind=svg size=200x50 ;;
	esac
	[ ${#rest[@]} -le 1 ] || { usage figure >&2; exit 2; }
	kernel=${opt_kernels[0]}
	prepare_guests "$kernel"
	new_logs
	run_guest "$kernel" "$test" "$test" | grep -v '^# figure:'
	"${test}_data" "$logs/$kernel-$test/ktap" "$size" >"$logs/$figure.data"
	[ -s "$logs/$figure.data" ] || die "nothing was measured; logs: $logs"
	picture=${rest[0]:-$logs/$figure.$kind}
	"${test}_plot" "$logs/$figure.data" "$(kernel_release "$kernel")" "$picture" ||
		die "drawing failed"
	echo "picture: $picture"
}
