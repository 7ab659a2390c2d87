/* SPDX-License-Identifier: GPL-2.0 */
/* Which devices and control groups of a file are there: they come and go. */
#ifndef VIFCTL_PRESENT_H
#define VIFCTL_PRESENT_H

#include "nnfs.h"
#include "wanted.h"

/**
 * present_look - look which are there
 * @wanted: the file; "now" of each presence is set
 * @fs: the file system
 *
 * Return: whether any has come or gone since the last look.
 */
bool present_look(struct wanted *wanted, const struct nnfs *fs);

/*
 * What has gone since the last look, or is another one now, is taken for not there. Return:
 * whether there is any.
 */
bool present_lose(struct wanted *wanted, const struct nnfs *fs);

/* Whether it is there, and has not been restored: it was not before, or is another one. */
bool present_is_new(const struct presence *presence);
/* The same of the device of a part. */
bool present_is_part_new(const struct wanted_part *part);

/* Begins a round: none has failed. Which parts have news? Return: whether any has. */
bool present_find_news(struct wanted *wanted);

/* Whether nothing is missing of what the file names. */
bool present_all(const struct wanted *wanted);

/* A line for each that is missing. */
void present_say_missing(const struct wanted *wanted, struct lines *lines);

/* What is there has been restored, of all parts that have not failed. */
void present_done(struct wanted *wanted);

#endif
