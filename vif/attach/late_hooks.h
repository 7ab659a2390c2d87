/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netfilter hooks of a network namespace that are registered when the first packet shows
 * that they are needed. Until then no packet pays for them; afterwards they stay until the
 * namespace or the module ends.
 */
#ifndef NETNICE_VIF_LATE_HOOKS_H
#define NETNICE_VIF_LATE_HOOKS_H

#include <linux/netfilter.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

/**
 * struct vif_late_hooks - the hook of a namespace, for IPv4 and IPv6, and for bridges if it is
 *	before routing
 * @net: the namespace
 * @where: NF_INET_PRE_ROUTING or another place, where they come before all others
 * @hook: the function
 * @ops: the registrations
 * @n_ops: how many there are
 * @work: registers them
 * @hooked: they are registered
 * @ending: they must not be registered any more
 * @refused: the kernel has refused them
 */
struct vif_late_hooks {
	struct net *net;
	unsigned int where;
	nf_hookfn *hook;
	struct nf_hook_ops ops[3];
	unsigned int n_ops;
	struct work_struct work;
	bool hooked;
	bool ending;
	bool refused;
};

/* Prepare the hooks of namespace @net, which are zeroed. */
void vif_late_hooks_init(struct vif_late_hooks *hooks, struct net *net, unsigned int where);

/**
 * vif_late_hooks_are_there() - have the hooks registered soon
 * @hooks: the hooks
 * @hook: the function, always the same
 *
 * Context: any.
 * Return: whether they are registered already.
 */
bool vif_late_hooks_are_there(struct vif_late_hooks *hooks, nf_hookfn *hook);

/* Unregister the hooks. Context: a pernet operation's pre_exit, before its grace period. */
void vif_late_hooks_close(struct vif_late_hooks *hooks);

/* Wait for the worker, which a packet may have queued once more. Context: its exit. */
void vif_late_hooks_end(struct vif_late_hooks *hooks);

#endif
