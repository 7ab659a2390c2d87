/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flow slots that the p_queues of a pool share, and their assignment.
 *
 * A flow has a slot while packets of it wait. The library keeps one that has ended
 * in its queue for another turn, so that it does not come back as a new one: a slot
 * may be taken from it nevertheless, or flows that have ended would keep others out
 * for as long as nothing more leaves their VIF.
 *
 * The owner of many slots is the last to get more: a VIF gets another slot only while it has
 * fewer slots than are free, and so do all VIFs of a user together. One alone gets half of them,
 * two a third each, and a late owner always finds some.
 */
#ifndef NETNICE_VIF_P_QUEUE_SLOT_H
#define NETNICE_VIF_P_QUEUE_SLOT_H

#include "p_queue_types.h"

/* Slots of a pool; a power of two. */
#define P_QUEUE_SLOTS	1024

/* The flow with this index is not assigned: a lookup of it gets the overflow flow. */
#define P_QUEUE_NO_SLOT	P_QUEUE_SLOTS

/**
 * struct p_queue_slot - what the library does not keep for a flow
 * @vars: CoDel's state
 * @hash: of the flow that has, or had, the slot
 * @spent: the flow has used up its turn, and has not been served since
 */
struct p_queue_slot {
	struct codel_vars vars;
	u32 hash;
	bool spent;
};

/**
 * p_queue_slot_find() - find a flow's slot, or a free one
 * @pool: the pool, which has memory
 * @queue: the flow's queue
 * @hash: the flow's
 *
 * Return: the index, P_QUEUE_NO_SLOT if there is none. In a slot that is not the
 *	flow's own, no packet is queued, but it may still be linked to a queue.
 */
u32 p_queue_slot_find(const struct p_queue_pool *pool,
		      const struct p_queue *queue, u32 hash);

/**
 * p_queue_slot_next() - a queue in whose slots a socket's flow waits
 * @pool: the pool
 * @hash: the flow's
 * @tag: the socket's, 0 if it has none
 * @from: 0, or the last one's *@from, which is advanced
 *
 * Return: the queue, or NULL: there are no more. A flow has few slots in which it may be,
 *	however many queues there are.
 */
struct p_queue *p_queue_slot_next(const struct p_queue_pool *pool, u32 hash, u32 tag,
				  unsigned int *from);

/* A slot gets its first packet (1), or loses its last one (-1). */
void p_queue_slot_count(struct p_queue_pool *pool, struct p_queue *queue,
			int n);

#endif
