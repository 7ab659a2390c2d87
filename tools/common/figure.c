// SPDX-License-Identifier: GPL-2.0
#include "figure.h"

#include <stdio.h>

static const char *const counts[] = { "", "k", "M", "G", "T", "P", "E", NULL };
static const char *const times[] = { "ns", "us", "ms", "s", NULL };

/* A number that is rounded to a thousand is printed as 1 of the next unit. */
static void print(char text[FIGURE_BYTES], double value,
		  const char *const *unit)
{
	int digits = 0;

	while (value >= 999.5 && unit[1]) {
		value /= 1000;
		digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
		unit++;
	}
	snprintf(text, FIGURE_BYTES, "%.*f%s", digits, value, *unit);
}

void figure_count(char text[FIGURE_BYTES], double value)
{
	print(text, value, counts);
}

void figure_bits(char text[FIGURE_BYTES], double bytes_per_s)
{
	if (bytes_per_s < 0)
		snprintf(text, FIGURE_BYTES, "-");
	else
		figure_count(text, bytes_per_s * 8);
}

void figure_time(char text[FIGURE_BYTES], double ns)
{
	print(text, ns, times);
}
