/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings of a VIF: the module's table of parameters (grammar/params.h), and what
 * else can be set of one.
 */
#ifndef PARAM_H
#define PARAM_H

#include <stdbool.h>
#include <stdio.h>

#include "grammar/params.h"

#define PARAM_ID(ID, ...) PARAM_##ID = VIF_PARAM_##ID,
enum param_id {
	VIF_PARAM_LIST(PARAM_ID)
	PARAM_DIRECTED,		/* so many have a value for each direction */
	PARAM_OWNER = PARAM_DIRECTED,
	PARAM_MODE,
	PARAM_PROGRAM,		/* in each direction, but long: not in netlink's messages */
	PARAM_AUTOREMOVE,	/* last: from then on the VIF may go by itself */
	PARAM_COUNT
};
#undef PARAM_ID

/**
 * struct param - a setting
 * @name: that of the file, or of what chown(1) and chmod(1) set
 * @syntax: what may be given, in a table for people
 * @right: the same in a sentence about what is wrong; of those that have directions
 * @initial: what a new VIF has; NULL: depends on who makes it
 */
struct param {
	const char *name;
	const char *syntax;
	const char *right;
	const char *initial;
};

extern const struct param params[PARAM_COUNT];

/* Return: the setting of that name, or NULL. */
const struct param *param_find(const char *name);

/* Its number. */
enum param_id param_id(const struct param *param);

/* Whether it is a file of the VIF's with a value for each direction. */
bool param_has_directions(const struct param *param);

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

/* The words between blanks, with one space between them; to be freed, NULL without memory. */
char *param_squeeze(const char *text);

/* As vif_param_parse(), of those that have directions; what is not mentioned is initial. */
int param_parse(enum param_id id, const char *text, struct vif_params params[VIF_DIRS]);

/* A parameter that has been read, normal; to be freed, NULL without memory. */
char *param_print(enum param_id id, const struct vif_params params[VIF_DIRS]);

/**
 * param_check - whether the kernel takes a setting
 * @param: one that has directions
 * @value: as it is to be written
 *
 * Return: NULL, or what would have been right.
 */
const char *param_check(const struct param *param, const char *value);

#endif
