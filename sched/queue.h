/* SPDX-License-Identifier: GPL-2.0 */
/*
 * p_queue: packets that have entered a VIF and wait, first in first out.
 * The caller serializes.
 */
#ifndef NETNICE_SCHED_QUEUE_H
#define NETNICE_SCHED_QUEUE_H

#include <linux/types.h>

/**
 * struct vsched_packet - a packet as the scheduler sees it
 * @next: the next one in the queue
 * @bytes: on the wire
 * @packets: on the wire: more than one if it is segmented later
 */
struct vsched_packet {
	struct vsched_packet *next;
	u32 bytes;
	u32 packets;
};

/**
 * struct vsched_queue - p_queue; all zero is an empty one
 * @head: the oldest packet
 * @tail: the youngest, meaningless if there is none
 */
struct vsched_queue {
	struct vsched_packet *head;
	struct vsched_packet *tail;
};

static inline void vsched_queue_add(struct vsched_queue *queue,
				    struct vsched_packet *packet)
{
	packet->next = NULL;
	if (queue->head)
		queue->tail->next = packet;
	else
		queue->head = packet;
	queue->tail = packet;
}

static inline struct vsched_packet *vsched_queue_del(struct vsched_queue *queue)
{
	struct vsched_packet *packet = queue->head;

	queue->head = packet->next;
	return packet;
}

#endif
