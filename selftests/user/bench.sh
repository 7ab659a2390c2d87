#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: bench.sh FOLDER
# Nanoseconds a packet, and where valgrind is installed, its instructions.

packets=300000
cd "$1" || exit
./bench
command -v valgrind >/dev/null || exit 0
echo "instructions a packet; siblings, depth:"
for siblings in 1 10 1000 65536; do
	for depth in 1 8 32; do
		count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
			--toggle-collect=run ./bench $siblings $depth 2>&1 >/dev/null |
			sed -n 's/.*Collected : //p')
		printf '%8d %4d %8d\n' "$siblings" "$depth" "$((count / packets))"
	done
done
