// SPDX-License-Identifier: GPL-2.0
#include "clocks.h"

#include <linux/math64.h>
#include <linux/slab.h>

#include "../queue/account.h"
#include "../queue/shaper.h"
#include "access.h"
#include "dev.h"
#include "error.h"
#include "windows.h"

/**
 * struct vif_group - a group; tree mutex
 * @node: in struct vif_net.groups, by @number
 * @uid: the user whose number it is
 * @number: the number that the VIFs of the group have set
 * @dir: direction
 * @members: number of VIFs in the group
 * @clock: the time that the members' clocks share
 */
struct vif_group {
	struct hlist_node node;
	kuid_t uid;
	u32 number;
	enum vif_dir dir;
	unsigned int members;
	struct vsched_group clock;
};

static kuid_t vif_group_uid_of(const struct vif *vif)
{
	return vif->parent ? vif_uid(vif->parent) : make_kuid(vif_net_of_vif(vif)->user_ns, 0);
}

static struct vif_group *vif_group_find(const struct vif *vif, enum vif_dir dir, u32 number)
{
	struct vif_group *group;

	hash_for_each_possible(vif_net_of_vif(vif)->groups, group, node, number)
		if (group->number == number && group->dir == dir &&
		    uid_eq(group->uid, vif_group_uid_of(vif)))
			return group;
	return NULL;
}

static int vif_group_make(const struct vif *vif, enum vif_dir dir, u32 number)
{
	struct vif_group *group = kzalloc(sizeof(*group), VIF_GFP);

	if (!group)
		return -ENOMEM;
	group->uid = vif_group_uid_of(vif);
	group->number = number;
	group->dir = dir;
	hash_add(vif_net_of_vif(vif)->groups, &group->node, number);
	return 0;
}

static void vif_group_end_unused(struct vif_group *group)
{
	if (!group || group->members)
		return;
	hash_del(&group->node);
	kfree(group);
}

int __vif_group_check(const struct vif *vif, enum vif_dir dir, u32 number)
{
	vif_assert_tree_lock(vif);
	if (!number)
		return 0;
	if (number != vif->side[dir].set.group && vif->parent && !vif_access_own(vif->parent))
		return vif_fail(vif_net_of_vif(vif), -EPERM,
				"group: only the owner of the parent VIF may set it");
	return vif_group_find(vif, dir, number) ? 0 : vif_group_make(vif, dir, number);
}

void __vif_group_forget(const struct vif *vif, unsigned int dirs,
			const struct vif_params *params)
{
	enum vif_dir dir;

	vif_assert_tree_lock(vif);
	for (dir = 0; dir < VIF_DIRS; dir++)
		if (dirs & BIT(dir))
			vif_group_end_unused(vif_group_find(vif, dir, params[dir].group));
}

static struct vif_group *vif_group_of(const struct vif *vif, enum vif_dir dir)
{
	struct vsched_group *clock = vif->side[dir].node.clock.group;

	return clock ? container_of(clock, struct vif_group, clock) : NULL;
}

/* The clock does not know the old one any more before that ends. */
static void vif_group_change(struct vif *vif, enum vif_dir dir, struct vif_group *group)
{
	struct vif_group *was = vif_group_of(vif, dir);

	vif_assert_tree_lock(vif);
	if (group == was)
		return;
	if (group)
		group->members++;
	vif_shaper_set_group(&vif->dev->shaper[dir], &vif->side[dir],
			     group ? &group->clock : NULL);
	if (was)
		was->members--;
	vif_group_end_unused(was);
}

void __vif_group_join(struct vif *vif, enum vif_dir dir)
{
	vif_group_change(vif, dir, vif_group_find(vif, dir, vif->side[dir].set.group));
}

/* A VIF has ended: it is of no group. Caller holds the tree mutex. */
static void __vif_group_leave(struct vif *vif)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++)
		vif_group_change(vif, dir, NULL);
}

/* A rate it is not. */
static_assert(VIF_QUOTA_STOP > VSCHED_RATE_LIMIT);

/* The default burst is this time at the VIF's rate, and at least this many full frames. */
#define BURST_NS	NSEC_PER_MSEC
#define BURST_FRAMES	4

/*
 * Four frames take 48 ms at 1 Mbit/s, by which the first second would be 5 % too much. So they count
 * for at most this time, but for two frames at any rate. Frames that are as long as lo's count for
 * two frames of an Ethernet: two of their own take half a minute at 32 kbit/s.
 */
#define BURST_MOST_NS	(20 * NSEC_PER_MSEC)
#define BURST_LEAST	2
#define FRAME_LONG	(16 << 10)

/* No larger packet passes whole, whatever the burst. */
#define WHOLE_MAX	(128 << 10)

u64 __vif_burst(const struct vif *vif, enum vif_dir dir, u64 rate)
{
	u64 frame = vif_dev_frame_bytes(vif->dev, dir);
	u64 least = BURST_LEAST * (frame > FRAME_LONG ? ETH_FRAME_LEN : frame);
	u64 frames = clamp(div_u64(rate, NSEC_PER_SEC / BURST_MOST_NS), least,
			   BURST_FRAMES * frame);

	return max(frames, div_u64(rate, NSEC_PER_SEC / BURST_NS));
}

static u64 vif_clocks_burst_bytes(const struct vif *vif, enum vif_dir dir, u64 rate)
{
	const struct vif_params_kept *set = &vif->side[dir].set;

	if (rate == VIF_RATE_MAX)
		return 0;
	if (set->burst.bytes)
		return set->burst.bytes;
	if (!set->burst.ns)
		return __vif_burst(vif, dir, rate);
	return min(VSCHED_BURST_LIMIT,
		   mul_u64_u64_div_u64(rate, set->burst.ns, NSEC_PER_SEC));
}

/*
 * The amount that may pass at once: full frames up to a third of the burst, so that twice as much
 * can be saved up while siblings' packets leave; or one frame, which takes up to half of it. In a
 * group it is one frame: a turn.
 */
static u32 vif_clocks_longest_bytes(const struct vif *vif, enum vif_dir dir, u64 burst)
{
	u32 frame = vif_dev_frame_bytes(vif->dev, dir);
	u32 frames = vif->side[dir].set.group ? 1 :
		     min_t(u64, div_u64(burst, 3), WHOLE_MAX) / frame;

	return min_t(u64, max(frames, 1U) * frame, burst / 2);
}

static struct vif_clock vif_clocks_clock_of(const struct vif *vif, enum vif_dir dir, u64 rate)
{
	u64 burst = vif_clocks_burst_bytes(vif, dir, rate);

	return (struct vif_clock) { rate, burst, vif_clocks_longest_bytes(vif, dir, burst) };
}

/* The rate after a quota is never above the bandwidth. */
static u64 vif_clocks_rate_then(const struct vif_quota *quota, u64 bandwidth)
{
	if (quota->then == VIF_QUOTA_STOP)
		return VSCHED_RATE_STOP;
	return quota->then ? min(quota->then, bandwidth) : bandwidth;
}

void __vif_clocks_set(struct vif *vif, enum vif_dir dir, const struct vif_quota *quota)
{
	const u64 bandwidth = vif->side[dir].set.bandwidth;
	struct vif_clocks clocks;
	struct vif_quota now;

	vif_assert_tree_lock(vif);
	vif_shaper_read_quota(&vif->dev->shaper[dir], &vif->side[dir], &now);
	clocks.usual = vif_clocks_clock_of(vif, dir, bandwidth);
	clocks.then = vif_clocks_clock_of(vif, dir, vif_clocks_rate_then(quota ?: &now, bandwidth));
	if (dir == VIF_INGRESS && (clocks.usual.rate != VSCHED_RATE_MAX ||
				   clocks.then.rate != VSCHED_RATE_MAX))
		__vif_windows_limit(vif->dev);
	vif_shaper_set_clock(&vif->dev->shaper[dir], &vif->side[dir], &clocks, quota);
}

/* Queued packets continue at the rate after a used quota. */
static bool __vif_clocks_is_slowed(struct vif *vif, enum vif_dir dir)
{
	struct vif_quota now;

	vif_shaper_read_quota(&vif->dev->shaper[dir], &vif->side[dir], &now);
	return now.then && now.then != VIF_QUOTA_STOP && !now.left;
}

void __vif_drop_quota(struct vif *vif)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++) {
		if (!vif->side[dir].metered || __vif_clocks_is_slowed(vif, dir))
			continue;
		vif_shaper_clear_stopped(&vif->dev->shaper[dir], &vif->side[dir]);
		__vif_clocks_set(vif, dir, &vif_params_initial.quota);
	}
}

void __vif_end_clocks(struct vif *vif)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++)
		if (vif->side[dir].metered)
			__vif_clocks_set(vif, dir, &vif_params_initial.quota);
	__vif_group_leave(vif);
}
