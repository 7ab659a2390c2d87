# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Figures: a test that prints lines `# figure: ...` is run, and they are drawn.

# figure_data KTAP-FILE: lines of `second vif bytes ideal`, as kB/s
figure_data() {
	awk '$2 == "figure:" { print $4, $3 + 0.5, $5 / 1000, $6 / 1000 }' "$1"
}

# figure_plot DATA KERNEL OUTPUT
figure_plot() {
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

cmd_figure() {
	local kernel logs png status
	parse_guest_options figure "$@"
	[ ${#opt_kernels[@]} -gt 0 ] || opt_kernels=(6.1)
	[ ${#rest[@]} -le 1 ] || { usage figure >&2; exit 2; }
	kernel=${opt_kernels[0]}
	prepare_guests "$kernel"
	new_logs
	run_test "$kernel" figure8 "$logs" | grep -v '^# figure:'
	figure_data "$logs/ktap" >"$logs/figure8.data"
	[ -s "$logs/figure8.data" ] || die "nothing was measured; logs: $logs"
	png=${rest[0]:-$logs/figure8.png}
	figure_plot "$logs/figure8.data" "$(kernel_release "$kernel")" "$png" || die "gnuplot failed"
	echo "picture: $png"
}
