/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stock: packets that a CPU may let pass without the shaper's lock, and packets that it has let
 * pass.
 *
 * Each CPU has an entry for each of the few VIFs that it used last. The hook looks up the entry of
 * each packet's VIF; in qdisc mode the qdisc does so instead. While an entry is open, packets of
 * its VIF pass: without a limit if no clock is on the path, otherwise until they have used up the
 * bytes for which the clocks were charged in advance (vsched_advance()). The CPU adds to its own
 * counters, which no other CPU writes. The holder of the shaper's lock adds the difference since
 * the last time to the VIF and the VIFs above.
 *
 * A packet that passed the check just before an advance ended is charged to the clocks then. So a
 * burst may once be longer by one such packet of each CPU.
 */
#ifndef NETNICE_VIF_STOCK_H
#define NETNICE_VIF_STOCK_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/u64_stats_sync.h>

#include "packet.h"
#include "side.h"

/* The entries of a CPU: of the root VIF, of other VIFs, and of exempt packets. */
#define VIF_STOCK_BITS		2
#define VIF_STOCK_ROOT		0
#define VIF_STOCK_EXEMPT	(1 + (1 << VIF_STOCK_BITS))
#define VIF_STOCK_ENTRIES	(VIF_STOCK_EXEMPT + 1)

/* The amount that may pass if no clock is on the path. */
#define VIF_STOCK_ALL		(~0ULL)

/**
 * struct vif_stock_entry - packets of a VIF that may pass, and packets that have passed
 * @open: vif_stock_key() of @side if packets may pass now, or NULL; read by its CPU without the
 * lock
 * @limit: they may pass until @bytes has this value: bytes that the clocks have been charged for,
 *	or VIF_STOCK_ALL without clocks; its CPU writes, with the lock
 * @packets: packets on the wire since the entry was created; its CPU writes
 * @bytes: their bytes; its CPU writes
 * @syncp: on 32-bit machines, readers see both counters together
 * @side: the VIF at which they are counted, NULL before the first one; shaper's lock
 * @counted_packets: number of @packets that the VIF has counted; shaper's lock
 * @counted_bytes: number of @bytes that the VIF has counted; shaper's lock
 * @seen_bytes: value of @bytes when the entry or its advance was last needed; shaper's lock
 * @paid: in struct vif_stock.paid, while there may be an advance
 * @advance: bytes of the advance that had not left at the last count; shaper's lock
 */
struct vif_stock_entry {
	const void *open;
	u64 limit;
	u64_stats_t packets;
	u64_stats_t bytes;
	struct u64_stats_sync syncp;
	struct vif_side *side;
	u64 counted_packets;
	u64 counted_bytes;
	u64 seen_bytes;
	struct list_head paid;
	u32 advance;
};

/**
 * struct vif_stock_cpu - entries of a CPU
 * @entry: see VIF_STOCK_ROOT
 * @used: a packet has used it; other CPUs skip unused ones. Written once.
 */
struct vif_stock_cpu {
	struct vif_stock_entry entry[VIF_STOCK_ENTRIES];
	bool used;
};

/**
 * struct vif_stock - a shaper's
 * @cpu: NULL until the shaper is open for the first time
 * @tree: its scheduler
 * @lock: the shaper's lock
 * @by_qdisc: the qdisc asks, not the hook; changes under the shaper's lock, while all entries are
 *	closed
 * @paid: entries with an advance; shaper's lock. Not beside what each packet reads.
 */
struct vif_stock {
	struct vif_stock_cpu __percpu *cpu;
	struct vsched_tree *tree;
	spinlock_t *lock;
	bool by_qdisc;
	struct list_head paid ____cacheline_aligned_in_smp;
};

/* An empty one, without entries. */
void vif_stock_init(struct vif_stock *stock, struct vsched_tree *tree,
		    spinlock_t *lock);

/* Allocate entries, once: existing counts stay. 0 or -ENOMEM. Context: process. */
int vif_stock_alloc(struct vif_stock *stock, struct vif_side *root);

static inline unsigned int vif_stock_index(const struct vif_side *side)
{
	return side->node.parent ? 1 + hash_ptr(side, VIF_STOCK_BITS) :
				   VIF_STOCK_ROOT;
}

/* This CPU's entry for a VIF, which may be another's. Context: packet, BH disabled. */
static inline struct vif_stock_entry *
vif_stock_entry(const struct vif_stock *stock, const struct vif_side *side)
{
	return this_cpu_ptr(stock->cpu)->entry + vif_stock_index(side);
}

/*
 * Return the value of @open in an open entry of a VIF, for the hook or for the qdisc. The values of
 * two VIFs, and of hook and qdisc, differ, so that the hook need not check the mode.
 */
static inline const void *vif_stock_key(const struct vif_side *side, bool by_qdisc)
{
	return (const char *)side + by_qdisc;
}

/**
 * vif_stock_is_open() - may packets pass without the lock?
 * @entry: this CPU's entry
 * @side: the packets' VIF
 * @by_qdisc: the caller is the qdisc, not the hook
 *
 * An entry that is closed meanwhile may look open until the end of the RCU read section.
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 */
static inline bool vif_stock_is_open(const struct vif_stock_entry *entry,
				     const struct vif_side *side, bool by_qdisc)
{
	return READ_ONCE(entry->open) == vif_stock_key(side, by_qdisc);
}

/* A packet has passed. Context: packet, BH disabled. */
static inline void vif_stock_add(struct vif_stock_entry *entry,
				 struct vif_wire wire)
{
	lockdep_assert_in_softirq();
	u64_stats_update_begin(&entry->syncp);
	u64_stats_add(&entry->packets, wire.packets);
	u64_stats_add(&entry->bytes, wire.bytes);
	u64_stats_update_end(&entry->syncp);
}

/* The same for an open entry. Return false if the advance is too small. */
static inline bool vif_stock_consume(struct vif_stock_entry *entry,
				     struct vif_wire wire)
{
	if (u64_stats_read(&entry->bytes) + wire.bytes > entry->limit)
		return false;
	vif_stock_add(entry, wire);
	return true;
}

/*
 * A packet that no clock concerns is counted at the root VIF, which may have one. Context:
 * packet, BH disabled.
 */
static inline void vif_stock_add_exempt(const struct vif_stock *stock,
					struct vif_wire wire)
{
	struct vif_stock_cpu *mine = this_cpu_ptr(stock->cpu);

	if (!READ_ONCE(mine->used))
		WRITE_ONCE(mine->used, true);
	vif_stock_add(&mine->entry[VIF_STOCK_EXEMPT], wire);
}

/*
 * The shaper's lock is taken for one CPU at a time. Otherwise, with many CPUs, a process that
 * reads counters repeatedly would delay packets. Context: process.
 */

/* Count packets that passed before the call. */
void vif_stock_fold(struct vif_stock *stock);

/*
 * Count and close before __vif_stock_close(), which must do it for all CPUs at once: then it has
 * little left to do, and checks six entries of each.
 */
void vif_stock_close(struct vif_stock *stock);

/*
 * A VIF ends, so that none of its entries is opened any more. A packet that passes right
 * now is counted at the one above, or nowhere.
 */
void vif_stock_forget(struct vif_stock *stock, struct vif_side *side);

/*
 * The caller of the functions below holds the shaper's lock, with BHs disabled. Functions that are
 * not for packets do nothing while there are no entries.
 */

/* Count packets that have left a VIF, there and at all VIFs above. */
void __vif_stock_count(struct vif_side *side, u64 packets, u64 bytes);

/* Count the rest, of all CPUs at once. Call vif_stock_close() first if possible. */
void __vif_stock_fold(struct vif_stock *stock);

/*
 * Packets: let all packets of a VIF pass on this CPU. vif_shaper_forget() has not been called for
 * the VIF.
 */
void __vif_stock_open(struct vif_stock *stock, struct vif_side *side);

/* Packets: return the rest of a VIF's advance on this CPU, before a new one. */
void __vif_stock_drain(struct vif_stock *stock, struct vif_side *side);

/*
 * Packets: let packets of a VIF pass on this CPU, as far as the clocks can be charged in advance,
 * if that is at least @least bytes. vsched_pass() has just let a packet pass. vif_shaper_forget()
 * has not been called for the VIF.
 */
void __vif_stock_advance(struct vif_stock *stock, struct vif_side *side,
			 u32 least, u64 now_ns);

/* Return advances of clocks for which other packets wait. */
void __vif_stock_recall(struct vif_stock *stock);

/* Close all entries before a change of VIFs: each is opened again by its next packet. */
void __vif_stock_close(struct vif_stock *stock);

#endif
