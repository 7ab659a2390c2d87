/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inbox of a shaper: a CPU that finds the shaper's lock taken puts its packet here and
 * continues. The first CPU that does so waits for the lock, and queues all packets that are here by
 * then; 7.x's qdiscs do the same. Any other CPU that gets the lock earlier, to queue a packet, does
 * so too. The sender of a packet in the inbox does not see whether it is dropped.
 *
 * A packet here does not hold its VIF. The CPU that put it here found the VIF in an RCU read
 * section, which ends before the packet is taken out. But the packet is here after the read section
 * of the first CPU began, and that section lasts until the first CPU has had the lock. So VIFs are
 * freed two successive grace periods after they can no longer be found: the first one waits for
 * CPUs that may put their packets here, the second one for the first CPU at that time. A CPU that
 * takes packets out may use their VIFs while it has the lock, for which the first one still waits.
 */
#ifndef NETNICE_VIF_INBOX_H
#define NETNICE_VIF_INBOX_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/llist.h>
#include <linux/skbuff.h>

#include "side.h"

/**
 * struct vif_inbox - packets that are not queued yet
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
 * enum vif_inbox_place - result of adding a packet
 * @VIF_INBOX_FULL: not added, because too many are there: the caller keeps it
 * @VIF_INBOX_FIRST: added: the caller must take the lock and all packets there
 * @VIF_INBOX_LEFT: added: another CPU takes them
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
