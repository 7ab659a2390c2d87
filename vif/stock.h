/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stock: what packets have passed without the port's lock, and are not yet
 * counted at their VIFs.
 *
 * Each CPU has an entry for each of a few VIFs, which it has used last. An entry is
 * open while what belongs to its VIF may pass without asking anybody: that is, as
 * long as no clock is on the way. Then the CPU adds to its own counters, which
 * nobody else writes; and who has the port's lock counts, at the VIF and those above
 * it, what has come since the last time.
 */
#ifndef NETNICE_VIF_STOCK_H
#define NETNICE_VIF_STOCK_H

#include <linux/hash.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/u64_stats_sync.h>

#include "packet.h"
#include "vif.h"

/* Entries of a CPU, besides the one that is always the root VIF's. */
#define VIF_STOCK_BITS		2
#define VIF_STOCK_ENTRIES	(1 + (1 << VIF_STOCK_BITS))

/**
 * struct vif_stock_entry - what has passed by a VIF
 * @open: @side, if packets may pass now, or NULL; read by its CPU without the lock
 * @side: where they are counted, NULL: nothing has been; port's lock
 * @packets: on the wire, since the entry exists; its CPU writes
 * @bytes: ditto
 * @counted_packets: those of @packets that are counted already; port's lock
 * @counted_bytes: ditto
 */
struct vif_stock_entry {
	const struct vif_side *open;
	struct vif_side *side;
	u64_stats_t packets;
	u64_stats_t bytes;
	u64 counted_packets;
	u64 counted_bytes;
};

/**
 * struct vif_stock - those of one CPU
 * @entry: the first one is the root VIF's
 * @used: there has been a packet; others need not look, written once
 * @syncp: readers see packets and bytes, or neither, where a long is half of them
 */
struct vif_stock {
	bool used;
	struct vif_stock_entry entry[VIF_STOCK_ENTRIES];
	struct u64_stats_sync syncp;
};

/* NULL without memory. Context: process. */
struct vif_stock __percpu *vif_stock_alloc(struct vif_side *root);

static inline unsigned int vif_stock_index(const struct vif_side *side)
{
	return side->node.parent ? 1 + hash_ptr(side, VIF_STOCK_BITS) : 0;
}

/**
 * vif_stock_find() - may a packet pass without the lock?
 * @stock: the port's
 * @side: whose it is
 *
 * Context: packet, BH disabled, inside RCU, where what is closed may be open for a
 * moment longer.
 * Return: this CPU's entry, for vif_stock_add(); NULL if it is not open.
 */
static inline struct vif_stock_entry *
vif_stock_find(struct vif_stock __percpu *stock, const struct vif_side *side)
{
	struct vif_stock_entry *entry =
		this_cpu_ptr(stock)->entry + vif_stock_index(side);

	return READ_ONCE(entry->open) == side ? entry : NULL;
}

/* A packet has passed. Context: as vif_stock_find(). */
static inline void vif_stock_add(struct vif_stock __percpu *stock,
				 struct vif_stock_entry *entry,
				 struct vif_wire wire)
{
	struct u64_stats_sync *syncp = &this_cpu_ptr(stock)->syncp;

	lockdep_assert_in_softirq();
	u64_stats_update_begin(syncp);
	u64_stats_add(&entry->packets, wire.packets);
	u64_stats_add(&entry->bytes, wire.bytes);
	u64_stats_update_end(syncp);
}

/* A packet is counted at the root VIF, which may be limited. Context: packet, BH disabled. */
static inline void vif_stock_add_root(struct vif_stock __percpu *stock,
				      struct vif_wire wire)
{
	struct vif_stock *mine = this_cpu_ptr(stock);

	if (!READ_ONCE(mine->used))
		WRITE_ONCE(mine->used, true);
	vif_stock_add(stock, mine->entry, wire);
}

/*
 * All that follows wants the port's lock, and does nothing if @stock is NULL: no packet
 * has come yet.
 */

/* Count at a VIF, and at all above it, what has left it. */
void __vif_stock_count(struct vif_side *side, u64 packets, u64 bytes);

/* Count what is not yet. */
void __vif_stock_gather(struct vif_stock __percpu *stock);

/* Open this CPU's entry for a VIF of which vif_port_forget() is yet to come. */
void __vif_stock_open(struct vif_stock __percpu *stock, struct vif_side *side);

/* Have all entries be opened anew: something that concerns VIFs has changed. */
void __vif_stock_close(struct vif_stock __percpu *stock);

/* A VIF ends. A packet that passes right now is counted at the one above, or nowhere. */
void __vif_stock_forget(struct vif_stock __percpu *stock, struct vif_side *side);

#endif
