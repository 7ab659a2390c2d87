# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# netnice beside the kernel's own schedulers: Documentation/bench.md, its pictures, and
# all that was found in bench.tsv.

bench_all='cost atlimit waiting model contend cpus rate fast downloads latency share manage'

# what is on one kernel only: it takes a real processor, and several, or one that is fast
declare -A bench_own_kernel=([cpus]=uml-smp [contend]=uml-smp [fast]=uml [downloads]=uml)

# bench_column KERNEL ROW NUMBER SCHEME...: lines `scheme value`; of none is subtracted
# what there is
bench_column() {
	awk -F '\t' -v kernel="$1" -v row="$2" -v number="$3" -v schemes="${*:4}" '
		$1 == kernel && $3 == row && $5 == number { v[$4] = $6 }
		END {
			n = split(schemes, scheme, " ")
			for (i = 1; i <= n; i++)
				if (scheme[i] in v) {
					found = v[scheme[i]] - v["none"]
					printf found < 100 ? "%s %.2f\n" : "%s %.0f\n", scheme[i], found
				}
		}' "$results"
}

# bench_kernel: the newest that was measured
bench_kernel() {
	local kernel newest
	for kernel in $all_kernels; do
		! grep -q "^$kernel"$'\t' "$results" || newest=$kernel
	done
	echo "$newest"
}

# bench_bars OUTPUT TITLE UNIT DATA [SETTING...]
bench_bars() {
	gnuplot <<-END
		set terminal png size 1000,500 noenhanced
		set output '$1'
		set title '$2'
		set rmargin 10
		set ylabel '$3'
		set style fill solid 0.6
		set boxwidth 0.7
		set xtics rotate by -30
		set yrange [0:*]
		unset key
		$(printf '%s\n' "${@:5}")
		plot '$4' using 0:2:xtic(1) with boxes, '' using 0:2:2 with labels offset 0,0.7
	END
}

# bench_pictures: those for which something was measured
bench_pictures() {
	local kernel release data=$logs/bench.data
	kernel=$(bench_kernel)
	release=$(results_release "$kernel" "$results")
	release="Linux ${release%%[-+]*}"
	bench_column "$kernel" sent 1 pfifo_fast fq fq_codel cake tbf hfsc htb htb-deep netnice-unattached netnice-others \
		netnice netnice-limit netnice-deep netnice-deep-limit netnice-qdisc netnice-qdisc-deep >"$data"
	[ ! -s "$data" ] || bench_bars "$folder/bench-cost.png" \
		"Instructions a packet above noqueue, $release" instructions "$data" || return
	bench_rate "$kernel" "$release" || return
	bench_column "$kernel" median 100000000 tbf hfsc htb htb-codel cake netnice netnice-qdisc >"$data"
	[ ! -s "$data" ] || bench_bars "$folder/bench-latency.png" \
		"Median answer beside 128 TCP connections at 100 Mbit/s, $release" milliseconds "$data" \
		'set logscale y' 'set yrange [0.1:*]'
}

# bench_rate KERNEL RELEASE: error by rate, a line for each scheme
bench_rate() {
	local scheme curves=''
	for scheme in tbf htb htb-deep hfsc cake netnice netnice-deep netnice-qdisc; do
		awk -F '\t' -v kernel="$1" -v scheme="$scheme" '
			$1 == kernel && $3 == "rate-tcp" && $4 == scheme { print $5, $6 }' "$results" \
			>"$logs/rate.$scheme"
		[ ! -s "$logs/rate.$scheme" ] ||
			curves+="${curves:+, }'$logs/rate.$scheme' using 1:2 with linespoints title '$scheme'"
	done
	[ -n "$curves" ] || return 0
	gnuplot <<-END
		set terminal png size 1000,500
		set output '$folder/bench-rate.png'
		set title 'TCP on the wire after the first second, per cent off the limit, $2'
		set logscale x
		set xlabel 'limit, bit/s'
		set format x '10^{%T}'
		set xzeroaxis
		set key outside
		plot $curves
	END
}

# bench_model: what selftests/user has of many CPUs, without a guest
bench_model() {
	local dir
	dir=$(build_dir user)/selftests/user
	build_sync user || return
	build_make user -C "$dir" build/cpus >&2 || make_failed "the model"
	mkdir -p "$logs/model"
	{
		printf 'run\t%s\t0\t%s\n' release - processor - day "$(date +%F)" size full
		root_run bookworm "$dir/build/cpus" | sed -n 's/^# result: //p'
	} | sed 's/^/model\tmodel\t/' >"$logs/model/results"
	results_merge "$logs/model/results" "$results"
}

cmd_bench() {
	local name logs size virtual own=() kernels folder=$top_dir/Documentation results
	parse_guest_options bench "$@"
	measure_size
	[ ${#rest[@]} -gt 0 ] || read -ra rest <<<"$bench_all"
	measure_known "$bench_all" "${rest[@]}"
	virtual=()
	for name in "${rest[@]}"; do
		[ "$name" != model ] || continue
		if [ "${bench_own_kernel[$name]-}" ]; then own+=("$name"); else virtual+=("$name"); fi
	done
	[ ${#virtual[@]} -gt 0 ] || opt_kernels=()
	kernels=("${opt_kernels[@]}")
	for name in "${own[@]}"; do kernels+=("${bench_own_kernel[$name]}"); done
	prepare_guests "${kernels[@]}"
	new_logs
	results=$folder/bench.tsv
	measure_all "${virtual[@]}"
	# alone: other work would take the time of what is real
	for name in "${own[@]}"; do
		opt_jobs=1 opt_kernels=("${bench_own_kernel[$name]}")
		measure_all "$name"
	done
	[[ " ${rest[*]} " != *' model '* ]] || bench_model
	bench_pictures || die "gnuplot failed"
	results_page bench "$results" >"$folder/bench.md"
	echo "page: $folder/bench.md"
}
