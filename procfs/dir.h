/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory of a VIF.
 */
#ifndef NETNICE_PROCFS_DIR_H
#define NETNICE_PROCFS_DIR_H

#include <linux/types.h>

struct inode;
struct super_block;
struct vif;

/**
 * nnfs_dir_inode() - make the inode of a VIF's directory
 * @sb: where
 * @vif: the VIF
 * @parent_ino: number of the VIF above it, 0 for a root VIF
 *
 * Return: the inode or an error pointer.
 */
struct inode *nnfs_dir_inode(struct super_block *sb, struct vif *vif,
			     u64 parent_ino);

/**
 * nnfs_dir_remove() - take the VIF of a directory out of the tree
 * @inode: of the directory
 *
 * Return: as vif_remove().
 */
int nnfs_dir_remove(const struct inode *inode);

#endif
