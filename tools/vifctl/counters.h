/* SPDX-License-Identifier: GPL-2.0 */
/* The text of a VIF's stat file. */
#ifndef VIFCTL_COUNTERS_H
#define VIFCTL_COUNTERS_H

#include <stdbool.h>

/**
 * struct stat_line - a line of a stat file
 * @direction: "egress", "ingress", or NULL: of both
 * @key: the rest of the key
 * @value: the last word
 */
struct stat_line {
	const char *direction;
	const char *key;
	const char *value;
};

/**
 * stat_next - take a line off the text of a stat file
 * @text: the text, which is cut into pieces; moved behind the line
 * @line: to be filled, points into the text
 *
 * Return: false at the end.
 */
bool stat_next(char **text, struct stat_line *line);

/* The value of "DIRECTION_KEY" in the text, 0 if it is not there. */
unsigned long long stat_value(const char *stat, const char *direction,
			      const char *key);

#endif
