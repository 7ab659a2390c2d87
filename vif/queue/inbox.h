/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inbox of a shaper: who finds its lock taken leaves a packet here, and goes on. The first
 * who does so waits for the lock, and queues what is here by then; 7.x's qdiscs do the same.
 * So does whoever else gets the lock before, to queue something. The sender of a packet that
 * is left here does not see whether it is dropped.
 *
 * A packet here does not hold its VIF. Who left it found the VIF in an RCU read section, which
 * ends before the packet is taken out. But it was here after that of who was first, which
 * began earlier then, and lasts until he has had the lock. So VIFs are freed two grace periods,
 * one after the other, after nobody can find them any more: the first one waits for those who
 * may leave packets of it, the second one for who was first when that ended. Who takes packets
 * out may look at their VIFs as long as he has the lock, which the first one still waits for.
 */
#ifndef NETNICE_VIF_INBOX_H
#define NETNICE_VIF_INBOX_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/llist.h>
#include <linux/skbuff.h>

#include "side.h"

/**
 * struct vif_inbox - packets that nobody has queued yet
 * @list: the newest one first; its VIF is kept in skb->prev
 * @count: how many, about
 */
struct vif_inbox {
	struct llist_head list ____cacheline_aligned_in_smp;
	atomic_t count;
};

static inline void vif_inbox_init(struct vif_inbox *inbox)
{
	init_llist_head(&inbox->list);
	atomic_set(&inbox->count, 0);
}

/**
 * enum vif_inbox_place - what became of a packet
 * @VIF_INBOX_FULL: it is the caller's: too many are there
 * @VIF_INBOX_FIRST: it is there, and the caller has to take the lock, and all that is there
 * @VIF_INBOX_LEFT: somebody else does that
 */
enum vif_inbox_place {
	VIF_INBOX_FULL,
	VIF_INBOX_FIRST,
	VIF_INBOX_LEFT,
};

/**
 * vif_inbox_post() - leave a packet
 * @inbox: the inbox
 * @side: its VIF, which is busy for as long as it is here
 * @skb: the packet
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock(), and not the lock.
 * Return: see there.
 */
enum vif_inbox_place vif_inbox_post(struct vif_inbox *inbox, struct vif_side *side,
				    struct sk_buff *skb);

static inline bool vif_inbox_is_empty(const struct vif_inbox *inbox)
{
	return llist_empty(&inbox->list);
}

/* All that is there, the oldest first. Context: the shaper's lock is held. */
struct llist_node *vif_inbox_take(struct vif_inbox *inbox);

/**
 * vif_inbox_open() - what a packet is that has been taken
 * @skb: the packet, which is on no list afterwards
 *
 * Return: its VIF, which is busy until vif_side_unbusy().
 */
struct vif_side *vif_inbox_open(struct sk_buff *skb);

#endif
