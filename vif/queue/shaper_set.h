/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETNICE_VIF_SHAPER_SET_H
#define NETNICE_VIF_SHAPER_SET_H

#include "shaper.h"

/**
 * vif_shaper_set_frame() - the device's MTU or the cost of packets has changed
 * @shaper: the shaper
 * @len: of a full frame
 * @bytes: its cost
 *
 * Context: process.
 */
void vif_shaper_set_frame(struct vif_shaper *shaper, u32 len, u32 bytes);

/**
 * vif_shaper_set_link_layer() - packets cost something else from now on
 * @shaper: the shaper
 * @layer: is copied
 *
 * Context: process; the tree mutex is held.
 */
void vif_shaper_set_link_layer(struct vif_shaper *shaper,
			       const struct vif_link_layer *layer);

/**
 * vif_shaper_set_clock() - set a VIF's clock, and quota
 * @shaper: the shaper
 * @side: the VIF
 * @clocks: without the quota, and when that is used up
 * @quota: a new one, for which it has an extra, or none; NULL: as it is
 *
 * Context: process; the tree mutex is held.
 */
void vif_shaper_set_clock(struct vif_shaper *shaper, struct vif_side *side,
			  const struct vif_clocks *clocks, const struct vif_quota *quota);

/**
 * vif_shaper_clear_stopped() - drop packets that wait for a used quota
 * @shaper: the shaper
 * @side: the VIF, which is about to lose its quota
 *
 * Context: process; the tree mutex is held.
 */
void vif_shaper_clear_stopped(struct vif_shaper *shaper, struct vif_side *side);

/**
 * vif_shaper_set_group() - have a VIF's clock share its time
 * @shaper: the shaper
 * @side: the VIF
 * @group: with those of this group, which stays until there is another one; NULL: with none
 *
 * Context: process.
 */
void vif_shaper_set_group(struct vif_shaper *shaper, struct vif_side *side,
			  struct vsched_group *group);

/**
 * vif_shaper_set_minimum() - set what a VIF gets before its siblings share
 * @shaper: the shaper
 * @side: the VIF, not the root; it has memory for it
 * @rate: bytes per second, 0 for none
 * @burst: bytes
 *
 * Context: process.
 */
void vif_shaper_set_minimum(struct vif_shaper *shaper, struct vif_side *side, u64 rate,
			    u64 burst);

/**
 * vif_shaper_set_share() - set weight and priority
 * @shaper: the shaper
 * @side: the VIF
 * @which: among its siblings, or of its attachments
 * @weight: 1 to VSCHED_WEIGHT_MAX
 * @priority: below VSCHED_PRIORITIES
 *
 * Context: process.
 */
void vif_shaper_set_share(struct vif_shaper *shaper, struct vif_side *side,
			  enum vif_share which, unsigned int weight,
			  unsigned int priority);

/**
 * vif_shaper_set_fair() - prepare a VIF for its first child
 * @shaper: the shaper
 * @side: the VIF
 * @fair: zeroed memory; lives as long as @side
 *
 * Context: process.
 */
void vif_shaper_set_fair(struct vif_shaper *shaper, struct vif_side *side,
			 struct vsched_fair *fair);

/**
 * vif_shaper_set_parent() - have a VIF be drained by another one
 * @shaper: the shaper
 * @side: the VIF
 * @parent: which is prepared for children, and not below @side
 *
 * Context: process.
 */
void vif_shaper_set_parent(struct vif_shaper *shaper, struct vif_side *side,
			   struct vif_side *parent);

/**
 * vif_shaper_set_params() - have new parameters; limit and AQM hold from now on
 * @shaper: the shaper
 * @side: the VIF
 * @set: is copied
 *
 * Context: process.
 */
void vif_shaper_set_params(struct vif_shaper *shaper, struct vif_side *side,
			   const struct vif_params_kept *set);

#endif
