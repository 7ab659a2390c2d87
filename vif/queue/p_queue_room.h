/* SPDX-License-Identifier: GPL-2.0 */
/* Room in a p_queue. */
#ifndef NETNICE_VIF_P_QUEUE_ROOM_H
#define NETNICE_VIF_P_QUEUE_ROOM_H

#include "p_queue_types.h"

/**
 * p_queue_make_room() - may a packet wait?
 * @pool: the pool, which has memory for flows
 * @queue: the queue
 * @skb: the packet, prepared
 *
 * Where there is no room, it is made at the cost of the fattest flow of the
 * queue; if that is the packet's own, the packet is refused. What a queue holds beyond
 * its limits, because these have become less, it goes on to hold, and no more.
 * Return: true if p_queue_add() may follow, before anything else.
 */
bool p_queue_make_room(struct p_queue_pool *pool, struct p_queue *queue,
		       const struct sk_buff *skb);

#endif
