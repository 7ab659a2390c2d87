/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The meter of a VIF with a quota. Each packet that passes the VIF, or a VIF below it, is
 * subtracted from the rest of the quota. When nothing is left, another clock replaces the VIF's own
 * clock: a slower one, or one that is stopped.
 *
 * If a meter is on the path, no packet passes without the shaper's lock (stock.h), so none is
 * missed. If little is left, GSO packets are segmented. So the quota is exceeded by less than one
 * packet.
 */
#ifndef NETNICE_VIF_METER_H
#define NETNICE_VIF_METER_H

#include <linux/spinlock.h>

#include "../../sched/floor.h"
#include "../../sched/node.h"
#include "side.h"

/*
 * If more bytes than this are left, GSO packets are queued and pass whole. Such a packet exceeds
 * the quota only if other packets use up this many bytes while it is queued.
 */
#define VIF_METER_WHOLE		(64ULL << 20)

/**
 * struct vif_clock - how a VIF's clock is set
 * @rate: bytes per second, VSCHED_RATE_MAX or VSCHED_RATE_STOP
 * @burst: bytes
 * @longest: bytes of a packet that passes whole
 */
struct vif_clock {
	u64 rate;
	u64 burst;
	u32 longest;
};

/**
 * struct vif_clocks - the clocks of a VIF in one direction
 * @usual: the clock of its bandwidth
 * @then: the clock after its quota is used up; the same as @usual without a quota
 */
struct vif_clocks {
	struct vif_clock usual;
	struct vif_clock then;
};

/**
 * struct vif_extra - rare state of a VIF, in one direction
 * @floor: of a minimum
 * @quota: its rest changes under the shaper's lock, the rest under the tree mutex,
 *	too
 * @then: the state after it; shaper's lock
 */
struct vif_extra {
	struct vsched_floor floor;
	struct vif_quota quota;
	struct vif_clock then;
};

/**
 * struct vif_meters - the meters of a shaper
 * @tree: its scheduler
 * @lock: its lock
 * @count: VIFs that have a quota; changed under the tree mutex, too
 */
struct vif_meters {
	struct vsched_tree *tree;
	spinlock_t *lock;
	unsigned int count;
};

/* The caller of the functions below holds the shaper's lock. */

/* Is a meter on the way from a VIF to the wire? One branch where the device has none at all. */
static inline bool __vif_meter_on_way(const struct vif_meters *meters,
				      const struct vif_side *side)
{
	const struct vsched_node *node = &side->node;

	if (likely(!meters->count))
		return false;
	while (node && !container_of(node, struct vif_side, node)->metered)
		node = node->parent;
	return node;
}

/* Do the work of __vif_meter_charge() if there are meters. */
bool __vif_meter_take(const struct vif_meters *meters, struct vif_side *side, u32 bytes,
		      u64 now_ns);

/**
 * __vif_meter_charge() - a packet has passed
 * @meters: the shaper's
 * @side: its VIF
 * @bytes: on the wire
 * @now_ns: the present time
 *
 * The clocks have been charged for it.
 * Return: whether a clock has been set.
 */
static inline bool __vif_meter_charge(const struct vif_meters *meters, struct vif_side *side,
				      u32 bytes, u64 now_ns)
{
	return unlikely(meters->count) && __vif_meter_take(meters, side, bytes, now_ns);
}

/**
 * __vif_meter_fits() - may a packet stay whole?
 * @meters: the shaper's
 * @side: its VIF
 * @packets: its segments
 *
 * Return: false if it could exceed the rest of a quota on its path.
 */
bool __vif_meter_fits(const struct vif_meters *meters, const struct vif_side *side,
		      u32 packets);

/**
 * __vif_meter_set() - have a quota from now on, or none
 * @meters: the shaper's, of the stock of which no entry is open
 * @side: the VIF; it has an extra unless that is none
 * @quota: is copied
 */
void __vif_meter_set(struct vif_meters *meters, struct vif_side *side,
		     const struct vif_quota *quota);

/* Select which clock of a VIF is in force, and store the result. */
const struct vif_clock *__vif_meter_clock(struct vif_side *side, const struct vif_clocks *clocks);

/* Does a VIF let nothing pass, as its own quota is used up? */
bool __vif_meter_is_stopped(const struct vif_side *side);

#endif
