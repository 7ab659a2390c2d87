/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is written to packets that a VIF sends: DSCP, mark, priority. Of each that of the nearest
 * VIF on the way up that has one, or else of the outermost one that forces it.
 *
 * What holds for a VIF is kept with it, so that packets need not go up. Of one that has been
 * removed it stays what it was then.
 */
#ifndef NETNICE_VIF_TREE_MARK_H
#define NETNICE_VIF_TREE_MARK_H

#include <linux/jump_label.h>

#include "tree.h"

/* Has any VIF one, or has had one? For good: to change code holds up all CPUs. */
DECLARE_STATIC_KEY_FALSE(vif_mark_some);

/**
 * vif_mark_holds() - what holds for a VIF
 * @vif: the VIF
 * @which: of these
 * @mask: result: which bits are written; 0: nothing is
 *
 * Context: any, caller holds a reference or rcu_read_lock().
 * Return: what they become.
 */
static inline u32 vif_mark_holds(const struct vif *vif, enum vif_marks which, u32 *mask)
{
	u64 holds = atomic64_read(&vif->mark[which]);

	*mask = holds >> 32;
	return holds;
}

/**
 * __vif_mark_check() - may the caller have a VIF write something to packets?
 * @vif: the VIF
 * @want: what is to be set of it; else it stays as it is
 *
 * A mark, and priorities that programs may not set themselves, are for administrators of the
 * network namespace, to set and to take away.
 * Context: process; caller holds the tree mutex.
 * Return: 0, or -EPERM with a sentence in last_error.
 */
int __vif_mark_check(const struct vif *vif, const struct vif_params *want);

/* It, or its place, has been changed: of a VIF, and of all below. Caller holds the tree mutex. */
void __vif_mark_refresh(struct vif *vif);

#endif
