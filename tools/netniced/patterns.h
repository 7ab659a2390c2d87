/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Devices by pattern: [vif eth?/bulk], attach = eth?/bulk. Each matching device gets a section of
 * its own, as if it were written in the file. A section that names the device takes precedence over
 * patterns, and a pattern over later ones.
 */
#ifndef NETNICED_PATTERNS_H
#define NETNICED_PATTERNS_H

#include "rules.h"

/* Is the device of a VIF's path a pattern? */
bool pattern_is(const char *path);

/*
 * Return the first section with a pattern that creates VIFs of this path, or NULL. The path may
 * have a pattern, too.
 */
const struct vif_section *patterns_find(const struct rules *rules, const char *path);

/*
 * Replace alternative names in sections and rules by the main names of the devices that have them now.
 * Return: whether any has changed.
 */
bool patterns_own_names(struct rules *rules);

/*
 * Update the copies of sections and rules with patterns, after devices have appeared or
 * disappeared. Return: as patterns_own_names().
 */
bool patterns_follow(struct rules *rules);

#endif
