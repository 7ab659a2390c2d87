/* SPDX-License-Identifier: GPL-2.0 */
/* Apply the sections of units: create their VIFs and settings. */
#ifndef NETNICE_UNITS_APPLY_H
#define NETNICE_UNITS_APPLY_H

#include <stdbool.h>

/**
 * apply_one - before a unit starts
 * @name: the unit
 *
 * First apply the slices above it that are out of date. Return: whether it may start: not if
 * Required=yes and its limit cannot be set, or if its settings cannot be read. (A unit without
 * Required=yes always starts.)
 */
bool apply_one(const char *name);

/**
 * apply_all - apply the sections of all running units
 * @is_loaded: systemd has loaded their files again, so errors in them are reported
 *
 * Units without a section lose their VIFs. Groups that were created for units that did not start are
 * removed. Return: 0, or -1 after a message: systemd did not list its units.
 */
int apply_all(bool is_loaded);

/* Have devices, or the devices of default routes, changed since the last apply_all()? */
bool apply_is_due(void);

#endif
