// SPDX-License-Identifier: GPL-2.0
/* Hooks of netfilter that a worker registers when they are needed for the first time. */
#include "late_hooks.h"

#include <linux/kernel.h>
#include <linux/netfilter_bridge.h>
#include <linux/workqueue.h>
#include <net/netns/generic.h>

#include "../tree/net.h"

/**
 * struct vif_late_hooks - a hook of a namespace, for IPv4 and IPv6, and for bridges if its place is
 *	NF_INET_PRE_ROUTING
 * @net: the namespace
 * @where: place of the hook, where it runs before all other hooks
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

/* The hooks of a namespace. */
struct vif_late_hooks_net {
	struct vif_late_hooks at[VIF_LATE_PLACES];
};

static unsigned int vif_late_hooks_net_id __read_mostly;

static void vif_late_hooks_add(struct vif_late_hooks *hooks, u8 pf, unsigned int where)
{
	hooks->ops[hooks->n_ops++] = (struct nf_hook_ops) {
		.hook = hooks->hook,
		.pf = pf,
		.hooknum = where,
		.priority = INT_MIN,
	};
}

static void vif_late_hooks_work(struct work_struct *work)
{
	struct vif_late_hooks *hooks = container_of(work, struct vif_late_hooks, work);

	if (hooks->hooked || hooks->refused || READ_ONCE(hooks->ending))
		return;
	vif_late_hooks_add(hooks, NFPROTO_IPV4, hooks->where);
	vif_late_hooks_add(hooks, NFPROTO_IPV6, hooks->where);
	if (IS_ENABLED(CONFIG_NETFILTER_FAMILY_BRIDGE) && hooks->where == NF_INET_PRE_ROUTING)
		vif_late_hooks_add(hooks, NFPROTO_BRIDGE, NF_BR_PRE_ROUTING);
	if (nf_register_net_hooks(hooks->net, hooks->ops, hooks->n_ops))
		WRITE_ONCE(hooks->refused, true);
	else
		smp_store_release(&hooks->hooked, true);
}

bool vif_late_hooks_are_there(struct net *net, enum vif_late_place place, nf_hookfn *hook)
{
	struct vif_late_hooks_net *late = net_generic(net, vif_late_hooks_net_id);
	struct vif_late_hooks *hooks = &late->at[place];

	/* pairs with the release in vif_late_hooks_work() */
	if (smp_load_acquire(&hooks->hooked))
		return true;
	if (!READ_ONCE(hooks->ending) && !READ_ONCE(hooks->refused)) {
		WRITE_ONCE(hooks->hook, hook);
		queue_work(vif_wq, &hooks->work);
	}
	return false;
}

static int __net_init vif_late_hooks_begin_net(struct net *net)
{
	static const unsigned int where[VIF_LATE_PLACES] = {
		[VIF_LATE_SENT] = NF_INET_LOCAL_OUT,
		[VIF_LATE_RECEIVED] = NF_INET_PRE_ROUTING,
	};
	struct vif_late_hooks_net *late = net_generic(net, vif_late_hooks_net_id);
	unsigned int i;

	for (i = 0; i < VIF_LATE_PLACES; i++) {
		late->at[i].net = net;
		late->at[i].where = where[i];
		INIT_WORK(&late->at[i].work, vif_late_hooks_work);
	}
	return 0;
}

/* Unregisters the hooks, before the grace period of the namespace's end. */
static void __net_exit vif_late_hooks_close_net(struct net *net)
{
	struct vif_late_hooks_net *late = net_generic(net, vif_late_hooks_net_id);
	struct vif_late_hooks *hooks;

	for (hooks = late->at; hooks < late->at + VIF_LATE_PLACES; hooks++) {
		WRITE_ONCE(hooks->ending, true);
		cancel_work_sync(&hooks->work);
		if (hooks->hooked)
			nf_unregister_net_hooks(net, hooks->ops, hooks->n_ops);
	}
}

/* Waits for the workers, which a packet may have queued once more. */
static void __net_exit vif_late_hooks_end_net(struct net *net)
{
	struct vif_late_hooks_net *late = net_generic(net, vif_late_hooks_net_id);
	unsigned int i;

	for (i = 0; i < VIF_LATE_PLACES; i++)
		cancel_work_sync(&late->at[i].work);
}

static struct pernet_operations vif_late_hooks_pernet = {
	.init = vif_late_hooks_begin_net,
	.pre_exit = vif_late_hooks_close_net,
	.exit = vif_late_hooks_end_net,
	.id = &vif_late_hooks_net_id,
	.size = sizeof(struct vif_late_hooks_net),
};

int vif_late_hooks_init(void)
{
	return register_pernet_subsys(&vif_late_hooks_pernet);
}

void vif_late_hooks_exit(void)
{
	unregister_pernet_subsys(&vif_late_hooks_pernet);
}
