# SPDX-License-Identifier: GPL-2.0
#
# A tree of VIFs in one line, from the input of fluid.awk: a VIF, what is set in it,
# and in parentheses those below it; `own` stands for what is attached to itself.
#
#	p:5M(own:w50 a:w300:p0)		p has 5 Mbit/s; below it a, of weight 300 and
#					priority 0; its own packets have weight 50

function value(vif, key, prefix) {
	return (vif, key) in set ? ":" prefix set[vif, key] : ""
}

function bandwidth(vif,    rate) {
	if (!((vif, "bandwidth") in set) || set[vif, "bandwidth"] == "max")
		return ""
	rate = set[vif, "bandwidth"]
	return ":" (rate >= 1000000 ? rate / 1000000 "M" : rate / 1000 "k")
}

function draw(vif,    name, i, below) {
	name = vif
	sub(/.*\//, "", name)
	if ((vif in flow) && children[vif])
		below = " own" value(vif, "local_weight", "w") value(vif, "local_priority", "p")
	for (i = 1; i <= children[vif]; i++)
		below = below " " draw(child[vif, i])
	return name bandwidth(vif) value(vif, "weight", "w") value(vif, "priority", "p") \
		(below ? "(" substr(below, 2) ")" : "")
}

$1 == "vif" {
	if (!($2 in known)) {
		known[$2] = 1
		parent = $2
		if (sub(/\/[^\/]*$/, "", parent))
			child[parent, ++children[parent]] = $2
		else
			top = $2
	}
	for (i = 3; i <= NF; i++) {
		split($i, pair, "=")
		set[$2, pair[1]] = pair[2]
	}
}

$1 == "flow" { flow[$2] = 1 }

END { print draw(top) }
