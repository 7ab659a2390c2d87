# SPDX-License-Identifier: GPL-2.0
#
# What pages share: reads results (see lab/measure.sh), and has functions that print
# Markdown. A page's own program has an END rule.

BEGIN {
	FS = "\t"
	n_kernels = split("6.1 6.12 new", kernel, " ")
	# what is measured in real time is on another one; a model is on none
	n_all = split("6.1 6.12 new uml uml-smp model", all, " ")
}

FNR == 1 { next }

$3 == "run" {
	run[$1, $2, $4] = $6
	measured[$1] = 1
	next
}

{
	found[$1, $3, $4, $5] = $6
	if (!(($3, $4, $5) in any)) {
		any[$3, $4, $5] = 1
		order[++n_results] = $3 SUBSEP $4 SUBSEP $5
	}
}

# is there such a result, of that kernel?
function has(k, row, scheme, number) {
	return (k, row, scheme, number) in found && found[k, row, scheme, number] != ""
}

function get(k, row, scheme, number) { return found[k, row, scheme, number] }

# cell(TEXT): of a table; an empty one is said to be not measured
function cell(text) { return text == "" ? " |" : " " text " |" }

# grouped(NUMBER): rounded, thousands apart
function grouped(number,	text, sign) {
	text = sprintf("%.0f", number < 0 ? -number : number)
	sign = number < 0 && text != "0" ? "-" : ""
	while (match(text, /[0-9][0-9][0-9][0-9]($|,)/))
		text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
	return sign text
}

# release(KERNEL): as uname(1) has it
function release(k,	i, parts, found_release) {
	for (i in run) {
		split(i, parts, SUBSEP)
		if (parts[1] == k && parts[3] == "release")
			found_release = run[i]
	}
	return found_release
}

function rule(columns,	line) {
	line = "|---|"
	while (columns-- > 1)
		line = line "---:|"
	print line
}

# runs(NAME...): a table of how the measurements were made
function runs(names,	i, j, n, name) {
	n = split(names, name, " ")
	print "| kernel | measurement | release | processor | day | size |"
	print "|---|---|---|---|---|---|"
	for (i = 1; i <= n_all; i++)
		for (j = 1; j <= n; j++)
			if ((all[i], name[j], "release") in run)
				print "|" cell(all[i]) cell(name[j]) cell(run[all[i], name[j], "release"]) \
					cell(run[all[i], name[j], "processor"]) \
					cell(run[all[i], name[j], "day"]) cell(run[all[i], name[j], "size"])
	print ""
}
