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
 * vif_devices - where a unit is to have VIFs
 * @fs: the file system
 * @limits: what it says
 * @devices: empty; what there is of them
 *
 * Return: 0, or -1 after a message: there is none, or not all of them.
 */
int vif_devices(const struct nnfs *fs, const struct limits *limits, struct netdev_list *devices);

/**
 * vif_realise - have a unit's control group be attached to a VIF that is as it should be
 * @nn: the handle
 * @unit: the unit, which has a section and a group
 * @dev: the device
 *
 * Those of the slices above have to be there already. Return: 0, or -1 after messages.
 */
int vif_realise(struct netnice *nn, const struct unit *unit, const char *dev);

/* Whether the unit's group is attached to a VIF of ours. */
bool vif_is_there(const struct nnfs *fs, const struct unit *unit, const char *dev);

/* Before others of a tree are changed: no minimum stays above what it is to be. */
void vif_lower(struct netnice *nn, const struct unit *unit, const char *dev);

/* Without a section, or without the device: if the group is attached to a VIF of ours, not any more. */
void vif_drop(struct netnice *nn, const struct unit *unit, const char *dev);

#endif
