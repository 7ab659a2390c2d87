// SPDX-License-Identifier: GPL-2.0
/* Bytes that are passed on, and lines of text. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "here.h"

bool put(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t done = write(fd, data, n);

		if (done < 0 && errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
			continue;
		}
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		data += done;
		n -= done;
	}
	return true;
}

static void forget(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void stream_end(struct stream *s)
{
	forget(&s->from);
	forget(&s->to);
}

struct pollfd stream_wait(const struct stream *s)
{
	struct pollfd to = { .fd = s->from < 0 ? -1 : s->to, .events = POLLOUT };

	if (to.fd >= 0 && !poll(&to, 1, 0))
		return to;
	return (struct pollfd){ .fd = s->from, .events = POLLIN };
}

bool stream_pass(struct stream *s)
{
	char data[PIPE_BUF];
	ssize_t n;

	if (s->from < 0)
		return false;
	n = read(s->from, data, sizeof(data));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		forget(&s->from);
		return false;
	}
	s->passed += n;
	if (s->to >= 0 && !put(s->to, data, n))
		forget(&s->to);
	return true;
}

void stream_rest(struct stream *s)
{
	if (s->from >= 0)
		fcntl(s->from, F_SETFL, O_NONBLOCK);
	while (stream_pass(s))
		;
}

void lines_read(struct lines *l, int fd, void (*line)(const char *text))
{
	char data[200];
	ssize_t n = read(fd, data, sizeof(data));

	for (ssize_t i = 0; i < n; i++) {
		if (data[i] != '\n') {
			if (l->n < sizeof(l->text) - 1)
				l->text[l->n++] = data[i];
			continue;
		}
		l->text[l->n] = 0;
		l->n = 0;
		line(l->text);
	}
}

void line_put(int fd, const char *format, ...)
{
	char line[200];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	put(fd, line, strlen(line));
}
