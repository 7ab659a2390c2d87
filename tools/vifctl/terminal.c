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

/* --- keys --- */

/*
 * ECMA-48: ESC [, parameters, and a final byte from @ to ~; VT100s in application mode
 * send ESC O and a letter.
 */
static int key_of(const unsigned char *sequence, size_t n)
{
	static const struct {
		const char *end;
		int key;
	} keys[] = {
		{ "A", KEY_UP }, { "B", KEY_DOWN }, { "H", KEY_HOME },
		{ "F", KEY_END }, { "1~", KEY_HOME }, { "7~", KEY_HOME },
		{ "4~", KEY_END }, { "8~", KEY_END }, { "5~", KEY_PAGE_UP },
		{ "6~", KEY_PAGE_DOWN },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (n == strlen(keys[i].end) &&
		    !memcmp(sequence, keys[i].end, n))
			return keys[i].key;
	return KEY_NONE;
}

/* Longer ones are none; whatever comes then is read as keys. */
#define SEQUENCE_MAX	16

/* Behind ESC [ or ESC O. Return: its bytes, 0 if more are needed. */
static size_t sequence_length(const unsigned char *bytes, size_t n)
{
	size_t len = 2;

	if (bytes[1] == 'O')
		return n > 2 ? 3 : 0;
	while (len < n && len < SEQUENCE_MAX &&
	       (bytes[len] < '@' || bytes[len] > '~'))
		len++;
	return len < n ? len + 1 : 0;
}

size_t terminal_key_take(const unsigned char *bytes, size_t n, int *key,
			 bool is_all)
{
	size_t len;

	*key = KEY_NONE;
	if (!n)
		return 0;
	*key = bytes[0] == '\n' ? KEY_ENTER :
	       bytes[0] == '\b' ? KEY_BACKSPACE : bytes[0];
	if (bytes[0] != KEY_ESCAPE)
		return 1;
	if (n == 1)
		return is_all;
	if (bytes[1] != '[' && bytes[1] != 'O')
		return 1;
	len = sequence_length(bytes, n);
	if (len)
		*key = key_of(bytes + 2, len - 2);
	else if (is_all)
		return 1;
	return len;
}
