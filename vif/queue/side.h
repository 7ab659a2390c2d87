/* SPDX-License-Identifier: GPL-2.0 */
/* One direction of a VIF: everything that shapers, and the code that they use, know of a VIF. */
#ifndef NETNICE_VIF_SIDE_H
#define NETNICE_VIF_SIDE_H

#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "../../sched/node.h"
#include "../grammar/params.h"
#include "p_queue.h"
#include "sojourn.h"

struct vif_extra;

/*
 * The scheduler's time runs beside CLOCK_MONOTONIC, and began this long before it: a VIF that is
 * created soon after boot can begin with any burst saved. It is 52 days, a small part of 2^64 ns, and
 * 0 in the 32 bits that CoDel keeps of a time in units of 1024 ns.
 */
#define VIF_SCHED_EPOCH_NS	(1ULL << 52)

/*
 * Return the scheduler's time. Everything that this folder passes to sched/ as the present time
 * comes from here. Context: the caller holds the shaper's lock, see __vif_shaper_now().
 */
static inline u64 vif_sched_now_ns(void)
{
	return ktime_get_ns() + VIF_SCHED_EPOCH_NS;
}

/* Return the time on CLOCK_MONOTONIC when the scheduler's time will be @now_ns, or 0 if it was before. */
static inline u64 vif_sched_to_ktime_ns(u64 now_ns)
{
	return now_ns - min(now_ns, VIF_SCHED_EPOCH_NS);
}

/**
 * enum vif_share - owner of a weight and a priority
 * @VIF_SHARE_VIF: the VIF among its siblings
 * @VIF_SHARE_LOCAL: the VIF's own attachments, among the VIFs below
 */
enum vif_share {
	VIF_SHARE_VIF,
	VIF_SHARE_LOCAL,
};

/**
 * struct vif_side_stat - counters of a VIF in one direction
 * @packets: wire packets that left the VIF (each segment of a GSO packet)
 * @bytes: their bytes on the wire
 * @passed: those of @packets that are attached here and did not wait
 * @drops: wire packets dropped instead of waiting here; see also struct p_queue
 * @overlimits: wire packets that had to wait here
 */
struct vif_side_stat {
	u64 packets;
	u64 bytes;
	u64 passed;
	u64 drops;
	u64 overlimits;
};

/**
 * struct vif_stat - counters of a VIF in one direction, for users
 * @packets: see struct vif_side_stat, as for @bytes and @overlimits
 * @bytes: see there
 * @drops: wire packets dropped while or instead of waiting here
 * @marks: wire packets marked (ECN)
 * @ack_drops: of @drops, acknowledgements that later ones covered
 * @overlimits: see there
 * @p_packets: wire packets that wait for the VIF's clock
 * @p_bytes: their bytes
 * @d_packets: wire packets that the VIF has released, and its parent not drained
 * @d_bytes: their bytes
 * @quota: and what is left of it
 * @sojourn: times between entering the VIF and leaving the tree
 */
struct vif_stat {
	u64 packets;
	u64 bytes;
	u64 drops;
	u64 marks;
	u64 ack_drops;
	u64 overlimits;
	u64 p_packets;
	u64 p_bytes;
	u64 d_packets;
	u64 d_bytes;
	struct vif_quota quota;
	struct vif_sojourn_summary sojourn;
};

/**
 * struct vif_side - a VIF in one direction
 * @node: its place in the scheduler; guarded by the shaper's lock. Weights and
 *	priorities are changed under the tree mutex, too.
 * @ino: the VIF's number, for tracepoints
 * @dir: the direction
 * @metered: it has a quota, see meter.h; shaper's lock
 * @forgotten: vif_shaper_forget() has begun: no packet is queued here any more, and no entry of the
 *	stock is opened; shaper's lock
 * @busy: number of reasons why new packets must queue: see vif_side_busy()
 * @set: its parameters; changed under the tree mutex and the shaper's lock
 * @queue: queued packets of the VIF's own attachments; NULL until a packet is queued; shaper's lock
 * @stat: counters; shaper's lock
 * @extra: memory for a minimum in @node, and for a quota; NULL until the first one; set under the
 *	tree mutex
 */
struct vif_side {
	struct vsched_node node;
	u64 ino;
	u8 dir;
	bool forgotten;
	bool metered;
	atomic_t busy;
	struct vif_params_kept set;
	struct p_queue *queue;
	struct vif_side_stat stat;
	struct vif_extra *extra;
};

/*
 * Count a reason why new packets of a VIF must queue: each of its packets in the inbox; and,
 * together, its queued packets, until the last one has been put back.
 */
static inline void vif_side_busy(struct vif_side *side)
{
	atomic_inc(&side->busy);
}

/* Pairs with vif_shaper_nothing_before(). */
static inline void vif_side_unbusy(struct vif_side *side)
{
	smp_mb__before_atomic();
	atomic_dec(&side->busy);
}

#endif
