/* SPDX-License-Identifier: GPL-2.0 */
/* Translate programs of classic BPF, with tests of names, to eBPF. */
#ifndef NETNICED_TRANSLATE_H
#define NETNICED_TRANSLATE_H

#include <linux/bpf.h>
#include <stdint.h>

#include "expression.h"

/* How long an address counts at least: after an answer, and after a packet from or to it. */
#define NAME_LEAST_NS	300000000000ULL

/* How names are told apart in tables, whatever their number in a list */
uint64_t name_hash(const char *name);

/**
 * translate - make one
 * @insns: from clauses_join(): instructions that libpcap makes, and those at NAME_OFFSET
 * @names: what these stand for
 * @source: whether the packet's source is who has the name, or else its destination
 * @table: descriptor of the table of names
 * @count: how many instructions there are in the result
 *
 * Return: to be freed; or NULL and errno: EOPNOTSUPP an instruction that libpcap does not make,
 *	E2BIG, ENOMEM.
 */
struct bpf_insn *translate(const struct insns *insns, const struct words *names, int source,
			   int table, size_t *count);

#endif
