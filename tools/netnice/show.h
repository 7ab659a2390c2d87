/* SPDX-License-Identifier: GPL-2.0 */
/* Attachments of a process, and the limits that apply to it. */
#ifndef NETNICE_TOOL_SHOW_H
#define NETNICE_TOOL_SHOW_H

#include "netdev.h"
#include "subject.h"

/**
 * show - print the VIF on each device, and those above it
 * @fs: the file system
 * @devs: the devices
 * @subject: who
 *
 * A line for each: the path, then what is set otherwise than in a new VIF.
 * Return: 0, or -1 after a message.
 */
int show(const struct nnfs *fs, const struct netdev_list *devs,
	 const struct subject *subject);

#endif
