/* SPDX-License-Identifier: GPL-2.0 */
/* The settings of a VIF: one table parses them and says what would be valid. */
#ifndef VIFCTL_PARAM_H
#define VIFCTL_PARAM_H

#include <stdbool.h>
#include <stdio.h>

#include "nnfs.h"

enum param_id {
	PARAM_BANDWIDTH,
	PARAM_BURST,
	PARAM_WEIGHT,
	PARAM_PRIORITY,
	PARAM_LOCAL_WEIGHT,
	PARAM_LOCAL_PRIORITY,
	PARAM_LIMIT,
	PARAM_AQM,
	PARAM_OWNER,
	PARAM_MODE,
	PARAM_AUTOREMOVE,	/* last: from then on the VIF may go by itself */
	PARAM_COUNT
};

/**
 * struct param - a setting
 * @name: that of the file, or of what chown(1) and chmod(1) set
 * @syntax: what may be given, for people
 * @initial: what a new VIF has; NULL: depends on who makes it
 * @units: makes a word comparable (units.h)
 */
struct param {
	const char *name;
	const char *syntax;
	const char *initial;
	char *(*units)(const char *words);
};

extern const struct param params[PARAM_COUNT];

/* Return: the setting of that name, or NULL. */
const struct param *param_find(const char *name);

/* Its number. */
enum param_id param_id(const struct param *param);

/* The table, a line each, behind @indent. */
void param_list(FILE *out, const char *indent);

/**
 * param_normal - a value in the one way in which it is compared and printed
 * @param: the setting
 * @value: as it was written, or as the file has it
 *
 * "V" where both directions have it, else "egress V ingress V"; a direction that is
 * not given has the initial value. What is not understood stays as it is: the kernel
 * will say what it thinks of that. Return: to be freed, NULL without memory.
 */
char *param_normal(const struct param *param, const char *value);

/* Return: the value that the VIF has, normal, to be freed; or NULL and errno. */
char *param_read(const struct param *param, int dirfd);

/* Return: 0, or -1 and errno. */
int param_write(const struct param *param, const struct nnfs *fs,
		const char *path, const char *value);

#endif
