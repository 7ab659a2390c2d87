/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of VIFs: the attachments of a subject. For each device a set has at most one VIF that an
 * administrator has given, and at most one that a user has chosen, which must be below the first
 * one.
 *
 * Sets are shared, for example by a parent and its children, and do not change: a new attachment
 * makes a changed copy. There is one exception: entries of a removed device are taken out later,
 * and not reported until then.
 */
#ifndef NETNICE_VIF_SET_H
#define NETNICE_VIF_SET_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>

#include "../tree/kind.h"

struct vif;
struct vif_dev;
struct vif_net;

/**
 * struct vif_set_entry - a VIF of a set
 * @vif: referenced, NULL if its device has gone
 * @origin: administrator or user
 */
struct vif_set_entry {
	struct vif __rcu *vif;
	enum vif_origin origin;
};

/**
 * struct vif_set - a set of VIFs
 * @refs: subjects that share it
 * @rcu: readers in packet context
 * @level: of a control group's set, which is not inherited: counted by its VIFs' devices;
 *	VIF_LEVEL_NONE for other kinds
 * @count: entries
 * @entry: in no particular order
 */
struct vif_set {
	refcount_t refs;
	struct rcu_head rcu;
	int level;
	unsigned int count;
	struct vif_set_entry entry[];
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
 * vif_set_find() - find the VIFs of a device
 * @set: the set, or NULL for an empty one
 * @vdev: the device
 * @vif: result, by enum vif_origin; an element is NULL if there is no VIF
 *
 * Context: caller holds rcu_read_lock().
 */
void vif_set_find(const struct vif_set *set, const struct vif_dev *vdev,
		  struct vif *vif[VIF_ORIGINS]);

/**
 * vif_set_count() - how many VIFs are in a set
 * @set: the set, or NULL for an empty one
 * @vn: only devices of this namespace count, NULL for all
 *
 * Context: caller holds rcu_read_lock().
 */
unsigned int vif_set_count(const struct vif_set *set, const struct vif_net *vn);

/* Is a VIF in a set, or NULL for an empty one? Caller holds rcu_read_lock(). */
bool vif_set_has(const struct vif_set *set, const struct vif *vif);

/**
 * vif_set_next() - walk the VIFs that are shown
 * @set: the set, or NULL for an empty one
 * @vn: only devices of this namespace count
 * @index: in: where to begin, 0 for the first; out: where the VIF was found
 *
 * Context: caller holds rcu_read_lock().
 * Return: valid under rcu_read_lock(), or NULL.
 */
struct vif *vif_set_next(const struct vif_set *set, const struct vif_net *vn,
			 unsigned int *index);

/**
 * vif_set_shown_on() - the VIF that is shown on a device, by number
 * @set: the set, or NULL for an empty one
 * @vn: the device's namespace
 * @root_ino: of its root VIF
 *
 * Context: caller holds rcu_read_lock().
 * Return: valid under rcu_read_lock(), or NULL.
 */
struct vif *vif_set_shown_on(const struct vif_set *set, const struct vif_net *vn,
			     u64 root_ino);

/**
 * vif_set_change() - copy a set with another VIF for a device
 * @set: the set, or NULL for an empty one; entries of removed devices are not copied
 * @vdev: the device
 * @origin: the entry to change; with the administrator's entry, the user's is removed too
 * @new: the VIF, NULL for none
 * @level: level of the control group that has the set, or VIF_LEVEL_NONE; @vdev has room for it
 *
 * Context: process; attach mutex held.
 * Return: the copy, referenced, or NULL without memory.
 */
struct vif_set *vif_set_change(struct vif_set *set,
			       const struct vif_dev *vdev, enum vif_origin origin,
			       struct vif *new, int level);

/*
 * Take out the VIFs of devices that have gone. Caller holds the attach mutex and
 * rcu_read_lock().
 */
void vif_set_forget(struct vif_set *set);

/* Count one attachment more for each VIF of the set. Caller holds rcu_read_lock(). */
void vif_set_count_in(const struct vif_set *set);

/* Drop a reference; VIFs may be removed, in a work item. Caller holds rcu_read_lock(). */
void vif_set_count_out(const struct vif_set *set);

/* Charges for the attachments of a subject (queue/account.h has the limits). */

/**
 * vif_charge_attachment() - charge a VIF to the running task's user
 * @charges: the subject's
 * @vdev: the VIF's device, NULL if the subject only gets an entry
 * @origin: the VIF's
 *
 * A charge that exists, or that is left from an attachment that is gone, is not made again.
 * Context: process; the attach mutex is held, or the subject is not published yet.
 * Return: 0, -EDQUOT the user's limit is reached, -ENOMEM.
 */
int vif_charge_attachment(struct hlist_head *charges, const struct vif_dev *vdev,
			  enum vif_origin origin);

/*
 * Drop charges of VIFs that are not in the set, except the charge for the entry. Caller holds the
 * attach mutex and rcu_read_lock().
 */
void vif_charge_settle(struct hlist_head *charges, const struct vif_set *set);

/* Drop all charges. Context: any; the subject is not reachable any more. */
void vif_charge_free(struct hlist_head *charges);

#endif
