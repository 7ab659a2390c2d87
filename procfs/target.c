// SPDX-License-Identifier: GPL-2.0
#include "target.h"

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/tree/access.h"
#include "../vif/tree/dev.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/vif.h"
#include "link.h"
#include "super.h"

#define LINKS_POS	2

static const struct nnfs_target_kind *kind_of(const struct inode *dir)
{
	return container_of(nnfs_i(dir)->kind, struct nnfs_target_kind, base);
}

/* A device's link comes before anything else of that name. */
static struct dentry *lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags)
{
	const struct nnfs_target_kind *kind = kind_of(dir);
	struct vif *vif = nnfs_link_find(dir, &dentry->d_name);
	struct inode *inode = NULL;

	if (vif)
		inode = nnfs_link_inode(dir, vif);
	else if (kind->child)
		inode = kind->child(dir, &dentry->d_name);
	return d_splice_alias(inode, dentry);
}

/* False if there is no more room. */
static bool emit_links(struct inode *dir, struct dir_context *ctx)
{
	unsigned int index = ctx->pos - LINKS_POS;
	char name[IFNAMSIZ];
	struct vif *vif;
	bool room;

	while ((vif = vif_target_next(nnfs_net(dir), &nnfs_i(dir)->target, &index))) {
		ctx->pos = LINKS_POS + index++;
		room = !vif_dev_name(vif->dev, name) ||
		       dir_emit(ctx, name, strlen(name),
				nnfs_link_ino(dir, vif), DT_LNK);
		vif_put(vif);
		if (!room)
			return false;
	}
	return true;
}

static int iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file_inode(file);

	if (nnfs_is_hidden(dir))
		return -ENOENT;
	if (!dir_emit_dots(file, ctx))
		return 0;
	if (ctx->pos < NNFS_CHILDREN_POS) {
		if (!emit_links(dir, ctx))
			return 0;
		ctx->pos = NNFS_CHILDREN_POS;
	}
	if (kind_of(dir)->emit)
		kind_of(dir)->emit(dir, ctx);
	return 0;
}

static int need_power(struct inode *inode)
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
		       "%s: attaching and detaching take CAP_NET_ADMIN over the network namespace",
		       IS_ERR_OR_NULL(path) ? "" : path + 1);
	kfree(buf);
	dput(dentry);
	return err;
}

/*
 * The mode tells nothing: what is asked for is power over the process, or, as control
 * groups and devices are nobody's, over the network.
 */
static int permission(struct nnfs_idmap *idmap, struct inode *inode, int mask)
{
	if (nnfs_i(inode)->pid)
		return nnfs_task_permission(idmap, inode, mask);
	if (!(mask & MAY_WRITE))
		return 0;
	if (mask & MAY_NOT_BLOCK)
		return -ECHILD;
	return need_power(inode);
}

const struct inode_operations nnfs_target_iops = {
	.lookup		= lookup,
	.symlink	= nnfs_link_symlink,
	.unlink		= nnfs_link_unlink,
	.rename		= nnfs_link_rename,
	.permission	= permission,
	.getattr	= nnfs_task_getattr,
	.setattr	= nnfs_setattr_fixed,
};

const struct file_operations nnfs_target_fops = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= iterate,
};

bool nnfs_target_alive(const struct inode *inode, const struct qstr *name)
{
	return vif_target_alive(nnfs_net(inode), &nnfs_i(inode)->target);
}

struct inode *nnfs_target_inode(struct super_block *sb,
				const struct nnfs_target_kind *kind, u64 ino,
				const struct vif_target *target)
{
	struct inode *inode = nnfs_inode_new(sb, &kind->base, ino);

	if (!IS_ERR(inode))
		nnfs_inode_set_target(inode, target);
	return inode;
}
