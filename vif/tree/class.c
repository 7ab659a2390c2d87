// SPDX-License-Identifier: GPL-2.0
#include "class.h"

#include "error.h"

static struct vif __rcu **vif_class_place_of(const struct vif *parent, enum vif_dir dir, u32 class)
{
	return &parent->inner->of_class[dir][class - 1];
}

int __vif_class_check(const struct vif *vif, const struct vif *parent, enum vif_dir dir,
		      u32 class)
{
	const struct vif *other;

	vif_assert_tree_lock(vif);
	if (!class || !parent->inner)
		return 0;
	other = rcu_dereference_protected(*vif_class_place_of(parent, dir, class),
					  lockdep_is_held(vif_tree_lock(vif)));
	if (!other || other == vif)
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EEXIST,
			"class: %s: %u is the class of '%s' below the same VIF: use another number",
			vif_dir_name[dir], class, other->name->text);
}

static void vif_class_set(const struct vif *parent, enum vif_dir dir, u32 class, struct vif *to)
{
	if (parent && class)
		rcu_assign_pointer(*vif_class_place_of(parent, dir, class), to);
}

void __vif_class_leave(struct vif *vif, enum vif_dir dir)
{
	vif_assert_tree_lock(vif);
	vif_class_set(vif->parent, dir, vif->side[dir].set.class, NULL);
}

/* The VIF gets its new place before it leaves the old one. */
void __vif_class_move(struct vif *vif, const struct vif *parent, enum vif_dir dir)
{
	vif_assert_tree_lock(vif);
	vif_class_set(parent, dir, vif->side[dir].set.class, vif);
	__vif_class_leave(vif, dir);
}

/*
 * Set the class: the new entry comes first, as above. If the class stays the same, nothing happens.
 * So a user who may not change the class cannot make packets miss the VIF by setting another
 * parameter.
 */
void __vif_class_change(struct vif *vif, enum vif_dir dir, u32 class)
{
	u32 was = vif->side[dir].set.class;

	vif_assert_tree_lock(vif);
	if (vif->dead || class == was)
		return;
	vif_class_set(vif->parent, dir, class, vif);
	vif_class_set(vif->parent, dir, was, NULL);
}
