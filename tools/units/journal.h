/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages about a unit, in the journal under the unit's name. They do not go to our standard
 * error, which may be the connection that the unit serves.
 */
#ifndef NETNICE_UNITS_JOURNAL_H
#define NETNICE_UNITS_JOURNAL_H

#include <stdbool.h>

/* Messages from now on are about @unit. */
void journal_begin(const char *unit);

/* Send the messages, or drop them. Without a journal they go to standard error. */
void journal_end(bool tells);

#endif
