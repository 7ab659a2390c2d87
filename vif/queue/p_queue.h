/* SPDX-License-Identifier: GPL-2.0 */
/*
 * p_queue: packets that have entered a VIF in one direction and wait, kept
 * per flow. Flows take turns, new ones first (deficit round robin, by
 * net/fq_impl.h), and CoDel (net/codel_impl.h) signals congestion to those
 * whose packets wait for too long.
 *
 * All p_queues of a shaper share a table of flows (p_queue_slot.h) and memory
 * (p_queue_memory.h): the pool. The caller
 * serializes all calls for a pool and its p_queues but the ones that say
 * otherwise, and frees dropped packets after releasing the lock.
 */
#ifndef NETNICE_VIF_P_QUEUE_H
#define NETNICE_VIF_P_QUEUE_H

#include <linux/jump_label.h>
#include <linux/skbuff.h>

#include "p_queue_types.h"

/*
 * Some VIF has or had a program (attach/program.h): the path of packets may depend on the queue of
 * their flow, so the sender must not be able to choose the flow.
 */
DECLARE_STATIC_KEY_FALSE(vif_program_some);

/**
 * p_queue_pool_init() - make a pool without memory for flows
 * @pool: the pool
 */
void p_queue_pool_init(struct p_queue_pool *pool);

/**
 * struct p_queue_flows - memory for the flows of a pool
 * @fq: holds the library's
 * @slot: ours
 */
struct p_queue_flows {
	struct fq fq;
	struct p_queue_slot *slot;
};

/**
 * p_queue_flows_alloc() - allocate it
 * @flows: result
 *
 * Context: process, without the lock.
 * Return: 0 or -ENOMEM.
 */
int p_queue_flows_alloc(struct p_queue_flows *flows);

/* The opposite, also for zeroed memory. Context: as above. */
void p_queue_flows_free(struct p_queue_flows *flows);

/**
 * p_queue_pool_swap() - put memory into a pool
 * @pool: the pool; no packet waits in it
 * @flows: to be used from now on, all zero for none; then holds the previous
 *	memory
 */
void p_queue_pool_swap(struct p_queue_pool *pool, struct p_queue_flows *flows);

/**
 * p_queue_create() - create a queue
 * @pool: the pool
 * @set: settings of its VIF; lives as long as the queue
 * @account: charged for queued packets, or NULL; lives as long as the queue
 *
 * Context: any.
 * Return: the queue or NULL.
 */
struct p_queue *p_queue_create(struct p_queue_pool *pool,
			       const struct vif_params_kept *set,
			       struct vif_account *account);

/**
 * p_queue_forget() - take a queue out of its pool
 * @pool: the pool
 * @queue: no packet waits in it
 */
void p_queue_forget(struct p_queue_pool *pool, struct p_queue *queue);

/* Free a queue that is in no pool any more, or NULL. Context: any. */
void p_queue_free(struct p_queue *queue);

/* The hash of the flow that a packet is of. Context: packet. */
u32 p_queue_flow(struct sk_buff *skb);

/**
 * p_queue_prepare() - prepare a packet for queueing, without the lock
 * @skb: the packet
 * @wire: its cost on the wire
 * @tag: its socket's, 0 if it has none
 * @same_flow: a prepared packet of the same flow, or NULL
 */
void p_queue_prepare(struct sk_buff *skb, const struct vif_wire *wire, u32 tag,
		     const struct vif_skb_cb *same_flow);

/**
 * p_queue_add() - have a packet wait for which there is room
 * @pool: the pool
 * @queue: the queue
 * @skb: the packet
 * @now_ns: the present time
 */
void p_queue_add(struct p_queue_pool *pool, struct p_queue *queue,
		 struct sk_buff *skb, u64 now_ns);

/**
 * p_queue_take() - take a packet out
 * @pool: the pool
 * @queue: the queue
 * @now_ns: the present time
 *
 * Return: the packet, or NULL: none is left, as the last ones have been dropped, by CoDel
 *	or for a packet that did not fit nevertheless, or were pulled out.
 */
struct sk_buff *p_queue_take(struct p_queue_pool *pool, struct p_queue *queue,
			     u64 now_ns);

/**
 * p_queue_clear() - take a packet out, past CoDel and uncounted
 * @pool: the pool
 * @queue: the queue
 *
 * Return: the packet, or NULL: none is left.
 */
struct sk_buff *p_queue_clear(struct p_queue_pool *pool, struct p_queue *queue);

/**
 * p_queue_move() - p_queue_clear() for a packet that moves to another queue
 * @pool: the pool
 * @queue: the queue
 *
 * It stays counted in @pool->away, which the caller clears. Until then, no more is moved than
 * there is memory, however many packets arrive in the meantime.
 * Return: as p_queue_clear().
 */
struct sk_buff *p_queue_move(struct p_queue_pool *pool, struct p_queue *queue);

/**
 * p_queue_pull() - take out all packets of a socket, uncounted
 * @pool: the pool
 * @queue: the queue
 * @tag: not 0
 *
 * Looks at all that waits in the queue, unless there can be none, or it was asked
 * too often for the packets that have come.
 * Return: their number; they are appended to @pool->pulled, each flow's in order.
 */
unsigned int p_queue_pull(struct p_queue_pool *pool, struct p_queue *queue,
			  u32 tag);

/**
 * p_queue_expire() - drop what keeps a network namespace that would else end
 * @pool: the pool
 * @from: flow to begin with: 0, then as the last call has left it
 * @now_ns: the present time
 * @most_ns: for how long packets of a queue may wait without their socket
 *
 * A packet keeps its socket, that its network namespace, that its devices, for which the packet
 * waits: if no clock lets it out, for ever. So packets are dropped whose socket has closed, other
 * than those of the initial namespace, which does not end.
 * Return: whether there may be more.
 */
bool p_queue_expire(struct p_queue_pool *pool, unsigned int *from, u64 now_ns,
		    u64 (*most_ns)(const struct p_queue *queue));

/**
 * p_queue_head() - the packet that is likely to be the next
 * @queue: the queue
 *
 * Return: the packet, NULL if there is none.
 */
struct sk_buff *p_queue_head(const struct p_queue *queue);

/* How long a packet has waited, in CoDel's ticks. */
static inline u32 p_queue_waited(const struct sk_buff *skb, u64 now_ns)
{
	return (u32)(now_ns >> SOJOURN_TICK_SHIFT) - vif_skb_cb(skb)->since;
}

int p_queue_init(void);
void p_queue_exit(void);

#endif
