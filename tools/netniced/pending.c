// SPDX-License-Identifier: GPL-2.0
#include "pending.h"

#include <stddef.h>
#include <string.h>

/* Few enough to be searched for each event. */
#define MOST	64

static pid_t pids[MOST];
static size_t count;

static size_t find(pid_t pid)
{
	size_t i;

	for (i = 0; i < count && pids[i] != pid; i++)
		;
	return i;
}

bool pending_add(pid_t pid)
{
	size_t at = find(pid);

	if (at == MOST)
		return false;
	if (at == count)
		pids[count++] = pid;
	return true;
}

bool pending_drop(pid_t pid)
{
	size_t at = find(pid);

	if (at == count)
		return false;
	count--;
	memmove(pids + at, pids + at + 1, (count - at) * sizeof(*pids));
	return true;
}

pid_t pending_take(void)
{
	pid_t pid = count ? pids[0] : 0;

	pending_drop(pid);
	return pid;
}
