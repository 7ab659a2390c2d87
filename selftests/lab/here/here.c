// SPDX-License-Identifier: GPL-2.0
/*
 * usage: here FOLDER KERNEL [ARGUMENT]... -- [KEY=VALUE]... -- COMMAND [ARGUMENT]...
 *
 * FOLDER has a copy of this program, `init`, that the kernel is told to begin with.
 *
 * usage: here linked PROGRAM [ARGUMENT]...
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "here.h"

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("lab here: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

void die(const char *what)
{
	say("%s: %s", what, strerror(errno));
	exit(NOT_STARTED);
}

/* part: what follows; what comes before the next `--` ends there */
static char **part(char **argv)
{
	while (*argv && strcmp(*argv, "--"))
		argv++;
	if (!*argv)
		return NULL;
	*argv = NULL;
	return argv + 1;
}

/* linked: the program, with the two ends of a link as descriptors 8 and 9 */
static int linked(char **argv)
{
	int end[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end))
		die("socketpair");
	/* which may be 8 or 9 already */
	for (int i = 0; i < 2; i++)
		end[i] = fcntl(end[i], F_DUPFD_CLOEXEC, 10);
	if (dup2(end[0], 8) < 0 || dup2(end[1], 9) < 0)
		die("socketpair");
	execv(argv[0], argv);
	die(argv[0]);
}

int main(int argc, char **argv)
{
	char **settings, **command;

	if (getpid() == 1)
		return inside(argv[0]);
	if (argc > 2 && !strcmp(argv[1], "linked"))
		return linked(argv + 2);
	settings = argc > 2 ? part(argv + 2) : NULL;
	command = settings ? part(settings) : NULL;
	if (!command || !*command) {
		fputs("usage: here FOLDER KERNEL [ARGUMENT]... -- [KEY=VALUE]... -- COMMAND...\n", stderr);
		return NOT_STARTED;
	}
	return outside(argv[1], argv + 2, settings, command);
}
