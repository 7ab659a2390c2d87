/* SPDX-License-Identifier: GPL-2.0 */
/* The two ways in which "vifctl show" prints a tree. */
#ifndef VIFCTL_SHOW_H
#define VIFCTL_SHOW_H

#include "tree.h"

void show_text(const struct tree *tree);
void show_json(const struct tree *tree, bool pretty);

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

#endif
