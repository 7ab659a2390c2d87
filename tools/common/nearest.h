/* SPDX-License-Identifier: GPL-2.0 */
/* "Did you mean": which of some words was probably meant by one that is none of them. */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

/**
 * struct nearest - a search; to be zero before the first word
 * @word: the best one so far; NULL: none is near enough
 * @distance: how many letters it is away
 */
struct nearest {
	const char *word;
	unsigned int distance;
};

/* Another word that may have been meant by @typed; dashes before an option's name do not matter. */
void nearest_try(struct nearest *nearest, const char *typed, const char *word);

/* What to say of it behind a message: "; did you mean 'WORD'?", or nothing. */
#define NEAREST_BYTES	64
const char *nearest_hint(const struct nearest *nearest, char text[NEAREST_BYTES]);

#endif
