/* SPDX-License-Identifier: GPL-2.0 */
/* Attachments of a process, and the limits that apply to it. */
#ifndef NETNICE_TOOL_SHOW_H
#define NETNICE_TOOL_SHOW_H

#include "netdev.h"
#include "subject.h"

/**
 * show - print the VIF of a subject on each device, and the VIFs above it
 * @fs: the file system
 * @devs: the devices
 * @subject: the subject
 *
 * Print a line for each VIF: its path, and the settings that differ from those of a new VIF.
 * Return: 0, or -1 after a message.
 */
int show(const struct nnfs *fs, const struct netdev_list *devs,
	 const struct subject *subject);

#endif
