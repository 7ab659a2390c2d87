// SPDX-License-Identifier: GPL-2.0
/*
 * A stack begins and ends under the tree mutex of its VIF's namespace. It begins under RTNL too, so
 * that its device cannot be removed before the notifier knows of it (vif_stack_device_gone()). It
 * ends with its device or its VIF, or when "none" is written.
 *
 * Users choose how many ports a stack has. So under these locks the end of a stack only removes its
 * hook, and separates it from its VIF. Then the stack no longer exists for packets. A worker ends
 * the ports, some at a time. They are free a grace period later.
 *
 * The sockets of its ports keep the network namespace of the VIF. A stack must not keep its own
 * device. So the device is in a namespace of a lower user namespace, unless the VIF is in the
 * initial network namespace, which does not end.
 */
#include "stack.h"

#include <linux/capability.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <net/rtnetlink.h>

#include "../attach/target.h"
#include "../queue/account.h"
#include "../tree/event.h"
#include "../tree/net.h"
#include "../tree/param.h"
#include "../tree/tree.h"
#include "../tree/vif.h"
#include "internal.h"
#include "port.h"

/* Stacks by device. The mutex is taken under tree mutexes, and under RTNL. */
static DEFINE_HASHTABLE(vif_stack_table, 8);
static DEFINE_MUTEX(vif_stack_mutex);

/* Maximum of ports that end before the tree mutex is released. */
#define PORTS_BATCH	32

static const char *const refusal_name[VIF_STACK_REFUSALS] = {
	[VIF_STACK_LINK] = "link",
	[VIF_STACK_MALFORMED] = "malformed",
	[VIF_STACK_OPTION] = "option",
	[VIF_STACK_FRAGMENT] = "fragment",
	[VIF_STACK_PROTOCOL] = "protocol",
	[VIF_STACK_ADDRESS] = "address",
	[VIF_STACK_PORT] = "port",
	[VIF_STACK_DESTINATION] = "destination",
	[VIF_STACK_ROUTE] = "route",
};

static struct vif_stack *__vif_stack_find(const struct net_device *dev)
{
	struct vif_stack *stack;

	lockdep_assert_held(&vif_stack_mutex);
	hash_for_each_possible(vif_stack_table, stack, by_dev, (unsigned long)dev)
		if (stack->dev == dev)
			return stack;
	return NULL;
}

static bool vif_has_stack(const struct net_device *dev)
{
	bool has;

	mutex_lock(&vif_stack_mutex);
	has = __vif_stack_find(dev);
	mutex_unlock(&vif_stack_mutex);
	return has;
}

/* Ports that have ended, of all stacks. */
static LLIST_HEAD(vif_stack_ended_ports);

/* Close the sockets after packets in the hooks, which may have found them, have passed. */
static void vif_close_ended(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&vif_stack_ended_ports);
	struct vif_port *port, *next;

	synchronize_rcu();
	llist_for_each_entry_safe(port, next, list, ended) {
		fput(port->file);
		kfree(port);
		cond_resched();
	}
}

static DECLARE_WORK(vif_stack_close, vif_close_ended);

/*
 * Detach the socket at once, because it may be closed much later. Packets that it has sent stay in
 * the VIF.
 */
static void __vif_stack_end_port(struct vif_port *port, bool tells)
{
	const struct vif_target target = { .kind = VIF_SOCKET, .sk = port->sk };
	struct vif *vif = port->stack->vif;

	__vif_target_retire(vif, &target, tells);
	list_del(&port->link);
	vif_port_del(port);
	vif->ports--;
	if (llist_add(&port->ended, &vif_stack_ended_ports))
		queue_work(vif_wq, &vif_stack_close);
}

static void vif_free_stack(struct work_struct *work)
{
	struct vif_stack *stack = container_of(to_rcu_work(work), struct vif_stack, free);

	vif_put(stack->vif);
	vif_net_put(stack->vn);
	kfree(stack);
	module_put(THIS_MODULE);
}

static void vif_put_stack(struct vif_stack *stack)
{
	if (refcount_dec_and_test(&stack->refs))
		queue_rcu_work(vif_wq, &stack->free);
}

/* Caller has a reference. */
static void vif_stack_schedule_end(struct vif_stack *stack)
{
	refcount_inc(&stack->refs);
	if (!queue_work(vif_wq, &stack->end))
		refcount_dec(&stack->refs);
}

/* Stop all packets of the stack. Caller holds the table's mutex. */
static void __vif_stack_unhook(struct vif_stack *stack)
{
	lockdep_assert_held(&vif_stack_mutex);
	if (stack->over)
		return;
	WRITE_ONCE(stack->over, true);
	hash_del(&stack->by_dev);
	nf_unregister_net_hook(dev_net(stack->dev), &stack->ops);
}

/* The caller ends its ports afterwards. */
static void __vif_stack_end(struct vif_stack *stack)
{
	struct vif *vif = stack->vif;

	vif_assert_tree_lock(vif);
	mutex_lock(&vif_stack_mutex);
	__vif_stack_unhook(stack);
	mutex_unlock(&vif_stack_mutex);
	if (!--stack->vn->stacks)
		vif_stack_in_unregister(stack->net);
	WRITE_ONCE(vif->stack, NULL);
	if (!vif->dead)
		vif_event(vif, VIF_EVENT_SET);
	vif_stack_schedule_end(stack);
	vif_put_stack(stack);
	__vif_unpin(vif);
}

/* End a batch of ports. Return true if there are more. */
static bool __vif_stack_end_ports(struct vif_stack *stack)
{
	struct vif_port *port, *next;
	unsigned int n = 0;

	vif_assert_tree_lock(stack->vif);
	list_for_each_entry_safe(port, next, &stack->ports, link) {
		if (n++ == PORTS_BATCH)
			return true;
		__vif_stack_end_port(port, false);
	}
	return false;
}

/*
 * Let go of the device before the ports end. The removal of the device waits for this, and there
 * may be thousands of ports. The caller has waited for packets that still found the stack.
 */
static void __vif_stack_put_device(struct vif_stack *stack)
{
	vif_assert_tree_lock(stack->vif);
	dev_put(stack->dev);
	stack->dev = NULL;
}

static void vif_stack_end_work(struct work_struct *work)
{
	struct vif_stack *stack = container_of(work, struct vif_stack, end);
	bool more;

	synchronize_rcu();
	do {
		mutex_lock(&stack->vn->lock);
		/* its device has gone */
		if (stack->vif->stack == stack)
			__vif_stack_end(stack);
		__vif_stack_put_device(stack);
		more = __vif_stack_end_ports(stack);
		mutex_unlock(&stack->vn->lock);
		cond_resched();
	} while (more);
	vif_put_stack(stack);
}

/* Can a user-level stack use a device of this kind? */
static int vif_stack_check_kind(const struct vif *vif, const struct net_device *dev)
{
	const struct rtnl_link_ops *ops = dev->rtnl_link_ops;

	if (dev == vif->dev->dev)
		return vif_fail(vif_net_of_vif(vif), -EINVAL,
				"stack: '%s' is the device of the VIF itself", dev->name);
	if (netif_is_l3_master(vif->dev->dev))
		return vif_fail(vif_net_of_vif(vif), -EOPNOTSUPP,
				"stack: '%s', the device of the VIF, is a VRF: no packet arrives or leaves by the VRF itself",
				vif->dev->dev->name);
	if (ops && (!strcmp(ops->kind, "tun") || !strcmp(ops->kind, "veth")))
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EOPNOTSUPP,
			"stack: '%s' is not a tap, tun or veth", dev->name);
}

/* See the top of this file. */
static int vif_stack_check_namespace(const struct vif *vif, const struct net_device *dev)
{
	const struct vif_net *vn = vif_net_of_vif(vif);
	const struct user_namespace *user_ns = dev_net(dev)->user_ns;

	if (!ns_capable(dev_net(dev)->user_ns, CAP_NET_ADMIN))
		return vif_fail(vif_net_of_vif(vif), -EPERM,
				"stack: '%s' requires CAP_NET_ADMIN over its network namespace when the file is opened",
				dev->name);
	if (vn->net == &init_net || user_ns->level > vn->user_ns->level)
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EINVAL,
			"stack: the network namespace of '%s' must belong to a user namespace below the VIF's",
			dev->name);
}

static int vif_stack_check_free(const struct vif *vif, const struct net_device *dev)
{
	if (vif->stack)
		return vif_fail(vif_net_of_vif(vif), -EBUSY,
				"stack: the VIF has a stack, '%s': write none first",
				vif->stack->dev->name);
	if (vif_has_stack(dev))
		return vif_fail(vif_net_of_vif(vif), -EBUSY,
				"stack: '%s' belongs to another VIF's stack", dev->name);
	return 0;
}

static struct vif_stack *vif_alloc_stack(struct vif *vif, struct net_device *dev)
{
	struct vif_stack *stack = kzalloc(sizeof(*stack), VIF_GFP);

	if (!stack)
		return NULL;
	refcount_set(&stack->refs, 1);
	stack->vif = vif;
	stack->vn = vif_net_of_vif(vif);
	stack->net = stack->vn->net;
	stack->link = vif->dev->dev;
	stack->dev = dev;
	stack->hops = !strcmp(dev->rtnl_link_ops->kind, "veth");
	stack->mac = vif_stack_first_mac(dev);
	stack->ops = (struct nf_hook_ops) {
		.hook = vif_stack_out_hook,
		.priv = stack,
		.dev = dev,
		.pf = NFPROTO_NETDEV,
		.hooknum = NF_NETDEV_INGRESS,
		/* no other code may see it, and it must not continue */
		.priority = INT_MIN,
	};
	INIT_LIST_HEAD(&stack->ports);
	INIT_WORK(&stack->end, vif_stack_end_work);
	INIT_RCU_WORK(&stack->free, vif_free_stack);
	return stack;
}

static int vif_stack_register_hooks(struct vif_stack *stack)
{
	int err = 0;

	if (!stack->vn->stacks)
		err = vif_stack_in_register(stack->net);
	if (err)
		return err;
	err = nf_register_net_hook(dev_net(stack->dev), &stack->ops);
	if (err && !stack->vn->stacks)
		vif_stack_in_unregister(stack->net);
	return err;
}

static int __vif_stack_begin(struct vif *vif, struct net_device *dev)
{
	struct vif_stack *stack = vif_alloc_stack(vif, dev);
	int err;

	if (!stack)
		return -ENOMEM;
	err = vif_stack_register_hooks(stack);
	if (err) {
		kfree(stack);
		return err;
	}
	__module_get(THIS_MODULE);
	stack->vn->stacks++;
	vif_net_get(stack->vn);
	vif_get(vif);
	dev_hold(dev);
	WRITE_ONCE(vif->stack, stack);
	vif->pins++;
	mutex_lock(&vif_stack_mutex);
	hash_add(vif_stack_table, &stack->by_dev, (unsigned long)dev);
	mutex_unlock(&vif_stack_mutex);
	vif_event(vif, VIF_EVENT_SET);
	return 0;
}

static int __vif_stack_check(const struct vif *vif, const struct net_device *dev)
{
	int err = __vif_check_alive(vif);

	if (!err)
		err = vif_stack_check_namespace(vif, dev);
	if (!err)
		err = vif_stack_check_kind(vif, dev);
	return err ?: vif_stack_check_free(vif, dev);
}

int vif_stack_begin(struct vif *vif, const char *name)
{
	struct net_device *dev;
	int err;

	rtnl_lock();
	dev = __dev_get_by_name(current->nsproxy->net_ns, name);
	if (!dev) {
		rtnl_unlock();
		return vif_fail(vif_net_of_vif(vif), -ENODEV,
				"stack: no device '%s' in the writer's network namespace", name);
	}
	mutex_lock(vif_tree_lock(vif));
	/* its device has gone, and the worker has not come yet */
	if (vif->stack && vif->stack->over)
		__vif_stack_end(vif->stack);
	err = __vif_stack_check(vif, dev);
	if (!err)
		err = __vif_stack_begin(vif, dev);
	mutex_unlock(vif_tree_lock(vif));
	rtnl_unlock();
	return err;
}

void __vif_stack_leave(struct vif *vif)
{
	if (vif->stack)
		__vif_stack_end(vif->stack);
}

void vif_stack_end(struct vif *vif)
{
	mutex_lock(vif_tree_lock(vif));
	__vif_stack_leave(vif);
	mutex_unlock(vif_tree_lock(vif));
}

void vif_stack_device_gone(struct net_device *dev)
{
	struct vif_stack *stack;

	ASSERT_RTNL();
	mutex_lock(&vif_stack_mutex);
	stack = __vif_stack_find(dev);
	if (stack) {
		__vif_stack_unhook(stack);
		vif_stack_schedule_end(stack);
	}
	mutex_unlock(&vif_stack_mutex);
}

int vif_stack_add_port(struct vif *vif, struct vif_port *port)
{
	struct vif_stack *stack;
	int err = -ENOTCONN;

	mutex_lock(vif_tree_lock(vif));
	stack = vif->stack;
	if (stack && !stack->over) {
		port->stack = stack;
		err = vif_port_add(port);
	}
	if (!err) {
		list_add_tail(&port->link, &stack->ports);
		vif->ports++;
	}
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

int vif_stack_del_port(struct vif *vif, u8 protocol, u16 number)
{
	struct vif_port *port;

	mutex_lock(vif_tree_lock(vif));
	rcu_read_lock();
	port = vif_port_find(vif_net_of_vif(vif)->net, protocol, htons(number), AF_INET);
	if (port && port->stack->vif != vif)
		port = NULL;
	rcu_read_unlock();
	/* no other code ends it in the meantime */
	if (port)
		__vif_stack_end_port(port, true);
	mutex_unlock(vif_tree_lock(vif));
	return port ? 0 : -ENOENT;
}

const char *__vif_stack_device(const struct vif *vif)
{
	vif_assert_tree_lock(vif);
	return vif->stack && !vif->stack->over ? vif->stack->dev->name : NULL;
}

void vif_stack_show_ports(struct seq_file *seq, struct vif *vif)
{
	struct vif_port *port;

	mutex_lock(vif_tree_lock(vif));
	if (vif->stack)
		list_for_each_entry(port, &vif->stack->ports, link)
			seq_printf(seq, "%s %u\n",
				   vif_port_protocol(port) == IPPROTO_TCP ? "tcp" : "udp",
				   vif_port_number(port));
	mutex_unlock(vif_tree_lock(vif));
}

void vif_stack_show_refused(struct seq_file *seq, struct vif *vif)
{
	enum vif_stack_refusal why;

	mutex_lock(vif_tree_lock(vif));
	for (why = 0; vif->stack && why < VIF_STACK_REFUSALS; why++)
		seq_printf(seq, "stack_%s_refused %llu\n", refusal_name[why],
			   (u64)atomic64_read(&vif->stack->refused[why]));
	mutex_unlock(vif_tree_lock(vif));
}

int vif_stack_init(void)
{
	return vif_port_init();
}

/* Each stack holds the module until vif_free_stack(), which may not have returned yet. */
void vif_stack_exit(void)
{
	flush_workqueue(vif_wq);
	/* packets in the last hooks */
	synchronize_net();
	vif_port_exit();
}
