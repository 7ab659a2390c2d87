// SPDX-License-Identifier: GPL-2.0
#include "reserve.h"

#include <linux/slab.h>

#include "../tree/net.h"

static void vif_reserve_add(struct vif_reserve *reserve, void **object)
{
	unsigned long flags;

	raw_spin_lock_irqsave(reserve->lock, flags);
	*object = reserve->first;
	reserve->first = object;
	WRITE_ONCE(reserve->count, reserve->count + 1);
	raw_spin_unlock_irqrestore(reserve->lock, flags);
}

void vif_reserve_fill(struct vif_reserve *reserve)
{
	void *object;

	while (READ_ONCE(reserve->count) < reserve->most) {
		object = kzalloc(reserve->size, GFP_KERNEL);
		if (!object)
			return;
		vif_reserve_add(reserve, object);
	}
}

void vif_reserve_refill_work(struct work_struct *work)
{
	vif_reserve_fill(container_of(work, struct vif_reserve, work));
}

void *__vif_reserve_take(struct vif_reserve *reserve)
{
	void **object = reserve->first;

	lockdep_assert_held(reserve->lock);
	if (object) {
		reserve->first = *object;
		*object = NULL;
		WRITE_ONCE(reserve->count, reserve->count - 1);
	}
	/* the caller does not wait for it */
	if (vif_reserve_is_low(reserve))
		queue_work(vif_wq_soon, &reserve->work);
	return object;
}

void vif_reserve_drain(struct vif_reserve *reserve)
{
	void **object;

	cancel_work_sync(&reserve->work);
	while ((object = reserve->first)) {
		reserve->first = *object;
		kfree(object);
	}
}
