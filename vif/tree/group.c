// SPDX-License-Identifier: GPL-2.0
#include "group.h"

#include <linux/slab.h>

#include "../queue/account.h"
#include "../queue/shaper_set.h"
#include "access.h"
#include "error.h"

/**
 * struct vif_group - a group; tree mutex
 * @node: in struct vif_net.groups, by @number
 * @uid: whose number it is
 * @number: by which VIFs say that they are of it
 * @dir: of which direction
 * @members: how many there are
 * @clock: what the members' clocks share
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

void __vif_group_leave(struct vif *vif)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++)
		vif_group_change(vif, dir, NULL);
}
