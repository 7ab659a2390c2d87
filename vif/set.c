// SPDX-License-Identifier: GPL-2.0
#include "set.h"

#include <linux/overflow.h>
#include <linux/slab.h>

#include "dev.h"
#include "vif.h"

void vif_set_put(struct vif_set *set)
{
	unsigned int i;

	if (!set || !refcount_dec_and_test(&set->refs))
		return;
	for (i = 0; i < set->count; i++)
		vif_put(rcu_dereference_protected(set->vif[i], true));
	kfree_rcu(set, rcu);
}

struct vif *vif_set_find(const struct vif_set *set, const struct vif_dev *vdev)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->vif[i]);

		if (vif && vif->dev == vdev)
			return vif;
	}
	return NULL;
}

struct vif *vif_set_nth(const struct vif_set *set, const struct vif_net *vn,
			unsigned int index)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->vif[i]);

		if (vif && vif->dev->net == vn && index-- == 0)
			return vif;
	}
	return NULL;
}

struct vif_set *vif_set_change(const struct vif_set *set,
			       const struct vif_dev *vdev, struct vif *new)
{
	unsigned int i, n = 0, count = set ? set->count : 0;
	struct vif_set *copy;

	copy = kzalloc(struct_size(copy, vif, count + 1), GFP_KERNEL);
	if (!copy)
		return NULL;
	refcount_set(&copy->refs, 1);
	copy->count = count + 1;
	for (i = 0; i < count; i++) {
		struct vif *vif = rcu_dereference_protected(set->vif[i], true);

		if (vif && vif->dev != vdev)
			RCU_INIT_POINTER(copy->vif[n++], vif_get(vif));
	}
	if (new)
		RCU_INIT_POINTER(copy->vif[n++], vif_get(new));
	copy->count = n;
	return copy;
}

void vif_set_forget(struct vif_set *set, const struct vif_dev *vdev)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->vif[i]);

		if (vif && vif->dev == vdev) {
			rcu_assign_pointer(set->vif[i], NULL);
			vif_put(vif);
		}
	}
}

void vif_set_count_in(const struct vif_set *set)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->vif[i]);

		if (vif)
			atomic_inc(&vif->attached);
	}
}

void vif_set_count_out(const struct vif_set *set)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->vif[i]);

		if (vif)
			vif_detached(vif);
	}
}
