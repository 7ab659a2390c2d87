/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is set of a VIF, and of its device.
 */
#ifndef NETNICE_VIF_PARAM_H
#define NETNICE_VIF_PARAM_H

#include "tree.h"

/* "egress", "ingress" */
extern const char *const vif_dir_name[VIF_DIRS];

/* -ENOENT, with a sentence in last_error, if the VIF has been removed. */
int __vif_check_alive(const struct vif *vif);

/**
 * vif_set_bandwidth() - set the rate of a VIF's own clock
 * @vif: the VIF
 * @dir: direction
 * @bytes_per_s: VSCHED_RATE_MIN..VSCHED_RATE_LIMIT, or VSCHED_RATE_MAX for
 *	no clock
 *
 * Context: process; takes the tree mutex.
 * Return: 0, -ENOENT the VIF has gone, -EOPNOTSUPP the kernel or device
 *	cannot (last_error says why).
 */
int vif_set_bandwidth(struct vif *vif, enum vif_dir dir, u64 bytes_per_s);

/**
 * vif_set_minimum() - set what a VIF gets before its siblings share
 * @vif: the VIF
 * @dir: direction
 * @bytes_per_s: VSCHED_RATE_MIN..VSCHED_RATE_LIMIT, or 0 for none
 *
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: 0, -ENOENT the VIF has gone, -EINVAL it is a root VIF, or has a bandwidth below
 *	that, -ENOSPC the one above has not so much left for sure, or those below are
 *	promised more, -ENOMEM.
 */
int vif_set_minimum(struct vif *vif, enum vif_dir dir, u64 bytes_per_s);

/**
 * __vif_check_minima() - would a VIF's minima fit elsewhere?
 * @vif: the VIF
 * @parent: below which it is not
 *
 * Context: tree mutex held.
 * Return: 0, or -ENOSPC with a sentence in last_error.
 */
int __vif_check_minima(const struct vif *vif, const struct vif *parent);

/* A VIF leaves the tree: nothing is promised to it any more. Tree mutex held. */
void __vif_drop_minima(struct vif *vif);

/* It is promised what it is by another VIF above. Tree mutex held. */
void __vif_move_minima(struct vif *vif, struct vif *from, struct vif *to);

/**
 * vif_set_burst() - set how far a VIF's clock may run ahead after idling
 * @vif: the VIF
 * @dir: direction
 * @burst: bytes (up to 4 GiB) or time (up to 10 s)
 *
 * Context, return: as vif_set_bandwidth().
 */
int vif_set_burst(struct vif *vif, enum vif_dir dir, struct vif_burst burst);

/**
 * vif_set_weight() - set a share among those of the same priority
 * @vif: the VIF
 * @dir: direction
 * @which: whose
 * @weight: 1 to VSCHED_WEIGHT_MAX
 *
 * Context: process; takes the tree mutex.
 * Return: 0, -ENOENT the VIF has gone; for the root VIF also what registering
 *	the hooks said, and -EINVAL, it has no siblings: its own share stays the
 *	default.
 */
int vif_set_weight(struct vif *vif, enum vif_dir dir, enum vif_share which,
		   unsigned int weight);

/**
 * vif_set_priority() - set who is served before others
 * @vif: the VIF
 * @dir: direction
 * @which: whose
 * @priority: 0 is served first; below VSCHED_PRIORITIES
 *
 * Context, return: as vif_set_weight().
 */
int vif_set_priority(struct vif *vif, enum vif_dir dir, enum vif_share which,
		     unsigned int priority);

/**
 * vif_set_autoremove() - have a VIF leave with its last user, or not
 * @vif: not a root VIF
 * @on: whether
 *
 * A VIF that never had an attachment is not removed by this call.
 * Context, return: as vif_set_bandwidth(); -EINVAL for a root VIF.
 */
int vif_set_autoremove(struct vif *vif, bool on);

/**
 * vif_set_limit() - set how much may wait
 * @vif: the VIF
 * @dir: direction
 * @limit: see there
 *
 * Context, return: as vif_set_weight().
 */
int vif_set_limit(struct vif *vif, enum vif_dir dir,
		  struct p_queue_limit limit);

/**
 * vif_set_aqm() - set what is dropped or marked
 * @vif: the VIF
 * @dir: direction
 * @aqm: see there
 *
 * Context, return: as vif_set_weight().
 */
int vif_set_aqm(struct vif *vif, enum vif_dir dir, struct p_queue_aqm aqm);

/**
 * vif_set_link_layer() - set what packets cost on a device's link
 * @vif: the device's root VIF; of others it is none
 * @dir: direction
 * @layer: see there
 *
 * Context, return: as vif_set_weight(); -EINVAL for a VIF below the root.
 */
int vif_set_link_layer(struct vif *vif, enum vif_dir dir,
		       const struct vif_link_layer *layer);

/* What was set last. Tree mutex held. */
struct vif_link_layer __vif_link_layer(const struct vif *vif, enum vif_dir dir);

/**
 * vif_refresh_frames() - a full frame is, or costs, another number of bytes now
 * @root: the root VIF
 *
 * Context: tree mutex held.
 */
void vif_refresh_frames(struct vif *root);

#endif
