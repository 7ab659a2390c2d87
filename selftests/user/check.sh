#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: check.sh FOLDER
# All tests of selftests/user, with programs built in FOLDER: one KTAP report.
# NETNICE_OPS and NETNICE_FUZZ_SECONDS say how many random operations, and how
# long to fuzz the scheduler; each of the tools' fuzzers has four times that. With SHORT these are
# a fifth, and one second for each of the tools' fuzzers; those of events, HTTP, /proc and units are left out.
# There are few random trees then, and as many with
# clocks about the shares as find all mutants, which test the tests and are not made then.

cd "$(dirname "$0")" || exit
out=$1
corpus=$PWD/corpus
ops=${NETNICE_OPS:-10000000}
seconds=${NETNICE_FUZZ_SECONDS:-15}
tools_seconds=$((4 * seconds))
trees=50
ties=5000
[ -z "$SHORT" ] || ops=$((ops / 5)) seconds=$((seconds / 5)) tools_seconds=1 trees=10 ties=40
echo 0 >"$out/count"
: >"$out/failed"

# What a program reports, numbered through; one that ends badly has failed.
run() {
	name=$1
	shift
	{ "$@" 2>"$out/errors"; echo "status $?"; } | number "$name"
}

number() {
	awk -v name="$1" -v n="$(cat "$out/count")" -v out="$out" '
		/^ok / { sub(/^ok [0-9]* */, ""); print "ok " ++n " " name ": " $0; next }
		/^not ok / { sub(/^not ok [0-9]* */, ""); print "not ok " ++n " " name ": " $0
			bad = 1; next }
		/^status / { if ($2 != 0 && !bad) {
				print "not ok " ++n " " name ": ended with " $2; bad = 1 }
			next }
		/^#/ { print }
		END { print n >(out "/count"); if (bad) print name >>(out "/failed") }'
	grep -qx "$1" "$out/failed" && tail -n 30 "$out/errors" | sed 's/^/# /'
}

# fuzz NAME SECONDS BYTES: what it finds new goes to the first folder
fuzz() {
	mkdir -p "$out/corpus/$1"
	(cd "$out" && "./$1" -max_total_time="$2" -max_len="$3" -print_final_stats=1 "corpus/$1" "$corpus/$1" 2>&1) >"$out/$1.log"
	status=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$1.log")
	if [ $status -eq 0 ]; then
		echo "ok 1 nothing found in ${runs:-no} runs"
	else
		tail -n 30 "$out/$1.log" | sed 's/^/# /'
		echo "not ok 1 see $out/$1.log"
	fi
}

echo "KTAP version 1"
run parse "$out/parse"
run arithmetic "$out/arithmetic"
run ack "$out/ack"
run property "$out/property" --trees "$trees"
run cpus "$out/cpus" --check
run ties "$out/property" --ties "$ties"
run random "$out/random" --ops "$ops"
run sanitizers "$out/random-checked" --ops 400000 --from 1000000
run coverage ./coverage.sh "$out/coverage"
[ -n "$SHORT" ] || run mutants ./mutate.sh "$out/mutants"
run fuzz fuzz fuzz "$seconds" 2000
run fuzz-parse fuzz fuzz-parse "$tools_seconds" 200
run fuzz-files fuzz fuzz-files "$tools_seconds" 500
run fuzz-top fuzz fuzz-top "$tools_seconds" 4000
run fuzz-rules fuzz fuzz-rules "$tools_seconds" 1000
run fuzz-dns fuzz fuzz-dns "$tools_seconds" 600
if [ -z "$SHORT" ]; then
	run fuzz-events fuzz fuzz-events "$tools_seconds" 1000
	run fuzz-http fuzz fuzz-http "$tools_seconds" 9000
	run fuzz-proc fuzz fuzz-proc "$tools_seconds" 1500
	run fuzz-units fuzz fuzz-units "$tools_seconds" 1000
fi
echo "1..$(cat "$out/count")"
[ ! -s "$out/failed" ]
