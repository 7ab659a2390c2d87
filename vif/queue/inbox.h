/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inbox of a shaper: who finds its lock taken leaves a packet here, and goes on. The first
 * who does so waits for the lock, and queues what is here by then; 7.x's qdiscs do the same.
 *
 * A packet here belongs to nobody but its VIF, which is not referenced. Who is first takes it
 * out before the RCU read section ends in which he came. That section need not cover the ones of
 * those who come after him; but it begins before they end. So VIFs are freed two grace
 * periods, one after the other, after nobody can find them any more: the second one waits
 * for whoever was first when the first one ended.
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
