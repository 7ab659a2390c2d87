// SPDX-License-Identifier: GPL-2.0
#include "p_queue_slot.h"

#include "account.h"

/* Slots that a flow may have, by its hash; a power of two. */
#define SET	8

/* How well a slot suits a flow, the best last. */
enum fit {
	TAKEN,
	LINGERS,
	VACANT,
	WAS_ITS,
	ITS,
};

static enum fit p_queue_slot_fit(const struct p_queue_pool *pool,
				 const struct p_queue *queue, u32 index, u32 hash)
{
	const struct fq_flow *flow = &pool->fq.flows[index];
	bool same = pool->slot[index].hash == hash;

	if (!skb_queue_empty(&flow->queue))
		return same && flow->tin == &queue->tin ? ITS : TAKEN;
	if (flow->tin && flow->tin != &queue->tin)
		return LINGERS;
	if (same)
		return WAS_ITS;
	return flow->tin ? LINGERS : VACANT;
}

static bool p_queue_may_have_more(const struct p_queue_pool *pool,
				  const struct p_queue *queue)
{
	unsigned int free = P_QUEUE_SLOTS - pool->flows;

	return queue->flows < free &&
	       vif_account_flows(queue->account) < free;
}

/*
 * While a packet that may be of this flow waits in the overflow flow it gets no slot: it
 * would be overtaken.
 */
u32 p_queue_slot_find(const struct p_queue_pool *pool,
		      const struct p_queue *queue, u32 hash)
{
	u32 first = reciprocal_scale(hash, P_QUEUE_SLOTS / SET) * SET;
	u32 found = P_QUEUE_NO_SLOT, i;
	enum fit best = TAKEN;

	for (i = first; i < first + SET && best < ITS; i++) {
		enum fit this = p_queue_slot_fit(pool, queue, i, hash);

		if (this > best) {
			best = this;
			found = i;
		}
	}
	if (best < ITS && (queue->overflow[p_queue_overflow(hash)] ||
			   !p_queue_may_have_more(pool, queue)))
		return P_QUEUE_NO_SLOT;
	return found;
}

struct p_queue *p_queue_slot_next(const struct p_queue_pool *pool, u32 hash, u32 tag,
				  unsigned int *from)
{
	u32 first = reciprocal_scale(hash, P_QUEUE_SLOTS / SET) * SET;
	const struct fq_flow *flow;
	const struct sk_buff *head;

	while (pool->slot && *from < SET) {
		u32 index = first + (*from)++;

		flow = &pool->fq.flows[index];
		head = skb_peek(&flow->queue);
		if (head && pool->slot[index].hash == hash && vif_skb_cb(head)->tag == tag)
			return container_of(flow->tin, struct p_queue, tin);
	}
	return NULL;
}

void p_queue_slot_count(struct p_queue_pool *pool, struct p_queue *queue,
			int n)
{
	pool->flows += n;
	queue->flows += n;
	vif_account_flow(queue->account, n);
}
