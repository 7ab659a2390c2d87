/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets get what their VIF writes to them (tree/mark.h), once it is known which that is, and
 * before they wait, or pass: what comes behind, tc and the device's qdisc, sees it.
 */
#ifndef NETNICE_VIF_HOOKS_MARK_H
#define NETNICE_VIF_HOOKS_MARK_H

#include <linux/skbuff.h>

#include "../tree/mark.h"

/* vif_mark_packet(), where there may be something to write. */
void vif_mark_write(const struct vif *vif, struct sk_buff *skb);

/**
 * vif_mark_packet() - a packet is sent by a VIF
 * @vif: the VIF
 * @skb: the packet, from its link-layer header on. One that others look at, too, or that
 *	there is no memory to change, stays as it is.
 *
 * Context: packet, caller holds rcu_read_lock().
 */
static inline void vif_mark_packet(const struct vif *vif, struct sk_buff *skb)
{
	if (static_branch_unlikely(&vif_mark_some))
		vif_mark_write(vif, skb);
}

#endif
