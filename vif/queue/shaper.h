/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A shaper: one direction of a device's tree. It owns the lock, the scheduler, the p_queues' pool
 * and the timer. The hook passes it each packet of that direction. It lets the packet pass, queues
 * it, or drops it, and puts queued packets back when their clocks are ready.
 */
#ifndef NETNICE_VIF_SHAPER_H
#define NETNICE_VIF_SHAPER_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/lockdep.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../../sched/node.h"
#include "exempt.h"
#include "meter.h"
#include "p_queue.h"
#include "packet.h"
#include "side.h"
#include "stock.h"

struct Qdisc;

/*
 * The inbox of a shaper: a CPU that finds the shaper's lock taken puts its packet here and
 * continues. The first CPU that does so waits for the lock, and queues all packets that are here by
 * then; 7.x's qdiscs do the same. Any other CPU that gets the lock earlier, to queue a packet, does
 * so too. The sender of a packet in the inbox does not see whether it is dropped.
 *
 * A packet here does not hold its VIF. The CPU that put it here found the VIF in an RCU read
 * section, which ends before the packet is taken out. But the packet is here after the read section
 * of the first CPU began, and that section lasts until the first CPU has had the lock. So VIFs are
 * freed two successive grace periods after they can no longer be found: the first one waits for
 * CPUs that may put their packets here, the second one for the first CPU at that time. A CPU that
 * takes packets out may use their VIFs while it has the lock, for which the first one still waits.
 */

/**
 * struct vif_inbox - packets that are not queued yet
 * @list: the newest one first; its VIF is kept in skb->prev
 * @count: how many, about
 */
struct vif_inbox {
	struct llist_head list ____cacheline_aligned_in_smp;
	atomic_t count;
};

static inline bool vif_inbox_is_empty(const struct vif_inbox *inbox)
{
	return llist_empty(&inbox->list);
}

/**
 * struct vif_shaper_ops - functions of the direction, by which a shaper needs not know struct vif
 * @hold: vif_packet_hold_*()
 * @segment: vif_packet_segment_*()
 * @reinject: puts a packet back where the hook took it, and consumes it; called without locks, with
 *	BHs disabled
 * @get: takes a reference to a VIF; false if its last reference is gone; any context
 * @put: drops a reference; any context, without the shaper's lock
 * @payer: returns the account that is charged for a VIF, or NULL; any context
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
 * @stock: packets that pass without the lock
 * @mode: see there; read without the lock by the hook
 * @layer: cost of packets; changed under the tree mutex and @lock, read without them
 * @lock: guards @tree, @pool, all struct vif_side.node, .queue, .stat and
 *	.set, @closed, @expires, @mode and @sch. The innermost lock, also
 *	below a qdisc's: no packet is freed or sent, and no task is woken, under it.
 * @tree: the scheduler
 * @pool: shared by all p_queues; it has memory while the shaper is open
 * @timer: expires when the scheduler has something to do; soft
 * @expire: drops packets that must not wait forever, periodically while packets are queued
 * @expires: it is scheduled
 * @draining: a CPU is putting packets back, which new packets must not overtake; set under @lock
 * @closed: no packet may be queued: the hooks are removed, or the device goes down
 * @meters: meters of quotas
 * @exempt: budget of packets that keep the link alive; @lock
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
 * Return the scheduler's time, for everything that the lock guards. A time that was read before the
 * lock may be older than a time that another CPU has stored since: the scheduler's time must not
 * run backwards, and packets queued since then would have waited for an hour.
 */
static inline u64 __vif_shaper_now(const struct vif_shaper *shaper)
{
	lockdep_assert_held(&shaper->lock);
	return vif_sched_now_ns();
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
 * vif_shaper_move_along() - move a socket's queued packets to its new VIF
 * @shaper: the shaper
 * @side: the VIF to which the socket's packets belong now
 * @was: the VIF to which they belonged before, of the same shaper; its reference is taken over
 * @tag: the socket's
 * @skb: the socket's next packet, which would overtake them; vif_shaper_input_locked() follows.
 *	Packets of its flow are moved from VIFs below @was, too.
 *
 * Context: as vif_shaper_input().
 */
void vif_shaper_move_along(struct vif_shaper *shaper, struct vif_side *side,
			   struct vif_side *was, u32 tag, struct sk_buff *skb);

/**
 * vif_shaper_nothing_before() - has a VIF no packet that a new one would overtake?
 * @side: the VIF in the shaper's direction
 *
 * Without the lock it may miss a packet that another CPU queues at the same time. The order of such
 * packets does not matter.
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
 * Do the rest of vif_shaper_input(), with the lock. @moved: this follows vif_shaper_move_along():
 * the timer may have packets of the socket that were in its other VIF.
 */
unsigned int vif_shaper_input_locked(struct vif_shaper *shaper,
				     struct vif_side *side, u32 tag,
				     bool moved, struct sk_buff *skb);

/**
 * vif_shaper_input() - let a packet of the hook pass, or queue it
 * @shaper: the shaper
 * @side: the packet's VIF; valid under rcu_read_lock()
 * @tag: the tag of its socket, 0 if it has none
 * @skb: the packet
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: NF_ACCEPT it passes, NF_STOLEN it is queued or freed, NF_DROP it is refused.
 */
static inline unsigned int vif_shaper_input(struct vif_shaper *shaper,
					    struct vif_side *side, u32 tag,
					    struct sk_buff *skb)
{
	struct vif_stock_entry *entry = vif_stock_entry(&shaper->stock, side);

	if (!vif_stock_is_open(entry, side, false) || !vif_shaper_nothing_before(side))
		return vif_shaper_input_locked(shaper, side, tag, false, skb);
	if (skb_is_gso(skb))
		return vif_shaper_input_gso(shaper, side, tag, entry, skb);
	if (!vif_stock_consume(entry, vif_wire_measure(skb)))
		return vif_shaper_input_locked(shaper, side, tag, false, skb);
	return NF_ACCEPT;
}

/**
 * vif_shaper_pass_exempt() - let a packet pass that keeps the link alive
 * @shaper: the shaper; in VIF_SHAPER_QDISC the qdisc calls this
 * @skb: the packet, for which vif_packet_exempt() is true
 *
 * The root VIF's clock and quota are charged.
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: false if the budget (exempt.h) is used up: treat the packet like other packets.
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

/*
 * Return the cost of a packet on the device's link, by which clocks and shares charge it; counters
 * use @wire from vif_wire_measure(). Also without the lock.
 */
static inline struct vif_wire vif_shaper_charge(const struct vif_shaper *shaper,
						const struct sk_buff *skb,
						struct vif_wire wire)
{
	if (!vif_link_layer_is_none(&shaper->layer))
		wire.bytes = vif_link_layer_charge(&shaper->layer, skb, wire);
	return wire;
}

/* Does a packet fit into every burst and quota on its path, or can it not be cut? */
bool __vif_shaper_fits(const struct vif_shaper *shaper, const struct vif_side *side,
		       struct vif_wire charge);

/*
 * Let a packet pass by its clocks, if they are ready and no packet could leave now: it is counted.
 * Later packets on this CPU also pass, as far as they can be paid in advance.
 */
bool __vif_shaper_pass_clocks(struct vif_shaper *shaper, struct vif_side *side,
			      struct vif_wire wire, u32 charge);

/* All later packets of a VIF on this CPU also pass, if no quota is on the path. */
void __vif_shaper_open_stock(struct vif_shaper *shaper, struct vif_side *side);

/* Count a packet that passes without queueing. */
void __vif_shaper_count_passed(struct vif_shaper *shaper, struct vif_side *side,
			       struct vif_wire wire);

/* Packets that leave a shaper. The caller of functions with __ holds the lock. */

/**
 * enum vif_shaper_outcome - the fate of a packet that leaves its p_queue
 * @VIF_SHAPER_SENT: it has passed the tree
 * @VIF_SHAPER_DROPPED: it is dropped
 * @VIF_SHAPER_MOVED: it moves to the qdisc, which queues it again
 * @VIF_SHAPER_PURGED: it is dropped, and freed when RTNL is released: a qdisc's lock may be held
 */
enum vif_shaper_outcome {
	VIF_SHAPER_SENT,
	VIF_SHAPER_DROPPED,
	VIF_SHAPER_MOVED,
	VIF_SHAPER_PURGED,
};

/*
 * The drain of queued packets is at most this late, if it can then send more: two full frames from
 * 48 Mbit/s on. A flow that begins does not wait for that, if it is next.
 */
#define VIF_SHAPER_LATE_NS	(250 * NSEC_PER_USEC)

/* How much later than vsched_next_ns() that is. */
static inline u64 __vif_shaper_late_ns(const struct vif_shaper *shaper)
{
	return vsched_late_ns(&shaper->tree, VIF_SHAPER_LATE_NS);
}

/* Return vsched_next_ns(); VSCHED_NEVER also if only quotas delay queued packets. */
static inline u64 __vif_shaper_next_ns(const struct vif_shaper *shaper)
{
	u64 next_ns = vsched_next_ns(&shaper->tree);

	return next_ns < VSCHED_STOPPED_NS ? next_ns : VSCHED_NEVER;
}

/*
 * Arm the timer, or wake up the device, for the time when the next packet is due. If @may_be_late,
 * this is somewhat later, to send several packets.
 */
void __vif_shaper_arm(struct vif_shaper *shaper, bool may_be_late);

/**
 * vif_shaper_begin_change() - take the lock, to change what delays packets
 * @shaper: the shaper
 *
 * No packet passes without the lock until vif_shaper_end_change(): all entries of the stock are
 * closed.
 * Context: process; vif_shaper_end_change() follows.
 */
void vif_shaper_begin_change(struct vif_shaper *shaper);

/* Arm the shaper, and release the lock. */
void vif_shaper_end_change(struct vif_shaper *shaper);

/* Wake up the device of our qdisc, which then dequeues. Context: packet or process, any locks. */
void vif_shaper_kick(struct Qdisc *sch);

/*
 * Return the packet that is next, NULL if the p_queue had none left; @last: see
 * struct vif_shaper_batch.side. Return false if no packet may leave.
 */
bool __vif_shaper_next(struct vif_shaper *shaper, enum vif_shaper_outcome outcome, u64 now,
		       struct sk_buff **skb, struct vif_side **last);

/**
 * vif_shaper_drain() - let some packets leave an open tree
 * @shaper: the shaper, after vsched_tree_set_open()
 * @outcome: their fate
 *
 * Context: process; RTNL for VIF_SHAPER_PURGED.
 * Return: whether any are still queued.
 */
bool vif_shaper_drain(struct vif_shaper *shaper, enum vif_shaper_outcome outcome);

/* The last queued packet of a VIF has been put back. Context: without the lock. */
static inline void vif_shaper_left(const struct vif_shaper *shaper, struct vif_side *side)
{
	vif_side_unbusy(side);
	shaper->ops->put(side);
}

/*
 * Queueing: puts packets into their VIF's p_queue. The caller of functions with __ holds the lock.
 */

/*
 * Put a packet into a p_queue, after p_queue_prepare(). Other packets may be dropped to make room:
 * see struct p_queue_pool.dropped. Return false if it is refused, and counted: the caller drops it.
 */
bool __vif_shaper_queue(struct vif_shaper *shaper, struct vif_side *side,
			struct sk_buff *skb, u64 now);

/* Count a packet that is dropped before it is queued. Context: packet, BH disabled. */
void vif_shaper_count_drop(struct vif_shaper *shaper, struct vif_side *side,
			   const struct net_device *dev, const struct vif_wire *wire,
			   enum vif_drop why);

/*
 * Drop a packet that is vif_packet_is_malformed(), before it is classified: the root VIF counts it.
 * Context: packet, BH disabled. Return: the hook's verdict.
 */
unsigned int vif_shaper_refuse(struct vif_shaper *shaper, struct sk_buff *skb);

/**
 * vif_shaper_segments() - return how many segments of a GSO packet fit into every burst on its path
 * @shaper: the shaper
 * @side: the packet's VIF
 * @skb: the packet, which does not fit
 *
 * Context: packet, BH disabled.
 * Return: 1 at least.
 */
u32 vif_shaper_segments(struct vif_shaper *shaper, const struct vif_side *side,
			const struct sk_buff *skb);

/**
 * vif_shaper_may_wait() - may packets be queued in a VIF, or below it?
 * @shaper: the shaper
 * @side: the VIF
 *
 * Without the lock, as vif_shaper_nothing_before().
 * Context: packet, caller holds rcu_read_lock().
 */
static inline bool vif_shaper_may_wait(const struct vif_shaper *shaper,
				       const struct vif_side *side)
{
	return !vsched_node_idle(&side->node) || READ_ONCE(side->node.held) ||
	       !vif_inbox_is_empty(&shaper->inbox);
}

/* Do the work of vif_shaper_where() if packets may be queued. */
struct vif_side *vif_shaper_search(struct vif_shaper *shaper, const struct vif_side *side,
				   u32 tag, struct sk_buff *skb);

/**
 * vif_shaper_where() - find a VIF in which packets of a packet's flow are queued
 * @shaper: the shaper
 * @side: the search covers this VIF and the VIFs below it
 * @tag: the tag of the packet's socket, 0 if it has none
 * @skb: the packet
 *
 * It does not find packets of a flow without a slot (p_queue.h).
 * Context: as vif_shaper_hold_back().
 * Return: valid under rcu_read_lock(); NULL if there is none.
 */
static inline struct vif_side *vif_shaper_where(struct vif_shaper *shaper,
						const struct vif_side *side, u32 tag,
						struct sk_buff *skb)
{
	return vif_shaper_may_wait(shaper, side) ? vif_shaper_search(shaper, side, tag, skb) :
						   NULL;
}

/**
 * vif_shaper_set_frame() - set the size of a full frame, after a change of the MTU or link layer
 * @shaper: the shaper
 * @len: length of a full frame
 * @bytes: its cost
 *
 * Context: process.
 */
void vif_shaper_set_frame(struct vif_shaper *shaper, u32 len, u32 bytes);

/**
 * vif_shaper_set_link_layer() - set the cost of packets
 * @shaper: the shaper
 * @layer: is copied
 *
 * Context: process; the tree mutex is held.
 */
void vif_shaper_set_link_layer(struct vif_shaper *shaper,
			       const struct vif_link_layer *layer);

/**
 * vif_shaper_set_windows() - set the table of announced windows
 * @shaper: an ingress shaper
 * @windows: the new table, which now belongs to the shaper; NULL: none
 *
 * Context: process; the tree mutex is held. Packets that hold the shaper's lock use the old table
 * until this returns. No packet announces a window while a table is taken away: see
 * vif/window/announce.c.
 * Return: the old table, or NULL. It belongs to the caller.
 */
struct vif_windows *vif_shaper_set_windows(struct vif_shaper *shaper, struct vif_windows *windows);

/**
 * vif_shaper_set_clock() - set a VIF's clock, and quota
 * @shaper: the shaper
 * @side: the VIF
 * @clocks: the clocks before and after the quota is used up
 * @quota: the new quota, or none; NULL keeps the present one. With a quota, @side has an extra.
 *
 * Context: process; the tree mutex is held.
 */
void vif_shaper_set_clock(struct vif_shaper *shaper, struct vif_side *side,
			  const struct vif_clocks *clocks, const struct vif_quota *quota);

/**
 * vif_shaper_clear_stopped() - drop packets that a used quota stops
 * @shaper: the shaper
 * @side: the VIF, which is about to lose its quota
 *
 * Context: process; the tree mutex is held.
 */
void vif_shaper_clear_stopped(struct vif_shaper *shaper, struct vif_side *side);

/**
 * vif_shaper_set_group() - let a VIF's clock share its time with the clocks of a group
 * @shaper: the shaper
 * @side: the VIF
 * @group: the group, which exists until the next call; NULL for none
 *
 * Context: process.
 */
void vif_shaper_set_group(struct vif_shaper *shaper, struct vif_side *side,
			  struct vsched_group *group);

/**
 * vif_shaper_set_minimum() - set the minimum of a VIF
 * @shaper: the shaper
 * @side: the VIF, not the root; it has memory for it
 * @rate: bytes per second, 0 for none
 * @burst: bytes
 *
 * Context: process.
 */
void vif_shaper_set_minimum(struct vif_shaper *shaper, struct vif_side *side, u64 rate,
			    u64 burst);

/**
 * vif_shaper_set_share() - set weight and priority
 * @shaper: the shaper
 * @side: the VIF
 * @which: among its siblings, or of its attachments
 * @weight: 1 to VSCHED_WEIGHT_MAX
 * @priority: below VSCHED_PRIORITIES
 *
 * Context: process.
 */
void vif_shaper_set_share(struct vif_shaper *shaper, struct vif_side *side,
			  enum vif_share which, unsigned int weight,
			  unsigned int priority);

/**
 * vif_shaper_set_fair() - prepare a VIF for its first child
 * @shaper: the shaper
 * @side: the VIF
 * @fair: zeroed memory; lives as long as @side
 *
 * Context: process.
 */
void vif_shaper_set_fair(struct vif_shaper *shaper, struct vif_side *side,
			 struct vsched_fair *fair);

/**
 * vif_shaper_set_parent() - move a VIF below another one
 * @shaper: the shaper
 * @side: the VIF
 * @parent: which is prepared for children, and not below @side
 *
 * Context: process.
 */
void vif_shaper_set_parent(struct vif_shaper *shaper, struct vif_side *side,
			   struct vif_side *parent);

/**
 * vif_shaper_set_params() - set the parameters of a VIF; its limit and AQM apply at once
 * @shaper: the shaper
 * @side: the VIF
 * @set: is copied
 *
 * Context: process.
 */
void vif_shaper_set_params(struct vif_shaper *shaper, struct vif_side *side,
			   const struct vif_params_kept *set);

/* Copy a VIF's sojourn times. Context: process. */
void vif_shaper_read_sojourn(struct vif_shaper *shaper, struct vif_side *side,
			     u64 bucket[SOJOURN_BUCKETS]);

/* Read a VIF's quota and its rest; all zero without a quota. Context: process. */
void vif_shaper_read_quota(struct vif_shaper *shaper, const struct vif_side *side,
			   struct vif_quota *quota);

/* See vif_read_stat(). */
void vif_shaper_read_stat(struct vif_shaper *shaper, struct vif_side *side,
			  struct vif_stat *stat);

#endif
