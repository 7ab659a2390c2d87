// SPDX-License-Identifier: GPL-2.0
#include "cgroup.h"

#include <linux/cgroup.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/sock.h>

#include "../compat/fs.h"
#include "../tree/dev.h"

DEFINE_STATIC_KEY_FALSE(vif_cgroup_some);

void vif_cgroup_attaching(void)
{
	if (!static_key_enabled(&vif_cgroup_some))
		static_branch_enable(&vif_cgroup_some);
}

struct cgroup *vif_cgroup_of_sock(struct sock *sk)
{
	return vif_cgroup_any() ? sock_cgroup_ptr(&sk->sk_cgrp_data) : NULL;
}

struct cgroup *vif_cgroup_of_task(struct task_struct *task)
{
	return vif_cgroup_any() ? task_dfl_cgroup(task) : NULL;
}

struct cgroup *vif_cgroup_of_current(void)
{
	return vif_cgroup_any() ? task_dfl_cgroup(current) : NULL;
}

struct vif *vif_cgroup_vif(struct cgroup *cgroup, const struct vif_dev *vdev)
{
	const struct vif_level *at = vdev->levels.at;
	const struct vif_level *end = at + READ_ONCE(vdev->levels.used);
	struct vif *vif[VIF_ORIGINS], *found = NULL;
	int level, nearest = VIF_LEVEL_NONE;
	struct cgroup *above;

	for (; cgroup && at < end; at++) {
		level = READ_ONCE(at->level);
		above = level > nearest ? cgroup_ancestor(cgroup, level) : NULL;
		if (!above)
			continue;
		vif_subject_vifs(vif_subject_find(above->kn), vdev, vif);
		if (vif[VIF_BY_ADMIN]) {
			found = vif[VIF_BY_ADMIN];
			nearest = level;
		}
	}
	return found;
}

bool vif_cgroup_is_attached(struct cgroup *cgroup, const struct vif_net *vn)
{
	const struct vif_subject *subject;
	int level;

	for (level = cgroup ? cgroup->level : -1; level >= 0; level--) {
		subject = vif_subject_find(cgroup_ancestor(cgroup, level)->kn);
		if (subject && vif_set_count(rcu_dereference(subject->set), vn))
			return true;
	}
	return false;
}

/*
 * The flag is set before the event that retires the entry. The event that ends the entry comes
 * after the last reference to the group is gone, before its memory is freed.
 */
static void *vif_cgroup_find_node(const struct vif_subject_id *id)
{
	struct cgroup *cgroup = id->ptr;

	return READ_ONCE(cgroup->self.flags) & CSS_ONLINE ? cgroup->kn : NULL;
}

int vif_cgroup_id(struct cgroup *cgroup, struct vif_subject_id *id)
{
	*id = (struct vif_subject_id) {
		.kind = VIF_CGROUP,
		.find = vif_cgroup_find_node,
		.ptr = cgroup,
		.number = cgroup_id(cgroup),
		.level = cgroup->level,
	};
	return vif_cgroup_find_node(id) ? 0 : -ESRCH;
}

struct cgroup *vif_cgroup_of_node(struct kernfs_node *node)
{
	/* NULL after the last reference is gone, and freed an RCU grace period later */
	struct cgroup *cgroup = rcu_dereference(*(void __rcu __force **)&node->priv);

	return vif_cgroup_tryget(cgroup);
}

struct cgroup *vif_cgroup_top(void)
{
	struct cgroup *top = current->nsproxy->cgroup_ns->root_cset->dfl_cgrp;

	cgroup_get(top);
	return top;
}

bool vif_cgroup_path(struct cgroup *cgroup, struct cgroup *top, char *buf,
		     size_t size)
{
	int len;

	if (!cgroup_is_descendant(cgroup, top))
		return false;
	len = kernfs_path_from_node(cgroup->kn, top->kn, buf, size);
	return len > 0 && len < size;
}

void vif_cgroup_get(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup_get(cgroup);
}

void vif_cgroup_put(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup_put(cgroup);
}

struct cgroup *vif_cgroup_tryget(struct cgroup *cgroup)
{
	return cgroup && cgroup_tryget(cgroup) ? cgroup : NULL;
}

/*
 * Power over a control group is the kernel's condition for moving processes there: write permission
 * on its file cgroup.procs, and search permission on the path. The lookup uses cgroup2's own super
 * block, by the names in kernfs: a path through the caller's mounts could take a lock that is
 * already held.
 */

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

/* Find the directory of a group, not of a later group with the same path. */
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
