/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A shaper: one direction of a device's tree. It owns the lock, the scheduler
 * and the timer, takes packets in from the hook and puts them back when
 * their time has come.
 */
#ifndef NETNICE_VIF_SHAPER_H
#define NETNICE_VIF_SHAPER_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../../sched/node.h"
#include "exempt.h"
#include "inbox.h"
#include "meter.h"
#include "p_queue.h"
#include "packet.h"
#include "side.h"
#include "stock.h"

struct Qdisc;

/**
 * struct vif_shaper_ops - what a shaper is told by those above it
 * @hold: vif_packet_hold_*()
 * @segment: vif_packet_segment_*()
 * @reinject: puts a packet back where the hook took it; consumes it; called
 *	without locks, with bottom halves off
 * @get: takes a reference to a VIF; false if it has none any more; any context
 * @put: gives one back; any context, without the shaper's lock
 * @payer: whose account pays for a VIF, or NULL; any context
 */
struct vif_shaper_ops {
	struct sk_buff *(*hold)(struct sk_buff *skb);
	struct sk_buff *(*segment)(struct sk_buff *skb, u32 most);
	void (*reinject)(struct sk_buff *skb);
	bool (*get)(struct vif_side *side);
	void (*put)(struct vif_side *side);
	struct vif_account *(*payer)(const struct vif_side *side);
};

/**
 * enum vif_shaper_mode - what drains a shaper
 * @VIF_SHAPER_TIMER: the shaper's own timer; the hook queues packets
 * @VIF_SHAPER_HOLD: nothing: packets at the hook are queued until the qdisc exists
 * @VIF_SHAPER_MOVE: packets queued before tc move to the qdisc, uncounted. New packets queue behind
 *	them, as far as there is memory, including the moved packets.
 * @VIF_SHAPER_QDISC: the device, by our qdisc: the hook lets everything pass, and
 *	packets wait behind tc. Ingress always is in the first mode.
 */
enum vif_shaper_mode {
	VIF_SHAPER_TIMER,
	VIF_SHAPER_HOLD,
	VIF_SHAPER_MOVE,
	VIF_SHAPER_QDISC,
};

/**
 * struct vif_shaper - a direction of a device's tree
 * @ops: see there
 * @root: the root VIF in this direction
 * @stock: what passes without the lock
 * @mode: see there; read without the lock by the hook
 * @layer: what packets cost; changed under the tree mutex and @lock, read without
 * @lock: guards @tree, @pool, all struct vif_side.node, .queue, .stat and
 *	.set, @closed, @expires, @mode and @sch. The innermost lock, also
 *	below a qdisc's: no packet is freed or sent, and no task is woken, under it.
 * @tree: the scheduler
 * @pool: what all p_queues share; it has memory while the shaper is open
 * @timer: expires when the scheduler has something to do; soft
 * @expire: drops packets that must not wait forever, periodically while packets are queued
 * @expires: it is scheduled
 * @draining: a CPU is putting packets back, which others shall not overtake; set under @lock
 * @closed: nothing may wait: the hooks are gone, or the device goes down
 * @meters: what is left of quotas
 * @exempt: what is left for packets that keep the link alive; @lock
 * @sch: our qdisc, NULL in VIF_SHAPER_TIMER
 * @held: a grace period that begins with VIF_SHAPER_HOLD; RTNL
 * @inbox: packets that arrived while another CPU had the lock
 *
 * Fields read for each packet are not in a cache line with fields written under the lock.
 */
struct vif_shaper {
	const struct vif_shaper_ops *ops;
	struct vif_side *root;
	struct vif_stock stock;
	enum vif_shaper_mode mode;
	struct vif_link_layer layer;
	spinlock_t lock ____cacheline_aligned_in_smp;
	struct vsched_tree tree;
	struct p_queue_pool pool;
	struct hrtimer timer;
	struct delayed_work expire;
	bool expires;
	bool draining;
	bool closed;
	struct vif_meters meters;
	struct vif_exempt exempt;
	struct Qdisc *sch;
	unsigned long held;
	struct vif_inbox inbox;
};

/*
 * Return the present time, for everything that the lock guards. A time that was read before the
 * lock may be older than a time that another CPU has stored since: the scheduler's time must not
 * run backwards, and packets queued since then would have waited for an hour.
 */
static inline u64 __vif_shaper_now(const struct vif_shaper *shaper)
{
	lockdep_assert_held(&shaper->lock);
	return ktime_get_ns();
}

/**
 * vif_shaper_init() - make a closed shaper
 * @shaper: the shaper
 * @ops: see there
 * @root: the root VIF in its direction, initialized
 */
void vif_shaper_init(struct vif_shaper *shaper, const struct vif_shaper_ops *ops,
		     struct vif_side *root);

void vif_shaper_destroy(struct vif_shaper *shaper);

/**
 * vif_shaper_open() - packets may wait from now on
 * @shaper: the shaper
 *
 * Context: process; the tree mutex is held.
 * Return: 0, or -ENOMEM and it is still closed.
 */
int vif_shaper_open(struct vif_shaper *shaper);

/**
 * vif_shaper_close() - close it: no packet is queued on return
 * @shaper: the shaper; as long as its hook is registered, new packets are dropped,
 *	unless they have no VIF and no limit
 * @send: send queued packets at once; otherwise drop them
 *
 * In VIF_SHAPER_QDISC the qdisc's reset drops queued packets.
 * Context: process, may sleep.
 */
void vif_shaper_close(struct vif_shaper *shaper, bool send);

/**
 * vif_shaper_follow() - vif_shaper_input() where a socket's packets go by another VIF
 * @shaper: the shaper
 * @side: whose the packet is
 * @was: by which they have gone so far, of the same shaper; its reference is taken over
 * @tag: the socket's
 * @skb: the packet
 *
 * What waits of it goes along, as it would be overtaken, or have to wait by an old limit.
 * Context, return: as vif_shaper_input().
 */
unsigned int vif_shaper_follow(struct vif_shaper *shaper, struct vif_side *side,
			       struct vif_side *was, u32 tag, struct sk_buff *skb);

/*
 * The first part of vif_shaper_follow(): move queued packets along, from @was and from where the
 * packet's flow is queued below it.
 */
void vif_shaper_move_along(struct vif_shaper *shaper, struct vif_side *side,
			   struct vif_side *was, u32 tag, struct sk_buff *skb);

/**
 * vif_shaper_nothing_before() - is no packet of a VIF under way that a new one would overtake?
 * @side: the VIF in the shaper's direction
 *
 * Without the lock it may miss a packet that another CPU queues at this moment. The sender of that
 * packet is not ordered against this one.
 */
static inline bool vif_shaper_nothing_before(const struct vif_side *side)
{
	return !atomic_read_acquire(&side->busy);
}

/* vif_shaper_input() of a GSO packet, for which @entry is open. */
unsigned int vif_shaper_input_gso(struct vif_shaper *shaper, struct vif_side *side,
				  u32 tag, struct vif_stock_entry *entry,
				  struct sk_buff *skb);

/*
 * All but the shortest way of vif_shaper_input(). @moved: after vif_shaper_follow(), as the
 * timer may have packets of its socket that were in the other VIF.
 */
unsigned int vif_shaper_input_locked(struct vif_shaper *shaper,
				     struct vif_side *side, u32 tag,
				     bool moved, struct sk_buff *skb);

/**
 * vif_shaper_input() - a hook's work
 * @shaper: the shaper
 * @side: whose the packet is; valid under rcu_read_lock()
 * @tag: its socket's, 0 if it has none
 * @skb: the packet
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: NF_ACCEPT to go on with it, NF_STOLEN, or NF_DROP.
 */
static inline unsigned int vif_shaper_input(struct vif_shaper *shaper,
					    struct vif_side *side, u32 tag,
					    struct sk_buff *skb)
{
	struct vif_stock_entry *entry = vif_stock_entry(&shaper->stock, side);

	if (!vif_stock_is_open(entry, side) || !vif_shaper_nothing_before(side))
		return vif_shaper_input_locked(shaper, side, tag, false, skb);
	if (skb_is_gso(skb))
		return vif_shaper_input_gso(shaper, side, tag, entry, skb);
	if (!vif_stock_consume(entry, vif_wire_measure(skb)))
		return vif_shaper_input_locked(shaper, side, tag, false, skb);
	return NF_ACCEPT;
}

/**
 * vif_shaper_pass_exempt() - let a packet pass that keeps the link alive
 * @shaper: the shaper; in VIF_SHAPER_QDISC it is the qdisc that calls
 * @skb: of vif_packet_exempt()
 *
 * It is the root VIF's, whose clock and quota are charged.
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: false if the budget (exempt.h) is used up: the packet is one like any other.
 */
bool vif_shaper_pass_exempt(struct vif_shaper *shaper, const struct sk_buff *skb);

/**
 * vif_shaper_count() - count a packet that does not wait in any case
 * @shaper: the shaper
 * @skb: the packet
 *
 * Context: packet, BH disabled.
 */
void vif_shaper_count(struct vif_shaper *shaper, const struct sk_buff *skb);

/**
 * vif_shaper_forget() - a VIF ends: detach it from its parent, and free its memory
 * @shaper: the shaper
 * @side: the VIF, with no packet queued, now or later, and visible only to RCU
 *	readers; its parent exists
 *
 * Context: process.
 */
void vif_shaper_forget(struct vif_shaper *shaper, struct vif_side *side);

#endif
