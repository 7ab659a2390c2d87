/* SPDX-License-Identifier: GPL-2.0 */
/* The signals that the daemon takes: SIGHUP, SIGTERM and SIGINT. */
#ifndef NETNICED_SIGNALS_H
#define NETNICED_SIGNALS_H

#include <stdbool.h>

/* Blocks them. Return: a descriptor to be polled, or -1. */
int signals_open(void);

/* Takes the next one. Return: its number, or 0. */
int signals_read(void);

/* Whether the daemon is to end: asked by what may take long, which then stops. */
bool signals_end(void);

#endif
