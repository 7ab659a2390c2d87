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
	char *before;		/* its VIF before, or NULL: it was not attached */
	unsigned long long since_ns;	/* CLOCK_MONOTONIC: children from then on inherit */
	unsigned long long start;	/* of the process, as process_start() has it; 0: it had ended */
	bool inherited;
	bool found;		/* by memory_mark() */
};

/*
 * Return the first record of a process; the next record of the same process; the record for a
 * device.
 */
struct memory *memory_first(pid_t pid);
struct memory *memory_next(const struct memory *memory);
struct memory *memory_find(pid_t pid, const char *device);

/*
 * Add a record. If the daemon has attached the process before, the VIF from before that is kept.
 * The record of an earlier process with the same ID is dropped.
 */
void memory_add(pid_t pid, unsigned long long start, const char *device, const char *before,
		bool inherited);
void memory_drop(struct memory *memory);
void memory_drop_all_of(pid_t pid);

/*
 * memory_mark() marks the records of a process that exists, and drops records of an earlier process
 * with the same ID. memory_sweep() drops records that are not marked.
 */
void memory_mark(pid_t pid, unsigned long long start);
void memory_sweep(void);

#endif
