# SPDX-License-Identifier: GPL-2.0
#
# Writes Documentation/figures.md from results.

# a row for each number of VIFs; of each kernel, wc and nwc
function series(title, row, unit, least,	i, level, line, k, columns) {
	columns = 1
	line = "| VIFs in series |"
	for (i = 1; i <= n_kernels; i++)
		if (has(kernel[i], row, "none", 0)) {
			line = line cell(kernel[i] " WC") cell(kernel[i] " NWC")
			columns += 2
		}
	print "**" title "**\n"
	print line
	rule(columns)
	line = "| none, device unused |"
	for (i = 1; i <= n_kernels; i++)
		if (has(kernel[i], row, "none", 0))
			line = line cell(series_cell(row, unit, kernel[i], "none", 0)) cell("")
	print line
	for (level = 0; level <= 8; level++) {
		if (!((row, "wc", level) in any))
			continue
		line = "| " (level ? level : "0, the root VIF") " |"
		for (i = 1; i <= n_kernels; i++)
			if (has(kernel[i], row, "none", 0))
				line = line cell(series_cell(row, unit, kernel[i], "wc", level)) \
					cell(series_cell(row, unit, kernel[i], "nwc", level))
		print line
	}
	print ""
}

function series_cell(row, unit, k, scheme, level,	v, none) {
	if (!has(k, row, scheme, level))
		return ""
	v = get(k, row, scheme, level)
	none = get(k, row, "none", 0)
	if (unit == "us")
		return sprintf("%.2f us", v / 1000)
	if (unit == "rate")
		return sprintf("%s, %.1f %%", grouped(v), 100 * v / none)
	return sprintf("%s, %.1f %%", grouped(1472 * 8 * 1000 / v), 100 * none / v)
}

function table_row(operation, max, av, min, sd,	i, line, k) {
	line = "| " operation " |" cell(max) cell(av) cell(min) cell(sd) cell(sprintf("%.1f", min * 733 / 1000))
	for (i = 1; i <= n_kernels; i++) {
		k = kernel[i]
		if (!has(k, operation, "netnice", 2))
			continue
		line = line cell(sprintf("%.1f / %.1f / **%.1f** / %.1f",
			get(k, operation, "netnice", 0) / 1000, get(k, operation, "netnice", 1) / 1000,
			get(k, operation, "netnice", 2) / 1000, get(k, operation, "netnice", 3) / 1000))
		line = line cell(sprintf("%.1f", get(k, operation, "cgroup", 2) / 1000))
	}
	print line
}

# of IP version N: what it is, and of that without a stack of one's own
function stacks_row(called, row, unit, n,	i, s, v, none, line, names, j) {
	split("none netnice kernel pasta", names, " ")
	line = "| " called (n == 6 ? ", IPv6" : "") " |"
	for (i = 1; i <= n_kernels; i++) {
		if (!has(kernel[i], row, "none", 4))
			continue
		none = get(kernel[i], row, "none", n)
		for (j = 1; j <= 4; j++) {
			v = get(kernel[i], row, names[j], n)
			s = unit == "rate" ? grouped(v) : sprintf("%.1f", v / 1000)
			if (j > 1)
				s = s sprintf(", %.0f %%", 100 * v / none)
			line = line cell(has(kernel[i], row, names[j], n) ? s : "")
		}
	}
	print line
}

function stacks_table(	i, n, line, columns) {
	line = "| |"
	columns = 1
	for (i = 1; i <= n_kernels; i++)
		if (has(kernel[i], "stream", "none", 4)) {
			line = line cell(kernel[i] ": directly") cell("in a VIF") cell("**own stack**") cell("pasta")
			columns += 4
		}
	print line
	rule(columns)
	for (n = 4; n <= 6; n += 2) {
		if (!(("stream", "none", n) in any))
			continue
		stacks_row("stream, Mbit/s", "stream", "rate", n)
		stacks_row("the same received", "maerts", "rate", n)
		stacks_row("TCP request and answer, 1,000 instructions", "tcp_rr", "", n)
		stacks_row("UDP", "udp_rr", "", n)
		stacks_row("a connection for each", "tcp_crr", "", n)
	}
	print ""
}

# of each kernel that has it, who passes datagrams on
function jitter_table(	i, k, load, line) {
	for (i = 1; i <= n_kernels; i++) {
		k = kernel[i]
		if (!has(k, "jitter-mean", "relay", 0))
			continue
		print "**Jitter, mean and maximum, and time in transit, microseconds, on " k "**\n"
		print "| busy processes | process: jitter | maximum | transit | SCHED_FIFO: jitter | maximum | transit | relay: jitter | maximum | transit | datagrams a second |"
		rule(10)
		for (load = 0; load <= 32; load++)
			if (has(k, "jitter-mean", "relay", load)) {
				line = "| " load " |"
				line = line jitter_cells(k, "process", load) jitter_cells(k, "fifo", load)
				print line jitter_cells(k, "relay", load) cell(grouped(get(k, "rate", "relay", load)))
			}
		print ""
	}
}

function jitter_cells(k, scheme, load) {
	return cell(sprintf("%.2f", get(k, "jitter-mean", scheme, load) / 1000)) \
		cell(sprintf("%.1f", get(k, "jitter-max", scheme, load) / 1000)) \
		cell(sprintf("%.1f", get(k, "transit-mean", scheme, load) / 1000))
}

# what is between the ends
function between(k, scheme, batch) { return get(k, "datagram", scheme, batch) - get(k, "datagram", "none", batch) }

function between_table(	i, k, batch) {
	print "| | instructions a datagram: forwarded | relayed | of that forwarded | by a process | of that relayed |"
	rule(5)
	for (i = 1; i <= n_kernels; i++) {
		k = kernel[i]
		if (!has(k, "datagram", "relay", 0))
			continue
		for (batch = 0; batch <= 1; batch++)
			print "| " k (batch ? ", 50 by a call |" : ", one by a call |") \
				cell(grouped(between(k, "forward", batch))) cell(grouped(between(k, "relay", batch))) \
				cell(sprintf("%.2f", between(k, "relay", batch) / between(k, "forward", batch))) \
				cell(grouped(between(k, "fifo", batch))) \
				cell(sprintf("%.2f", between(k, "fifo", batch) / between(k, "relay", batch)))
	}
	print ""
}

# of a link, in the order of the numbers: what each of the three has; UNIT divides, FORMAT prints
function link_table(row, head, number_unit, number_format, unit, format,	i, j, k, n, parts, names, line) {
	split("none kernel lwip", names, " ")
	for (i = 1; i <= n_kernels; i++) {
		k = kernel[i]
		if (!link_measured(k, row))
			continue
		print "| " head ", " k " | the host\047s TCP/IP | of its own: the kernel\047s | lwIP |"
		rule(4)
		for (j = 1; j <= n_results; j++) {
			split(order[j], parts, SUBSEP)
			if (parts[1] != row || parts[2] != "none" || !has(k, row, "none", parts[3]))
				continue
			line = "| " sprintf(number_format, parts[3] / number_unit) " |"
			for (n = 1; n <= 3; n++)
				line = line cell(has(k, row, names[n], parts[3]) ? \
					sprintf(format, get(k, row, names[n], parts[3]) / unit) : "")
			print line
		}
		print ""
	}
}

function link_measured(k, row,	j, parts) {
	for (j = 1; j <= n_results; j++) {
		split(order[j], parts, SUBSEP)
		if (parts[1] == row && has(k, row, parts[2], parts[3]))
			return 1
	}
	return 0
}

# changes of what vifctl watch has seen, of the last kernel that has it
function watched(	i, k) {
	for (i = 1; i <= n_kernels; i++)
		if (has(kernel[i], "changes", "lines", 0))
			k = kernel[i]
	print "In ten seconds, on " k ", " get(k, "changes", "lines", 0) " lines; the congestion window is another one in " \
		get(k, "changes", "cwnd", 0) " of them,"
	print "the slow start threshold in " get(k, "changes", "ssthresh", 0) ", the round trip time in " \
		get(k, "changes", "srtt", 0) ".\n"
}

# the middle of what was measured five times
function median(k, row, scheme,	i, j, n, v, x) {
	for (i = 1; has(k, row, scheme, i); i++) {
		x = get(k, row, scheme, i) + 0
		for (j = n++; j > 0 && v[j] > x; j--)
			v[j + 1] = v[j]
		v[j + 1] = x
	}
	return v[int((n + 1) / 2)]
}

function switch_table() {
	print "| seconds between the last byte on one stack and the first on the other | the paper | here |"
	rule(3)
	print "| two stacks that are programs | < 1 |" cell(sprintf("%.2f", median("uml", "switch", "program")))
	print "| the same, with a line of tcp_input.c changed in between | |" \
		cell(sprintf("%.0f", median("uml", "switch", "rebuild")))
	print "| two kernels of a machine, which starts again | 247 | |\n"
}

# bit/s while one was stopped, and before and after: of seconds in which it was all the time
function debugger_table(	i, s, names, titles, ms, v, first, last, least, sum, n_sum) {
	split("stopped beside host", names, " ")
	split("on the kernel in gdb|on another kernel of this kind|on the machine\047s own", titles, "|")
	for (ms = 0; ms <= 18000; ms += 500)
		if (has("uml", "debugged", "stopped", ms) && get("uml", "debugged", "stopped", ms) == 0) {
			if (first == "")
				first = ms
			last = ms
		}
	print "| Mbit/s of a program | before | while one is stopped: least | mean | after: mean |"
	rule(5)
	for (i = 1; i <= 3; i++) {
		for (s = 1; s <= 3; s++)
			sum[s] = n_sum[s] = 0
		least = ""
		for (ms = 500; ms <= 18000; ms += 500) {
			if (!has("uml", "debugged", names[i], ms))
				continue
			v = get("uml", "debugged", names[i], ms)
			s = ms < first - 500 ? 1 : ms >= first && ms <= last ? 2 : ms > last + 500 ? 3 : 0
			sum[s] += v
			n_sum[s]++
			if (s == 2 && (least == "" || v < least))
				least = v
		}
		print "| " titles[i] " |" cell(mbit(sum[1], n_sum[1])) cell(mbit(least, 1)) \
			cell(mbit(sum[2], n_sum[2])) cell(mbit(sum[3], n_sum[3]))
	}
	print ""
	print "Its control block then, by gdb, at tcp_write_xmit(): congestion window " get("uml", "block", "cwnd", 0) \
		", threshold " get("uml", "block", "ssthresh", 0) ","
	print "round trip " get("uml", "block", "srtt_us", 0) " us, packets under way " get("uml", "block", "packets_out", 0) \
		", room at the other end " get("uml", "block", "snd_wnd", 0) " bytes.\n"
}

function mbit(sum, n) { return n ? sprintf("%.2f", sum / n / 1e6) : "" }

function daytona_table(	i, n, names, titles, limits) {
	split("ordinary daytona", names, " ")
	split("the ordinary one|TCP Daytona", titles, "|")
	split("0 1000000", limits, " ")
	print "| Mbit/s of payload; the program is on | in a VIF of | it gets | the other one gets |"
	print "|---|---|---:|---:|"
	for (n = 1; n <= 2; n++)
		for (i = 1; i <= 2; i++)
			print "| " titles[i] " |" cell(limits[n] ? limits[n] / 1e6 " Mbit/s" : "none") \
				cell(mbit(get("uml", "taken", names[i], limits[n]), 1)) \
				cell(mbit(get("uml", "left", names[i], limits[n]), 1))
	print ""
}

function alpine() {
	print "## Alpine: a stack under development\n"
	print "Figures 4 to 8 of \"Alpine: a user-level infrastructure for network protocol development\" (Ely,"
	print "Savage, Wetherall): the TCP/IP of FreeBSD 3.3 in a library, on Pentium Pros of 200 MHz."
	print "It was to be used by programs as they are, to be tried in a second, to be looked at in a"
	print "debugger while all else goes on, and to cost little. Here that is, for whoever needs a stack of his"
	print "own, `netnice --kernel` and `--stack`, and, for work on TCP itself, a kernel that is a program (`lab"
	print "here`, `lab uml --patch`; see stacks.rst).\n"

	print "### Alpine\047s Figure 4: throughput\n"
	print "The paper: equal \"for link speeds up to 10 Mb/sec\"; 12 Mbit/s at most through Alpine, 40 in the"
	print "kernel. Here a server sends back what it is sent, behind a gateway with a queue of 50"
	print "packets, or 50 ms; two seconds of that, the beginning of the connection included.\n"
	link_table("echoed", "Mbit/s of the link", 1000000, "%d", 1000000, "%.2f")

	print "### Alpine\047s Figure 5: latency\n"
	print "A byte, and the same byte back, over a link with a delay in one direction. The paper: 2.5 ms more"
	print "through Alpine, whatever the delay. (With lwIP the server is another program, which does less. What"
	print "a stack of its own costs where no link is in the way is above, under \"A user\047s own TCP/IP\".)\n"
	link_table("echo", "Delay, ms", 1000, "%.2f", 1000000, "%.3f ms")

	if (has("uml", "switch", "program", 1)) {
		print "### Alpine\047s Figure 6: from one stack to another\n"
		print "60 kB are fetched on one stack, then, by the same program, on another one, which is TCP Daytona: for"
		print "that two kernels begin, the server has one, too. In real time, the middle of five.\n"
		switch_table()
	}
	if (has("uml", "block", "cwnd", 0)) {
		print "### Alpine\047s Figure 7: one stack in a debugger\n"
		print "![throughput](alpine7.png)\n"
		print "Each sends 8 Mbit/s. One is stopped for five seconds, and as long as gdb takes besides (`lab here"
		print "--gdb`), and then sends at once what it has not. The paper has a picture of a telnet that is"
		print "stopped, and says that mail and browser \"are unaffected\". In real time.\n"
		debugger_table()
	}
	print "### Alpine\047s Figure 8: the control block of a program as it is\n"
	print "![control block](alpine8.png)\n"
	print "curl uploads a file over 10 Mbit/s and 40 ms, in front of which 60 kB can wait, while `vifctl watch`"
	print "looks at it. The paper shows the control block of wget in a window, \"about an hour of"
	print "programming\"; it was for programs on its own stack. This is for those on the kernel\047s.\n"
	watched()
	if (has("uml", "taken", "daytona", 0)) {
		print "### TCP Daytona, and a limit\n"
		print "The paper\047s example of a stack that is tried: a receiver that takes more than its share (Savage et"
		print "al.); here examples/tcp-daytona.patch, of ten lines. Linux, as its source says, counts what is"
		print "acknowledged and not how often, so that to divide or repeat acknowledgements gains nothing; but it"
		print "believes the times that it is given back, and undoes its congestion control where they say that a"
		print "packet was late, not lost. Two programs fetch from one ordinary server through the same 10 Mbit/s"
		print "(48 ms can wait, 20 ms of delay), one of them on the ordinary stack, for 20 s of real time. In a VIF"
		print "it has no more than that, and the other one its part again.\n"
		daytona_table()
	}
}

END {
	print "<!-- SPDX-License-Identifier: GPL-2.0. Written by make figures: do not edit. -->\n"
	print "# The paper's figures, measured again\n"
	print "Figures 8, 9 and 10 and Table I of \"Virtual network interface\" (Okumura, Mosse), by"
	print "`make figures`. The paper's machine was a Celeron of 733 MHz with FreeBSD and an"
	print "Ethernet of 100 Mbit/s. Here a virtual machine (QEMU) runs Debian's kernels in virtual"
	print "time: each instruction takes a nanosecond, whatever it does, so figures repeat, on"
	print "any machine, and do not depend on its processor. They are *not* times of a real"
	print "processor, which does one to four instructions in a nanosecond, and waits for memory."
	print "Figures of other papers follow; what is on the kernel `uml` is in real time.\n"
	runs("operations delay throughput stacks relay link daytona switch debugger")

	print "## Figure 8: output of the VIFs\n"
	print "![output of the VIFs](figure8.png)\n"
	print "VIFs 1 and 2 share VIF 3 by 66 to 33; VIF 3 has 256 kB/s, VIF 4 512, VIF 5 128. The"
	print "test `figure8` is this with a judgement: in each second each VIF is within 1 % of an"
	print "ideal fluid scheduler, or one packet, if that is more. (The paper: \"some slight"
	print "variability\", in a picture without numbers.)\n"

	print "## Figure 9: delay of VIFs in series\n"
	print "![delay](figure9.png)\n"
	print "The shortest of 300 round trips of a request of 64 bytes and its answer, over a veth,"
	print "both of which pass all the VIFs. The paper has a picture of pings between two machines"
	print "over a real Ethernet, without numbers: \"not much difference in delays when we increase"
	print "the number of VIFs\", \"a few microseconds\". WC: no VIF has a bandwidth; NWC: each has"
	print "one, of 100 Gbit/s, that is never reached.\n"
	series("Round trip, microseconds (thousands of instructions)", "delay", "us")

	print "## Figure 10: throughput of VIFs in series\n"
	print "![throughput](figure10.png)\n"
	print "The paper, over `lo0`, by FTP: about 225 Mbit/s with an unmodified kernel, 200 to 210"
	print "(89 to 93 %) through 0 to 8 VIFs. First the same here, TCP, with a send buffer of 256 kB;"
	print "the best of five, which repeats to some 1 % only, as it depends on who is woken when,"
	print "and which the offloads help: a packet of netnice is up to 64 kB. On `lo` sender and"
	print "receiver, both attached, and both directions, are on the one CPU.\n"
	series("TCP over lo, Mbit/s, and of that without", "lo", "rate")
	series("TCP over veth, Mbit/s, and of that without", "veth", "rate")
	print "Then the same with datagrams of 1,472 bytes, each a packet of its own. Nobody reads"
	print "them, so all that is counted is a system call, a packet's way, and the VIFs; this"
	print "repeats to 0.1 %.\n"
	series("UDP over lo, Mbit/s, and of that without", "lo-packet", "packet")
	series("UDP over veth, Mbit/s, and of that without", "veth-packet", "packet")
	print "On `lo` a datagram costs both ends on one CPU, and no device: of some 6,220 instructions on 6.1"
	print "netnice adds 860: by the function graph tracer, less what that takes itself, 200 where it is sent"
	print "and 660 where it is received, of which 470 are the kernel's own search for the socket, which it"
	print "does again a few steps later. To hand over what was found (`skb->sk`) would spare that, but"
	print "firewall rules before it would see a socket that is not theirs to see yet.\n"

	print "## Table I: operations\n"
	print "Maximum, mean, minimum and deviation: the paper's of 100 trials, in microseconds (its"
	print "minimum also in thousands of cycles of its 733 MHz), ours of 1,000, in thousands of"
	print "instructions: max / mean / **min** / deviation. read and write open and close the"
	print "file, as the paper's do. The last column of a kernel is the minimum of the same with a"
	print "control group (mkdir, rmdir, cgroup.procs, cpu.weight) in the same run.\n"
	line = "| operation | paper: max | av | min | sd | min, 1,000 cycles |"
	columns = 6
	for (i = 1; i <= n_kernels; i++)
		if (has(kernel[i], "create", "netnice", 2)) {
			line = line cell(kernel[i]) cell("cgroup")
			columns += 2
		}
	print line
	rule(columns)
	table_row("create", 65, 16, 14, 5)
	table_row("delete", 30, 15, 14, 2)
	table_row("attach", 45, 34, 26, 2)
	table_row("detach", 32, 20, 20, 1)
	table_row("read", 144, 35, 32, 12)
	table_row("write", 474, 32, 25, 45)

	print "\n## A user\047s own TCP/IP\n"
	print "What netperf measures in \"A split TCP/IP stack implementation for GNU/Linux\" (Unzner),"
	print "whose stacks at user level have about half of the stream and two thirds of the"
	print "transactions of the kernel. Here the programs are run directly; attached to a VIF; with a"
	print "stack of their own at the host\047s address (`netnice --kernel`), as an ordinary user; and by"
	print "the same user behind pasta, a proxy. Both ends are on one CPU, which does a thousand million"
	print "instructions a second: half of the first column or so is the peer\047s. The best of three.\n"
	stacks_table()

	print "## Relay: who passes datagrams on\n"
	print "\"User-level sandboxing\" (end-host architecture for cluster communication services) has a relay"
	print "socket, by which extensions forward at packet time: jitter is \"near constant\" with background"
	print "threads, that of a process grows (axes are not in the text); UDP forwarding is 130 % faster than in"
	print "a process, and a packet costs 6,360 cycles in the sandbox, 4,800 in the kernel.\n"
	print "Here three network namespaces in a row, joined by veths, on one CPU. 600 datagrams of 1,000 bytes, one each"
	print "5 ms, from a sender of SCHED_FIFO; the kernel stamps what arrives; the first 20 are left out. Between"
	print "them a process that receives and sends, the same with SCHED_FIFO, or a relay (interface.rst), while so"
	print "many other processes want the CPU.\n"
	jitter_table()
	print "Then what is between the ends costs: instructions a datagram takes from end to end, less those by a"
	print "line of its own, past whoever is between; sent one at a time, or 50 by one system call. The process"
	print "has SCHED_FIFO, and takes the CPU as soon as something has come. Who forwards looks for a"
	print "route; a relay for a socket before that, and it asks whoever is asked of what is received and"
	print "sent here (firewall, filters, control groups), not of what goes through.\n"
	between_table()

	if (("echoed", "none", 1000000) in any)
		alpine()
}
