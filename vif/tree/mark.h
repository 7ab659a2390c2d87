/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values written to packets that a VIF sends: DSCP, mark, priority. Each comes from the nearest VIF
 * on the path that has one, or from the outermost one that forces it.
 *
 * The result is stored in each VIF, so packets need not walk up. A removed VIF keeps its last
 * result.
 */
#ifndef NETNICE_VIF_TREE_MARK_H
#define NETNICE_VIF_TREE_MARK_H

#include <linux/jump_label.h>

#include "tree.h"

/* Has any VIF one, or has had one? For good: to change code holds up all CPUs. */
DECLARE_STATIC_KEY_FALSE(vif_mark_some);

/**
 * vif_mark_holds() - return the value in force for a VIF
 * @vif: the VIF
 * @which: the kind
 * @mask: result: which bits are written; 0: nothing is
 *
 * Context: any, caller holds a reference or rcu_read_lock().
 * Return: the value.
 */
static inline u32 vif_mark_holds(const struct vif *vif, enum vif_marks which, u32 *mask)
{
	u64 holds = atomic64_read(&vif->mark[which]);

	*mask = holds >> 32;
	return holds;
}

/**
 * __vif_mark_check() - may the caller set the values that a VIF writes to packets?
 * @vif: the VIF
 * @want: the new values; others stay
 *
 * A mark, and priorities that programs may not set themselves, can be set and removed only by
 * administrators of the network namespace.
 * Context: process; caller holds the tree mutex.
 * Return: 0, or -EPERM with a sentence in last_error.
 */
int __vif_mark_check(const struct vif *vif, const struct vif_params *want);

/* It, or its place, has been changed: of a VIF, and of all below. Caller holds the tree mutex. */
void __vif_mark_refresh(struct vif *vif);

#endif
