// SPDX-License-Identifier: GPL-2.0
/*
 * The directories /tasks, where each process can be found and those with an
 * attachment are listed, and /tasks/PID, a process's attachments. A process
 * is known by its struct pid; its number is that of the superblock's PID
 * namespace.
 */
#include "tasks.h"

#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/compat/fs.h"
#include "../vif/dev.h"
#include "../vif/error.h"
#include "../vif/net.h"
#include "../vif/task.h"
#include "../vif/vif.h"
#include "inode.h"
#include "link.h"
#include "parse.h"
#include "super.h"

/* Positions in /tasks: "." and "..", "self", processes by number. */
#define SELF_POS	2
#define TASKS_POS	(SELF_POS + 1)

/* Positions in /tasks/PID: "." and "..", attachments in their order. */
#define LINKS_POS	2

#define NUMBER_SIZE	12

static const char self_name[] = "self";

struct pid *nnfs_pid_get(struct pid_namespace *ns, int nr)
{
	struct pid *pid;

	rcu_read_lock();
	pid = get_pid(find_pid_ns(nr, ns));
	rcu_read_unlock();
	return pid;
}

/* Whether it is a process's number, rather than a thread's, and used. */
static bool is_process(struct pid *pid)
{
	bool is;

	rcu_read_lock();
	is = pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return is;
}

static const char *self_get_link(struct dentry *dentry, struct inode *inode,
				 struct delayed_call *done)
{
	pid_t nr = task_tgid_nr_ns(current, nnfs_super(inode->i_sb)->pid_ns);
	char *text;

	if (!nr)
		return ERR_PTR(-ENOENT);
	text = kmalloc(NUMBER_SIZE, dentry ? GFP_KERNEL : GFP_ATOMIC);
	if (!text)
		return ERR_PTR(dentry ? -ENOMEM : -ECHILD);
	snprintf(text, NUMBER_SIZE, "%d", nr);
	set_delayed_call(done, kfree_link, text);
	return text;
}

static const struct inode_operations self_iops = {
	.get_link	= self_get_link,
	.setattr	= nnfs_setattr_fixed,
};

static const struct nnfs_kind self_kind = {
	.mode	= S_IFLNK | 0777,
	.i_op	= &self_iops,
};

static struct dentry *task_lookup(struct inode *dir, struct dentry *dentry,
				  unsigned int flags)
{
	struct vif *vif = nnfs_link_find(dir, &dentry->d_name);

	return d_splice_alias(vif ? nnfs_link_inode(dir, vif) : NULL, dentry);
}

static int task_iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file_inode(file);
	char name[IFNAMSIZ];
	struct vif *vif;
	bool room;

	if (!dir_emit_dots(file, ctx))
		return 0;
	while ((vif = vif_task_vif(nnfs_net(dir), nnfs_i(dir)->pid,
				   ctx->pos - LINKS_POS))) {
		room = !vif_dev_name(vif->dev, name) ||
		       dir_emit(ctx, name, strlen(name),
				nnfs_link_ino(dir, vif), DT_LNK);
		vif_put(vif);
		if (!room)
			break;
		ctx->pos++;
	}
	return 0;
}

/* The mode tells nothing: what is asked for is power over the network. */
static int task_permission(struct nnfs_idmap *idmap, struct inode *inode,
			   int mask)
{
	struct vif_net *net = nnfs_net(inode);

	if (!(mask & MAY_WRITE))
		return 0;
	if (mask & MAY_NOT_BLOCK)
		return -ECHILD;
	if (ns_capable(net->user_ns, CAP_NET_ADMIN))
		return 0;
	return vif_fail(net, -EPERM,
			"tasks/%d: attaching and detaching take CAP_NET_ADMIN over the network namespace",
			pid_nr_ns(nnfs_i(inode)->pid,
				  nnfs_super(inode->i_sb)->pid_ns));
}

static bool task_alive(struct inode *inode, const struct qstr *name)
{
	return is_process(nnfs_i(inode)->pid);
}

static const struct inode_operations task_iops = {
	.lookup		= task_lookup,
	.symlink	= nnfs_link_symlink,
	.unlink		= nnfs_link_unlink,
	.rename		= nnfs_link_rename,
	.permission	= task_permission,
	.setattr	= nnfs_setattr_fixed,
};

static const struct file_operations task_fops = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= task_iterate,
};

static const struct nnfs_kind task_kind = {
	.mode	= S_IFDIR | 0755,
	.i_op	= &task_iops,
	.i_fop	= &task_fops,
	.alive	= task_alive,
};

/* Takes over the reference to the process. */
static struct inode *task_inode(struct super_block *sb, struct pid *pid,
				int nr)
{
	struct inode *inode = nnfs_inode_new(sb, &task_kind,
					     nnfs_ino(NNFS_INO_TASK, nr));

	if (IS_ERR(inode))
		put_pid(pid);
	else
		nnfs_i(inode)->pid = pid;
	return inode;
}

static struct inode *find_inode(struct super_block *sb,
				const struct qstr *name)
{
	const struct nnfs_word word = { name->name, name->len };
	struct pid *pid;
	int nr;

	if (name->len == strlen(self_name) &&
	    !memcmp(name->name, self_name, name->len))
		return nnfs_inode_new(sb, &self_kind,
				      nnfs_ino(NNFS_INO_FIXED, NNFS_INO_SELF));
	if (nnfs_parse_number(&word, &nr))
		return NULL;
	pid = nnfs_pid_get(nnfs_super(sb)->pid_ns, nr);
	if (pid && is_process(pid))
		return task_inode(sb, pid, nr);
	put_pid(pid);
	return NULL;
}

static struct dentry *lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags)
{
	return d_splice_alias(find_inode(dir->i_sb, &dentry->d_name), dentry);
}

static bool emit_self(struct dir_context *ctx)
{
	if (ctx->pos > SELF_POS)
		return true;
	if (!dir_emit(ctx, self_name, strlen(self_name),
		      nnfs_ino(NNFS_INO_FIXED, NNFS_INO_SELF), DT_LNK))
		return false;
	ctx->pos = TASKS_POS;
	return true;
}

static int iterate(struct file *file, struct dir_context *ctx)
{
	const struct nnfs_super *super = nnfs_super(file_inode(file)->i_sb);
	char name[NUMBER_SIZE];
	pid_t nr;
	int len;

	if (!dir_emit_dots(file, ctx) || !emit_self(ctx))
		return 0;
	nr = min_t(loff_t, ctx->pos - TASKS_POS, INT_MAX);
	while (vif_task_next(super->net, NULL, super->pid_ns, &nr)) {
		len = snprintf(name, sizeof(name), "%d", nr);
		if (!dir_emit(ctx, name, len, nnfs_ino(NNFS_INO_TASK, nr),
			      DT_DIR))
			break;
		ctx->pos = TASKS_POS + nr;
	}
	return 0;
}

static const struct inode_operations tasks_iops = {
	.lookup		= lookup,
	.setattr	= nnfs_setattr_fixed,
};

static const struct file_operations tasks_fops = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= iterate,
};

static const struct nnfs_kind tasks_kind = {
	.mode	= S_IFDIR | 0555,
	.i_op	= &tasks_iops,
	.i_fop	= &tasks_fops,
};

struct inode *nnfs_tasks_inode(struct super_block *sb)
{
	return nnfs_inode_new(sb, &tasks_kind,
			      nnfs_ino(NNFS_INO_FIXED, NNFS_INO_TASKS));
}
