/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETNICE_TOOL_DEVICES_H
#define NETNICE_TOOL_DEVICES_H

#include <stdbool.h>

#include "netdev.h"
#include "nnfs.h"

/**
 * devices_choose - choose the devices on which VIFs are created
 * @fs: the file system
 * @named: the devices that the user named; empty: all devices that are up
 * @one: if none is named, choose only the device of the default route
 * @devs: the devices are added to this list
 *
 * Return: 0; or, after a message, 1: a device that is up has no VIF, or -1: there is no device.
 */
int devices_choose(const struct nnfs *fs, const struct netdev_list *named, bool one,
		   struct netdev_list *devs);

/* Add all devices that have VIFs, even lo and devices that are down. Return: 0, or -1 after a message. */
int devices_all(const struct nnfs *fs, struct netdev_list *devs);

#endif
