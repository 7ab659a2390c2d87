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
		print "| busy processes | process: jitter | maximum | transit | SCHED_FIFO: jitter | maximum | transit | relay: jitter | maximum | transit |"
		rule(9)
		for (load = 0; load <= 32; load++)
			if (has(k, "jitter-mean", "relay", load)) {
				line = "| " load " |"
				line = line jitter_cells(k, "process", load) jitter_cells(k, "fifo", load)
				print line jitter_cells(k, "relay", load)
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

END {
	print "<!-- SPDX-License-Identifier: GPL-2.0. Written by make figures: do not edit. -->\n"
	print "# The paper's figures, measured again\n"
	print "Figures 8, 9 and 10 and Table I of \"Virtual network interface\" (Okumura, Mosse), by"
	print "`make figures`. The paper's machine was a Celeron of 733 MHz with FreeBSD and an"
	print "Ethernet of 100 Mbit/s. Here a virtual machine (QEMU) runs Debian's kernels in virtual"
	print "time: each instruction takes a nanosecond, whatever it does, so figures repeat, on"
	print "any machine, and do not depend on its processor. They are *not* times of a real"
	print "processor, which does one to four instructions in a nanosecond, and waits for memory.\n"
	runs("operations delay throughput relay")

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
}
