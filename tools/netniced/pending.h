/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that are to be looked at: each once, however much has happened to it
 * meanwhile, in the order in which something has happened first.
 */
#ifndef NETNICED_PENDING_H
#define NETNICED_PENDING_H

#include <stdbool.h>
#include <sys/types.h>

/* Return: whether there was room. */
bool pending_add(pid_t pid);

/* Return: whether it was one of them. */
bool pending_drop(pid_t pid);

/* Return: the first one, which is dropped; 0: there is none. */
pid_t pending_take(void);

#endif
