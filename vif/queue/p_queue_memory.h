/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of queued packets in a pool, and its division.
 *
 * Thresholds are dynamic (A. Choudhury, E. Hahne, "Dynamic queue length thresholds for
 * shared-memory packet switches", 1998; their alpha is 1): the memory of an owner
 * with the new packet must not exceed the memory that is free then. This applies to a VIF and
 * the pool; to all VIFs of a user together and the pool; and to a VIF and user_queue, which its
 * user has for all pools. One alone gets half, two a third each, and so on: as much as each of
 * them has is left for the next one, from its first packet on. So a packet is never dropped for
 * another VIF's packet, and a user whose large flows fill one VIF still has room for small flows
 * in another VIF.
 *
 * The library has a limit of its own, beyond which it drops packets of whichever flow
 * has most. As something is always left, it is never reached.
 */
#ifndef NETNICE_VIF_P_QUEUE_MEMORY_H
#define NETNICE_VIF_P_QUEUE_MEMORY_H

#include <linux/rbtree.h>

#include "p_queue_types.h"

/**
 * struct p_queue_payer - memory of a user's VIFs in a pool
 * @node: in the pool, by @account
 * @account: the user's
 * @memory: truesize of queued packets
 * @queues: p_queues that count here
 */
struct p_queue_payer {
	struct rb_node node;
	const struct vif_account *account;
	u64 memory;
	unsigned int queues;
};

/* Bytes of memory for all that waits in a pool. */
u32 p_queue_memory_limit(void);

/* A queue with an account begins to count; false without memory. Context: any. */
bool p_queue_memory_join(struct p_queue_pool *pool, struct p_queue *queue);

/* Remove it; memory left in @queue->payer is freed with it. */
void p_queue_memory_leave(struct p_queue_pool *pool, struct p_queue *queue);

/* Is there room for a packet of this truesize? */
bool p_queue_memory_has_room(const struct p_queue_pool *pool,
			     const struct p_queue *queue, u32 truesize);

/* A packet begins, or with less than 0 bytes ends, to wait; see also vif_account_wait(). */
static inline void p_queue_memory_count(struct p_queue *queue, s64 bytes)
{
	queue->memory += bytes;
	if (queue->payer)
		queue->payer->memory += bytes;
}

#endif
