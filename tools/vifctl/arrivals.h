/* SPDX-License-Identifier: GPL-2.0 */
/* Wait until network devices and control groups appear. */
#ifndef VIFCTL_ARRIVALS_H
#define VIFCTL_ARRIVALS_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

/**
 * struct arrivals - sources of notifications
 * @devices: rtnetlink socket
 * @groups: inotify descriptor for directories in which groups appear; -1: none
 * @is_blind: some directories cannot be watched, so the caller polls
 * @end_ns: time of CLOCK_MONOTONIC at which to give up; 0: never
 * @told_ns: time of CLOCK_MONOTONIC of the last notification; 0: none yet
 */
struct arrivals {
	struct mnl_socket *devices;
	int groups;
	bool is_blind;
	unsigned long long end_ns;
	unsigned long long told_ns;
};

/* @seconds: time to wait in all; negative: without end. Return: 0, or -1 after a message. */
int arrivals_open(struct arrivals *arrivals, double seconds);
void arrivals_close(struct arrivals *arrivals);

/*
 * Wait for a control group, too, even if it exists. After each notification, when groups above it may have
 * appeared, call arrivals_watch_none(), and then this again for all groups.
 */
void arrivals_watch_none(struct arrivals *arrivals);
void arrivals_watch_group(struct arrivals *arrivals, const char *name);

/* Return: 1: something may have appeared, so check again; 0: the time is over; -1 after a message. */
int arrivals_wait(struct arrivals *arrivals);

#endif
