/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Escaping of foreign bytes for a terminal or a line.
 *
 * Characters that print in the caller's locale pass; every other byte becomes a backslash and three
 * octal digits. These are control characters (including those of ISO 6429 above 0x7f), characters
 * without a width (they hide, or change the direction of the following text), and invalid bytes.
 */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stdio.h>

/**
 * escape_put - print a name so that it can be told from every other
 * @out: where to; NULL only counts
 * @text: any bytes; a backslash is escaped, too
 *
 * Return: the columns it takes.
 */
int escape_put(FILE *out, const char *text);

/* The same, but ends before what does not fit into so many columns. */
int escape_put_within(FILE *out, const char *text, int columns);

/* Where what fits into so many columns ends. */
const char *escape_end_within(const char *text, int columns);

/* The same for a message; backslashes stay as they are. */
void escape_put_message(FILE *out, const char *text);

/**
 * escape_put_word - print a word of a line that is read again
 * @out: where to
 * @text: any bytes; what is not plain ASCII, or has a meaning, is escaped
 *
 * Does not depend on the locale.
 */
void escape_put_word(FILE *out, const char *text);

#endif
