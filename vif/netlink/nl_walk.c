// SPDX-License-Identifier: GPL-2.0
#include "nl_walk.h"

#include <linux/xarray.h>

#include "../tree/dev.h"
#include "../tree/find.h"
#include "../tree/net.h"
#include "../tree/vif.h"
#include "nl_access.h"

static struct vif *__vif_nl_walk_root_after(const struct vif *root)
{
	struct vif_dev *vdev = root->dev;
	const struct vif_net *vn = vdev->net;

	lockdep_assert_held(&vn->lock);
	list_for_each_entry_continue(vdev, &vn->devs, link)
		return vdev->root;
	return NULL;
}

static struct vif *__vif_nl_walk_root_from(const struct vif_net *vn, u64 ino)
{
	struct vif_dev *vdev;

	lockdep_assert_held(&vn->lock);
	list_for_each_entry(vdev, &vn->devs, link)
		if (vdev->root->ino >= ino)
			return vdev->root;
	return NULL;
}

/* The one after @ino below @vif, or what comes after all that is below @vif. */
static struct vif *__vif_nl_walk_after(const struct nn_nl_walk *walk, struct vif *vif,
				       u64 ino)
{
	struct vif *next;

	for (;;) {
		next = __vif_child_after(vif, ino);
		if (next || vif->ino == walk->top)
			return next;
		ino = vif->ino;
		if (!vif->parent)
			return walk->top ? NULL : __vif_nl_walk_root_after(vif);
		vif = vif->parent;
	}
}

struct vif *__nn_nl_next(const struct nn_nl_walk *walk, struct vif *vif)
{
	return __vif_nl_walk_after(walk, vif, __nn_nl_may_list(vif) ? 0 : U64_MAX);
}

/* The VIF to begin at: it must be in the tree, and be found. */
static struct vif *__vif_nl_walk_begin(const struct nn_nl_walk *walk, struct vif_net *vn)
{
	struct vif *top;
	bool may;

	if (!walk->top)
		return __vif_nl_walk_root_from(vn, walk->levels ? walk->ino[0] : 0);
	top = vif_get_by_ino(walk->top);
	may = top && !top->dead && __nn_nl_may_find(top);
	/* while it is in the tree, that has a reference */
	vif_put(top);
	return may ? top : NULL;
}

struct vif *__nn_nl_resume(const struct nn_nl_walk *walk, struct vif_net *vn)
{
	struct vif *vif = __vif_nl_walk_begin(walk, vn), *child;
	unsigned int level;

	if (!vif || !walk->levels || vif->ino != walk->ino[0])
		return vif;
	for (level = 1; level < walk->levels; level++) {
		if (!__nn_nl_may_list(vif))
			break;
		child = xa_load(&vif->children, walk->ino[level]);
		if (!child)
			return __vif_nl_walk_after(walk, vif, walk->ino[level]);
		vif = child;
	}
	return __nn_nl_next(walk, vif);
}

void __nn_nl_seen(struct nn_nl_walk *walk, const struct vif *vif)
{
	const struct vif *at;
	unsigned int level = 1;

	for (at = vif; at->parent && at->ino != walk->top; at = at->parent)
		level++;
	walk->levels = level;
	for (; level--; vif = vif->parent)
		walk->ino[level] = vif->ino;
}
