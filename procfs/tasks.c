// SPDX-License-Identifier: GPL-2.0
/*
 * The directories /tasks, where each process can be found and those with an
 * attachment are listed, and /tasks/PID, a process's attachments, with its threads
 * and sockets. A process is known by its struct pid; its number is that of the
 * superblock's PID namespace.
 */
#include "tasks.h"

#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/attach/task.h"
#include "../vif/grammar/units.h"
#include "../vif/tree/access.h"
#include "../vif/tree/vif.h"
#include "link.h"
#include "sockets.h"
#include "super.h"
#include "target.h"
#include "threads.h"

/* Positions in /tasks: "." and "..", "self", processes by number. */
#define SELF_POS	2
#define TASKS_POS	(SELF_POS + 1)

static const char self_name[] = "self";

struct pid *nnfs_pid_get(struct pid_namespace *ns, int nr)
{
	struct pid *pid;

	rcu_read_lock();
	pid = get_pid(find_pid_ns(nr, ns));
	rcu_read_unlock();
	return pid;
}

pid_t nnfs_task_nr(const struct inode *inode)
{
	return pid_nr_ns(nnfs_i(inode)->pid, nnfs_super(inode->i_sb)->pid_ns);
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
	text = kmalloc(NNFS_NUMBER_SIZE, dentry ? GFP_KERNEL : GFP_ATOMIC);
	if (!text)
		return ERR_PTR(dentry ? -ENOMEM : -ECHILD);
	snprintf(text, NNFS_NUMBER_SIZE, "%d", nr);
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
	.kept	= true,
};

/* What a process's directory has besides its attachments. */
static const struct part {
	const char *name;
	enum nnfs_task_part part;
	const struct nnfs_kind *kind;
} parts[] = {
	{ "threads", NNFS_TASK_THREADS, &nnfs_threads_kind },
	{ "sockets", NNFS_TASK_SOCKETS, &nnfs_sockets_kind },
};

static struct inode *part_inode(struct inode *dir, const struct part *part)
{
	struct inode *inode = nnfs_inode_new(dir->i_sb, part->kind,
					     nnfs_task_ino(nnfs_task_nr(dir),
							   part->part, 0));

	if (!IS_ERR(inode))
		nnfs_i(inode)->pid = get_pid(nnfs_i(dir)->pid);
	return inode;
}

static struct inode *task_child(struct inode *dir, const struct qstr *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (nnfs_is_name(name, parts[i].name))
			return part_inode(dir, &parts[i]);
	return NULL;
}

static void task_emit(struct inode *dir, struct dir_context *ctx)
{
	const struct part *part;

	while (ctx->pos < NNFS_CHILDREN_POS + ARRAY_SIZE(parts)) {
		part = &parts[ctx->pos - NNFS_CHILDREN_POS];
		if (!dir_emit(ctx, part->name, strlen(part->name),
			      nnfs_task_ino(nnfs_task_nr(dir), part->part, 0),
			      DT_DIR))
			break;
		ctx->pos++;
	}
}

/* A process that has exited can be found until it has been waited for. */
static bool task_alive(const struct inode *inode, const struct qstr *name)
{
	return is_process(nnfs_i(inode)->pid);
}

static const struct nnfs_target_kind task_kind = {
	.base = NNFS_TARGET_KIND(task_alive),
	.child = task_child,
	.emit = task_emit,
};

static struct inode *task_inode(struct super_block *sb, struct pid *pid,
				int nr)
{
	const struct vif_target target = {
		.kind = VIF_PROCESS,
		.pid = pid,
	};
	struct inode *inode;

	inode = nnfs_target_inode(sb, &task_kind,
				  nnfs_task_ino(nr, NNFS_TASK_SELF, 0), &target);
	if (!IS_ERR(inode))
		nnfs_i(inode)->pid = get_pid(pid);
	return inode;
}

static struct inode *find_inode(struct super_block *sb,
				const struct qstr *name)
{
	const struct vif_word word = { name->name, name->len };
	struct inode *inode = NULL;
	struct pid *pid;
	int nr;

	if (nnfs_is_name(name, self_name))
		return nnfs_inode_new(sb, &self_kind,
				      nnfs_ino(NNFS_INO_FIXED, NNFS_INO_SELF));
	if (vif_parse_number(&word, &nr))
		return NULL;
	pid = nnfs_pid_get(nnfs_super(sb)->pid_ns, nr);
	if (pid && is_process(pid))
		inode = task_inode(sb, pid, nr);
	put_pid(pid);
	return inode;
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

static bool is_visible(struct pid_namespace *ns, pid_t nr)
{
	struct pid *pid = nnfs_pid_get(ns, nr);
	bool is = pid && vif_access_task(pid);

	put_pid(pid);
	return is;
}

static int iterate(struct file *file, struct dir_context *ctx)
{
	const struct nnfs_super *super = nnfs_super(file_inode(file)->i_sb);
	struct vif_task_nr nr = {};
	char name[NNFS_NUMBER_SIZE];
	int len;

	if (!dir_emit_dots(file, ctx) || !emit_self(ctx))
		return 0;
	nr.pid = min_t(loff_t, ctx->pos - TASKS_POS, INT_MAX);
	while (vif_task_next(super->net, NULL, super->pid_ns, &nr)) {
		len = snprintf(name, sizeof(name), "%d", nr.pid);
		if (is_visible(super->pid_ns, nr.pid) &&
		    !dir_emit(ctx, name, len,
			      nnfs_task_ino(nr.pid, NNFS_TASK_SELF, 0), DT_DIR))
			break;
		ctx->pos = TASKS_POS + nr.pid;
	}
	return 0;
}

static const struct inode_operations tasks_iops = {
	.lookup		= lookup,
	.symlink	= nnfs_link_refuse,
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
	.kept	= true,
};

struct inode *nnfs_tasks_inode(struct super_block *sb)
{
	return nnfs_inode_new(sb, &tasks_kind,
			      nnfs_ino(NNFS_INO_FIXED, NNFS_INO_TASKS));
}
