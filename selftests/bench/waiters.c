// SPDX-License-Identifier: GPL-2.0
/*
 * waiters - has a datagram of each of many sockets wait, all the time
 *
 * usage: waiters COUNT HOST PORT BYTES [FOLDER]
 *
 * COUNT sockets send a datagram each, and the next one when that has left this host's
 * devices. The priority of number I, from 1 on, is 1:I, which is its class of tc's; with
 * FOLDER it is attached to the VIF FOLDER/I. Says "ready" when all have begun.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

#define CLASS_MAJOR	(1 << 16)
#define EVENTS		64

static char payload[1472];

static void attach(int fd, const char *folder, unsigned int i)
{
	char *vif, *link;

	if (asprintf(&vif, "%s/%u", folder, i) < 0 ||
	    asprintf(&link, "/proc/network/tasks/%d/sockets/%d/vif", getpid(), fd) < 0 ||
	    symlink(vif, link))
		die("attach");
	free(vif);
	free(link);
}

static int open_one(char **arg, unsigned int i)
{
	int fd = open_client(true, arg[0], arg[1]), class = CLASS_MAJOR | i;

	if (setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &class, sizeof(class)))
		die("SO_PRIORITY");
	if (arg[3])
		attach(fd, arg[3], i);
	return fd;
}

/* That what has been sent has left is told once, each time, as is now that nothing waits. */
static void watch(int poll, int fd)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET, .data.fd = fd };

	if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event))
		die("epoll_ctl");
}

static void send_next(int poll, size_t bytes)
{
	struct epoll_event event[EVENTS];
	int n = epoll_wait(poll, event, EVENTS, -1);

	for (int i = 0; i < n; i++)
		if (send(event[i].data.fd, payload, bytes, MSG_DONTWAIT) < 0)
			die("send");
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 4 ? atoi(argv[1]) : 0;
	struct rlimit files = { count + 64, count + 64 };
	size_t bytes = argc > 4 ? atoi(argv[4]) : 0;
	int poll = epoll_create1(0);

	if (!count || argc > 6 || !bytes || bytes > sizeof(payload)) {
		fputs("usage: waiters COUNT HOST PORT BYTES [FOLDER]\n", stderr);
		return 2;
	}
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
	for (unsigned int i = 1; i <= count; i++)
		watch(poll, open_one(argv + 2, i));
	puts("ready");
	fflush(stdout);
	stop_on_signals(0);
	while (!stopped)
		send_next(poll, bytes);
	return 0;
}
