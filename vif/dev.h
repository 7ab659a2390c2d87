/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A network device's tree: its root VIF, one port for each direction, and
 * the hooks, which are there only while the tree is in use, and a second longer.
 */
#ifndef NETNICE_VIF_DEV_H
#define NETNICE_VIF_DEV_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/workqueue.h>

#include "level.h"
#include "port.h"
#include "vif.h"

struct vif_dev;
struct vif_net;

/**
 * struct vif_dev_ops - the hooks of a device
 * @up: registers them, and opens the ports; 0 or what the kernel said
 * @down: takes them away, and closes the ports; what waits is sent
 * @set_incoming: registers, or takes away, that of a device that is attached
 *
 * Context: process; tree mutex held.
 */
struct vif_dev_ops {
	int (*up)(struct vif_dev *vdev);
	void (*down)(struct vif_dev *vdev);
	int (*set_incoming)(struct vif_dev *vdev, bool incoming);
};

/**
 * struct vif_dev - the tree of one device
 * @net: state of the namespace (referenced)
 * @dev: the device. Changed under the tree mutex, NULL after it has gone;
 *	packet context may use it while a hook or a port's drain runs.
 * @hooks: who makes them
 * @root: the root VIF
 * @stamp: counts changes, see stamp.h
 * @in_sets: attachments to it and the VIFs below, a set that is shared counted once
 * @levels: of control groups that are attached to these
 * @names: VIFs below the root, by parent and name; tree mutex
 * @port: the two directions
 * @ops: the hooks, @hooked or not
 * @link: in @net->devs; tree mutex
 * @used: VIFs below the root, attachments to the root, settings of the root
 *	that are not the default, and the qdisc; hooks are there while it is positive;
 *	tree mutex
 * @unused_since: when @used became zero, in jiffies; tree mutex
 * @hooked: the hooks are registered; changed under the tree mutex
 * @up: the device is up; tree mutex
 * @attached: processes are, or were a moment ago, attached to the root VIF;
 *	counts as one use; tree mutex
 * @incoming: it is itself attached somewhere, and @incoming_ops registered; tree mutex
 * @incoming_ops: vif_incoming_hook()
 * @takeover: vif_qdisc_takeover()
 * @refs: holders: @net->devs, each VIF, the qdisc, @takeover
 */
struct vif_dev {
	struct vif_net *net;
	struct net_device *dev;
	const struct vif_dev_ops *hooks;
	struct vif *root;
	atomic64_t stamp;
	atomic_t in_sets;
	struct vif_levels levels;
	struct rhashtable names;
	struct vif_port port[VIF_DIRS];
	struct nf_hook_ops ops[VIF_DIRS];
	struct list_head link;
	unsigned int used;
	unsigned long unused_since;
	bool hooked;
	bool up;
	bool attached;
	bool incoming;
	struct nf_hook_ops incoming_ops;
	struct work_struct takeover;
	refcount_t refs;
	struct rcu_head rcu;
};

/* Has the device been removed? Context: any. */
static inline bool vif_dev_is_gone(const struct vif_dev *vdev)
{
	return !READ_ONCE(vdev->dev);
}

/**
 * vif_dev_can_go_on() - may what a device has received be put back behind its hooks?
 * @dev: the device
 *
 * Not while a generic XDP program sits on it: it would see packets twice.
 */
static inline bool vif_dev_can_go_on(const struct net_device *dev)
{
	return !rcu_access_pointer(dev->xdp_prog);
}

void vif_dev_put(struct vif_dev *vdev);

/**
 * vif_dev_find() - the tree of a device, in packet context
 * @vn: state of its namespace
 * @dev: the device
 *
 * Context: inside RCU, or tree mutex held.
 * Return: valid as long, or NULL.
 */
struct vif_dev *vif_dev_find(struct vif_net *vn, const struct net_device *dev);

/**
 * vif_dev_of() - the tree of a device
 * @dev: the device
 *
 * Context: process; takes the tree mutex.
 * Return: the tree, referenced, or NULL if there was no memory for one.
 */
struct vif_dev *vif_dev_of(struct net_device *dev);

/**
 * vif_dev_use() - the tree is about to be used: see that the hooks are there
 * @vdev: the tree
 *
 * Each successful call is undone by one of vif_dev_unuse().
 * Context: tree mutex held.
 * Return: 0, -ENODEV the device has gone, -EOPNOTSUPP or what registering
 *	the hooks said; last_error is set.
 */
int vif_dev_use(struct vif_dev *vdev);

/* Have the hooks, if the device is up. Tree mutex held. 0, or an error; sets last_error. */
int __vif_dev_hook_up(struct vif_dev *vdev);

/**
 * vif_dev_unuse() - the end of a use; after the last one the hooks go, soon
 * @vdev: the tree
 *
 * Context: tree mutex held.
 */
void vif_dev_unuse(struct vif_dev *vdev);

/**
 * vif_dev_set_attached() - processes are attached to the root VIF, or not
 * @vdev: the tree
 * @attached: which
 *
 * Context: tree mutex held.
 * Return: as vif_dev_use(), 0 if @attached is false.
 */
int vif_dev_set_attached(struct vif_dev *vdev, bool attached);

/**
 * vif_dev_set_incoming() - a device is attached, as one that packets come in by, or not
 * @vdev: its own tree
 * @incoming: which
 *
 * Context: tree mutex held.
 * Return: 0, or what registering the hook said; 0 if @incoming is false.
 */
int vif_dev_set_incoming(struct vif_dev *vdev, bool incoming);

/* May ingress be limited? Tree mutex held. -EOPNOTSUPP sets last_error. */
int vif_dev_check_ingress(struct vif_dev *vdev);

/* Runs struct vif_net.linger: takes away the hooks of trees that nobody uses. */
void vif_dev_linger(struct work_struct *work);

/* Bytes that a full frame costs. Tree mutex held. */
unsigned int vif_dev_frame_bytes(const struct vif_dev *vdev, enum vif_dir dir);

/* Tell a port of that. Tree mutex held. */
void vif_dev_set_frame(struct vif_dev *vdev, enum vif_dir dir);

/**
 * vif_dev_name() - copy the name that the device has now
 * @vdev: the tree
 * @name: IFNAMSIZ bytes
 *
 * Context: process; takes the tree mutex.
 * Return: false if the device has gone.
 */
bool vif_dev_name(struct vif_dev *vdev, char *name);

/**
 * vif_dev_root() - the root VIF of a device, by name
 * @vn: the namespace
 * @name: the device's name, not terminated
 * @len: length of @name
 *
 * Context: process; takes the tree mutex.
 * Return: the VIF, referenced, or NULL.
 */
struct vif *vif_dev_root(struct vif_net *vn, const char *name, size_t len);

/**
 * vif_dev_root_after() - walk the root VIFs of a namespace
 * @vn: the namespace
 * @ino: inode number of the last one seen, 0 for the first
 *
 * Context: process; takes the tree mutex.
 * Return: the one with the next greater inode number, referenced, or NULL.
 */
struct vif *vif_dev_root_after(struct vif_net *vn, u64 ino);

#endif
