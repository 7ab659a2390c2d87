/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The virtual network interface (VIF): a node of a device's tree.
 *
 * A VIF is reached by its name as long as it is in the tree. Removing it
 * (rmdir, autoremove, the device's end) takes the name away; the object,
 * and with it the limit, stays until nothing sends through it any more:
 * sockets of exited processes, packets that wait, removed VIFs below it.
 */
#ifndef NETNICE_VIF_VIF_H
#define NETNICE_VIF_VIF_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <linux/netnice.h>
#include "side.h"

struct vif_account;
struct vif_dev;
struct vif_net;

struct workqueue_struct;

/* Runs the second halves of what happens in packet context and probes. */
extern struct workqueue_struct *vif_wq;

/* "egress", "ingress" */
extern const char *const vif_dir_name[VIF_DIRS];

/**
 * struct vif_name - a VIF's name, by which it is found
 * @node: in its device's table
 * @vif: whose it is
 * @parent: where it is the name
 * @rcu: the table may be looked at while it grows
 * @text: the name, terminated
 *
 * Never changes: a VIF that is renamed or moved gets another one, for which all
 * memory is had before the old one goes.
 */
struct vif_name {
	struct rhash_head node;
	struct vif *vif;
	const struct vif *parent;
	struct rcu_head rcu;
	char text[];
};

/**
 * struct vif_inner - what a VIF needs to have others below it
 * @fair: what they share, one for each direction
 * @promised: sum of the minima of those in the tree, bytes per second; tree mutex
 * @with_levels: how many of them, removed ones included, take up one level, two, and so
 *	on, with what is below them; tree mutex
 */
struct vif_inner {
	struct vsched_fair fair[VIF_DIRS];
	u64 promised[VIF_DIRS];
	u32 with_levels[NETNICE_DEPTH_MAX];
};

/**
 * struct vif_owner - who owns a VIF's directory
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
 * struct vif - a virtual network interface
 * @dev: its device's tree (referenced)
 * @parent: the VIF above, NULL in the root VIF (referenced); changed under the tree
 *	mutex, readers in RCU may find it before or after
 * @side: the two directions
 * @inner: see there; NULL as long as there never was a VIF below; tree mutex
 * @children: VIFs in the tree below this one, by @ino; tree mutex
 * @name: below the root; the device has the root VIF's name; changed under the tree
 *	mutex, readers in RCU may find it before or after
 * @refs: holders: the tree (while !@dead), attachments, VIFs below, packets
 *	that wait, and whoever called vif_get(). With the last one it ends.
 * @weak_refs: holders: the VIF until it has ended, and whoever called vif_get_weak().
 *	The last one frees it.
 * @attached: attachments; of what has ended no more
 * @pins: open descriptors that keep an autoremoved VIF; tree mutex
 * @depth: 0 in the root VIF; tree mutex
 * @height: levels below it, with those of removed VIFs that exist; tree mutex
 * @dead: not in the tree any more; written under the tree mutex
 * @autoremove: leave the tree with the last attachment; tree mutex
 * @users: vif_set_users()
 * @ino: inode number in the file system
 * @uid: owner, as chown set it, invalid as long as it has not: see vif_uid(); tree
 *	mutex
 * @gid: group, ditto
 * @mode: permission bits, as chmod set them; tree mutex
 * @owner_changes: counts changes of @uid, @gid and @mode; written under the tree mutex
 * @account: who pays for it, or NULL
 * @ctime: when it was made
 * @removal: in struct vif_net.removals: has lost its last attachment, or reference
 * @flags: VIF_LEAVES: is in there for its attachments
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
	u64 ino;
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
	u32 owner_changes;
	struct vif_account *account;
	struct timespec64 ctime;
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
 * vif_put() - give a reference back
 * @vif: the VIF, may be NULL
 *
 * Context: any; the end of the object runs in a work item.
 */
void vif_put(struct vif *vif);

/**
 * vif_get_weak() - keep the memory of a VIF, and not the VIF
 * @vif: the VIF; the caller has a reference
 *
 * Who has a weak reference may ask vif_get_again() whether there is still a VIF. Without
 * that he may, inside RCU, look at what lasts until then as long as it is not @dead.
 * Return: @vif.
 */
struct vif *vif_get_weak(struct vif *vif);

/* The end of vif_get_weak(); @vif may be NULL. Context: any. */
void vif_put_weak(struct vif *vif);

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

/* The same by one of its sides, as a port has it: see struct vif_port_ops. */
bool vif_side_get(struct vif_side *side, enum vif_dir dir);
void vif_side_put(struct vif_side *side, enum vif_dir dir);
struct vif_account *vif_side_payer(const struct vif_side *side, enum vif_dir dir);

/**
 * vif_get_by_ino() - find a VIF by its number
 * @ino: which no other one has or had
 *
 * Context: any.
 * Return: the VIF, of any namespace, in the tree or not, referenced, or NULL.
 */
struct vif *vif_get_by_ino(u64 ino);

/**
 * vif_net_of_vif() - the namespace state a VIF belongs to
 * @vif: the VIF
 *
 * Return: lives as long as @vif.
 */
struct vif_net *vif_net_of_vif(const struct vif *vif);

/*
 * Owner and group: those of the user namespace's root unless they have been set. It
 * may get its number only after the device was made. The tree mutex is held.
 */
kuid_t vif_uid(const struct vif *vif);
kgid_t vif_gid(const struct vif *vif);

/* The tree mutex of the namespace a VIF belongs to. */
struct mutex *vif_tree_lock(const struct vif *vif);

/**
 * vif_create() - make a VIF below another one
 * @parent: where
 * @name: its name, not terminated
 * @len: length of @name
 * @owner: of its directory
 *
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: the VIF with a reference for the caller, or an error pointer:
 *	-ENODEV/-ENOENT the device or parent has gone, -EEXIST, -EINVAL a
 *	reserved name, -ENAMETOOLONG, -ELOOP too deep, -EDQUOT the caller has as many
 *	as he may, -ENOMEM, or what registering the hooks said.
 */
struct vif *vif_create(struct vif *parent, const char *name, size_t len,
		       const struct vif_owner *owner);

/**
 * vif_remove() - take a VIF out of the tree
 * @vif: not a root VIF
 *
 * What still uses the VIF without being attached (see the top of this file)
 * stays limited by it.
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: 0, -ENOENT gone already, -EPERM a root VIF, -ENOTEMPTY VIFs
 *	below, -EBUSY processes attached.
 */
int vif_remove(struct vif *vif);

/**
 * vif_move() - rename a VIF, or have it, and all below, drained by another one
 * @vif: not a root VIF
 * @parent: the VIF that is to be above, of the same device
 * @name: its name there, not terminated
 * @len: length of @name
 * @may: asked before anything changes: 0, or why not; tree mutex held. It has set
 *	last_error.
 *
 * What waits goes on to wait, in its order.
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: 0, -ENOENT either has gone, -EINVAL it would be below itself, -EEXIST,
 *	-ENAMETOOLONG, -ELOOP too deep, -ENOMEM, or what @may returned.
 */
int vif_move(struct vif *vif, struct vif *parent, const char *name, size_t len,
	     int (*may)(const struct vif *vif, const struct vif *parent));

/* Is @vif below @top, or @top itself? Tree mutex held, or inside RCU. */
bool vif_is_below(const struct vif *vif, const struct vif *top);

/**
 * vif_lookup_child() - find a VIF by name
 * @parent: the VIF to look in
 * @name: not terminated
 * @len: length of @name
 *
 * Context: process; takes the tree mutex.
 * Return: the VIF, referenced, or NULL.
 */
struct vif *vif_lookup_child(struct vif *parent, const char *name, size_t len);

/**
 * vif_child_after() - walk the VIFs below one in a stable order
 * @parent: the VIF
 * @ino: inode number of the last one seen, 0 for the first
 *
 * VIFs made during the walk are seen, those removed are not.
 * Context: process; takes the tree mutex.
 * Return: the one with the next greater inode number, referenced, or NULL.
 */
struct vif *vif_child_after(struct vif *parent, u64 ino);

/**
 * vif_set_bandwidth() - set the rate of a VIF's own clock
 * @vif: the VIF
 * @dir: direction
 * @bytes_per_s: VSCHED_RATE_MIN..VSCHED_RATE_LIMIT, or VSCHED_RATE_MAX for
 *	no clock
 *
 * Context: process; takes the tree mutex.
 * Return: 0, -ENOENT the VIF has gone, -EOPNOTSUPP the kernel or device
 *	cannot (last_error says why).
 */
int vif_set_bandwidth(struct vif *vif, enum vif_dir dir, u64 bytes_per_s);

/**
 * vif_set_minimum() - set what a VIF gets before its siblings share
 * @vif: the VIF
 * @dir: direction
 * @bytes_per_s: VSCHED_RATE_MIN..VSCHED_RATE_LIMIT, or 0 for none
 *
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: 0, -ENOENT the VIF has gone, -EINVAL it is a root VIF, or has a bandwidth below
 *	that, -ENOSPC the one above has not so much left for sure, or those below are
 *	promised more, -ENOMEM.
 */
int vif_set_minimum(struct vif *vif, enum vif_dir dir, u64 bytes_per_s);

/**
 * __vif_check_minima() - would a VIF's minima fit elsewhere?
 * @vif: the VIF
 * @parent: below which it is not
 *
 * Context: tree mutex held.
 * Return: 0, or -ENOSPC with a sentence in last_error.
 */
int __vif_check_minima(const struct vif *vif, const struct vif *parent);

/* A VIF leaves the tree: nothing is promised to it any more. Tree mutex held. */
void __vif_drop_minima(struct vif *vif);

/* It is promised what it is by another VIF above. Tree mutex held. */
void __vif_move_minima(struct vif *vif, struct vif *from, struct vif *to);

/**
 * vif_set_burst() - set how far a VIF's clock may run ahead after idling
 * @vif: the VIF
 * @dir: direction
 * @burst: bytes (up to 4 GiB) or time (up to 10 s)
 *
 * Context, return: as vif_set_bandwidth().
 */
int vif_set_burst(struct vif *vif, enum vif_dir dir, struct vif_burst burst);

/**
 * vif_set_weight() - set a share among those of the same priority
 * @vif: the VIF
 * @dir: direction
 * @which: whose
 * @weight: 1 to VSCHED_WEIGHT_MAX
 *
 * Context: process; takes the tree mutex.
 * Return: 0, -ENOENT the VIF has gone; for the root VIF also what registering
 *	the hooks said, and -EINVAL, it has no siblings: its own share stays the
 *	default.
 */
int vif_set_weight(struct vif *vif, enum vif_dir dir, enum vif_share which,
		   unsigned int weight);

/**
 * vif_set_priority() - set who is served before others
 * @vif: the VIF
 * @dir: direction
 * @which: whose
 * @priority: 0 is served first; below VSCHED_PRIORITIES
 *
 * Context, return: as vif_set_weight().
 */
int vif_set_priority(struct vif *vif, enum vif_dir dir, enum vif_share which,
		     unsigned int priority);

/**
 * vif_set_autoremove() - have a VIF leave with its last user, or not
 * @vif: not a root VIF
 * @on: whether
 *
 * A VIF that never had an attachment is not removed by this call.
 * Context, return: as vif_set_bandwidth(); -EINVAL for a root VIF.
 */
int vif_set_autoremove(struct vif *vif, bool on);

/**
 * vif_set_users() - a VIF is one that a user may have in another's
 * @vif: the VIF, new
 *
 * It is autoremoved, does not keep others that are, and is of use only to those whose
 * packets go through the VIF above it anyway.
 * Context: process; takes the tree mutex.
 */
void vif_set_users(struct vif *vif);

/* Set who owns a VIF's directory. Tree mutex held. */
void __vif_set_owner(struct vif *vif, const struct vif_owner *owner);

/**
 * vif_pin() - count an open descriptor as a user of an autoremoved VIF
 * @vif: the VIF
 *
 * Context: process; takes the tree mutex.
 */
void vif_pin(struct vif *vif);

/**
 * vif_unpin() - the end of vif_pin(); may take the VIF out of its tree
 * @vif: the VIF
 *
 * Context: process; takes the tree mutex.
 */
void vif_unpin(struct vif *vif);

/**
 * vif_set_limit() - set how much may wait
 * @vif: the VIF
 * @dir: direction
 * @limit: see there
 *
 * Context, return: as vif_set_weight().
 */
int vif_set_limit(struct vif *vif, enum vif_dir dir,
		  struct p_queue_limit limit);

/**
 * vif_set_aqm() - set what is dropped or marked
 * @vif: the VIF
 * @dir: direction
 * @aqm: see there
 *
 * Context, return: as vif_set_weight().
 */
int vif_set_aqm(struct vif *vif, enum vif_dir dir, struct p_queue_aqm aqm);

/**
 * vif_set_link_layer() - set what packets cost on a device's link
 * @vif: the device's root VIF; of others it is none
 * @dir: direction
 * @layer: see there
 *
 * Context, return: as vif_set_weight(); -EINVAL for a VIF below the root.
 */
int vif_set_link_layer(struct vif *vif, enum vif_dir dir,
		       const struct vif_link_layer *layer);

/* What was set last. Tree mutex held. */
struct vif_link_layer __vif_link_layer(const struct vif *vif, enum vif_dir dir);

/**
 * vif_read_stat() - a copy of a VIF's counters
 * @vif: the VIF
 * @dir: direction
 * @stat: where to
 *
 * A packet that passes another CPU right now may have been counted, and its bytes not, or
 * the other way round.
 * Context: process.
 */
void vif_read_stat(struct vif *vif, enum vif_dir dir, struct vif_stat *stat);

/**
 * vif_read_sojourn() - a copy of how long packets have waited
 * @vif: the VIF
 * @dir: direction
 * @bucket: where to, as in struct sojourn; those that did not wait included
 *
 * Context: process.
 * Return: buckets up to the last one that is not 0.
 */
unsigned int vif_read_sojourn(struct vif *vif, enum vif_dir dir,
			      u64 bucket[SOJOURN_BUCKETS]);

/* -ENOENT, with a sentence in last_error, if the VIF has been removed. */
int __vif_check_alive(const struct vif *vif);

/* The VIF of this name below @parent, or NULL. Tree mutex held. */
struct vif *__vif_find_child(struct vif *parent, const char *name, size_t len);

/* The one below @parent with the next greater number than @ino. Tree mutex held. */
struct vif *__vif_child_after(struct vif *parent, u64 ino);

/* The VIF after @vif in a walk of the tree below @root. Tree mutex held. */
struct vif *__vif_walk(const struct vif *root, struct vif *vif);

/* Parameters of a device's table of the names of VIFs. */
extern const struct rhashtable_params vif_names_params;

/**
 * vif_create_root() - make the root VIF of a device
 * @vdev: the device's tree
 *
 * Context: process.
 * Return: the VIF with the tree's reference, or NULL without memory.
 */
struct vif *vif_create_root(struct vif_dev *vdev);

/**
 * vif_leave_tree() - a device goes: take a VIF and all below out of the tree
 * @root: the root VIF
 *
 * Context: tree mutex held.
 */
void vif_leave_tree(struct vif *root);

/**
 * vif_refresh_frames() - a full frame is, or costs, another number of bytes now
 * @root: the root VIF
 *
 * Context: tree mutex held.
 */
void vif_refresh_frames(struct vif *root);

int vif_init(void);

/* Waits for the end of all VIFs; nobody holds one any more. */
void vif_exit(void);

/*
 * Runs struct vif_net.remove: takes autoremoved VIFs out of their trees, and ends those that
 * nobody has any more. Each namespace has a worker of its own, as that waits for its tree
 * mutex.
 */
void vif_remove_listed(struct work_struct *work);

/**
 * vif_detached() - one attachment less; an autoremoved VIF may have to go
 * @vif: the VIF; the caller's reference keeps it
 *
 * Context: any; the removal runs in a work item.
 */
void vif_detached(struct vif *vif);

#endif
