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

# dashboard_data KTAP-FILE: what the exporter has said, as OpenMetrics; the last time was now
dashboard_data() {
	sed -n 's/^# figure: //p' "$1" | base64 -d | gunzip | awk -v now="$(date +%s)" '
		BEGIN { n = 0 }
		/^# at/ { at = $3 }
		/^[^#]/ { sub(/[{]/, "{job=\"netnice\",instance=\"gateway:9990\","); line[n] = $0; time[n++] = at }
		END { for (i = 0; i < n; i++) print line[i], time[i] - at + now; if (n) print "# EOF" }'
}

# dashboard_plot DATA KERNEL OUTPUT: the console of the examples, as a browser shows it
dashboard_plot() {
	local dir=$logs/prometheus port=$((20000 + $$ % 10000)) prometheus status i size=1200,1080 sandbox=()
	[ "$(id -u)" != 0 ] || sandbox=(--no-sandbox)
	mkdir -p "$dir"
	echo 'global: {}' >"$dir/prometheus.yml"
	promtool tsdb create-blocks-from openmetrics "$1" "$dir/data" >"$dir/log" 2>&1 || return
	prometheus --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/data" \
		--web.listen-address="127.0.0.1:$port" \
		--web.console.templates="$top_dir/Documentation/examples" >>"$dir/log" 2>&1 &
	prometheus=$!
	for ((i = 0; i < 60; i++)); do
		! grep -q 'ready to receive' "$dir/log" || break
		sleep 1
	done
	chromium --headless "${sandbox[@]}" --user-data-dir="$dir/chromium" \
		--disable-gpu --hide-scrollbars --window-size=$size --virtual-time-budget=20000 \
		--screenshot="$dir/page.png" "http://127.0.0.1:$port/consoles/netnice.html?range=10m" >>"$dir/log" 2>&1
	status=$?
	kill $prometheus
	wait $prometheus
	grep -q 'ready to receive' "$dir/log" && [ $status -eq 0 ] && dashboard_small "$dir/page.png" $size "$3"
}

# dashboard_small PNG SIZE OUTPUT: with 256 colours, which takes a third
dashboard_small() {
	gnuplot <<-END
		set terminal png notruecolor size $2
		set output '$3'
		set margins 0, 0, 0, 0
		unset tics
		unset border
		unset key
		set xrange [0:${2%,*} - 1]
		set yrange [0:${2#*,} - 1]
		plot '$1' binary filetype=png with rgbimage
	END
}

cmd_figure() {
	local kernel logs picture figure=figure8 program test kind=png size=
	parse_guest_options figure "$@"
	[ ${#opt_kernels[@]} -gt 0 ] || opt_kernels=(6.1)
	case ${rest[0]-} in
	figure4 | figure8 | inversion | dashboard | top | top-wide)
		figure=${rest[0]}
		rest=("${rest[@]:1}")
		;;
	esac
	test=$figure
	case $figure in
	dashboard)
		for program in prometheus promtool chromium; do
			command -v $program >/dev/null || die "there is no $program (packages prometheus, chromium)"
		done
		run_argument=figure
		;;
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
