/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a VIF's values to packets (tree/mark.h), once the VIF is known and before they queue or
 * pass: tc and the device's qdisc, which come later, see the values.
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
