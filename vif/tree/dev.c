// SPDX-License-Identifier: GPL-2.0
#include "dev.h"

#include <linux/if_vlan.h>
#include <linux/rhashtable.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "../compat/hooks.h"
#include "../queue/shaper.h"
#include "net.h"

/*
 * The time for which hooks stay after the last use. Otherwise VIFs that are created and removed
 * often would make all users of RTNL wait for all CPUs, again and again.
 */
#define LINGER	HZ

/* The number of devices whose hooks are removed each time the tree mutex is taken. */
#define LINGER_BATCH	16

/* The longest packet of IP, and lo's MTU. */
#define MTU_MOST	65536U

static void vif_dev_assert_tree_lock(const struct vif_dev *vdev)
{
	lockdep_assert_held(&vdev->net->lock);
}

/* Some devices take any MTU, 0 included. */
static unsigned int vif_dev_frame_len(const struct vif_dev *vdev)
{
	if (!vdev->dev)
		return ETH_FRAME_LEN;
	return clamp(READ_ONCE(vdev->dev->mtu), (unsigned int)ETH_MIN_MTU, MTU_MOST) +
	       vdev->dev->hard_header_len;
}

unsigned int vif_dev_frame_bytes(const struct vif_dev *vdev, enum vif_dir dir)
{
	vif_dev_assert_tree_lock(vdev);
	return min(VIF_FRAME_MOST,
		   vif_link_layer_bytes(&vdev->shaper[dir].layer, vif_dev_frame_len(vdev),
					vdev->dev ? vdev->dev->hard_header_len : ETH_HLEN));
}

void vif_dev_set_frame(struct vif_dev *vdev, enum vif_dir dir)
{
	vif_shaper_set_frame(&vdev->shaper[dir], vif_dev_frame_len(vdev),
			     vif_dev_frame_bytes(vdev, dir));
}

/*
 * Shapers of trees that have not been used for a while. A packet in a hook then has no VIF and no
 * limit, and passes a closed shaper.
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
		vdev->hooks->down(vdev);
		gone++;
	}
	if (more)
		queue_delayed_work(vif_wq, &vn->linger, gone == LINGER_BATCH ? 0 : LINGER / 8);
	mutex_unlock(&vn->lock);
}

int __vif_dev_hook_up(struct vif_dev *vdev)
{
	int err;

	vif_dev_assert_tree_lock(vdev);
	if (vdev->hooked || !vdev->up)
		return 0;
	err = vdev->hooks->up(vdev);
	if (err && err != -ENOMEM)
		vif_fail(vdev->net, err,
			 "%s: the kernel refuses its hooks (error %d)",
			 vdev->dev->name, -err);
	return err;
}

int vif_dev_use(struct vif_dev *vdev)
{
	int err;

	vif_dev_assert_tree_lock(vdev);
	if (!vdev->dev)
		return vif_fail(vdev->net, -ENODEV,
				"the network device has been removed");
	if (!VIF_HOOKS_POSSIBLE)
		return vif_fail(vdev->net, -EOPNOTSUPP,
				"%s: this kernel has no hooks for packets: a kernel with " VIF_HOOKS_OPTIONS " is needed",
				vdev->dev->name);
	err = __vif_dev_hook_up(vdev);
	if (!err)
		vdev->used++;
	return err;
}

void vif_dev_unuse(struct vif_dev *vdev)
{
	vif_dev_assert_tree_lock(vdev);
	if (--vdev->used)
		return;
	vdev->unused_since = jiffies;
	if (vdev->hooked)
		queue_delayed_work(vif_wq, &vdev->net->linger, LINGER);
}

int vif_dev_set_attached(struct vif_dev *vdev, bool attached)
{
	int err = 0;

	vif_dev_assert_tree_lock(vdev);
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

int vif_dev_set_incoming(struct vif_dev *vdev, bool incoming)
{
	int err;

	vif_dev_assert_tree_lock(vdev);
	if (incoming == vdev->incoming || !vdev->dev)
		return 0;
	err = vdev->hooks->set_incoming(vdev, incoming);
	if (!err)
		vdev->incoming = incoming;
	return err;
}

int vif_dev_check_ingress(struct vif_dev *vdev)
{
	vif_dev_assert_tree_lock(vdev);
	if (!vdev->dev || vif_dev_can_go_on(vdev->dev))
		return 0;
	return vif_fail(vdev->net, -EOPNOTSUPP,
			"%s: ingress cannot be limited while a generic XDP program is attached: it would see packets twice",
			vdev->dev->name);
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

void vif_dev_for_each(void (*fn)(struct vif_dev *vdev))
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

static void vif_dev_destroy(struct vif_dev *vdev)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++)
		vif_shaper_destroy(&vdev->shaper[dir]);
	rhashtable_destroy(&vdev->names);
	vif_net_put(vdev->net);
	kfree_rcu(vdev, rcu);
}

void vif_dev_put(struct vif_dev *vdev)
{
	if (refcount_dec_and_test(&vdev->refs))
		vif_dev_destroy(vdev);
}

struct vif_dev *vif_dev_find(struct vif_net *vn, const struct net_device *dev)
{
	struct vif_dev *vdev = xa_load(&vn->dev_by_index, dev->ifindex);

	return vdev && READ_ONCE(vdev->dev) == dev ? vdev : NULL;
}

struct vif_dev *vif_dev_of(struct net_device *dev)
{
	struct vif_net *vn = vif_net_of(dev_net(dev));
	struct vif_dev *vdev;

	mutex_lock(&vn->lock);
	vdev = vif_dev_find(vn, dev);
	if (vdev)
		refcount_inc(&vdev->refs);
	mutex_unlock(&vn->lock);
	return vdev;
}
