// SPDX-License-Identifier: GPL-2.0
/*
 * Power over a control group is the kernel's condition for moving processes there: write permission
 * on its file cgroup.procs, and search permission on the path. The lookup uses cgroup2's own super
 * block, by the names in kernfs: a path through the caller's mounts could take a lock that is
 * already held.
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
static void vif_cgroup_set_super_block(struct super_block *sb, void *arg)
{
	struct super_block **taken = arg;

	if (atomic_inc_not_zero(&sb->s_active))
		*taken = sb;
}

static struct super_block *vif_cgroup_get_super_block(void)
{
	struct file_system_type *type = get_fs_type("cgroup2");
	struct super_block *sb = NULL;

	if (type) {
		iterate_supers_type(type, vif_cgroup_set_super_block, &sb);
		module_put(type->owner);
	}
	return sb;
}

/* Consumes @dentry. */
static struct dentry *vif_cgroup_lookup_child(struct dentry *dentry, const char *name)
{
	struct dentry *next = nnfs_lookup_one(name, dentry);

	dput(dentry);
	return next;
}

/* @path is changed. */
static struct dentry *vif_cgroup_lookup_path(struct super_block *sb, char *path)
{
	struct dentry *dentry = dget(sb->s_root);
	const char *name;

	while (!IS_ERR(dentry) && (name = strsep(&path, "/")))
		if (*name)
			dentry = vif_cgroup_lookup_child(dentry, name);
	return dentry;
}

/* Its own, not that of a later group of its name. */
static struct dentry *vif_cgroup_find_dir(struct super_block *sb, struct cgroup *cgroup)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);
	struct dentry *dir;
	int len;

	if (!path)
		return ERR_PTR(-ENOMEM);
	len = kernfs_path_from_node(cgroup->kn, NULL, path, PATH_MAX);
	dir = len > 0 && len < PATH_MAX ? vif_cgroup_lookup_path(sb, path) :
					  ERR_PTR(-ENAMETOOLONG);
	kfree(path);
	if (IS_ERR(dir) || d_inode(dir)->i_ino == cgroup_ino(cgroup))
		return dir;
	dput(dir);
	return ERR_PTR(-ENOENT);
}

int vif_cgroup_access(struct cgroup *cgroup)
{
	struct super_block *sb = vif_cgroup_get_super_block();
	struct dentry *dentry;
	int err;

	if (!sb)
		return -EPERM;
	dentry = vif_cgroup_find_dir(sb, cgroup);
	if (!IS_ERR(dentry))
		dentry = vif_cgroup_lookup_child(dentry, "cgroup.procs");
	err = PTR_ERR_OR_ZERO(dentry);
	if (!err) {
		err = inode_permission(nnfs_nop_idmap, d_inode(dentry), MAY_WRITE);
		dput(dentry);
	}
	deactivate_super(sb);
	return err;
}
