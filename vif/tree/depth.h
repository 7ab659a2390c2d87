/* SPDX-License-Identifier: GPL-2.0 */
/* How many levels are below a VIF. */
#ifndef NETNICE_VIF_DEPTH_H
#define NETNICE_VIF_DEPTH_H

struct vif;

/**
 * __vif_count_levels() - a VIF below another one comes, goes, or is of another height
 * @vif: the other one, or NULL
 * @was: levels that the one below took so far, with what is below it; 0: it was not there
 * @now: those that it takes now
 *
 * Context: the tree mutex is held.
 */
void __vif_count_levels(struct vif *vif, unsigned int was, unsigned int now);

#endif
