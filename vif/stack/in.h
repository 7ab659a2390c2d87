/* SPDX-License-Identifier: GPL-2.0 */
/* Received packets for ports of user-level stacks, which are passed to their devices. */
#ifndef NETNICE_VIF_STACK_IN_H
#define NETNICE_VIF_STACK_IN_H

#include <linux/types.h>

struct net;
struct net_device;

/* Register and unregister the hooks of a namespace, while it has stacks. Context: process. */
int vif_stack_in_register(struct net *net);
void vif_stack_in_unregister(struct net *net);

/* Return the destination address of frames, before the stack has sent any. Context: RTNL. */
u64 vif_stack_first_mac(const struct net_device *dev);

#endif
