/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The qdisc "netnice": a device drains its VIF tree itself, so that shares
 * hold at whatever rate the link runs.
 */
#ifndef NETNICE_VIF_QDISC_H
#define NETNICE_VIF_QDISC_H

struct work_struct;

int vif_qdisc_init(void);
void vif_qdisc_exit(void);

/* Runs struct vif_dev.takeover: a qdisc that is being installed begins to work. */
void vif_qdisc_takeover(struct work_struct *work);

#endif
