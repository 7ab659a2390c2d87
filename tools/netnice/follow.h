/* SPDX-License-Identifier: GPL-2.0 */
/* Devices that come up while a command or a process runs. */
#ifndef NETNICE_TOOL_FOLLOW_H
#define NETNICE_TOOL_FOLLOW_H

#include "vif.h"

/**
 * follow_start - limit a process also on devices that come up later
 * @set: the VIFs, to which the process is attached
 * @pid: the process
 *
 * Start a process "netnice.PID" in the background, which is no child of the caller, holds none of its
 * files, and is in none of the VIFs of @set. When a device comes up, it creates a VIF there with the
 * settings that the first one of @set then has, and attaches the processes of that VIF. It ends with the
 * last of these processes. If there is one for @pid already, start none.
 *
 * Return: 0, or -1 after a message.
 */
int follow_start(const struct vif_set *set, pid_t pid);

#endif
