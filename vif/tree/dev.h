/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree of a network device: count its uses, so that its hooks are registered while there are
 * any, and find it.
 */
#ifndef NETNICE_VIF_DEV_H
#define NETNICE_VIF_DEV_H

#include <linux/netdevice.h>

#include "tree.h"

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
 * Context: caller holds rcu_read_lock() or the tree mutex.
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
 * vif_dev_use() - begin a use of the tree, and register its hooks
 * @vdev: the tree
 *
 * Each successful call is undone by a call of vif_dev_unuse().
 * Context: caller holds the tree mutex.
 * Return: 0, -ENODEV the device is gone, -EOPNOTSUPP, or the error of registering the hooks;
 *	last_error is set.
 */
int vif_dev_use(struct vif_dev *vdev);

/*
 * Have the hooks, if the device is up. Caller holds the tree mutex. 0, or an error; sets
 * last_error.
 */
int __vif_dev_hook_up(struct vif_dev *vdev);

/**
 * vif_dev_unuse() - end a use; about a second after the last one, the hooks are removed
 * @vdev: the tree
 *
 * Context: caller holds the tree mutex.
 */
void vif_dev_unuse(struct vif_dev *vdev);

/**
 * vif_dev_set_attached() - begin or end the use of the tree for attachments to the root VIF
 * @vdev: the tree
 * @attached: begin or end
 *
 * Context: caller holds the tree mutex.
 * Return: as vif_dev_use(), 0 if @attached is false.
 */
int vif_dev_set_attached(struct vif_dev *vdev, bool attached);

/**
 * vif_dev_set_incoming() - register or remove the hook of an attached incoming device
 * @vdev: its own tree
 * @incoming: register, or remove
 *
 * Context: caller holds the tree mutex.
 * Return: 0, or an error of registering the hook; 0 if @incoming is false.
 */
int vif_dev_set_incoming(struct vif_dev *vdev, bool incoming);

/* May ingress be limited? Caller holds the tree mutex. -EOPNOTSUPP sets last_error. */
int vif_dev_check_ingress(struct vif_dev *vdev);

/**
 * vif_dev_for_each() - call a function for the trees of all devices of all namespaces
 * @fn: is called under the tree mutex
 *
 * Trees whose device or namespace is leaving are not visited.
 * Context: process; takes net_rwsem and the tree mutexes, one after the other.
 */
void vif_dev_for_each(void (*fn)(struct vif_dev *vdev));

/* Runs struct vif_net.linger: removes the hooks of unused trees. */
void vif_dev_linger(struct work_struct *work);

/* Bytes that a full frame costs. Caller holds the tree mutex. */
unsigned int vif_dev_frame_bytes(const struct vif_dev *vdev, enum vif_dir dir);

/* Tell a shaper of that. Caller holds the tree mutex. */
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
