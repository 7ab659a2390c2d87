/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Directories of what can be attached: links, and, with some, more below.
 */
#ifndef NETNICE_PROCFS_TARGET_H
#define NETNICE_PROCFS_TARGET_H

#include "inode.h"

/**
 * struct nnfs_target_kind - directories of a kind of targets
 * @base: what they have in common with all inodes; use NNFS_TARGET_KIND
 * @child: makes the inode of what else is below, NULL or an error pointer if it is
 *	not there; may be NULL
 * @emit: lists what else is below, the first at position NNFS_CHILDREN_POS, and
 *	moves on the position, until there is no more or no room; may be NULL
 */
struct nnfs_target_kind {
	struct nnfs_kind base;
	struct inode *(*child)(struct inode *dir, const struct qstr *name);
	void (*emit)(struct inode *dir, struct dir_context *ctx);
};

/* @is_alive: see struct nnfs_kind */
#define NNFS_TARGET_KIND(is_alive) {			\
		.mode	= S_IFDIR | 0755,		\
		.i_op	= &nnfs_target_iops,		\
		.i_fop	= &nnfs_target_fops,		\
		.alive	= (is_alive),			\
	}

/* Attachments come before. */
#define NNFS_CHILDREN_POS	(1 << 20)

extern const struct inode_operations nnfs_target_iops;
extern const struct file_operations nnfs_target_fops;

/* Whether an inode's target is still there. */
bool nnfs_target_alive(const struct inode *inode, const struct qstr *name);

/**
 * nnfs_target_inode() - make the inode of a target's directory
 * @sb: where
 * @kind: what
 * @ino: its number
 * @target: a reference is taken
 *
 * Return: the inode or an error pointer.
 */
struct inode *nnfs_target_inode(struct super_block *sb,
				const struct nnfs_target_kind *kind, u64 ino,
				const struct vif_target *target);

#endif
