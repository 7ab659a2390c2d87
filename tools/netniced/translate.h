/* SPDX-License-Identifier: GPL-2.0 */
/* Translate programs of classic BPF, with tests of names, to eBPF. */
#ifndef NETNICED_TRANSLATE_H
#define NETNICED_TRANSLATE_H

#include <linux/bpf.h>
#include <stdint.h>

#include "expression.h"

/* The least time for which an address is valid, after an answer or a packet from or to it. */
#define NAME_LEAST_NS	300000000000ULL

/* Return the key of a name in tables, which is independent of lists. */
uint64_t name_hash(const char *name);

/**
 * translate - translate a program
 * @insns: from clauses_join(): instructions that libpcap makes, and loads at NAME_OFFSET
 * @names: the names that these loads mean
 * @source: the packet's source is compared with the names, otherwise its destination
 * @table: descriptor of the table of names
 * @count: number of instructions in the result
 *
 * Return: the program, to be freed, or NULL and errno: EOPNOTSUPP an instruction that libpcap does
 *	not make, E2BIG, ENOMEM.
 */
struct bpf_insn *translate(const struct insns *insns, const struct words *names, int source,
			   int table, size_t *count);

#endif
