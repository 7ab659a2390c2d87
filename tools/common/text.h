/* SPDX-License-Identifier: GPL-2.0 */
/* Text that people have written. */
#ifndef NETNICE_TEXT_H
#define NETNICE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* To be given to words_free(). */
struct words {
	char **word;
	size_t count;
};

/* A copy of @word behind the others. Return: 0, or -1 without memory, after a message. */
int words_append(struct words *words, const char *word);

/* Leaves none. */
void words_free(struct words *words);

/* @text, changed, without the white space before and behind it. */
char *text_trim(char *text);

/* Whether @text is a decimal number, without a sign, up to @most. */
bool text_number(const char *text, unsigned long most, unsigned long *number);

/* Whether it is the number of a port that a socket can have: 1 to 65535. */
bool text_port(const char *text, unsigned long *port);

#endif
