/* SPDX-License-Identifier: GPL-2.0 */
/* netnice -v: running the command, and printing afterwards how much it has sent and received. */
#ifndef NETNICE_TOOL_REPORT_H
#define NETNICE_TOOL_REPORT_H

#include "vif.h"

/**
 * report_run - run a function in a child, and report what has passed the VIFs
 * @set: the VIFs, to which the caller is attached
 * @execute: executes the command, or returns the exit status of its failure
 * @command: its argument
 *
 * A line of standard error for each device. SIGTERM and SIGHUP are passed on to the command; SIGINT and
 * SIGQUIT reach it from the terminal. Return: its exit status; 128 and the signal that has ended it.
 */
int report_run(const struct vif_set *set, int (*execute)(char **command), char **command);

#endif
