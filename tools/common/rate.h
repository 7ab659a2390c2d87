/* SPDX-License-Identifier: GPL-2.0 */
/* Rates on a command line: percentages, besides the values that the module's files accept. */
#ifndef RATE_H
#define RATE_H

#include "nnfs.h"
#include "param.h"

/*
 * Return the bandwidth of a VIF in bytes per second; VIF_RATE_MAX: it has none; 0: the caller may not
 * read it.
 */
u64 rate_of(const struct nnfs *fs, const char *vif, enum vif_dir dir);

/**
 * rate_above - find the lowest bandwidth of the VIFs above a path
 * @fs: the file system
 * @path: the path; the VIF need not exist
 * @dir: the direction
 *
 * Return: bytes per second; VIF_RATE_MAX: none has a bandwidth; 0: the caller may not read one of them.
 */
u64 rate_above(const struct nnfs *fs, const char *path, enum vif_dir dir);

/**
 * rate_absolute - convert percentages in a setting into rates
 * @fs: the file system
 * @path: the VIF whose bandwidth or minimum will be set
 * @value: the setting; "10%" refers to rate_above(), or else to the device's link speed
 *
 * Return: the setting, which the caller frees; NULL after a message.
 */
char *rate_absolute(const struct nnfs *fs, const char *path, const char *value);

/* Print a note, once, on a terminal, that "10Mbps" means bytes. */
void rate_remark(const char *value);

#endif
