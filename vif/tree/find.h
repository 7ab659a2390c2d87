/* SPDX-License-Identifier: GPL-2.0 */
/* Find VIFs: by name, one after the other, or above another one. */
#ifndef NETNICE_VIF_FIND_H
#define NETNICE_VIF_FIND_H

#include "tree.h"

/* Is @vif below @top, or @top itself? Caller holds the tree mutex or rcu_read_lock(). */
bool vif_is_below(const struct vif *vif, const struct vif *top);

/**
 * vif_lookup_child() - find a VIF by name
 * @parent: the VIF to look in
 * @name: not terminated
 * @len: length of @name
 *
 * Context: process; takes the tree mutex.
 * Return: the VIF, referenced, or NULL.
 */
struct vif *vif_lookup_child(struct vif *parent, const char *name, size_t len);

/**
 * vif_child_after() - walk the VIFs below one in a stable order
 * @parent: the VIF
 * @ino: inode number of the last one seen, 0 for the first
 *
 * The walk finds VIFs that are created meanwhile, and no VIFs that are removed.
 * Context: process; takes the tree mutex.
 * Return: the one with the next greater inode number, referenced, or NULL.
 */
struct vif *vif_child_after(struct vif *parent, u64 ino);

/* The VIF of this name below @parent, or NULL. Caller holds the tree mutex. */
struct vif *__vif_find_child(struct vif *parent, const char *name, size_t len);

/* The one below @parent with the next greater number than @ino. Caller holds the tree mutex. */
struct vif *__vif_child_after(struct vif *parent, u64 ino);

/* The VIF after @vif in a walk of the tree below @root. Caller holds the tree mutex. */
struct vif *__vif_walk(const struct vif *root, struct vif *vif);

/* Parameters of a device's table of the names of VIFs. */
extern const struct rhashtable_params vif_names_params;

/**
 * __vif_enter() - have a VIF be found below another one
 * @vif: the VIF; its @name is as it was
 * @parent: where
 * @text: its name there, not terminated
 * @len: length of @text
 *
 * Context: caller holds the tree mutex.
 * Return: the name, or an error pointer.
 */
struct vif_name *__vif_enter(struct vif *vif, struct vif *parent,
			     const char *text, size_t len);

/* It is not found by a name any more. Caller holds the tree mutex. */
void __vif_unname(struct vif *vif, struct vif_name *name);

#endif
