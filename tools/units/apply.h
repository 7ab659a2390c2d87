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
 * apply_all - all units that run
 * @is_loaded: systemd has loaded their files again; what is wrong is said then
 *
 * Those whose section has gone lose their VIFs, those that have not started after all the groups
 * that were made for them. Return: 0, or -1 after a message: systemd did
 * not say which there are.
 */
int apply_all(bool is_loaded);

/* Whether devices, or those of default routes, are others than those of then. */
bool apply_is_due(void);

#endif
