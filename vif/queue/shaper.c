// SPDX-License-Identifier: GPL-2.0
/*
 * Way of a packet: the hook calls vif_shaper_input(). If no clock is on its way, or the
 * clocks there have been paid in advance, it is counted and goes on, most often without
 * the lock (see stock.h). Otherwise, under the lock, it may pass at once if that changes
 * nothing for anybody; or else it is held in its VIF's p_queue, and the timer set to
 * the time at which the scheduler can go on. vif_shaper_drain_timer() then puts packets
 * back, a batch at a time, outside the lock.
 */
#include "shaper.h"

#include <linux/netdevice.h>
#include <net/sock.h>

#include "../compat/hrtimer.h"
#include "shaper_leave.h"
#include "shaper_priv.h"
#include "shaper_wait.h"

/* Batches put back in a row. */
#define DRAIN_BATCHES	16

/*
 * In a namespace that may end, a packet whose socket has closed may stay queued for this time:
 * behind a clock that stands still, or behind one that runs.
 */
#define STOPPED_MOST_NS	(5ULL * NSEC_PER_SEC)
#define WAITS_MOST_NS	(10ULL * NSEC_PER_SEC)

/* How often that is looked at, in jiffies. */
#define EXPIRE_EVERY	(2 * HZ)

void vif_shaper_count(struct vif_shaper *shaper, const struct sk_buff *skb)
{
	vif_stock_add_exempt(&shaper->stock, vif_wire_measure(skb));
}

static bool
__vif_shaper_charge_exempt(struct vif_shaper *shaper, const struct sk_buff *skb, u32 charge)
{
	struct vsched_node *root = &shaper->root->node;
	u64 now = ktime_get_ns();

	if (shaper->closed || root->clock.rate == VSCHED_RATE_MAX)
		return true;
	if (!vif_exempt_take(&shaper->exempt, skb, charge, root->clock.rate, now))
		return false;
	vsched_overdraw(&shaper->tree, root, charge, now);
	return true;
}

bool vif_shaper_pass_exempt(struct vif_shaper *shaper, const struct sk_buff *skb)
{
	struct vif_stock_entry *entry = vif_stock_entry(&shaper->stock, shaper->root);
	const struct vif_wire wire = vif_wire_measure(skb);
	bool pass;

	if (vif_stock_is_open(entry, shaper->root) && vif_stock_consume(entry, wire))
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

/* Packets that another part of the kernel lends us cannot wait. */
static bool vif_shaper_can_wait(struct sk_buff *skb)
{
	return !skb_pfmemalloc(skb) && !skb_sk_is_prefetched(skb);
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

/*
 * Later packets on this CPU also pass, as far as they can be paid in advance. Advances are in
 * counted bytes: with a link layer each packet comes here.
 */
static bool __vif_shaper_pass_clocks(struct vif_shaper *shaper, struct vif_side *side,
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
	/* it has to wait behind others: that needs no lock to be found out */
	if (READ_ONCE(side->node.backlogged) && wire.packets == 1 && vif_shaper_can_wait(skb))
		return vif_shaper_hold_back(shaper, side, tag, skb, wire, true);
	charge = vif_shaper_charge(shaper, skb, wire);
	spin_lock(&shaper->lock);
	pass = __vif_shaper_is_clockless(shaper, side, wire.packets) &&
	       !(moved && READ_ONCE(shaper->draining));
	if (pass && !side->forgotten && !__vif_meter_on_way(&shaper->meters, side))
		__vif_stock_open(&shaper->stock, side);
	pass = pass || !vif_shaper_can_wait(skb);
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

unsigned int vif_shaper_follow(struct vif_shaper *shaper, struct vif_side *side,
			       struct vif_side *was, u32 tag, struct sk_buff *skb)
{
	vif_shaper_move_along(shaper, side, was, tag, skb);
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
static enum hrtimer_restart vif_shaper_drain_timer(struct hrtimer *timer)
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
	/* later packets do not overtake them */
	smp_store_release(&shaper->draining, false);
	return HRTIMER_NORESTART;
}

void __vif_shaper_expire_later(struct vif_shaper *shaper)
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

/* The qdisc finds and counts dropped packets; notify it. */
static bool vif_shaper_expire_some(struct vif_shaper *shaper, unsigned int *from)
{
	struct sk_buff_head dropped;
	bool more;

	__skb_queue_head_init(&dropped);
	spin_lock_bh(&shaper->lock);
	more = !shaper->closed && p_queue_expire(&shaper->pool, from, __vif_shaper_now(shaper),
						 vif_shaper_most_ns);
	if (shaper->mode != VIF_SHAPER_QDISC)
		skb_queue_splice_tail_init(&shaper->pool.dropped, &dropped);
	else if (!skb_queue_empty(&shaper->pool.dropped))
		vif_shaper_kick(shaper->sch);
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
	if (vsched_next_ns(&shaper->tree) != VSCHED_NEVER)
		__vif_shaper_expire_later(shaper);
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_init(struct vif_shaper *shaper, const struct vif_shaper_ops *ops,
		     struct vif_side *root)
{
	shaper->ops = ops;
	shaper->root = root;
	shaper->closed = true;
	spin_lock_init(&shaper->lock);
	vif_inbox_init(&shaper->inbox);
	vsched_tree_init(&shaper->tree, &root->node);
	shaper->meters = (struct vif_meters) { &shaper->tree, &shaper->lock };
	vif_stock_init(&shaper->stock, &shaper->tree, &shaper->lock);
	p_queue_pool_init(&shaper->pool);
	vif_hrtimer_setup_soft(&shaper->timer, vif_shaper_drain_timer);
	INIT_DELAYED_WORK(&shaper->expire, vif_shaper_expire);
}

/* Have the p_queues live on new memory, or on none; free the old one. */
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

/* Send some queued packets; return false when none is queued any more. */
static bool vif_shaper_let_out(struct vif_shaper *shaper, enum vif_shaper_outcome outcome)
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

/* In VIF_SHAPER_QDISC queued packets belong to the qdisc, which is reset after us, or was. */
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
	if (cancel_delayed_work_sync(&shaper->expire))
		shaper->expires = false;
	if (others)
		return;
	while (vif_shaper_let_out(shaper, outcome))
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
