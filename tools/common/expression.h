/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expressions of tcpdump(1), as instructions of classic BPF. libpcap translates them. It is loaded
 * when the first expression is translated, so the tools work without it.
 */
#ifndef NETNICE_EXPRESSION_H
#define NETNICE_EXPRESSION_H

#include <linux/filter.h>
#include <stddef.h>

#include "text.h"

/* A program; the caller frees @insn. */
struct insns {
	struct sock_filter *insn;
	size_t count;
};

#define NAMES_MAX	64
#define NAME_MAX_BYTES	253

/* A load of the byte at this offset plus the index of a name returns 0 if the packet matches the name. */
#define NAME_OFFSET	0x7fff0000U

/* Size of an error message, in bytes. */
#define EXPRESSION_WHY	512

/**
 * expression_compile - translate an expression
 * @text: an expression of pcap-filter(7), for packets that begin with their IP header. It may also
 *	contain "dscp VALUE", "ip dscp VALUE" and "ip6 dscp VALUE", with the values of the file
 *	dscp, and "name NAME"
 * @insns: set to the program, which returns 0 if the expression does not match
 * @names: names of hosts ("www.example.org", "*.example.org"), in lower case and without
 *	duplicates, to which the names in @text are added; NULL: @text may have no names
 * @why: set to an error message
 *
 * Return: 0, or -1 and @why.
 */
int expression_compile(const char *text, struct insns *insns, struct words *names,
		       char why[EXPRESSION_WHY]);

/**
 * insns_print - print a program in the form that files below /proc/network accept
 * @dir: the direction before it, for example "egress"; or NULL
 * @insns: the program
 * @shown: the comment behind it: its source
 *
 * Return: a line, to be freed; or NULL without memory.
 */
char *insns_print(const char *dir, const struct insns *insns, const char *shown);

#endif
