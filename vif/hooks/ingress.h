/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ingress: packets that a device has received, seen after taps and tc.
 */
#ifndef NETNICE_VIF_INGRESS_H
#define NETNICE_VIF_INGRESS_H

#include <linux/netfilter.h>

#include "../queue/shaper.h"

extern const struct vif_shaper_ops vif_ingress_ops;

/* The hook; @priv is the struct vif_dev. */
unsigned int vif_ingress_hook(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state);

/* The last ingress hook of a device that is itself attached. */
unsigned int vif_incoming_hook(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state);

/**
 * vif_ingress_see_ifb() - an ifb appears in a namespace
 * @net: the namespace
 *
 * From now on packets are looked at that an ifb puts back behind the ingress hook of the device
 * where tc had redirected them, see vif_incoming_check_marks() and VIF_LATE_RECEIVED.
 * Context: process, RTNL is held.
 */
void vif_ingress_see_ifb(struct net *net);

#endif
