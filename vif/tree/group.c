// SPDX-License-Identifier: GPL-2.0
#include "group.h"

#include <linux/slab.h>

#include "../queue/account.h"
#include "../queue/shaper_set.h"
#include "access.h"
#include "find.h"

/**
 * struct vif_group - a group; tree mutex
 * @link: in struct vif_net.groups
 * @uid: whose number it is
 * @number: by which VIFs say that they are of it
 * @dir: of which direction
 * @members: how many there are
 * @clock: what the members' clocks share
 */
struct vif_group {
	struct list_head link;
	kuid_t uid;
	u32 number;
	enum vif_dir dir;
	unsigned int members;
	struct vsched_group clock;
};

static const struct vif *above_of(const struct vif *vif)
{
	return vif->parent ?: vif;
}

static struct vif_group *find(const struct vif *above, enum vif_dir dir, u32 number)
{
	struct vif_group *group;

	list_for_each_entry(group, &vif_net_of_vif(above)->groups, link)
		if (group->number == number && group->dir == dir &&
		    uid_eq(group->uid, vif_uid(above)))
			return group;
	return NULL;
}

static void end(struct vif_group *group)
{
	list_del(&group->link);
	kfree(group);
}

void __vif_group_end_unused(struct vif_net *vn)
{
	struct vif_group *group, *next;

	lockdep_assert_held(&vn->lock);
	list_for_each_entry_safe(group, next, &vn->groups, link)
		if (!group->members)
			end(group);
}

int __vif_group_make(const struct vif *above, enum vif_dir dir, u32 number)
{
	struct vif_net *vn = vif_net_of_vif(above);
	struct vif_group *group;

	vif_assert_tree_lock(above);
	if (!number || find(above, dir, number))
		return 0;
	group = kzalloc(sizeof(*group), VIF_GFP);
	if (!group)
		return -ENOMEM;
	group->uid = vif_uid(above);
	group->number = number;
	group->dir = dir;
	list_add(&group->link, &vn->groups);
	return 0;
}

static struct vif_group *group_of(const struct vif *vif, enum vif_dir dir)
{
	struct vsched_group *clock = vif->side[dir].node.clock.group;

	return clock ? container_of(clock, struct vif_group, clock) : NULL;
}

/* The clock knows nothing of the old one any more before that ends. */
static void change(struct vif *vif, enum vif_dir dir, struct vif_group *group)
{
	struct vif_group *was = group_of(vif, dir);

	vif_assert_tree_lock(vif);
	if (group == was)
		return;
	if (group)
		group->members++;
	vif_shaper_set_group(&vif->dev->shaper[dir], &vif->side[dir],
			     group ? &group->clock : NULL);
	if (was && !--was->members)
		end(was);
}

void __vif_group_join(struct vif *vif, enum vif_dir dir)
{
	u32 number = vif->side[dir].set.group;
	struct vif_group *group = number ? find(above_of(vif), dir, number) : NULL;

	if (group || !number)
		change(vif, dir, group);
}

static void follow(struct vif *vif)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++)
		if (!__vif_group_make(above_of(vif), dir, vif->side[dir].set.group))
			__vif_group_join(vif, dir);
}

void __vif_group_follow_owner(struct vif *vif)
{
	struct vif *child;
	unsigned long index;

	vif_assert_tree_lock(vif);
	if (!vif->parent)
		follow(vif);
	xa_for_each(&vif->children, index, child)
		follow(child);
}

void __vif_group_leave(struct vif *vif, enum vif_dir dir)
{
	change(vif, dir, NULL);
}
