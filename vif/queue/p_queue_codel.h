/* SPDX-License-Identifier: GPL-2.0 */
/* CoDel for the flows of a p_queue. */
#ifndef NETNICE_VIF_P_QUEUE_CODEL_H
#define NETNICE_VIF_P_QUEUE_CODEL_H

#include "p_queue_types.h"

void p_queue_codel_init(struct p_queue *queue);

/**
 * p_queue_codel_next() - p_queue_next(), after CoDel's drops
 * @pool: the pool
 * @queue: the queue
 * @flow: one of its flows
 *
 * Return: the packet, NULL if none is left.
 */
struct sk_buff *p_queue_codel_next(struct p_queue_pool *pool, struct p_queue *queue,
				   struct fq_flow *flow);

#endif
