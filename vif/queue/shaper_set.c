// SPDX-License-Identifier: GPL-2.0
/*
 * Settings of a shaper and its VIFs. They change under the lock. A change may affect packets that
 * pass without the lock (stock.h): these entries are closed first.
 */
#include "shaper_set.h"

#include "../trace/events.h"
#include "shaper_leave.h"
#include "shaper_priv.h"
#include "shaper_wait.h"

/* The credit that a waiting clock makes up for: as much as the default burst saves up. */
#define VIF_ARREARS_FRAMES	3

void vif_shaper_set_frame(struct vif_shaper *shaper, u32 len, u32 bytes)
{
	spin_lock_bh(&shaper->lock);
	shaper->pool.frame_len = len;
	shaper->pool.frame_bytes = bytes;
	shaper->tree.arrears = VIF_ARREARS_FRAMES * bytes;
	shaper->pool.genid++;
	spin_unlock_bh(&shaper->lock);
}

/* Packets that are already queued keep their charge. */
void vif_shaper_set_link_layer(struct vif_shaper *shaper,
			       const struct vif_link_layer *layer)
{
	vif_stock_close(&shaper->stock);
	spin_lock_bh(&shaper->lock);
	__vif_stock_close(&shaper->stock);
	WRITE_ONCE(shaper->layer.has_overhead, layer->has_overhead);
	WRITE_ONCE(shaper->layer.overhead, layer->overhead);
	WRITE_ONCE(shaper->layer.mpu, layer->mpu);
	WRITE_ONCE(shaper->layer.framing, layer->framing);
	__vif_shaper_arm(shaper);
	spin_unlock_bh(&shaper->lock);
}

/* Lower the windows announced to our senders from now on; needs memory. */
static void vif_shaper_have_windows(struct vif_shaper *shaper)
{
	struct vif_windows *windows;

	if (shaper->root->dir != VIF_INGRESS || READ_ONCE(shaper->pool.windows))
		return;
	windows = vif_windows_alloc();
	spin_lock_bh(&shaper->lock);
	if (!shaper->pool.windows) {
		WRITE_ONCE(shaper->pool.windows, windows);
		windows = NULL;
	}
	spin_unlock_bh(&shaper->lock);
	vif_windows_free(windows);
}

void vif_shaper_set_clock(struct vif_shaper *shaper, struct vif_side *side,
			  const struct vif_clocks *clocks, const struct vif_quota *quota)
{
	const struct vif_clock *clock;

	if (clocks->usual.rate != VSCHED_RATE_MAX || clocks->then.rate != VSCHED_RATE_MAX)
		vif_shaper_have_windows(shaper);
	vif_stock_close(&shaper->stock);
	spin_lock_bh(&shaper->lock);
	__vif_stock_close(&shaper->stock);
	if (quota)
		__vif_meter_set(&shaper->meters, side, quota);
	clock = __vif_meter_clock(side, clocks);
	vsched_node_set_clock(&shaper->tree, &side->node, clock->rate, clock->burst,
			      clock->longest, __vif_shaper_now(shaper));
	shaper->pool.genid++;
	__vif_shaper_arm(shaper);
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_set_group(struct vif_shaper *shaper, struct vif_side *side,
			  struct vsched_group *group)
{
	vif_stock_close(&shaper->stock);
	spin_lock_bh(&shaper->lock);
	__vif_stock_close(&shaper->stock);
	vsched_node_set_group(&shaper->tree, &side->node, group, __vif_shaper_now(shaper));
	__vif_shaper_arm(shaper);
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_set_minimum(struct vif_shaper *shaper, struct vif_side *side, u64 rate,
			    u64 burst)
{
	spin_lock_bh(&shaper->lock);
	vsched_node_set_minimum(&shaper->tree, &side->node, &side->extra->floor, rate, burst,
				__vif_shaper_now(shaper));
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_set_share(struct vif_shaper *shaper, struct vif_side *side,
			  enum vif_share which, unsigned int weight,
			  unsigned int priority)
{
	spin_lock_bh(&shaper->lock);
	if (which == VIF_SHARE_LOCAL)
		vsched_node_set_own_share(&side->node, weight, priority);
	else
		vsched_node_set_share(&shaper->tree, &side->node, weight, priority,
				      __vif_shaper_now(shaper));
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_set_fair(struct vif_shaper *shaper, struct vif_side *side,
			 struct vsched_fair *fair)
{
	spin_lock_bh(&shaper->lock);
	vsched_node_set_fair(&side->node, fair);
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_set_parent(struct vif_shaper *shaper, struct vif_side *side,
			   struct vif_side *parent)
{
	vif_stock_close(&shaper->stock);
	spin_lock_bh(&shaper->lock);
	/* packets that passed by now are counted at the old place, before the move */
	__vif_stock_fold(&shaper->stock);
	__vif_stock_close(&shaper->stock);
	vsched_node_move(&shaper->tree, &side->node, &parent->node, __vif_shaper_now(shaper));
	shaper->pool.genid++;
	__vif_shaper_arm(shaper);
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_set_params(struct vif_shaper *shaper, struct vif_side *side,
			   const struct vif_params_kept *set)
{
	spin_lock_bh(&shaper->lock);
	side->set = *set;
	if (side->queue)
		__vif_shaper_adapt(shaper, side);
	spin_unlock_bh(&shaper->lock);
}

/* Packets that are dropped while the lock is held. */
#define CLEAR_BATCH	64

/* Returns whether more wait. */
static bool __vif_shaper_clear_some(struct vif_shaper *shaper, struct vif_side *side)
{
	unsigned int n;
	struct sk_buff *skb;

	lockdep_assert_held(&shaper->lock);
	for (n = 0; n < CLEAR_BATCH; n++) {
		skb = side->queue ? p_queue_clear(&shaper->pool, side->queue) : NULL;
		if (!skb)
			return false;
		side->stat.drops += vif_skb_cb(skb)->packets;
		vif_skb_cb(skb)->drop = VIF_DROP_CLOSED;
		trace_netnice_drop(skb, skb->dev, side->ino, side->dir, vif_skb_cb(skb)->bytes,
				   vif_skb_cb(skb)->packets, VIF_DROP_CLOSED);
		__skb_queue_tail(&shaper->pool.dropped, skb);
	}
	return true;
}

/* The qdisc finds and counts dropped packets; notify it. */
void vif_shaper_clear_stopped(struct vif_shaper *shaper, struct vif_side *side)
{
	struct sk_buff_head dropped;
	bool more;

	do {
		__skb_queue_head_init(&dropped);
		spin_lock_bh(&shaper->lock);
		more = __vif_meter_is_stopped(side) && __vif_shaper_clear_some(shaper, side);
		if (shaper->mode != VIF_SHAPER_QDISC)
			skb_queue_splice_tail_init(&shaper->pool.dropped, &dropped);
		spin_unlock_bh(&shaper->lock);
		vif_shaper_free_dropped(&dropped);
	} while (more);
}
