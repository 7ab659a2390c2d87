/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A second look, by netfilter's hooks behind a device's ingress hook, at packets that the first one
 * has not seen as they are: IPsec's transport mode decrypts them behind it, and an ifb puts them
 * back behind it. Only namespaces that have seen either have these hooks.
 */
#ifndef NETNICE_VIF_SECOND_LOOK_H
#define NETNICE_VIF_SECOND_LOOK_H

#include <linux/netfilter.h>
#include <net/net_namespace.h>

int vif_second_look_init(void);
void vif_second_look_exit(void);

/**
 * vif_second_look() - have a look at a namespace's packets before they are routed
 * @net: the namespace
 * @hook: what looks; always the same. It becomes a hook of the namespace soon after the first
 *	call, until the namespace ends.
 *
 * Context: packet or process.
 * Return: whether it is there.
 */
bool vif_second_look(struct net *net, nf_hookfn *hook);

#endif
