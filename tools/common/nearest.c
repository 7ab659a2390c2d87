// SPDX-License-Identifier: GPL-2.0
/*
 * Letters that are wrong, missing, too many, or two that changed places, count one each
 * (Damerau and Levenshtein, optimal string alignment).
 */
#include "nearest.h"

#include <stdio.h>
#include <string.h>

/* Longer words are not compared: none of ours is. */
#define LENGTH_MAX	24

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static unsigned int distance(const char *a, const char *b)
{
	const size_t len_a = strlen(a), len_b = strlen(b);
	unsigned int d[LENGTH_MAX + 1][LENGTH_MAX + 1];

	for (size_t i = 0; i <= len_a; i++) {
		for (size_t j = 0; j <= len_b; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
					d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[len_a][len_b];
}

/* A third of the letters may be wrong; what goes on behind a word is taken for it. */
void nearest_try(struct nearest *nearest, const char *typed, const char *word)
{
	const size_t len = strlen(word);
	unsigned int away;

	if (strlen(typed) > LENGTH_MAX || len > LENGTH_MAX)
		return;
	away = len > 2 && !strncmp(typed, word, len) ? 1 : distance(typed, word);
	if (away > (len + 1) / 3 || (nearest->word && away >= nearest->distance))
		return;
	nearest->word = word;
	nearest->distance = away;
}

const char *nearest_hint(const struct nearest *nearest, char text[NEAREST_BYTES])
{
	*text = '\0';
	if (nearest->word)
		snprintf(text, NEAREST_BYTES, "; did you mean '%s'?", nearest->word);
	return text;
}
