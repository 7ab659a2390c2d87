# SPDX-License-Identifier: GPL-2.0
#
# Writes Documentation/bench.md from results.

BEGIN {
	n_names = split("none|noqueue, netnice not loaded" \
		"|netnice-unused|netnice, this device unused" \
		"|pfifo_fast|pfifo_fast|fq|fq|fq-paced|fq, paced|fq_codel|fq_codel|cake|cake|cake-limit|cake, limit" \
		"|cake-ingress|cake, ingress" \
		"|tbf|tbf|htb|htb|htb-deep|htb, 8 levels|htb-codel|htb with fq_codel|hfsc|hfsc" \
		"|tbf-ifb|ifb and tbf|htb-ifb|ifb and htb|htb-deep-ifb|ifb and htb, 8 levels" \
		"|netnice-unattached|**netnice**, no attachments" \
		"|netnice-others|**netnice**, not attached, as others are" \
		"|netnice|**netnice**|netnice-netlink|**netnice**, by netlink|netnice-limit|**netnice**, limit" \
		"|netnice-deep|**netnice**, 8 levels|netnice-deep-limit|**netnice**, 8 levels, limits" \
		"|netnice-qdisc-unattached|**netnice qdisc**, not attached" \
		"|netnice-qdisc|**netnice qdisc**|netnice-qdisc-limit|**netnice qdisc**, limit" \
		"|netnice-qdisc-deep|**netnice qdisc**, 8 levels" \
		"|netnice-qdisc-deep-limit|**netnice qdisc**, 8 levels, limits", names, "|")
	for (i = 1; i < n_names; i += 2) {
		scheme[++n_schemes] = names[i]
		called[names[i]] = names[i + 1]
	}
}

# is there any such result?
function anywhere(row, s, number,	i) {
	for (i = 1; i <= n_kernels; i++)
		if (has(kernel[i], row, s, number))
			return 1
	return 0
}

# as the sender has it
function bits(number) {
	if (number >= 1e9)
		return number / 1e9 " Gbit/s"
	if (number >= 1e6)
		return number / 1e6 " Mbit/s"
	return number / 1e3 " kbit/s"
}

# numbers_of(ROW): the numbers that it was measured with, in order; sets number[1..]
function numbers_of(row,	i, j, n, parts, seen) {
	n = 0
	for (i = 1; i <= n_results; i++) {
		split(order[i], parts, SUBSEP)
		if (parts[1] != row || (parts[3] in seen))
			continue
		seen[parts[3]] = 1
		for (j = ++n; j > 1 && number[j - 1] + 0 > parts[3] + 0; j--)
			number[j] = number[j - 1]
		number[j] = parts[3]
	}
	return n
}

function cost_cell(k, row, s, n, base, other,	above, of_other) {
	if (!has(k, row, s, n) || !has(k, row, "none", 1))
		return ""
	above = get(k, row, s, n) - get(k, row, "none", 1)
	if (s == "none")
		return grouped(get(k, row, s, n))
	of_other = has(k, row, other, 1) ? get(k, row, other, 1) - get(k, row, "none", 1) : 0
	return sprintf("%s%s%s", above < -0.5 ? "" : "+", grouped(above), \
		of_other > 0 ? sprintf(" (%.2f)", above / of_other) : "")
}

# a row for each scheme, a column for each kernel
function cost_table(row, other,	i, s, line, columns) {
	line = "| |"
	columns = 1
	for (i = 1; i <= n_kernels; i++)
		if (has(kernel[i], row, "none", 1)) {
			line = line cell(kernel[i])
			columns++
		}
	print line
	rule(columns)
	for (s = 1; s <= n_schemes; s++) {
		if (!anywhere(row, scheme[s], 1))
			continue
		line = "| " called[scheme[s]] " |"
		for (i = 1; i <= n_kernels; i++)
			if (has(kernel[i], row, "none", 1))
				line = line cell(cost_cell(kernel[i], row, scheme[s], 1, "none", other))
		print line
	}
	print ""
}

# a row for each scheme with several numbers of classes
function classes_table(	n, i, k, s, j, line) {
	n = numbers_of("sent")
	if (n < 2)
		return
	for (i = 1; i <= n_kernels; i++) {
		k = kernel[i]
		if (!has(k, "sent", "htb", number[n]) && !has(k, "sent", "htb", number[n - 1]))
			continue
		print "Of so many classes, one is used, on " k ":\n"
		line = "| above none |"
		for (j = 1; j <= n; j++)
			line = line cell(grouped(number[j]))
		print line
		rule(n + 1)
		for (s = 1; s <= n_schemes; s++) {
			if (!has(k, "sent", scheme[s], number[2]))
				continue
			line = "| " called[scheme[s]] " |"
			for (j = 1; j <= n; j++)
				line = line cell(cost_cell(k, "sent", scheme[s], number[j], "none", ""))
			print line
		}
		print ""
	}
}

# a row for each scheme, a column for each of rows and numbers
function table(k, rows, format, unit,	n_rows, r, n, j, s, line, columns, v, any_cell) {
	n_rows = split(rows, row_of, " ")
	line = "| on " k " |"
	columns = 1
	for (r = 1; r <= n_rows; r++) {
		n = numbers_of(row_of[r])
		for (j = 1; j <= n; j++) {
			line = line cell(row_title(row_of[r]) " " (unit == "classes" ? grouped(number[j]) : bits(number[j])))
			columns++
		}
	}
	print line
	rule(columns)
	for (s = 1; s <= n_schemes; s++) {
		line = "| " called[scheme[s]] " |"
		any_cell = 0
		for (r = 1; r <= n_rows; r++) {
			n = numbers_of(row_of[r])
			for (j = 1; j <= n; j++) {
				v = has(k, row_of[r], scheme[s], number[j]) ? \
					sprintf(format, get(k, row_of[r], scheme[s], number[j])) : ""
				any_cell = any_cell || v != ""
				line = line cell(v)
			}
		}
		if (any_cell)
			print line
	}
	print ""
}

function row_title(row) {
	sub(/^(rate|first|fast)-/, "", row)
	sub(/^(median|p90|share|lost)$/, "&,", row)
	return row
}

function tables(name, rows, format, unit,	i) {
	for (i = 1; i <= n_kernels; i++)
		if ((kernel[i], name, "day") in run)
			table(kernel[i], rows, format, unit)
}

# --- the summary: one table, of the newest kernel that has all --------------------------

# the worst of a row, over all its numbers
function worst(k, row, s,	n, j, v, w) {
	n = numbers_of(row)
	w = ""
	for (j = 1; j <= n; j++)
		if (has(k, row, s, number[j])) {
			v = get(k, row, s, number[j])
			if (v < 0)
				v = -v
			if (w == "" || v > w)
				w = v
		}
	return w
}

function worse(a, b) {
	if (a == "" || b == "")
		return a b
	return a + 0 > b + 0 ? a : b
}

# of HTB's
function against(v, reference, format) {
	if (v == "")
		return ""
	return sprintf(format, v) (reference + 0 > 0 ? sprintf(" (%.2f)", v / reference) : "")
}

# the most classes that were measured of HTB, too
function most_classes(k,	i) {
	for (i = numbers_of("memory"); i > 1 && !has(k, "memory", "htb", number[i]); i--)
		;
	return number[i]
}

# summary_row: unless nothing of it was measured
function summary_row(k, title, s, deep_s,	line, n) {
	n = most_classes(k)
	line = cell(cost_cell(k, "sent", s, 1, "none", "htb"))
	line = line cell(cost_cell(k, "sent", deep_s, 1, "none", "htb-deep"))
	line = line cell(against(worse(worst(k, "rate-tcp", s), worst(k, "rate-udp", s)), 0, "%.2f"))
	line = line cell(against(worse(worst(k, "first-tcp", s), worst(k, "first-udp", s)), 0, "%.1f"))
	line = line cell(against(get(k, "median", s, 100000000), get(k, "median", "htb", 100000000), "%.2f"))
	line = line cell(against(get(k, "median", s, 256000), get(k, "median", "htb", 256000), "%.0f"))
	line = line cell(against(worst(k, "share", s), 0, "%.2f"))
	line = line cell(against(get(k, "memory", s, n), get(k, "memory", "htb", n), "%.0f"))
	line = line cell(against(get(k, "create", s, n), get(k, "create", "htb", n), "%.0f"))
	line = line cell(against(get(k, "change", s, n), get(k, "change", "htb", n), "%.0f"))
	line = line cell(has(k, "dump", s, n) ? against(get(k, "dump", s, n) / n * 1000, \
		get(k, "dump", "htb", n) / n * 1000, "%.0f") : "")
	if (line ~ /[0-9]/)
		print "| " title " |" line
}

function summary(	i, k, n) {
	for (i = 1; i <= n_kernels; i++)
		if (kernel[i] in measured)
			k = kernel[i]
	n = most_classes(k)
	print "On " k " (" release(k) "); in brackets, of htb's. The last four columns: of " grouped(n)
	print "classes, for each.\n"
	print "| | sent, instructions above none | 8 levels | rate, worst error, % | first second, most, % of the limit" \
		" | median answer at 100 Mbit/s, ms | at 256 kbit/s, ms | share, worst error, %" \
		" | bytes a class | create, us | change, us | dump, us |"
	rule(12)
	summary_row(k, "pfifo_fast", "pfifo_fast", "")
	summary_row(k, "fq", "fq", "")
	summary_row(k, "fq_codel", "fq_codel", "")
	summary_row(k, "cake", "cake", "")
	summary_row(k, "tbf", "tbf", "")
	summary_row(k, "hfsc", "hfsc", "")
	summary_row(k, "htb", "htb", "htb-deep")
	summary_row(k, "htb with fq_codel", "htb-codel", "")
	summary_row(k, "**netnice**", "netnice", "netnice-deep")
	summary_row(k, "**netnice**, by netlink", "netnice-netlink", "")
	summary_row(k, "**netnice**, with a limit", "netnice-limit", "netnice-deep-limit")
	summary_row(k, "**netnice qdisc**", "netnice-qdisc", "netnice-qdisc-deep")
	print ""
}

# was that measured, on any kernel?
function ever(name,	i) {
	for (i = 1; i <= n_kernels; i++)
		if ((kernel[i], name, "day") in run)
			return 1
	return 0
}

function page_cost() {
	print "## Instructions a packet\n"
	print "![instructions a packet](bench-cost.png)\n"
	print "A datagram of 64 bytes through a device that discards it, with an empty queue, from the"
	print "system call on. \"none\" is the whole cost, the others are the additional cost, with the ratio"
	print "to htb's in brackets. The minimum of 40 times 100 datagrams; it repeats to one instruction."
	print "tbf, htb and hfsc have a rate of 10 Gbit/s that is not reached; \"limit\" is netnice with such"
	print "a rate. tc's packets use the default class, which costs least: filters that find their"
	print "owner, as netnice does, would cost more.\n"
	cost_table("sent", "htb")
	print "Received, 64 bytes, by a socket that is full; \"none\" includes the sender, on the same CPU."
	print "For this tc has redirection to an ifb device.\n"
	cost_table("received", "htb-ifb")
	classes_table()
}

# instructions / expiries / locks; in brackets if it was not at the limit
function waits_cell(k, case, s, number,	text, passed) {
	if (!has(k, "instructions-" case, s, number))
		return ""
	text = grouped(get(k, "instructions-" case, s, number))
	passed = get(k, "passed-" case, s, number)
	if (passed < 95 || passed > 105)
		return sprintf("(%s: %.0f %%)", text, passed)
	if (has(k, "locks-" case, s, number))
		text = sprintf("%s / %.2f / %.1f", text, get(k, "expiries-" case, s, number), \
			get(k, "locks-" case, s, number))
	return text
}

# a line for each case and number, a column for each scheme
function waits_table(k, cases, unit,	n_cases, case, c, n, j, s, line, columns) {
	n_cases = split(cases, case, " ")
	line = "| on " k " |" cell("")
	columns = 2
	for (s = 1; s <= n_schemes; s++) {
		shown[s] = 0
		for (c = 1; c <= n_cases; c++)
			for (j = numbers_of("instructions-" case[c]); j > 0; j--)
				shown[s] = shown[s] || has(k, "instructions-" case[c], scheme[s], number[j])
		if (!shown[s])
			continue
		line = line cell(called[scheme[s]])
		columns++
	}
	if (columns == 2)
		return
	print line
	rule(columns)
	for (c = 1; c <= n_cases; c++) {
		n = numbers_of("instructions-" case[c])
		for (j = 1; j <= n; j++)
			waits_line(k, case[c], number[j], unit == "" ? bits(number[j]) : grouped(number[j]) " " unit)
	}
	print ""
}

function waits_line(k, case, number, called_number,	s, line, any_cell, text) {
	line = "| " case " |" cell(called_number)
	for (s = 1; s <= n_schemes; s++) {
		if (!shown[s])
			continue
		text = waits_cell(k, case, scheme[s], number)
		any_cell = any_cell || text != ""
		line = line cell(text)
	}
	sub(/^\| (egress|ingress|levels)-/, "| ", line)
	if (any_cell)
		print line
}

function waits_tables(name, cases, unit,	i) {
	for (i = 1; i <= n_kernels; i++)
		if ((kernel[i], name, "day") in run)
			waits_table(kernel[i], cases, unit)
}

function page_atlimit() {
	print "## Instructions per queued packet\n"
	print "A limit that is reached: instructions of the whole machine, both ends, for each full frame"
	print "that passes. Then, from the same run with the kernel's tracer, the expiries of the"
	print "scheduler's timer per frame, and how often its lock is taken (the lock of netnice's shaper,"
	print "of the qdisc, or both). Idle time is subtracted. In brackets, in per cent of the limit: the"
	print "deviation of the traffic, which is lower if the emulated CPU was overloaded. The rows have"
	print "this number of connections, or UDP senders; gso and ugso use segmentation offload. TCP"
	print "always passes packets of many frames to a qdisc. The stack segments them after it (tcp) or"
	print "the device does (gso): htb and hfsc let them pass whole, at once.\n"
	print "Sent through netnice (its hook, not its qdisc), all figures without brackets are of 2026-11-28,"
	print "and so is tcp-1 at 50 Mbit/s for all schedulers. The others, and all in the next two tables, are"
	print "of 2026-11-25, with the same kernel, and before netnice let out two frames by one expiry.\n"
	waits_tables("atlimit", "egress-tcp-1 egress-tcp-8 egress-tcp-128 egress-gso-1 egress-gso-8 " \
		"egress-udp-1 egress-ugso-1")
	print "Received; tc's schedulers are behind an ifb device. UDP arrives a twentieth faster than the"
	print "limit. netnice drops the rest, as for a remote sender; an ifb's qdisc delays a sender on"
	print "this host.\n"
	waits_tables("atlimit", "ingress-tcp-1 ingress-tcp-8 ingress-gso-1 ingress-udp-1 ingress-ugso-1")
	print "Levels, each with this limit:\n"
	waits_tables("atlimit", "levels-udp-1-50mbit levels-tcp-8-50mbit levels-udp-1-500mbit", "levels")
}

function page_waiting() {
	print "### Many VIFs with queued packets\n"
	print "Each of so many VIFs, or classes, has one datagram queued, and the next one is sent when it"
	print "has left: 80 Mbit/s in all, of 600 bytes each; for 60,000 it is 13 Mbit/s of 64 bytes. Each"
	print "VIF has its own limit that delays it (own), or all wait for the limit of their parent"
	print "(shared). fq has a rate for each flow, cake and tbf one for all. Figures as above.\n"
	waits_tables("waiting", "own shared", "VIFs")
}

# What the tables cannot say: by hand, of a listing of all instructions by function.
function page_account() {
	print "### Where the instructions of a queued frame go\n"
	print "One TCP connection at 50 Mbit/s through netnice on 6.1: 11,350 instructions a frame, by a"
	print "listing of all instructions by function (a plugin of the emulator), of 2026-11-28, before the"
	print "changes of that day.\n"
	print "| part | instructions | |"
	print "|---|---:|---|"
	print "| netnice: queueing | 538 | finding the flow, checks of room in the VIF, for the user and the device, counters |"
	print "| netnice: scheduler | 383 | choice, clocks, virtual times |"
	print "| netnice: leaving | 745 | the timer\047s batch, turns of flows, CoDel, delays, counters |"
	print "| netnice: timer | 138 | when it must expire next, and how much later it may |"
	print "| netnice: windows, hooks | 119 | what is announced to senders; packets that pass |"
	print "| netnice: filter of acknowledgements | 129 | none since packets are first tested for their length |"
	print "| timer | 1,754 | interrupt, hrtimer, clock event and softirq: one expiry for each frame |"
	print "| TCP | 1,935 | both ends, with acknowledgements and small queues |"
	print "| device | 1,234 | dev_queue_xmit(), veth, backlog |"
	print "| memory | 1,188 | packets and their data |"
	print "| copying | 720 | to and from programs |"
	print "| segmentation | 363 | once, before it waits; with htb after that |"
	print "| IP | 478 | |"
	print "| locks, RCU, lists | 451 | |"
	print "| rules of the measurement | 318 | |"
	print "| other | 859 | |\n"
	print "htb with fq_codel takes 6,416. It lets packets of 44 frames pass whole: 10 ms of the line at 50"
	print "Mbit/s for each expiry, segmentation, queueing and wakeup of the receiver. The default burst of"
	print "netnice is 1 ms there, so that it sends one or two frames. design.rst has what a larger burst"
	print "would save, and what light flows would wait for it. With UDP, which sends frame by frame, netnice"
	print "takes less than htb.\n"
	print "The same holds for the other rows of TCP, in which htb takes less: a GSO packet passes whole if it"
	print "is no longer than a third of the burst. The changes of that day took 1,600 instructions off this"
	print "row: the filter of acknowledgements tests the length first, and one expiry lets out two frames.\n"
	print "After these changes on 6.1, where the tables are older: received, udp-1 at 50 Mbit/s takes 12,517"
	print "(htb with fq_codel 13,304). Of many VIFs below one limit 10 take 12,076 (11,377), and 1,000"
	print "take 12,998 (11,081).\n"
}

# a line for each case and number, a column for each design; fields of what was found
function model_table(cases, fields, format,	n_cases, case, design, n_fields, field, c, d, n, j, f, line, v) {
	n_cases = split(cases, case, " ")
	n_fields = split(fields, field, " ")
	split("lock list leaves qdisc qdisc-list split", design, " ")
	print "| packets a second | CPUs | one lock | list | leaves | a qdisc's lock | a qdisc's list | split |"
	rule(8)
	n = numbers_of(case[1])
	for (j = 1; j <= n; j++)
		for (c = 1; c <= n_cases; c++) {
			line = "| " grouped(number[j]) " |" cell(substr(case[c], index(case[c], "-") + 1))
			for (d = 1; d <= 6; d++) {
				split(get("model", case[c], "model-" design[d], number[j]), v, " ")
				line = line cell(sprintf(format, v[field[1]], v[field[2]], v[field[3]]))
			}
			print line
		}
	print ""
}

function page_model() {
	print "## Many CPUs and one limit: a model\n"
	print "How long CPUs wait if they send through one limit, as fast as they can, each with 64 packets"
	print "under way. This is a simulation (selftests/user/cpus-model.c), with measurements of one CPU"
	print "(cpus.c there)."
	print ""
	print "- *One lock*: each packet takes the shaper's lock."
	print "- *List*: packets are put on a lock-free list, and the CPU that finds it empty queues all,"
	print "  as in netnice."
	print "- *Leaves*: a queue for each CPU, and one CPU that drains them."
	print "- *A qdisc's lock* sends one packet each time that it is taken (htb); the same with a *list*"
	print "  (Linux 7)."
	print "- *Split*: a queue with its own limit for each CPU, as in cake_mq."
	print ""
	print "The columns have thousands of packets that pass per second / per cent of the CPUs' time"
	print "spent waiting for the lock / the longest wait, in microseconds. The costs are measured, the"
	print "results are computed, except for contend's measurement of two CPUs. CPUs with a shared"
	print "cache, where a memory transfer between them takes 25 ns:\n"
	model_table("near-1 near-2 near-4 near-8 near-16 near-64", "1 3 4", "%s / %s / %s")
	print "Without a shared cache, where it takes 100 ns:\n"
	model_table("far-2 far-4 far-8 far-16 far-64", "1 3 4", "%s / %s / %s")
	print "One CPU wants 90 % of the limit, fifteen share the rest. Per cent of its part that the CPU"
	print "with the least gets / per cent off the limit / longest wait:\n"
	model_table("uneven-16", "5 2 4", "%s / %s / %s")
}

function page_cpus(	s) {
	print "## Nanoseconds, and two CPUs\n"
	print "In real time, by User Mode Linux on the processor named above: a datagram of 64 bytes"
	print "through a device that discards it, one of 128 in a system call. \"none\" is the whole cost,"
	print "the others are the additional cost. Then a second CPU sends through another class of the"
	print "same device: the cost of a packet rises by this percentage, beyond the rise of \"none\". The"
	print "minimum of many short turns, because other load on the machine disturbs them: on a busy"
	print "machine they repeat only to ten points. \"limit\" is two VIFs of 1 Gbit/s below a VIF of 10.\n"
	print "| | ns | beside another, % |"
	rule(3)
	for (s = 1; s <= n_schemes; s++)
		if (has("uml-smp", "ns", scheme[s], 1))
			print "| " called[scheme[s]] " |" \
				cell(sprintf(scheme[s] == "none" ? "%.0f" : "%+.0f", get("uml-smp", "ns", scheme[s], 1))) \
				cell(has("uml-smp", "beside", scheme[s], 2) ? \
					sprintf("%+.1f", get("uml-smp", "beside", scheme[s], 2)) : "")
	print ""
}

function page_contend(	n, j, s, line, who, off) {
	print "### Packets that must be queued\n"
	print "Senders on this number of CPUs send at the same time into one class, from which almost"
	print "nothing leaves. The figures are nanoseconds per packet, and the increase over one sender,"
	print "minus the increase of none: this is waiting for the lock and for memory. Then the same with"
	print "a limit of 100 Mbit/s, datagrams of 1000 bytes: per cent by which the traffic of two seconds"
	print "is off the limit, the minimum of a few runs. The host sometimes takes the CPUs away: a pause"
	print "longer than a burst, 10 ms, is lost.\n"
	n = numbers_of("queued")
	line = "| |"
	for (j = 1; j <= n; j++) {
		who = number[j] (number[j] == 1 ? " sender" : " senders")
		line = line cell(who ", ns")
		off = off cell(who ", % off")
	}
	print line off
	rule(2 * n + 1)
	for (s = 1; s <= n_schemes; s++) {
		if (!has("uml-smp", "queued", scheme[s], 1))
			continue
		line = "| " called[scheme[s]] " |"
		for (j = 1; j <= n; j++)
			line = line cell(sprintf("%.0f", get("uml-smp", "queued", scheme[s], number[j])) \
				(has("uml-smp", "waits", scheme[s], number[j]) ? \
				sprintf(" (%+.0f)", get("uml-smp", "waits", scheme[s], number[j])) : ""))
		for (j = 1; j <= n; j++)
			line = line cell(has("uml-smp", "off", scheme[s], number[j]) ? \
				sprintf("%+.2f", get("uml-smp", "off", scheme[s], number[j])) : "")
		print line
	}
	print ""
}

function page_rate() {
	print "## Rate on the wire\n"
	print "![rate error](bench-rate.png)\n"
	print "One sender that wants more than the limit; the peer's packet capture counts bytes from the"
	print "link-layer header on. After the first second, per cent off the limit:\n"
	tables("rate", "rate-tcp rate-udp", "%+.2f", "bits")
	print "In the first second, per cent of the limit:\n"
	tables("rate", "first-tcp first-udp", "%.1f", "bits")
}

function page_fast() {
	print "At 1 Gbit/s for ten seconds and at 10 for two, because the emulated processor would be too"
	print "slow: in the virtual time of a User Mode Linux, in which programs take no time.\n"
	table("uml", "fast-tcp fast-udp", "%+.2f", "bits")
}

# of a download: sent, delivered, sent twice
function download_cell(row, s, number) {
	if (!has("uml", "sent-late-" row, s, number))
		return cell("")
	return cell(sprintf("%.1f / %.1f / %s", get("uml", "sent-late-" row, s, number), \
		get("uml", "delivered-" row, s, number), grouped(get("uml", "resent-" row, s, number))))
}

function page_downloads(	n, j, c, r, s, count, rtt, line, columns) {
	print "## Downloads\n"
	print "TCP for 20 seconds through an ingress limit, from senders at this distance. The columns are:"
	print "traffic on the line in front of the limit from the third second on, in per cent of the"
	print "limit; the delivered part of it, with headers; and retransmitted segments in all. tc's"
	print "schedulers are behind an ifb device. In the virtual time of a User Mode Linux.\n"
	split("1 16", count, " ")
	split("0 20 100", rtt, " ")
	n = numbers_of("sent-late-1-20")
	line = "| limit |" cell("connections") cell("ms")
	columns = 3
	for (s = 1; s <= n_schemes; s++)
		if (has("uml", "sent-late-1-20", scheme[s], number[1])) {
			line = line cell(called[scheme[s]])
			columns++
		}
	print line
	rule(columns)
	for (j = 1; j <= n; j++)
		for (c = 1; c <= 2; c++)
			for (r = 1; r <= 3; r++) {
				line = "| " bits(number[j]) " |" cell(count[c]) cell(rtt[r])
				for (s = 1; s <= n_schemes; s++)
					if (has("uml", "sent-late-1-20", scheme[s], number[1]))
						line = line download_cell(count[c] "-" rtt[r], scheme[s], number[j])
				print line
			}
	print ""
}

function page_latency() {
	print "## Latency under load\n"
	print "![latency](bench-latency.png)\n"
	print "Requests of 64 bytes, by UDP, in the same class as TCP connections that want all bandwidth:"
	print "one at 256 kbit/s, where a full frame takes 47 ms, 128 at 100 Mbit/s. No ECN. Milliseconds"
	print "until the answer: median, p90; and per cent of lost requests.\n"
	tables("latency", "median p90 lost", "%.2f", "bits")
}

function page_share() {
	print "## Shares\n"
	print "Three siblings of weights 1, 2 and 5 under 10 Mbit/s, all backlogged: the largest deviation"
	print "of a sibling from its share in any second, in per cent of the share. A packet is one per"
	print "cent of the smallest share in a second.\n"
	tables("share", "share", "%.2f", "bits")
}

function page_manage() {
	print "## Classes: memory, create, change, delete, dump\n"
	print "By one `tc -batch` or `vifctl batch`, microseconds per class in virtual time (thousands of"
	print "instructions, including the program's). mkdir: without a bandwidth, by mkdir(1). dump:"
	print "milliseconds for all, with statistics, as JSON. memory: bytes of an idle class.\n"
	tables("manage", "memory", "%.0f", "classes")
	tables("manage", "create mkdir change delete", "%.1f", "classes")
	tables("manage", "dump", "%.1f", "classes")
}

END {
	print "<!-- SPDX-License-Identifier: GPL-2.0. Written by make bench: do not edit. -->\n"
	print "# netnice beside the kernel's schedulers\n"
	print "By `make bench`, in virtual machines (QEMU) with Debian's kernels, in virtual time: each"
	print "instruction takes a nanosecond. So figures repeat, on any machine, and do not depend on its"
	print "processor. They are *not* times of a real processor, which executes one to four instructions"
	print "in a nanosecond, and waits for memory and locks. One CPU. This page has only measured"
	print "figures; bench.tsv has all of them. selftests/bench documents each measurement, schemes.sh"
	print "the setup of each scheduler.\n"
	runs("cost atlimit waiting model contend cpus rate fast downloads latency share manage")

	print "## Summary\n"
	summary()

	if (ever("cost"))
		page_cost()
	if (ever("atlimit"))
		page_atlimit()
	if (ever("waiting"))
		page_waiting()
	if (ever("atlimit"))
		page_account()
	if (("model", "model", "day") in run)
		page_model()
	if (("uml-smp", "cpus", "day") in run)
		page_cpus()
	if (("uml-smp", "contend", "day") in run)
		page_contend()
	if (ever("rate"))
		page_rate()
	if (("uml", "fast", "day") in run)
		page_fast()
	if (("uml", "downloads", "day") in run)
		page_downloads()
	if (ever("latency"))
		page_latency()
	if (ever("share"))
		page_share()
	if (ever("manage"))
		page_manage()
}
