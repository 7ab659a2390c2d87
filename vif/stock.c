// SPDX-License-Identifier: GPL-2.0
#include "stock.h"

struct vif_stock __percpu *vif_stock_alloc(struct vif_side *root)
{
	struct vif_stock __percpu *stock =
		alloc_percpu_gfp(struct vif_stock, GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!stock)
		return NULL;
	for_each_possible_cpu(cpu) {
		struct vif_stock *its = per_cpu_ptr(stock, cpu);

		u64_stats_init(&its->syncp);
		its->entry[0].side = root;
	}
	return stock;
}

void __vif_stock_count(struct vif_side *side, u64 packets, u64 bytes)
{
	struct vsched_node *node;

	for (node = &side->node; node; node = node->parent) {
		side = container_of(node, struct vif_side, node);
		side->stat.packets += packets;
		side->stat.bytes += bytes;
	}
}

/* NULL behind the last one, and of a CPU that has had no packet. */
static struct vif_stock_entry *entry_of(struct vif_stock __percpu *stock,
					int cpu, unsigned int i)
{
	struct vif_stock *its;

	if (!stock || i == VIF_STOCK_ENTRIES)
		return NULL;
	its = per_cpu_ptr(stock, cpu);
	return READ_ONCE(its->used) ? its->entry + i : NULL;
}

#define for_each_entry(entry, stock, cpu, i)				\
	for_each_possible_cpu(cpu)					\
		for ((i) = 0; ((entry) = entry_of(stock, cpu, i)); (i)++)

static void gather_entry(struct vif_stock_entry *entry,
			 const struct u64_stats_sync *syncp)
{
	u64 packets, bytes;
	unsigned int seq;

	do {
		seq = u64_stats_fetch_begin(syncp);
		packets = u64_stats_read(&entry->packets);
		bytes = u64_stats_read(&entry->bytes);
	} while (u64_stats_fetch_retry(syncp, seq));
	packets -= entry->counted_packets;
	bytes -= entry->counted_bytes;
	if (!packets && !bytes)
		return;
	entry->counted_packets += packets;
	entry->counted_bytes += bytes;
	if (!entry->side)
		return;
	entry->side->stat.passed += packets;
	__vif_stock_count(entry->side, packets, bytes);
}

void __vif_stock_gather(struct vif_stock __percpu *stock)
{
	struct vif_stock_entry *entry;
	unsigned int i;
	int cpu;

	for_each_entry(entry, stock, cpu, i)
		gather_entry(entry, &per_cpu_ptr(stock, cpu)->syncp);
}

void __vif_stock_open(struct vif_stock __percpu *stock, struct vif_side *side)
{
	struct vif_stock *mine = this_cpu_ptr(stock);
	struct vif_stock_entry *entry = &mine->entry[vif_stock_index(side)];

	/*
	 * There another packet's way may be taken in the middle of ours, and the entry
	 * be another VIF's then. The root's never is.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && entry != mine->entry)
		return;
	if (entry->side != side)
		gather_entry(entry, &mine->syncp);
	entry->side = side;
	WRITE_ONCE(mine->used, true);
	WRITE_ONCE(entry->open, side);
}

void __vif_stock_close(struct vif_stock __percpu *stock)
{
	struct vif_stock_entry *entry;
	unsigned int i;
	int cpu;

	/* its CPU reads them: no need to disturb it for nothing */
	for_each_entry(entry, stock, cpu, i)
		if (entry->open)
			WRITE_ONCE(entry->open, NULL);
}

/* Entries of those that have ended below it are its own by now, wherever they are. */
void __vif_stock_forget(struct vif_stock __percpu *stock, struct vif_side *side)
{
	struct vsched_node *above = side->node.parent;
	struct vif_stock_entry *entry;
	unsigned int i;
	int cpu;

	for_each_entry(entry, stock, cpu, i) {
		if (entry->side != side)
			continue;
		gather_entry(entry, &per_cpu_ptr(stock, cpu)->syncp);
		WRITE_ONCE(entry->open, NULL);
		entry->side = above ? container_of(above, struct vif_side, node) : NULL;
	}
}
