// SPDX-License-Identifier: GPL-2.0
/*
 * Way of a packet: the hook calls vif_port_input(). If no clock is on its way, or the
 * clocks there have been paid in advance, it is counted and goes on, most often without
 * the lock (see stock.h). Otherwise, under the lock, it may pass at once if that changes
 * nothing for anybody; or else it is held in its VIF's p_queue, and the timer set to
 * the time at which the scheduler can go on. drain() then puts packets back, a batch at
 * a time, outside the lock.
 */
#include "port.h"

#include <linux/netdevice.h>
#include <net/sock.h>

#include "../compat/drop.h"
#include "../compat/hrtimer.h"
#include "../trace/events.h"
#include "p_queue_room.h"
#include "port_priv.h"
#include "port_qdisc.h"

/* Batches put back in a row. */
#define DRAIN_BATCHES	16

static struct vif_side *side_of(struct vsched_node *node)
{
	return container_of(node, struct vif_side, node);
}

void vif_port_count(struct vif_port *port, const struct sk_buff *skb)
{
	vif_stock_add_exempt(&port->stock, vif_wire_measure(skb));
}

void __vif_port_arm(struct vif_port *port)
{
	u64 next;

	lockdep_assert_held(&port->lock);
	__vif_stock_recall(&port->stock);
	if (port->closed || port->draining)
		return;
	next = vsched_next_ns(&port->tree);
	if (next == VSCHED_NEVER)
		return;
	if (port->mode == VIF_PORT_QDISC)
		vif_port_kick(port->sch);
	if (port->mode != VIF_PORT_TIMER)
		return;
	if (hrtimer_is_queued(&port->timer) &&
	    ktime_to_ns(hrtimer_get_expires(&port->timer)) <= next)
		return;
	hrtimer_start(&port->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_SOFT);
}

struct vif_wire vif_port_charge(const struct vif_port *port,
				const struct sk_buff *skb, struct vif_wire wire)
{
	return (struct vif_wire) {
		.bytes = vif_link_layer_charge(&port->layer, skb, wire),
		.packets = wire.packets,
	};
}

static void __make_queue(struct vif_port *port, struct vif_side *side)
{
	side->queue = p_queue_create(&port->pool, &side->config,
				     port->ops->payer(side));
	if (!side->queue)
		return;
	side->queue->ino = side->ino;
	side->queue->dir = side->dir;
}

static bool __make_room(struct vif_port *port, struct vif_side *side,
			struct sk_buff *skb)
{
	struct vsched_path path;

	lockdep_assert_held(&port->lock);
	if (!side->queue)
		__make_queue(port, side);
	if (!side->queue) {
		vif_skb_cb(skb)->drop = VIF_DROP_NOMEM;
		return false;
	}
	vif_skb_cb(skb)->drop = VIF_DROP_OVERLIMIT;
	vsched_path_get(&side->node, &path);
	return p_queue_make_room(&port->pool, side->queue, skb, &path);
}

/*
 * A VIF keeps a reference to itself while the scheduler knows of packets in it: from when
 * it is certain that there will be one. One whose end has begun can not get it any more:
 * its parent takes over. Return: whether there is room in it; @side is who takes, or
 * refuses, the packet.
 */
static bool __hold_for_queue(struct vif_port *port, struct vif_side **side,
			     struct sk_buff *skb)
{
	lockdep_assert_held(&port->lock);
	for (;; *side = side_of((*side)->node.parent)) {
		if ((*side)->forgotten)
			continue;
		if (!__make_room(port, *side, skb))
			return false;
		if ((*side)->node.backlogged || port->ops->get(*side))
			return true;
	}
}

bool __vif_port_queue(struct vif_port *port, struct vif_side *side,
		      struct sk_buff *skb, const struct vif_wire *wire,
		      u64 now)
{
	bool room;

	lockdep_assert_held(&port->lock);
	vif_skb_cb(skb)->drop = VIF_DROP_CLOSED;
	room = !port->closed && __hold_for_queue(port, &side, skb);
	if (!room) {
		side->stat.drops += wire->packets;
		trace_netnice_drop(skb, skb->dev, side->ino, side->dir, wire->bytes,
				   wire->packets, vif_skb_cb(skb)->drop);
		return false;
	}
	p_queue_add(&port->pool, side->queue, skb, now);
	trace_netnice_enqueue(skb, side->ino, side->dir, wire->bytes, wire->packets,
			      side->queue->bytes, side->queue->packets);
	/* a device takes its packets from the queue, whether they wait or not */
	if (port->mode != VIF_PORT_QDISC || side->node.backlogged)
		side->stat.overlimits += wire->packets;
	vsched_backlog(&port->tree, &side->node, wire->bytes, now);
	return true;
}

/* What the pool has dropped. */
static void free_dropped(struct sk_buff_head *dropped)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(dropped)))
		vif_drop_skb(skb, vif_skb_cb(skb)->drop);
}

/* The hook may see a moment too late that the qdisc takes the packets now. */
static bool queue_one(struct vif_port *port, struct vif_side *side, u32 tag,
		      struct sk_buff *skb)
{
	struct vif_wire wire = vif_port_charge(port, skb, vif_wire_measure(skb));
	struct sk_buff_head dropped;
	bool queued, late;

	p_queue_prepare(skb, &wire, tag);
	__skb_queue_head_init(&dropped);
	spin_lock(&port->lock);
	late = port->mode == VIF_PORT_QDISC;
	queued = late ||
		 __vif_port_queue(port, side, skb, &wire, ktime_get_ns());
	if (!late)
		skb_queue_splice_init(&port->pool.dropped, &dropped);
	__vif_port_arm(port);
	spin_unlock(&port->lock);
	free_dropped(&dropped);
	if (late)
		port->ops->reinject(skb);
	return queued;
}

void vif_port_count_drop(struct vif_port *port, struct vif_side *side,
			 const struct net_device *dev, const struct vif_wire *wire,
			 enum vif_drop why)
{
	spin_lock(&port->lock);
	side->stat.drops += wire->packets;
	spin_unlock(&port->lock);
	trace_netnice_drop(NULL, dev, side->ino, side->dir, wire->bytes, wire->packets, why);
}

/* The sender sees a drop only if nothing of the packet is left. */
static unsigned int queue_segments(struct vif_port *port,
				   struct vif_side *side, u32 tag,
				   struct sk_buff *skb,
				   const struct vif_wire *wire)
{
	struct sk_buff *segs, *next;

	segs = port->ops->segment(skb);
	if (!segs) {
		vif_port_count_drop(port, side, skb->dev, wire, VIF_DROP_SEGMENT);
		vif_drop_skb(skb, VIF_DROP_SEGMENT);
		return NF_STOLEN;
	}
	skb_list_walk_safe(segs, skb, next) {
		skb_mark_not_on_list(skb);
		if (!queue_one(port, side, tag, skb))
			vif_drop_skb(skb, vif_skb_cb(skb)->drop);
	}
	return NF_STOLEN;
}

bool __vif_port_fits(const struct vif_port *port, const struct vif_side *side,
		     struct vif_wire charge)
{
	lockdep_assert_held(&port->lock);
	return charge.packets == 1 ||
	       vsched_keeps_bursts(&side->node, charge.bytes);
}

/* It has not waited. */
static void __count_unqueued(struct vif_side *side, struct vif_wire wire)
{
	side->stat.passed += wire.packets;
	__vif_stock_count(side, wire.packets, wire.bytes);
}

/* Does not ask for the time if there is no need to. */
bool __vif_port_pass(struct vif_port *port, struct vif_side *side,
		     struct vif_wire wire, u32 charge)
{
	lockdep_assert_held(&port->lock);
	if (port->closed)
		return false;
	if (!vsched_is_free(&port->tree, &side->node) &&
	    !vsched_pass(&port->tree, &side->node, charge, ktime_get_ns()))
		return false;
	__count_unqueued(side, wire);
	return true;
}

/* Packets that another part of the kernel lends us can not wait. */
static bool can_wait(struct sk_buff *skb)
{
	return !skb_pfmemalloc(skb) && !skb_sk_is_prefetched(skb);
}

/* Packets drop others, or are dropped themselves, as if they came now. */
static void __requeue(struct vif_port *port, struct vif_side *side, u64 now)
{
	struct sk_buff *skb;

	lockdep_assert_held(&port->lock);
	while ((skb = __skb_dequeue(&port->pool.pulled))) {
		const struct vif_skb_cb *cb = vif_skb_cb(skb);
		const struct vif_wire wire = { cb->bytes, cb->packets };

		if (!__vif_port_queue(port, side, skb, &wire, now))
			__skb_queue_tail(&port->pool.dropped, skb);
	}
}

/*
 * The VIF that it leaves may have its turn in vain once. A qdisc has to be told of
 * drops: it finds them.
 */
static void follow(struct vif_port *port, struct vif_side *side,
		   const struct vif_side *was, u32 tag)
{
	struct p_queue *queue;
	struct sk_buff_head dropped;

	__skb_queue_head_init(&dropped);
	spin_lock(&port->lock);
	queue = was->queue;
	if (queue && queue->packets && !port->closed &&
	    p_queue_pull(&port->pool, queue, tag)) {
		__requeue(port, side, ktime_get_ns());
		if (port->mode != VIF_PORT_QDISC)
			skb_queue_splice_init(&port->pool.dropped, &dropped);
		__vif_port_arm(port);
	}
	spin_unlock(&port->lock);
	free_dropped(&dropped);
}

/* Have it wait, if it may. @fits: see __vif_port_fits() */
static noinline unsigned int hold_back(struct vif_port *port,
				       struct vif_side *side, u32 tag,
				       struct sk_buff *skb,
				       struct vif_wire wire, bool fits)
{
	const struct net_device *dev = skb->dev;
	struct sk_buff *held = port->ops->hold(skb);
	enum vif_drop why;

	if (!held) {
		vif_port_count_drop(port, side, dev, &wire, VIF_DROP_NOMEM);
		return NF_STOLEN;
	}
	if (!fits)
		return queue_segments(port, side, tag, held, &wire);
	if (queue_one(port, side, tag, held))
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
 * has no VIF does so also when the port is closed.
 */
static bool __is_clockless(const struct vif_port *port,
			   const struct vif_side *side)
{
	return vsched_is_clockless(&side->node) &&
	       port->mode == VIF_PORT_TIMER &&
	       vif_port_nothing_before(side) &&
	       (!port->closed || !side->node.parent);
}

/*
 * Also those that follow on this CPU, as far as can be paid in advance, which is done in the
 * bytes that are counted: where others are charged each packet comes here.
 */
static bool __pass_clocks(struct vif_port *port, struct vif_side *side,
			  struct vif_wire wire, u32 charge)
{
	u64 now;

	if (port->closed)
		return false;
	__vif_stock_drain(&port->stock, side);
	now = ktime_get_ns();
	if (!vsched_pass(&port->tree, &side->node, charge, now))
		return false;
	__count_unqueued(side, wire);
	if (!side->forgotten && vif_link_layer_is_none(&port->layer))
		__vif_stock_advance(&port->stock, side, wire.bytes, now);
	return true;
}

unsigned int vif_port_input_locked(struct vif_port *port,
				   struct vif_side *side, u32 tag, bool moved,
				   struct sk_buff *skb)
{
	const struct vif_wire wire = vif_wire_measure(skb);
	const struct vif_wire charge = vif_port_charge(port, skb, wire);
	bool fits = true, pass;

	if (READ_ONCE(port->mode) == VIF_PORT_QDISC)
		return NF_ACCEPT;
	spin_lock(&port->lock);
	pass = __is_clockless(port, side) && !(moved && port->draining);
	if (pass && !side->forgotten)
		__vif_stock_open(&port->stock, side);
	pass = pass || !can_wait(skb);
	if (pass) {
		__count_unqueued(side, wire);
	} else {
		fits = __vif_port_fits(port, side, charge);
		pass = fits && port->mode == VIF_PORT_TIMER && !port->draining &&
		       __pass_clocks(port, side, wire, charge.bytes);
	}
	spin_unlock(&port->lock);
	return pass ? NF_ACCEPT : hold_back(port, side, tag, skb, wire, fits);
}

unsigned int vif_port_follow(struct vif_port *port, struct vif_side *side,
			     struct vif_side *was, u32 tag, struct sk_buff *skb)
{
	follow(port, side, was, tag);
	port->ops->put(was);
	return vif_port_input_locked(port, side, tag, true, skb);
}

unsigned int vif_port_input_gso(struct vif_port *port, struct vif_side *side,
				u32 tag, struct vif_stock_entry *entry,
				struct sk_buff *skb)
{
	if (vif_stock_consume(entry, vif_wire_measure(skb)))
		return NF_ACCEPT;
	return vif_port_input_locked(port, side, tag, false, skb);
}

/* Take a packet for the wire, past CoDel if it goes elsewhere. */
static struct sk_buff *__take(struct vif_port *port, struct vif_side *side,
			      enum vif_port_outcome outcome, u64 now)
{
	lockdep_assert_held(&port->lock);
	if (outcome == VIF_PORT_MOVED)
		return p_queue_move(&port->pool, side->queue);
	if (port->closed || outcome != VIF_PORT_SENT)
		return p_queue_clear(&port->pool, side->queue);
	return p_queue_take(&port->pool, side->queue, now);
}

/* What it has been charged for, if these are its bytes; the layer is hardly ever changed. */
static u32 counted_bytes(const struct vif_port *port, const struct sk_buff *skb)
{
	if (vif_link_layer_is_none(&port->layer))
		return vif_skb_cb(skb)->bytes;
	return vif_wire_measure(skb).bytes;
}

/* Account for a packet, or none, that leaves its p_queue. */
static void __leave(struct vif_port *port, struct vif_side *side,
		    const struct sk_buff *skb, enum vif_port_outcome outcome, u64 now)
{
	const struct vif_skb_cb *cb = skb ? vif_skb_cb(skb) : NULL;

	if (!side->queue->packets && port->mode != VIF_PORT_QDISC) {
		WRITE_ONCE(side->leaving, true);
		/* who sees that nothing is queued sees this, too */
		smp_wmb();
	}
	vsched_sent(&port->tree, &side->node, cb ? cb->bytes : 0,
		    side->queue->packets, now);
	if (!cb)
		return;
	if (outcome == VIF_PORT_SENT) {
		__vif_stock_count(side, cb->packets, counted_bytes(port, skb));
		trace_netnice_dequeue(skb, side->ino, side->dir, cb->bytes, cb->packets,
				      (u64)p_queue_waited(skb, now) << SOJOURN_TICK_SHIFT);
	} else if (outcome == VIF_PORT_DROPPED) {
		side->stat.drops += cb->packets;
		trace_netnice_drop(skb, skb->dev, side->ino, side->dir, cb->bytes,
				   cb->packets, VIF_DROP_CLOSED);
	}
}

bool __vif_port_next(struct vif_port *port, enum vif_port_outcome outcome, u64 now,
		     struct sk_buff **skb, struct vif_side **last)
{
	struct vsched_node *node = vsched_pick(&port->tree, now);
	struct vif_side *side;

	if (!node)
		return false;
	side = side_of(node);
	*skb = __take(port, side, outcome, now);
	__leave(port, side, *skb, outcome, now);
	*last = node->backlogged ? NULL : side;
	return true;
}

void __vif_port_fill(struct vif_port *port, struct vif_port_batch *batch,
		     enum vif_port_outcome outcome)
{
	u64 now = ktime_get_ns();
	unsigned int n = 0;

	__skb_queue_head_init(&batch->dropped);
	while (n < VIF_PORT_BATCH &&
	       __vif_port_next(port, outcome, now, &batch->skb[n], &batch->side[n]))
		n++;
	batch->count = n;
	skb_queue_splice_init(&port->pool.dropped, &batch->dropped);
}

void vif_port_empty(struct vif_port *port, struct vif_port_batch *batch,
		    enum vif_port_outcome outcome)
{
	struct vif_side *side;
	unsigned int i;

	free_dropped(&batch->dropped);
	for (i = 0; i < batch->count; i++) {
		if (batch->skb[i] && outcome != VIF_PORT_DROPPED)
			port->ops->reinject(batch->skb[i]);
		else
			vif_drop_skb(batch->skb[i], VIF_DROP_CLOSED);
		side = batch->side[i];
		if (!side)
			continue;
		smp_store_release(&side->leaving, false);
		port->ops->put(side);
	}
}

/* Only one CPU at a time puts packets back: their order is kept. */
static enum hrtimer_restart drain(struct hrtimer *timer)
{
	struct vif_port *port = container_of(timer, struct vif_port, timer);
	struct vif_port_batch batch;
	unsigned int batches = 0;

	spin_lock(&port->lock);
	if (port->draining || port->mode != VIF_PORT_TIMER) {
		spin_unlock(&port->lock);
		return HRTIMER_NORESTART;
	}
	port->draining = true;
	do {
		__vif_port_fill(port, &batch, VIF_PORT_SENT);
		spin_unlock(&port->lock);
		vif_port_empty(port, &batch, VIF_PORT_SENT);
		spin_lock(&port->lock);
	} while (batch.count == VIF_PORT_BATCH && ++batches < DRAIN_BATCHES);
	port->draining = false;
	__vif_port_arm(port);
	spin_unlock(&port->lock);
	return HRTIMER_NORESTART;
}

void vif_port_init(struct vif_port *port, const struct vif_port_ops *ops,
		   struct vif_side *root)
{
	port->ops = ops;
	port->root = root;
	port->closed = true;
	spin_lock_init(&port->lock);
	vsched_tree_init(&port->tree, &root->node);
	vif_stock_init(&port->stock, &port->tree, &port->lock);
	p_queue_pool_init(&port->pool);
	vif_hrtimer_setup_soft(&port->timer, drain);
}

/* Have the p_queues live on new memory, or on none; free the old one. */
static void renew_pool(struct vif_port *port, struct p_queue_flows *flows)
{
	spin_lock_bh(&port->lock);
	p_queue_pool_swap(&port->pool, flows);
	port->closed = !port->pool.slot;
	spin_unlock_bh(&port->lock);
	p_queue_flows_free(flows);
}

void vif_port_destroy(struct vif_port *port)
{
	vif_windows_free(port->pool.windows);
	free_percpu(port->stock.cpu);
}

int vif_port_open(struct vif_port *port)
{
	struct p_queue_flows flows = { };
	int err = vif_stock_alloc(&port->stock, port->root) ?:
		  p_queue_flows_alloc(&flows);

	if (err)
		return err;
	spin_lock_bh(&port->lock);
	vsched_tree_set_open(&port->tree, port->mode == VIF_PORT_MOVE);
	spin_unlock_bh(&port->lock);
	renew_pool(port, &flows);
	return 0;
}

/* Lets out some of what waits; false when nothing waits any more. */
static bool let_out(struct vif_port *port, enum vif_port_outcome outcome)
{
	struct vif_port_batch batch;
	bool more;

	local_bh_disable();
	spin_lock(&port->lock);
	__vif_port_fill(port, &batch, outcome);
	more = vsched_next_ns(&port->tree) != VSCHED_NEVER;
	spin_unlock(&port->lock);
	vif_port_empty(port, &batch, outcome);
	local_bh_enable();
	return more;
}

/* What waits in VIF_PORT_QDISC is the qdisc's, which is reset after us, or was. */
void vif_port_close(struct vif_port *port, bool send)
{
	enum vif_port_outcome outcome = send ? VIF_PORT_SENT : VIF_PORT_DROPPED;
	struct p_queue_flows none = { };
	bool others;

	vif_stock_close(&port->stock);
	spin_lock_bh(&port->lock);
	port->closed = true;
	__vif_stock_close(&port->stock);
	others = port->mode == VIF_PORT_QDISC &&
		 vsched_next_ns(&port->tree) != VSCHED_NEVER;
	if (!others)
		vsched_tree_set_open(&port->tree, true);
	spin_unlock_bh(&port->lock);
	hrtimer_cancel(&port->timer);
	if (others)
		return;
	while (let_out(port, outcome))
		cond_resched();
	renew_pool(port, &none);
}

void vif_port_forget(struct vif_port *port, struct vif_side *side)
{
	struct p_queue *queue;

	spin_lock_bh(&port->lock);
	side->forgotten = true;
	spin_unlock_bh(&port->lock);
	vif_stock_forget(&port->stock, side);
	spin_lock_bh(&port->lock);
	vsched_node_exit(&side->node);
	queue = side->queue;
	side->queue = NULL;
	if (queue)
		p_queue_forget(&port->pool, queue);
	spin_unlock_bh(&port->lock);
	p_queue_free(queue);
}
