/* SPDX-License-Identifier: GPL-2.0 */
/* Trees: each device has a tree of VIFs. */
#ifndef NETNICE_VIF_TREE_H
#define NETNICE_VIF_TREE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/lockdep.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <linux/netnice.h>
#include "../grammar/params.h"
#include "../queue/shaper.h"
#include "../queue/side.h"
#include "level.h"
#include "net.h"

struct vif;
struct vif_account;
struct vif_dev;
struct vif_program;
struct vif_stack;

/**
 * struct vif_dev_ops - the hooks of a device
 * @up: registers them, and opens the shapers; 0 or the kernel's error
 * @down: removes them, and closes the shapers; queued packets are sent
 * @set_incoming: registers or removes the hook of an attached device
 * @leave: a VIF leaves the tree: its user-level stack ends
 *
 * Context: process; tree mutex held.
 */
struct vif_dev_ops {
	int (*up)(struct vif_dev *vdev);
	void (*down)(struct vif_dev *vdev);
	int (*set_incoming)(struct vif_dev *vdev, bool incoming);
	void (*leave)(struct vif *vif);
};

/**
 * struct vif_dev - the tree of one device
 * @net: state of the namespace (referenced)
 * @dev: the device. Changed under the tree mutex, NULL after it has gone;
 *	packet context may use it while a hook or a shaper's drain runs.
 * @hooks: functions that register its hooks
 * @root: the root VIF
 * @genid: counts changes, see net.h
 * @in_sets: attachments to VIFs of the tree; a shared set counts once
 * @levels: levels of the control groups that are attached to these VIFs
 * @names: VIFs below the root, by parent and name; tree mutex
 * @shaper: the two directions
 * @ops: the hooks, @hooked or not
 * @link: in @net->devs; tree mutex
 * @used: VIFs below the root, attachments to the root, settings of the root
 *	that are not the default, and the qdisc; hooks are there while it is positive;
 *	tree mutex
 * @unused_since: when @used became zero, in jiffies; tree mutex
 * @hooked: the hooks are registered; changed under the tree mutex
 * @up: the device is up; tree mutex
 * @attached: objects are, or were shortly before, attached to the root VIF; counts as one use; tree
 *	mutex
 * @incoming: the device is itself attached, and @incoming_ops registered; tree mutex
 * @incoming_ops: vif_incoming_hook()
 * @limited: received packets are, or were, limited: windows.h; tree mutex
 * @shared: number of devices directly above it that are shared themselves, or are in another
 *	namespace, whose root chooses the device numbers of forwarded packets; written under RTNL
 * @takeover: vif_qdisc_takeover()
 * @refs: holders: each VIF, the qdisc, @takeover
 */
struct vif_dev {
	struct vif_net *net;
	struct net_device *dev;
	const struct vif_dev_ops *hooks;
	struct vif *root;
	atomic64_t genid;
	atomic_t in_sets;
	struct vif_levels levels;
	struct rhashtable names;
	struct vif_shaper shaper[VIF_DIRS];
	struct nf_hook_ops ops[VIF_DIRS];
	struct list_head link;
	unsigned int used;
	unsigned long unused_since;
	bool hooked;
	bool up;
	bool attached;
	bool incoming;
	bool limited;
	unsigned int shared;
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

/* Are the hooks registered? Then their data exists for other callers too. Context: any. */
static inline bool vif_dev_is_hooked(const struct vif_dev *vdev)
{
	return smp_load_acquire(&vdev->hooked);
}

/**
 * struct vif_name - a VIF's name, by which it is found
 * @node: in its device's table
 * @vif: its VIF
 * @parent: the parent in which it is the name
 * @rcu: the table may be read while it grows
 * @text: the name, terminated
 *
 * Never changes: a VIF that is renamed or moved gets another one, for which all
 * memory is allocated before the old one is removed.
 */
struct vif_name {
	struct rhash_head node;
	struct vif *vif;
	const struct vif *parent;
	struct rcu_head rcu;
	char text[];
};

/**
 * struct vif_inner - state of a VIF with children
 * @fair: scheduler of the children, for each direction
 * @promised: sum of the children's minima, bytes per second; tree mutex
 * @with_levels: how many children, including removed ones, take up one level, two, and so
 *	on; tree mutex
 * @of_class: children with a class, by class minus 1; written under the tree mutex
 */
struct vif_inner {
	struct vsched_fair fair[VIF_DIRS];
	u64 promised[VIF_DIRS];
	u32 with_levels[NETNICE_DEPTH_MAX];
	struct vif __rcu *of_class[VIF_DIRS][VIF_CLASS_MAX];
};

/**
 * struct vif_owner - owner and mode of a VIF's directory
 * @uid: user
 * @gid: group
 * @mode: permission bits
 */
struct vif_owner {
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
};

/**
 * struct vif_program_stat - counters of a VIF's programs, on a CPU
 * @runs: runs
 * @misses: runs that returned a class that no VIF directly below has, or that took too long
 * @drops: packets that they have dropped
 */
struct vif_program_stat {
	u64 runs;
	u64 misses;
	u64 drops;
};

/**
 * struct vif_programs - programs of a VIF (program.h), created with the first one
 * @now: in each direction, or NULL; written under the tree mutex
 * @trail: not 0 if @now has been removed and packets may still be queued in the VIFs below that it
 *	has chosen: the grace period after which no further packet gets there (RCU's number)
 * @stat: their counters
 */
struct vif_programs {
	struct vif_program __rcu *now[VIF_DIRS];
	unsigned long trail[VIF_DIRS];
	struct vif_program_stat __percpu *stat;
};

/* Values that may be written to packets. */
enum vif_marks {
	VIF_MARK_DSCP,
	VIF_MARK_MARK,
	VIF_MARK_PRIORITY,
	VIF_MARKS
};

/**
 * struct vif - a virtual network interface
 * @dev: its device's tree (referenced)
 * @parent: the VIF above, NULL in the root VIF (referenced); changed under the tree
 *	mutex, readers in RCU may find it before or after
 * @side: the two directions
 * @inner: see struct vif_inner; NULL until there is a VIF below; written under the tree mutex
 * @children: VIFs in the tree below this one, by @ino; tree mutex
 * @name: below the root; the device has the root VIF's name; changed under the tree
 *	mutex, readers in RCU may find it before or after
 * @refs: holders: the tree (while !@dead), attachments, VIFs below, queued packets, and callers of
 *	vif_get(). The VIF ends with the last one.
 * @weak_refs: holders: the VIF until it has ended, and callers of vif_get_weak(). The last one
 *	frees the memory.
 * @attached: number of attachments, without those of objects that have ended
 * @pins: open descriptors, and a stack, that keep an autoremoved VIF; tree mutex
 * @depth: 0 in the root VIF; tree mutex
 * @height: levels below it, with those of removed VIFs that exist; tree mutex
 * @dead: it is no longer in the tree; written under the tree mutex
 * @autoremove: leave the tree with the last attachment; tree mutex
 * @users: vif_set_users()
 * @ino: inode number in the file system
 * @uid: owner, as set by chown, invalid before that: see vif_uid(); tree mutex
 * @gid: group, likewise
 * @mode: permission bits, as chmod set them; tree mutex
 * @owner_changes: counts changes of @uid, @gid and @mode; written under the tree mutex
 * @account: the account charged for it, or NULL
 * @ctime: when it was created
 * @stack: its user-level stack (vif/stack/), or NULL; written under the tree mutex
 * @programs: its programs, NULL until it has one; written under the tree mutex
 * @mark: values that are written to sent packets (mark.h): the lower half has the bits, the upper
 *	half the mask; written under the tree mutex
 * @ports: of @attached, sockets of its ports; tree mutex
 * @removal: in struct vif_net.removals, after the last attachment or reference is gone
 * @flags: VIF_LEAVES: it is in that list because its last attachment is gone
 * @rcu: readers in packet context outlive the last reference
 */
struct vif {
	struct vif_dev *dev;
	struct vif *parent;
	struct vif_side side[VIF_DIRS];
	struct vif_inner *inner;
	struct xarray children;
	struct vif_name *name;
	refcount_t refs;
	refcount_t weak_refs;
	atomic_t attached;
	unsigned int pins;
	unsigned int depth;
	unsigned int height;
	bool dead;
	bool autoremove;
	bool users;
	int ports;
	u64 ino;
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
	u32 owner_changes;
	struct vif_account *account;
	struct timespec64 ctime;
	struct vif_stack *stack;
	struct vif_programs *programs;
	atomic64_t mark[VIF_MARKS];
	struct llist_node removal;
	unsigned long flags;
	struct rcu_head rcu;
};

/* In struct vif.flags. */
#define VIF_LEAVES	0

static inline struct vif *vif_get(struct vif *vif)
{
	refcount_inc(&vif->refs);
	return vif;
}

/**
 * vif_get_weak() - keep the memory of a VIF, and not the VIF
 * @vif: the VIF; the caller has a reference
 *
 * The holder of a weak reference may call vif_get_again() to find out if the VIF still exists.
 * Without this it may, under rcu_read_lock(), read fields that last until then, while the VIF is
 * not @dead.
 * Return: @vif.
 */
static inline struct vif *vif_get_weak(struct vif *vif)
{
	refcount_inc(&vif->weak_refs);
	return vif;
}

/**
 * vif_get_again() - make a reference of a weak one, which stays
 * @vif: the VIF
 *
 * Context: any.
 * Return: whether there is still a VIF, in the tree or not, which has one more reference
 *	then.
 */
static inline bool vif_get_again(struct vif *vif)
{
	return refcount_inc_not_zero(&vif->refs);
}

/* The VIF of which this is one direction. */
static inline struct vif *vif_of_side(const struct vif_side *side)
{
	return container_of(side - side->dir, struct vif, side[0]);
}

/**
 * vif_net_of_vif() - the namespace state a VIF belongs to
 * @vif: the VIF
 *
 * Return: lives as long as @vif.
 */
static inline struct vif_net *vif_net_of_vif(const struct vif *vif)
{
	return vif->dev->net;
}

/* The tree mutex of the namespace a VIF belongs to. */
static inline struct mutex *vif_tree_lock(const struct vif *vif)
{
	return &vif->dev->net->lock;
}

static inline void vif_assert_tree_lock(const struct vif *vif)
{
	lockdep_assert_held(vif_tree_lock(vif));
}

#endif
