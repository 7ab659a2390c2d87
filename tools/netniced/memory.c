// SPDX-License-Identifier: GPL-2.0
/* Records by process and device, in a table of lists. */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define LISTS	4096

static struct memory *lists[LISTS];

static struct memory *from(struct memory *memory, pid_t pid)
{
	while (memory && memory->pid != pid)
		memory = memory->next;
	return memory;
}

struct memory *memory_first(pid_t pid)
{
	return from(lists[pid % LISTS], pid);
}

struct memory *memory_next(const struct memory *memory)
{
	return from(memory->next, memory->pid);
}

struct memory *memory_find(pid_t pid, const char *device)
{
	struct memory *memory = memory_first(pid);

	while (memory && strcmp(memory->device, device))
		memory = memory_next(memory);
	return memory;
}

static struct memory *create(pid_t pid, unsigned long long start, const char *device)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		abort();
	memory->pid = pid;
	memory->start = start;
	memory->inherited = true;
	snprintf(memory->device, sizeof(memory->device), "%s", device);
	memory->next = lists[pid % LISTS];
	lists[pid % LISTS] = memory;
	return memory;
}

/* Events may be lost, also the event that a process has ended. */
void memory_add(pid_t pid, unsigned long long start, const char *device, const char *before,
		bool inherited)
{
	struct memory *memory = memory_find(pid, device);

	if (memory && memory->start != start) {
		memory_drop(memory);
		memory = NULL;
	}
	if (!memory)
		memory = create(pid, start, device);
	memory->since_ns = clock_ns(CLOCK_MONOTONIC);
	if (!memory->inherited)
		return;
	memory->inherited = inherited;
	free(memory->before);
	memory->before = before ? strdup(before) : NULL;
}

void memory_drop(struct memory *memory)
{
	struct memory **at = &lists[memory->pid % LISTS];

	while (*at != memory)
		at = &(*at)->next;
	*at = memory->next;
	free(memory->before);
	free(memory);
}

void memory_drop_all_of(pid_t pid)
{
	struct memory *memory;

	while ((memory = memory_first(pid)))
		memory_drop(memory);
}

void memory_mark(pid_t pid, unsigned long long start)
{
	for (struct memory *m = memory_first(pid); m; m = memory_next(m))
		m->found = m->start == start;
}

void memory_sweep(void)
{
	for (size_t i = 0; i < LISTS; i++)
		for (struct memory *m = lists[i], *next; m; m = next) {
			next = m->next;
			if (m->found)
				m->found = false;
			else
				memory_drop(m);
		}
}
