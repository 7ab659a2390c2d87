/* SPDX-License-Identifier: GPL-2.0 */
/* The result of all sections of a unit: where its VIFs are, and their settings. */
#ifndef NETNICE_UNITS_LIMIT_H
#define NETNICE_UNITS_LIMIT_H

#include <stdbool.h>

#include "param.h"
#include "section.h"
#include "text.h"

/**
 * struct limits - the section of a unit; all zero: it has none
 * @unread: a file could not be read, so its settings are unknown
 * @is_set: the unit has a section
 * @required: the unit must not start without its limits
 * @wrong: the section has an error
 * @wrong_key: a key is wrong, so a setting that seems to be missing may have been meant
 * @wrong_value: by enum param_id: the value of this setting is wrong
 * @wrong_device: names of devices are wrong, so not all devices are known
 * @value: by enum param_id: the value for the file of a VIF; NULL: as in a new VIF
 * @device: names of devices; none: the devices of the default routes
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

/* Is the value unknown, because the text has errors? Then an existing VIF keeps its value. */
bool limits_is_unclear(const struct limits *limits, enum param_id id);

void limits_free(struct limits *limits);

/* Whether @line says that the unit may not start without. */
bool limits_is_required(const struct section_line *line);

#endif
