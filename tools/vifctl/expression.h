/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expressions of tcpdump(1), as instructions of classic BPF. The library that knows them
 * (libpcap) is looked for when there is one to translate: nothing else needs it.
 */
#ifndef VIFCTL_EXPRESSION_H
#define VIFCTL_EXPRESSION_H

#include <linux/filter.h>
#include <stddef.h>

/* Instructions; to be freed. */
struct insns {
	struct sock_filter *insn;
	size_t count;
};

/**
 * expression_compile - translate one
 * @text: of packets that begin with their IP header. Besides what pcap-filter(7) has, words
 *	"dscp VALUE", "ip dscp VALUE" and "ip6 dscp VALUE" may stand in it: a number up to 63, or
 *	ef, af11 to af43, cs0 to cs7
 * @insns: result: they return 0 where it is not true
 *
 * Return: 0, or -1 after a message, which says that it is about @text.
 */
int expression_compile(const char *text, struct insns *insns);

#endif
