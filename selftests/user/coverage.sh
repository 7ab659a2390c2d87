#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: coverage.sh FOLDER
# How many of the branches of sched/ the tests take, by gcov. Fails below the
# limit; says which lines have branches that are never taken. The tests are the objects
# that lie in the folder above.

limit=95
out=$1
cd "$(dirname "$0")" || exit
src=$PWD
mkdir -p "$out" && cd "$out" || exit
rm -f ./*.gcda ./*.gcno

flags="-std=gnu11 -I$src/include -O0 --coverage"
for c in clock floor fair node; do
	# shellcheck disable=SC2086
	gcc $flags -c -o $c.o "$src/../../sched/$c.c" || exit
done
objects() { printf '../%s.o ' "$@"; }
model="clock.o floor.o fair.o node.o $(objects rbtree check world look inside bucket fluid promise steps)"
# shellcheck disable=SC2046,SC2086
gcc --coverage -o random $(objects random fuzz) $model -lm &&
	gcc --coverage -o corner $(objects property corner groups load ideal ties) $model -lm || exit
./random --ops 400000 >random.log && ./corner --trees 0 >corner.log || exit

gcov -b clock.o floor.o fair.o node.o >/dev/null || exit
awk -v limit=$limit '
	FNR == 1 { name = FILENAME; sub(/[.]gcov$/, "", name) }
	/^ *[0-9#=*-]+:/ { split($0, field, ":"); line = field[2]; text = $0
		sub(/^[^:]*:[^:]*:[ \t]*/, "", text) }
	/^branch/ {
		all++
		if ($0 ~ /taken 0%|never executed/)
			print "# never taken: sched/" name ":" line + 0 ": " text
		else
			taken++
	}
	END {
		percent = all ? 100 * taken / all : 0
		ok = all && percent >= limit
		printf "%sok 1 %d of %d branches of sched/ are taken, %.1f percent\n",
			ok ? "" : "not ", taken, all, percent
		print "1..1"
		exit !ok
	}' clock.[ch].gcov floor.[ch].gcov fair.[ch].gcov node.c.gcov
