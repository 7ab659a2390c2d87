#!/usr/bin/awk -f
# SPDX-License-Identifier: GPL-2.0
#
# A bandwidth over many nodes, divided among them from time to time: how much of what could be used
# is used, and how many changes that takes (Documentation/kubernetes.rst). Each node wants something
# for a time, and nothing for a time, both exponential; what it wants is drawn anew each time.
#
#	awk -f budget.awk			the table
#	awk -v nodes=100 -v wants=0.1 -f budget.awk
#
# nodes, wants (part of them that want something), lasts (seconds, in the mean), periods (seconds).
# All wants together are the budget, in the mean. A change below a tenth of a part is not made.

function exponential(mean) { return -mean * log(1 - rand()) }

function smaller(a, b) { return a < b ? a : b }

# What is divided in equal parts, but no more to a node than it wants; the rest is for all.
function divide(   i, n, left, part, again) {
	for (i = 1; i <= nodes; i++) {
		part_of[i] = 0
		open[i] = want[i] > 0
	}
	left = 1
	do {
		for (i = n = again = 0; ++i <= nodes;)
			n += open[i]
		part = n ? left / n : 0
		for (i = 1; i <= nodes; i++)
			if (open[i] && want[i] <= part) {
				part_of[i] = want[i]
				left -= want[i]
				open[i] = 0
				again = 1
			}
	} while (again)
	for (i = 1; i <= nodes; i++)
		part_of[i] = (open[i] ? part : part_of[i] + (n ? 0 : left / nodes))
}

# The best that there is: what all want together, or the budget.
function run(period, seconds,   i, t, used, could, all, changes) {
	srand(1)
	for (i = 1; i <= nodes; i++) {
		want[i] = rand() < wants ? exponential(mean) : 0
		until[i] = exponential(want[i] ? lasts : idle)
		has[i] = 1 / nodes
	}
	used = could = changes = 0
	for (t = 0; t < seconds; t++) {
		for (i = 1; i <= nodes; i++)
			while (until[i] <= t) {
				want[i] = want[i] ? 0 : exponential(mean)
				until[i] += exponential(want[i] ? lasts : idle)
			}
		if (period && t % period == 0) {
			divide()
			for (i = 1; i <= nodes; i++)
				if (part_of[i] - has[i] > has[i] / 10 || has[i] - part_of[i] > has[i] / 10) {
					has[i] = part_of[i]
					changes++
				}
		}
		all = 0
		for (i = 1; i <= nodes; i++) {
			all += want[i]
			used += smaller(want[i], has[i])
		}
		could += smaller(all, 1)
	}
	printf "%-8s  %3.0f %%  %4.1f\n", period ? period " s" : "never", 100 * used / could,
		changes / nodes / (seconds / 60)
}

BEGIN {
	nodes = nodes ? nodes : 50
	wants = wants ? wants : 0.3
	lasts = lasts ? lasts : 100
	idle = lasts * (1 - wants) / wants
	mean = 1 / (nodes * wants)
	n = split(periods ? periods : "0 300 60 15 5", period, " ")
	print "moved     used   changes for each node and minute"
	for (j = 1; j <= n; j++)
		run(period[j] + 0, 20000)
}
