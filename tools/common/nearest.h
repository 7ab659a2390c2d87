/* SPDX-License-Identifier: GPL-2.0 */
/* "Did you mean": find the known word that is most similar to an unknown one. */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

/**
 * struct nearest - a search; zero before the first word
 * @word: the most similar word so far; NULL: no word is similar enough
 * @distance: its edit distance, in letters
 */
struct nearest {
	const char *word;
	unsigned int distance;
};

/* Compare @typed with another word. Dashes before an option's name are ignored. */
void nearest_try(struct nearest *nearest, const char *typed, const char *word);

/* Return the end of a message: "; did you mean 'WORD'?", or an empty text. */
#define NEAREST_BYTES	64
const char *nearest_hint(const struct nearest *nearest, char text[NEAREST_BYTES]);

#endif
