/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queueing: puts packets into their VIF's p_queue. The caller of functions with __ holds the lock.
 */
#ifndef NETNICE_VIF_SHAPER_WAIT_H
#define NETNICE_VIF_SHAPER_WAIT_H

#include "shaper.h"

/* Update limits and times of a VIF's p_queue from its settings and its path. */
void __vif_shaper_adapt(struct vif_shaper *shaper, struct vif_side *side);

/*
 * Put a packet into a p_queue, after p_queue_prepare(). Others may be dropped for it, see the
 * pool's list. Returns false if it is refused, and counted: it is the caller's to drop.
 */
bool __vif_shaper_queue(struct vif_shaper *shaper, struct vif_side *side,
			struct sk_buff *skb, u64 now);

/* Count a packet that is dropped before it could wait. Context: packet, BH disabled. */
void vif_shaper_count_drop(struct vif_shaper *shaper, struct vif_side *side,
			   const struct net_device *dev, const struct vif_wire *wire,
			   enum vif_drop why);

/*
 * Drop a packet that is vif_packet_is_malformed(), before it is classified: the root VIF counts it.
 * Context: packet, BH disabled. Return: the hook's verdict.
 */
unsigned int vif_shaper_refuse(struct vif_shaper *shaper, struct sk_buff *skb);

/**
 * vif_shaper_segments() - so many segments of a GSO packet fit into every burst of its way
 * @shaper: the shaper
 * @side: whose the packet is
 * @skb: the packet, which does not
 *
 * Context: packet, BH disabled.
 * Return: 1 at least.
 */
u32 vif_shaper_segments(struct vif_shaper *shaper, const struct vif_side *side,
			const struct sk_buff *skb);

/**
 * vif_shaper_hold_back() - have a packet wait
 * @shaper: the shaper
 * @side: whose the packet is; valid under rcu_read_lock()
 * @tag: its socket's, 0 if it has none
 * @skb: the packet
 * @wire: what it is on the wire
 * @fits: see __vif_shaper_fits(): it need not be segmented
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: NF_STOLEN; or NF_DROP, with a reason, if there is nothing left of it.
 */
unsigned int vif_shaper_hold_back(struct vif_shaper *shaper, struct vif_side *side, u32 tag,
				  struct sk_buff *skb, struct vif_wire wire, bool fits);

/**
 * vif_shaper_may_wait() - may something wait in a VIF, or below it?
 * @shaper: the shaper
 * @side: the VIF
 *
 * Without the lock, as vif_shaper_nothing_before().
 * Context: packet, caller holds rcu_read_lock().
 */
static inline bool vif_shaper_may_wait(const struct vif_shaper *shaper,
				       const struct vif_side *side)
{
	return !vsched_node_idle(&side->node) || READ_ONCE(side->node.held) ||
	       !vif_inbox_is_empty(&shaper->inbox);
}

/* vif_shaper_where(), where something may wait. */
struct vif_side *vif_shaper_search(struct vif_shaper *shaper, const struct vif_side *side,
				   u32 tag, struct sk_buff *skb);

/**
 * vif_shaper_where() - a VIF in which something of a packet's flow waits
 * @shaper: the shaper
 * @side: this one, or one below it
 * @tag: its socket's, 0 if it has none
 * @skb: the packet
 *
 * Of a flow that has no slot (p_queue_slot.h) it does not know.
 * Context: as vif_shaper_hold_back().
 * Return: valid under rcu_read_lock(); NULL if there is none.
 */
static inline struct vif_side *vif_shaper_where(struct vif_shaper *shaper,
						const struct vif_side *side, u32 tag,
						struct sk_buff *skb)
{
	return vif_shaper_may_wait(shaper, side) ? vif_shaper_search(shaper, side, tag, skb) :
						   NULL;
}

/**
 * vif_shaper_pull() - move a socket's queued packets to another VIF
 * @shaper: the shaper
 * @side: the new VIF
 * @was: the old VIF, of the same shaper; it may be picked once without a packet
 * @tag: the socket's
 *
 * Context: as vif_shaper_hold_back().
 */
void vif_shaper_pull(struct vif_shaper *shaper, struct vif_side *side,
		     const struct vif_side *was, u32 tag);

#endif
