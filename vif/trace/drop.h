/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why packets are dropped: as our tracepoint says it, and as the kernel's does
 * (skb:kfree_skb).
 */
#ifndef NETNICE_VIF_DROP_H
#define NETNICE_VIF_DROP_H

#include <linux/skbuff.h>

/**
 * enum vif_drop - why a packet is dropped
 * @VIF_DROP_OVERLIMIT: as much waits as may
 * @VIF_DROP_CODEL: packets of its flow have waited for too long
 * @VIF_DROP_NOMEM: no memory for what it needs to wait
 * @VIF_DROP_SEGMENT: it exceeds a burst, or a guest has made it, and cannot be segmented
 * @VIF_DROP_CLOSED: its device goes down, or the qdisc is reset
 * @VIF_DROP_PROGRAM: its VIF's program says so
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

/* The kernel's word for it. */
enum skb_drop_reason vif_drop_reason(enum vif_drop why);

/* Free a packet for that reason. Context: any. */
static inline void vif_drop_skb(struct sk_buff *skb, enum vif_drop why)
{
	kfree_skb_reason(skb, vif_drop_reason(why));
}

#endif
