// SPDX-License-Identifier: GPL-2.0
/*
 * The file system type, its superblocks, and the directory under /proc where it is mounted. A
 * superblock belongs to a network, a PID and a control group namespace: a second mount from the
 * same three namespaces gets the same superblock. See struct nnfs_super.
 */
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/pid_namespace.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/statfs.h>
#include <linux/user_namespace.h>

#include <linux/netnice.h>
#include "../vif/attach/cgroup.h"
#include "../vif/compat/fs.h"
#include "../vif/hooks/hooks.h"
#include "../vif/tree/net.h"
#include "internal.h"
#include "procfs.h"

static struct proc_dir_entry *nnfs_mount_point;

static int nnfs_statfs(struct dentry *dentry, struct kstatfs *buf)
{
	int err = simple_statfs(dentry, buf);

	buf->f_namelen = NETNICE_NAME_MAX;
	return err;
}

static int nnfs_show_options(struct seq_file *seq, struct dentry *root)
{
	const struct nnfs_super *super = nnfs_super(root->d_sb);
	struct user_namespace *ns = seq_user_ns(seq);

	seq_printf(seq, ",netns=%u,uid=%u,gid=%u,mode=%03o", super->net->inum,
		   from_kuid_munged(ns, super->top.uid),
		   from_kgid_munged(ns, super->top.gid), super->top.mode);
	return 0;
}

static const struct super_operations nnfs_super_ops = {
	.alloc_inode	= nnfs_alloc_inode,
	.free_inode	= nnfs_free_inode,
	.evict_inode	= nnfs_evict_inode,
	.statfs		= nnfs_statfs,
	.show_options	= nnfs_show_options,
};

static void nnfs_free_super(struct nnfs_super *super)
{
	if (!super)
		return;
	/* one that only carries options to a superblock has none of these */
	if (super->net) {
		put_pid_ns(super->pid_ns);
		vif_cgroup_put(super->cgroup);
		vif_net_put(super->net);
	}
	kfree_rcu(super, rcu);
}

static int nnfs_fill_super(struct super_block *sb)
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
	sb->s_op = &nnfs_super_ops;
	nnfs_set_d_op(sb, &nnfs_dentry_ops);
	ktime_get_real_ts64(&nnfs_super(sb)->since);
	root = nnfs_top_inode(sb);
	if (IS_ERR(root))
		return PTR_ERR(root);
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

static int nnfs_same_super(struct super_block *sb, struct fs_context *fc)
{
	const struct nnfs_super *a = nnfs_super(sb), *b = fc->s_fs_info;

	return a->net == b->net && a->pid_ns == b->pid_ns &&
	       a->cgroup == b->cgroup;
}

/* Set the owner of the top directory from the mount options. */
static void nnfs_super_set_top(struct super_block *sb)
{
	const struct nnfs_top *top = &nnfs_super(sb)->top;
	struct inode *inode = d_inode(sb->s_root);

	inode_lock(inode);
	inode->i_uid = top->uid;
	inode->i_gid = top->gid;
	inode->i_mode = S_IFDIR | top->mode;
	inode_unlock(inode);
}

static int nnfs_get_tree(struct fs_context *fc)
{
	bool given = ((struct nnfs_super *)fc->s_fs_info)->top.given;
	struct super_block *sb;

	vif_netdev_admit(fc->net_ns);
	/* it takes over s_fs_info, if it makes one */
	sb = sget_fc(fc, nnfs_same_super, set_anon_super_fc);
	if (IS_ERR(sb))
		return PTR_ERR(sb);
	if (!sb->s_root) {
		int err = nnfs_fill_super(sb);

		if (err) {
			deactivate_locked_super(sb);
			return err;
		}
		nnfs_super_set_top(sb);
		sb->s_flags |= SB_ACTIVE;
	} else if (given) {
		deactivate_locked_super(sb);
		errorfc(fc, "already mounted elsewhere: change its options with -o remount");
		return -EBUSY;
	}
	fc->root = dget(sb->s_root);
	return 0;
}

static void nnfs_free_fc(struct fs_context *fc)
{
	nnfs_free_super(fc->s_fs_info);
}

enum { OPT_UID, OPT_GID, OPT_MODE, OPT_NETNS };

static const struct fs_parameter_spec options[] = {
	fsparam_u32("uid", OPT_UID),
	fsparam_u32("gid", OPT_GID),
	fsparam_u32oct("mode", OPT_MODE),
	fsparam_u32("netns", OPT_NETNS),
	{}
};

static int nnfs_parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct nnfs_top *top = &((struct nnfs_super *)fc->s_fs_info)->top;
	struct fs_parse_result result;
	int option = fs_parse(fc, options, param, &result);

	switch (option) {
	case OPT_UID:
		top->uid = make_kuid(current_user_ns(), result.uint_32);
		if (!uid_valid(top->uid))
			return invalfc(fc, "uid: no user %u", result.uint_32);
		break;
	case OPT_GID:
		top->gid = make_kgid(current_user_ns(), result.uint_32);
		if (!gid_valid(top->gid))
			return invalfc(fc, "gid: no group %u", result.uint_32);
		break;
	case OPT_MODE:
		if (result.uint_32 & ~S_IALLUGO)
			return invalfc(fc, "mode: not %o", result.uint_32);
		top->mode = result.uint_32;
		break;
	case OPT_NETNS:
		/* mount(8) repeats what is shown when it remounts */
		if (fc->purpose != FS_CONTEXT_FOR_RECONFIGURE ||
		    nnfs_super(fc->root->d_sb)->net->inum != result.uint_32)
			return invalfc(fc, "netns: shown only, it cannot be chosen");
		return 0;
	default:
		return option;
	}
	top->given = true;
	return 0;
}

/* Options that are not given again do not change: @fc was initialized with the current ones. */
static int nnfs_reconfigure(struct fs_context *fc)
{
	struct super_block *sb = fc->root->d_sb;

	nnfs_super(sb)->top = ((struct nnfs_super *)fc->s_fs_info)->top;
	nnfs_super_set_top(sb);
	return 0;
}

static const struct fs_context_operations nnfs_context_ops = {
	.parse_param	= nnfs_parse_param,
	.get_tree	= nnfs_get_tree,
	.reconfigure	= nnfs_reconfigure,
	.free		= nnfs_free_fc,
};

/*
 * Mounting takes power over the network namespace's user namespace. The numbers of VIFs' owners are
 * those of this user namespace, too.
 */
static void nnfs_super_set_user_ns(struct fs_context *fc, struct user_namespace *ns)
{
	put_user_ns(fc->user_ns);
	fc->user_ns = get_user_ns(ns);
}

static int nnfs_init_fs_context(struct fs_context *fc)
{
	bool again = fc->purpose == FS_CONTEXT_FOR_RECONFIGURE;
	struct nnfs_super *super;

	if (!again && !vif_net_admits(fc->net_ns->user_ns))
		return -EPERM;
	super = kzalloc(sizeof(*super), GFP_KERNEL_ACCOUNT);
	if (!super)
		return -ENOMEM;
	fc->s_fs_info = super;
	fc->ops = &nnfs_context_ops;
	if (again) {
		super->top = nnfs_super(fc->root->d_sb)->top;
		return 0;
	}
	super->net = vif_net_get(vif_net_of(fc->net_ns));
	super->pid_ns = get_pid_ns(task_active_pid_ns(current));
	super->cgroup = vif_cgroup_top();
	nnfs_aliases_init(&super->aliases);
	nnfs_super_set_user_ns(fc, super->net->user_ns);
	super->top = (struct nnfs_top) {
		.uid = make_kuid(fc->user_ns, 0),
		.gid = make_kgid(fc->user_ns, 0),
		.mode = 0555,
	};
	return 0;
}

static void nnfs_kill_sb(struct super_block *sb)
{
	struct nnfs_super *super = nnfs_super(sb);

	kill_anon_super(sb);
	nnfs_free_super(super);
}

/* A mount holds the module, by the member owner. */
static struct file_system_type nnfs_fs_type = {
	.owner		= THIS_MODULE,
	.name		= NETNICE_FS_NAME,
	.init_fs_context = nnfs_init_fs_context,
	.kill_sb	= nnfs_kill_sb,
	.parameters	= options,
	.fs_flags	= FS_USERNS_MOUNT,
};

/*
 * All users may request a file system, a qdisc or a netlink family, at least in namespaces of their
 * own, and the kernel loads modules with such an alias. So this module has none of these aliases.
 * By the alias below, the kernel loads it only for CAP_NET_ADMIN in the initial user namespace,
 * when the tools request a network device of that name.
 */
MODULE_ALIAS_NETDEV(NETNICE_FS_NAME);

int nnfs_init(void)
{
	int err = nnfs_inode_cache_init();

	if (err)
		return err;
	/* Creating the directory fails, with a warning, if there is another "network" already. */
	nnfs_mount_point = proc_create_mount_point("network");
	if (!nnfs_mount_point) {
		err = -ENOMEM;
		goto cache;
	}
	err = register_filesystem(&nnfs_fs_type);
	if (err)
		goto proc;
	return 0;

proc:
	proc_remove(nnfs_mount_point);
cache:
	nnfs_inode_cache_exit();
	return err;
}

void nnfs_exit(void)
{
	unregister_filesystem(&nnfs_fs_type);
	proc_remove(nnfs_mount_point);
	nnfs_inode_cache_exit();
}
