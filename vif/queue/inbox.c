// SPDX-License-Identifier: GPL-2.0
#include "inbox.h"

/* The holder of the lock must finish with them in the time of a few sent packets. */
#define INBOX_MAX	64

enum vif_inbox_place vif_inbox_post(struct vif_inbox *inbox, struct vif_side *side,
				    struct sk_buff *skb)
{
	if (atomic_inc_return(&inbox->count) > INBOX_MAX) {
		atomic_dec(&inbox->count);
		return VIF_INBOX_FULL;
	}
	vif_side_busy(side);
	skb->prev = (struct sk_buff *)side;
	return llist_add(&skb->ll_node, &inbox->list) ? VIF_INBOX_FIRST : VIF_INBOX_LEFT;
}

struct llist_node *vif_inbox_take(struct vif_inbox *inbox)
{
	struct llist_node *all = llist_reverse_order(llist_del_all(&inbox->list)), *node;
	unsigned int taken = 0;

	for (node = all; node; node = node->next)
		taken++;
	atomic_sub(taken, &inbox->count);
	return all;
}

struct vif_side *vif_inbox_open(struct sk_buff *skb)
{
	struct vif_side *side = (struct vif_side *)skb->prev;

	skb->next = NULL;
	skb->prev = NULL;
	return side;
}
