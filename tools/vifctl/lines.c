// SPDX-License-Identifier: GPL-2.0
#include "lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

#define BLANKS	" \t\r\n\v\f"

void lines_init(struct lines *lines, FILE *file, const char *name)
{
	*lines = (struct lines) { .file = file, .name = name };
}

int lines_open(struct lines *lines, const char *name)
{
	FILE *file = stdin;

	if (strcmp(name, "-"))
		file = fopen(name, "re");
	else
		name = "stdin";
	if (!file) {
		complain_errno("%s", name);
		return -1;
	}
	lines_init(lines, file, name);
	return 0;
}

void lines_close(struct lines *lines)
{
	lines_quiet();
	if (lines->file != stdin)
		fclose(lines->file);
	free(lines->speaker);
	free(lines->text);
	free(lines->words);
}

void lines_quiet(void)
{
	complain_as(NULL);
}

void lines_at(struct lines *lines, unsigned int number)
{
	complain_as(NULL);
	free(lines->speaker);
	if (asprintf(&lines->speaker, "%s: %s:%u",
		     program_invocation_short_name, lines->name, number) < 0)
		lines->speaker = NULL;
	complain_as(lines->speaker);
}

static int wrong(const char *what)
{
	complain("%s", what);
	return -1;
}

/* Whether an odd number of backslashes is at the end. */
static bool is_continued(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[len - 1 - n] == '\\')
		n++;
	return n % 2;
}

/* One line of the file, without its end. Return: as lines_next(). */
static int read_line(struct lines *lines, char **line, size_t *len)
{
	size_t size = 0;
	ssize_t n;

	*line = NULL;
	errno = 0;
	n = getline(line, &size, lines->file);
	if (n < 0) {
		free(*line);
		if (!ferror(lines->file) && !errno)
			return 0;
		complain_errno("%s", lines->name);
		return -1;
	}
	lines_at(lines, ++lines->number);
	*len = n;
	if (memchr(*line, '\0', n)) {
		free(*line);
		return wrong("a zero byte: this is no text");
	}
	if ((*line)[n - 1] == '\n')
		(*line)[--*len] = '\0';
	return 1;
}

static int append(struct lines *lines, size_t *used, const char *line,
		  size_t len)
{
	char *more = realloc(lines->text, *used + len + 1);

	if (!more)
		return wrong("out of memory");
	lines->text = more;
	memcpy(more + *used, line, len);
	*used += len;
	more[*used] = '\0';
	return 1;
}

/* A line, with the lines that continue it. */
static int read_joined(struct lines *lines)
{
	bool is_first = true, more = true;
	size_t used = 0, len;
	char *line;
	int ret = 1;

	while (more && ret == 1) {
		ret = read_line(lines, &line, &len);
		if (ret != 1)
			return ret || is_first ? ret : 1;
		is_first = false;
		more = is_continued(line, len);
		ret = append(lines, &used, line, len - more);
		free(line);
	}
	return ret;
}

static bool is_octal(const char *text)
{
	return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' &&
	       text[1] <= '7' && text[2] >= '0' && text[2] <= '7';
}

/* The character for the text behind a backslash. Return: false if there is none, or if it is byte 0. */
static bool take_escaped(char **from, char **to)
{
	if (!**from)
		return false;
	if (!is_octal(*from)) {
		*(*to)++ = *(*from)++;
		return true;
	}
	*(*to)++ = ((*from)[0] - '0') << 6 | ((*from)[1] - '0') << 3 |
		   ((*from)[2] - '0');
	*from += 3;
	return (*to)[-1];
}

/* Unescape a word in place. Return: the text behind it, or NULL if it is not a word. */
static char *take_word(char *from)
{
	char *to = from, quote = 0, c;

	while (*from && (quote || !strchr(BLANKS, *from))) {
		c = *from++;
		if (c == quote) {
			quote = 0;
		} else if (!quote && (c == '"' || c == '\'')) {
			quote = c;
		} else if (c == '\\') {
			if (!take_escaped(&from, &to))
				return NULL;
		} else {
			*to++ = c;
		}
	}
	if (quote)
		return NULL;
	if (*from)
		from++;
	*to = '\0';
	return from;
}

static int split(struct lines *lines)
{
	/* at most one word for every two bytes */
	size_t max = strlen(lines->text) / 2 + 2, n = 0;
	char *rest = lines->text;

	free(lines->words);
	lines->words = calloc(max, sizeof(*lines->words));
	if (!lines->words)
		return wrong("out of memory");
	for (;;) {
		rest += strspn(rest, BLANKS);
		if (!*rest || *rest == '#')
			return n ? 1 : 0;
		lines->words[n++] = rest;
		rest = take_word(rest);
		if (!rest)
			return wrong("a quote is not closed, or nothing behind a backslash");
	}
}

int lines_next(struct lines *lines)
{
	int ret;

	do {
		ret = read_joined(lines);
		if (ret <= 0)
			return ret;
		ret = split(lines);
	} while (!ret);
	return ret;
}
