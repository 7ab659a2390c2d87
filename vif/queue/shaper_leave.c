// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that leave a shaper, for the timer, a qdisc, or the end of the shaper: they are
 * taken under the lock, in batches, and put back or dropped without it.
 */
#include "shaper_leave.h"

#include <linux/ktime.h>
#include <linux/netdevice.h>

#include "../compat/drop.h"
#include "../trace/events.h"

void vif_shaper_free_any(struct sk_buff_head *dropped)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(dropped)))
		vif_drop_skb(skb, vif_skb_cb(skb)->drop);
}

void vif_shaper_kick(struct Qdisc *sch)
{
	rcu_read_lock();
	__netif_schedule(qdisc_root(sch));
	rcu_read_unlock();
}

static bool __vif_shaper_expires_by(struct vif_shaper *shaper, u64 ns)
{
	return hrtimer_is_queued(&shaper->timer) &&
	       ktime_to_ns(hrtimer_get_expires(&shaper->timer)) <= ns;
}

void __vif_shaper_arm(struct vif_shaper *shaper)
{
	u64 next;

	lockdep_assert_held(&shaper->lock);
	__vif_stock_recall(&shaper->stock);
	if (shaper->closed)
		return;
	next = __vif_shaper_next_ns(shaper);
	if (next == VSCHED_NEVER)
		return;
	if (shaper->mode == VIF_SHAPER_QDISC)
		vif_shaper_kick(shaper->sch);
	if (shaper->mode != VIF_SHAPER_TIMER)
		return;
	if (__vif_shaper_expires_by(shaper, next))
		return;
	next += __vif_shaper_late_ns(shaper);
	if (__vif_shaper_expires_by(shaper, next))
		return;
	hrtimer_start(&shaper->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_SOFT);
}

/* Take a packet for the wire, past CoDel if it goes elsewhere. */
static struct sk_buff *__vif_shaper_dequeue(struct vif_shaper *shaper, struct vif_side *side,
					    enum vif_shaper_outcome outcome, u64 now)
{
	lockdep_assert_held(&shaper->lock);
	if (outcome == VIF_SHAPER_MOVED)
		return p_queue_move(&shaper->pool, side->queue);
	if (shaper->closed || outcome != VIF_SHAPER_SENT)
		return p_queue_clear(&shaper->pool, side->queue);
	return p_queue_take(&shaper->pool, side->queue, now);
}

/* Return its charge, if these are its bytes; the layer hardly ever changes. */
static u32 vif_shaper_counted_bytes(const struct vif_shaper *shaper, const struct sk_buff *skb)
{
	if (vif_link_layer_is_none(&shaper->layer))
		return vif_skb_cb(skb)->bytes;
	return vif_wire_measure(skb).bytes;
}

/* Account for a packet, or none, that leaves its p_queue. */
static void __vif_shaper_account_left(struct vif_shaper *shaper, struct vif_side *side,
				      const struct sk_buff *skb, enum vif_shaper_outcome outcome,
				      u64 now)
{
	const struct vif_skb_cb *cb = skb ? vif_skb_cb(skb) : NULL;
	u32 bytes;

	vsched_sent(&shaper->tree, &side->node, cb ? cb->bytes : 0,
		    side->queue->packets, now);
	if (!cb)
		return;
	if (outcome == VIF_SHAPER_SENT) {
		bytes = vif_shaper_counted_bytes(shaper, skb);
		__vif_stock_count(side, cb->packets, bytes);
		if (__vif_meter_charge(&shaper->meters, side, bytes, now))
			shaper->pool.genid++;
		trace_netnice_dequeue(skb, side->ino, side->dir, cb->bytes, cb->packets,
				      (u64)p_queue_waited(skb, now) << SOJOURN_TICK_SHIFT);
	} else if (outcome == VIF_SHAPER_DROPPED) {
		side->stat.drops += cb->packets;
		trace_netnice_drop(skb, skb->dev, side->ino, side->dir, cb->bytes,
				   cb->packets, VIF_DROP_CLOSED);
	}
}

bool __vif_shaper_next(struct vif_shaper *shaper, enum vif_shaper_outcome outcome, u64 now,
		       struct sk_buff **skb, struct vif_side **last)
{
	struct vsched_node *node = vsched_pick(&shaper->tree, now);
	struct vif_side *side;

	if (!node)
		return false;
	side = vif_side_of(node);
	*skb = __vif_shaper_dequeue(shaper, side, outcome, now);
	__vif_shaper_account_left(shaper, side, *skb, outcome, now);
	*last = node->backlogged ? NULL : side;
	return true;
}

void __vif_shaper_fill(struct vif_shaper *shaper, struct vif_shaper_batch *batch,
		       enum vif_shaper_outcome outcome)
{
	u64 now = __vif_shaper_now(shaper);
	unsigned int n = 0;

	__skb_queue_head_init(&batch->dropped);
	while (n < VIF_SHAPER_BATCH && vsched_next_ns(&shaper->tree) <= now &&
	       __vif_shaper_next(shaper, outcome, now, &batch->skb[n], &batch->side[n]))
		n++;
	batch->count = n;
	skb_queue_splice_init(&shaper->pool.dropped, &batch->dropped);
}

void vif_shaper_empty(struct vif_shaper *shaper, struct vif_shaper_batch *batch,
		      enum vif_shaper_outcome outcome)
{
	unsigned int i;

	vif_shaper_free_dropped(&batch->dropped);
	for (i = 0; i < batch->count; i++) {
		if (batch->skb[i] && outcome != VIF_SHAPER_DROPPED)
			shaper->ops->reinject(batch->skb[i]);
		else
			vif_drop_skb(batch->skb[i], VIF_DROP_CLOSED);
		if (batch->side[i])
			vif_shaper_left(shaper, batch->side[i]);
	}
}
