// SPDX-License-Identifier: GPL-2.0
/*
 * The directory of a VIF: its files (files.c), and the VIFs below. mkdir and rmdir create and
 * remove VIFs, rename moves them. vif/tree/vif.c does so; permissions and names are checked here.
 */
#include <linux/fs.h>
#include <linux/string.h>

#include "../vif/attach/resolve.h"
#include "../vif/attach/task.h"
#include "../vif/compat/fs.h"
#include "../vif/tree/access.h"
#include "../vif/tree/error.h"
#include "../vif/tree/find.h"
#include "../vif/tree/net.h"
#include "../vif/tree/vif.h"
#include "internal.h"

static const struct nnfs_kind vif_dir_kind;

struct inode *nnfs_vif_dir_inode(struct inode *dir, struct vif *vif)
{
	struct inode *inode = nnfs_inode_below(dir, &vif_dir_kind,
					       nnfs_ino(NNFS_INO_VIF, vif->ino),
					       NULL);

	if (IS_ERR(inode))
		return inode;
	nnfs_inode_set_vif(inode, vif);
	if (!nnfs_i(dir)->vif)
		nnfs_i(inode)->dir_ino = 0;
	return inode;
}

static struct inode *vif_dir_find(struct inode *dir, const struct qstr *name)
{
	struct vif *vif = nnfs_vif_get(dir), *below;
	struct inode *inode = NULL;

	if (!vif)
		return ERR_PTR(-ENOENT);
	below = vif_lookup_child(vif, name->name, name->len);
	if (below)
		inode = nnfs_vif_dir_inode(dir, below);
	vif_put(below);
	vif_put(vif);
	return inode;
}

/* Positions are numbers of VIFs. */
static bool vif_dir_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry)
{
	struct vif *vif = nnfs_vif_get(dir);
	bool is = vif && nnfs_vif_entry(vif_child_after(vif, *pos), pos, entry);

	vif_put(vif);
	return is;
}

/* Is it one of the VIFs that users may make for themselves, user-*? */
static bool nnfs_vif_dir_is_users(const struct qstr *name)
{
	return name->len >= strlen("user-") &&
	       !memcmp(name->name, "user-", strlen("user-"));
}

/* May no other VIF have the name? */
static bool nnfs_vif_dir_is_reserved(const struct qstr *name)
{
	return nnfs_name_is_file(name) || nnfs_vif_dir_is_users(name);
}

/* The number by which the network namespace's user namespace knows the caller. */
static unsigned int nnfs_vif_dir_callers_number(const struct vif_net *net)
{
	return from_kuid(net->user_ns, vif_access_user(net));
}

static bool nnfs_vif_dir_is_callers(const struct vif_net *net, const struct qstr *name)
{
	char own[sizeof("user-4294967295")];

	snprintf(own, sizeof(own), "user-%u", nnfs_vif_dir_callers_number(net));
	return nnfs_is_name(name, own);
}

static bool nnfs_vif_dir_is_callers_vif(const struct vif *vif)
{
	bool is;

	rcu_read_lock();
	is = vif_resolve_is_current(vif);
	rcu_read_unlock();
	return is;
}

/* Any user may create one VIF, named with the user's number, to divide own bandwidth. */
static int nnfs_vif_dir_may_make(struct vif *parent, const struct dentry *dentry)
{
	const struct qstr *name = &dentry->d_name;
	struct vif_net *net = vif_net_of_vif(parent);

	if (nnfs_name_is_file(name) ||
	    (nnfs_vif_dir_is_users(name) && !nnfs_vif_dir_is_callers(net, name)))
		return vif_fail(net, -EINVAL,
				"'%pd' is a reserved name: a VIF may have any but those of files, and user-*, of which user-%u is yours",
				dentry, nnfs_vif_dir_callers_number(net));
	if (!nnfs_vif_dir_is_users(name) || !nnfs_vif_dir_is_callers_vif(parent))
		return nnfs_need_write(parent, NULL);
	return 0;
}

/* The inode comes first, so that nothing can fail after the VIF is there. */
static int nnfs_vif_dir_make_vif(struct nnfs_idmap *idmap, struct inode *dir,
				 struct vif *parent, struct dentry *dentry, umode_t mode)
{
	const struct qstr *name = &dentry->d_name;
	struct vif_owner owner;
	struct inode *inode;
	struct vif *vif;
	int err;

	err = nnfs_vif_dir_may_make(parent, dentry);
	if (err)
		return err;
	inode = nnfs_inode_below(dir, &vif_dir_kind, 0, NULL);
	if (IS_ERR(inode))
		return PTR_ERR(inode);
	inode_init_owner(idmap, inode, dir, S_IFDIR | mode);
	if (nnfs_vif_dir_is_users(name))
		inode->i_uid = vif_access_user(nnfs_net(dir));
	owner = nnfs_inode_owner(inode);
	vif = vif_create(parent, name->name, name->len, &owner);
	if (IS_ERR(vif)) {
		iput(inode);
		return PTR_ERR(vif);
	}
	inode->i_ino = nnfs_ino(NNFS_INO_VIF, vif->ino);
	nnfs_inode_set_vif(inode, vif);
	if (nnfs_vif_dir_is_users(name))
		vif_set_users(vif);
	vif_put(vif);
	d_instantiate(dentry, inode);
	return 0;
}

static NNFS_MKDIR_RET vif_dir_mkdir(struct nnfs_idmap *idmap,
				    struct inode *dir, struct dentry *dentry,
				    umode_t mode)
{
	struct vif *parent = nnfs_vif_get_or_fail(dir);
	int err;

	if (IS_ERR(parent))
		return nnfs_mkdir_ret(PTR_ERR(parent));
	err = nnfs_vif_dir_make_vif(idmap, dir, parent, dentry, mode);
	vif_put(parent);
	return nnfs_mkdir_ret(err);
}

static int nnfs_vif_dir_may_remove(struct inode *dir, const struct dentry *dentry)
{
	struct vif *parent;
	int err;

	if (nnfs_vif_dir_is_callers(nnfs_net(dir), &dentry->d_name))
		return 0;
	parent = nnfs_vif_get_or_fail(dir);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	err = nnfs_need_write(parent, NULL);
	vif_put(parent);
	return err;
}

int nnfs_vif_dir_remove(const struct inode *inode)
{
	struct vif *vif = nnfs_vif_get_or_fail(inode);
	int err;

	if (IS_ERR(vif))
		return PTR_ERR(vif);
	err = vif_remove(vif);
	if (err == -EBUSY && vif_task_only_ended(vif))
		err = vif_fail(nnfs_net(inode), err,
			       "rmdir: an attached process has ended only a moment ago: try again");
	vif_put(vif);
	return err;
}

static int vif_dir_rmdir(struct inode *dir, struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);
	int err;

	if (!S_ISDIR(inode->i_mode))
		return -ENOTDIR;
	err = nnfs_vif_dir_may_remove(dir, dentry);
	if (!err)
		err = nnfs_vif_dir_remove(inode);
	if (!err)
		clear_nlink(inode);
	return err;
}

/* Names are as for mkdir; user-* is what it is by its name. */
static int nnfs_vif_dir_check_rename(const struct dentry *from, const struct dentry *to,
				     unsigned int flags)
{
	struct vif_net *net = nnfs_net(d_inode(from->d_parent));

	if (flags & ~RENAME_NOREPLACE)
		return vif_fail(net, -EINVAL,
				"'%pd' can be renamed and moved, not exchanged",
				from);
	if (nnfs_i(d_inode(from))->file)
		return vif_fail(net, -EPERM,
				"'%pd' is a file of its VIF: VIFs can be renamed and moved",
				from);
	if (nnfs_vif_dir_is_reserved(&to->d_name) || nnfs_vif_dir_is_reserved(&from->d_name))
		return vif_fail(net, -EINVAL,
				"'%pd' to '%pd': a reserved name: a VIF may have any but those of files, and user-*",
				from, to);
	return 0;
}

/* @to: the VIF above its new place, or NULL */
static int nnfs_vif_dir_move(struct dentry *dentry, struct vif *to, const struct qstr *name)
{
	struct inode *inode = d_inode(dentry);
	struct vif *vif = nnfs_vif_get_or_fail(inode);
	int err;

	if (IS_ERR(vif))
		return PTR_ERR(vif);
	/* Not EXDEV, after which mv would copy. */
	if (!to || to->dev != vif->dev)
		err = vif_fail(nnfs_net(inode), -EINVAL,
			       "'%pd' cannot leave its device", dentry);
	else
		err = vif_move(vif, to, name->name, name->len, vif_access_move);
	if (!err)
		WRITE_ONCE(nnfs_i(inode)->dir_ino, to->ino);
	vif_put(vif);
	return err;
}

static int vif_dir_rename(struct nnfs_idmap *idmap, struct inode *old_dir,
			  struct dentry *old_dentry, struct inode *new_dir,
			  struct dentry *new_dentry, unsigned int flags)
{
	struct vif *to = NULL;
	int err;

	err = nnfs_vif_dir_check_rename(old_dentry, new_dentry, flags);
	if (err)
		return err;
	if (nnfs_i(new_dir)->vif)
		to = nnfs_vif_get_or_fail(new_dir);
	if (IS_ERR(to))
		return PTR_ERR(to);
	err = nnfs_vif_dir_move(old_dentry, to, &new_dentry->d_name);
	vif_put(to);
	return err;
}

/* "ln -sf" calls it if it follows the link that it should replace. */
static int vif_dir_symlink(struct nnfs_idmap *idmap, struct inode *dir,
			   struct dentry *dentry, const char *text)
{
	return vif_fail(nnfs_net(dir), -EPERM,
			"'%pd': links cannot be made in a VIF: make them in tasks/PID, and replace them there with ln -sfn",
			dentry);
}

/*
 * The permission to create or remove an entry depends on its name, which is not known here: the
 * operation checks it. access(2) gets the answer for most names.
 */
static int vif_dir_permission(struct nnfs_idmap *idmap, struct inode *inode,
			      int mask)
{
	if (!(mask & MAY_ACCESS))
		mask &= ~MAY_WRITE;
	return nnfs_permission(idmap, inode, mask);
}

static bool vif_dir_alive(const struct inode *inode, const struct qstr *name)
{
	const struct nnfs_inode *ni = nnfs_i(inode);

	return nnfs_vif_is_at(ni->vif, READ_ONCE(ni->dir_ino), name);
}

static const struct inode_operations vif_dir_iops = {
	.lookup		= nnfs_dir_lookup,
	.mkdir		= vif_dir_mkdir,
	.rmdir		= vif_dir_rmdir,
	.symlink	= vif_dir_symlink,
	.rename		= vif_dir_rename,
	.permission	= vif_dir_permission,
	.getattr	= nnfs_getattr,
	.setattr	= nnfs_setattr_dir,
};

static const struct nnfs_kind vif_dir_kind = {
	.mode	= S_IFDIR | 0755,
	.i_op	= &vif_dir_iops,
	.i_fop	= &nnfs_dir_fops,
	.kept	= true,
	.alive	= vif_dir_alive,
	.first	= { .find = nnfs_file_find, .next = nnfs_file_next },
	.rest	= { .find = vif_dir_find, .next = vif_dir_next },
};
