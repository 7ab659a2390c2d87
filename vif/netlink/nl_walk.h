/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks over the trees of a namespace, in parts: a place is known by the numbers of
 * the VIFs on the way to it, and the order of places is that of these numbers. So a
 * walk goes on where it was, whatever has gone meanwhile, and comes to an end,
 * whatever is moved.
 */
#ifndef NETNICE_VIF_NL_WALK_H
#define NETNICE_VIF_NL_WALK_H

#include <linux/netnice.h>
#include <linux/types.h>

struct vif;
struct vif_net;

/**
 * struct nn_nl_walk - a walk
 * @top: number of the VIF to begin at, and not to leave; 0: all
 * @ino: numbers of the VIFs on the way to the last one seen, root VIF first
 * @levels: how many, 0: none has been seen yet
 */
struct nn_nl_walk {
	u64 top;
	u64 ino[NETNICE_DEPTH_MAX + 1];
	unsigned int levels;
};

/* The VIF that follows the last one seen, or NULL. As the reader, tree mutex held. */
struct vif *__nn_nl_resume(const struct nn_nl_walk *walk, struct vif_net *vn);

/* The one that follows @vif, all above which may be listed, or NULL. Ditto. */
struct vif *__nn_nl_next(const struct nn_nl_walk *walk, struct vif *vif);

/* Note that @vif has been seen. Caller holds the tree mutex. */
void __nn_nl_seen(struct nn_nl_walk *walk, const struct vif *vif);

#endif
