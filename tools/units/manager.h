/* SPDX-License-Identifier: GPL-2.0 */
/* Information about units from the service manager, systemd. */
#ifndef NETNICE_UNITS_MANAGER_H
#define NETNICE_UNITS_MANAGER_H

#include <stdbool.h>
#include <stddef.h>

#include "limit.h"
#include "text.h"

#define UNIT_NAME_MAX	255

/**
 * struct unit - a loaded unit
 * @name: its main name
 * @group: the path of its control group, for example "system.slice/a.service"; "": the root group;
 *	NULL: it has none
 * @is_made: systemd has created the group; otherwise the unit will have it
 * @has_job: it is about to start or stop
 * @slice: its slice
 * @fragment: its own file; NULL: it has none
 * @dropin: its other files, in the order in which they count
 * @limits: its section, after the files have been read
 */
struct unit {
	char *name;
	char *group;
	bool is_made;
	bool has_job;
	char *slice;
	char *fragment;
	struct words dropin;
	struct limits limits;
};

struct units {
	struct unit *unit;
	size_t count;
};

/* Can @name be the name of a unit, with its type? */
bool unit_is_name(const char *name);

/* Whether it is of that type, as ".slice". */
bool unit_is_of(const char *name, const char *type);

/* The slice above one, by its name; to be freed; NULL: there is none, or no memory. */
char *unit_slice_above(const char *slice);

/* Whether it is one of ours, of which no section is. */
bool unit_is_own(const char *name);

/**
 * manager_ask - ask about units
 * @units: in: empty; the caller calls units_free() in any case
 * @names: names, or patterns of names
 *
 * The answer includes the topmost slice. While systemd loads units again, the answer comes afterwards.
 * Slices come before the units in them. Return: 0, or -1 after a message.
 */
int manager_ask(struct units *units, const struct words *names);
void units_free(struct units *units);

/* Reads the unit's files; what is wrong is said. */
void unit_read_limits(struct unit *unit);

#endif
