/* SPDX-License-Identifier: GPL-2.0 */
/* How many levels are below a VIF. */
#ifndef NETNICE_VIF_DEPTH_H
#define NETNICE_VIF_DEPTH_H

struct vif;

/**
 * __vif_count_levels() - a child is added, removed, or changes its height
 * @vif: the parent, or NULL
 * @was: levels that the child took so far; 0: it was not there
 * @now: those that it takes now
 *
 * Context: the tree mutex is held.
 */
void __vif_count_levels(struct vif *vif, unsigned int was, unsigned int now);

#endif
