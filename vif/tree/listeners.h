/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listeners of a network namespace, by slots: small numbers, which the cookies of their
 * connections have room for.
 *
 * Who has many is the last to get more: a user has fewer slots than are free before he
 * gets another one. One alone gets half of them, two a third each, and whoever comes late
 * finds some, unless there are a dozen who have all they may.
 */
#ifndef NETNICE_VIF_LISTENERS_H
#define NETNICE_VIF_LISTENERS_H

#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/xarray.h>

/* 0 is no slot. */
#define VIF_LISTENERS_BITS	12
#define VIF_LISTENERS_MAX	((1 << VIF_LISTENERS_BITS) - 1)

/**
 * struct vif_listeners - a namespace's
 * @slots: what is in them
 * @n: how many are taken; the lock of socket records, read without
 * @refs: holders: struct vif_net, each that is taken
 * @rcu: readers in packet context
 */
struct vif_listeners {
	struct xarray slots;
	unsigned int n;
	refcount_t refs;
	struct rcu_head rcu;
};

/* Referenced, or NULL without memory. Context: process. */
struct vif_listeners *vif_listeners_create(void);

/* Context: any. */
void vif_listeners_put(struct vif_listeners *listeners);

/**
 * vif_listeners_take() - have a slot
 * @listeners: the namespace's; valid under rcu_read_lock()
 * @what: what is to be in it
 * @has: how many slots whoever asks has
 *
 * Context: BH disabled, caller holds rcu_read_lock() and the lock of socket records.
 * Return: the slot, for vif_listeners_drop(); 0 if there is none for him, or no memory.
 */
unsigned int vif_listeners_take(struct vif_listeners *listeners, void *what,
				unsigned int has);

/* Give one back. Context: BH disabled, the lock of socket records held. */
void vif_listeners_drop(struct vif_listeners *listeners, unsigned int slot);

/* What is in a slot; under rcu_read_lock(), or NULL. */
static inline void *vif_listeners_find(struct vif_listeners *listeners,
				       unsigned int slot)
{
	return xa_load(&listeners->slots, slot);
}

#endif
