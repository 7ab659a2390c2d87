/* SPDX-License-Identifier: GPL-2.0 */
/* Text that people have written. */
#ifndef NETNICE_TEXT_H
#define NETNICE_TEXT_H

#include <stddef.h>

/* To be given to words_free(). */
struct words {
	char **word;
	size_t count;
};

/* Leaves none. */
void words_free(struct words *words);

/* @text, changed, without the white space before and behind it. */
char *text_trim(char *text);

#endif
