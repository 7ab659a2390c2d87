/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The section [X-Netnice] of unit files and their drop-ins, as systemd.syntax(7) has it:
 * continued lines, comments, blanks.
 */
#ifndef NETNICE_UNITS_SECTION_H
#define NETNICE_UNITS_SECTION_H

/**
 * struct section_line - an assignment
 * @path: the file
 * @line: its line
 * @key: the text before "="; NULL: the line is the head of the section
 * @value: the text behind it
 */
struct section_line {
	const char *path;
	unsigned int line;
	const char *key;
	const char *value;
};

typedef void (*section_take)(const struct section_line *line, void *arg);

/**
 * section_read - the lines of the section in a file, one after the other
 * @dirfd: where @path begins
 * @path: the file
 * @take: called for each, and for each head of the section
 * @arg: for @take
 *
 * What is no plain file (units are masked by links to /dev/null) has none. Return: 0, or -1 and
 * errno: EFBIG: it is larger than any unit.
 */
int section_read(int dirfd, const char *path, section_take take, void *arg);

#endif
