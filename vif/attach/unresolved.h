/* SPDX-License-Identifier: GPL-2.0 */
/* What is sent waits for a neighbour's address before it gets to the device. */
#ifndef NETNICE_VIF_UNRESOLVED_H
#define NETNICE_VIF_UNRESOLVED_H

struct neighbour;

/**
 * vif_unresolved_sent() - note whose a socket is whose packet waits
 * @neigh: for the address of which
 *
 * Without that nobody could tell when it goes on, in softirq.
 * Context: of whoever has sent it; @neigh->lock is not held.
 */
void vif_unresolved_sent(struct neighbour *neigh);

#endif
