/* SPDX-License-Identifier: GPL-2.0 */
/* netnice -v: run the command, and print how much it has sent and received. */
#ifndef NETNICE_TOOL_REPORT_H
#define NETNICE_TOOL_REPORT_H

#include "vif.h"

/**
 * report_run - run a function in a child process, and report the VIFs' counters
 * @set: the VIFs, to which the caller is attached
 * @with_later: include devices that came up later
 * @execute: executes the command, or returns an exit status if that fails
 * @command: argument for @execute
 *
 * Print a line to standard error for each device. SIGTERM and SIGHUP are forwarded to the command; it
 * gets SIGINT and SIGQUIT from the terminal. Return: the command's exit status, or 128 plus the signal
 * that terminated it.
 */
int report_run(const struct vif_set *set, bool with_later, int (*execute)(char **command),
	       char **command);

#endif
