// SPDX-License-Identifier: GPL-2.0
#include "arrivals.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "complain.h"
#include "group.h"
#include "netlink.h"

#define BLIND_NS	SECOND_NS	/* between two looks without being told */
#define PAUSE_NS	(SECOND_NS / 10)	/* at least, between two */
#define MOST		64	/* messages of one kind that are read for one look */

int arrivals_open(struct arrivals *arrivals, double seconds)
{
	*arrivals = (struct arrivals) {
		.end_ns = seconds < 0 ? 0 : clock_ns(CLOCK_MONOTONIC) + seconds * SECOND_NS,
	};
	arrivals->groups = -1;
	arrivals->devices = netlink_open(NETLINK_ROUTE, RTMGRP_LINK, SOCK_NONBLOCK);
	if (arrivals->devices)
		return 0;
	complain_errno("cannot wait for devices and control groups");
	return -1;
}

void arrivals_close(struct arrivals *arrivals)
{
	mnl_socket_close(arrivals->devices);
	if (arrivals->groups >= 0)
		close(arrivals->groups);
}

/* Return: groups created there are reported, or the group is reported when it is created itself. */
static bool watch(const struct arrivals *arrivals, const char *path)
{
	return inotify_add_watch(arrivals->groups, path,
				 IN_CREATE | IN_ONLYDIR | IN_DONT_FOLLOW) >= 0 ||
	       errno == ENOENT;
}

/*
 * The end of a control group causes no event, and a watch on it stays: so all watches are made
 * again each time. arrivals_watch_group() finds out if a group cannot exist.
 */
void arrivals_watch_none(struct arrivals *arrivals)
{
	if (arrivals->groups >= 0)
		close(arrivals->groups);
	arrivals->groups = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	arrivals->is_blind = false;
}

/* Watch all groups above it, from the top on, so that a group created in between is reported. */
void arrivals_watch_group(struct arrivals *arrivals, const char *name)
{
	char *path, *end;

	if (!group_is_mounted() || asprintf(&path, GROUP_TOP "/%s", name) < 0) {
		arrivals->is_blind = true;
		return;
	}
	end = path + strlen(GROUP_TOP);
	do {
		*end = '\0';
		if (!watch(arrivals, path))
			arrivals->is_blind = true;
		*end++ = '/';
		end = strchr(end, '/');
	} while (end);
	free(path);
}

/*
 * The contents of events do not matter, nor do lost events, because all groups are checked. Users may
 * cause events faster than these are read: the rest causes another check.
 */
static void drain(const struct arrivals *arrivals)
{
	const int devices = mnl_socket_get_fd(arrivals->devices);
	char buf[16 * 1024];

	for (int n = 0; n < MOST && read(arrivals->groups, buf, sizeof(buf)) > 0; n++)
		;
	for (int n = 0; n < MOST; n++)
		if (recv(devices, buf, sizeof(buf), MSG_TRUNC) < 0 && errno != ENOBUFS)
			break;
}

/* As poll(2) wants it. */
static int wait_ms(const struct arrivals *arrivals, unsigned long long now)
{
	unsigned long long ns = -1ULL;

	if (arrivals->end_ns)
		ns = arrivals->end_ns > now ? arrivals->end_ns - now : 0;
	if (arrivals->is_blind && ns > BLIND_NS)
		ns = BLIND_NS;
	if (ns == -1ULL)
		return -1;
	/* not too early: that would be to wait in a loop */
	ns = ns / 1000000 + 1;
	return ns < 1000000000 ? ns : 1000000000;
}

/* Users may make control groups as fast as they like. */
static void pause_between(const struct arrivals *arrivals)
{
	const unsigned long long end = arrivals->told_ns + PAUSE_NS;
	const unsigned long long now = clock_ns(CLOCK_MONOTONIC);

	if (arrivals->told_ns && now < end)
		poll(NULL, 0, (end - now) / 1000000 + 1);
}

int arrivals_wait(struct arrivals *arrivals)
{
	struct pollfd fds[] = {
		{ .fd = mnl_socket_get_fd(arrivals->devices), .events = POLLIN },
		{ .fd = arrivals->groups, .events = POLLIN },
	};
	unsigned long long now;

	pause_between(arrivals);
	now = clock_ns(CLOCK_MONOTONIC);
	if (arrivals->end_ns && arrivals->end_ns <= now)
		return 0;
	if (poll(fds, 2, wait_ms(arrivals, now)) < 0 && errno != EINTR) {
		complain_errno("cannot wait for devices and control groups");
		return -1;
	}
	drain(arrivals);
	arrivals->told_ns = clock_ns(CLOCK_MONOTONIC);
	return 1;
}
