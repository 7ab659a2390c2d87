/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Egress: packets on their way to a device, seen before tc and the qdisc.
 */
#ifndef NETNICE_VIF_EGRESS_H
#define NETNICE_VIF_EGRESS_H

#include <linux/netfilter.h>

#include "port.h"

extern const struct vif_port_ops vif_egress_ops;

/* Does the kernel send it on its own, to keep the link alive? It never waits. */
bool vif_egress_exempt(const struct sk_buff *skb);

/* The hook; @priv is the struct vif_dev. */
unsigned int vif_egress_hook(void *priv, struct sk_buff *skb,
			     const struct nf_hook_state *state);

#endif
