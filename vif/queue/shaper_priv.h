/* SPDX-License-Identifier: GPL-2.0 */
/* What shaper.c and shaper_qdisc.c share. All that begins with __ wants the lock. */
#ifndef NETNICE_VIF_SHAPER_PRIV_H
#define NETNICE_VIF_SHAPER_PRIV_H

#include "shaper.h"

/*
 * What a packet costs on the device's link, which is what clocks and shares take it for;
 * counters have @wire, what vif_wire_measure() says. Without the lock, too.
 */
static inline struct vif_wire vif_shaper_charge(const struct vif_shaper *shaper,
						const struct sk_buff *skb,
						struct vif_wire wire)
{
	if (!vif_link_layer_is_none(&shaper->layer))
		wire.bytes = vif_link_layer_charge(&shaper->layer, skb, wire);
	return wire;
}

/* Who lets out what waits comes later by so much, at most, where there is more then. */
#define VIF_SHAPER_LATE_NS	(50 * NSEC_PER_USEC)

/* How much later than vsched_next_ns() that is. */
static inline u64 __vif_shaper_late_ns(const struct vif_shaper *shaper)
{
	return vsched_late_ns(&shaper->tree, shaper->pool.frame_bytes, VIF_SHAPER_LATE_NS);
}

/* Have the timer expire, or the device ask, when the scheduler can go on. */
void __vif_shaper_arm(struct vif_shaper *shaper);

/* Have the limits and times of a VIF's p_queue follow what is set of it, and of its path. */
void __vif_shaper_adapt(struct vif_shaper *shaper, struct vif_side *side);

/* Does it keep every burst of its way, or can it not be made shorter? */
bool __vif_shaper_fits(const struct vif_shaper *shaper, const struct vif_side *side,
		       struct vif_wire charge);

/* It has not waited. */
void __vif_shaper_count_passed(struct vif_side *side, struct vif_wire wire);

/*
 * Put a packet into a p_queue; @wire: what it costs. Others may be dropped for it, see the pool's
 * list. Returns false if it is refused, and counted: it is the caller's to drop.
 */
bool __vif_shaper_queue(struct vif_shaper *shaper, struct vif_side *side,
			struct sk_buff *skb, const struct vif_wire *wire,
			u64 now);

#endif
