/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Closed sockets: a record stays while packets may follow; and the end of an attached socket is
 * noticed soon.
 */
#ifndef NETNICE_VIF_SOCK_SWEEP_H
#define NETNICE_VIF_SOCK_SWEEP_H

struct cgroup;
struct vif_sock;

/**
 * __vif_sock_linger() - a record's socket is closed: it goes, but later
 * @record: the record
 * @cgroup: its control group, if that is to be known until then, or NULL
 *
 * Context: caller holds the lock of socket records.
 */
void __vif_sock_linger(struct vif_sock *record, struct cgroup *cgroup);

/* There is an attached socket to look after. Context: any. */
void vif_sock_sweep_soon(void);

/* Context: process; nothing can come to be swept any more. */
void vif_sock_sweep_stop(void);

#endif
