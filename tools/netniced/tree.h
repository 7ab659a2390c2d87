/* SPDX-License-Identifier: GPL-2.0 */
/* The VIFs that rule files name: create and set them. */
#ifndef NETNICED_TREE_H
#define NETNICED_TREE_H

#include "rules.h"

/* Lowers minima that are to be lower than @previous has them, or none. */
void tree_lower(const struct rules *rules, const struct rules *previous);

/*
 * Makes those that are not there, and writes the settings that differ from those of
 * @previous; all, where that is NULL. Devices that are not there are left out, and said.
 */
void tree_update(struct rules *rules, const struct rules *previous);

/* The same for one device, which has just come. */
void tree_update_device(struct rules *rules, const char *device);

/* Removes those that this daemon has made and @rules do not name any more. */
void tree_remove_dropped(const struct rules *rules,
			 const struct rules *previous);

/* Whether any VIF of a device is named. */
bool tree_has_device(const struct rules *rules, const char *device);

#endif
