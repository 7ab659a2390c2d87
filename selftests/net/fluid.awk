# SPDX-License-Identifier: GPL-2.0
#
# What an ideal fluid scheduler gives to each VIF of a tree whose senders offer
# more than they can get: generalized processor sharing with priorities and
# limits. It knows nothing of packets, clocks or virtual time.
#
# input, a line each, parents before children, what is changed later again;
# rates in bit/s:
#	vif PATH [KEY=VALUE...]		keys as the files of /proc/network
#	flow PATH			something attached to it sends
# output, for each flow: PATH RATE

function parent_of(path) {
	return sub(/\/[^\/]*$/, "", path) ? path : "/"
}

# how much could the VIF use?
function demand(vif,    sum, i) {
	if (vif in wants)
		return wants[vif]
	sum = (vif in flow) ? infinite : 0
	for (i = 1; i <= children[vif]; i++)
		sum += demand(child[vif, i])
	return wants[vif] = sum < cap[vif] ? sum : cap[vif]
}

# The contenders of a VIF are its children, 1 to n, and what is attached to it, 0.
# (Compared with 0: what comes from a `for (i in ...)` is a string, and true.)
function contender_demand(vif, i) {
	return i > 0 ? demand(child[vif, i]) : (vif in flow) ? infinite : 0
}

function contender_weight(vif, i) {
	return i > 0 ? value(child[vif, i], "weight", 100) : value(vif, "local_weight", 100)
}

function contender_priority(vif, i) {
	return i > 0 ? value(child[vif, i], "priority", 4) : value(vif, "local_priority", 4)
}

function value(vif, key, otherwise) {
	return (vif, key) in set ? set[vif, key] : otherwise
}

function give(vif, i, rate) {
	if (i > 0)
		divide(child[vif, i], rate)
	else
		print vif, rate
}

# Those of one priority: one that wants less than its share gets what it wants,
# and the others share the rest.
function divide_class(vif, rate, priority,    i, got, open, sum, share, again, taken) {
	for (i = 0; i <= children[vif]; i++)
		if (contender_priority(vif, i) == priority && contender_demand(vif, i) > 0)
			open[i] = 1
	taken = 0
	do {
		again = 0
		sum = 0
		for (i in open)
			sum += contender_weight(vif, i)
		share = rate - taken
		for (i in open)
			if (contender_demand(vif, i) < share * contender_weight(vif, i) / sum) {
				got[i] = contender_demand(vif, i)
				taken += got[i]
				delete open[i]
				again = 1
				break
			}
	} while (again)
	for (i in open) {
		got[i] = share * contender_weight(vif, i) / sum
		taken += got[i]
	}
	for (i in got)
		give(vif, i, got[i])
	return taken
}

function divide(vif, rate,    priority) {
	if (rate > demand(vif))
		rate = demand(vif)
	for (priority = 0; priority < 8; priority++)
		rate -= divide_class(vif, rate, priority)
}

BEGIN {
	infinite = 1e15
	cap["/"] = infinite
}

$1 == "vif" {
	if (!($2 in cap)) {
		parent = parent_of($2)
		child[parent, ++children[parent]] = $2
		cap[$2] = infinite
	}
	for (i = 3; i <= NF; i++) {
		split($i, pair, "=")
		if (pair[1] == "bandwidth")
			cap[$2] = pair[2] == "max" ? infinite : pair[2]
		else
			set[$2, pair[1]] = pair[2]
	}
}

$1 == "flow" { flow[$2] = 1 }

END { divide("/", infinite) }
