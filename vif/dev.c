// SPDX-License-Identifier: GPL-2.0
/*
 * The notifier runs under RTNL and takes the tree mutex. So whoever holds the
 * tree mutex finds a device that stays registered, and may register hooks on
 * it without RTNL. Before a device is closed, what waits in its ports is dropped,
 * and nothing comes in any more; once it is down, its hooks are taken away. It is
 * before it leaves its namespace or ends, and in between the core waits for all packets.
 *
 * Nobody waits for a grace period under the tree mutex, as RTNL's holder waits for that:
 * a packet that is in a hook while this is taken away finds its port closed, and a tree
 * that is still there. Only the module's end waits, once for all devices.
 */
#include "dev.h"

#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/rhashtable.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "compat/hooks.h"
#include "account.h"
#include "egress.h"
#include "event.h"
#include "incoming.h"
#include "ingress.h"
#include "net.h"
#include "qdisc.h"
#include "stamp.h"
#include "subject.h"

/*
 * How long hooks stay after the last use: VIFs that come and go would else have
 * everybody who takes RTNL wait for all CPUs, again and again.
 */
#define LINGER	HZ

/* Devices whose hooks go while the tree mutex is held. */
#define LINGER_BATCH	16

/* The longest packet of IP, and lo's MTU. */
#define MTU_MOST	65536U

/* The module is: no hook is registered any more. */
static bool leaving;

static const struct {
	const struct vif_port_ops *port;
	nf_hookfn *hook;
	unsigned int hooknum;
} directions[VIF_DIRS] = {
	[VIF_EGRESS] = { &vif_egress_ops, vif_egress_hook, NF_NETDEV_EGRESS },
	[VIF_INGRESS] = {
		&vif_ingress_ops, vif_ingress_hook, NF_NETDEV_INGRESS
	},
};

static void assert_tree_lock(const struct vif_dev *vdev)
{
	lockdep_assert_held(&vdev->net->lock);
}

static void close_ports(struct vif_dev *vdev, bool send)
{
	enum vif_dir dir;

	assert_tree_lock(vdev);
	for (dir = 0; dir < VIF_DIRS; dir++)
		vif_port_close(&vdev->port[dir], send);
}

/* Some devices take any MTU, 0 included. */
static unsigned int frame_len(const struct vif_dev *vdev)
{
	if (!vdev->dev)
		return ETH_FRAME_LEN;
	return clamp(READ_ONCE(vdev->dev->mtu), (unsigned int)ETH_MIN_MTU, MTU_MOST) +
	       vdev->dev->hard_header_len;
}

unsigned int vif_dev_frame_bytes(const struct vif_dev *vdev, enum vif_dir dir)
{
	assert_tree_lock(vdev);
	return vif_link_layer_bytes(&vdev->port[dir].layer, frame_len(vdev),
				    vdev->dev ? vdev->dev->hard_header_len : ETH_HLEN);
}

static void set_frame(struct vif_dev *vdev, enum vif_dir dir)
{
	vif_port_set_frame(&vdev->port[dir], frame_len(vdev), vif_dev_frame_bytes(vdev, dir));
}

static int register_hooks(struct vif_dev *vdev)
{
	enum vif_dir dir;
	int err;

	for (dir = 0; dir < VIF_DIRS; dir++) {
		vdev->ops[dir] = (struct nf_hook_ops) {
			.hook = directions[dir].hook,
			.priv = vdev,
			.dev = vdev->dev,
			.pf = NFPROTO_NETDEV,
			.hooknum = directions[dir].hooknum,
			.priority = INT_MAX - 1,
		};
		set_frame(vdev, dir);
		err = vif_port_open(&vdev->port[dir]);
		if (err)
			goto undo;
		err = nf_register_net_hook(dev_net(vdev->dev),
					   &vdev->ops[dir]);
		if (err)
			goto undo;
	}
	WRITE_ONCE(vdev->hooked, true);
	return 0;
undo:
	while (dir-- > 0)
		nf_unregister_net_hook(dev_net(vdev->dev), &vdev->ops[dir]);
	close_ports(vdev, true);
	return err;
}

int vif_dev_set_incoming(struct vif_dev *vdev, bool incoming)
{
	int err = 0;

	assert_tree_lock(vdev);
	if (incoming == vdev->incoming || !vdev->dev)
		return 0;
	if (incoming) {
		vdev->incoming_ops = (struct nf_hook_ops) {
			.hook = vif_incoming_hook,
			.dev = vdev->dev,
			.pf = NFPROTO_NETDEV,
			.hooknum = NF_NETDEV_INGRESS,
			/* behind that of its own tree */
			.priority = INT_MAX,
		};
		err = nf_register_net_hook(dev_net(vdev->dev), &vdev->incoming_ops);
	} else {
		nf_unregister_net_hook(dev_net(vdev->dev), &vdev->incoming_ops);
	}
	if (!err)
		vdev->incoming = incoming;
	return err;
}

/* Packets that are in the hooks right now go on; none comes after them. */
static void unregister_hooks(struct vif_dev *vdev)
{
	enum vif_dir dir;

	assert_tree_lock(vdev);
	if (!vdev->hooked)
		return;
	WRITE_ONCE(vdev->hooked, false);
	for (dir = 0; dir < VIF_DIRS; dir++)
		nf_unregister_net_hook(dev_net(vdev->dev), &vdev->ops[dir]);
}

/*
 * Of trees that nobody has used for a while. What is in a hook has no VIF and no limit, and
 * passes a closed port.
 */
void vif_dev_linger(struct work_struct *work)
{
	struct vif_net *vn = container_of(to_delayed_work(work),
					  struct vif_net, linger);
	struct vif_dev *vdev;
	unsigned int gone = 0;
	bool more = false;

	mutex_lock(&vn->lock);
	list_for_each_entry(vdev, &vn->devs, link) {
		if (vdev->used || !vdev->hooked)
			continue;
		if (gone == LINGER_BATCH ||
		    time_before(jiffies, vdev->unused_since + LINGER)) {
			more = true;
			continue;
		}
		unregister_hooks(vdev);
		close_ports(vdev, true);
		gone++;
	}
	if (more)
		queue_delayed_work(vif_wq, &vn->linger, gone == LINGER_BATCH ? 0 : LINGER / 8);
	mutex_unlock(&vn->lock);
}

static int hook_up(struct vif_dev *vdev)
{
	int err;

	assert_tree_lock(vdev);
	if (vdev->hooked || !vdev->up || READ_ONCE(leaving))
		return 0;
	err = register_hooks(vdev);
	if (err && err != -ENOMEM)
		vif_fail(vdev->net, err,
			 "%s: the kernel refuses its hooks (error %d)",
			 vdev->dev->name, -err);
	return err;
}

int vif_dev_use(struct vif_dev *vdev)
{
	int err;

	assert_tree_lock(vdev);
	if (!vdev->dev)
		return vif_fail(vdev->net, -ENODEV,
				"the network device has been removed");
	if (!VIF_HOOKS_POSSIBLE)
		return vif_fail(vdev->net, -EOPNOTSUPP,
				"%s: this kernel has no hooks for packets: a kernel with " VIF_HOOKS_OPTIONS " is needed",
				vdev->dev->name);
	err = hook_up(vdev);
	if (!err)
		vdev->used++;
	return err;
}

void vif_dev_unuse(struct vif_dev *vdev)
{
	assert_tree_lock(vdev);
	if (--vdev->used)
		return;
	vdev->unused_since = jiffies;
	if (vdev->hooked)
		queue_delayed_work(vif_wq, &vdev->net->linger, LINGER);
}

int vif_dev_set_attached(struct vif_dev *vdev, bool attached)
{
	int err = 0;

	assert_tree_lock(vdev);
	if (attached == vdev->attached)
		return 0;
	if (attached)
		err = vif_dev_use(vdev);
	else
		vif_dev_unuse(vdev);
	if (!err)
		vdev->attached = attached;
	return err;
}

int vif_dev_check_ingress(struct vif_dev *vdev)
{
	assert_tree_lock(vdev);
	if (!vdev->dev || vif_incoming_possible(vdev->dev))
		return 0;
	return vif_fail(vdev->net, -EOPNOTSUPP,
			"%s: ingress can not be limited while a generic XDP program is attached: it would see packets twice",
			vdev->dev->name);
}

void vif_dev_refresh_frames(struct vif_dev *vdev)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++)
		set_frame(vdev, dir);
	vif_refresh_clocks(vdev->root);
}

bool vif_dev_name(struct vif_dev *vdev, char *name)
{
	bool there;

	mutex_lock(&vdev->net->lock);
	there = vdev->dev;
	if (there)
		strscpy(name, vdev->dev->name, IFNAMSIZ);
	mutex_unlock(&vdev->net->lock);
	return there;
}

struct vif *vif_dev_root(struct vif_net *vn, const char *name, size_t len)
{
	struct vif_dev *vdev;
	struct vif *root = NULL;

	mutex_lock(&vn->lock);
	list_for_each_entry(vdev, &vn->devs, link) {
		if (strncmp(vdev->dev->name, name, len) ||
		    vdev->dev->name[len])
			continue;
		root = vif_get(vdev->root);
		break;
	}
	mutex_unlock(&vn->lock);
	return root;
}

struct vif *vif_dev_root_after(struct vif_net *vn, u64 ino)
{
	struct vif_dev *vdev;
	struct vif *root = NULL;

	mutex_lock(&vn->lock);
	list_for_each_entry(vdev, &vn->devs, link) {
		if (vdev->root->ino > ino) {
			root = vif_get(vdev->root);
			break;
		}
	}
	mutex_unlock(&vn->lock);
	return root;
}

static void destroy(struct vif_dev *vdev)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++)
		vif_port_destroy(&vdev->port[dir]);
	rhashtable_destroy(&vdev->names);
	vif_net_put(vdev->net);
	kfree_rcu(vdev, rcu);
}

void vif_dev_put(struct vif_dev *vdev)
{
	if (refcount_dec_and_test(&vdev->refs))
		destroy(vdev);
}

static struct vif_dev *create(struct vif_net *vn, struct net_device *dev)
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
	vif_stamp_init(&vdev->stamp);
	vif_levels_init(&vdev->levels);
	INIT_WORK(&vdev->takeover, vif_qdisc_takeover);
	refcount_set(&vdev->refs, 1);
	vdev->root = vif_create_root(vdev);
	root = vdev->root;
	for (dir = 0; root && dir < VIF_DIRS; dir++)
		vif_port_init(&vdev->port[dir], directions[dir].port,
			      &root->side[dir]);
	/* from now on it lives by the references of its VIFs */
	vif_dev_put(vdev);
	return root ? vdev : NULL;
}

struct vif_dev *vif_dev_find(struct vif_net *vn, const struct net_device *dev)
{
	struct vif_dev *vdev = xa_load(&vn->dev_by_index, dev->ifindex);

	return vdev && READ_ONCE(vdev->dev) == dev ? vdev : NULL;
}

static struct vif_dev *__find(struct vif_net *vn, const struct net_device *dev)
{
	lockdep_assert_held(&vn->lock);
	return vif_dev_find(vn, dev);
}

struct vif_dev *vif_dev_of(struct net_device *dev)
{
	struct vif_net *vn = vif_net_of(dev_net(dev));
	struct vif_dev *vdev;

	mutex_lock(&vn->lock);
	vdev = __find(vn, dev);
	if (vdev)
		refcount_inc(&vdev->refs);
	mutex_unlock(&vn->lock);
	return vdev;
}

static void registered(struct vif_net *vn, struct net_device *dev)
{
	struct vif_dev *vdev;

	if (__find(vn, dev))
		return;
	vdev = create(vn, dev);
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
	vif_event(vdev->root, VIF_EVENT_NEW);
}

static void went_up(struct vif_dev *vdev)
{
	vdev->up = true;
	if (vdev->used && hook_up(vdev))
		netdev_warn(vdev->dev, "netnice: no hooks: its VIFs have no effect\n");
}

/*
 * Packets still come, and would be lost behind the hooks that count them, or
 * exceed their limit without. The ports drop them until the hooks can go.
 */
static void goes_down(struct vif_dev *vdev)
{
	vdev->up = false;
	if (vdev->hooked)
		close_ports(vdev, false);
}

static void went_down(struct vif_dev *vdev)
{
	vdev->up = false;
	if (!vdev->hooked)
		return;
	unregister_hooks(vdev);
	close_ports(vdev, false);
}

static void unregistered(struct vif_dev *vdev)
{
	went_down(vdev);
	vif_dev_set_incoming(vdev, false);
	/* its hooks may have gone without that: see vif_dev_exit() */
	close_ports(vdev, false);
	vif_event(vdev->root, VIF_EVENT_DEL);
	list_del(&vdev->link);
	xa_erase(&vdev->net->dev_by_index, vdev->dev->ifindex);
	vif_subject_end(VIF_DEVICE, vdev->dev);
	WRITE_ONCE(vdev->dev, NULL);
	/* who attaches something meanwhile holds the tree mutex */
	if (atomic_read(&vdev->in_sets))
		vif_subject_forget_gone();
	vif_leave_tree(vdev->root);
}

static void event(struct vif_dev *vdev, unsigned long what)
{
	switch (what) {
	case NETDEV_UP:
		went_up(vdev);
		break;
	case NETDEV_GOING_DOWN:
		goes_down(vdev);
		break;
	case NETDEV_DOWN:
		went_down(vdev);
		break;
	case NETDEV_CHANGENAME:
		vif_event(vdev->root, VIF_EVENT_MOVE);
		break;
	case NETDEV_CHANGEMTU:
		vif_dev_refresh_frames(vdev);
		break;
	case NETDEV_UNREGISTER:
		unregistered(vdev);
		break;
	}
}

static int notify(struct notifier_block *nb, unsigned long what, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct vif_net *vn = vif_net_of(dev_net(dev));
	struct vif_dev *vdev;

	mutex_lock(&vn->lock);
	if (what == NETDEV_REGISTER)
		registered(vn, dev);
	vdev = __find(vn, dev);
	if (vdev)
		event(vdev, what);
	mutex_unlock(&vn->lock);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = notify,
};

/* The notifier is told of all devices that are there. */
int vif_dev_init(void)
{
	return register_netdevice_notifier(&notifier);
}

static void for_each_dev(void (*fn)(struct vif_dev *vdev))
{
	struct vif_dev *vdev;
	struct vif_net *vn;
	struct net *net;

	down_read(&net_rwsem);
	for_each_net(net) {
		vn = vif_net_of(net);
		mutex_lock(&vn->lock);
		list_for_each_entry(vdev, &vn->devs, link)
			fn(vdev);
		mutex_unlock(&vn->lock);
	}
	up_read(&net_rwsem);
}

/* What waits is sent, as the device stays. */
static void send_waiting(struct vif_dev *vdev)
{
	close_ports(vdev, true);
}

static void leave(struct vif_dev *vdev)
{
	vif_dev_set_incoming(vdev, false);
	unregister_hooks(vdev);
}

/* The notifier is told of the end of all devices, too; for us that is the module's. */
void vif_dev_exit(void)
{
	WRITE_ONCE(leaving, true);
	for_each_dev(leave);
	synchronize_net();
	for_each_dev(send_waiting);
	unregister_netdevice_notifier(&notifier);
}
