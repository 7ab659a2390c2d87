# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154,SC2016
#
# The demonstration: runs lab/guest/demo in a guest, and draws a table of limit
# against what was measured, and a plot of rate over time, as text and PNG.

demo_columns='%-30s %14s %14s %8s\n'

# demo_row NAME LIMIT-BIT/S MEASURED-BIT/S
demo_row() {
	local name=$1 limit=$2 measured=${3:-0} ratio=-
	if [ "$limit" -gt 0 ]; then
		ratio=$(awk "BEGIN { printf \"%.1f %%\", 100 * ${measured:-0} / $limit }")
		limit=$(demo_kbit "$limit")
	else
		limit=none
	fi
	# shellcheck disable=SC2059
	printf "$demo_columns" "$name" "$limit" "$(demo_kbit "$measured")" "$ratio"
}

demo_kbit() { awk "BEGIN { printf \"%.1f kbit\", $1 / 1000 }"; }

# demo_table: shows the rows as they come, keeps all lines for the plot
demo_table() {
	local kind name a b
	# shellcheck disable=SC2059
	printf "$demo_columns" program limit measured 'of it'
	while IFS=$'\t' read -r kind name a b; do
		case $kind in
		'demo: row') demo_row "$name" "$a" "$b" ;;
		'demo: bin') printf '%s\t%s\t%s\n' "$name" "$a" "$b" >>"$1" ;;
		*) printf '%s\n' "$kind $name $a $b" >>"$1.log" ;;
		esac
	done
}

# demo_plot DATA TERMINAL OUTPUT KEY
demo_plot() {
	local names name plots='' sep=''
	mapfile -t names <<<"$(cut -f 1 "$1" | awk '!seen[$0]++')"
	for name in "${names[@]}"; do
		plots+="$sep '< grep \"^$name\" $1' using 2:(\$3/1000) title '$name' with linespoints"
		sep=,
	done
	gnuplot <<-END
		set terminal $2
		${3:+set output '$3'}
		set datafile separator '\t'
		set title 'netnice -b 256k: rate over time, on the wire'
		set xlabel 'seconds'
		set ylabel 'kbit/s'
		set yrange [0:400]
		set key $4
		plot 256 title 'limit' with lines lw 2 dt 2, $plots
	END
}

cmd_demo() {
	local logs png build_programs=''
	parse_guest_options demo "$@"
	[ ${#rest[@]} -eq 0 ] || { usage demo >&2; exit 2; }
	[ ${#opt_kernels[@]} -gt 0 ] || opt_kernels=(6.1)
	opt_virtual=1
	# a User Mode Linux has a root for all that is run in it
	is_uml "${opt_kernels[0]}" || build_programs='traffic wiremeter'
	cache_announce 'the demonstration' 200 900 4 "$(image_path base)" \
		"$(root_path "$(kernel_root "${opt_kernels[0]}")")"
	prepare_guests "${opt_kernels[0]}"
	new_logs
	echo
	echo "netnice -b 256k in a virtual machine with Linux $(kernel_release "${opt_kernels[0]}")."
	echo "Measured on the other side of the wire, in the machine's own time:"
	echo
	guest_settings
	guest_timeout=600
	guest_args "${opt_kernels[0]}" LAB_JOB=demo
	guest_batch "$logs" | demo_table "$logs/demo.tsv"
	if [ ! -s "$logs/demo.tsv" ]; then
		cat "$logs"/{demo.tsv.log,console,host} 2>/dev/null | tail -n 40 >&2
		die "the demonstration failed: what the machine said last is above, all of it in $logs"
	fi
	png=$logs/demo.png
	demo_plot "$logs/demo.tsv" "dumb size 79,32" '' 'below height 1'
	demo_plot "$logs/demo.tsv" 'pngcairo size 1000,500' "$png" 'outside right' 2>/dev/null ||
		demo_plot "$logs/demo.tsv" 'png size 1000,500' "$png" 'outside right'
	echo "The same as a picture: $png"
}
