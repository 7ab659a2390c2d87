/* SPDX-License-Identifier: GPL-2.0 */
/* What the sections of a unit's files say together: what its VIFs are to have, and where. */
#ifndef NETNICE_UNITS_LIMIT_H
#define NETNICE_UNITS_LIMIT_H

#include <stdbool.h>

#include "param.h"
#include "section.h"
#include "text.h"

/**
 * struct limits - of a unit; all zero: there is no section
 * @unread: a file could not be read: nobody knows what it says
 * @is_set: there is one
 * @required: the unit is not to start without
 * @wrong: something in it was not understood
 * @value: as the files of a VIF take it, by enum param_id; NULL: as in a new VIF
 * @device: names of devices; none: those of the default routes
 */
struct limits {
	bool unread;
	bool is_set;
	bool required;
	bool wrong;
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

void limits_free(struct limits *limits);

/* Whether @key, of the section, says whether the unit may start without. */
bool limits_is_required(const char *key);

#endif
