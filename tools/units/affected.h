/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the units that need work. Asking systemd about all units takes its time and ours, and most
 * units need nothing.
 */
#ifndef NETNICE_UNITS_AFFECTED_H
#define NETNICE_UNITS_AFFECTED_H

#include <stdbool.h>

#include "nnfs.h"
#include "text.h"

/**
 * affected_by_files - find units for which the generator has found a section
 * @names: names, and patterns of names, are added
 *
 * Return: 0, or -1 after a message.
 */
int affected_by_files(struct words *names);

/**
 * affected_by_vifs - find units whose control groups are attached to VIFs of units
 * @fs: the file system
 * @names: names are added
 *
 * Return: 0, or -1 after a message.
 */
int affected_by_vifs(const struct nnfs *fs, struct words *names);

#endif
