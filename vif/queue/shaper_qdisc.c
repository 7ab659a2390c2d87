// SPDX-License-Identifier: GPL-2.0
#include "shaper_qdisc.h"

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sch_generic.h>

#include "shaper.h"

/* Bounds of one vif_shaper_move(), under RTNL: batches, and time. */
#define MOVE_BATCHES	64
#define MOVE_NS		(2 * NSEC_PER_MSEC)

/*
 * The stock is closed: only VIF_SHAPER_TIMER and VIF_SHAPER_QDISC, which vif_shaper_begin_mode()
 * ends, open entries.
 */
static void __vif_shaper_set_mode(struct vif_shaper *shaper, enum vif_shaper_mode mode)
{
	lockdep_assert_held(&shaper->lock);
	WRITE_ONCE(shaper->mode, mode);
	shaper->stock.by_qdisc = mode == VIF_SHAPER_QDISC;
	vsched_tree_set_open(&shaper->tree, mode == VIF_SHAPER_MOVE);
	shaper->pool.away = 0;
}

static void vif_shaper_begin_mode(struct vif_shaper *shaper, enum vif_shaper_mode mode,
				  struct Qdisc *sch)
{
	vif_shaper_begin_change(shaper);
	__vif_shaper_set_mode(shaper, mode);
	shaper->sch = sch;
	vif_shaper_end_change(shaper);
}

void vif_shaper_give(struct vif_shaper *shaper, struct Qdisc *sch)
{
	vif_shaper_begin_mode(shaper, VIF_SHAPER_QDISC, sch);
}

void vif_shaper_hold(struct vif_shaper *shaper, struct Qdisc *sch)
{
	vif_shaper_begin_mode(shaper, VIF_SHAPER_HOLD, sch);
	WRITE_ONCE(shaper->held, get_state_synchronize_rcu());
	hrtimer_cancel(&shaper->timer);
}

void vif_shaper_await_held(const struct vif_shaper *shaper)
{
	if (!poll_state_synchronize_rcu(READ_ONCE(shaper->held)))
		synchronize_rcu_expedited();
}

/* New packets go to the qdisc at once, unless one was queued while the last ones moved. */
static void vif_shaper_end_move(struct vif_shaper *shaper)
{
	spin_lock_bh(&shaper->lock);
	if (vsched_next_ns(&shaper->tree) == VSCHED_NEVER)
		__vif_shaper_set_mode(shaper, VIF_SHAPER_QDISC);
	spin_unlock_bh(&shaper->lock);
}

/* If the qdisc was deleted and is back, the grace period may belong to the former one. */
bool vif_shaper_move(struct vif_shaper *shaper)
{
	u64 end = ktime_get_ns() + MOVE_NS;
	unsigned int batches = 0;

	ASSERT_RTNL();
	if (shaper->mode == VIF_SHAPER_HOLD) {
		if (!poll_state_synchronize_rcu(shaper->held))
			return true;
		vif_shaper_begin_mode(shaper, VIF_SHAPER_MOVE, shaper->sch);
	}
	while (shaper->mode == VIF_SHAPER_MOVE) {
		if (!vif_shaper_drain(shaper, VIF_SHAPER_MOVED))
			vif_shaper_end_move(shaper);
		if (++batches == MOVE_BATCHES || ktime_get_ns() >= end)
			break;
		cond_resched();
	}
	return shaper->mode == VIF_SHAPER_MOVE;
}

void vif_shaper_release(struct vif_shaper *shaper)
{
	vif_shaper_begin_mode(shaper, VIF_SHAPER_TIMER, NULL);
}

/* Nothing waits. Does not ask for the time if there is no need to. */
static bool __vif_shaper_pass_alone(struct vif_shaper *shaper, struct vif_side *side,
				    struct vif_wire wire, u32 charge)
{
	lockdep_assert_held(&shaper->lock);
	if (shaper->closed)
		return false;
	if (!vsched_is_free(&shaper->tree, &side->node))
		return __vif_shaper_pass_clocks(shaper, side, wire, charge);
	__vif_shaper_open_stock(shaper, side);
	__vif_shaper_count_passed(shaper, side, wire);
	return true;
}

bool vif_shaper_pass(struct vif_shaper *shaper, struct vif_side *side,
		     const struct sk_buff *skb)
{
	struct vif_stock_entry *entry = vif_stock_entry(&shaper->stock, side);
	const struct vif_wire wire = vif_wire_measure(skb);
	struct vif_wire charge;
	bool passed;

	if (vif_stock_is_open(entry, side, true) && vif_stock_consume(entry, wire))
		return true;
	charge = vif_shaper_charge(shaper, skb, wire);
	spin_lock(&shaper->lock);
	passed = __vif_shaper_fits(shaper, side, charge) &&
		 __vif_shaper_pass_alone(shaper, side, wire, charge.bytes);
	spin_unlock(&shaper->lock);
	return passed;
}

enum vif_shaper_verdict vif_shaper_enqueue(struct vif_shaper *shaper,
					   struct vif_side *side, u32 tag,
					   struct sk_buff *skb,
					   struct sk_buff_head *dropped)
{
	enum vif_shaper_verdict verdict = VIF_SHAPER_QUEUED;
	const struct vif_wire charge = vif_shaper_charge(shaper, skb, vif_wire_measure(skb));

	p_queue_prepare(&shaper->pool, skb, &charge, tag, NULL);
	spin_lock(&shaper->lock);
	if (!__vif_shaper_fits(shaper, side, charge))
		verdict = VIF_SHAPER_TOO_LONG;
	else if (!__vif_shaper_queue(shaper, side, skb, __vif_shaper_now(shaper)))
		verdict = VIF_SHAPER_FULL;
	__vif_stock_recall(&shaper->stock);
	skb_queue_splice_tail_init(&shaper->pool.dropped, dropped);
	spin_unlock(&shaper->lock);
	return verdict;
}

struct sk_buff *vif_shaper_dequeue(struct vif_shaper *shaper, u64 *next_ns,
				   struct sk_buff_head *dropped)
{
	struct sk_buff *skb = NULL;
	struct vif_side *last;
	bool picked;

	do {
		last = NULL;
		spin_lock(&shaper->lock);
		picked = __vif_shaper_next(shaper, VIF_SHAPER_SENT,
					   __vif_shaper_now(shaper), &skb, &last);
		__vif_stock_recall(&shaper->stock);
		*next_ns = __vif_shaper_next_ns(shaper);
		if (!picked && *next_ns != VSCHED_NEVER)
			*next_ns += __vif_shaper_late_ns(shaper);
		skb_queue_splice_tail_init(&shaper->pool.dropped, dropped);
		spin_unlock(&shaper->lock);
		if (last)
			vif_shaper_left(shaper, last);
	} while (picked && !skb);
	return skb;
}

static void vif_shaper_set_open(struct vif_shaper *shaper, bool open)
{
	spin_lock_bh(&shaper->lock);
	vsched_tree_set_open(&shaper->tree, open);
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_purge(struct vif_shaper *shaper)
{
	if (READ_ONCE(shaper->mode) != VIF_SHAPER_QDISC)
		return;
	vif_shaper_set_open(shaper, true);
	while (vif_shaper_drain(shaper, VIF_SHAPER_PURGED))
		;
	vif_shaper_set_open(shaper, false);
}
