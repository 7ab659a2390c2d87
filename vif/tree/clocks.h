/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clocks of a VIF: what its bandwidth and burst, and its quota, mean for the scheduler.
 * All wants the tree mutex. Context: process.
 */
#ifndef NETNICE_VIF_TREE_CLOCKS_H
#define NETNICE_VIF_TREE_CLOCKS_H

#include "tree.h"

/* Bytes of a burst by default, at @rate bytes per second. */
u64 __vif_burst(const struct vif *vif, enum vif_dir dir, u64 rate);

/**
 * __vif_clocks_set() - apply a VIF's settings
 * @vif: the VIF
 * @dir: direction
 * @quota: a new one, for which it has an extra, or none; NULL: unchanged
 */
void __vif_clocks_set(struct vif *vif, enum vif_dir dir, const struct vif_quota *quota);

/*
 * A VIF leaves the tree: it loses its quota, and packets that wait for it are dropped. Packets
 * behind the rate after a quota leave at this rate.
 */
void __vif_drop_quota(struct vif *vif);

/* A VIF has ended: it has no quota any more, and is of no group. */
void __vif_end_clocks(struct vif *vif);

#endif
