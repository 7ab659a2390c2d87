/* SPDX-License-Identifier: GPL-2.0 */
/* The result of all sections of a unit: where its VIFs are, and their settings. */
#ifndef NETNICE_UNITS_LIMIT_H
#define NETNICE_UNITS_LIMIT_H

#include <stdbool.h>

#include "param.h"
#include "section.h"
#include "text.h"

/**
 * struct limits - of a unit; all zero: there is no section
 * @unread: a file could not be read: its settings are unknown
 * @is_set: there is one
 * @required: the unit is not to start without
 * @wrong: something in it was not understood
 * @wrong_key: so that what is not set may have been meant
 * @wrong_value: nor is that known, by enum param_id
 * @wrong_device: nor are all devices
 * @value: as the files of a VIF take it, by enum param_id; NULL: as in a new VIF
 * @device: names of devices; none: those of the default routes
 */
struct limits {
	bool unread;
	bool is_set;
	bool required;
	bool wrong;
	bool wrong_key;
	bool wrong_value[PARAM_DIRECTED];
	bool wrong_device;
	char *value[PARAM_DIRECTED];
	struct words device;
};

/**
 * limits_take - one more line, which has the last word
 * @line: of the section; a value that is empty takes back what was said before
 * @limits: a struct limits
 *
 * What is wrong is left out, after a message.
 */
void limits_take(const struct section_line *line, void *limits);

/* Whether the text does not tell what it is to be: a VIF that is there keeps what it has. */
bool limits_is_unclear(const struct limits *limits, enum param_id id);

void limits_free(struct limits *limits);

/* Whether @line says that the unit may not start without. */
bool limits_is_required(const struct section_line *line);

#endif
