// SPDX-License-Identifier: GPL-2.0
#include "lock.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/file.h>
#include <unistd.h>

#define FILE_NAME	"/run/netnice-units.lock"
#define WAIT_S		10

static void interrupt(int number)
{
	(void)number;
}

int lock_take(void)
{
	const struct sigaction action = { .sa_handler = interrupt };
	struct sigaction before;
	int fd = open(FILE_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	sigaction(SIGALRM, &action, &before);
	alarm(WAIT_S);
	flock(fd, LOCK_EX);
	alarm(0);
	sigaction(SIGALRM, &before, NULL);
	return fd;
}

void lock_release(int lock)
{
	if (lock >= 0)
		close(lock);
}
