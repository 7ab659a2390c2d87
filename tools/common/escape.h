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
 * Return: the columns that the name takes.
 */
int escape_put(FILE *out, const char *text);

/* Print a name like escape_put(), but stop before the character that exceeds @columns. */
int escape_put_within(FILE *out, const char *text, int columns);

/* Return the end of the part of @text that fits into @columns. */
const char *escape_end_within(const char *text, int columns);

/* Print a message like escape_put(), but do not escape backslashes. */
void escape_put_message(FILE *out, const char *text);

/**
 * escape_put_word - print a word of a line that a program reads again
 * @out: where to
 * @text: any bytes; those that are not plain ASCII, or have a meaning in the line, are escaped
 *
 * The output does not depend on the locale.
 */
void escape_put_word(FILE *out, const char *text);

#endif
