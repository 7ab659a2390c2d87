// SPDX-License-Identifier: GPL-2.0
/*
 * Power over a control group is what the kernel asks of whoever moves processes there:
 * write permission on its file cgroup.procs, and search permission on the way. That is
 * looked up in cgroup2's own super block, by the names which kernfs has: a path through
 * the caller's mounts could lead to where a lock is held already.
 */
#include "cgroup_access.h"

#include <linux/cgroup.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../compat/fs.h"

/* There is one at most, whatever is mounted how often. */
static void take(struct super_block *sb, void *arg)
{
	struct super_block **taken = arg;

	if (atomic_inc_not_zero(&sb->s_active))
		*taken = sb;
}

static struct super_block *get_super_block(void)
{
	struct file_system_type *type = get_fs_type("cgroup2");
	struct super_block *sb = NULL;

	if (type) {
		iterate_supers_type(type, take, &sb);
		module_put(type->owner);
	}
	return sb;
}

/* Consumes @dentry. */
static struct dentry *go_to(struct dentry *dentry, const char *name)
{
	struct dentry *next = nnfs_lookup_one(name, dentry);

	dput(dentry);
	return next;
}

/* @path is changed. */
static struct dentry *follow(struct super_block *sb, char *path)
{
	struct dentry *dentry = dget(sb->s_root);
	const char *name;

	while (!IS_ERR(dentry) && (name = strsep(&path, "/")))
		if (*name)
			dentry = go_to(dentry, name);
	return dentry;
}

/* Its own, not that of a later group of its name. */
static struct dentry *find_dir(struct super_block *sb, struct cgroup *cgroup)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);
	struct dentry *dir;
	int len;

	if (!path)
		return ERR_PTR(-ENOMEM);
	len = kernfs_path_from_node(cgroup->kn, NULL, path, PATH_MAX);
	dir = len > 0 && len < PATH_MAX ? follow(sb, path) :
					  ERR_PTR(-ENAMETOOLONG);
	kfree(path);
	if (IS_ERR(dir) || d_inode(dir)->i_ino == cgroup_ino(cgroup))
		return dir;
	dput(dir);
	return ERR_PTR(-ENOENT);
}

int vif_cgroup_access(struct cgroup *cgroup)
{
	struct super_block *sb = get_super_block();
	struct dentry *dentry;
	int err;

	if (!sb)
		return -EPERM;
	dentry = find_dir(sb, cgroup);
	if (!IS_ERR(dentry))
		dentry = go_to(dentry, "cgroup.procs");
	err = PTR_ERR_OR_ZERO(dentry);
	if (!err) {
		err = inode_permission(nnfs_nop_idmap, d_inode(dentry), MAY_WRITE);
		dput(dentry);
	}
	deactivate_super(sb);
	return err;
}
