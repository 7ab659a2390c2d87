// SPDX-License-Identifier: GPL-2.0
/* A device is known by its root VIF. */
#include "devices.h"

#include <linux/fs.h>
#include <linux/string.h>

#include "../vif/tree/dev.h"
#include "../vif/tree/vif.h"
#include "link.h"
#include "path.h"
#include "super.h"
#include "target.h"

/* Positions in /devices: "." and "..", devices by number. */
#define DEVICES_POS	2

static bool alive(const struct inode *inode, const struct qstr *name)
{
	return nnfs_vif_is_at(nnfs_i(inode)->target.root, 0, name);
}

static const struct nnfs_target_kind device_kind = {
	.base = NNFS_TARGET_KIND(alive),
};

static struct dentry *lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags)
{
	const struct vif_target target = {
		.kind = VIF_DEVICE,
		.root = vif_dev_root(nnfs_net(dir), dentry->d_name.name,
				     dentry->d_name.len),
	};
	struct inode *inode = NULL;

	if (target.root)
		inode = nnfs_target_inode(dir->i_sb, &device_kind,
					  nnfs_ino(NNFS_INO_DEVICE,
						   target.root->ino), &target);
	vif_put(target.root);
	return d_splice_alias(inode, dentry);
}

/* False if there is no more room. */
static bool emit_device(struct dir_context *ctx, struct vif *root)
{
	char name[NNFS_NAME_SIZE];

	return !nnfs_vif_name(root, name) ||
	       dir_emit(ctx, name, strlen(name),
			nnfs_ino(NNFS_INO_DEVICE, root->ino), DT_DIR);
}

static int iterate(struct file *file, struct dir_context *ctx)
{
	struct vif_net *net = nnfs_net(file_inode(file));
	struct vif *root;
	bool room;

	if (!dir_emit_dots(file, ctx))
		return 0;
	while ((root = vif_dev_root_after(net, ctx->pos - DEVICES_POS))) {
		room = emit_device(ctx, root);
		if (room)
			ctx->pos = DEVICES_POS + root->ino;
		vif_put(root);
		if (!room)
			break;
	}
	return 0;
}

static const struct inode_operations devices_iops = {
	.lookup		= lookup,
	.symlink	= nnfs_link_refuse,
	.setattr	= nnfs_setattr_fixed,
};

static const struct file_operations devices_fops = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= iterate,
};

static const struct nnfs_kind devices_kind = {
	.mode	= S_IFDIR | 0555,
	.i_op	= &devices_iops,
	.i_fop	= &devices_fops,
	.kept	= true,
};

struct inode *nnfs_devices_inode(struct super_block *sb)
{
	return nnfs_inode_new(sb, &devices_kind,
			      nnfs_ino(NNFS_INO_FIXED, NNFS_INO_DEVICES));
}
