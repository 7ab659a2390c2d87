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
	print "Figures 4 to 8 of \"Alpine: a user-level infrastructure for network protocol development\""
	print "(Ely, Savage, Wetherall): the TCP/IP of FreeBSD 3.3 in a library, on Pentium Pros of 200"
	print "MHz. Its goals were to run unmodified programs, to try a change within a second, to debug it"
	print "while everything else runs, and to cost little. Here the same is possible for users with"
	print "their own stack (`netnice --kernel` and `--stack`), and, for work on TCP itself, with a"
	print "kernel that is a program (`lab here`, `lab uml --patch`; see stacks.rst).\n"

	print "### Alpine\047s Figure 4: throughput\n"
	print "The paper: equal \"for link speeds up to 10 Mb/sec\"; at most 12 Mbit/s through Alpine, 40 in"
	print "the kernel. Here a server sends back its input, behind a gateway with a queue of 50 packets,"
	print "or 50 ms. It runs for two seconds, including the start of the connection.\n"
	link_table("echoed", "Mbit/s of the link", 1000000, "%d", 1000000, "%.2f")

	print "### Alpine\047s Figure 5: latency\n"
	print "A byte, and the same byte back, over a link with a delay in one direction. The paper: 2.5 ms"
	print "more through Alpine, for any delay. (With lwIP the server is another program, which does"
	print "less. The cost of a separate stack without a link is above, under \"A user's own TCP/IP\".)\n"
	link_table("echo", "Delay, ms", 1000, "%.2f", 1000000, "%.3f ms")

	if (has("uml", "switch", "program", 1)) {
		print "### Alpine\047s Figure 6: from one stack to another\n"
		print "A program fetches 60 kB on one stack, then on another one, which is TCP Daytona. For this,"
		print "two kernels start; the server has one too. In real time, the median of five.\n"
		switch_table()
	}
	if (has("uml", "block", "cwnd", 0)) {
		print "### Alpine\047s Figure 7: one stack in a debugger\n"
		print "![throughput](alpine7.png)\n"
		print "Each program sends 8 Mbit/s. One is stopped for five seconds, plus the time of gdb (`lab"
		print "here --gdb`), and then sends its backlog at once. The paper has a picture of a stopped"
		print "telnet, and says that mail and browser \"are unaffected\". In real time.\n"
		debugger_table()
	}
	print "### Alpine\047s Figure 8: the control block of a program as it is\n"
	print "![control block](alpine8.png)\n"
	print "curl uploads a file over 10 Mbit/s and 40 ms, behind a queue of 60 kB, while `vifctl watch`"
	print "polls its state. The paper shows the control block of wget in a window, \"about an hour of"
	print "programming\"; it works for programs on Alpine's own stack. This works for programs on the"
	print "kernel's stack.\n"
	watched()
	if (has("uml", "taken", "daytona", 0)) {
		print "### TCP Daytona, and a limit\n"
		print "The paper's example of a stack under test: a receiver that takes more than its share (Savage"
		print "et al.). Here it is examples/tcp-daytona.patch, of ten lines. As its source says, Linux"
		print "counts acknowledged bytes, not acknowledgements, so dividing or repeating acknowledgements"
		print "gains nothing. But it trusts returned timestamps, and undoes its congestion control if they"
		print "show that a packet was late, not lost. Two programs fetch from one ordinary server through"
		print "the same 10 Mbit/s (a queue of 48 ms, a delay of 20 ms), one of them on the ordinary stack,"
		print "for 20 s of real time. In a VIF the patched receiver gets only its limit, and the other one"
		print "its share again.\n"
		daytona_table()
	}
}

END {
	print "<!-- SPDX-License-Identifier: GPL-2.0. Written by make figures: do not edit. -->\n"
	print "# The paper's figures, measured again\n"
	print "Figures 8, 9 and 10 and Table I of \"Virtual network interface\" (Okumura, Mosse), by `make"
	print "figures`. The paper's machine was a Celeron of 733 MHz with FreeBSD and an Ethernet of 100"
	print "Mbit/s. Here a virtual machine (QEMU) runs Debian's kernels in virtual time: each"
	print "instruction takes a nanosecond. So figures repeat, on any machine, and do not depend on its"
	print "processor. They are *not* times of a real processor, which executes one to four instructions"
	print "in a nanosecond, and waits for memory. Figures of other papers follow. Figures of the kernel"
	print "`uml` are in real time.\n"
	runs("operations delay throughput stacks relay link daytona switch debugger")

	print "## Figure 8: output of the VIFs\n"
	print "![output of the VIFs](figure8.png)\n"
	print "VIFs 1 and 2 share VIF 3 by 66 to 33; VIF 3 has 256 kB/s, VIF 4 512, VIF 5 128. The test"
	print "`figure8` checks this: in each second each VIF is within 1 % of an ideal fluid scheduler, or"
	print "one packet, if that is more. (The paper: \"some slight variability\", in a picture without"
	print "numbers.)\n"

	print "## Figure 9: delay of VIFs in series\n"
	print "![delay](figure9.png)\n"
	print "The shortest of 300 round trips of a request of 64 bytes and its answer, over a veth. Both"
	print "pass all VIFs. The paper has a picture of pings between two machines over a real Ethernet,"
	print "without numbers: \"not much difference in delays when we increase the number of VIFs\", \"a few"
	print "microseconds\". WC: no VIF has a bandwidth. NWC: each has a bandwidth of 100 Gbit/s, which is"
	print "never reached.\n"
	series("Round trip, microseconds (thousands of instructions)", "delay", "us")

	print "## Figure 10: throughput of VIFs in series\n"
	print "![throughput](figure10.png)\n"
	print "The paper, over `lo0`, by FTP: about 225 Mbit/s with an unmodified kernel, 200 to 210 (89 to"
	print "93 %) through 0 to 8 VIFs. First the same here, TCP, with a send buffer of 256 kB, the best"
	print "of five. It repeats to some 1 % only, because it depends on the order of wakeups. Offloads"
	print "help: a packet of netnice is up to 64 kB. On `lo`, sender and receiver (both attached) and"
	print "both directions use the same CPU.\n"
	series("TCP over lo, Mbit/s, and of that without", "lo", "rate")
	series("TCP over veth, Mbit/s, and of that without", "veth", "rate")
	print "Then the same with datagrams of 1,472 bytes, each a separate packet. No program reads them,"
	print "so the figures contain only a system call, a packet's path, and the VIFs. They repeat to 0.1"
	print "%.\n"
	series("UDP over lo, Mbit/s, and of that without", "lo-packet", "packet")
	series("UDP over veth, Mbit/s, and of that without", "veth-packet", "packet")
	print "On `lo` a datagram costs both ends on one CPU, and no device. Of some 6,220 instructions on"
	print "6.1, netnice adds 860, measured by the function graph tracer without its own cost: 200 for"
	print "sending and 660 for receiving. 470 of these are the kernel's own search for the socket,"
	print "which the kernel repeats a few steps later. Passing on the result (`skb->sk`) would save"
	print "this, but firewall rules before it would see the socket too early.\n"

	print "## Table I: operations\n"
	print "Maximum, mean, minimum and deviation. The paper's are of 100 trials, in microseconds (its"
	print "minimum also in thousands of cycles of its 733 MHz). Ours are of 1,000 trials, in thousands"
	print "of instructions: max / mean / **min** / deviation. read and write include opening and"
	print "closing the file, as in the paper. The last column of a kernel is the minimum of the same"
	print "operation on a control group (mkdir, rmdir, cgroup.procs, cpu.weight) in the same run.\n"
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
	print "The measurements of netperf in \"A split TCP/IP stack implementation for GNU/Linux\" (Unzner),"
	print "whose user-level stacks reach about half of the kernel's stream rate and two thirds of its"
	print "transactions. Here the programs run directly; attached to a VIF; with their own stack at the"
	print "host's address (`netnice --kernel`), as an ordinary user; and as the same user behind pasta,"
	print "a proxy. Both ends use one CPU, which executes a thousand million instructions per second:"
	print "the peer takes about half of the first column. The best of three.\n"
	stacks_table()

	print "## Relay: forwarding datagrams\n"
	print "\"User-level sandboxing\" (end-host architecture for cluster communication services) has a"
	print "relay socket, by which extensions forward at packet time. Its jitter is \"near constant\" with"
	print "background threads, while a process's jitter grows (axes are not in the text). UDP"
	print "forwarding is 130 % faster than in a process, and a packet costs 6,360 cycles in the"
	print "sandbox, 4,800 in the kernel.\n"
	print "Here three network namespaces in a row are joined by veths, on one CPU. A sender with"
	print "SCHED_FIFO sends 600 datagrams of 1,000 bytes, one every 5 ms. The kernel timestamps"
	print "arrivals; the first 20 are left out. Between them is a process that receives and sends, the"
	print "same process with SCHED_FIFO, or a relay (interface.rst), while the given number of other"
	print "processes want the CPU.\n"
	jitter_table()
	print "The next table has the cost between the ends: instructions of a datagram from end to end,"
	print "minus instructions over a direct line without anything in between. Datagrams are sent one at"
	print "a time, or 50 by one system call. The process has SCHED_FIFO, and gets the CPU as soon as a"
	print "datagram arrives. Forwarding looks up a route. A relay first looks up a socket, and passes"
	print "the checks for received and sent packets of this host (firewall, filters, control groups),"
	print "not the checks for forwarded packets.\n"
	between_table()

	if (("echoed", "none", 1000000) in any)
		alpine()
}
