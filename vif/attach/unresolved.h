/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that wait for a neighbour's address before they reach the device. */
#ifndef NETNICE_VIF_UNRESOLVED_H
#define NETNICE_VIF_UNRESOLVED_H

struct neighbour;

/**
 * vif_unresolved_sent() - record the owners of sockets whose packets wait
 * @neigh: the neighbour that they wait for
 *
 * Otherwise their owner would be unknown when they are sent, in softirq. The queue is bounded by
 * sysctl unres_qlen_bytes.
 * Context: the sender of the last one; @neigh->lock is not held.
 */
void vif_unresolved_sent(struct neighbour *neigh);

/* Context: process; vif_unresolved_sent() is not called any more. */
void vif_unresolved_stop(void);

#endif
