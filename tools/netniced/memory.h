/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes that the daemon has attached, and their VIFs before that. A process goes back to
 * its earlier VIF when no rule matches it any more. Children are stored too, and keep what they
 * have inherited. A process in this table cannot leave its VIF without privileges. The table is not
 * saved: after a restart, all existing attachments count as inherited.
 */
#ifndef NETNICED_MEMORY_H
#define NETNICED_MEMORY_H

#include <net/if.h>
#include <stdbool.h>
#include <sys/types.h>

struct memory {
	struct memory *next;
	pid_t pid;
	char device[IF_NAMESIZE];
	char *before;		/* a VIF, or NULL: it was not attached */
	unsigned long long since_ns;	/* CLOCK_MONOTONIC: children from then on inherit */
	unsigned long long start;	/* of the process, as process_start() has it; 0: it had ended */
	bool inherited;
	bool found;		/* by memory_mark() */
};

/* The first record of a process, or of a process that @memory is one of. */
struct memory *memory_first(pid_t pid);
struct memory *memory_next(const struct memory *memory);
struct memory *memory_find(pid_t pid, const char *device);

/*
 * Notes it. Where the daemon has attached it before, what was before that counts. The record of an
 * earlier process of the same number is dropped.
 */
void memory_add(pid_t pid, unsigned long long start, const char *device, const char *before,
		bool inherited);
void memory_drop(struct memory *memory);
void memory_drop_all_of(pid_t pid);

/*
 * Marks the records of a process that is there; records that are not marked are dropped by the second
 * one, and so are records of an earlier process of the same number.
 */
void memory_mark(pid_t pid, unsigned long long start);
void memory_sweep(void);

#endif
