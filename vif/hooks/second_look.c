// SPDX-License-Identifier: GPL-2.0
#include "second_look.h"

#include <net/netns/generic.h>

#include "../attach/late_hooks.h"

static unsigned int second_id __read_mostly;

bool vif_second_look(struct net *net, nf_hookfn *hook)
{
	return vif_late_hooks_are_there(net_generic(net, second_id), hook);
}

static int __net_init vif_second_look_second_begin(struct net *net)
{
	vif_late_hooks_init(net_generic(net, second_id), net, NF_INET_PRE_ROUTING);
	return 0;
}

static void __net_exit vif_second_look_second_close(struct net *net)
{
	vif_late_hooks_close(net_generic(net, second_id));
}

static void __net_exit vif_second_look_second_end(struct net *net)
{
	vif_late_hooks_end(net_generic(net, second_id));
}

static struct pernet_operations second_pernet = {
	.init = vif_second_look_second_begin,
	.pre_exit = vif_second_look_second_close,
	.exit = vif_second_look_second_end,
	.id = &second_id,
	.size = sizeof(struct vif_late_hooks),
};

int vif_second_look_init(void)
{
	return register_pernet_subsys(&second_pernet);
}

void vif_second_look_exit(void)
{
	unregister_pernet_subsys(&second_pernet);
}
