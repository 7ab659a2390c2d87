// SPDX-License-Identifier: GPL-2.0
#include "depth.h"

#include "vif.h"

/* Return the levels of VIFs below, from the counts of their heights. */
static unsigned int vif_depth_highest(const struct vif_inner *inner)
{
	unsigned int levels = NETNICE_DEPTH_MAX;

	while (levels && !inner->with_levels[levels - 1])
		levels--;
	return levels;
}

/* The update of VIFs above ends where another child takes more levels. */
void __vif_count_levels(struct vif *vif, unsigned int was, unsigned int now)
{
	while (vif && was != now) {
		unsigned int height = vif->height;

		vif_assert_tree_lock(vif);
		if (was)
			vif->inner->with_levels[was - 1]--;
		if (now)
			vif->inner->with_levels[now - 1]++;
		vif->height = vif_depth_highest(vif->inner);
		was = height + 1;
		now = vif->height + 1;
		vif = vif->parent;
	}
}
