/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that still have to be placed, each once, whatever has happened to it meanwhile, in the
 * order of their first events.
 */
#ifndef NETNICED_PENDING_H
#define NETNICED_PENDING_H

#include <stdbool.h>
#include <sys/types.h>

/* Add a process. Return: whether there was room. */
bool pending_add(pid_t pid);

/* Remove a process. Return: whether it was in the list. */
bool pending_drop(pid_t pid);

/* Remove and return the first process; 0: there is none. */
pid_t pending_take(void);

#endif
