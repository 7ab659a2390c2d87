// SPDX-License-Identifier: GPL-2.0
#include "late_hooks.h"

#include <linux/kernel.h>
#include <linux/netfilter_bridge.h>

#include "../tree/net.h"

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

void vif_late_hooks_init(struct vif_late_hooks *hooks, struct net *net, unsigned int where)
{
	hooks->net = net;
	hooks->where = where;
	INIT_WORK(&hooks->work, vif_late_hooks_work);
}

bool vif_late_hooks_are_there(struct vif_late_hooks *hooks, nf_hookfn *hook)
{
	/* pairs with that of vif_late_hooks_work() */
	if (smp_load_acquire(&hooks->hooked))
		return true;
	if (!READ_ONCE(hooks->ending) && !READ_ONCE(hooks->refused)) {
		WRITE_ONCE(hooks->hook, hook);
		queue_work(vif_wq, &hooks->work);
	}
	return false;
}

void vif_late_hooks_close(struct vif_late_hooks *hooks)
{
	WRITE_ONCE(hooks->ending, true);
	cancel_work_sync(&hooks->work);
	if (hooks->hooked)
		nf_unregister_net_hooks(hooks->net, hooks->ops, hooks->n_ops);
}

void vif_late_hooks_end(struct vif_late_hooks *hooks)
{
	cancel_work_sync(&hooks->work);
}
