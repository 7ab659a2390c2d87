/* SPDX-License-Identifier: GPL-2.0 */
/* What a user-level stack sends by its device, and leaves as a local socket's. */
#ifndef NETNICE_VIF_STACK_OUT_H
#define NETNICE_VIF_STACK_OUT_H

#include <linux/netfilter.h>

/* The first hook of the device's ingress, from where nothing goes on; @priv is the stack. */
unsigned int vif_stack_out_hook(void *priv, struct sk_buff *skb,
				const struct nf_hook_state *state);

#endif
