# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# coverage: which basic blocks of the module each test of `check` runs, on uml. From that it writes
#
#   coverage/tests.tsv   FILE SECONDS TEST...: for each file of the module, the tests that together
#                        run every block of it that any test runs, the cheapest first;
#                        SECONDS is the CPU time of all of them. check-quick reads it.
#   coverage/blocks.tsv  TEST SECONDS RESULTS BLOCKS ALONE: how many blocks a test runs, and how many
#                        no other test runs
#
# The compiler inserts a call into each basic block (coverage/cover.c has what is called). Blocks are
# known by the address at which that call returns, and files by the debugging information.

# bits of each module, as in coverage/cover.c
coverage_slot=$((1 << 21))

# coverage_sections MODULE BASE: lines `START SECTION`, as the kernel lays out the text of a module
coverage_sections() {
	local start section size align end=0
	root_run bookworm readelf -SW "$(build_dir uml)/$1" |
		sed -n 's/^ *\[ *[0-9]*\] \([^ ]*\) *PROGBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) [0-9a-f]* *AX .* \([0-9]*\)$/\1 \2 \3/p' |
		while read -r section size align; do
			[[ $section != .init* ]] || continue
			[ "$align" -gt 0 ] || align=1
			start=$(((end + align - 1) / align * align))
			echo "$(($2 + start)) $section"
			end=$((start + 0x$size))
		done
}

# coverage_files: of the offsets on standard input, which lie behind the call, lines `OFFSET FILE`, where
# FILE is the innermost one of the project's. Those of headers that are not the project's go to their caller.
coverage_files() {
	local module base=0
	sort -nu >"$logs/offsets"
	for module in $(module_names); do
		coverage_files_of "$module" $base
		base=$((base + coverage_slot))
	done
}

# coverage_files_of MODULE BASE: the same of one module
coverage_files_of() {
	local start section end
	coverage_sections "$1" "$2" >"$logs/sections"
	# shellcheck disable=SC2094
	while read -r start section; do
		end=$(awk -v start="$start" '$1 > start { print $1; exit }' "$logs/sections")
		awk -v start="$start" -v end="${end:-$(($2 + coverage_slot))}" '$1 > start && $1 <= end { printf "%x\n", $1 - start - 1 }' \
			"$logs/offsets" |
			root_run bookworm addr2line -a -i -j "$section" -e "$(build_dir uml)/$1" |
			awk -v start="$start" -v top="$(build_dir uml)/" '
				function number(hex,   i, n) {
					for (i = 3; i <= length(hex); i++)
						n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
					return n
				}
				/^0x/ { offset = start + number($1) + 1; found = 0; next }
				!found {
					sub(/:[0-9?]+( .*)?$/, "")
					if (index($0, top)) $0 = substr($0, index($0, top) + length(top))
					while (sub(/[^\/]+\/\.\.\//, "")) continue
					if (/^(vif|sched|procfs)\//) { print offset, $0; found = 1 }
				}'
	done <"$logs/sections"
}

# coverage_offsets KTAP: the offsets whose bits are set
coverage_offsets() {
	# shellcheck disable=SC2059
	printf "$(sed -n 's/^# coverage: //p' "$1" | sed 's/../\\x&/g')" | gzip -dc | od -An -v -tu1 -w1 |
		awk '$1 { for (bit = 0; bit < 8; bit++) if (int($1 / 2 ^ bit) % 2) print 8 * (NR - 1) + bit }'
}

# coverage_tables LIST: LIST has lines `TEST SECONDS RESULTS`; standard input lines `TEST OFFSET`
coverage_tables() {
	awk -v blocks="$lab_dir/coverage/blocks.tsv" -v tests="$lab_dir/coverage/tests.tsv" '
		FILENAME == ARGV[1] { order[++n_tests] = $1; seconds[$1] = $2 > 0 ? $2 : 1; results[$1] = $3; next }
		FILENAME == ARGV[2] { file[$1] = $2; next }
		$2 in file && !(($1, $2) in runs) { runs[$1, $2] = 1; by[$2] = by[$2] " " $1; number[$2]++; reached[$1]++ }
		END {
			for (offset in number) {
				if (number[offset] == 1) alone[substr(by[offset], 2)]++
				of[file[offset]] = of[file[offset]] " " offset
			}
			for (i = 1; i <= n_tests; i++) {
				test = order[i]
				printf "%s\t%d\t%d\t%d\t%d\n", test, seconds[test], results[test], reached[test], alone[test] >blocks
			}
			for (name in of) {
				n = split(substr(of[name], 2), offsets, " ")
				split("", done)
				left = n; sum = 0; list = ""
				while (left > 0) {
					best = ""; most = 0
					for (i = 1; i <= n_tests; i++) {
						new = 0
						for (j = 1; j <= n; j++)
							if (!(j in done) && (order[i], offsets[j]) in runs) new++
						if (new / seconds[order[i]] > most) { most = new / seconds[order[i]]; best = order[i] }
					}
					for (j = 1; j <= n; j++)
						if (!(j in done) && (best, offsets[j]) in runs) { done[j]; left-- }
					list = list "\t" best; sum += seconds[best]
				}
				printf "%s\t%d%s\n", name, sum, list >tests
			}
		}' "$1" "$logs/files" -
}

cmd_coverage() {
	local tests jobs logs test dir run_short=1 n_cpu=0 n_passed=0 n_failed=0 n_skipped=0
	local last_passed last_failed last_skipped
	parse_guest_options coverage "$@"
	tests=("${rest[@]}")
	[ ${#tests[@]} -gt 0 ] || read -ra tests <<<"$(tests_all | tr '\n' ' ')"
	check_tests "${tests[@]}"
	jobs=$(check_short "${tests[@]}" | grep '^uml ')
	build_coverage=1
	prepare_guests uml
	new_logs
	check_run <<<"$(check_guests <<<"$jobs")"
	for dir in "$logs"/uml-*/; do
		[ -e "$dir/test" ] || continue
		read -r _ test <"$dir/test"
		echo "$test $(cat "$dir/cpu") $(count ok "$dir")" >>"$logs/list"
		# a test may never load the module
		! grep -q '^# coverage: ' "$dir/ktap" ||
			coverage_offsets "$dir/ktap" | sed "s/^/$test /" >>"$logs/runs"
	done
	cut -d' ' -f2 "$logs/runs" | coverage_files >"$logs/files"
	coverage_tables "$logs/list" <"$logs/runs"
	sort -o "$lab_dir/coverage/tests.tsv" "$lab_dir/coverage/tests.tsv"
	say "$(wc -l <"$logs/files") blocks; written: coverage/tests.tsv, coverage/blocks.tsv; logs: $logs"
	check_total
}
