/* SPDX-License-Identifier: GPL-2.0 */
/* Devices and control groups that a file names, and that appear and disappear. */
#ifndef VIFCTL_PRESENT_H
#define VIFCTL_PRESENT_H

#include "nnfs.h"
#include "wanted.h"

/**
 * present_look - find out which exist
 * @wanted: the file; "now" of each presence is set
 * @fs: the file system
 *
 * Return: true if any has appeared or disappeared since the last call.
 */
bool present_look(struct wanted *wanted, const struct nnfs *fs);

/*
 * Mark those as missing that have disappeared, or were replaced, since the last present_look(). Return true
 * if there are any.
 */
bool present_lose(struct wanted *wanted, const struct nnfs *fs);

/* Does it exist, without having been restored? It may be new, or have replaced another one. */
bool present_is_new(const struct presence *presence);
/* Return the same for the device of a part. */
bool present_is_part_new(const struct wanted_part *part);

/* Begin a round, in which no part has failed: find the parts with new objects. Return true if any has. */
bool present_find_news(struct wanted *wanted);

/* Do all objects exist that the file names? */
bool present_all(const struct wanted *wanted);

/* Print a line for each missing object. */
void present_say_missing(const struct wanted *wanted, struct lines *lines);

/* Mark all existing objects as restored, except in parts that have failed. */
void present_done(struct wanted *wanted);

#endif
