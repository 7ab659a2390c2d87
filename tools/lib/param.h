/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings of a VIF: the module's table of parameters (grammar/params.h), and its other
 * settings.
 */
#ifndef PARAM_H
#define PARAM_H

#include <stdbool.h>

#include "grammar/params.h"

#define PARAM_ID(ID, ...) PARAM_##ID = VIF_PARAM_##ID,
enum param_id {
	VIF_PARAM_LIST(PARAM_ID)
	PARAM_DIRECTED,		/* number of settings with a value for each direction */
	PARAM_OWNER = PARAM_DIRECTED,
	PARAM_MODE,
	PARAM_PROGRAM,		/* has directions, but is too long for netlink's messages */
	PARAM_AUTOREMOVE,	/* set last: it lets the kernel remove the VIF */
	PARAM_COUNT
};
#undef PARAM_ID

/**
 * struct param - a setting
 * @name: name of its file; "owner" and "mode" are set by chown(1) and chmod(1)
 * @syntax: its values, for a table in --help
 * @right: its values, for an error message; only for settings with directions
 * @initial: value of a new VIF; NULL: it depends on the user who creates the VIF
 */
struct param {
	const char *name;
	const char *syntax;
	const char *right;
	const char *initial;
};

extern const struct param params[PARAM_COUNT];

/* Return the setting with this name, or NULL. */
const struct param *param_find(const char *name);

/* Return the number of a setting. */
enum param_id param_id(const struct param *param);

/* Is it a file of the VIF with a value for each direction? */
bool param_has_directions(const struct param *param);

/* Is it a share (minimum, weight, priority), which has an effect only if packets wait? */
bool param_is_share(const struct param *param);

/* Is one of the settings that are not NULL a share? */
bool param_has_share(char *const value[PARAM_DIRECTED]);

/**
 * param_normal - convert a value into the form in which it is compared and printed
 * @param: the setting
 * @value: as the user wrote it, or as the file shows it
 *
 * The form is "V" if both directions have the same value, else "egress V ingress V". A missing
 * direction has the initial value. An invalid value is not changed: the kernel reports the error.
 * Return: the value, which the caller frees; NULL without memory.
 */
char *param_normal(const struct param *param, const char *value);

/* Replace blanks between words by one space. Return: a text, which the caller frees; NULL without memory. */
char *param_squeeze(const char *text);

/* Call vif_param_parse() for a setting with directions. A missing direction has the initial value. */
int param_parse(enum param_id id, const char *text, struct vif_params params[VIF_DIRS]);

/* Print a parsed setting in the form of param_normal(); the caller frees it. NULL without memory. */
char *param_print(enum param_id id, const struct vif_params params[VIF_DIRS]);

#endif
