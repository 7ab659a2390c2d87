// SPDX-License-Identifier: GPL-2.0
/*
 * A packet on its way through a shaper:
 *
 *	vif_shaper_input()		The hook calls it (shaper.h). Most packets pass here, by
 *					the stock, without the lock.
 *	vif_shaper_input_locked()	Decides under the lock. The packet passes if no clock is
 *					on its path, or if all clocks are ready and no other
 *					packet could leave.
 *	vif_shaper_hold_back()		Prepares a packet that must wait, and cuts it if it
 *					exceeds a burst.
 *	__vif_shaper_queue()		Puts it into its VIF's p_queue, notifies the scheduler,
 *					and arms the timer.
 *	vif_shaper_drain_timer()	Takes packets that are due, a batch at a time, and puts
 *					them back without the lock.
 *
 * The parts of this file: the inbox; packets that leave; packets that are queued; the hook's
 * decision; the timer; packets that expire; opening and closing; settings; counters. The qdisc's
 * way is in shaper_qdisc.c.
 */
#include "shaper.h"

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "../compat/drop.h"
#include "../compat/hrtimer.h"
#include "../trace/events.h"
#include "p_queue.h"

/* --- the inbox (shaper.h) --- */

/**
 * enum vif_inbox_place - result of adding a packet
 * @VIF_INBOX_FULL: not added, because the inbox is full; the caller keeps the packet
 * @VIF_INBOX_FIRST: added; the caller must take the lock and all packets of the inbox
 * @VIF_INBOX_LEFT: added; another CPU takes it
 */
enum vif_inbox_place {
	VIF_INBOX_FULL,
	VIF_INBOX_FIRST,
	VIF_INBOX_LEFT,
};

/* The holder of the lock must finish with them in the time of a few sent packets. */
#define INBOX_MAX	64

/**
 * vif_inbox_post() - leave a packet
 * @inbox: the inbox
 * @side: its VIF, which is busy for as long as it is here
 * @skb: the packet
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock(), and not the lock.
 * Return: see there.
 */
static enum vif_inbox_place vif_inbox_post(struct vif_inbox *inbox, struct vif_side *side,
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

/* Take all packets, the oldest first. Caller holds the shaper's lock. */
static struct llist_node *vif_inbox_take(struct vif_inbox *inbox)
{
	struct llist_node *all = llist_reverse_order(llist_del_all(&inbox->list)), *node;
	unsigned int taken = 0;

	for (node = all; node; node = node->next)
		taken++;
	atomic_sub(taken, &inbox->count);
	return all;
}

/**
 * vif_inbox_open() - get the VIF of a packet that has been taken
 * @skb: the packet, which is on no list afterwards
 *
 * Return: its VIF, which is busy until vif_side_unbusy().
 */
static struct vif_side *vif_inbox_open(struct sk_buff *skb)
{
	struct vif_side *side = (struct vif_side *)skb->prev;

	skb->next = NULL;
	skb->prev = NULL;
	return side;
}

/* --- packets that leave: taken under the lock in batches, put back or dropped without it --- */

static inline struct vif_side *vif_side_of(struct vsched_node *node)
{
	return container_of(node, struct vif_side, node);
}

/* Free packets that the pool has dropped. Without the lock. */
static inline void vif_shaper_free_dropped(struct sk_buff_head *dropped)
{
	struct sk_buff *skb;

	while (unlikely(skb = __skb_dequeue(dropped)))
		vif_drop_skb(skb, vif_skb_cb(skb)->drop);
}

/* Packets that are put back each time the lock is released. */
#define VIF_SHAPER_BATCH	16

/**
 * struct vif_shaper_batch - packets on their way out of the lock
 * @skb: the packets; NULL if a p_queue had none left
 * @side: for each packet its VIF, if no more packets are queued there, or NULL
 * @count: number of packets
 * @dropped: packets to free
 */
struct vif_shaper_batch {
	struct sk_buff *skb[VIF_SHAPER_BATCH];
	struct vif_side *side[VIF_SHAPER_BATCH];
	unsigned int count;
	struct sk_buff_head dropped;
};

void vif_shaper_kick(struct Qdisc *sch)
{
	rcu_read_lock();
	__netif_schedule(qdisc_root(sch));
	rcu_read_unlock();
}

static bool __vif_shaper_expires_by(struct vif_shaper *shaper, u64 ns)
{
	return hrtimer_is_queued(&shaper->timer) &&
	       ktime_to_ns(hrtimer_get_expires(&shaper->timer)) <= vif_sched_to_ktime_ns(ns);
}

void __vif_shaper_arm(struct vif_shaper *shaper, bool may_be_late)
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
	if (may_be_late) {
		next += __vif_shaper_late_ns(shaper);
		if (__vif_shaper_expires_by(shaper, next))
			return;
	}
	/*
	 * A timer that is started for a time that has passed runs again before its softirq returns:
	 * the CPU would be lost for as long as packets come.
	 */
	next = max(next, __vif_shaper_now(shaper) + 1);
	hrtimer_start(&shaper->timer, ns_to_ktime(vif_sched_to_ktime_ns(next)),
		      HRTIMER_MODE_ABS_SOFT);
}

void vif_shaper_begin_change(struct vif_shaper *shaper)
	__acquires(&shaper->lock)
{
	vif_stock_close(&shaper->stock);
	spin_lock_bh(&shaper->lock);
	__vif_stock_close(&shaper->stock);
}

void vif_shaper_end_change(struct vif_shaper *shaper)
	__releases(&shaper->lock)
{
	__vif_shaper_arm(shaper, true);
	spin_unlock_bh(&shaper->lock);
}

/* Take a packet out of its p_queue; past CoDel unless it is to be sent. */
static struct sk_buff *__vif_shaper_take(struct vif_shaper *shaper, struct vif_side *side,
					 enum vif_shaper_outcome outcome, u64 now)
{
	lockdep_assert_held(&shaper->lock);
	if (outcome == VIF_SHAPER_MOVED)
		return p_queue_move(&shaper->pool, side->queue);
	if (shaper->closed || outcome != VIF_SHAPER_SENT)
		return p_queue_clear(&shaper->pool, side->queue);
	return p_queue_take(&shaper->pool, side->queue, now);
}

/*
 * Return a packet's bytes on the wire, for counters. Without a link layer its charge is the same;
 * the layer hardly ever changes while packets are queued.
 */
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
	} else if (outcome != VIF_SHAPER_MOVED) {
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
	*skb = __vif_shaper_take(shaper, side, outcome, now);
	__vif_shaper_account_left(shaper, side, *skb, outcome, now);
	*last = node->backlogged ? NULL : side;
	return true;
}

/* Take packets that are due, and packets that the pool has dropped. */
static void __vif_shaper_fill(struct vif_shaper *shaper, struct vif_shaper_batch *batch,
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

/* Put packets back, or free them. Context: BH disabled, without the lock. */
static void vif_shaper_empty(struct vif_shaper *shaper, struct vif_shaper_batch *batch,
			     enum vif_shaper_outcome outcome)
{
	struct sk_buff *skb;
	unsigned int i;

	if (outcome != VIF_SHAPER_PURGED)
		vif_shaper_free_dropped(&batch->dropped);
	for (i = 0; i < batch->count; i++) {
		skb = batch->skb[i];
		if (outcome == VIF_SHAPER_PURGED && skb)
			__skb_queue_tail(&batch->dropped, skb);
		else if (outcome == VIF_SHAPER_DROPPED)
			vif_drop_skb(skb, VIF_DROP_CLOSED);
		else if (skb)
			shaper->ops->reinject(skb);
		if (batch->side[i])
			vif_shaper_left(shaper, batch->side[i]);
	}
	while (outcome == VIF_SHAPER_PURGED && (skb = __skb_dequeue(&batch->dropped)))
		rtnl_kfree_skbs(skb, skb);
}

bool vif_shaper_drain(struct vif_shaper *shaper, enum vif_shaper_outcome outcome)
{
	struct vif_shaper_batch batch;
	bool more;

	local_bh_disable();
	spin_lock(&shaper->lock);
	__vif_shaper_fill(shaper, &batch, outcome);
	more = vsched_next_ns(&shaper->tree) != VSCHED_NEVER;
	spin_unlock(&shaper->lock);
	vif_shaper_empty(shaper, &batch, outcome);
	local_bh_enable();
	return more;
}

/*
 * Take the packets that the pool has dropped, to free them without the lock. A qdisc counts its
 * drops itself: then wake the device up, which calls the qdisc.
 */
static void __vif_shaper_take_dropped(struct vif_shaper *shaper, struct sk_buff_head *dropped)
{
	lockdep_assert_held(&shaper->lock);
	if (likely(skb_queue_empty(&shaper->pool.dropped)))
		return;
	if (shaper->mode == VIF_SHAPER_QDISC)
		vif_shaper_kick(shaper->sch);
	else
		skb_queue_splice_tail_init(&shaper->pool.dropped, dropped);
}

/* --- packets that are queued --- */

/* Packets that are queued each time the lock is taken. */
#define QUEUE_BATCH	64

static void __vif_shaper_expire_later(struct vif_shaper *shaper);

/* Update limits and times of a VIF's p_queue from its settings and its path. */
static void __vif_shaper_adapt(struct vif_shaper *shaper, struct vif_side *side)
{
	struct p_queue_params *params = &side->queue->params;
	struct vsched_path path;

	lockdep_assert_held(&shaper->lock);
	vsched_path_get(&side->node, &path);
	p_queue_adapt(params, &side->set, shaper->pool.frame_bytes, &path);
	params->genid = shaper->pool.genid;
}

/*
 * Make room for a packet in its VIF's p_queue, which is created if need be. Return false if the
 * packet is refused; its cb has the reason.
 */
static bool __vif_shaper_make_room(struct vif_shaper *shaper, struct vif_side *side,
				   struct sk_buff *skb)
{
	struct p_queue *queue = side->queue;

	lockdep_assert_held(&shaper->lock);
	if (!queue) {
		queue = p_queue_create(&shaper->pool, &side->set, shaper->ops->payer(side));
		side->queue = queue;
		if (!queue) {
			vif_skb_cb(skb)->drop = VIF_DROP_NOMEM;
			return false;
		}
		queue->ino = side->ino;
		queue->dir = side->dir;
		__vif_shaper_adapt(shaper, side);
	} else if (queue->params.genid != shaper->pool.genid) {
		__vif_shaper_adapt(shaper, side);
	}
	vif_skb_cb(skb)->drop = VIF_DROP_OVERLIMIT;
	return p_queue_make_room(&shaper->pool, queue, skb);
}

/*
 * Find the VIF that takes a packet, and get a reference to it. A VIF holds a reference to itself
 * while it has packets queued. If its last reference is gone, its parent takes the packet.
 * Return: whether the packet is accepted. @side becomes the VIF that accepts or refuses it.
 */
static bool __vif_shaper_get_for_queue(struct vif_shaper *shaper, struct vif_side **side,
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

bool __vif_shaper_queue(struct vif_shaper *shaper, struct vif_side *side,
			struct sk_buff *skb, u64 now)
{
	const struct vif_wire wire = { vif_skb_cb(skb)->bytes, vif_skb_cb(skb)->packets };
	bool room, known, begins;

	lockdep_assert_held(&shaper->lock);
	vif_skb_cb(skb)->drop = VIF_DROP_CLOSED;
	room = !shaper->closed && __vif_shaper_get_for_queue(shaper, &side, skb);
	if (!room) {
		side->stat.drops += wire.packets;
		trace_netnice_drop(skb, skb->dev, side->ino, side->dir, wire.bytes,
				   wire.packets, vif_skb_cb(skb)->drop);
		return false;
	}
	begins = p_queue_add(&shaper->pool, side->queue, skb, now);
	trace_netnice_enqueue(skb, side->ino, side->dir, wire.bytes, wire.packets,
			      side->queue->bytes, side->queue->packets);
	/* in qdisc mode packets pass the queue even if they need not wait */
	if (shaper->mode != VIF_SHAPER_QDISC || side->node.backlogged)
		side->stat.overlimits += wire.packets;
	/* if packets are already queued, the queue is already scheduled */
	known = side->node.backlogged;
	if (!known)
		vif_side_busy(side);
	/* the work ends when no packets are queued, which a VIF of @known may be without, too */
	__vif_shaper_expire_later(shaper);
	vsched_backlog(&shaper->tree, &side->node, wire.bytes, now);
	if ((begins || !known) && shaper->mode != VIF_SHAPER_QDISC)
		__vif_shaper_arm(shaper, !begins || !vsched_is_next(&shaper->tree, &side->node));
	return true;
}

/**
 * struct vif_shaper_round - packets to handle after the lock is released
 * @dropped: packets to free
 * @late: packets to put back, because the qdisc drains the shaper by now
 */
struct vif_shaper_round {
	struct sk_buff_head dropped;
	struct sk_buff_head late;
};

/* Queue a packet from the hook. Return false if it is refused: the caller drops it. */
static bool __vif_shaper_queue_from_hook(struct vif_shaper *shaper, struct vif_side *side,
					 struct sk_buff *skb, u64 now,
					 struct vif_shaper_round *round)
{
	lockdep_assert_held(&shaper->lock);
	if (shaper->mode != VIF_SHAPER_QDISC)
		return __vif_shaper_queue(shaper, side, skb, now);
	__skb_queue_tail(&round->late, skb);
	return true;
}

/* Queue the packets of the inbox. Their VIFs may be freed once the lock is released (shaper.h). */
static noinline void
__vif_shaper_queue_inbox(struct vif_shaper *shaper, struct vif_shaper_round *round)
{
	struct llist_node *all = vif_inbox_take(&shaper->inbox);
	u64 now = __vif_shaper_now(shaper);
	struct sk_buff *skb, *next;
	struct vif_side *side;

	llist_for_each_entry_safe(skb, next, all, ll_node) {
		side = vif_inbox_open(skb);
		if (!__vif_shaper_queue_from_hook(shaper, side, skb, now, round))
			__skb_queue_tail(&round->dropped, skb);
		vif_side_unbusy(side);
	}
}

/* Begin a round, right after the lock was taken: packets of the inbox are queued first. */
static void __vif_shaper_begin_round(struct vif_shaper *shaper, struct vif_shaper_round *round)
{
	lockdep_assert_held(&shaper->lock);
	__skb_queue_head_init(&round->dropped);
	__skb_queue_head_init(&round->late);
	if (!vif_inbox_is_empty(&shaper->inbox))
		__vif_shaper_queue_inbox(shaper, round);
}

/* Release the lock. */
static void vif_shaper_end_round(struct vif_shaper *shaper, struct vif_shaper_round *round)
	__releases(&shaper->lock)
{
	struct sk_buff *skb;

	__vif_shaper_take_dropped(shaper, &round->dropped);
	spin_unlock(&shaper->lock);
	vif_shaper_free_dropped(&round->dropped);
	while (unlikely(skb = __skb_dequeue(&round->late)))
		shaper->ops->reinject(skb);
}

/*
 * Take the lock, or put the packet into the inbox for the next CPU that takes the lock. The inbox
 * is not used while queued packets move to the qdisc, which may have packets already, or if a CPU
 * that must take the lock could be preempted.
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

/* Queue a packet. Return false if it is refused; a packet in the inbox is not refused here. */
static bool vif_shaper_enqueue_one(struct vif_shaper *shaper, struct vif_side *side, u32 tag,
				   struct sk_buff *skb)
{
	struct vif_wire wire = vif_shaper_charge(shaper, skb, vif_wire_measure(skb));
	enum vif_inbox_place place;
	struct vif_shaper_round round;
	bool queued;

	p_queue_prepare(&shaper->pool, skb, &wire, tag, NULL);
	place = vif_shaper_lock_or_post(shaper, side, skb);
	if (place == VIF_INBOX_LEFT) {
		__release(&shaper->lock);
		return true;
	}
	__vif_shaper_begin_round(shaper, &round);
	queued = place == VIF_INBOX_FIRST ||
		 __vif_shaper_queue_from_hook(shaper, side, skb, __vif_shaper_now(shaper), &round);
	vif_shaper_end_round(shaper, &round);
	return queued;
}

/* Prepare packets of one flow for queueing. */
static void
vif_shaper_prepare(const struct vif_shaper *shaper, u32 tag, struct sk_buff_head *packets)
{
	const struct vif_skb_cb *first = NULL;
	struct vif_wire wire;
	struct sk_buff *skb;

	skb_queue_walk(packets, skb) {
		wire = vif_shaper_charge(shaper, skb, vif_wire_measure(skb));
		p_queue_prepare(&shaper->pool, skb, &wire, tag, first);
		first = vif_skb_cb(skb);
	}
}

/* Queue packets of one flow; refused packets are freed. */
static void vif_shaper_enqueue_all(struct vif_shaper *shaper, struct vif_side *side, u32 tag,
				   struct sk_buff_head *packets)
{
	struct sk_buff *skb;
	struct vif_shaper_round round;
	unsigned int n;
	u64 now;

	vif_shaper_prepare(shaper, tag, packets);
	do {
		spin_lock(&shaper->lock);
		__vif_shaper_begin_round(shaper, &round);
		now = __vif_shaper_now(shaper);
		for (n = 0; n < QUEUE_BATCH && (skb = __skb_dequeue(packets)); n++)
			if (!__vif_shaper_queue_from_hook(shaper, side, skb, now, &round))
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

/* Cut a GSO packet and queue the parts. The sender is not told of drops. */
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

/**
 * vif_shaper_hold_back() - queue a packet that must wait
 * @shaper: the shaper
 * @side: the packet's VIF; valid under rcu_read_lock()
 * @tag: its socket's, 0 if it has none
 * @skb: the packet
 * @wire: its size on the wire
 * @fits: see __vif_shaper_fits(): it need not be segmented
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: NF_STOLEN; or NF_DROP, with a reason, if the packet is refused and the caller still has
 * it.
 */
static unsigned int vif_shaper_hold_back(struct vif_shaper *shaper, struct vif_side *side, u32 tag,
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

/* --- packets of a socket that changes its VIF --- */

/* Queue packets that were queued in another p_queue before; a qdisc has counted them already. */
static void __vif_shaper_queue_pulled(struct vif_shaper *shaper, struct vif_side *side)
{
	struct sk_buff_head *pulled = &shaper->pool.pulled;
	u64 now = __vif_shaper_now(shaper);
	struct sk_buff *skb;

	lockdep_assert_held(&shaper->lock);
	while ((skb = __skb_dequeue(pulled)))
		if (!__vif_shaper_queue(shaper, side, skb, now))
			__skb_queue_tail(&shaper->pool.dropped, skb);
	__vif_shaper_arm(shaper, true);
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
static void vif_shaper_pull(struct vif_shaper *shaper, struct vif_side *side,
			    const struct vif_side *was, u32 tag)
{
	struct p_queue *queue;
	struct vif_shaper_round round;

	spin_lock(&shaper->lock);
	__vif_shaper_begin_round(shaper, &round);
	queue = was->queue;
	if (queue && queue->packets && !shaper->closed &&
	    p_queue_pull(&shaper->pool, queue, tag))
		__vif_shaper_queue_pulled(shaper, side);
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
	struct vif_shaper_round round;
	u32 flow;

	flow = p_queue_flow(&shaper->pool, skb);
	if (READ_ONCE(shaper->mode) == VIF_SHAPER_QDISC) {
		/* no round: this runs inside the qdisc, which must not put packets back */
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

/* --- the hook's decision --- */

void vif_shaper_count(struct vif_shaper *shaper, const struct sk_buff *skb)
{
	vif_stock_add_exempt(&shaper->stock, vif_wire_measure(skb));
}

static bool
__vif_shaper_charge_exempt(struct vif_shaper *shaper, const struct sk_buff *skb, u32 charge)
{
	struct vsched_node *root = &shaper->root->node;
	u64 now = __vif_shaper_now(shaper);

	if (shaper->closed || root->clock.rate == VSCHED_RATE_MAX)
		return true;
	if (!vif_exempt_take(&shaper->exempt, skb, charge, vsched_node_part(root), now))
		return false;
	vsched_overdraw(&shaper->tree, root, charge, now);
	return true;
}

bool vif_shaper_pass_exempt(struct vif_shaper *shaper, const struct sk_buff *skb)
{
	struct vif_stock_entry *entry = vif_stock_entry(&shaper->stock, shaper->root);
	const struct vif_wire wire = vif_wire_measure(skb);
	bool pass;

	if (vif_stock_is_open(entry, shaper->root, false) && vif_stock_consume(entry, wire))
		return true;
	spin_lock(&shaper->lock);
	pass = __vif_shaper_charge_exempt(shaper, skb, vif_shaper_charge(shaper, skb, wire).bytes);
	if (pass)
		__vif_shaper_count_passed(shaper, shaper->root, wire);
	spin_unlock(&shaper->lock);
	return pass;
}

bool __vif_shaper_fits(const struct vif_shaper *shaper, const struct vif_side *side,
		       struct vif_wire charge)
{
	lockdep_assert_held(&shaper->lock);
	return charge.packets == 1 ||
	       (vsched_keeps_bursts(&side->node, charge.bytes) &&
		__vif_meter_fits(&shaper->meters, side, charge.packets));
}

void __vif_shaper_count_passed(struct vif_shaper *shaper, struct vif_side *side,
			       struct vif_wire wire)
{
	side->stat.passed += wire.packets;
	__vif_stock_count(side, wire.packets, wire.bytes);
	if (unlikely(shaper->meters.count) &&
	    __vif_meter_take(&shaper->meters, side, wire.bytes, __vif_shaper_now(shaper)))
		shaper->pool.genid++;
}

/*
 * May a packet be queued? Some packets use the kernel's memory reserves. If a BPF program has
 * assigned a received packet to a socket, it must arrive there in this RCU read section. The
 * mark survives a redirect and a veth, so a container can send such packets. On this side of the
 * veth they do not arrive at that socket, and are queued like other packets, without the socket.
 */
static bool vif_shaper_can_wait(const struct vif_side *side, struct sk_buff *skb)
{
	if (skb_pfmemalloc(skb))
		return false;
	return side->dir != VIF_INGRESS || !skb_sk_is_prefetched(skb) ||
	       !net_eq(sock_net(skb->sk), dev_net(skb->dev));
}

/*
 * A packet with no clock on its path passes even if other packets are queued, unless a quota would
 * be exceeded. A packet without a VIF also passes a closed shaper.
 */
static bool __vif_shaper_is_clockless(const struct vif_shaper *shaper,
				      const struct vif_side *side, u32 packets)
{
	return vsched_is_clockless(&side->node) &&
	       shaper->mode == VIF_SHAPER_TIMER &&
	       vif_shaper_nothing_before(side) &&
	       __vif_meter_fits(&shaper->meters, side, packets) &&
	       (!shaper->closed || !side->node.parent);
}

void __vif_shaper_open_stock(struct vif_shaper *shaper, struct vif_side *side)
{
	if (!side->forgotten && !__vif_meter_on_way(&shaper->meters, side))
		__vif_stock_open(&shaper->stock, side);
}

/* Advances are in bytes on the wire: with a link layer, each packet takes the lock. */
bool __vif_shaper_pass_clocks(struct vif_shaper *shaper, struct vif_side *side,
			      struct vif_wire wire, u32 charge)
{
	u64 now;

	if (shaper->closed)
		return false;
	__vif_stock_drain(&shaper->stock, side);
	now = __vif_shaper_now(shaper);
	if (!vsched_pass(&shaper->tree, &side->node, charge, now))
		return false;
	__vif_shaper_count_passed(shaper, side, wire);
	if (!side->forgotten && vif_link_layer_is_none(&shaper->layer) &&
	    !__vif_meter_on_way(&shaper->meters, side))
		__vif_stock_advance(&shaper->stock, side, wire.bytes, now);
	return true;
}

unsigned int vif_shaper_input_locked(struct vif_shaper *shaper,
				     struct vif_side *side, u32 tag, bool moved,
				     struct sk_buff *skb)
{
	const struct vif_wire wire = vif_wire_measure(skb);
	bool fits = true, pass;
	struct vif_wire charge;

	if (READ_ONCE(shaper->mode) == VIF_SHAPER_QDISC)
		return NF_ACCEPT;
	/* packets of the VIF are queued, so this one must wait: no lock is needed to see that */
	if (READ_ONCE(side->node.backlogged) && wire.packets == 1 &&
	    vif_shaper_can_wait(side, skb))
		return vif_shaper_hold_back(shaper, side, tag, skb, wire, true);
	charge = vif_shaper_charge(shaper, skb, wire);
	spin_lock(&shaper->lock);
	pass = __vif_shaper_is_clockless(shaper, side, wire.packets) &&
	       !(moved && READ_ONCE(shaper->draining));
	if (pass)
		__vif_shaper_open_stock(shaper, side);
	pass = pass || !vif_shaper_can_wait(side, skb);
	if (pass) {
		__vif_shaper_count_passed(shaper, side, wire);
	} else {
		fits = __vif_shaper_fits(shaper, side, charge);
		pass = fits && shaper->mode == VIF_SHAPER_TIMER && !READ_ONCE(shaper->draining) &&
		       vif_shaper_nothing_before(side) &&
		       __vif_shaper_pass_clocks(shaper, side, wire, charge.bytes);
	}
	spin_unlock(&shaper->lock);
	return pass ? NF_ACCEPT : vif_shaper_hold_back(shaper, side, tag, skb, wire, fits);
}

void vif_shaper_move_along(struct vif_shaper *shaper, struct vif_side *side,
			   struct vif_side *was, u32 tag, struct sk_buff *skb)
{
	struct vif_side *below;

	vif_shaper_pull(shaper, side, was, tag);
	below = vif_shaper_where(shaper, was, tag, skb);
	if (below && below != side)
		vif_shaper_pull(shaper, side, below, tag);
	shaper->ops->put(was);
}

unsigned int vif_shaper_input_gso(struct vif_shaper *shaper, struct vif_side *side,
				  u32 tag, struct vif_stock_entry *entry,
				  struct sk_buff *skb)
{
	if (vif_stock_consume(entry, vif_wire_measure(skb)))
		return NF_ACCEPT;
	return vif_shaper_input_locked(shaper, side, tag, false, skb);
}

/* --- the timer --- */

/*
 * The number of batches that the timer puts back in a row, and the time after which it begins no
 * other batch: putting packets back may take long. Then other softirqs and, after some rounds,
 * tasks run.
 */
#define DRAIN_BATCHES	16
#define DRAIN_NS	NSEC_PER_MSEC

/* Only one CPU at a time puts packets back: their order is kept. */
static enum hrtimer_restart vif_shaper_drain_timer(struct hrtimer *timer)
{
	struct vif_shaper *shaper = container_of(timer, struct vif_shaper, timer);
	struct vif_shaper_batch batch;
	unsigned int batches = 0;
	bool more;
	u64 end;

	spin_lock(&shaper->lock);
	end = __vif_shaper_now(shaper) + DRAIN_NS;
	if (shaper->mode != VIF_SHAPER_TIMER) {
		spin_unlock(&shaper->lock);
		return HRTIMER_NORESTART;
	}
	WRITE_ONCE(shaper->draining, true);
	for (;;) {
		__vif_shaper_fill(shaper, &batch, VIF_SHAPER_SENT);
		more = batch.count == VIF_SHAPER_BATCH && ++batches < DRAIN_BATCHES &&
		       __vif_shaper_now(shaper) < end;
		if (!more)
			__vif_shaper_arm(shaper, true);
		spin_unlock(&shaper->lock);
		vif_shaper_empty(shaper, &batch, VIF_SHAPER_SENT);
		if (!more)
			break;
		spin_lock(&shaper->lock);
	}
	/* packets that pass from now on are behind the ones that were put back */
	smp_store_release(&shaper->draining, false);
	return HRTIMER_NORESTART;
}

/* --- packets that expire, because they would keep a network namespace --- */

/*
 * In a namespace that may end, a packet whose socket has closed may be queued for this time: behind
 * a clock that is stopped, or behind a clock that runs.
 */
#define STOPPED_MOST_NS	(5ULL * NSEC_PER_SEC)
#define WAITS_MOST_NS	(10ULL * NSEC_PER_SEC)

/* The time between two checks for these packets, in jiffies. */
#define EXPIRE_EVERY	(2 * HZ)

/* Schedule the check: packets are queued. */
static void __vif_shaper_expire_later(struct vif_shaper *shaper)
{
	lockdep_assert_held(&shaper->lock);
	/* a received packet has no socket while it is queued */
	if (shaper->expires || shaper->closed || shaper->root->dir != VIF_EGRESS)
		return;
	shaper->expires = true;
	schedule_delayed_work(&shaper->expire, EXPIRE_EVERY);
}

static u64 vif_shaper_most_ns(const struct p_queue *queue)
{
	const struct vif_side *side = container_of(queue->set, struct vif_side, set);
	const struct vsched_node *node = &side->node;

	while (node && !vsched_clock_is_stopped(&node->clock))
		node = node->parent;
	return node ? STOPPED_MOST_NS : WAITS_MOST_NS;
}

static bool vif_shaper_expire_some(struct vif_shaper *shaper, unsigned int *from)
{
	struct sk_buff_head dropped;
	bool more;

	__skb_queue_head_init(&dropped);
	spin_lock_bh(&shaper->lock);
	more = !shaper->closed && p_queue_expire(&shaper->pool, from, __vif_shaper_now(shaper),
						 vif_shaper_most_ns);
	__vif_shaper_take_dropped(shaper, &dropped);
	spin_unlock_bh(&shaper->lock);
	vif_shaper_free_dropped(&dropped);
	return more;
}

static void vif_shaper_expire(struct work_struct *work)
{
	struct vif_shaper *shaper = container_of(to_delayed_work(work), struct vif_shaper, expire);
	unsigned int from = 0;

	while (vif_shaper_expire_some(shaper, &from))
		cond_resched();
	spin_lock_bh(&shaper->lock);
	shaper->expires = false;
	/* a VIF without packets may wait for a quota that has stopped, and be in the tree for good */
	if (shaper->pool.fq.backlog)
		__vif_shaper_expire_later(shaper);
	spin_unlock_bh(&shaper->lock);
}

/* --- opening and closing --- */

void vif_shaper_init(struct vif_shaper *shaper, const struct vif_shaper_ops *ops,
		     struct vif_side *root)
{
	shaper->ops = ops;
	shaper->root = root;
	shaper->closed = true;
	spin_lock_init(&shaper->lock);
	init_llist_head(&shaper->inbox.list);
	atomic_set(&shaper->inbox.count, 0);
	vsched_tree_init(&shaper->tree, &root->node);
	shaper->meters = (struct vif_meters) { &shaper->tree, &shaper->lock };
	vif_stock_init(&shaper->stock, &shaper->tree, &shaper->lock);
	p_queue_pool_init(&shaper->pool);
	vif_hrtimer_setup_soft(&shaper->timer, vif_shaper_drain_timer);
	INIT_DELAYED_WORK(&shaper->expire, vif_shaper_expire);
}

/* Give the pool new memory for flows, or none, and free the old memory. */
static void vif_shaper_renew_pool(struct vif_shaper *shaper, struct p_queue_flows *flows)
{
	spin_lock_bh(&shaper->lock);
	p_queue_pool_swap(&shaper->pool, flows);
	shaper->closed = !shaper->pool.slot;
	spin_unlock_bh(&shaper->lock);
	p_queue_flows_free(flows);
}

void vif_shaper_destroy(struct vif_shaper *shaper)
{
	vif_windows_free(shaper->pool.windows);
	free_percpu(shaper->stock.cpu);
}

int vif_shaper_open(struct vif_shaper *shaper)
{
	struct p_queue_flows flows = { };
	int err = vif_stock_alloc(&shaper->stock, shaper->root) ?:
		  p_queue_flows_alloc(&flows);

	if (err)
		return err;
	spin_lock_bh(&shaper->lock);
	vsched_tree_set_open(&shaper->tree, shaper->mode == VIF_SHAPER_MOVE);
	spin_unlock_bh(&shaper->lock);
	vif_shaper_renew_pool(shaper, &flows);
	return 0;
}

/* In VIF_SHAPER_QDISC queued packets belong to the qdisc, which is reset after us, or was. */
void vif_shaper_close(struct vif_shaper *shaper, bool send)
{
	enum vif_shaper_outcome outcome = send ? VIF_SHAPER_SENT : VIF_SHAPER_DROPPED;
	struct p_queue_flows none = { };
	bool others;

	vif_shaper_begin_change(shaper);
	shaper->closed = true;
	others = shaper->mode == VIF_SHAPER_QDISC &&
		 vsched_next_ns(&shaper->tree) != VSCHED_NEVER;
	if (!others)
		vsched_tree_set_open(&shaper->tree, true);
	vif_shaper_end_change(shaper);
	hrtimer_cancel(&shaper->timer);
	if (cancel_delayed_work_sync(&shaper->expire))
		shaper->expires = false;
	if (others)
		return;
	while (vif_shaper_drain(shaper, outcome))
		cond_resched();
	vif_shaper_renew_pool(shaper, &none);
}

void vif_shaper_forget(struct vif_shaper *shaper, struct vif_side *side)
{
	struct p_queue *queue;

	spin_lock_bh(&shaper->lock);
	side->forgotten = true;
	spin_unlock_bh(&shaper->lock);
	vif_stock_forget(&shaper->stock, side);
	spin_lock_bh(&shaper->lock);
	vsched_node_exit(&side->node);
	queue = side->queue;
	side->queue = NULL;
	if (queue)
		p_queue_forget(&shaper->pool, queue);
	spin_unlock_bh(&shaper->lock);
	p_queue_free(queue);
}

/* --- settings of a shaper and its VIFs: they change under the lock --- */

/* The credit that a clock catches up while packets wait: as much as the default burst saves up. */
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
	vif_shaper_begin_change(shaper);
	WRITE_ONCE(shaper->layer.has_overhead, layer->has_overhead);
	WRITE_ONCE(shaper->layer.overhead, layer->overhead);
	WRITE_ONCE(shaper->layer.mpu, layer->mpu);
	WRITE_ONCE(shaper->layer.framing, layer->framing);
	vif_shaper_end_change(shaper);
}

struct vif_windows *vif_shaper_set_windows(struct vif_shaper *shaper, struct vif_windows *windows)
{
	struct vif_windows *old;

	spin_lock_bh(&shaper->lock);
	old = shaper->pool.windows;
	WRITE_ONCE(shaper->pool.windows, windows);
	spin_unlock_bh(&shaper->lock);
	return old;
}

void vif_shaper_set_clock(struct vif_shaper *shaper, struct vif_side *side,
			  const struct vif_clocks *clocks, const struct vif_quota *quota)
{
	const struct vif_clock *clock;

	vif_shaper_begin_change(shaper);
	if (quota)
		__vif_meter_set(&shaper->meters, side, quota);
	clock = __vif_meter_clock(side, clocks);
	vsched_node_set_clock(&shaper->tree, &side->node, clock->rate, clock->burst,
			      clock->longest, __vif_shaper_now(shaper));
	shaper->pool.genid++;
	vif_shaper_end_change(shaper);
}

void vif_shaper_set_group(struct vif_shaper *shaper, struct vif_side *side,
			  struct vsched_group *group)
{
	vif_shaper_begin_change(shaper);
	vsched_node_set_group(&shaper->tree, &side->node, group, __vif_shaper_now(shaper));
	vif_shaper_end_change(shaper);
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
	vif_shaper_begin_change(shaper);
	/* packets that passed by now are counted at the old place, before the move */
	__vif_stock_fold(&shaper->stock);
	vsched_node_move(&shaper->tree, &side->node, &parent->node, __vif_shaper_now(shaper));
	shaper->pool.genid++;
	vif_shaper_end_change(shaper);
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

/* Packets that are dropped each time the lock is taken. */
#define CLEAR_BATCH	64

/* Return whether more packets are queued. */
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

void vif_shaper_clear_stopped(struct vif_shaper *shaper, struct vif_side *side)
{
	struct sk_buff_head dropped;
	bool more;

	do {
		__skb_queue_head_init(&dropped);
		spin_lock_bh(&shaper->lock);
		more = __vif_meter_is_stopped(side) && __vif_shaper_clear_some(shaper, side);
		__vif_shaper_take_dropped(shaper, &dropped);
		spin_unlock_bh(&shaper->lock);
		vif_shaper_free_dropped(&dropped);
	} while (more);
}

/* --- counters --- */

/*
 * Queued packets are in one list; the clock decides which part is the d_queue: without a clock, all
 * packets; with a ready clock, the next packet.
 */
static void __vif_shaper_split_queue(const struct vif_side *side, struct vif_stat *stat)
{
	struct p_queue *queue = side->queue;
	const struct sk_buff *head;

	stat->p_packets = queue->packets;
	stat->p_bytes = queue->bytes;
	if (side->node.clock.rate == VSCHED_RATE_MAX) {
		stat->d_packets = queue->packets;
		stat->d_bytes = queue->bytes;
	} else if (vsched_node_released(&side->node)) {
		head = p_queue_head(queue);
		stat->d_packets = head ? vif_skb_cb(head)->packets : 0;
		stat->d_bytes = head ? vif_skb_cb(head)->bytes : 0;
	}
	stat->p_packets -= stat->d_packets;
	stat->p_bytes -= stat->d_bytes;
}

static void __vif_shaper_copy_stat(const struct vif_side *side, struct vif_stat *stat)
{
	const struct p_queue *queue = side->queue;

	*stat = (struct vif_stat) {
		.packets = side->stat.packets,
		.bytes = side->stat.bytes,
		.drops = side->stat.drops,
		.overlimits = side->stat.overlimits,
	};
	if (side->metered)
		stat->quota = side->extra->quota;
	if (!queue)
		return;
	stat->drops += queue->drops;
	stat->marks = queue->marks;
	stat->ack_drops = queue->ack_drops;
	__vif_shaper_split_queue(side, stat);
	vif_sojourn_summarize(&queue->sojourn, side->stat.passed, &stat->sojourn);
}

void vif_shaper_read_sojourn(struct vif_shaper *shaper, struct vif_side *side,
			     u64 bucket[SOJOURN_BUCKETS])
{
	memset(bucket, 0, SOJOURN_BUCKETS * sizeof(*bucket));
	vif_stock_fold(&shaper->stock);
	spin_lock_bh(&shaper->lock);
	if (side->queue) {
		memcpy(bucket, side->queue->sojourn.bucket,
		       sizeof(side->queue->sojourn.bucket));
		bucket[0] += side->stat.passed;
	}
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_read_quota(struct vif_shaper *shaper, const struct vif_side *side,
			   struct vif_quota *quota)
{
	*quota = (struct vif_quota) { };
	if (!READ_ONCE(side->metered))
		return;
	spin_lock_bh(&shaper->lock);
	if (side->metered)
		*quota = side->extra->quota;
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_read_stat(struct vif_shaper *shaper, struct vif_side *side,
			  struct vif_stat *stat)
{
	vif_stock_fold(&shaper->stock);
	spin_lock_bh(&shaper->lock);
	__vif_shaper_copy_stat(side, stat);
	spin_unlock_bh(&shaper->lock);
}
