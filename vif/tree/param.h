/* SPDX-License-Identifier: GPL-2.0 */
/* Read and change the settings of a VIF and its device. */
#ifndef NETNICE_VIF_PARAM_H
#define NETNICE_VIF_PARAM_H

#include "tree.h"

struct seq_file;

/* -ENOENT, with a sentence in last_error, if the VIF has been removed. */
int __vif_check_alive(const struct vif *vif);

/**
 * vif_param_write() - set a parameter
 * @vif: the VIF
 * @id: which
 * @text: see vif_param_parse(). Directions that are not mentioned stay as they are.
 *
 * Context: process; takes the tree mutex. Tells of one event. Sets last_error where it fails.
 * Return: 0, -EINVAL not understood, or not for this VIF, -ENOENT the VIF has gone, -EPERM
 *	for an administrator (mark.h),
 *	-EOPNOTSUPP the kernel or device cannot, -EEXIST a class that a sibling has, -ENOSPC minima: the VIF above has not so
 *	much left for sure, or those below are promised more, -ENOMEM; for a root VIF also
 *	what registering the hooks said. Nothing has changed then, in neither direction.
 */
int vif_param_write(struct vif *vif, enum vif_param_id id, const char *text);

/* Print what a parameter is, a line for each direction. Context: process; tree mutex. */
void vif_param_show(struct vif *vif, enum vif_param_id id, struct seq_file *seq);

/* All parameters of a VIF, as they are now. Context: process; caller holds the tree mutex. */
void __vif_params_get(struct vif *vif, enum vif_dir dir, struct vif_params *params);

/**
 * __vif_check_minima() - would a VIF's minima fit elsewhere?
 * @vif: the VIF
 * @parent: below which it is not
 *
 * Context: caller holds the tree mutex.
 * Return: 0, or -ENOSPC with a sentence in last_error.
 */
int __vif_check_minima(const struct vif *vif, const struct vif *parent);

/* A VIF leaves the tree: nothing is promised to it any more. Caller holds the tree mutex. */
void __vif_drop_minima(struct vif *vif);

/* Its minimum is promised by another parent. Caller holds the tree mutex. */
void __vif_move_minima(struct vif *vif, struct vif *from, struct vif *to);

/* It moves below another VIF: if that has another owner, it leaves its group. Tree mutex held. */
void __vif_move_group(struct vif *vif, const struct vif *from, const struct vif *to);

/* A VIF is another user's now: the same of those right below. Caller holds the tree mutex. */
void __vif_drop_groups_below(struct vif *vif);

/**
 * vif_set_autoremove() - have a VIF leave with its last user, or not
 * @vif: not a root VIF
 * @on: whether
 *
 * A VIF that never had an attachment is not removed by this call.
 * Context: process; takes the tree mutex.
 * Return: 0, -ENOENT the VIF has gone, -EINVAL for a root VIF.
 */
int vif_set_autoremove(struct vif *vif, bool on);

/**
 * vif_refresh_frames() - a full frame is, or costs, another number of bytes now
 * @root: the root VIF
 *
 * Context: caller holds the tree mutex.
 */
void vif_refresh_frames(struct vif *root);

#endif
