# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Divisions, shifts and multiplications by what is no constant. The list `bounds' has each of them: FILE, CODE,
# WHY it can neither fault nor go beyond its type, separated by tabs. A new one needs a line
# there.

# bounds_found: FILE CODE, one a line, of the module; what is spread over lines is joined
bounds_found() {
	local room
	for room in vif sched procfs; do
		spatch --very-quiet --no-includes --include-headers \
			--sp-file selftests/lab/bounds.cocci --dir $room 2>/dev/null
	done | awk '
		function flush() {
			if (text != "")
				print file "\t" text
			text = ""
		}
		/^--- / { flush(); file = $2; next }
		!/^-/ { flush(); next }
		{
			sub(/^-[ \t]*/, "")
			text = text (text == "" ? "" : " ") $0
			if (/[;{]$/)
				flush()
		}
		END { flush() }' | sort -u
}

# lint_bounds: the list has what there is, and a reason for each
lint_bounds() {
	awk -F '\t' '
		FILENAME != ARGV[1] { found[$1 FS $2]; next }
		/^#/ { next }
		NF != 3 || $3 == "" { print "bounds:" FNR ": no reason"; next }
		{ line[$1 FS $2] = FNR }
		END {
			for (i in found) if (!(i in line)) print "error: not in selftests/lab/bounds: " i
			for (i in line) if (!(i in found)) print "bounds:" line[i] ": is not there: " i
		}' "$top_dir/selftests/lab/bounds" <(lint_in_root bash -c "$(declare -f bounds_found); bounds_found")
}
