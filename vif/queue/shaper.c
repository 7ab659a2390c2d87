// SPDX-License-Identifier: GPL-2.0
/*
 * Way of a packet: the hook calls vif_shaper_input(). If no clock is on its way, or the
 * clocks there have been paid in advance, it is counted and goes on, most often without
 * the lock (see stock.h). Otherwise, under the lock, it may pass at once if that changes
 * nothing for anybody; or else it is held in its VIF's p_queue, and the timer set to
 * the time at which the scheduler can go on. drain() then puts packets back, a batch at
 * a time, outside the lock.
 */
#include "shaper.h"

#include <linux/netdevice.h>
#include <net/sock.h>

#include "../compat/drop.h"
#include "../compat/hrtimer.h"
#include "../trace/events.h"
#include "p_queue_room.h"
#include "shaper_leave.h"
#include "shaper_priv.h"
#include "shaper_qdisc.h"

/* Batches put back in a row. */
#define DRAIN_BATCHES	16

/* Packets that are queued while the lock is held. */
#define QUEUE_BATCH	64

void vif_shaper_count(struct vif_shaper *shaper, const struct sk_buff *skb)
{
	vif_stock_add_exempt(&shaper->stock, vif_wire_measure(skb));
}

static bool __expires_by(struct vif_shaper *shaper, u64 ns)
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
	next = vsched_next_ns(&shaper->tree);
	if (next == VSCHED_NEVER)
		return;
	if (shaper->mode == VIF_SHAPER_QDISC)
		vif_shaper_kick(shaper->sch);
	if (shaper->mode != VIF_SHAPER_TIMER)
		return;
	if (__expires_by(shaper, next))
		return;
	next += __vif_shaper_late_ns(shaper);
	if (__expires_by(shaper, next))
		return;
	hrtimer_start(&shaper->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_SOFT);
}

void __vif_shaper_adapt(struct vif_shaper *shaper, struct vif_side *side)
{
	struct p_queue_params *params = &side->queue->params;
	struct vsched_path path;

	lockdep_assert_held(&shaper->lock);
	vsched_path_get(&side->node, &path);
	p_queue_adapt(params, &side->set, shaper->pool.frame_bytes, &path);
	params->genid = shaper->pool.genid;
}

static void __make_queue(struct vif_shaper *shaper, struct vif_side *side)
{
	side->queue = p_queue_create(&shaper->pool, &side->set,
				     shaper->ops->payer(side));
	if (!side->queue)
		return;
	side->queue->ino = side->ino;
	side->queue->dir = side->dir;
	__vif_shaper_adapt(shaper, side);
}

static bool __make_room(struct vif_shaper *shaper, struct vif_side *side,
			struct sk_buff *skb)
{
	lockdep_assert_held(&shaper->lock);
	if (!side->queue)
		__make_queue(shaper, side);
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
 * it is certain that there will be one. One whose end has begun can not get it any more:
 * its parent takes over. Return: whether there is room in it; @side is who takes, or
 * refuses, the packet.
 */
static bool __hold_for_queue(struct vif_shaper *shaper, struct vif_side **side,
			     struct sk_buff *skb)
{
	lockdep_assert_held(&shaper->lock);
	for (;; *side = vif_side_of((*side)->node.parent)) {
		if ((*side)->forgotten)
			continue;
		if (!__make_room(shaper, *side, skb))
			return false;
		if ((*side)->node.backlogged || shaper->ops->get(*side))
			return true;
	}
}

bool __vif_shaper_queue(struct vif_shaper *shaper, struct vif_side *side,
			struct sk_buff *skb, const struct vif_wire *wire,
			u64 now)
{
	bool room, known;

	lockdep_assert_held(&shaper->lock);
	vif_skb_cb(skb)->drop = VIF_DROP_CLOSED;
	room = !shaper->closed && __hold_for_queue(shaper, &side, skb);
	if (!room) {
		side->stat.drops += wire->packets;
		trace_netnice_drop(skb, skb->dev, side->ino, side->dir, wire->bytes,
				   wire->packets, vif_skb_cb(skb)->drop);
		return false;
	}
	p_queue_add(&shaper->pool, side->queue, skb, now);
	trace_netnice_enqueue(skb, side->ino, side->dir, wire->bytes, wire->packets,
			      side->queue->bytes, side->queue->packets);
	/* a device takes its packets from the queue, whether they wait or not */
	if (shaper->mode != VIF_SHAPER_QDISC || side->node.backlogged)
		side->stat.overlimits += wire->packets;
	/* where others wait already, somebody comes for them */
	known = side->node.backlogged;
	vsched_backlog(&shaper->tree, &side->node, wire->bytes, now);
	if (!known && shaper->mode != VIF_SHAPER_QDISC)
		__vif_shaper_arm(shaper);
	return true;
}

/* The hook may see a moment too late that the qdisc takes the packets now. */
static bool queue_one(struct vif_shaper *shaper, struct vif_side *side, u32 tag,
		      struct sk_buff *skb)
{
	struct vif_wire wire = vif_shaper_charge(shaper, skb, vif_wire_measure(skb));
	struct sk_buff_head dropped;
	bool queued, late;

	p_queue_prepare(skb, &wire, tag, NULL);
	__skb_queue_head_init(&dropped);
	spin_lock(&shaper->lock);
	late = shaper->mode == VIF_SHAPER_QDISC;
	queued = late ||
		 __vif_shaper_queue(shaper, side, skb, &wire, ktime_get_ns());
	if (!late)
		skb_queue_splice_init(&shaper->pool.dropped, &dropped);
	spin_unlock(&shaper->lock);
	vif_shaper_free_dropped(&dropped);
	if (late)
		shaper->ops->reinject(skb);
	return queued;
}

/* Of one flow. */
static void prepare(const struct vif_shaper *shaper, u32 tag, struct sk_buff_head *packets)
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

static struct vif_wire wire_of(const struct sk_buff *skb)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	return (struct vif_wire) { cb->bytes, cb->packets };
}

/* At most so many. They drop others, or are dropped themselves if they are refused. */
static void __queue_some(struct vif_shaper *shaper, struct vif_side *side,
			 struct sk_buff_head *packets, unsigned int most)
{
	u64 now = ktime_get_ns();
	struct vif_wire wire;
	struct sk_buff *skb;

	lockdep_assert_held(&shaper->lock);
	while (most-- && (skb = __skb_dequeue(packets))) {
		wire = wire_of(skb);
		if (!__vif_shaper_queue(shaper, side, skb, &wire, now))
			__skb_queue_tail(&shaper->pool.dropped, skb);
	}
}

/* As queue_one(), but for the verdict, with packets of one flow. */
static void queue_all(struct vif_shaper *shaper, struct vif_side *side, u32 tag,
		      struct sk_buff_head *packets)
{
	struct sk_buff_head dropped;
	struct sk_buff *skb;
	bool late;

	prepare(shaper, tag, packets);
	__skb_queue_head_init(&dropped);
	do {
		spin_lock(&shaper->lock);
		late = shaper->mode == VIF_SHAPER_QDISC;
		if (!late) {
			__queue_some(shaper, side, packets, QUEUE_BATCH);
			skb_queue_splice_init(&shaper->pool.dropped, &dropped);
		}
		spin_unlock(&shaper->lock);
	} while (!late && !skb_queue_empty(packets));
	vif_shaper_free_dropped(&dropped);
	while ((skb = __skb_dequeue(packets)))
		shaper->ops->reinject(skb);
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

/* The sender sees a drop only if nothing of the packet is left. */
static unsigned int queue_segments(struct vif_shaper *shaper,
				   struct vif_side *side, u32 tag,
				   struct sk_buff *skb,
				   const struct vif_wire *wire)
{
	struct sk_buff *segs, *next;
	struct sk_buff_head packets;

	segs = shaper->ops->segment(skb);
	if (!segs) {
		vif_shaper_count_drop(shaper, side, skb->dev, wire, VIF_DROP_SEGMENT);
		vif_drop_skb(skb, VIF_DROP_SEGMENT);
		return NF_STOLEN;
	}
	__skb_queue_head_init(&packets);
	skb_list_walk_safe(segs, skb, next)
		__skb_queue_tail(&packets, skb);
	queue_all(shaper, side, tag, &packets);
	return NF_STOLEN;
}

bool __vif_shaper_fits(const struct vif_shaper *shaper, const struct vif_side *side,
		       struct vif_wire charge)
{
	lockdep_assert_held(&shaper->lock);
	return charge.packets == 1 ||
	       vsched_keeps_bursts(&side->node, charge.bytes);
}

void __vif_shaper_count_passed(struct vif_side *side, struct vif_wire wire)
{
	side->stat.passed += wire.packets;
	__vif_stock_count(side, wire.packets, wire.bytes);
}

/* Packets that another part of the kernel lends us can not wait. */
static bool can_wait(struct sk_buff *skb)
{
	return !skb_pfmemalloc(skb) && !skb_sk_is_prefetched(skb);
}

/*
 * The VIF that it leaves may have its turn in vain once. A qdisc has to be told of
 * drops: it finds them.
 */
static void follow(struct vif_shaper *shaper, struct vif_side *side,
		   const struct vif_side *was, u32 tag)
{
	struct p_queue *queue;
	struct sk_buff_head dropped;

	__skb_queue_head_init(&dropped);
	spin_lock(&shaper->lock);
	queue = was->queue;
	if (queue && queue->packets && !shaper->closed &&
	    p_queue_pull(&shaper->pool, queue, tag)) {
		__queue_some(shaper, side, &shaper->pool.pulled, UINT_MAX);
		if (shaper->mode != VIF_SHAPER_QDISC)
			skb_queue_splice_init(&shaper->pool.dropped, &dropped);
		__vif_shaper_arm(shaper);
	}
	spin_unlock(&shaper->lock);
	vif_shaper_free_dropped(&dropped);
}

/* Have it wait, if it may. @fits: see __vif_shaper_fits() */
static noinline unsigned int hold_back(struct vif_shaper *shaper,
				       struct vif_side *side, u32 tag,
				       struct sk_buff *skb,
				       struct vif_wire wire, bool fits)
{
	const struct net_device *dev = skb->dev;
	struct sk_buff *held = shaper->ops->hold(skb);
	enum vif_drop why;

	if (!held) {
		vif_shaper_count_drop(shaper, side, dev, &wire, VIF_DROP_NOMEM);
		return NF_STOLEN;
	}
	if (!fits)
		return queue_segments(shaper, side, tag, held, &wire);
	if (queue_one(shaper, side, tag, held))
		return NF_STOLEN;
	/* let the sender know, unless what it sent is gone already */
	why = vif_skb_cb(held)->drop;
	if (held == skb)
		return vif_hook_drop(skb, vif_drop_reason(why));
	vif_drop_skb(held, why);
	return NF_STOLEN;
}

/*
 * What has no clock on its way passes, whatever else waits: nothing holds it back. What
 * has no VIF does so also when the shaper is closed.
 */
static bool __is_clockless(const struct vif_shaper *shaper,
			   const struct vif_side *side)
{
	return vsched_is_clockless(&side->node) &&
	       shaper->mode == VIF_SHAPER_TIMER &&
	       vif_shaper_nothing_before(side) &&
	       (!shaper->closed || !side->node.parent);
}

/*
 * Also those that follow on this CPU, as far as can be paid in advance, which is done in the
 * bytes that are counted: where others are charged each packet comes here.
 */
static bool __pass_clocks(struct vif_shaper *shaper, struct vif_side *side,
			  struct vif_wire wire, u32 charge)
{
	u64 now;

	if (shaper->closed)
		return false;
	__vif_stock_drain(&shaper->stock, side);
	now = ktime_get_ns();
	if (!vsched_pass(&shaper->tree, &side->node, charge, now))
		return false;
	__vif_shaper_count_passed(side, wire);
	if (!side->forgotten && vif_link_layer_is_none(&shaper->layer))
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
	/* it has to wait behind others: that needs no lock to be found out */
	if (READ_ONCE(side->node.backlogged) && wire.packets == 1 && can_wait(skb))
		return hold_back(shaper, side, tag, skb, wire, true);
	charge = vif_shaper_charge(shaper, skb, wire);
	spin_lock(&shaper->lock);
	pass = __is_clockless(shaper, side) && !(moved && READ_ONCE(shaper->draining));
	if (pass && !side->forgotten)
		__vif_stock_open(&shaper->stock, side);
	pass = pass || !can_wait(skb);
	if (pass) {
		__vif_shaper_count_passed(side, wire);
	} else {
		fits = __vif_shaper_fits(shaper, side, charge);
		pass = fits && shaper->mode == VIF_SHAPER_TIMER && !READ_ONCE(shaper->draining) &&
		       __pass_clocks(shaper, side, wire, charge.bytes);
	}
	spin_unlock(&shaper->lock);
	return pass ? NF_ACCEPT : hold_back(shaper, side, tag, skb, wire, fits);
}

unsigned int vif_shaper_follow(struct vif_shaper *shaper, struct vif_side *side,
			       struct vif_side *was, u32 tag, struct sk_buff *skb)
{
	follow(shaper, side, was, tag);
	shaper->ops->put(was);
	return vif_shaper_input_locked(shaper, side, tag, true, skb);
}

unsigned int vif_shaper_input_gso(struct vif_shaper *shaper, struct vif_side *side,
				  u32 tag, struct vif_stock_entry *entry,
				  struct sk_buff *skb)
{
	if (vif_stock_consume(entry, vif_wire_measure(skb)))
		return NF_ACCEPT;
	return vif_shaper_input_locked(shaper, side, tag, false, skb);
}

/* Only one CPU at a time puts packets back: their order is kept. */
static enum hrtimer_restart drain(struct hrtimer *timer)
{
	struct vif_shaper *shaper = container_of(timer, struct vif_shaper, timer);
	struct vif_shaper_batch batch;
	unsigned int batches = 0;
	bool more;

	spin_lock(&shaper->lock);
	if (shaper->mode != VIF_SHAPER_TIMER) {
		spin_unlock(&shaper->lock);
		return HRTIMER_NORESTART;
	}
	WRITE_ONCE(shaper->draining, true);
	for (;;) {
		__vif_shaper_fill(shaper, &batch, VIF_SHAPER_SENT);
		more = batch.count == VIF_SHAPER_BATCH && ++batches < DRAIN_BATCHES;
		if (!more)
			__vif_shaper_arm(shaper);
		spin_unlock(&shaper->lock);
		vif_shaper_empty(shaper, &batch, VIF_SHAPER_SENT);
		if (!more)
			break;
		spin_lock(&shaper->lock);
	}
	/* what comes from now on does not overtake them */
	smp_store_release(&shaper->draining, false);
	return HRTIMER_NORESTART;
}

void vif_shaper_init(struct vif_shaper *shaper, const struct vif_shaper_ops *ops,
		     struct vif_side *root)
{
	shaper->ops = ops;
	shaper->root = root;
	shaper->closed = true;
	spin_lock_init(&shaper->lock);
	vsched_tree_init(&shaper->tree, &root->node);
	vif_stock_init(&shaper->stock, &shaper->tree, &shaper->lock);
	p_queue_pool_init(&shaper->pool);
	vif_hrtimer_setup_soft(&shaper->timer, drain);
}

/* Have the p_queues live on new memory, or on none; free the old one. */
static void renew_pool(struct vif_shaper *shaper, struct p_queue_flows *flows)
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
	renew_pool(shaper, &flows);
	return 0;
}

/* Lets out some of what waits; false when nothing waits any more. */
static bool let_out(struct vif_shaper *shaper, enum vif_shaper_outcome outcome)
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

/* What waits in VIF_SHAPER_QDISC is the qdisc's, which is reset after us, or was. */
void vif_shaper_close(struct vif_shaper *shaper, bool send)
{
	enum vif_shaper_outcome outcome = send ? VIF_SHAPER_SENT : VIF_SHAPER_DROPPED;
	struct p_queue_flows none = { };
	bool others;

	vif_stock_close(&shaper->stock);
	spin_lock_bh(&shaper->lock);
	shaper->closed = true;
	__vif_stock_close(&shaper->stock);
	others = shaper->mode == VIF_SHAPER_QDISC &&
		 vsched_next_ns(&shaper->tree) != VSCHED_NEVER;
	if (!others)
		vsched_tree_set_open(&shaper->tree, true);
	spin_unlock_bh(&shaper->lock);
	hrtimer_cancel(&shaper->timer);
	if (others)
		return;
	while (let_out(shaper, outcome))
		cond_resched();
	renew_pool(shaper, &none);
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
