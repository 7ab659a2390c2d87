// SPDX-License-Identifier: GPL-2.0
/*
 * awaits - reads a file again and again, each time poll(2) says that it has changed
 *
 *	awaits FILE
 *
 * Prints each time what it has read, with commas between the lines, and begins with what
 * is there. Ends when the file can not be read any more, and says why.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

/* Return: whether it could be read. */
static bool print(int fd)
{
	char text[4096];
	ssize_t n = pread(fd, text, sizeof(text), 0);

	if (n < 0)
		return false;
	for (ssize_t i = 0; i < n; i++)
		putchar(text[i] != '\n' ? text[i] : i == n - 1 ? ' ' : ',');
	puts(".");
	return true;
}

int main(int argc, char **argv)
{
	struct pollfd file = { .events = POLLPRI };

	setvbuf(stdout, NULL, _IOLBF, 0);
	file.fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	if (file.fd < 0)
		die("usage: awaits FILE");
	while (print(file.fd))
		if (poll(&file, 1, -1) != 1 || !(file.revents & POLLPRI))
			die("poll");
	puts(strerror(errno));
	return 0;
}
