/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The virtual network interface (VIF): a node of a device's tree.
 *
 * While a VIF is in the tree, it is found by its name. Removing it (rmdir, autoremove, the device's
 * end) takes the name away. The VIF, and with it the limit, exists as long as packets can pass it:
 * from sockets of processes that have exited, queued packets, and removed VIFs below it.
 */
#ifndef NETNICE_VIF_VIF_H
#define NETNICE_VIF_VIF_H

#include <linux/netnice.h>

#include "tree.h"

struct vif;

/* How many levels are below a VIF. */

/**
 * vif_put() - give a reference back
 * @vif: the VIF, may be NULL
 *
 * Context: any; the end of the object runs in a work item.
 */
void vif_put(struct vif *vif);

/* The end of vif_get_weak(); @vif may be NULL. Context: any. */
void vif_put_weak(struct vif *vif);

/* The same by one of its sides, as a shaper has it: see struct vif_shaper_ops. */
bool vif_side_get(struct vif_side *side);

void vif_side_put(struct vif_side *side);

struct vif_account *vif_side_payer(const struct vif_side *side);

/**
 * vif_get_by_ino() - find a VIF by its number
 * @ino: which no other one has or had
 *
 * Context: any.
 * Return: the VIF, of any namespace, in the tree or not, referenced, or NULL.
 */
struct vif *vif_get_by_ino(u64 ino);

/**
 * vif_create() - create a VIF below another one
 * @parent: the VIF above
 * @name: its name, not terminated
 * @len: length of @name
 * @owner: owner of its directory
 *
 * Context: process; takes the tree mutex. Sets last_error if it fails.
 * Return: the VIF with a reference for the caller, or an error pointer:
 *	-ENODEV/-ENOENT the device or parent is gone, -EEXIST, -ENAMETOOLONG, -ELOOP it is too deep,
 *	-EDQUOT the user's limit is reached, -ENOMEM, or the error of registering the hooks.
 */
struct vif *vif_create(struct vif *parent, const char *name, size_t len,
		       const struct vif_owner *owner);

/**
 * vif_remove() - take a VIF out of the tree
 * @vif: not a root VIF
 *
 * Packets that still pass the VIF without an attachment (see the top of this file) stay limited by
 * it.
 * Context: process; takes the tree mutex. Sets last_error if it fails.
 * Return: 0, -ENOENT it is already gone, -EPERM it is a root VIF, -ENOTEMPTY it has VIFs below,
 *	-EBUSY something is attached.
 */
int vif_remove(struct vif *vif);

/**
 * vif_move() - rename a VIF, or move it with all VIFs below it
 * @vif: not a root VIF
 * @parent: the VIF that will be above, of the same device
 * @name: its name there, not terminated
 * @len: length of @name
 * @may: checks permissions before anything changes, with the tree mutex held. It returns 0, or an
 *	error with last_error set.
 *
 * Queued packets stay queued, in their order.
 * Context: process; takes the tree mutex. Sets last_error if it fails.
 * Return: 0, -ENOENT one of both is gone, -EINVAL it would be below itself, -EEXIST (also for its
 *	class), -ENAMETOOLONG, -ELOOP it is too deep, -ENOMEM, or the error of @may.
 */
int vif_move(struct vif *vif, struct vif *parent, const char *name, size_t len,
	     int (*may)(const struct vif *vif, const struct vif *parent));

/**
 * vif_set_users() - mark a VIF that a user has in another user's VIF
 * @vif: the VIF, new
 *
 * It is autoremoved, does not keep other autoremoved VIFs, and is used only for packets that belong
 * to its parent anyway.
 * Context: process; takes the tree mutex.
 */
void vif_set_users(struct vif *vif);

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
 * Context: process; takes the tree mutex, __vif_unpin(): caller holds it.
 */
void vif_unpin(struct vif *vif);

void __vif_unpin(struct vif *vif);

/**
 * vif_read_stat() - a copy of a VIF's counters
 * @vif: the VIF
 * @dir: direction
 * @stat: where to
 *
 * While a packet passes on another CPU, @stat may have the packet without its bytes, or the bytes
 * without the packet.
 * Context: process.
 */
void vif_read_stat(struct vif *vif, enum vif_dir dir, struct vif_stat *stat);

/**
 * vif_read_sojourn() - copy the histogram of queueing delays
 * @vif: the VIF
 * @dir: direction
 * @bucket: destination, as in struct vif_sojourn; including packets without a delay
 *
 * Context: process.
 * Return: buckets up to the last one that is not 0.
 */
unsigned int vif_read_sojourn(struct vif *vif, enum vif_dir dir,
			      u64 bucket[SOJOURN_BUCKETS]);

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
 * Context: caller holds the tree mutex.
 */
void vif_leave_tree(struct vif *root);

/* This includes the states of namespaces. */
int vif_init(void);

/* Wait for the end of all VIFs; no reference is left. */
void vif_exit(void);

/**
 * vif_detached() - one attachment less; an autoremoved VIF may have to go
 * @vif: the VIF; the caller's reference keeps it
 *
 * Context: any; the removal runs in a work item.
 */
void vif_detached(struct vif *vif);

#endif
