// SPDX-License-Identifier: GPL-2.0
#include "mark.h"

#include "access.h"
#include "error.h"
#include "find.h"

DEFINE_STATIC_KEY_FALSE(vif_mark_some);

static const struct vif_mark *vif_mark_set_of(const struct vif *vif, enum vif_marks which)
{
	const struct vif_params_kept *set = &vif->side[VIF_EGRESS].set;

	switch (which) {
	case VIF_MARK_DSCP:
		return &set->dscp;
	case VIF_MARK_MARK:
		return &set->mark;
	default:
		return &set->skb_priority;
	}
}

/* Return the nearest value that is set, or a forced one, which may be none. */
static u64 vif_mark_find(const struct vif *vif, enum vif_marks which)
{
	const struct vif_mark *found = vif_mark_set_of(vif, which), *mark;

	while ((vif = vif->parent)) {
		mark = vif_mark_set_of(vif, which);
		if (mark->force || !(found->bits.mask || found->force))
			found = mark;
	}
	return (u64)found->bits.mask << 32 | found->bits.value;
}

void __vif_mark_refresh(struct vif *vif)
{
	enum vif_marks which;
	struct vif *below;
	u64 holds, some = 0;

	vif_assert_tree_lock(vif);
	for (below = vif; below; below = __vif_walk(vif, below)) {
		for (which = 0; which < VIF_MARKS; which++) {
			holds = vif_mark_find(below, which);
			atomic64_set(&below->mark[which], holds);
			some |= holds;
		}
	}
	if (some && !static_key_enabled(&vif_mark_some))
		static_branch_enable(&vif_mark_some);
}

static bool vif_mark_is_same(const struct vif_mark *a, const struct vif_mark *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static bool vif_mark_is_users(const struct vif_mark *priority)
{
	return !priority->bits.mask || priority->bits.value <= VIF_SKB_PRIORITY_USER;
}

int __vif_mark_check(const struct vif *vif, const struct vif_params *want)
{
	const struct vif_params_kept *set = &vif->side[VIF_EGRESS].set;
	struct vif_net *vn = vif_net_of_vif(vif);

	vif_assert_tree_lock(vif);
	if (vif_access_admin(vn))
		return 0;
	if (!vif_mark_is_same(&want->mark, &set->mark))
		return vif_fail(vn, -EPERM,
				"mark: changing it requires CAP_NET_ADMIN over the network namespace: firewalls and routing trust it");
	if (vif_mark_is_same(&want->skb_priority, &set->skb_priority) ||
	    (vif_mark_is_users(&want->skb_priority) && vif_mark_is_users(&set->skb_priority)))
		return 0;
	return vif_fail(vn, -EPERM,
			"skb_priority: a value above %u, or changing one, requires CAP_NET_ADMIN over the network namespace, as in SO_PRIORITY",
			VIF_SKB_PRIORITY_USER);
}
