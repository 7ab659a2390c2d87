/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users and groups in rules that were unknown when the rules were read, for example because a
 * directory server was not available. They are looked up again each minute, by a child process,
 * because that may take long.
 */
#ifndef NETNICED_USERS_H
#define NETNICED_USERS_H

#include "rules.h"

/* Return: a descriptor to be polled, or -1 after a message. */
int users_open(void);

/* Look up the unknown users and groups of @rules from now on. */
void users_start(const struct rules *rules);

/* Read the result of a lookup. Return: whether a user or group has become known. */
bool users_read(struct rules *rules);

#endif
