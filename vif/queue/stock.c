// SPDX-License-Identifier: GPL-2.0
#include "stock.h"

void vif_stock_init(struct vif_stock *stock, struct vsched_tree *tree,
		    spinlock_t *lock)
{
	stock->cpu = NULL;
	stock->tree = tree;
	stock->lock = lock;
	stock->by_qdisc = false;
	INIT_LIST_HEAD(&stock->paid);
}

int vif_stock_alloc(struct vif_stock *stock, struct vif_side *root)
{
	struct vif_stock_cpu __percpu *all;
	unsigned int i;
	int cpu;

	if (stock->cpu)
		return 0;
	all = alloc_percpu_gfp(struct vif_stock_cpu, GFP_KERNEL_ACCOUNT);
	if (!all)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct vif_stock_entry *entry = per_cpu_ptr(all, cpu)->entry;

		for (i = 0; i < VIF_STOCK_ENTRIES; i++) {
			entry[i].limit = VIF_STOCK_ALL;
			u64_stats_init(&entry[i].syncp);
			INIT_LIST_HEAD(&entry[i].paid);
		}
		entry[VIF_STOCK_EXEMPT].side = root;
	}
	/* pairs with the dependency in vif_stock_entry_of() */
	smp_store_release(&stock->cpu, all);
	return 0;
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
static struct vif_stock_entry *vif_stock_entry_of(const struct vif_stock *stock, int cpu,
						  unsigned int i)
{
	struct vif_stock_cpu __percpu *all = READ_ONCE(stock->cpu);
	struct vif_stock_cpu *its;

	if (!all || i == VIF_STOCK_ENTRIES)
		return NULL;
	its = per_cpu_ptr(all, cpu);
	return READ_ONCE(its->used) ? its->entry + i : NULL;
}

#define for_each_entry_of(entry, stock, cpu, i)				\
	for ((i) = 0; ((entry) = vif_stock_entry_of(stock, cpu, i)); (i)++)

#define for_each_entry(entry, stock, cpu, i)				\
	for_each_possible_cpu(cpu)					\
		for_each_entry_of(entry, stock, cpu, i)

/*
 * The rest of an advance. It can be exceeded only while the entry was closed: by a packet that had
 * checked before.
 */
static void vif_stock_pay(struct vif_stock *stock, struct vif_stock_entry *entry,
			  u64 bytes)
{
	struct vsched_node *node = &entry->side->node;
	u64 now, used = min_t(u64, bytes, entry->advance);

	if (entry->limit == VIF_STOCK_ALL || !bytes)
		return;
	now = vif_sched_now_ns();
	entry->advance -= used;
	if (used)
		vsched_advance_use(node, used, now);
	if (bytes > used)
		vsched_overdraw(stock->tree, node, bytes - used, now);
}

static void vif_stock_fold_entry(struct vif_stock *stock, struct vif_stock_entry *entry)
{
	u64 packets, bytes;
	unsigned int seq;

	do {
		seq = u64_stats_fetch_begin(&entry->syncp);
		packets = u64_stats_read(&entry->packets);
		bytes = u64_stats_read(&entry->bytes);
	} while (u64_stats_fetch_retry(&entry->syncp, seq));
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
	vif_stock_pay(stock, entry, bytes);
}

void __vif_stock_fold(struct vif_stock *stock)
{
	struct vif_stock_entry *entry;
	unsigned int i;
	int cpu;

	for_each_entry(entry, stock, cpu, i)
		vif_stock_fold_entry(stock, entry);
}

/* Closed and counted; the rest of an advance is saved up again. */
static void vif_stock_close_entry(struct vif_stock *stock, struct vif_stock_entry *entry)
{
	u32 left;

	/* its CPU reads it: no need to disturb it for nothing */
	if (entry->open)
		WRITE_ONCE(entry->open, NULL);
	if (list_empty(&entry->paid))
		return;
	vif_stock_fold_entry(stock, entry);
	list_del_init(&entry->paid);
	left = entry->advance;
	entry->advance = 0;
	if (left)
		vsched_advance_return(stock->tree, &entry->side->node, left,
				      vif_sched_now_ns());
}

/* Has a packet arrived since the entry was last wanted? */
static bool vif_stock_was_used(struct vif_stock *stock, struct vif_stock_entry *entry)
{
	bool was;

	vif_stock_fold_entry(stock, entry);
	was = entry->seen_bytes != entry->counted_bytes;
	entry->seen_bytes = entry->counted_bytes;
	return was;
}

/*
 * May this CPU's entry be a VIF's? Not if another one uses it; nor where another packet's
 * way may be taken in the middle of ours.
 */
static bool vif_stock_is_ours(struct vif_stock *stock, struct vif_stock_entry *entry,
			      const struct vif_side *side)
{
	bool used = vif_stock_was_used(stock, entry);

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return false;
	return entry->side == side || !entry->open || !used;
}

static void vif_stock_open_entry(struct vif_stock *stock, struct vif_stock_entry *entry,
				 struct vif_side *side, u64 limit)
{
	if (entry->side != side)
		vif_stock_close_entry(stock, entry);
	entry->side = side;
	entry->limit = limit;
	this_cpu_write(stock->cpu->used, true);
	WRITE_ONCE(entry->open, vif_stock_key(side, stock->by_qdisc));
}

void __vif_stock_open(struct vif_stock *stock, struct vif_side *side)
{
	struct vif_stock_entry *entry = vif_stock_entry(stock, side);

	if (vif_stock_is_ours(stock, entry, side))
		vif_stock_open_entry(stock, entry, side, VIF_STOCK_ALL);
}

void __vif_stock_drain(struct vif_stock *stock, struct vif_side *side)
{
	struct vif_stock_entry *entry = vif_stock_entry(stock, side);

	if (entry->side == side)
		vif_stock_close_entry(stock, entry);
}

/*
 * An entry that is no longer used, by a CPU or a VIF, keeps an advance from others: check one entry
 * each time, in turn.
 */
static void vif_stock_reclaim_one(struct vif_stock *stock)
{
	struct vif_stock_entry *entry;

	if (list_empty(&stock->paid))
		return;
	entry = list_last_entry(&stock->paid, struct vif_stock_entry, paid);
	if (vif_stock_was_used(stock, entry))
		list_move(&entry->paid, &stock->paid);
	else
		vif_stock_close_entry(stock, entry);
}

void __vif_stock_advance(struct vif_stock *stock, struct vif_side *side,
			 u32 least, u64 now_ns)
{
	struct vif_stock_entry *entry = vif_stock_entry(stock, side);
	u32 bytes;

	if (!vif_stock_is_ours(stock, entry, side))
		return;
	bytes = vsched_advance(stock->tree, &side->node, least, now_ns);
	if (bytes) {
		vif_stock_open_entry(stock, entry, side, entry->counted_bytes + bytes);
		entry->advance = bytes;
		list_add(&entry->paid, &stock->paid);
	} else if (vsched_advance_is_out(&side->node, least)) {
		vif_stock_reclaim_one(stock);
	}
}

static void vif_stock_recall_once(struct vif_stock *stock)
{
	struct vif_stock_entry *entry, *next;

	list_for_each_entry_safe(entry, next, &stock->paid, paid)
		if (vsched_advance_recalled(&entry->side->node))
			vif_stock_close_entry(stock, entry);
}

/* Returned credit may release other packets, which may then wait. */
void __vif_stock_recall(struct vif_stock *stock)
{
	while (stock->tree->recall) {
		stock->tree->recall = false;
		vif_stock_recall_once(stock);
	}
}

/* The lock is released after each CPU, because there may be many. */
static void vif_stock_fold_in_turn(struct vif_stock *stock, bool close)
{
	struct vif_stock_entry *entry;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!vif_stock_entry_of(stock, cpu, 0))
			continue;
		spin_lock_bh(stock->lock);
		for_each_entry_of(entry, stock, cpu, i) {
			if (close)
				vif_stock_close_entry(stock, entry);
			vif_stock_fold_entry(stock, entry);
		}
		spin_unlock_bh(stock->lock);
	}
}

void vif_stock_fold(struct vif_stock *stock)
{
	vif_stock_fold_in_turn(stock, false);
}

void vif_stock_close(struct vif_stock *stock)
{
	vif_stock_fold_in_turn(stock, true);
}

void __vif_stock_close(struct vif_stock *stock)
{
	struct vif_stock_entry *entry;
	unsigned int i;
	int cpu;

	for_each_entry(entry, stock, cpu, i)
		vif_stock_close_entry(stock, entry);
}

static void vif_stock_hand_over(struct vif_stock *stock, struct vif_stock_entry *entry,
				const struct vsched_node *above)
{
	vif_stock_close_entry(stock, entry);
	vif_stock_fold_entry(stock, entry);
	entry->side = above ? container_of(above, struct vif_side, node) : NULL;
}

/* Entries of ended VIFs below it are its own by now, wherever they are. */
void vif_stock_forget(struct vif_stock *stock, struct vif_side *side)
{
	struct vif_stock_entry *entry;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!vif_stock_entry_of(stock, cpu, 0))
			continue;
		spin_lock_bh(stock->lock);
		for_each_entry_of(entry, stock, cpu, i)
			if (entry->side == side)
				vif_stock_hand_over(stock, entry, side->node.parent);
		spin_unlock_bh(stock->lock);
	}
}
