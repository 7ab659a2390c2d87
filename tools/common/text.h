/* SPDX-License-Identifier: GPL-2.0 */
/* Texts that users have written. */
#ifndef NETNICE_TEXT_H
#define NETNICE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "number.h"

/* A list of words; words_free() frees it. */
struct words {
	char **word;
	size_t count;
};

/* Append a copy of @word. Return: 0, or -1 without memory, after a message. */
int words_append(struct words *words, const char *word);

/* Free all words. The list is empty then. */
void words_free(struct words *words);

/* Remove white space from both ends of @text, in place. Return the beginning. */
char *text_trim(char *text);

/* Parse the number of a port: 1 to 65535. Return false if @text is not one. */
bool text_port(const char *text, unsigned long *port);

#endif
