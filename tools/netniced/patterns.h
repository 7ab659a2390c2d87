/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Devices by pattern: [vif eth?/bulk], attach = eth?/bulk. Each matching device gets a section of
 * its own, as if it were written in the file. A section that names the device takes precedence over
 * patterns, and a pattern over later ones.
 */
#ifndef NETNICED_PATTERNS_H
#define NETNICED_PATTERNS_H

#include "rules.h"

/* Whether the device of a VIF's path is a pattern. */
bool pattern_is(const char *path);

/*
 * The first section by pattern that makes VIFs of this path, which may be by pattern itself; or
 * NULL.
 */
const struct vif_section *patterns_find(const struct rules *rules, const char *path);

/*
 * Sections and rules that call a device that is there by an alternative name say its own name from now
 * on. Return: whether there was one.
 */
bool patterns_own_names(struct rules *rules);

/*
 * Devices have come, or gone: has the rules say what they say of those that are there. Return: as
 * patterns_own_names().
 */
bool patterns_follow(struct rules *rules);

#endif
