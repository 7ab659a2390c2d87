// SPDX-License-Identifier: GPL-2.0
/*
 * When units are reloaded, systemd removes the generators' folder, creates it again, and runs the
 * generators. It does not answer before it has loaded the units: a request waits for that.
 *
 * Devices and default routes may appear late, for example by DHCP or a VPN. The kernel notifies us.
 */
#include "watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apply.h"
#include "complain.h"
#include "netlink.h"
#include "notify.h"

#define FOLDER		"/run/systemd"
#define GENERATED	"generator"

/* Changes of the network within this time (milliseconds) are handled together. */
#define SETTLE_MS	100

/* Messages that are read in a row: containers set their devices up and down as fast as they like. */
#define MOST		64

/* systemd does not answer while it executes itself again. */
#define AGAIN_MS	1000

static int open_folder(void)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd < 0 || inotify_add_watch(fd, FOLDER, IN_CREATE | IN_ONLYDIR) < 0) {
		complain_errno(FOLDER);
		return -1;
	}
	return fd;
}

static int open_network(void)
{
	struct sockaddr_nl us = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	if (fd < 0 || bind(fd, (struct sockaddr *)&us, sizeof(us))) {
		complain_errno("netlink");
		return -1;
	}
	return fd;
}

static bool has_reloaded(int fd)
{
	char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	const struct inotify_event *event;
	bool has = false;
	ssize_t bytes;

	for (int n = 0; n < MOST && (bytes = read(fd, buffer, sizeof(buffer))) > 0; n++)
		for (char *at = buffer; at < buffer + bytes; at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)at;
			has |= (event->mask & IN_Q_OVERFLOW) ||
			       (event->len && !strcmp(event->name, GENERATED));
		}
	return has;
}

/* A device that is new, or has another name; a default route. Changes of flags are no matter. */
static bool is_of_interest(const struct nlmsghdr *message)
{
	const struct rtmsg *route = NLMSG_DATA(message);

	if (message->nlmsg_type == RTM_NEWLINK)
		return true;
	return (message->nlmsg_type == RTM_NEWROUTE || message->nlmsg_type == RTM_DELROUTE) &&
	       message->nlmsg_len >= NLMSG_LENGTH(sizeof(*route)) && !route->rtm_dst_len;
}

static bool has_network_changed(int fd)
{
	char buffer[16384] __attribute__((aligned(__alignof__(struct nlmsghdr))));
	bool has = false;
	ssize_t bytes;

	for (int n = 0; n < MOST; n++) {
		struct nlmsghdr *message = (struct nlmsghdr *)buffer;

		bytes = netlink_receive(fd, buffer, sizeof(buffer));
		if (bytes < 0 && errno != ENOBUFS)
			break;
		has |= bytes < 0;
		for (; bytes > 0 && NLMSG_OK(message, bytes); message = NLMSG_NEXT(message, bytes))
			has |= is_of_interest(message);
	}
	return has;
}

void watch(void)
{
	struct pollfd poller[2] = {
		{ .fd = open_folder(), .events = POLLIN },
		{ .fd = open_network(), .events = POLLIN },
	};
	bool reloaded, changed = false, failed;

	if (poller[0].fd < 0 || poller[1].fd < 0)
		return;
	failed = apply_all(true);
	notify_ready();
	while (poll(poller, 2, failed ? AGAIN_MS : -1) >= 0 || errno == EINTR) {
		usleep(SETTLE_MS * 1000);
		reloaded = has_reloaded(poller[0].fd) || failed;
		if (has_network_changed(poller[1].fd))
			changed = apply_is_due();
		if (reloaded || changed)
			failed = apply_all(reloaded);
		changed = false;
	}
	complain_errno("poll");
}
