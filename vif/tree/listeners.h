/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listeners of a network namespace, by slots: small numbers, which fit into the cookies of their
 * connections.
 *
 * The owner of many slots is the last to get more: a user gets another slot only while the user has
 * fewer slots than are free. One alone gets half of them, two a third each, and a late user finds
 * some, unless a dozen users have their maximum.
 */
#ifndef NETNICE_VIF_LISTENERS_H
#define NETNICE_VIF_LISTENERS_H

#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

/* 0 is no slot. */
#define VIF_LISTENERS_BITS	12
#define VIF_LISTENERS_MAX	((1 << VIF_LISTENERS_BITS) - 1)

/* Slots of a leaf, and leaves. */
#define VIF_LISTENERS_LEAF	64
#define VIF_LISTENERS_LEAVES	((VIF_LISTENERS_MAX + 1) / VIF_LISTENERS_LEAF)

/**
 * struct vif_listeners_leaf - slots in a row
 * @taken: used slots; the lock of socket records
 * @at: contents
 */
struct vif_listeners_leaf {
	DECLARE_BITMAP(taken, VIF_LISTENERS_LEAF);
	void __rcu *at[VIF_LISTENERS_LEAF];
};

/**
 * struct vif_listeners - a namespace's
 * @leaf: the slots, NULL as long as none of it has been needed; stays until the end
 * @n: how many are taken; the lock of socket records, read without
 * @refs: holders: struct vif_net, each that is taken
 * @rcu: readers in packet context
 */
struct vif_listeners {
	struct vif_listeners_leaf __rcu *leaf[VIF_LISTENERS_LEAVES];
	unsigned int n;
	refcount_t refs;
	struct rcu_head rcu;
};

/* Return the table with a reference, or NULL if there is no memory. Context: process. */
struct vif_listeners *vif_listeners_create(void);

/* Context: any. */
void vif_listeners_put(struct vif_listeners *listeners);

/*
 * Is memory wanted for the next slot? Context: the lock of socket records held; or under
 * rcu_read_lock(), as a guess.
 */
bool vif_listeners_want_leaf(struct vif_listeners *listeners);

/*
 * Takes over the leaf, which is zeroed, if vif_listeners_want_leaf(). Context: the lock of
 * socket records held.
 */
void vif_listeners_add_leaf(struct vif_listeners *listeners, struct vif_listeners_leaf *leaf);

/**
 * vif_listeners_take() - get a slot
 * @listeners: the namespace's; valid under rcu_read_lock()
 * @what: the contents of the slot
 * @has: number of slots that the requesting user has
 *
 * Context: caller holds rcu_read_lock() and the lock of socket records.
 * Return: the slot, for vif_listeners_drop(); 0 if there is none for this user, or
 *	vif_listeners_want_leaf().
 */
unsigned int vif_listeners_take(struct vif_listeners *listeners, void *what,
				unsigned int has);

/* Give one back. Context: the lock of socket records held. */
void vif_listeners_drop(struct vif_listeners *listeners, unsigned int slot);

/* Return the contents of a slot; under rcu_read_lock(), or NULL. */
static inline void *vif_listeners_find(const struct vif_listeners *listeners,
				       unsigned int slot)
{
	const struct vif_listeners_leaf *leaf;

	leaf = rcu_dereference(listeners->leaf[slot / VIF_LISTENERS_LEAF]);
	return leaf ? rcu_dereference(leaf->at[slot % VIF_LISTENERS_LEAF]) : NULL;
}

#endif
