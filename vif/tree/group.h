/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups: VIFs of one namespace, of one device or of several, that share the time of their
 * clocks (sched/group.h), by the number that is set of them. The numbers are those of who owns
 * what the VIF is below, as it takes him to set one: nobody meets somebody else's group.
 */
#ifndef NETNICE_VIF_TREE_GROUP_H
#define NETNICE_VIF_TREE_GROUP_H

#include "tree.h"

/**
 * __vif_group_make() - have there be a group
 * @above: below which VIF one is to be of it; or a root VIF, itself
 * @dir: direction
 * @number: its number; 0: none
 *
 * Who then does not have a VIF join it calls __vif_group_end_unused().
 * Context: process; caller holds the tree mutex.
 * Return: 0 or -ENOMEM.
 */
int __vif_group_make(const struct vif *above, enum vif_dir dir, u32 number);

/* Those that were made and no VIF is of. Caller holds the tree mutex. */
void __vif_group_end_unused(struct vif_net *vn);

/**
 * __vif_group_join() - have a VIF be of the group that its number is now
 * @vif: the VIF, whose number, place or owner has changed
 * @dir: direction
 *
 * If that could not be made it stays of the one that it is of.
 * Context: process; caller holds the tree mutex.
 */
void __vif_group_join(struct vif *vif, enum vif_dir dir);

/* A VIF's owner has changed, and by that the groups of those below. As above. */
void __vif_group_follow_owner(struct vif *vif);

/* A VIF has ended: it is of no group. Caller holds the tree mutex. */
void __vif_group_leave(struct vif *vif, enum vif_dir dir);

#endif
