/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The VIFs of units. A VIF is named after its unit, and is below the VIF of the nearest attached
 * group above. The kernel removes it when the unit's control group is removed.
 */
#ifndef NETNICE_UNITS_VIF_H
#define NETNICE_UNITS_VIF_H

#include "handle.h"
#include "manager.h"
#include "netdev.h"

/**
 * vif_devices - find the devices on which a unit needs VIFs
 * @fs: the file system
 * @limits: its section
 * @devices: in: empty; out: the existing devices
 *
 * Return: 0, or -1 after a message: no device, or not every device, exists.
 */
int vif_devices(const struct nnfs *fs, const struct limits *limits, struct netdev_list *devices);

/**
 * vif_realise - attach a unit's control group to a VIF with the settings of its section
 * @nn: the handle
 * @unit: the unit, which has a section and a group
 * @dev: the device
 *
 * The VIFs of the slices above must exist already. Return: 0, or -1 after messages.
 */
int vif_realise(struct netnice *nn, const struct unit *unit, const char *dev);

/* Whether the unit's group is attached to a VIF of ours. */
bool vif_is_there(const struct nnfs *fs, const struct unit *unit, const char *dev);

/* Lower minima that will be lower. Called before other VIFs of a tree are changed. */
void vif_lower(struct netnice *nn, const struct unit *unit, const char *dev);

/* The unit has no section, or not on this device: detach its group from our VIF, if it is attached. */
void vif_drop(struct netnice *nn, const struct unit *unit, const char *dev);

#endif
