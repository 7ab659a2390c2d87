/* SPDX-License-Identifier: GPL-2.0 */
/* The daemon: wait for events, and handle them. */
#ifndef NETNICED_DAEMON_H
#define NETNICED_DAEMON_H

#include "rules.h"

/**
 * daemon_run - do what rules say until a signal ends it
 * @rules: the rules; it frees them
 * @path: where they were read, and are read again upon SIGHUP
 * @count: how many paths
 *
 * act_open() has been called. VIFs and attachments stay as they are. Return: an exit
 * status.
 */
int daemon_run(struct rules *rules, char *const *path, size_t count);

/* One round over VIFs, control groups and processes. */
void daemon_look(struct rules *rules);

#endif
