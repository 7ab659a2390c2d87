// SPDX-License-Identifier: GPL-2.0
/*
 * Links. A link's inode has its directory's target and the VIF that this is
 * attached to; it is stale as soon as the target is attached to another VIF
 * of the device, or to none. Its text is made when it is read.
 */
#include "link.h"

#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/attach/cgroup.h"
#include "../vif/attach/cgroup_access.h"
#include "../vif/attach/target.h"
#include "../vif/tree/access.h"
#include "../vif/tree/dev.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/vif.h"
#include "alias.h"
#include "inode.h"
#include "path.h"
#include "super.h"

static const struct nnfs_kind link_kind;

/* A device is known by the number of its root VIF, which any VIF below keeps. */
static u64 device_ino(const struct vif *vif)
{
	return vif->dev->root->ino;
}

/* What the target is attached to on a device. */
static struct vif *attached(const struct inode *inode, u64 dev_ino)
{
	return vif_target_vif(nnfs_net(inode), &nnfs_i(inode)->target, dev_ino);
}

struct vif *nnfs_link_find(struct inode *dir, const struct qstr *name)
{
	struct vif *vif = NULL;
	struct vif *root = vif_dev_root(nnfs_net(dir), name->name, name->len);
	u64 dev_ino;

	if (root)
		vif = attached(dir, root->ino);
	vif_put(root);
	if (vif)
		return vif;
	dev_ino = nnfs_alias_find(&nnfs_super(dir->i_sb)->aliases, dir->i_ino,
				  name);
	return dev_ino ? attached(dir, dev_ino) : NULL;
}

static bool alive(const struct inode *inode, const struct qstr *name)
{
	struct nnfs_aliases *aliases = &nnfs_super(inode->i_sb)->aliases;
	const struct nnfs_inode *ni = nnfs_i(inode);
	struct vif *vif = ni->vif, *now;
	bool is;

	if (!vif_get_again(vif))
		return false;
	now = attached(inode, device_ino(vif));
	is = now == vif &&
	     (nnfs_has_device_name(vif, name) ||
	      nnfs_alias_find(aliases, ni->dir_ino, name) == device_ino(vif));
	vif_put(now);
	vif_put(vif);
	return is;
}

/* As many "../" as there are directories above a link's. */
static void write_way_up(const struct dentry *dentry, char *text, size_t size)
{
	*text = '\0';
	for (dentry = dentry->d_parent; !IS_ROOT(dentry);
	     dentry = dentry->d_parent)
		strlcat(text, "../", size);
}

static const char *get_link(struct dentry *dentry, struct inode *inode,
			    struct delayed_call *done)
{
	struct vif *vif;
	char *buf, *up;
	const char *text;

	if (!dentry)
		return ERR_PTR(-ECHILD);
	vif = nnfs_vif_get(inode);
	if (!vif)
		return ERR_PTR(-ENOENT);
	buf = kmalloc(2 * PATH_MAX, GFP_KERNEL);
	if (!buf) {
		vif_put(vif);
		return ERR_PTR(-ENOMEM);
	}
	up = buf + PATH_MAX;
	write_way_up(dentry, up, PATH_MAX);
	text = nnfs_path_text(vif, up, buf, PATH_MAX);
	if (IS_ERR(text))
		kfree(buf);
	else
		set_delayed_call(done, kfree_link, buf);
	vif_put(vif);
	return text;
}

static const struct inode_operations link_iops = {
	.get_link	= get_link,
	.setattr	= nnfs_setattr_fixed,
};

static const struct nnfs_kind link_kind = {
	.mode	= S_IFLNK | 0777,
	.i_op	= &link_iops,
	.alive	= alive,
};

u64 nnfs_link_ino(const struct inode *dir, const struct vif *vif)
{
	return nnfs_ino(NNFS_INO_LINK,
			hash_64(dir->i_ino, 60) + device_ino(vif));
}

static struct inode *new_link(struct inode *dir, struct vif *vif)
{
	struct inode *inode = nnfs_inode_new(dir->i_sb, &link_kind,
					     nnfs_link_ino(dir, vif));

	if (IS_ERR(inode))
		return inode;
	nnfs_inode_set_target(inode, &nnfs_i(dir)->target);
	nnfs_i(inode)->dir_ino = dir->i_ino;
	nnfs_i(inode)->vif = vif_get_weak(vif);
	return inode;
}

struct inode *nnfs_link_inode(struct inode *dir, struct vif *vif)
{
	struct inode *inode = new_link(dir, vif);

	vif_put(vif);
	return inode;
}

/* The VIF that a link's text means; a relative one starts at its directory. */
static struct vif *find_target(struct dentry *dir, const char *text)
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

static int may_attach_cgroup(struct inode *dir)
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
				"attaching a control group takes write permission on its file cgroup.procs, as moving a process there does");
	default:
		return vif_fail(nnfs_net(dir), err,
				"the control group's file cgroup.procs can not be looked up (error %d)",
				-err);
	}
}

/*
 * Over the target's process the caller has power: he could enter its directory. And
 * he may search what is above the VIF: it has been found.
 */
static int may_attach(struct inode *dir, struct vif *vif)
{
	const struct vif_target *target = &nnfs_i(dir)->target;

	if (!vif_access(vif, MAY_WRITE | MAY_EXEC))
		return nnfs_deny(vif, NULL, -EACCES, "attach to it");
	if (target->kind == VIF_THREAD && !vif_access_task(target->pid))
		return vif_fail(nnfs_net(dir), -EPERM,
				"the thread is another user's, or may not be traced");
	if (target->kind == VIF_CGROUP)
		return may_attach_cgroup(dir);
	return 0;
}

static int attach(struct inode *dir, struct dentry *dentry, struct vif *vif)
{
	struct inode *inode;
	int err;

	err = may_attach(dir, vif);
	if (err)
		return err;
	inode = new_link(dir, vif);
	if (IS_ERR(inode))
		return PTR_ERR(inode);
	err = vif_target_attach(vif, &nnfs_i(dir)->target);
	if (err) {
		iput(inode);
		return err;
	}
	if (!nnfs_has_device_name(vif, &dentry->d_name))
		nnfs_alias_add(&nnfs_super(dir->i_sb)->aliases, dir->i_ino,
			       &dentry->d_name, device_ino(vif));
	d_instantiate(dentry, inode);
	return 0;
}

int nnfs_link_symlink(struct nnfs_idmap *idmap, struct inode *dir,
		      struct dentry *dentry, const char *text)
{
	struct vif *vif = find_target(dentry->d_parent, text);
	int err;

	if (IS_ERR(vif))
		return PTR_ERR(vif);
	err = attach(dir, dentry, vif);
	vif_put(vif);
	return err;
}

int nnfs_link_refuse(struct nnfs_idmap *idmap, struct inode *dir,
		     struct dentry *dentry, const char *text)
{
	return vif_fail(nnfs_net(dir), -EPERM,
			"'%pd': no links here: they are made in the directory of what is to be attached: tasks/PID, tasks/PID/threads/TID, tasks/PID/sockets/FD, cgroups/PATH or devices/DEV",
			dentry);
}

/* What else is there, and is no directory, belongs to the target. */
int nnfs_link_unlink(struct inode *dir, struct dentry *dentry)
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
 * attached, under a name that nobody asked for. Any other renaming would be
 * a promise that the name is kept.
 */
int nnfs_link_rename(struct nnfs_idmap *idmap, struct inode *old_dir,
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
