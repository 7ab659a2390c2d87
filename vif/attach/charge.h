/* SPDX-License-Identifier: GPL-2.0 */
/* Charges for the attachments of a subject (queue/account.h has the limits). */
#ifndef NETNICE_VIF_CHARGE_H
#define NETNICE_VIF_CHARGE_H

#include <linux/list.h>

#include "set.h"

/**
 * vif_charge_attachment() - charge a VIF to the running task's user
 * @charges: the subject's
 * @vdev: the VIF's device, NULL if the subject only gets an entry
 * @origin: the VIF's
 *
 * A charge that exists, or that is left from an attachment that is gone, is not made again.
 * Context: process; the attach mutex is held, or the subject is not published yet.
 * Return: 0, -EDQUOT the user's limit is reached, -ENOMEM.
 */
int vif_charge_attachment(struct hlist_head *charges, const struct vif_dev *vdev,
			  enum vif_origin origin);

/*
 * Drop charges of VIFs that are not in the set, except the charge for the entry. Caller holds the
 * attach mutex and rcu_read_lock().
 */
void vif_charge_settle(struct hlist_head *charges, const struct vif_set *set);

/* Drop all charges. Context: any; the subject is not reachable any more. */
void vif_charge_free(struct hlist_head *charges);

#endif
