/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of queued and dropped packets. */
#ifndef NETNICE_VIF_P_QUEUE_COUNT_H
#define NETNICE_VIF_P_QUEUE_COUNT_H

#include <linux/log2.h>

#include "p_queue_types.h"

/* The upper bits of a hash are the good ones, on any machine. */
static inline unsigned int p_queue_tag(u32 tag)
{
	return tag >> (32 - ilog2(P_QUEUE_TAGS));
}

/* A packet is about to wait in a slot, or in none. */
void p_queue_count_in(struct p_queue_pool *pool, struct p_queue *queue, u32 slot,
		      const struct sk_buff *skb);

/* It is no longer in its flow; the library has counted that already. */
void p_queue_count_out(struct p_queue_pool *pool, struct p_queue *queue,
		       const struct fq_flow *flow, const struct sk_buff *skb);

/* It is dropped: for the caller of p_queue.h to free. */
void p_queue_count_drop(struct p_queue_pool *pool, struct p_queue *queue,
			struct sk_buff *skb, enum vif_drop why);

#endif
