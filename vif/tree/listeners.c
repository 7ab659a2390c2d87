// SPDX-License-Identifier: GPL-2.0
#include "listeners.h"

#include <linux/slab.h>

struct vif_listeners *vif_listeners_create(void)
{
	struct vif_listeners *listeners;

	listeners = kzalloc(sizeof(*listeners), GFP_KERNEL_ACCOUNT);
	if (!listeners)
		return NULL;
	xa_init_flags(&listeners->slots, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	refcount_set(&listeners->refs, 1);
	return listeners;
}

/* When nobody holds it, it is empty: there are no nodes to be freed. */
void vif_listeners_put(struct vif_listeners *listeners)
{
	if (refcount_dec_and_test(&listeners->refs))
		kfree_rcu(listeners, rcu);
}

unsigned int vif_listeners_take(struct vif_listeners *listeners, void *what,
				unsigned int has)
{
	u32 slot;

	if (has >= VIF_LISTENERS_MAX - listeners->n ||
	    !refcount_inc_not_zero(&listeners->refs))
		return 0;
	if (xa_alloc(&listeners->slots, &slot, what,
		     XA_LIMIT(1, VIF_LISTENERS_MAX),
		     GFP_ATOMIC | __GFP_NOWARN)) {
		vif_listeners_put(listeners);
		return 0;
	}
	WRITE_ONCE(listeners->n, listeners->n + 1);
	return slot;
}

void vif_listeners_drop(struct vif_listeners *listeners, unsigned int slot)
{
	xa_erase(&listeners->slots, slot);
	WRITE_ONCE(listeners->n, listeners->n - 1);
	vif_listeners_put(listeners);
}
