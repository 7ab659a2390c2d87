/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of bpf(2) that the daemon needs: a table of addresses of names, a program, and pinning
 * of both. These are six commands; a library for them would be the daemon's largest dependency.
 */
#ifndef NETNICED_BPF_H
#define NETNICED_BPF_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#define BPF_FOLDER	"/sys/fs/bpf"

/* An address of a name; IPv4 as ::ffff:a.b.c.d. */
struct bpf_name {
	uint64_t name;
	uint8_t address[16];
};

/* Each of these returns a descriptor or 0, or -1 and errno. */

/* A table of struct bpf_name, with the time (CLOCK_BOOTTIME, ns) until which each is valid. */
int bpf_table(unsigned int entries);
int bpf_table_find(int table, const struct bpf_name *name, uint64_t *until);
int bpf_table_put(int table, const struct bpf_name *name, uint64_t until);

int bpf_load(const struct bpf_insn *insn, size_t count);

int bpf_pin(int fd, const char *path);
int bpf_pinned(const char *path);

#endif
