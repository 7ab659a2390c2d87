/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of VIFs, at most one for each device: what something is attached to.
 *
 * Sets are shared, by a parent and its children for instance, and never change:
 * whoever is attached elsewhere gets a changed copy. But a device that goes takes
 * its entries out of them.
 */
#ifndef NETNICE_VIF_SET_H
#define NETNICE_VIF_SET_H

#include <linux/rcupdate.h>
#include <linux/refcount.h>

struct vif;
struct vif_dev;
struct vif_net;

/**
 * struct vif_set - a set of VIFs
 * @refs: subjects that share it
 * @rcu: readers in packet context
 * @count: entries
 * @vif: each referenced, NULL for a device that has gone
 */
struct vif_set {
	refcount_t refs;
	struct rcu_head rcu;
	unsigned int count;
	struct vif __rcu *vif[];
};

static inline struct vif_set *vif_set_get(struct vif_set *set)
{
	if (set)
		refcount_inc(&set->refs);
	return set;
}

/* @set may be NULL. Context: any. */
void vif_set_put(struct vif_set *set);

/**
 * vif_set_find() - the VIF on a device
 * @set: the set, or NULL for an empty one
 * @vdev: the device
 *
 * Context: inside RCU.
 * Return: valid inside RCU, or NULL.
 */
struct vif *vif_set_find(const struct vif_set *set, const struct vif_dev *vdev);

/**
 * vif_set_nth() - one VIF after the other
 * @set: the set, or NULL for an empty one
 * @vn: only devices of this namespace count
 * @index: from 0
 *
 * Context, return: as vif_set_find().
 */
struct vif *vif_set_nth(const struct vif_set *set, const struct vif_net *vn,
			unsigned int index);

/**
 * vif_set_change() - a copy with another VIF for a device
 * @set: the set, or NULL for an empty one
 * @vdev: the device
 * @new: the VIF, NULL for none
 *
 * Context: process; no device leaves the set meanwhile.
 * Return: the copy, referenced, or NULL without memory.
 */
struct vif_set *vif_set_change(const struct vif_set *set,
			       const struct vif_dev *vdev, struct vif *new);

/* Take out the VIF of a device that goes. Context: process, inside RCU. */
void vif_set_forget(struct vif_set *set, const struct vif_dev *vdev);

/* Count one attachment more for each VIF of the set. Inside RCU. */
void vif_set_count_in(const struct vif_set *set);

/* One less; VIFs may have to go, which happens in a work item. Inside RCU. */
void vif_set_count_out(const struct vif_set *set);

#endif
