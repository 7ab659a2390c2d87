/* SPDX-License-Identifier: GPL-2.0 */
/* Notice network devices that appear while the daemon runs (rtnetlink). */
#ifndef NETNICED_DEVICES_H
#define NETNICED_DEVICES_H

#include <stdbool.h>

/* Return: a descriptor to be polled, or -1 after a message. */
int devices_open(void);

/*
 * Called with a device that is new or has changed. @is_new: it is new, or has a new name.
 * @is_called: its alternative names may have changed.
 */
typedef void (*devices_told)(const char *name, bool is_new, bool is_called, void *arg);

void devices_read(devices_told f, void *arg);

#endif
