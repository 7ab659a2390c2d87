/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETNICE_TOOL_DEVICES_H
#define NETNICE_TOOL_DEVICES_H

#include <stdbool.h>

#include "netdev.h"
#include "nnfs.h"

/**
 * devices_choose - on which devices VIFs are made
 * @fs: the file system
 * @named: those that are named; none: all that are up
 * @one: or the one of the default route
 * @devs: they are added to these
 *
 * Return: 0; after a message 1: a device that is up has no VIF, or -1: there is none.
 */
int devices_choose(const struct nnfs *fs, const struct netdev_list *named, bool one,
		   struct netdev_list *devs);

/* Adds each device that has VIFs, also lo and those that are down. Return: 0, or -1 after a message. */
int devices_all(const struct nnfs *fs, struct netdev_list *devs);

#endif
