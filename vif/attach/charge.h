/* SPDX-License-Identifier: GPL-2.0 */
/* Who pays for what a subject is attached to (queue/account.h has what he may have). */
#ifndef NETNICE_VIF_CHARGE_H
#define NETNICE_VIF_CHARGE_H

#include <linux/list.h>

#include "set.h"

/**
 * vif_charge_attachment() - whoever runs pays for a VIF
 * @charges: the subject's
 * @vdev: the VIF's device, NULL if the subject only gets an entry
 * @origin: the VIF's
 *
 * What is paid already, or was for what is not there any more, is not paid again.
 * Context: process; the attach mutex is held, or nobody else knows the subject yet.
 * Return: 0, -EDQUOT he has as many as he may, -ENOMEM.
 */
int vif_charge_attachment(struct hlist_head *charges, const struct vif_dev *vdev,
			  enum vif_origin origin);

/*
 * Nobody pays for what is not in the set, but the entry. Caller holds the attach mutex
 * and rcu_read_lock().
 */
void vif_charge_settle(struct hlist_head *charges, const struct vif_set *set);

/* Nobody pays any more. Context: any; nobody else knows the subject any more. */
void vif_charge_free(struct hlist_head *charges);

#endif
