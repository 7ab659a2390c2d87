// SPDX-License-Identifier: GPL-2.0
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* What else can be believed of a size is none of a terminal. */
#define SIZE_MAX_SANE	1000

/* The other screen, so that what was there before comes back; no cursor */
#define ENTER	"\033[?1049h\033[?25l"
#define LEAVE	"\033[0m\033[?25h\033[?1049l"

static struct termios before;
static int keys = -1;
static bool is_entered;

static int open_keys(void)
{
	if (isatty(STDIN_FILENO))
		return STDIN_FILENO;
	return open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

bool terminal_is_there(void)
{
	const char *name = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !name || !*name || !strcmp(name, "dumb"))
		return false;
	if (keys < 0)
		keys = open_keys();
	return keys >= 0;
}

int terminal_write(const char *text, size_t size)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	ssize_t n;

	while (size) {
		n = write(STDOUT_FILENO, text, size);
		if (n > 0) {
			text += n;
			size -= n;
		} else if (n < 0 && errno == EAGAIN) {
			/* another program has left it so */
			poll(&out, 1, -1);
		} else if (n < 0 && errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

static void put(const char *text)
{
	terminal_write(text, strlen(text));
}

int terminal_enter(void)
{
	static bool is_registered;
	struct termios raw;

	if (tcgetattr(keys, &before))
		return -1;
	raw = before;
	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_iflag &= ~(ICRNL | INLCR | IXON);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (!is_registered && atexit(terminal_leave))
		return -1;
	is_registered = true;
	fflush(stdout);
	if (tcsetattr(keys, TCSADRAIN, &raw))
		return -1;
	is_entered = true;
	put(ENTER);
	return keys;
}

void terminal_leave(void)
{
	if (!is_entered)
		return;
	is_entered = false;
	put(LEAVE);
	tcsetattr(keys, TCSADRAIN, &before);
}

void terminal_size(int *columns, int *lines)
{
	struct winsize size;

	*columns = 80;
	*lines = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	if (size.ws_col && size.ws_col <= SIZE_MAX_SANE)
		*columns = size.ws_col;
	if (size.ws_row && size.ws_row <= SIZE_MAX_SANE)
		*lines = size.ws_row;
}
