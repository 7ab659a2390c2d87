# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The paper's figures and its table, measured again: Documentation/figures.md, its
# pictures, and all that was found in figures.tsv.

# figures_curves ROW FUNCTION MEASUREMENT: curves for gnuplot of all kernels measured; FUNCTION of
# v, what was found, and n, what was found without VIFs
figures_curves() {
	local kernel scheme curves='' data release
	for kernel in $all_kernels; do
		grep -q "^$kernel"$'\t'"$3"$'\t' "$results" || continue
		release=$(results_release "$kernel" "$results")
		for scheme in wc nwc; do
			data="< awk -F \"\\\\t\" '\$1 == \"$kernel\" && \$3 == \"$1\" { v = \$6; if (\$4 == \"none\") n = v; "
			data+="if (\$4 == \"$scheme\") print \$5, $2 }' $results"
			curves+="${curves:+, }\"${data//\"/\\\"}\" with linespoints title 'Linux ${release%%[-+]*}, ${scheme^^}'"
		done
	done
	printf '%s\n' "$curves"
}

figures_delay() {
	gnuplot <<-END
		set terminal png size 1000,500
		set output '$1'
		set title 'Round trip through VIFs in series, virtual time'
		set xlabel 'VIFs in series'
		set ylabel 'microseconds'
		set yrange [0:*]
		set key bottom right
		plot $(figures_curves delay 'v / 1000' delay)
	END
}

figures_throughput() {
	gnuplot <<-END
		set terminal png size 1000,900
		set output '$1'
		set multiplot layout 2,1
		set xlabel 'VIFs in series'
		set ylabel 'per cent of that without VIFs'
		set yrange [0:110]
		set key bottom left
		set title 'TCP over lo, with offloads (the paper: 89 to 93 %)'
		plot 89 with lines dt 2 lc rgb 'gray' notitle, 93 with lines dt 2 lc rgb 'gray' notitle, $(figures_curves lo '100 * v / n' throughput)
		set title 'datagrams of 1,472 bytes over veth, each a packet'
		plot $(figures_curves veth-packet '100 * n / v' throughput)
	END
}

figures_all="operations delay throughput stacks relay link figure8 $alpine_all"

# figures_output KERNEL: what the VIFs send, by the test figure8
figures_output() {
	(run_guest "$1" figure8 figure8) | grep -v '^# figure:'
	if grep -q '^not ok' "$logs/$1-figure8/ktap"; then
		die "figure8 failed; logs: $logs/$1-figure8"
	fi
	figure8_data "$logs/$1-figure8/ktap" >"$logs/figure8.data"
	figure8_plot "$logs/figure8.data" "$(kernel_release "$1")" "$folder/figure8.png"
}

cmd_figures() {
	local name logs size measured=() own=() output='' folder=$top_dir/Documentation results
	parse_guest_options figures "$@"
	measure_size
	[ ${#rest[@]} -gt 0 ] || read -ra rest <<<"$figures_all"
	measure_known "$figures_all" "${rest[@]}"
	for name in "${rest[@]}"; do
		case " $alpine_all figure8=test " in
		*" $name "*) own+=("$name") ;;
		*" $name=test "*) output=1 ;;
		*) measured+=("$name") ;;
		esac
	done
	[ ${#own[@]} -eq ${#rest[@]} ] || prepare_guests "${opt_kernels[@]}"
	new_logs
	results=$folder/figures.tsv
	measure_all "${measured[@]}"
	# that is a test's
	[ -z "$output" ] || figures_output "${opt_kernels[-1]}"
	alpine_measure_all "${own[@]}"
	if ! figures_delay "$folder/figure9.png" || ! figures_throughput "$folder/figure10.png" ||
		! alpine_pictures; then
		die "gnuplot failed"
	fi
	results_page figures "$results" >"$folder/figures.md"
	echo "page: $folder/figures.md"
}
