/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the shaper's files. The caller of functions with __ holds the lock. */
#ifndef NETNICE_VIF_SHAPER_PRIV_H
#define NETNICE_VIF_SHAPER_PRIV_H

#include "shaper.h"

/*
 * Return the cost of a packet on the device's link, by which clocks and shares charge it; counters
 * use @wire from vif_wire_measure(). Also without the lock.
 */
static inline struct vif_wire vif_shaper_charge(const struct vif_shaper *shaper,
						const struct sk_buff *skb,
						struct vif_wire wire)
{
	if (!vif_link_layer_is_none(&shaper->layer))
		wire.bytes = vif_link_layer_charge(&shaper->layer, skb, wire);
	return wire;
}

/* Does it keep every burst of its way, and quota, or can it not be made shorter? */
bool __vif_shaper_fits(const struct vif_shaper *shaper, const struct vif_side *side,
		       struct vif_wire charge);

/* Packets wait: they shall not do so for ever where that would keep a network namespace. */
void __vif_shaper_expire_later(struct vif_shaper *shaper);

/* It has not waited. */
void __vif_shaper_count_passed(struct vif_shaper *shaper, struct vif_side *side,
			       struct vif_wire wire);

#endif
