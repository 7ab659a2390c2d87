/* SPDX-License-Identifier: GPL-2.0 */
/* The VIFs that rule files name: create and set them. */
#ifndef NETNICED_TREE_H
#define NETNICED_TREE_H

#include "rules.h"

/* Lower minima that are lower in @rules than in @previous, or missing. */
void tree_lower(const struct rules *rules, const struct rules *previous);

/*
 * Create the VIFs that do not exist, and write the settings that differ from @previous; all
 * settings if that is NULL. Devices that do not exist are left out, with a message.
 */
void tree_update(struct rules *rules, const struct rules *previous);

/* The same for one device, which is new. */
void tree_update_device(struct rules *rules, const char *device);

/* Remove VIFs that this daemon has created and that @rules do not name any more. */
void tree_remove_dropped(const struct rules *rules,
			 const struct rules *previous);

/* Do the rules name a VIF of the device? */
bool tree_has_device(const struct rules *rules, const char *device);

#endif
