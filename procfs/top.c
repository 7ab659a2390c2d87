// SPDX-License-Identifier: GPL-2.0
/*
 * The top directory: one directory for each device of the namespace, the
 * directories tasks, cgroups and devices, and last_error. Devices come and go by
 * themselves.
 */
#include "top.h"

#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../vif/compat/fs.h"
#include "../vif/tree/dev.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/vif.h"
#include "cgroups.h"
#include "devices.h"
#include "dir.h"
#include "inode.h"
#include "last_error.h"
#include "link.h"
#include "path.h"
#include "super.h"
#include "tasks.h"

/* In the order in which they are listed. */
static const struct entry {
	const char *name;
	struct inode *(*make)(struct super_block *sb);
	u64 ino;
	unsigned char type;
} entries[] = {
	{ "tasks", nnfs_tasks_inode, NNFS_INO_TASKS, DT_DIR },
#ifdef CONFIG_SOCK_CGROUP_DATA
	{ "cgroups", nnfs_cgroups_inode, NNFS_INO_CGROUPS, DT_DIR },
#endif
	{ "devices", nnfs_devices_inode, NNFS_INO_DEVICES, DT_DIR },
	{ "last_error", nnfs_last_error_inode, NNFS_INO_LAST_ERROR, DT_REG },
};

/*
 * Names that no device's directory has on any kernel: of entries here, and of what
 * is beside the links in /tasks/PID.
 */
static const char *const reserved_names[] = { "cgroups", "threads", "sockets" };

/* Positions in the directory: "." and "..", @entries, devices by number. */
#define ENTRIES_POS	2
#define DEVICES_POS	(ENTRIES_POS + ARRAY_SIZE(entries))

static bool same_name(const char *a, const char *name, size_t len)
{
	return len == strlen(a) && !memcmp(a, name, len);
}

static const struct entry *find_entry(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(entries); i++)
		if (same_name(entries[i].name, name, len))
			return &entries[i];
	return NULL;
}

bool nnfs_top_reserved(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reserved_names); i++)
		if (same_name(reserved_names[i], name, len))
			return true;
	return find_entry(name, len);
}

static struct dentry *lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags)
{
	const struct qstr *name = &dentry->d_name;
	const struct entry *entry = find_entry(name->name, name->len);
	struct inode *inode = NULL;
	struct vif *vif;

	if (entry) {
		inode = entry->make(dir->i_sb);
	} else if (!nnfs_top_reserved(name->name, name->len)) {
		vif = vif_dev_root(nnfs_net(dir), name->name, name->len);
		if (vif)
			inode = nnfs_dir_inode(dir->i_sb, vif, 0);
		vif_put(vif);
	}
	return d_splice_alias(inode, dentry);
}

static bool emit_entries(struct dir_context *ctx)
{
	const struct entry *entry;

	for (; ctx->pos < DEVICES_POS; ctx->pos++) {
		entry = &entries[ctx->pos - ENTRIES_POS];
		if (!dir_emit(ctx, entry->name, strlen(entry->name),
			      nnfs_ino(NNFS_INO_FIXED, entry->ino),
			      entry->type))
			return false;
	}
	return true;
}

/* False if there is no more room. */
static bool emit_device(struct dir_context *ctx, struct vif *vif)
{
	char name[NNFS_NAME_SIZE];

	return !nnfs_vif_name(vif, name) ||
	       nnfs_top_reserved(name, strlen(name)) ||
	       dir_emit(ctx, name, strlen(name), vif->ino, DT_DIR);
}

static int iterate(struct file *file, struct dir_context *ctx)
{
	struct vif_net *net = nnfs_net(file_inode(file));
	struct vif *vif;
	bool room;

	if (!dir_emit_dots(file, ctx) || !emit_entries(ctx))
		return 0;
	while ((vif = vif_dev_root_after(net, ctx->pos - DEVICES_POS))) {
		room = emit_device(ctx, vif);
		if (room)
			ctx->pos = DEVICES_POS + vif->ino;
		vif_put(vif);
		if (!room)
			break;
	}
	return 0;
}

static NNFS_MKDIR_RET mkdir(struct nnfs_idmap *idmap, struct inode *dir,
			    struct dentry *dentry, umode_t mode)
{
	return nnfs_mkdir_ret(vif_fail(nnfs_net(dir), -EPERM,
				       "'%pd' is no network device: directories are made below one",
				       dentry));
}

static int rmdir(struct inode *dir, struct dentry *dentry)
{
	if (nnfs_i(d_inode(dentry))->vif)
		return nnfs_dir_remove(d_inode(dentry));
	return vif_fail(nnfs_net(dir), -EPERM, "'%pd' is always there",
			dentry);
}

static int rename(struct nnfs_idmap *idmap, struct inode *old_dir,
		  struct dentry *old_dentry, struct inode *new_dir,
		  struct dentry *new_dentry, unsigned int flags)
{
	return vif_fail(nnfs_net(old_dir), -EPERM,
			"'%pd' cannot be renamed here: a device's directory has the device's name",
			old_dentry);
}

static const struct inode_operations top_iops = {
	.lookup		= lookup,
	.symlink	= nnfs_link_refuse,
	.mkdir		= mkdir,
	.rmdir		= rmdir,
	.rename		= rename,
	.setattr	= nnfs_setattr_fixed,
};

static const struct file_operations top_fops = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= iterate,
};

static const struct nnfs_kind top_kind = {
	.mode	= S_IFDIR | 0555,
	.i_op	= &top_iops,
	.i_fop	= &top_fops,
	.kept	= true,
};

struct inode *nnfs_top_inode(struct super_block *sb)
{
	return nnfs_inode_new(sb, &top_kind,
			      nnfs_ino(NNFS_INO_FIXED, NNFS_INO_TOP));
}
