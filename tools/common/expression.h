/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expressions of tcpdump(1), as instructions of classic BPF. The library that knows them
 * (libpcap) is looked for when there is one to translate: nothing else needs it.
 */
#ifndef NETNICE_EXPRESSION_H
#define NETNICE_EXPRESSION_H

#include <linux/filter.h>
#include <stddef.h>

#include "text.h"

/* Instructions; to be freed. */
struct insns {
	struct sock_filter *insn;
	size_t count;
};

#define NAMES_MAX	64
#define NAME_MAX_BYTES	253

/* An instruction that loads the byte that far in: 0 if the packet is that name's; from here on. */
#define NAME_OFFSET	0x7fff0000U

/* Bytes of a sentence that says what is wrong */
#define EXPRESSION_WHY	512

/**
 * expression_compile - translate one
 * @text: of packets that begin with their IP header. Besides what pcap-filter(7) has, words
 *	"dscp VALUE", "ip dscp VALUE" and "ip6 dscp VALUE" may stand in it: as the file dscp
 *	takes them; and "name NAME"
 * @insns: result: they return 0 where it is not true
 * @names: of hosts ("www.example.org", "*.example.org"), in small letters, each once: those of
 *	@text are added; NULL: it may have none
 * @why: what is wrong
 *
 * Return: 0, or -1 and @why.
 */
int expression_compile(const char *text, struct insns *insns, struct words *names,
		       char why[EXPRESSION_WHY]);

/**
 * insns_print - as files below /proc/network take a program
 * @dir: the word before it, "egress"; or NULL
 * @insns: what it is
 * @shown: the comment behind it: what it is made of
 *
 * Return: a line, to be freed; or NULL without memory.
 */
char *insns_print(const char *dir, const struct insns *insns, const char *shown);

#endif
