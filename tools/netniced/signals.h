/* SPDX-License-Identifier: GPL-2.0 */
/* The signals that the daemon takes: SIGHUP, SIGTERM and SIGINT. */
#ifndef NETNICED_SIGNALS_H
#define NETNICED_SIGNALS_H

#include <stdbool.h>

/* Block them. Return: a descriptor to be polled, or -1. */
int signals_open(void);

/* Read the next signal. Return: its number, or 0. */
int signals_read(void);

/* Must the daemon end? Functions that may take long check this, and return early. */
bool signals_end(void);

#endif
