// SPDX-License-Identifier: GPL-2.0
/*
 * The top directory: a directory for each device of the namespace, which is its root VIF's
 * (vif_dir.c); the directories tasks (tasks.c), cgroups (cgroups.c) and devices; and last_error
 * (vif/tree/error.c). Devices appear and disappear without a notification.
 *
 * A directory in /devices has the attachments of a device: the VIFs of other devices to which
 * packets belong that this one has received. A device is known by its root VIF.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../vif/compat/fs.h"
#include "../vif/tree/dev.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/vif.h"
#include "internal.h"

static bool nnfs_top_device_alive(const struct inode *inode, const struct qstr *name)
{
	return nnfs_vif_is_at(nnfs_i(inode)->target.root, 0, name);
}

static const struct nnfs_kind device_kind = {
	.mode	= S_IFDIR | 0755,
	.i_op	= &nnfs_target_iops,
	.i_fop	= &nnfs_dir_fops,
	.alive	= nnfs_top_device_alive,
	.first	= NNFS_LINKS,
};

static struct vif *nnfs_top_root_by_name(const struct inode *dir, const struct qstr *name)
{
	return vif_dev_root(nnfs_net(dir), name->name, name->len);
}

static struct inode *nnfs_top_device_find(struct inode *dir, const struct qstr *name)
{
	const struct vif_target target = {
		.kind = VIF_DEVICE,
		.root = nnfs_top_root_by_name(dir, name),
	};
	struct inode *inode;

	if (!target.root)
		return NULL;
	inode = nnfs_inode_below(dir, &device_kind,
				 nnfs_ino(NNFS_INO_DEVICE, target.root->ino),
				 &target);
	vif_put(target.root);
	return inode;
}

/* Positions are numbers of root VIFs, here and at the top. */
static bool nnfs_top_device_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry)
{
	bool is = nnfs_vif_entry(vif_dev_root_after(nnfs_net(dir), *pos), pos,
				 entry);

	entry->ino = nnfs_ino(NNFS_INO_DEVICE, *pos);
	return is;
}

static const struct nnfs_kind devices_kind = {
	.mode	= S_IFDIR | 0555,
	.i_op	= &nnfs_list_iops,
	.i_fop	= &nnfs_dir_fops,
	.kept	= true,
	.rest	= { .find = nnfs_top_device_find, .next = nnfs_top_device_next },
};

static void nnfs_top_last_error_show(struct seq_file *seq, const struct inode *inode)
{
	vif_error_show(nnfs_net(inode), seq);
}

static const struct nnfs_kind last_error_kind = {
	.mode	= S_IFREG | 0444,
	.i_op	= &nnfs_text_iops,
	.i_fop	= &nnfs_text_fops,
	.kept	= true,
	.show	= nnfs_top_last_error_show,
};

static const struct nnfs_fixed top_entries[] = {
	{ "tasks", &nnfs_tasks_kind, 1 },
#ifdef CONFIG_SOCK_CGROUP_DATA
	{ "cgroups", &nnfs_cgroup_kind, 2, nnfs_cgroup_bind },
#endif
	{ "devices", &devices_kind, 3 },
	{ "last_error", &last_error_kind, 4 },
	{}
};

static struct inode *nnfs_top_root_find(struct inode *dir, const struct qstr *name)
{
	struct inode *inode = NULL;
	struct vif *root;

	if (nnfs_path_reserved(name->name, name->len))
		return NULL;
	root = nnfs_top_root_by_name(dir, name);
	if (root)
		inode = nnfs_vif_dir_inode(dir, root);
	vif_put(root);
	return inode;
}

static bool nnfs_top_root_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry)
{
	if (!nnfs_vif_entry(vif_dev_root_after(nnfs_net(dir), *pos), pos, entry))
		return false;
	if (nnfs_path_reserved(entry->name, strlen(entry->name)))
		*entry->name = '\0';
	return true;
}

static NNFS_MKDIR_RET nnfs_top_mkdir(struct nnfs_idmap *idmap, struct inode *dir,
				     struct dentry *dentry, umode_t mode)
{
	return nnfs_mkdir_ret(vif_fail(nnfs_net(dir), -EPERM,
				       "'%pd' is not a network device: create directories below a device",
				       dentry));
}

static int nnfs_top_rmdir(struct inode *dir, struct dentry *dentry)
{
	if (nnfs_i(d_inode(dentry))->vif)
		return nnfs_vif_dir_remove(d_inode(dentry));
	return vif_fail(nnfs_net(dir), -EPERM, "'%pd' is always there",
			dentry);
}

static int nnfs_top_rename(struct nnfs_idmap *idmap, struct inode *old_dir,
			   struct dentry *old_dentry, struct inode *new_dir,
			   struct dentry *new_dentry, unsigned int flags)
{
	return vif_fail(nnfs_net(old_dir), -EPERM,
			"'%pd' cannot be renamed here: a device's directory has the device's name",
			old_dentry);
}

static const struct inode_operations nnfs_top_iops = {
	.lookup		= nnfs_dir_lookup,
	.symlink	= nnfs_dir_no_symlink,
	.mkdir		= nnfs_top_mkdir,
	.rmdir		= nnfs_top_rmdir,
	.rename		= nnfs_top_rename,
	.setattr	= nnfs_setattr_fixed,
};

static const struct nnfs_kind top_kind = {
	.mode	= S_IFDIR | 0555,
	.i_op	= &nnfs_top_iops,
	.i_fop	= &nnfs_dir_fops,
	.kept	= true,
	.first	= { .fixed = top_entries },
	.rest	= { .find = nnfs_top_root_find, .next = nnfs_top_root_next },
};

struct inode *nnfs_top_inode(struct super_block *sb)
{
	return nnfs_inode_new(sb, &top_kind, nnfs_ino(NNFS_INO_TOP, 1));
}
