/* SPDX-License-Identifier: GPL-2.0 */
/* The daemon: wait for events, and handle them. */
#ifndef NETNICED_DAEMON_H
#define NETNICED_DAEMON_H

#include "rules.h"

/**
 * daemon_run - apply rules until a signal ends the daemon
 * @rules: the rules, which this frees
 * @path: files and folders of the rules, which are read again after SIGHUP
 * @count: number of paths
 *
 * act_open() has been called. VIFs and attachments stay at the end. Return: an exit status.
 */
int daemon_run(struct rules *rules, char *const *path, size_t count);

/* Apply the rules once to all VIFs, control groups and processes. */
void daemon_look(struct rules *rules);

#endif
