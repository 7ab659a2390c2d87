/* SPDX-License-Identifier: GPL-2.0 */
/* Reasons for drops, for the tracepoint netnice_drop and for the kernel's skb:kfree_skb. */
#ifndef NETNICE_VIF_DROP_H
#define NETNICE_VIF_DROP_H

#include <linux/skbuff.h>

/**
 * enum vif_drop - why a packet is dropped
 * @VIF_DROP_OVERLIMIT: the queue is full, or the memory that its VIF or its user may use
 * @VIF_DROP_CODEL: packets of its flow were queued for too long
 * @VIF_DROP_NOMEM: memory that it needs to be queued was refused
 * @VIF_DROP_SEGMENT: it exceeds a burst, or a guest has made it, and cannot be segmented
 * @VIF_DROP_CLOSED: its device goes down, the qdisc is reset, or its VIF leaves the tree with a used
 *	quota
 * @VIF_DROP_PROGRAM: its VIF's program drops it
 * @VIF_DROP_EXPIRED: its socket has closed, and it would keep a network namespace
 * @VIF_DROP_ACK: a later acknowledgement of TCP covers it
 */
enum vif_drop {
	VIF_DROP_OVERLIMIT,
	VIF_DROP_CODEL,
	VIF_DROP_NOMEM,
	VIF_DROP_SEGMENT,
	VIF_DROP_CLOSED,
	VIF_DROP_PROGRAM,
	VIF_DROP_EXPIRED,
	VIF_DROP_ACK,
};

/* Return the kernel's reason for it. */
enum skb_drop_reason vif_drop_reason(enum vif_drop why);

/* Free a packet for that reason. Context: any. */
static inline void vif_drop_skb(struct sk_buff *skb, enum vif_drop why)
{
	kfree_skb_reason(skb, vif_drop_reason(why));
}

#endif
