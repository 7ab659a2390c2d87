/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users and groups that rules name and that were not known when these were read, as a directory
 * server may have been away: looked for again each minute, by a process of its own, as that may
 * take long.
 */
#ifndef NETNICED_USERS_H
#define NETNICED_USERS_H

#include "rules.h"

/* Return: a descriptor to be polled, or -1 after a message. */
int users_open(void);

/* From now on those of @rules, if there are any. */
void users_start(const struct rules *rules);

/* Return: whether one has become known. */
bool users_read(struct rules *rules);

#endif
