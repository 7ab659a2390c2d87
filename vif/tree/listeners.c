// SPDX-License-Identifier: GPL-2.0
#include "listeners.h"

#include <linux/bitmap.h>
#include <linux/slab.h>

struct vif_listeners *vif_listeners_create(void)
{
	struct vif_listeners *listeners;

	listeners = kzalloc(sizeof(*listeners), GFP_KERNEL_ACCOUNT);
	if (!listeners)
		return NULL;
	refcount_set(&listeners->refs, 1);
	return listeners;
}

static void vif_free_listeners(struct rcu_head *rcu)
{
	struct vif_listeners *listeners = container_of(rcu, struct vif_listeners, rcu);
	unsigned int i;

	for (i = 0; i < VIF_LISTENERS_LEAVES; i++)
		kfree(rcu_access_pointer(listeners->leaf[i]));
	kfree(listeners);
}

void vif_listeners_put(struct vif_listeners *listeners)
{
	if (refcount_dec_and_test(&listeners->refs))
		call_rcu(&listeners->rcu, vif_free_listeners);
}

/* The lock of socket records, which is not known here, or rcu_read_lock() is held. */
static struct vif_listeners_leaf *
vif_listeners_leaf_of(struct vif_listeners *listeners, unsigned int i)
{
	return rcu_dereference_check(listeners->leaf[i], true);
}

/* Return the first leaf that has room, or does not exist; VIF_LISTENERS_LEAVES: all are full. */
static unsigned int vif_listeners_first_free(struct vif_listeners *listeners)
{
	struct vif_listeners_leaf *leaf;
	unsigned int i;

	for (i = 0; i < VIF_LISTENERS_LEAVES; i++) {
		leaf = vif_listeners_leaf_of(listeners, i);
		if (!leaf || !bitmap_full(leaf->taken, VIF_LISTENERS_LEAF))
			break;
	}
	return i;
}

bool vif_listeners_want_leaf(struct vif_listeners *listeners)
{
	unsigned int i = vif_listeners_first_free(listeners);

	return i < VIF_LISTENERS_LEAVES && !vif_listeners_leaf_of(listeners, i);
}

void vif_listeners_add_leaf(struct vif_listeners *listeners, struct vif_listeners_leaf *leaf)
{
	unsigned int i = vif_listeners_first_free(listeners);

	/* 0 is no slot */
	if (!i)
		__set_bit(0, leaf->taken);
	rcu_assign_pointer(listeners->leaf[i], leaf);
}

unsigned int vif_listeners_take(struct vif_listeners *listeners, void *what,
				unsigned int has)
{
	unsigned int at, i = vif_listeners_first_free(listeners);
	struct vif_listeners_leaf *leaf;

	leaf = i < VIF_LISTENERS_LEAVES ? vif_listeners_leaf_of(listeners, i) : NULL;
	if (!leaf || has >= VIF_LISTENERS_MAX - listeners->n ||
	    !refcount_inc_not_zero(&listeners->refs))
		return 0;
	at = find_first_zero_bit(leaf->taken, VIF_LISTENERS_LEAF);
	__set_bit(at, leaf->taken);
	rcu_assign_pointer(leaf->at[at], what);
	WRITE_ONCE(listeners->n, listeners->n + 1);
	return i * VIF_LISTENERS_LEAF + at;
}

void vif_listeners_drop(struct vif_listeners *listeners, unsigned int slot)
{
	struct vif_listeners_leaf *leaf =
		vif_listeners_leaf_of(listeners, slot / VIF_LISTENERS_LEAF);

	RCU_INIT_POINTER(leaf->at[slot % VIF_LISTENERS_LEAF], NULL);
	__clear_bit(slot % VIF_LISTENERS_LEAF, leaf->taken);
	WRITE_ONCE(listeners->n, listeners->n - 1);
	vif_listeners_put(listeners);
}
