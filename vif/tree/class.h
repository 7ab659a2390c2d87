/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Classes: numbers by which a program names the VIFs directly below its own. In each direction, a
 * VIF has one class or none, which no sibling has.
 */
#ifndef NETNICE_VIF_TREE_CLASS_H
#define NETNICE_VIF_TREE_CLASS_H

#include <linux/rcupdate.h>

#include "tree.h"

/**
 * __vif_class_check() - would a VIF's class be its own?
 * @vif: the VIF
 * @parent: the one above it, or that is to be, with an @inner or without
 * @dir: direction
 * @class: 0: none
 *
 * Context: caller holds the tree mutex.
 * Return: 0, or -EEXIST with a sentence in last_error.
 */
int __vif_class_check(const struct vif *vif, const struct vif *parent, enum vif_dir dir,
		      u32 class);

/* A VIF leaves the tree, or is to be below another one. Caller holds the tree mutex. */
void __vif_class_leave(struct vif *vif, enum vif_dir dir);
void __vif_class_move(struct vif *vif, const struct vif *parent, enum vif_dir dir);

/* A VIF's class is to be another one, or the same. Caller holds the tree mutex. */
void __vif_class_change(struct vif *vif, enum vif_dir dir, u32 class);

/**
 * vif_class_find() - the VIF of a class
 * @parent: right below which
 * @dir: direction
 * @class: any number
 *
 * Context: any, caller holds rcu_read_lock().
 * Return: valid under rcu_read_lock(), its last reference may be gone; NULL if there is none.
 */
static inline struct vif *vif_class_find(const struct vif *parent, enum vif_dir dir, u32 class)
{
	/* pairs with __vif_adopt(): it is never taken away */
	const struct vif_inner *inner = smp_load_acquire(&parent->inner);

	if (!inner || !class || class > VIF_CLASS_MAX)
		return NULL;
	return rcu_dereference(inner->of_class[dir][class - 1]);
}

#endif
