/* SPDX-License-Identifier: GPL-2.0 */
/* Changes of a subject's attachments. */
#ifndef NETNICE_VIF_SUBJECT_CHANGE_H
#define NETNICE_VIF_SUBJECT_CHANGE_H

#include "subject.h"

/**
 * vif_subject_replace() - change what a subject is attached to on a device
 * @id: which
 * @vdev: the device
 * @origin: administrator or user
 * @old: only if this is the VIF that is shown; NULL for any
 * @new: the VIF to attach it to, NULL for none
 * @was: result: what it was attached to before
 *
 * Context: process, may sleep; the tree mutex is held, which keeps what @was says.
 * Return: 0, 1 it is attached so already, -ESRCH it has gone, -ENOENT it is not attached
 *	to @old, -EPERM it would leave what it has been given, -ENOSPC too many of the kind
 *	in the namespace, or devices for one, -EDQUOT the user's limit is reached,
 *	-ENOMEM.
 */
int vif_subject_replace(const struct vif_subject_id *id,
			struct vif_dev *vdev, enum vif_origin origin,
			const struct vif *old, struct vif *new,
			struct vif *was[VIF_ORIGINS]);

#endif
