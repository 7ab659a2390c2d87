/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory /cgroups: the tree of control groups (v2), from the root of the
 * mounter's cgroup namespace on, with their attachments.
 */
#ifndef NETNICE_PROCFS_CGROUPS_H
#define NETNICE_PROCFS_CGROUPS_H

struct cgroup;
struct inode;
struct super_block;

/* Return: the inode or an error pointer. */
struct inode *nnfs_cgroups_inode(struct super_block *sb);

/* The root of the caller's cgroup namespace, referenced. */
struct cgroup *nnfs_cgroups_root(void);

#endif
