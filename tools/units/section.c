// SPDX-License-Identifier: GPL-2.0
#include "section.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

#define SECTION		"[X-Netnice]"
#define SIZE_MAX_BYTES	(1 << 20)
#define BYTE_ORDER_MARK	"\xef\xbb\xbf"

/**
 * struct reading - a file that is read
 * @at: the line that comes next; @line: the number of the one before
 * @inside: we are in the section
 */
struct reading {
	const char *path;
	char *at;
	unsigned int line;
	bool inside;
	section_take take;
	void *arg;
};

/* The whole file as a string; NULL and errno, 0: it is none that is read. */
static char *read_file(int dirfd, const char *path)
{
	struct stat status;
	char *text = NULL;
	ssize_t len;
	int fd;

	/* neither a fifo nor a terminal holds us up */
	fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	errno = 0;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode)) {
		if (status.st_size < SIZE_MAX_BYTES)
			text = calloc(1, status.st_size + 1);
		else
			errno = EFBIG;
	}
	len = text ? read(fd, text, status.st_size) : 0;
	if (len < 0) {
		free(text);
		text = NULL;
	}
	close(fd);
	return text;
}

static char *next_line(struct reading *reading)
{
	char *line = reading->at, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	reading->at = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	reading->line++;
	return text_trim(line);
}

static bool is_comment(const char *line)
{
	return *line == '#' || *line == ';';
}

/* A backslash at the end of @line is a space, and the next line that is not a comment continues it. */
static char *join(struct reading *reading, char *line)
{
	size_t len = strlen(line);
	char *next, *to = line + len;

	while (len && to[-1] == '\\') {
		to[-1] = ' ';
		do
			next = next_line(reading);
		while (next && is_comment(next));
		if (!next)
			break;
		len = strlen(next);
		memmove(to, next, len + 1);
		to += len;
	}
	return text_trim(line);
}

static void take(const struct reading *reading, unsigned int number, char *line)
{
	char *equals = strchr(line, '=');

	if (equals)
		*equals++ = '\0';
	reading->take(&(struct section_line) {
			.path = reading->path, .line = number, .key = text_trim(line),
			.value = equals ? text_trim(equals) : "",
		      }, reading->arg);
}

static void read_line(struct reading *reading, char *line)
{
	const unsigned int number = reading->line;

	if (!*line || is_comment(line))
		return;
	line = join(reading, line);
	if (*line != '[') {
		if (reading->inside)
			take(reading, number, line);
		return;
	}
	reading->inside = !strcmp(line, SECTION);
	if (reading->inside)
		reading->take(&(struct section_line) { .path = reading->path, .line = number },
			      reading->arg);
}

int section_read(int dirfd, const char *path, section_take take, void *arg)
{
	struct reading reading = { .path = path, .take = take, .arg = arg };
	char *text = read_file(dirfd, path), *line;

	if (!text)
		return errno ? -1 : 0;
	reading.at = text;
	if (!strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)))
		reading.at += strlen(BYTE_ORDER_MARK);
	/* most have none */
	if (!strstr(text, SECTION))
		reading.at = "";
	while ((line = next_line(&reading)))
		read_line(&reading, line);
	free(text);
	return 0;
}
