// SPDX-License-Identifier: GPL-2.0
#include "meter.h"

#include <linux/lockdep.h>
#include <linux/minmax.h>

static bool vif_meter_is_used_up(const struct vif_side *side)
{
	return side->metered && !side->extra->quota.left;
}

static void __vif_meter_use_up(const struct vif_meters *meters, struct vif_side *side, u64 now_ns)
{
	const struct vif_clock *then = &side->extra->then;

	vsched_node_set_clock(meters->tree, &side->node, then->rate, then->burst,
			      then->longest, now_ns);
}

bool __vif_meter_take(const struct vif_meters *meters, struct vif_side *side, u32 bytes,
		      u64 now_ns)
{
	struct vsched_node *node;
	struct vif_quota *quota;
	bool any = false;

	lockdep_assert_held(meters->lock);
	for (node = &side->node; node; node = node->parent) {
		side = container_of(node, struct vif_side, node);
		if (!side->metered || !side->extra->quota.left)
			continue;
		quota = &side->extra->quota;
		quota->left -= min_t(u64, bytes, quota->left);
		if (!quota->left) {
			__vif_meter_use_up(meters, side, now_ns);
			any = true;
		}
	}
	return any;
}

bool __vif_meter_fits(const struct vif_meters *meters, const struct vif_side *side,
		      u32 packets)
{
	const struct vsched_node *node = &side->node;

	lockdep_assert_held(meters->lock);
	if (likely(!meters->count) || packets == 1)
		return true;
	for (; node; node = node->parent) {
		side = container_of(node, struct vif_side, node);
		if (side->metered && side->extra->quota.left <= VIF_METER_WHOLE)
			return false;
	}
	return true;
}

void __vif_meter_set(struct vif_meters *meters, struct vif_side *side,
		     const struct vif_quota *quota)
{
	bool metered = quota->then;

	lockdep_assert_held(meters->lock);
	if (metered)
		side->extra->quota = *quota;
	meters->count += metered - side->metered;
	side->metered = metered;
}

const struct vif_clock *__vif_meter_clock(struct vif_side *side, const struct vif_clocks *clocks)
{
	if (side->metered)
		side->extra->then = clocks->then;
	return vif_meter_is_used_up(side) ? &clocks->then : &clocks->usual;
}

bool __vif_meter_is_stopped(const struct vif_side *side)
{
	return vif_meter_is_used_up(side) && side->extra->then.rate == VSCHED_RATE_STOP;
}
