// SPDX-License-Identifier: GPL-2.0
#include "net.h"

#include <linux/cache.h>
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <net/netns/generic.h>

/* read for each packet, and seldom written: kept apart from written data */
atomic64_t vif_genid_sock[VIF_GENID_SOCKS] ____cacheline_aligned_in_smp;

struct workqueue_struct *vif_wq;
struct workqueue_struct *vif_wq_soon;

static bool user_namespaces;
module_param(user_namespaces, bool, 0644);
MODULE_PARM_DESC(user_namespaces,
		 "let network namespaces that belong to user namespaces have VIFs of their own");

static unsigned int vif_net_id;

/* See vif_net_init(). */
static work_func_t vif_net_linger_func, vif_net_remove_func, vif_net_tell_func;

struct vif_net *vif_net_of(const struct net *net)
{
	struct vif_net **vn = net_generic(net, vif_net_id);

	return *vn;
}

struct vif_net *vif_net_find(const struct net *net)
{
	struct vif_net **vn = net_generic(net, vif_net_id);

	return READ_ONCE(*vn);
}

static bool vif_net_belongs_to_host(const struct user_namespace *user_ns)
{
	return user_ns == &init_user_ns || READ_ONCE(user_namespaces);
}

bool vif_net_admits(const struct user_namespace *user_ns)
{
	return vif_net_belongs_to_host(user_ns) || capable(CAP_NET_ADMIN);
}

struct vif_net *vif_net_get(struct vif_net *vn)
{
	refcount_inc(&vn->refs);
	return vn;
}

void vif_net_put(struct vif_net *vn)
{
	if (!refcount_dec_and_test(&vn->refs))
		return;
	vif_errors_exit(&vn->errors);
	vif_listeners_put(vn->listeners);
	put_user_ns(vn->user_ns);
	kfree_rcu(vn, rcu);
}

static int __net_init vif_init_net_ns(struct net *net)
{
	struct vif_net **slot = net_generic(net, vif_net_id);
	struct vif_net *vn = kzalloc(sizeof(*vn), GFP_KERNEL_ACCOUNT);

	if (!vn)
		return -ENOMEM;
	vn->listeners = vif_listeners_create();
	if (!vn->listeners) {
		kfree(vn);
		return -ENOMEM;
	}
	mutex_init(&vn->lock);
	INIT_LIST_HEAD(&vn->devs);
	hash_init(vn->groups);
	xa_init(&vn->dev_by_index);
	vn->changes = 1;
	vn->net = net;
	vn->user_ns = get_user_ns(net->user_ns);
	vn->admitted = vif_net_belongs_to_host(net->user_ns);
	vn->inum = net->ns.inum;
	refcount_set(&vn->refs, 1);
	INIT_DELAYED_WORK(&vn->linger, vif_net_linger_func);
	init_llist_head(&vn->removals);
	INIT_WORK(&vn->remove, vif_net_remove_func);
	INIT_LIST_HEAD(&vn->news);
	INIT_DELAYED_WORK(&vn->tell, vif_net_tell_func);
	vif_errors_init(&vn->errors);
	*slot = vn;
	return 0;
}

/*
 * The devices have gone before: see vif_netdev_unregistered(). The kernel's own sockets may
 * still be closed afterwards.
 */
static void __net_exit vif_exit_net_ns(struct net *net)
{
	struct vif_net **slot = net_generic(net, vif_net_id);
	struct vif_net *vn = *slot;

	cancel_delayed_work_sync(&vn->linger);
	WRITE_ONCE(*slot, NULL);
	mutex_lock(&vn->lock);
	vn->dead = true;
	vn->net = NULL;
	mutex_unlock(&vn->lock);
	/* no message is queued any more: drop queued ones, and the reference */
	if (!cancel_delayed_work_sync(&vn->tell))
		vif_net_get(vn);
	vif_net_tell_func(&vn->tell.work);
	vif_net_put(vn);
}

static struct pernet_operations vif_net_pernet = {
	.init = vif_init_net_ns,
	.exit = vif_exit_net_ns,
	.id = &vif_net_id,
	.size = sizeof(struct vif_net *),
};

int vif_net_init(work_func_t linger, work_func_t remove, work_func_t tell)
{
	int err;

	vif_net_linger_func = linger;
	vif_net_remove_func = remove;
	vif_net_tell_func = tell;
	vif_wq = alloc_workqueue("netnice", WQ_UNBOUND, 0);
	if (!vif_wq)
		return -ENOMEM;
	vif_wq_soon = alloc_workqueue("netnice_soon", WQ_UNBOUND | WQ_HIGHPRI, 0);
	err = vif_wq_soon ? register_pernet_subsys(&vif_net_pernet) : -ENOMEM;
	if (!err)
		return 0;
	if (vif_wq_soon)
		destroy_workqueue(vif_wq_soon);
	destroy_workqueue(vif_wq);
	return err;
}

void vif_net_exit(void)
{
	unregister_pernet_subsys(&vif_net_pernet);
	/* drains it, what its own work items queue included */
	destroy_workqueue(vif_wq);
	destroy_workqueue(vif_wq_soon);
}
