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
 * @id: the parameter
 * @text: see vif_param_parse(). A direction that @text does not name keeps its value.
 *
 * Context: process; takes the tree mutex. Sends one event. Sets last_error if it fails.
 * Return: 0, -EINVAL the text is invalid, or the parameter is not for this VIF, -ENOENT the VIF is
 *	gone, -EPERM only an administrator may set it (mark.h), -EOPNOTSUPP the kernel or device
 *	does not support it, -EEXIST a sibling has this class, -ENOSPC the VIF above has not enough
 *	left for a minimum, or the VIFs below have larger minima, -ENOMEM; for a root VIF also the
 *	error of registering the hooks. After an error nothing has changed, in either direction.
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

/*
 * Remove the VIFs directly below from their groups: their parent has another owner now. Caller
 * holds the tree mutex.
 */
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
