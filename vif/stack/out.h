/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that a user-level stack sends by its device, and that leave as packets of a local socket.
 */
#ifndef NETNICE_VIF_STACK_OUT_H
#define NETNICE_VIF_STACK_OUT_H

#include <linux/netfilter.h>

/* The first ingress hook of the device. No packet continues behind it. @priv: the stack */
unsigned int vif_stack_out_hook(void *priv, struct sk_buff *skb,
				const struct nf_hook_state *state);

#endif
