/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that leave a shaper. The caller of functions with __ holds the lock. */
#ifndef NETNICE_VIF_SHAPER_LEAVE_H
#define NETNICE_VIF_SHAPER_LEAVE_H

#include "shaper.h"

/* Packets put back between two takings of the lock. */
#define VIF_SHAPER_BATCH	16

/**
 * enum vif_shaper_outcome - what becomes of a packet that leaves its p_queue
 * @VIF_SHAPER_SENT: it has passed the tree
 * @VIF_SHAPER_DROPPED: it is dropped
 * @VIF_SHAPER_MOVED: it comes back, to the qdisc
 */
enum vif_shaper_outcome {
	VIF_SHAPER_SENT,
	VIF_SHAPER_DROPPED,
	VIF_SHAPER_MOVED,
};

/**
 * struct vif_shaper_batch - packets on their way out of the lock
 * @skb: the packets; NULL where there was none left
 * @side: for each, a VIF in which nothing waits any more, or NULL
 * @count: how many
 * @dropped: packets that are to be freed
 */
struct vif_shaper_batch {
	struct sk_buff *skb[VIF_SHAPER_BATCH];
	struct vif_side *side[VIF_SHAPER_BATCH];
	unsigned int count;
	struct sk_buff_head dropped;
};

static inline struct vif_side *vif_side_of(struct vsched_node *node)
{
	return container_of(node, struct vif_side, node);
}

/* vif_shaper_free_dropped() where there are some. */
void vif_shaper_free_any(struct sk_buff_head *dropped);

/* Free packets that the pool has dropped. Without the lock. */
static inline void vif_shaper_free_dropped(struct sk_buff_head *dropped)
{
	if (unlikely(!skb_queue_empty(dropped)))
		vif_shaper_free_any(dropped);
}

/* The drain of queued packets is at most this late, if it can then send more. */
#define VIF_SHAPER_LATE_NS	(50 * NSEC_PER_USEC)

/* How much later than vsched_next_ns() that is. */
static inline u64 __vif_shaper_late_ns(const struct vif_shaper *shaper)
{
	return vsched_late_ns(&shaper->tree, shaper->pool.frame_bytes, VIF_SHAPER_LATE_NS);
}

/* Return vsched_next_ns(); VSCHED_NEVER also if only quotas delay queued packets. */
static inline u64 __vif_shaper_next_ns(const struct vif_shaper *shaper)
{
	u64 next_ns = vsched_next_ns(&shaper->tree);

	return next_ns < VSCHED_STOPPED_NS ? next_ns : VSCHED_NEVER;
}

/* Have the timer expire, or the device ask, when the scheduler can go on. */
void __vif_shaper_arm(struct vif_shaper *shaper);

/* Have the device of our qdisc ask for packets. Context: packet or process, any locks. */
void vif_shaper_kick(struct Qdisc *sch);

/*
 * Return the packet that is next, NULL if the p_queue had none left; @last: see
 * struct vif_shaper_batch.side. Return false if no packet may leave.
 */
bool __vif_shaper_next(struct vif_shaper *shaper, enum vif_shaper_outcome outcome, u64 now,
		       struct sk_buff **skb, struct vif_side **last);

/* Send packets that are due. */
void __vif_shaper_fill(struct vif_shaper *shaper, struct vif_shaper_batch *batch,
		       enum vif_shaper_outcome outcome);

/* Nothing waits in a VIF any more, nor is on its way from there. Without the lock. */
static inline void vif_shaper_left(const struct vif_shaper *shaper, struct vif_side *side)
{
	vif_side_unbusy(side);
	shaper->ops->put(side);
}

/* Do with them as was said. Without the lock; bottom halves off. */
void vif_shaper_empty(struct vif_shaper *shaper, struct vif_shaper_batch *batch,
		      enum vif_shaper_outcome outcome);

#endif
