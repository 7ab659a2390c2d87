/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages about a unit, in the journal under the unit's name. They do not go to our standard
 * error, which may be the connection that the unit serves.
 */
#ifndef NETNICE_UNITS_JOURNAL_H
#define NETNICE_UNITS_JOURNAL_H

#include <stdbool.h>

/* What is complained of from now on is about @unit. */
void journal_begin(const char *unit);

/* Tells it, or forgets it. Where there is no journal it is told on standard error. */
void journal_end(bool tells);

#endif
