/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clocks of a VIF: convert its bandwidth, burst and quota for the scheduler. Context of all
 * functions: process; caller holds the tree mutex.
 */
#ifndef NETNICE_VIF_TREE_CLOCKS_H
#define NETNICE_VIF_TREE_CLOCKS_H

#include "tree.h"

/*
 * Groups: VIFs of one namespace, of one device or several, that share the time of their clocks
 * (sched/group.h) by their group number. A number belongs to the user who owns the parent VIF, and
 * for a device's root VIF to the namespace's root. Only this user can set it, so users' groups are
 * always separate. If the parent VIF gets another owner, the VIFs below leave their groups. So a
 * group never changes its user.
 */

/**
 * __vif_group_check() - check if the caller may put a VIF into a group, and create the group
 * @vif: the VIF
 * @dir: direction
 * @number: number of the group, 0: none
 *
 * If the VIF does not join after all, call __vif_group_forget().
 * Context: process; caller holds the tree mutex. Sets last_error if it fails.
 * Return: 0, -EPERM or -ENOMEM.
 */
int __vif_group_check(const struct vif *vif, enum vif_dir dir, u32 number);

/* Drop prepared groups that were not set. Caller holds the tree mutex. */
void __vif_group_forget(const struct vif *vif, unsigned int dirs,
			const struct vif_params *params);

/* Put a VIF into the group whose number its settings have. Caller holds the tree mutex. */
void __vif_group_join(struct vif *vif, enum vif_dir dir);

/* Return the bytes of a default burst at @rate bytes per second. */
u64 __vif_burst(const struct vif *vif, enum vif_dir dir, u64 rate);

/**
 * __vif_clocks_set() - apply a VIF's settings
 * @vif: the VIF
 * @dir: direction
 * @quota: a new one, for which it has an extra, or none; NULL: unchanged
 */
void __vif_clocks_set(struct vif *vif, enum vif_dir dir, const struct vif_quota *quota);

/*
 * A VIF leaves the tree: it loses its quota, and packets that wait for it are dropped. Packets
 * behind the rate after a quota leave at this rate.
 */
void __vif_drop_quota(struct vif *vif);

/* A VIF has ended: it has no quota any more, and is of no group. */
void __vif_end_clocks(struct vif *vif);

#endif
