/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with lines of words, for batch and restore.
 *
 * Words are separated by blanks. "..." and '...' keep blanks. A backslash and three octal digits are a
 * byte; a backslash before any other character is this character. A backslash at the end of a line joins
 * it with the next one. # at the beginning of a word starts a comment.
 */
#ifndef VIFCTL_LINES_H
#define VIFCTL_LINES_H

#include <stdio.h>

/**
 * struct lines - an open file
 * @file: the file
 * @name: its name, for messages
 * @number: number of the current line's end; the first line is 1
 * @speaker: "vifctl: NAME:NUMBER", the beginning of all messages
 * @text: the current line
 * @words: its words, with NULL at the end; they point into @text
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

/* Do the same with an open file. */
void lines_init(struct lines *lines, FILE *file, const char *name);

/**
 * lines_next - read the next line that has words
 * @lines: the file
 *
 * Until lines_quiet(), messages begin with the line's number. Return: 1, 0: end of the file, or -1 after a
 * message.
 */
int lines_next(struct lines *lines);

/* Stop to begin messages with a line's number. */
void lines_quiet(void);

/* Begin messages with line @number, which is from lines_next(). */
void lines_at(struct lines *lines, unsigned int number);

#endif
