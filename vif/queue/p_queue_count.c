// SPDX-License-Identifier: GPL-2.0
/*
 * Queued packets are counted on the wire, for the queue; by their memory, for the account and for
 * the pool (p_queue_memory.h); by flows that have slots (p_queue_slot.h) and the overflow flow,
 * which has none; and by tags.
 */
#include "p_queue_count.h"

#include "../trace/events.h"
#include "account.h"
#include "p_queue_memory.h"
#include "p_queue_slot.h"

void p_queue_count_in(struct p_queue_pool *pool, struct p_queue *queue, u32 slot,
		      const struct sk_buff *skb)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	queue->packets += cb->packets;
	queue->bytes += cb->bytes;
	p_queue_memory_count(queue, skb->truesize);
	vif_account_wait(queue->account, skb->truesize);
	queue->tagged[p_queue_tag(cb->tag)]++;
	if (slot == P_QUEUE_NO_SLOT)
		queue->overflow[p_queue_overflow(cb->flow)]++;
	else if (skb_queue_empty(&pool->fq.flows[slot].queue))
		p_queue_slot_count(pool, queue, 1);
}

void p_queue_count_out(struct p_queue_pool *pool, struct p_queue *queue,
		       const struct fq_flow *flow, const struct sk_buff *skb)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	queue->packets -= cb->packets;
	queue->bytes -= cb->bytes;
	p_queue_memory_count(queue, -(s64)skb->truesize);
	vif_account_wait(queue->account, -(s64)skb->truesize);
	queue->tagged[p_queue_tag(cb->tag)]--;
	if (flow == &queue->tin.default_flow)
		queue->overflow[p_queue_overflow(cb->flow)]--;
	else if (skb_queue_empty(&flow->queue))
		p_queue_slot_count(pool, queue, -1);
}

void p_queue_count_drop(struct p_queue_pool *pool, struct p_queue *queue,
			struct sk_buff *skb, enum vif_drop why)
{
	struct vif_skb_cb *cb = vif_skb_cb(skb);

	queue->drops += cb->packets;
	cb->drop = why;
	trace_netnice_drop(skb, skb->dev, queue->ino, queue->dir, cb->bytes, cb->packets,
			   why);
	__skb_queue_tail(&pool->dropped, skb);
}
