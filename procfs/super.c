// SPDX-License-Identifier: GPL-2.0
/*
 * The file system type, its superblocks, and the directory under /proc where
 * it is mounted. See super.h for what a superblock is keyed by.
 */
#include "super.h"

#include <linux/fs_context.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/statfs.h>
#include <linux/user_namespace.h>

#include <linux/netnice.h>
#include "../vif/cgroup.h"
#include "../vif/compat/fs.h"
#include "../vif/net.h"
#include "cgroups.h"
#include "inode.h"
#include "procfs.h"
#include "top.h"

static struct proc_dir_entry *mount_point;

static int statfs(struct dentry *dentry, struct kstatfs *buf)
{
	int err = simple_statfs(dentry, buf);

	buf->f_namelen = NETNICE_NAME_MAX;
	return err;
}

static int show_options(struct seq_file *seq, struct dentry *root)
{
	seq_printf(seq, ",netns=%u", nnfs_super(root->d_sb)->net->inum);
	return 0;
}

static const struct super_operations super_ops = {
	.alloc_inode	= nnfs_alloc_inode,
	.free_inode	= nnfs_free_inode,
	.evict_inode	= nnfs_evict_inode,
	.statfs		= statfs,
	.show_options	= show_options,
};

static void free_super(struct nnfs_super *super)
{
	if (!super)
		return;
	put_pid_ns(super->pid_ns);
	vif_cgroup_put(super->cgroup);
	vif_net_put(super->net);
	kfree_rcu(super, rcu);
}

static int fill_super(struct super_block *sb)
{
	struct inode *root;

	sb->s_magic = NETNICE_FS_MAGIC;
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	/* Positions in directories are inode numbers. */
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_time_gran = 1;
	sb->s_flags |= SB_NOATIME | SB_NOSUID;
	sb->s_iflags |= SB_I_NODEV | SB_I_NOEXEC;
	sb->s_op = &super_ops;
	nnfs_set_d_op(sb, &nnfs_dentry_ops);
	root = nnfs_top_inode(sb);
	if (IS_ERR(root))
		return PTR_ERR(root);
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

static int same_super(struct super_block *sb, struct fs_context *fc)
{
	const struct nnfs_super *a = nnfs_super(sb), *b = fc->s_fs_info;

	return a->net == b->net && a->pid_ns == b->pid_ns &&
	       a->cgroup == b->cgroup;
}

static int get_tree(struct fs_context *fc)
{
	struct super_block *sb = sget_fc(fc, same_super, set_anon_super_fc);

	if (IS_ERR(sb))
		return PTR_ERR(sb);
	if (!sb->s_root) {
		int err = fill_super(sb);

		if (err) {
			deactivate_locked_super(sb);
			return err;
		}
		sb->s_flags |= SB_ACTIVE;
	}
	fc->root = dget(sb->s_root);
	return 0;
}

static void free_fc(struct fs_context *fc)
{
	free_super(fc->s_fs_info);
}

static const struct fs_context_operations context_ops = {
	.get_tree	= get_tree,
	.free		= free_fc,
};

static int init_fs_context(struct fs_context *fc)
{
	struct nnfs_super *super = kzalloc(sizeof(*super), GFP_KERNEL);

	if (!super)
		return -ENOMEM;
	super->net = vif_net_get(vif_net_of(fc->net_ns));
	super->pid_ns = get_pid_ns(task_active_pid_ns(current));
#ifdef CONFIG_SOCK_CGROUP_DATA
	super->cgroup = nnfs_cgroups_root();
#endif
	nnfs_aliases_init(&super->aliases);

	fc->s_fs_info = super;
	fc->ops = &context_ops;
	return 0;
}

static void kill_sb(struct super_block *sb)
{
	struct nnfs_super *super = nnfs_super(sb);

	kill_anon_super(sb);
	free_super(super);
}

/* Being mounted is what keeps the module: owner. */
static struct file_system_type fs_type = {
	.owner		= THIS_MODULE,
	.name		= NETNICE_FS_NAME,
	.init_fs_context = init_fs_context,
	.kill_sb	= kill_sb,
};
MODULE_ALIAS_FS(NETNICE_FS_NAME);

int nnfs_init(void)
{
	int err = nnfs_inode_cache_init();

	if (err)
		return err;
	/* Also fails, and warns, where a "network" is there already. */
	mount_point = proc_create_mount_point("network");
	if (!mount_point) {
		err = -ENOMEM;
		goto cache;
	}
	err = register_filesystem(&fs_type);
	if (err)
		goto proc;
	return 0;

proc:
	proc_remove(mount_point);
cache:
	nnfs_inode_cache_exit();
	return err;
}

void nnfs_exit(void)
{
	unregister_filesystem(&fs_type);
	proc_remove(mount_point);
	nnfs_inode_cache_exit();
}
