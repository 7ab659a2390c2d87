// SPDX-License-Identifier: GPL-2.0
#include "sock_memory.h"

#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../tree/listeners.h"
#include "../tree/net.h"
#include "raw.h"
#include "sock_payer.h"
#include "sock_record_priv.h"

/*
 * So many can be taken before a worker has run. Other kernels want one where a record has gone
 * between a look at it and the lock.
 */
#define SPARES		(IS_ENABLED(CONFIG_PREEMPT_RT) ? 256 : 8)

/**
 * struct spares - of one kind
 * @size: of each
 * @most: how many are kept
 * @first: the first one, which begins with a pointer to the next; lock of socket records
 * @count: ditto
 */
struct spares {
	const size_t size;
	const unsigned int most;
	void **first;
	unsigned int count;
};

static struct spares spares[VIF_SOCK_ITEMS] = {
	[VIF_SOCK_RECORD] = { sizeof(struct vif_sock), SPARES },
	[VIF_SOCK_PAYER] = { sizeof(struct vif_sock_payer), SPARES / 8 },
	[VIF_SOCK_LEAF] = { sizeof(struct vif_listeners_leaf), SPARES / 8 },
};

static void vif_sock_add_spare(struct spares *its, void **spare)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&vif_sock_spinlock, flags);
	*spare = its->first;
	its->first = spare;
	WRITE_ONCE(its->count, its->count + 1);
	raw_spin_unlock_irqrestore(&vif_sock_spinlock, flags);
}

static void vif_sock_refill(struct work_struct *work)
{
	struct spares *its;
	void *spare;

	for (its = spares; its < spares + VIF_SOCK_ITEMS; its++)
		while (READ_ONCE(its->count) < its->most) {
			spare = kzalloc(its->size, GFP_KERNEL);
			if (!spare)
				return;
			vif_sock_add_spare(its, spare);
		}
}

static DECLARE_WORK(vif_sock_refill_work, vif_sock_refill);

void vif_sock_memory_get(struct vif_sock_memory *memory, enum vif_sock_item item)
{
	if (vif_context_is_raw())
		return;
	memory->item[item] = kzalloc(spares[item].size,
				     GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!memory->item[item])
		memory->refused = true;
}

static void *__vif_sock_get_spare(struct spares *its)
{
	void **spare = its->first;

	lockdep_assert_held(&vif_sock_spinlock);
	if (spare) {
		its->first = *spare;
		*spare = NULL;
		WRITE_ONCE(its->count, its->count - 1);
	}
	if (its->count < DIV_ROUND_UP(its->most, 2))
		queue_work(vif_wq_soon, &vif_sock_refill_work);
	return spare;
}

void *__vif_sock_memory_take(struct vif_sock_memory *memory, enum vif_sock_item item)
{
	void *taken = memory->item[item];

	memory->item[item] = NULL;
	if (!taken && !memory->refused)
		taken = __vif_sock_get_spare(&spares[item]);
	return taken;
}

void vif_sock_memory_put(struct vif_sock_memory *memory)
{
	unsigned int i;

	for (i = 0; i < VIF_SOCK_ITEMS; i++)
		kfree(memory->item[i]);
}

void vif_sock_memory_init(void)
{
	vif_sock_refill(NULL);
}

void vif_sock_memory_exit(void)
{
	struct spares *its;
	void **spare;

	cancel_work_sync(&vif_sock_refill_work);
	for (its = spares; its < spares + VIF_SOCK_ITEMS; its++)
		while ((spare = its->first)) {
			its->first = *spare;
			kfree(spare);
		}
}
