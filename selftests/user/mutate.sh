#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: mutate.sh FOLDER
# Makes a mutant of sched/ of each line of the file `mutations`, and expects
# that the tests catch it: they fail, crash, or use more processor time than
# many times what they need.

out=$1
cd "$(dirname "$0")" || exit
src=$PWD
mkdir -p "$out" && cd "$out" || exit
mkdir -p sched selftests/user
flags="-std=gnu11 -w -O1 -I$src/include -I."
model="rbtree check world look inside bucket fluid promise steps"
n=0 missed=0

# The tests as objects, once: only the core is built again for a mutant, and, for one
# of a header, what asks its inline functions.
prepare() {
	cp "$src"/*.[ch] selftests/user/ || return
	mkdir -p objects
	for c in $model random fuzz property corner groups load ideal ties; do
		# shellcheck disable=SC2086
		gcc $flags -c -o "objects/$c.o" "$src/$c.c" || return
	done
}

# mutant FILE OLD NEW: fails if OLD is not there
mutant() {
	cp "$src"/../../sched/*.[ch] sched/ || return
	OLD=$2 NEW=$3 perl -0pi -e '
		BEGIN { ($old, $new) = @ENV{qw(OLD NEW)}; s/\\n/\n/g, s/\\t/\t/g for $old, $new; $bad = 1 }
		$bad = 0 if s/\Q$old\E/$new/;
		END { exit $bad }' "sched/$1"
}

# build FILE: of which it is a mutant
build() {
	for c in clock floor fair node; do
		# shellcheck disable=SC2086
		gcc $flags -c -o $c.o sched/$c.c || return
	done
	o=$(for c in $model; do echo "objects/$c.o"; done)
	corner='objects/corner.o objects/groups.o'
	if [ "${1%.h}" != "$1" ]; then
		for c in world corner groups look; do
			# shellcheck disable=SC2086
			gcc $flags -c -o $c.o selftests/user/$c.c || return
		done
		o=${o/objects\/world.o/world.o} o=${o/objects\/look.o/look.o} corner='corner.o groups.o'
	fi
	# shellcheck disable=SC2086
	gcc -o random objects/random.o objects/fuzz.o $o clock.o floor.o fair.o node.o -lm &&
		gcc -o corner objects/property.o $corner objects/load.o \
			objects/ideal.o objects/ties.o $o clock.o floor.o fair.o node.o -lm
}

caught() {
	! (ulimit -t 20; ./random --ops 150000) >log 2>&1 ||
		! (ulimit -t 60; ./corner --trees 0) >log 2>&1 ||
		! (ulimit -t 60; ./corner --ties 40) >log 2>&1
}

try() {
	if ! mutant "$@"; then
		printf 'not ok %d %s: not found: %s\n' "$n" "$1" "$2"
	elif ! build "$1"; then
		printf 'not ok %d %s: does not build: %s\n' "$n" "$1" "$3"
	elif caught 2>/dev/null; then
		printf 'ok %d %s: %s\n' "$n" "$1" "$3"
		return
	else
		printf 'not ok %d %s: not caught: %s -> %s\n' "$n" "$1" "$2" "$3"
	fi
	missed=$((missed + 1))
}

prepare || exit
tab=$(printf '\t')
while IFS=$tab read -r file old new; do
	case $file in '#'* | '') continue ;; esac
	n=$((n + 1))
	try "$file" "$old" "$new"
done <"$src/mutations"
echo "1..$n"
[ $n -ge 20 ] && [ $missed -eq 0 ]
