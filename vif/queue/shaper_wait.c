// SPDX-License-Identifier: GPL-2.0
#include "shaper_wait.h"

#include "../compat/drop.h"
#include "../trace/events.h"
#include "p_queue_room.h"
#include "p_queue_slot.h"
#include "shaper_leave.h"
#include "shaper_priv.h"

/* Packets that are queued while the lock is held. */
#define QUEUE_BATCH	64

void __vif_shaper_adapt(struct vif_shaper *shaper, struct vif_side *side)
{
	struct p_queue_params *params = &side->queue->params;
	struct vsched_path path;

	lockdep_assert_held(&shaper->lock);
	vsched_path_get(&side->node, &path);
	p_queue_adapt(params, &side->set, shaper->pool.frame_bytes, &path);
	params->genid = shaper->pool.genid;
}

static void __vif_shaper_make_queue(struct vif_shaper *shaper, struct vif_side *side)
{
	side->queue = p_queue_create(&shaper->pool, &side->set,
				     shaper->ops->payer(side));
	if (!side->queue)
		return;
	side->queue->ino = side->ino;
	side->queue->dir = side->dir;
	__vif_shaper_adapt(shaper, side);
}

static bool __vif_shaper_make_room(struct vif_shaper *shaper, struct vif_side *side,
				   struct sk_buff *skb)
{
	lockdep_assert_held(&shaper->lock);
	if (!side->queue)
		__vif_shaper_make_queue(shaper, side);
	if (!side->queue) {
		vif_skb_cb(skb)->drop = VIF_DROP_NOMEM;
		return false;
	}
	vif_skb_cb(skb)->drop = VIF_DROP_OVERLIMIT;
	if (side->queue->params.genid != shaper->pool.genid)
		__vif_shaper_adapt(shaper, side);
	return p_queue_make_room(&shaper->pool, side->queue, skb);
}

/*
 * A VIF keeps a reference to itself while the scheduler knows of packets in it: from when
 * it is certain that there will be one. One whose end has begun cannot get it any more:
 * its parent takes over. Return: whether there is room in it; @side is who takes, or
 * refuses, the packet.
 */
static bool __vif_shaper_hold_for_queue(struct vif_shaper *shaper, struct vif_side **side,
					struct sk_buff *skb)
{
	lockdep_assert_held(&shaper->lock);
	for (;; *side = vif_side_of((*side)->node.parent)) {
		if ((*side)->forgotten)
			continue;
		if (!__vif_shaper_make_room(shaper, *side, skb))
			return false;
		if ((*side)->node.backlogged || shaper->ops->get(*side))
			return true;
	}
}

static struct vif_wire vif_shaper_wire_of(const struct sk_buff *skb)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	return (struct vif_wire) { cb->bytes, cb->packets };
}

bool __vif_shaper_queue(struct vif_shaper *shaper, struct vif_side *side,
			struct sk_buff *skb, u64 now)
{
	const struct vif_wire wire = vif_shaper_wire_of(skb);
	bool room, known;

	lockdep_assert_held(&shaper->lock);
	vif_skb_cb(skb)->drop = VIF_DROP_CLOSED;
	room = !shaper->closed && __vif_shaper_hold_for_queue(shaper, &side, skb);
	if (!room) {
		side->stat.drops += wire.packets;
		trace_netnice_drop(skb, skb->dev, side->ino, side->dir, wire.bytes,
				   wire.packets, vif_skb_cb(skb)->drop);
		return false;
	}
	p_queue_add(&shaper->pool, side->queue, skb, now);
	trace_netnice_enqueue(skb, side->ino, side->dir, wire.bytes, wire.packets,
			      side->queue->bytes, side->queue->packets);
	/* a device takes its packets from the queue, whether they wait or not */
	if (shaper->mode != VIF_SHAPER_QDISC || side->node.backlogged)
		side->stat.overlimits += wire.packets;
	/* if packets are already queued, the queue is already scheduled */
	known = side->node.backlogged;
	if (!known) {
		vif_side_busy(side);
		__vif_shaper_expire_later(shaper);
	}
	vsched_backlog(&shaper->tree, &side->node, wire.bytes, now);
	if (!known && shaper->mode != VIF_SHAPER_QDISC)
		__vif_shaper_arm(shaper);
	return true;
}

/**
 * struct round - work left after unlocking
 * @dropped: to be freed
 * @late: the hook has noticed too late that the qdisc takes the packets now
 */
struct round {
	struct sk_buff_head dropped;
	struct sk_buff_head late;
};

/* Returns false if it is refused: it is the caller's to drop. */
static bool __vif_shaper_enqueue(struct vif_shaper *shaper, struct vif_side *side,
				 struct sk_buff *skb, u64 now, struct round *round)
{
	lockdep_assert_held(&shaper->lock);
	if (shaper->mode != VIF_SHAPER_QDISC)
		return __vif_shaper_queue(shaper, side, skb, now);
	__skb_queue_tail(&round->late, skb);
	return true;
}

/* None of its VIFs may be looked at any more when the lock has been given back. */
static noinline void __vif_shaper_enqueue_inbox(struct vif_shaper *shaper, struct round *round)
{
	struct llist_node *all = vif_inbox_take(&shaper->inbox);
	u64 now = __vif_shaper_now(shaper);
	struct sk_buff *skb, *next;
	struct vif_side *side;

	llist_for_each_entry_safe(skb, next, all, ll_node) {
		side = vif_inbox_open(skb);
		if (!__vif_shaper_enqueue(shaper, side, skb, now, round))
			__skb_queue_tail(&round->dropped, skb);
		vif_side_unbusy(side);
	}
}

/* With the lock just taken. What others have left comes first. */
static void __vif_shaper_begin_round(struct vif_shaper *shaper, struct round *round)
{
	lockdep_assert_held(&shaper->lock);
	__skb_queue_head_init(&round->dropped);
	__skb_queue_head_init(&round->late);
	if (!vif_inbox_is_empty(&shaper->inbox))
		__vif_shaper_enqueue_inbox(shaper, round);
}

/* Gives the lock back. A qdisc has to be told of drops: it finds them. */
static void vif_shaper_end_round(struct vif_shaper *shaper, struct round *round)
	__releases(&shaper->lock)
{
	struct sk_buff *skb;

	if (shaper->mode != VIF_SHAPER_QDISC)
		skb_queue_splice_tail_init(&shaper->pool.dropped, &round->dropped);
	spin_unlock(&shaper->lock);
	vif_shaper_free_dropped(&round->dropped);
	while (unlikely(skb = __skb_dequeue(&round->late)))
		shaper->ops->reinject(skb);
}

/*
 * Take the lock, or leave the packet to the next CPU that has it. Not while queued packets move to
 * the qdisc, where other packets may be already, and not if the CPU that must take it could be
 * preempted.
 */
static enum vif_inbox_place
vif_shaper_lock_or_post(struct vif_shaper *shaper, struct vif_side *side, struct sk_buff *skb)
	__acquires(&shaper->lock)
{
	enum vif_inbox_place place = VIF_INBOX_FULL;

	if (likely(spin_trylock(&shaper->lock)))
		return place;
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && READ_ONCE(shaper->mode) == VIF_SHAPER_TIMER)
		place = vif_inbox_post(&shaper->inbox, side, skb);
	if (place != VIF_INBOX_LEFT)
		spin_lock(&shaper->lock);
	else
		__acquire(&shaper->lock);	/* for sparse alone */
	return place;
}

/* Returns false if it is refused, unless it has been posted. */
static bool vif_shaper_enqueue_one(struct vif_shaper *shaper, struct vif_side *side, u32 tag,
				   struct sk_buff *skb)
{
	struct vif_wire wire = vif_shaper_charge(shaper, skb, vif_wire_measure(skb));
	enum vif_inbox_place place;
	struct round round;
	bool queued;

	p_queue_prepare(skb, &wire, tag, NULL);
	place = vif_shaper_lock_or_post(shaper, side, skb);
	if (place == VIF_INBOX_LEFT) {
		__release(&shaper->lock);
		return true;
	}
	__vif_shaper_begin_round(shaper, &round);
	queued = place == VIF_INBOX_FIRST ||
		 __vif_shaper_enqueue(shaper, side, skb, __vif_shaper_now(shaper), &round);
	vif_shaper_end_round(shaper, &round);
	return queued;
}

/* Packets of one flow. */
static void
vif_shaper_prepare(const struct vif_shaper *shaper, u32 tag, struct sk_buff_head *packets)
{
	const struct vif_skb_cb *first = NULL;
	struct vif_wire wire;
	struct sk_buff *skb;

	skb_queue_walk(packets, skb) {
		wire = vif_shaper_charge(shaper, skb, vif_wire_measure(skb));
		p_queue_prepare(skb, &wire, tag, first);
		first = vif_skb_cb(skb);
	}
}

/* Like vif_shaper_enqueue_one() for packets of one flow, without a verdict. */
static void vif_shaper_enqueue_all(struct vif_shaper *shaper, struct vif_side *side, u32 tag,
				   struct sk_buff_head *packets)
{
	struct sk_buff *skb;
	struct round round;
	unsigned int n;
	u64 now;

	vif_shaper_prepare(shaper, tag, packets);
	do {
		spin_lock(&shaper->lock);
		__vif_shaper_begin_round(shaper, &round);
		now = __vif_shaper_now(shaper);
		for (n = 0; n < QUEUE_BATCH && (skb = __skb_dequeue(packets)); n++)
			if (!__vif_shaper_enqueue(shaper, side, skb, now, &round))
				__skb_queue_tail(&round.dropped, skb);
		vif_shaper_end_round(shaper, &round);
	} while (!skb_queue_empty(packets));
}

void vif_shaper_count_drop(struct vif_shaper *shaper, struct vif_side *side,
			   const struct net_device *dev, const struct vif_wire *wire,
			   enum vif_drop why)
{
	spin_lock(&shaper->lock);
	side->stat.drops += wire->packets;
	spin_unlock(&shaper->lock);
	trace_netnice_drop(NULL, dev, side->ino, side->dir, wire->bytes, wire->packets, why);
}

unsigned int vif_shaper_refuse(struct vif_shaper *shaper, struct sk_buff *skb)
{
	const struct vif_wire wire = vif_wire_measure(skb);

	vif_shaper_count_drop(shaper, shaper->root, skb->dev, &wire, VIF_DROP_SEGMENT);
	return vif_hook_drop(skb, vif_drop_reason(VIF_DROP_SEGMENT));
}

u32 vif_shaper_segments(struct vif_shaper *shaper, const struct vif_side *side,
			const struct sk_buff *skb)
{
	struct vif_wire charge = vif_shaper_charge(shaper, skb, vif_wire_measure(skb));
	struct vsched_path path;
	bool fits;

	spin_lock(&shaper->lock);
	vsched_path_get(&side->node, &path);
	fits = __vif_meter_fits(&shaper->meters, side, charge.packets);
	spin_unlock(&shaper->lock);
	if (!fits)
		return 1;
	return max(path.longest / max(DIV_ROUND_UP(charge.bytes, charge.packets), 1U), 1U);
}

/* The sender sees a drop only if nothing of the packet is left. */
static unsigned int vif_shaper_enqueue_segments(struct vif_shaper *shaper,
						struct vif_side *side, u32 tag,
						struct sk_buff *skb,
						const struct vif_wire *wire)
{
	struct sk_buff *segs, *next;
	struct sk_buff_head packets;

	segs = shaper->ops->segment(skb, vif_shaper_segments(shaper, side, skb));
	if (!segs) {
		vif_shaper_count_drop(shaper, side, skb->dev, wire, VIF_DROP_SEGMENT);
		vif_drop_skb(skb, VIF_DROP_SEGMENT);
		return NF_STOLEN;
	}
	__skb_queue_head_init(&packets);
	skb_list_walk_safe(segs, skb, next)
		__skb_queue_tail(&packets, skb);
	vif_shaper_enqueue_all(shaper, side, tag, &packets);
	return NF_STOLEN;
}

unsigned int vif_shaper_hold_back(struct vif_shaper *shaper, struct vif_side *side, u32 tag,
				  struct sk_buff *skb, struct vif_wire wire, bool fits)
{
	const struct net_device *dev = skb->dev;
	struct sk_buff *held = shaper->ops->hold(skb);
	enum vif_drop why;

	if (!held) {
		vif_shaper_count_drop(shaper, side, dev, &wire, VIF_DROP_NOMEM);
		return NF_STOLEN;
	}
	if (!fits)
		return vif_shaper_enqueue_segments(shaper, side, tag, held, &wire);
	if (vif_shaper_enqueue_one(shaper, side, tag, held))
		return NF_STOLEN;
	/* notify the sender, unless its packet is gone already */
	why = vif_skb_cb(held)->drop;
	if (held == skb)
		return vif_hook_drop(skb, vif_drop_reason(why));
	vif_drop_skb(held, why);
	return NF_STOLEN;
}

/* From the p_queue where they were queued before: a qdisc has counted them. */
static void __vif_shaper_enqueue_pulled(struct vif_shaper *shaper, struct vif_side *side)
{
	struct sk_buff_head *pulled = &shaper->pool.pulled;
	u64 now = __vif_shaper_now(shaper);
	struct sk_buff *skb;

	lockdep_assert_held(&shaper->lock);
	while ((skb = __skb_dequeue(pulled)))
		if (!__vif_shaper_queue(shaper, side, skb, now))
			__skb_queue_tail(&shaper->pool.dropped, skb);
	__vif_shaper_arm(shaper);
}

void vif_shaper_pull(struct vif_shaper *shaper, struct vif_side *side,
		     const struct vif_side *was, u32 tag)
{
	struct p_queue *queue;
	struct round round;

	spin_lock(&shaper->lock);
	__vif_shaper_begin_round(shaper, &round);
	queue = was->queue;
	if (queue && queue->packets && !shaper->closed &&
	    p_queue_pull(&shaper->pool, queue, tag))
		__vif_shaper_enqueue_pulled(shaper, side);
	vif_shaper_end_round(shaper, &round);
}

static bool __vif_shaper_is_below(const struct vif_side *side, const struct vif_side *top)
{
	const struct vsched_node *node = &side->node;

	while (node && node != &top->node)
		node = node->parent;
	return node;
}

static struct vif_side *__vif_shaper_where(struct vif_shaper *shaper, const struct vif_side *side,
					   u32 flow, u32 tag)
{
	struct vif_side *found;
	struct p_queue *queue;
	unsigned int from = 0;

	while ((queue = p_queue_slot_next(&shaper->pool, flow, tag, &from))) {
		found = container_of(queue->set, struct vif_side, set);
		if (__vif_shaper_is_below(found, side))
			return found;
	}
	return NULL;
}

struct vif_side *vif_shaper_search(struct vif_shaper *shaper, const struct vif_side *side,
				   u32 tag, struct sk_buff *skb)
{
	struct vif_side *found;
	struct round round;
	u32 flow;

	flow = p_queue_flow(skb);
	if (READ_ONCE(shaper->mode) == VIF_SHAPER_QDISC) {
		/* what others have left would be sent from here, by the qdisc that calls */
		spin_lock(&shaper->lock);
		found = __vif_shaper_where(shaper, side, flow, tag);
		spin_unlock(&shaper->lock);
		return found;
	}
	spin_lock(&shaper->lock);
	__vif_shaper_begin_round(shaper, &round);
	found = __vif_shaper_where(shaper, side, flow, tag);
	vif_shaper_end_round(shaper, &round);
	return found;
}
