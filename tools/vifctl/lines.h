/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of lines of words, those of batch and restore.
 *
 * Words are separated by blanks. "..." and '...' keep blanks; a backslash and three
 * octal digits are a byte, a backslash and anything else is that itself, and at the
 * end of a line it joins the next one. # at the begin of a word starts a remark.
 */
#ifndef VIFCTL_LINES_H
#define VIFCTL_LINES_H

#include <stdio.h>

/**
 * struct lines - a file that is read
 * @name: for messages
 * @number: of the present line's end, from 1 on
 * @speaker: "vifctl: NAME:NUMBER", which all messages begin with
 * @words: of the present line, NULL at the end; they point into @text
 */
struct lines {
	FILE *file;
	const char *name;
	unsigned int number;
	char *speaker;
	char *text;
	char **words;
};

/* @name "-" is standard input. Return: 0, or -1 after a message. */
int lines_open(struct lines *lines, const char *name);
void lines_close(struct lines *lines);

/* A file that is open already. */
void lines_init(struct lines *lines, FILE *file, const char *name);

/**
 * lines_next - go on to the next line that has words
 * @lines: the file
 *
 * Messages name the line from here on, until lines_quiet(). Return: 1, 0 at the end,
 * or -1 after a message.
 */
int lines_next(struct lines *lines);

/* Messages do not name a line any more. */
void lines_quiet(void);

/* Messages name line @number, as lines_next() has it. */
void lines_at(struct lines *lines, unsigned int number);

#endif
