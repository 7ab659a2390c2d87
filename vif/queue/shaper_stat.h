/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETNICE_VIF_SHAPER_STAT_H
#define NETNICE_VIF_SHAPER_STAT_H

#include "shaper.h"

/* A copy of a VIF's sojourn times. Context: process. */
void vif_shaper_read_sojourn(struct vif_shaper *shaper, struct vif_side *side,
			     u64 bucket[SOJOURN_BUCKETS]);

/* Read a VIF's quota and its rest; all zero without one. Context: process. */
void vif_shaper_read_quota(struct vif_shaper *shaper, const struct vif_side *side,
			   struct vif_quota *quota);

/* See vif_read_stat(). */
void vif_shaper_read_stat(struct vif_shaper *shaper, struct vif_side *side,
			  struct vif_stat *stat);

#endif
