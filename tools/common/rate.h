/* SPDX-License-Identifier: GPL-2.0 */
/* Rates as people write them to a tool, beside what the module's files take. */
#ifndef RATE_H
#define RATE_H

#include "nnfs.h"
#include "param.h"

/* The bandwidth of a VIF, bytes per second; VIF_RATE_MAX: it has none; 0: it may not be read. */
u64 rate_of(const struct nnfs *fs, const char *vif, enum vif_dir dir);

/**
 * rate_above - the least bandwidth of the VIFs above one
 * @fs: the file system
 * @path: the VIF's path; it need not be there
 * @dir: the direction
 *
 * Return: bytes per second; VIF_RATE_MAX: none has one; 0: one may not be read.
 */
u64 rate_above(const struct nnfs *fs, const char *path, enum vif_dir dir);

/**
 * rate_absolute - a setting without percentages
 * @fs: the file system
 * @path: the VIF whose bandwidth or minimum it is to be
 * @value: the setting; "10%" is of rate_above(), or of the speed of the device's link
 *
 * Return: to be freed; NULL after a message.
 */
char *rate_absolute(const struct nnfs *fs, const char *path, const char *value);

/* Print a note, once, on a terminal, that "10Mbps" means bytes. */
void rate_remark(const char *value);

#endif
