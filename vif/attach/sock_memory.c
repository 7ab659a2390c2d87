// SPDX-License-Identifier: GPL-2.0
#include "sock_memory.h"

#include <linux/slab.h>

#include "../tree/listeners.h"
#include "raw.h"
#include "reserve.h"
#include "sock_payer.h"
#include "sock_record_priv.h"

/*
 * So many can be taken before a worker has run. Other kernels want one where a record has gone
 * between a look at it and the lock.
 */
#define SPARES		(IS_ENABLED(CONFIG_PREEMPT_RT) ? 256 : 8)

#define RESERVE(item, type, most) \
	[item] = VIF_RESERVE_INIT(spares[item], type, most, &vif_sock_spinlock)

static struct vif_reserve spares[VIF_SOCK_ITEMS] = {
	RESERVE(VIF_SOCK_RECORD, struct vif_sock, SPARES),
	RESERVE(VIF_SOCK_PAYER, struct vif_sock_payer, SPARES / 8),
	RESERVE(VIF_SOCK_LEAF, struct vif_listeners_leaf, SPARES / 8),
};

void vif_sock_memory_get(struct vif_sock_memory *memory, enum vif_sock_item item)
{
	if (vif_context_is_raw())
		return;
	memory->item[item] = kzalloc(spares[item].size,
				     GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!memory->item[item])
		memory->refused = true;
}

void *__vif_sock_memory_take(struct vif_sock_memory *memory, enum vif_sock_item item)
{
	void *taken = memory->item[item];

	memory->item[item] = NULL;
	if (!taken && !memory->refused)
		taken = __vif_reserve_take(&spares[item]);
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
	unsigned int i;

	for (i = 0; i < VIF_SOCK_ITEMS; i++)
		vif_reserve_fill(&spares[i]);
}

void vif_sock_memory_exit(void)
{
	unsigned int i;

	for (i = 0; i < VIF_SOCK_ITEMS; i++)
		vif_reserve_drain(&spares[i]);
}
