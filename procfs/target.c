// SPDX-License-Identifier: GPL-2.0
/*
 * Directories of objects that can be attached: /tasks/PID and those of its threads and sockets,
 * control groups, devices. Each lists the links that are its attachments (link.c); some have
 * further entries. Creating a link attaches the object, removing the link detaches it. The
 * permissions for this are checked here.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/attach/cgroup.h"
#include "../vif/attach/target.h"
#include "../vif/tree/access.h"
#include "../vif/tree/dev.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/vif.h"
#include "internal.h"

/* The VIF that a link's text means; a relative one starts at its directory. */
static struct vif *nnfs_target_find_vif(struct dentry *dir, const char *text)
{
	static const char top[] = NETNICE_MOUNT_POINT;
	const size_t len = sizeof(top) - 1;
	char *buf = kmalloc(PATH_MAX + len, GFP_KERNEL);
	struct vif *vif;
	char *base;

	if (!buf)
		return ERR_PTR(-ENOMEM);
	base = dentry_path_raw(dir, buf + len, PATH_MAX);
	if (IS_ERR(base)) {
		kfree(buf);
		return ERR_CAST(base);
	}
	base -= len;
	memcpy(base, top, len);
	vif = nnfs_path_vif(nnfs_net(d_inode(dir)), base, text);
	kfree(buf);
	return vif;
}

static int nnfs_target_may_attach_cgroup(struct inode *dir)
{
	int err = vif_cgroup_access(nnfs_i(dir)->target.cgroup);

	switch (err) {
	case 0:
		return 0;
	case -ENOENT:
		return vif_fail(nnfs_net(dir), -ESRCH,
				"the control group has been removed");
	case -EACCES:
	case -EPERM:
	case -EROFS:
		return vif_fail(nnfs_net(dir), -EPERM,
				"attaching a control group requires write permission on its file cgroup.procs, as moving a process there does");
	default:
		return vif_fail(nnfs_net(dir), err,
				"the control group's file cgroup.procs cannot be looked up (error %d)",
				-err);
	}
}

/*
 * The caller has power over the target's process, because the lookup entered its directory. The
 * caller may also search the directories above the VIF, because the lookup found it.
 */
static int nnfs_target_may_attach(struct inode *dir, struct vif *vif)
{
	const struct vif_target *target = &nnfs_i(dir)->target;

	if (!vif_access(vif, MAY_WRITE | MAY_EXEC))
		return nnfs_deny(vif, NULL, -EACCES, "attach to it");
	if (target->kind == VIF_THREAD && !vif_access_task(target->pid))
		return vif_fail(nnfs_net(dir), -EPERM,
				"the thread is another user's, or may not be traced");
	if (target->kind == VIF_CGROUP)
		return nnfs_target_may_attach_cgroup(dir);
	return 0;
}

static int nnfs_target_attach(struct inode *dir, struct dentry *dentry, struct vif *vif)
{
	struct inode *inode;
	int err;

	err = nnfs_target_may_attach(dir, vif);
	if (err)
		return err;
	inode = nnfs_link_inode(dir, vif);
	if (IS_ERR(inode))
		return PTR_ERR(inode);
	err = vif_target_attach(vif, &nnfs_i(dir)->target);
	if (err) {
		iput(inode);
		return err;
	}
	if (!nnfs_has_device_name(vif, &dentry->d_name))
		nnfs_alias_add(&nnfs_super(dir->i_sb)->aliases, dir->i_ino,
			       &dentry->d_name, vif->dev->root->ino);
	d_instantiate(dentry, inode);
	return 0;
}

static int nnfs_target_symlink(struct nnfs_idmap *idmap, struct inode *dir,
			       struct dentry *dentry, const char *text)
{
	struct vif *vif = nnfs_target_find_vif(dentry->d_parent, text);
	int err;

	if (IS_ERR(vif))
		return PTR_ERR(vif);
	err = nnfs_target_attach(dir, dentry, vif);
	vif_put(vif);
	return err;
}

/* Only links can be removed: other files belong to the target, and always exist. */
static int nnfs_target_unlink(struct inode *dir, struct dentry *dentry)
{
	struct vif *vif;
	int err;

	if (!d_is_symlink(dentry))
		return vif_fail(nnfs_net(dir), -EPERM, "'%pd' is always there",
				dentry);
	vif = nnfs_vif_get_or_fail(d_inode(dentry));
	if (IS_ERR(vif))
		return PTR_ERR(vif);
	err = vif_target_detach(vif, &nnfs_i(dir)->target);
	vif_put(vif);
	return err;
}

/*
 * The second half of "ln -sf": the link has been made, and the target been
 * attached, under a temporary name. Any other rename would
 * suggest that the name is kept.
 */
int nnfs_target_rename(struct nnfs_idmap *idmap, struct inode *old_dir,
		       struct dentry *old_dentry, struct inode *new_dir,
		       struct dentry *new_dentry, unsigned int flags)
{
	struct nnfs_aliases *aliases = &nnfs_super(old_dir->i_sb)->aliases;
	const struct qstr *name = &old_dentry->d_name;
	u64 ino = old_dir->i_ino;

	if (old_dir != new_dir || flags & ~RENAME_NOREPLACE ||
	    !nnfs_alias_find(aliases, ino, name))
		return vif_fail(nnfs_net(old_dir), -EPERM,
				"%pd2: a link cannot be renamed: its name is the device's",
				old_dentry);
	nnfs_alias_forget(aliases, ino, name);
	return 0;
}

static int nnfs_target_need_power(struct inode *inode)
{
	struct vif_net *net = nnfs_net(inode);
	struct dentry *dentry;
	char *buf, *path;
	int err;

	if (vif_access_admin(net))
		return 0;
	dentry = d_find_any_alias(inode);
	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	path = dentry && buf ? dentry_path_raw(dentry, buf, PATH_MAX) : NULL;
	err = vif_fail(net, -EPERM,
		       "%s: attaching and detaching require CAP_NET_ADMIN over the network namespace",
		       IS_ERR_OR_NULL(path) ? "" : path + 1);
	kfree(buf);
	dput(dentry);
	return err;
}

/*
 * The mode does not decide: the caller needs power over the process. Control groups and devices
 * have no owner, so they take power over the network namespace.
 */
static int nnfs_target_permission(struct nnfs_idmap *idmap, struct inode *inode,
				  int mask)
{
	if (nnfs_i(inode)->pid)
		return nnfs_task_permission(idmap, inode, mask);
	if (!(mask & MAY_WRITE))
		return 0;
	if (mask & MAY_NOT_BLOCK)
		return -ECHILD;
	return nnfs_target_need_power(inode);
}

const struct inode_operations nnfs_target_iops = {
	.lookup		= nnfs_dir_lookup,
	.symlink	= nnfs_target_symlink,
	.unlink		= nnfs_target_unlink,
	.rename		= nnfs_target_rename,
	.permission	= nnfs_target_permission,
	.getattr	= nnfs_task_getattr,
	.setattr	= nnfs_setattr_fixed,
};

bool nnfs_target_alive(const struct inode *inode, const struct qstr *name)
{
	return vif_target_alive(nnfs_net(inode), &nnfs_i(inode)->target);
}
