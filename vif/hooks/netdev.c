// SPDX-License-Identifier: GPL-2.0
/*
 * The notifier of network devices runs under RTNL and takes the tree mutex. So while the tree mutex
 * is held, a device stays registered, and hooks can be registered on it without RTNL. Before a
 * device is closed, packets in its shapers are dropped and no new packets are accepted. When it is
 * down, its hooks are removed. This happens before it leaves its namespace or ends. In between the
 * core waits for all packets.
 *
 * No task waits for a grace period under the tree mutex, because RTNL's holder waits for the mutex.
 * A packet that is in a hook during its removal finds its shaper closed, and a tree that still
 * exists. Only the end of the module waits, once for all devices.
 */
#include "hooks.h"

#include <linux/module.h>
#include <linux/rhashtable.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../attach/subject.h"
#include "../queue/account.h"
#include "../tree/dev.h"
#include "../tree/event.h"
#include "../tree/find.h"
#include "../tree/net.h"
#include "../tree/option.h"
#include "../tree/param.h"
#include "../tree/vif.h"

/* The module is: no hook is registered any more. */
static bool vif_netdev_leaving;

static const struct {
	const struct vif_shaper_ops *shaper;
	nf_hookfn *hook;
	unsigned int hooknum;
} directions[VIF_DIRS] = {
	[VIF_EGRESS] = { &vif_egress_ops, vif_egress_hook, NF_NETDEV_EGRESS },
	[VIF_INGRESS] = {
		&vif_ingress_ops, vif_ingress_hook, NF_NETDEV_INGRESS
	},
};

static void vif_netdev_assert_tree_lock(const struct vif_dev *vdev)
{
	lockdep_assert_held(&vdev->net->lock);
}

static void vif_netdev_close_ports(struct vif_dev *vdev, bool send)
{
	enum vif_dir dir;

	vif_netdev_assert_tree_lock(vdev);
	for (dir = 0; dir < VIF_DIRS; dir++)
		vif_shaper_close(&vdev->shaper[dir], send);
}

static int vif_netdev_register_hooks(struct vif_dev *vdev)
{
	enum vif_dir dir;
	int err;

	if (READ_ONCE(vif_netdev_leaving))
		return 0;
	for (dir = 0; dir < VIF_DIRS; dir++) {
		vdev->ops[dir] = (struct nf_hook_ops) {
			.hook = directions[dir].hook,
			.priv = vdev,
			.dev = vdev->dev,
			.pf = NFPROTO_NETDEV,
			.hooknum = directions[dir].hooknum,
			.priority = INT_MAX - 1,
		};
		vif_dev_set_frame(vdev, dir);
		err = vif_shaper_open(&vdev->shaper[dir]);
		if (err)
			goto undo;
		err = nf_register_net_hook(dev_net(vdev->dev),
					   &vdev->ops[dir]);
		if (err)
			goto undo;
	}
	/* pairs with vif_dev_is_hooked(): the shapers are open */
	smp_store_release(&vdev->hooked, true);
	return 0;
undo:
	while (dir-- > 0)
		nf_unregister_net_hook(dev_net(vdev->dev), &vdev->ops[dir]);
	vif_netdev_close_ports(vdev, true);
	return err;
}

static int vif_netdev_set_incoming(struct vif_dev *vdev, bool incoming)
{
	if (!incoming) {
		nf_unregister_net_hook(dev_net(vdev->dev), &vdev->incoming_ops);
		return 0;
	}
	vdev->incoming_ops = (struct nf_hook_ops) {
		.hook = vif_incoming_hook,
		.dev = vdev->dev,
		.pf = NFPROTO_NETDEV,
		.hooknum = NF_NETDEV_INGRESS,
		/* behind the hook of its own tree */
		.priority = INT_MAX,
	};
	return nf_register_net_hook(dev_net(vdev->dev), &vdev->incoming_ops);
}

/* Packets that are in the hooks now continue; no further packets enter them. */
static void vif_netdev_unregister_hooks(struct vif_dev *vdev)
{
	enum vif_dir dir;

	vif_netdev_assert_tree_lock(vdev);
	if (!vdev->hooked)
		return;
	WRITE_ONCE(vdev->hooked, false);
	for (dir = 0; dir < VIF_DIRS; dir++)
		nf_unregister_net_hook(dev_net(vdev->dev), &vdev->ops[dir]);
}

static void vif_netdev_unhook(struct vif_dev *vdev)
{
	vif_netdev_unregister_hooks(vdev);
	vif_netdev_close_ports(vdev, true);
}

/* A stack holds its option. */
static void vif_netdev_end_stack(struct vif *vif)
{
	const struct vif_option *option = vif->stack ? vif_option_find(VIF_OPTION_STACK) : NULL;

	if (option)
		vif_stack_ops_of(option)->leave(vif);
	vif_option_put(option);
}

static void vif_netdev_leave_tree(struct vif *vif)
{
	vif_netdev_end_stack(vif);
	__vif_program_leave(vif);
}

static const struct vif_dev_ops vif_netdev_dev_ops = {
	.up = vif_netdev_register_hooks,
	.down = vif_netdev_unhook,
	.set_incoming = vif_netdev_set_incoming,
	.leave = vif_netdev_leave_tree,
};

/*
 * --- vif_dev.shared ---
 *
 * If a device U is directly above a device of its own namespace, the devices above U are in other
 * namespaces for both devices, or for neither. So the flag of a device follows from its direct upper
 * devices. A change is passed on to direct lower devices only if their upper device begins or ends
 * to be shared. A walk over all upper devices would take a step for each path under RTNL: some dozen
 * VLANs and three bridges make billions of paths.
 */

static struct vif_dev *vif_netdev_tree_of(const struct net_device *dev)
{
	return vif_dev_find(vif_net_of(dev_net(dev)), dev);
}

/* An upper device without a tree (no memory) counts as shared, because its own uppers are unknown. */
static bool vif_netdev_shares(const struct net_device *above, const struct net_device *dev)
{
	const struct vif_dev *vdev;

	if (!net_eq(dev_net(above), dev_net(dev)))
		return true;
	vdev = vif_netdev_tree_of(above);
	return !vdev || vdev->shared;
}

/* Context: RTNL and rcu_read_lock() */
static unsigned int vif_netdev_count_sharing(struct net_device *dev)
{
	struct net_device *above;
	struct list_head *iter;
	unsigned int n = 0;

	netdev_for_each_upper_dev_rcu(dev, above, iter)
		n += vif_netdev_shares(above, dev);
	return n;
}

/*
 * The recursion visits the lower devices of each device that begins or ends to be shared. Its depth
 * is bounded by the core (MAX_NEST_DEV, 8).
 */
static void vif_netdev_set_shared(struct vif_dev *vdev, struct net_device *dev,
				  unsigned int shared)
{
	int change = !!shared - !!vdev->shared;
	struct net_device *lower;
	struct vif_dev *below;
	struct list_head *iter;

	WRITE_ONCE(vdev->shared, shared);
	if (!change)
		return;
	netdev_for_each_lower_dev(dev, lower, iter) {
		below = net_eq(dev_net(lower), dev_net(dev)) ? vif_netdev_tree_of(lower) : NULL;
		if (below)
			vif_netdev_set_shared(below, lower, below->shared + change);
	}
}

/* Context: RTNL */
static void vif_netdev_update_shared(struct net_device *dev)
{
	struct vif_dev *vdev;

	rcu_read_lock();
	vdev = vif_netdev_tree_of(dev);
	if (vdev)
		vif_netdev_set_shared(vdev, dev, vif_netdev_count_sharing(dev));
	rcu_read_unlock();
}

/* A device has a new tree, or has moved to another namespace. Context: RTNL */
static void vif_netdev_update_below(struct net_device *dev)
{
	struct net_device *lower;
	struct list_head *iter;

	netdev_for_each_lower_dev(dev, lower, iter)
		vif_netdev_update_shared(lower);
}

static struct vif_dev *vif_netdev_create(struct vif_net *vn, struct net_device *dev)
{
	struct vif_dev *vdev = kzalloc(sizeof(*vdev), VIF_GFP);
	struct vif *root;
	enum vif_dir dir;

	if (!vdev)
		return NULL;
	if (rhashtable_init(&vdev->names, &vif_names_params)) {
		kfree(vdev);
		return NULL;
	}
	vdev->net = vif_net_get(vn);
	vdev->dev = dev;
	vdev->hooks = &vif_netdev_dev_ops;
	vif_genid_init(&vdev->genid);
	vif_levels_init(&vdev->levels);
	INIT_WORK(&vdev->takeover, vif_qdisc_takeover);
	refcount_set(&vdev->refs, 1);
	vdev->root = vif_create_root(vdev);
	root = vdev->root;
	for (dir = 0; root && dir < VIF_DIRS; dir++) {
		vif_shaper_init(&vdev->shaper[dir], directions[dir].shaper,
				&root->side[dir]);
		/* clocks may be set before the device goes up */
		vif_dev_set_frame(vdev, dir);
	}
	/* from now on it lives by the references of its VIFs */
	vif_dev_put(vdev);
	return root ? vdev : NULL;
}

static bool vif_netdev_is(const struct net_device *dev, const char *kind)
{
	return dev->rtnl_link_ops && !strcmp(dev->rtnl_link_ops->kind, kind);
}

/* A netkit for whose tree there is no memory counts until the namespace ends. */
static void vif_netdev_registered(struct vif_net *vn, struct net_device *dev)
{
	struct vif_dev *vdev;

	if (vif_dev_find(vn, dev))
		return;
	if (vif_netdev_is(dev, "netkit"))
		WRITE_ONCE(vn->netkits, vn->netkits + 1);
	vdev = vif_netdev_create(vn, dev);
	if (vdev && xa_err(xa_store(&vn->dev_by_index, dev->ifindex, vdev,
				    GFP_KERNEL_ACCOUNT))) {
		WRITE_ONCE(vdev->dev, NULL);
		vif_leave_tree(vdev->root);
		vdev = NULL;
	}
	if (!vdev) {
		netdev_warn(dev, "netnice: no memory: the device has no VIFs\n");
		return;
	}
	list_add_tail(&vdev->link, &vn->devs);
	vif_netdev_update_shared(dev);
	vif_event(vdev->root, VIF_EVENT_NEW);
}

static void vif_netdev_went_up(struct vif_dev *vdev)
{
	vdev->up = true;
	if (vdev->used && __vif_dev_hook_up(vdev))
		netdev_warn(vdev->dev, "netnice: no hooks: its VIFs have no effect\n");
}

/*
 * Packets still come, and would be lost behind the hooks that count them, or
 * exceed their limit without. The shapers drop them until the hooks can go.
 */
static void vif_netdev_going_down(struct vif_dev *vdev)
{
	vdev->up = false;
	if (vdev->hooked)
		vif_netdev_close_ports(vdev, false);
}

static void vif_netdev_went_down(struct vif_dev *vdev)
{
	vdev->up = false;
	if (!vdev->hooked)
		return;
	vif_netdev_unregister_hooks(vdev);
	vif_netdev_close_ports(vdev, false);
}

static void vif_netdev_unregistered(struct vif_dev *vdev)
{
	vif_netdev_went_down(vdev);
	vif_dev_set_incoming(vdev, false);
	/* its hooks may have gone without that: see vif_netdev_exit() */
	vif_netdev_close_ports(vdev, false);
	if (vif_netdev_is(vdev->dev, "netkit"))
		WRITE_ONCE(vdev->net->netkits, vdev->net->netkits - 1);
	vif_event(vdev->root, VIF_EVENT_DEL);
	list_del(&vdev->link);
	xa_erase(&vdev->net->dev_by_index, vdev->dev->ifindex);
	vif_subject_end(VIF_DEVICE, vdev->dev);
	WRITE_ONCE(vdev->dev, NULL);
	/* attachments are made under the tree mutex, which is held here */
	if (atomic_read(&vdev->in_sets))
		vif_subject_forget_gone();
	vif_leave_tree(vdev->root);
}

static void vif_netdev_event(struct vif_dev *vdev, unsigned long what)
{
	switch (what) {
	case NETDEV_UP:
		vif_netdev_went_up(vdev);
		break;
	case NETDEV_GOING_DOWN:
		vif_netdev_going_down(vdev);
		break;
	case NETDEV_DOWN:
		vif_netdev_went_down(vdev);
		break;
	case NETDEV_CHANGENAME:
		vif_event(vdev->root, VIF_EVENT_MOVE);
		break;
	case NETDEV_CHANGEMTU:
		vif_refresh_frames(vdev->root);
		break;
	case NETDEV_UNREGISTER:
		vif_netdev_unregistered(vdev);
		break;
	}
}

static void vif_netdev_tell_stacks(struct net_device *dev)
{
	const struct vif_option *option = vif_option_find(VIF_OPTION_STACK);

	if (option)
		vif_stack_ops_of(option)->device_gone(dev);
	vif_option_put(option);
}

static int vif_netdev_notify(struct notifier_block *nb, unsigned long what, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct vif_net *vn = vif_net_of(dev_net(dev));
	struct vif_dev *vdev;

	if (what == NETDEV_UNREGISTER)
		vif_netdev_tell_stacks(dev);
	if (what == NETDEV_REGISTER && vif_netdev_is(dev, "ifb"))
		vif_ingress_see_ifb(dev_net(dev));
	if (what == NETDEV_CHANGEUPPER)
		vif_netdev_update_shared(dev);
	if (vn->admitted) {
		mutex_lock(&vn->lock);
		if (what == NETDEV_REGISTER)
			vif_netdev_registered(vn, dev);
		vdev = vif_dev_find(vn, dev);
		if (vdev)
			vif_netdev_event(vdev, what);
		mutex_unlock(&vn->lock);
	}
	/* lower devices may be in any namespace */
	if (what == NETDEV_REGISTER)
		vif_netdev_update_below(dev);
	return NOTIFY_DONE;
}

/* The notifier was also called for devices that existed before the module. */
static void vif_netdev_add_existing(struct vif_net *vn, struct net_device *dev)
{
	struct vif_dev *vdev;

	vif_netdev_registered(vn, dev);
	vdev = vif_dev_find(vn, dev);
	if (vdev && dev->flags & IFF_UP)
		vif_netdev_went_up(vdev);
}

void vif_netdev_admit(struct net *net)
{
	struct vif_net *vn = vif_net_of(net);
	struct net_device *dev;

	if (READ_ONCE(vn->admitted))
		return;
	rtnl_lock();
	mutex_lock(&vn->lock);
	if (!vn->admitted) {
		for_each_netdev(net, dev)
			vif_netdev_add_existing(vn, dev);
		/* a device may have been added before its upper device had a tree */
		for_each_netdev(net, dev)
			vif_netdev_update_shared(dev);
		WRITE_ONCE(vn->admitted, true);
	}
	mutex_unlock(&vn->lock);
	rtnl_unlock();
}

static struct notifier_block vif_netdev_notifier = {
	.notifier_call = vif_netdev_notify,
};

/* The notifier is called for all existing devices. */
int vif_netdev_init(void)
{
	return register_netdevice_notifier(&vif_netdev_notifier);
}

/* Queued packets are sent, because the device stays. */
static void vif_netdev_send_waiting(struct vif_dev *vdev)
{
	vif_netdev_close_ports(vdev, true);
}

static void vif_netdev_release(struct vif_dev *vdev)
{
	vif_dev_set_incoming(vdev, false);
	vif_netdev_unregister_hooks(vdev);
}

/* The notifier is also called for the end of all devices, which here is the module's end. */
void vif_netdev_exit(void)
{
	WRITE_ONCE(vif_netdev_leaving, true);
	vif_dev_for_each(vif_netdev_release);
	synchronize_net();
	vif_dev_for_each(vif_netdev_send_waiting);
	unregister_netdevice_notifier(&vif_netdev_notifier);
}
