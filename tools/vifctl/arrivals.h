/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for network devices and control groups to come. */
#ifndef VIFCTL_ARRIVALS_H
#define VIFCTL_ARRIVALS_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

/**
 * struct arrivals - who is told when any comes
 * @devices: rtnetlink
 * @groups: inotify, of directories in which groups are made; -1: none
 * @is_blind: some cannot be watched: they are to be looked for from time to time
 * @end_ns: when to give up, by CLOCK_MONOTONIC; 0: never
 * @told_ns: when something was told of last, by the same; 0: never
 */
struct arrivals {
	struct mnl_socket *devices;
	int groups;
	bool is_blind;
	unsigned long long end_ns;
	unsigned long long told_ns;
};

/* @seconds: how long to wait for any; negative: for ever. Return: 0, or -1 after a message. */
int arrivals_open(struct arrivals *arrivals, double seconds);
void arrivals_close(struct arrivals *arrivals);

/*
 * A control group is waited for from now on, there or not; to be called again when any has
 * come, as those above it may have, for all of them: arrivals_watch_none() begins that.
 */
void arrivals_watch_none(struct arrivals *arrivals);
void arrivals_watch_group(struct arrivals *arrivals, const char *name);

/* Return: 1, to look again: something may have come; 0, it took too long; -1 after a message. */
int arrivals_wait(struct arrivals *arrivals);

#endif
