// SPDX-License-Identifier: GPL-2.0
#include "late_hooks.h"

#include <linux/kernel.h>

#include "../tree/net.h"

static void register_hooks(struct work_struct *work)
{
	struct vif_late_hooks *hooks = container_of(work, struct vif_late_hooks, work);
	unsigned int i;

	if (hooks->hooked || READ_ONCE(hooks->ending))
		return;
	for (i = 0; i < ARRAY_SIZE(hooks->ops); i++)
		hooks->ops[i] = (struct nf_hook_ops) {
			.hook = hooks->hook,
			.pf = i ? NFPROTO_IPV6 : NFPROTO_IPV4,
			.hooknum = hooks->where,
			.priority = INT_MIN,
		};
	if (nf_register_net_hooks(hooks->net, hooks->ops, ARRAY_SIZE(hooks->ops)))
		WRITE_ONCE(hooks->refused, true);
	else
		smp_store_release(&hooks->hooked, true);
}

void vif_late_hooks_init(struct vif_late_hooks *hooks, struct net *net, unsigned int where)
{
	hooks->net = net;
	hooks->where = where;
	INIT_WORK(&hooks->work, register_hooks);
}

bool vif_late_hooks_are_there(struct vif_late_hooks *hooks, nf_hookfn *hook)
{
	/* pairs with that of register_hooks() */
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
		nf_unregister_net_hooks(hooks->net, hooks->ops, ARRAY_SIZE(hooks->ops));
}

void vif_late_hooks_end(struct vif_late_hooks *hooks)
{
	cancel_work_sync(&hooks->work);
}
