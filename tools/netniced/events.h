/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of processes, from the kernel's process connector (cn_proc). It exists only in the
 * machine's first network and PID namespaces.
 */
#ifndef NETNICED_EVENTS_H
#define NETNICED_EVENTS_H

#include <sys/types.h>

enum event_kind {
	EVENT_FORK,		/* of a process, not of a thread */
	EVENT_CHANGE,		/* exec, another user or group */
	EVENT_EXIT,		/* of a process: its last thread */
	EVENT_LOST,		/* events were lost, because the queue was full */
};

struct event {
	enum event_kind kind;
	pid_t pid;
	pid_t parent;		/* of EVENT_FORK */
	unsigned long long time_ns;	/* CLOCK_MONOTONIC */
};

/* Return: a descriptor to be polled, or -1 after a message. */
int events_open(void);

/* Read all present events. Return: 0, or -1 after a message: there will be no more events. */
typedef void (*events_told)(const struct event *event);
int events_read(events_told f);

#endif
