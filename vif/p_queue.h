/* SPDX-License-Identifier: GPL-2.0 */
/*
 * p_queue: packets that have entered a VIF and wait, first in first out.
 * The caller serializes.
 */
#ifndef NETNICE_VIF_P_QUEUE_H
#define NETNICE_VIF_P_QUEUE_H

#include <linux/types.h>

/**
 * struct p_queue_packet - a packet that waits
 * @next: the next one in the queue
 * @bytes: on the wire
 * @packets: on the wire: more than one if it is segmented later
 */
struct p_queue_packet {
	struct p_queue_packet *next;
	u32 bytes;
	u32 packets;
};

/**
 * struct p_queue - the queue; all zero is an empty one
 * @head: the oldest packet
 * @tail: the youngest, meaningless if there is none
 */
struct p_queue {
	struct p_queue_packet *head;
	struct p_queue_packet *tail;
};

static inline void p_queue_add(struct p_queue *queue,
			       struct p_queue_packet *packet)
{
	packet->next = NULL;
	if (queue->head)
		queue->tail->next = packet;
	else
		queue->head = packet;
	queue->tail = packet;
}

static inline struct p_queue_packet *p_queue_del(struct p_queue *queue)
{
	struct p_queue_packet *packet = queue->head;

	queue->head = packet->next;
	return packet;
}

#endif
