// SPDX-License-Identifier: GPL-2.0
#include "p_queue_memory.h"

#include <linux/mm.h>
#include <linux/slab.h>

#include "account.h"

#define MEMORY_MOST	(64ULL << 20)
#define MEMORY_OF_RAM	32

u32 p_queue_memory_limit(void)
{
	return min_t(u64, MEMORY_MOST,
		     ((u64)totalram_pages() << PAGE_SHIFT) / MEMORY_OF_RAM);
}

static struct p_queue_payer *p_queue_payer_of(const struct rb_node *node)
{
	return rb_entry(node, struct p_queue_payer, node);
}

static int p_queue_compare(struct rb_node *new, const struct rb_node *node)
{
	uintptr_t a = (uintptr_t)p_queue_payer_of(new)->account;
	uintptr_t b = (uintptr_t)p_queue_payer_of(node)->account;

	return a < b ? -1 : a > b;
}

/* It keeps no reference to the account: each of its queues has a VIF which does. */
bool p_queue_memory_join(struct p_queue_pool *pool, struct p_queue *queue)
{
	struct p_queue_payer *payer;
	struct rb_node *found;

	if (!queue->account)
		return true;
	payer = kzalloc(sizeof(*payer), GFP_ATOMIC | __GFP_NOWARN);
	if (!payer)
		return false;
	payer->account = queue->account;
	found = rb_find_add(&payer->node, &pool->payers, p_queue_compare);
	if (found) {
		kfree(payer);
		payer = p_queue_payer_of(found);
	}
	payer->queues++;
	queue->payer = payer;
	return true;
}

void p_queue_memory_leave(struct p_queue_pool *pool, struct p_queue *queue)
{
	struct p_queue_payer *payer = queue->payer;

	if (!payer)
		return;
	if (--payer->queues)
		queue->payer = NULL;
	else
		rb_erase(&payer->node, &pool->payers);
}

bool p_queue_memory_has_room(const struct p_queue_pool *pool,
			     const struct p_queue *queue, u32 truesize)
{
	u64 most = max(queue->memory, queue->payer ? queue->payer->memory : 0);

	/* both times: memory that it has then, and memory that is free then */
	return pool->fq.memory_usage + pool->away + most + 2ULL * truesize <=
	       pool->fq.memory_limit &&
	       vif_account_has_room(queue->account, queue->memory + 2 * truesize);
}
