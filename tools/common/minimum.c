// SPDX-License-Identifier: GPL-2.0
#include "minimum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "param.h"
#include "units.h"

#define DIRECTIONS	2
#define WORD_BYTES	32

/* What is not understood is as it is in both: the kernel will say what it thinks of it. */
static void split(const char *setting, char word[DIRECTIONS][WORD_BYTES])
{
	if (sscanf(setting, "egress %31s ingress %31s", word[0], word[1]) == DIRECTIONS)
		return;
	for (int i = 0; i < DIRECTIONS; i++)
		snprintf(word[i], WORD_BYTES, "%s", setting);
}

/* None is 0. */
static units_t rate_of(const char *word)
{
	units_t bits;

	return units_rate(word, &bits) ? bits : 0;
}

static const char *lower(const char *a, const char *b)
{
	return rate_of(a) < rate_of(b) ? a : b;
}

char *minimum_lower(const char *a, const char *b)
{
	char x[DIRECTIONS][WORD_BYTES], y[DIRECTIONS][WORD_BYTES];
	char *text, *normal;

	split(a, x);
	split(b, y);
	if (asprintf(&text, "egress %s ingress %s", lower(x[0], y[0]),
		     lower(x[1], y[1])) < 0)
		return NULL;
	normal = param_normal(&params[PARAM_MINIMUM], text);
	free(text);
	return normal;
}
