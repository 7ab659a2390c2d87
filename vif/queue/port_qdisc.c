// SPDX-License-Identifier: GPL-2.0
#include "port_qdisc.h"

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sch_generic.h>

#include "port_priv.h"

/* What vif_port_move() moves in a row, under RTNL: batches, and how long that takes. */
#define MOVE_BATCHES	64
#define MOVE_NS		(2 * NSEC_PER_MSEC)

void vif_port_kick(struct Qdisc *sch)
{
	rcu_read_lock();
	__netif_schedule(qdisc_root(sch));
	rcu_read_unlock();
}

static void __set_mode(struct vif_port *port, enum vif_port_mode mode)
{
	lockdep_assert_held(&port->lock);
	WRITE_ONCE(port->mode, mode);
	__vif_stock_close(&port->stock);
	vsched_tree_set_open(&port->tree, mode == VIF_PORT_MOVE);
	port->pool.away = 0;
}

static void begin(struct vif_port *port, enum vif_port_mode mode,
		  struct Qdisc *sch)
{
	vif_stock_close(&port->stock);
	spin_lock_bh(&port->lock);
	__set_mode(port, mode);
	port->sch = sch;
	spin_unlock_bh(&port->lock);
}

void vif_port_give(struct vif_port *port, struct Qdisc *sch)
{
	begin(port, VIF_PORT_QDISC, sch);
}

void vif_port_hold(struct vif_port *port, struct Qdisc *sch)
{
	begin(port, VIF_PORT_HOLD, sch);
	WRITE_ONCE(port->held, get_state_synchronize_rcu());
	hrtimer_cancel(&port->timer);
}

void vif_port_await_held(const struct vif_port *port)
{
	if (!poll_state_synchronize_rcu(READ_ONCE(port->held)))
		synchronize_rcu_expedited();
}

/* Sends what waits towards the qdisc; false when nothing waits any more. */
static bool move_batch(struct vif_port *port)
{
	struct vif_port_batch batch;
	bool more;

	local_bh_disable();
	spin_lock(&port->lock);
	__vif_port_fill(port, &batch, VIF_PORT_MOVED);
	more = batch.count || vsched_next_ns(&port->tree) != VSCHED_NEVER;
	if (!more)
		__set_mode(port, VIF_PORT_QDISC);
	spin_unlock(&port->lock);
	vif_port_empty(port, &batch, VIF_PORT_MOVED);
	local_bh_enable();
	return more;
}

/* The grace period was perhaps another one's, when the qdisc has been deleted and is back. */
bool vif_port_move(struct vif_port *port)
{
	u64 end = ktime_get_ns() + MOVE_NS;
	unsigned int batches = 0;

	ASSERT_RTNL();
	if (port->mode == VIF_PORT_HOLD) {
		if (!poll_state_synchronize_rcu(port->held))
			return true;
		begin(port, VIF_PORT_MOVE, port->sch);
	}
	while (port->mode == VIF_PORT_MOVE && move_batch(port)) {
		if (++batches == MOVE_BATCHES || ktime_get_ns() >= end)
			return true;
		cond_resched();
	}
	return false;
}

void vif_port_release(struct vif_port *port)
{
	vif_stock_close(&port->stock);
	spin_lock_bh(&port->lock);
	__set_mode(port, VIF_PORT_TIMER);
	port->sch = NULL;
	__vif_port_arm(port);
	spin_unlock_bh(&port->lock);
}

static bool pass(struct vif_port *port, struct vif_side *side,
		 struct vif_wire wire, struct vif_wire charge)
{
	bool passed;

	spin_lock(&port->lock);
	passed = __vif_port_fits(port, side, charge) &&
		 __vif_port_pass(port, side, wire, charge.bytes);
	spin_unlock(&port->lock);
	return passed;
}

enum vif_port_verdict vif_port_enqueue(struct vif_port *port,
				       struct vif_side *side, u32 tag,
				       struct sk_buff *skb, bool alone,
				       struct sk_buff_head *dropped)
{
	enum vif_port_verdict verdict = VIF_PORT_QUEUED;
	const struct vif_wire wire = vif_wire_measure(skb);
	const struct vif_wire charge = vif_port_charge(port, skb, wire);

	if (alone && pass(port, side, wire, charge))
		return VIF_PORT_PASSED;
	p_queue_prepare(skb, &charge, tag);
	spin_lock(&port->lock);
	if (!__vif_port_fits(port, side, charge))
		verdict = VIF_PORT_TOO_LONG;
	else if (!__vif_port_queue(port, side, skb, &charge, ktime_get_ns()))
		verdict = VIF_PORT_FULL;
	skb_queue_splice_tail_init(&port->pool.dropped, dropped);
	spin_unlock(&port->lock);
	return verdict;
}

struct sk_buff *vif_port_dequeue(struct vif_port *port, u64 *next_ns,
				 struct sk_buff_head *dropped)
{
	struct sk_buff *skb = NULL;
	u64 now = ktime_get_ns();
	struct vif_side *last;
	bool picked;

	do {
		last = NULL;
		spin_lock(&port->lock);
		picked = __vif_port_next(port, VIF_PORT_SENT, now, &skb, &last);
		*next_ns = vsched_next_ns(&port->tree);
		skb_queue_splice_tail_init(&port->pool.dropped, dropped);
		spin_unlock(&port->lock);
		if (last)
			port->ops->put(last);
	} while (picked && !skb);
	return skb;
}

/* Drops some of what waits; false when nothing waits any more. */
static bool purge_batch(struct vif_port *port)
{
	struct vif_port_batch batch;
	struct sk_buff *skb;
	unsigned int i;
	bool more;

	spin_lock_bh(&port->lock);
	vsched_tree_set_open(&port->tree, true);
	__vif_port_fill(port, &batch, VIF_PORT_DROPPED);
	more = vsched_next_ns(&port->tree) != VSCHED_NEVER;
	vsched_tree_set_open(&port->tree, false);
	spin_unlock_bh(&port->lock);
	for (i = 0; i < batch.count; i++) {
		if (batch.skb[i])
			__skb_queue_tail(&batch.dropped, batch.skb[i]);
		if (batch.side[i])
			port->ops->put(batch.side[i]);
	}
	while ((skb = __skb_dequeue(&batch.dropped)))
		rtnl_kfree_skbs(skb, skb);
	return more;
}

void vif_port_purge(struct vif_port *port)
{
	while (READ_ONCE(port->mode) == VIF_PORT_QDISC && purge_batch(port))
		;
}
