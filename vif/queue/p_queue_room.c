// SPDX-License-Identifier: GPL-2.0
/*
 * A packet that comes may find its queue at its limit, or no memory left (p_queue_memory.h).
 * Then the fattest flow of its queue loses packets, unless that is its own.
 */
#include "p_queue_room.h"

#include "p_queue_memory.h"
#include "p_queue_priv.h"
#include "p_queue_slot.h"

/* How many flows a search may look at for each packet that comes. */
#define SEARCH_CREDIT	64U

/**
 * struct level - what a queue held when a packet came
 * @bytes: on the wire
 * @packets: on the wire
 * @memory: their truesize
 *
 * Limits may have become less since, and more may be to go than could be dropped under
 * the lock at once: a packet takes the place of as much as itself.
 */
struct level {
	u64 bytes;
	u64 packets;
	u64 memory;
};

static bool p_queue_within_limit(const struct p_queue *queue,
				 const struct sk_buff *skb, const struct level *was)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	return !queue->packets ||
	       (queue->bytes + cb->bytes <= max(queue->params.most_bytes, was->bytes) &&
		queue->packets + cb->packets <=
		max(queue->params.most_packets, was->packets));
}

static bool p_queue_has_room(const struct p_queue_pool *pool,
			     const struct p_queue *queue, const struct sk_buff *skb,
			     const struct level *was)
{
	return p_queue_within_limit(queue, skb, was) &&
	       (queue->memory + skb->truesize <= was->memory ||
		p_queue_memory_has_room(pool, queue, skb->truesize));
}

/*
 * A search over all flows is paid for by credit: however many flows a user creates, a packet
 * costs at most SEARCH_CREDIT. Beyond that, the fattest flow seen so far is used.
 */
static struct fq_flow *p_queue_find_fattest(struct p_queue *queue)
{
	struct list_head *head[] = {
		&queue->tin.old_flows, &queue->tin.new_flows,
	};
	struct fq_flow *flow, *fattest = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(head); i++) {
		list_for_each_entry(flow, head[i], flowchain) {
			if (!queue->search_credit)
				return fattest;
			queue->search_credit--;
			if (!fattest || flow->backlog > fattest->backlog)
				fattest = flow;
		}
	}
	return fattest;
}

/* The flow of a packet that has none yet, has nothing. */
static const struct fq_flow *p_queue_own_flow(const struct p_queue_pool *pool,
					      const struct p_queue *queue,
					      const struct sk_buff *skb)
{
	u32 slot = p_queue_slot_find(pool, queue, vif_skb_cb(skb)->flow);

	return slot == P_QUEUE_NO_SLOT ? &queue->tin.default_flow :
					 &pool->fq.flows[slot];
}

/* Drop until the drops are as large as the new packet. */
static bool p_queue_drop_others(struct p_queue_pool *pool, struct p_queue *queue,
				const struct sk_buff *skb, const struct level *was)
{
	const struct fq_flow *own = p_queue_own_flow(pool, queue, skb);
	struct fq_flow *fattest;

	while (!p_queue_has_room(pool, queue, skb, was)) {
		fattest = p_queue_find_fattest(queue);
		if (!fattest || own->backlog + skb->len >= fattest->backlog)
			return false;
		p_queue_drop_some(pool, fattest);
	}
	return true;
}

bool p_queue_make_room(struct p_queue_pool *pool, struct p_queue *queue,
		       const struct sk_buff *skb)
{
	const struct level was = { queue->bytes, queue->packets, queue->memory };

	queue->search_credit = min(queue->search_credit + SEARCH_CREDIT,
				   2U * P_QUEUE_SLOTS);
	return p_queue_has_room(pool, queue, skb, &was) ||
	       p_queue_drop_others(pool, queue, skb, &was);
}
