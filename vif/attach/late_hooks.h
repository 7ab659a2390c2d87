/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netfilter hooks of a network namespace that are registered when the first packet needs them.
 * Until then no packet pays for them. They stay until the namespace or the module ends.
 */
#ifndef NETNICE_VIF_LATE_HOOKS_H
#define NETNICE_VIF_LATE_HOOKS_H

#include <linux/netfilter.h>
#include <net/net_namespace.h>

/**
 * enum vif_late_place - places of such hooks in a namespace
 * @VIF_LATE_SENT: where packets of its sockets enter IP's output, see sender.h
 * @VIF_LATE_RECEIVED: before routing, behind the ingress hooks of devices. This hook sees packets
 *	that the first hook has not seen in this form: IPsec's transport mode decrypts packets
 *	behind it, and an ifb puts packets back behind it.
 * @VIF_LATE_PLACES: the number of places
 */
enum vif_late_place {
	VIF_LATE_SENT,
	VIF_LATE_RECEIVED,
	VIF_LATE_PLACES,
};

/**
 * vif_late_hooks_are_there() - have the hooks of a place registered soon
 * @net: the namespace
 * @place: the place
 * @hook: the function, for each place always the same
 *
 * Context: any.
 * Return: whether they are registered already.
 */
bool vif_late_hooks_are_there(struct net *net, enum vif_late_place place, nf_hookfn *hook);

int vif_late_hooks_init(void);
void vif_late_hooks_exit(void);

#endif
