/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The top directory.
 */
#ifndef NETNICE_PROCFS_TOP_H
#define NETNICE_PROCFS_TOP_H

#include <linux/types.h>

struct inode;
struct super_block;

/**
 * nnfs_top_inode() - make the inode of the root
 * @sb: a superblock with its s_fs_info
 *
 * Return: the inode or an error pointer.
 */
struct inode *nnfs_top_inode(struct super_block *sb);

/**
 * nnfs_top_reserved() - whether a device of a name cannot be shown
 * @name: the name, not terminated
 * @len: its length
 */
bool nnfs_top_reserved(const char *name, size_t len);

#endif
