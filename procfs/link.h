/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links: each is an attachment of what its directory stands for, named after the
 * device and pointing to the VIF. Making one attaches, removing it detaches.
 */
#ifndef NETNICE_PROCFS_LINK_H
#define NETNICE_PROCFS_LINK_H

#include "../vif/compat/fs.h"

struct vif;

/**
 * nnfs_link_find() - find a link by name
 * @dir: directory of a target
 * @name: a device's name, or one that was just given to a link
 *
 * Return: the VIF that it points to, referenced, or NULL.
 */
struct vif *nnfs_link_find(struct inode *dir, const struct qstr *name);

/**
 * nnfs_link_inode() - make the inode of a link
 * @dir: directory of a target
 * @vif: the VIF; takes over the caller's reference
 *
 * Return: the inode or an error pointer.
 */
struct inode *nnfs_link_inode(struct inode *dir, struct vif *vif);

/* Inode number of a link. */
u64 nnfs_link_ino(const struct inode *dir, const struct vif *vif);

/* Operations of the directory. */
int nnfs_link_symlink(struct nnfs_idmap *idmap, struct inode *dir,
		      struct dentry *dentry, const char *text);
int nnfs_link_unlink(struct inode *dir, struct dentry *dentry);
int nnfs_link_rename(struct nnfs_idmap *idmap, struct inode *old_dir,
		     struct dentry *old_dentry, struct inode *new_dir,
		     struct dentry *new_dentry, unsigned int flags);

/* The same of a directory that stands for nothing that could be attached: refused. */
int nnfs_link_refuse(struct nnfs_idmap *idmap, struct inode *dir,
		     struct dentry *dentry, const char *text);

#endif
