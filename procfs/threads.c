// SPDX-License-Identifier: GPL-2.0
/* A thread is known by its struct pid, as processes are. */
#include "threads.h"

#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "../vif/grammar/units.h"
#include "link.h"
#include "super.h"
#include "target.h"
#include "tasks.h"

/* Positions in the directory: "." and "..", threads by number. */
#define THREADS_POS	2

static const struct nnfs_target_kind thread_kind = {
	.base = NNFS_TARGET_KIND(nnfs_target_alive),
};

static bool is_thread_of(struct pid *pid, struct pid *process)
{
	struct task_struct *task;
	bool is;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	is = task && task_tgid(task) == process;
	rcu_read_unlock();
	return is;
}

static struct dentry *lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags)
{
	const struct vif_word word = {
		dentry->d_name.name, dentry->d_name.len
	};
	struct vif_target target = { .kind = VIF_THREAD };
	struct inode *inode = NULL;
	int nr;

	if (vif_parse_number(&word, &nr))
		return d_splice_alias(NULL, dentry);
	target.pid = nnfs_pid_get(nnfs_super(dir->i_sb)->pid_ns, nr);
	if (target.pid && is_thread_of(target.pid, nnfs_i(dir)->pid))
		inode = nnfs_target_inode(dir->i_sb, &thread_kind,
					  nnfs_task_ino(nnfs_task_nr(dir),
							NNFS_TASK_THREADS, nr),
					  &target);
	put_pid(target.pid);
	if (!IS_ERR_OR_NULL(inode))
		nnfs_i(inode)->pid = get_pid(nnfs_i(dir)->pid);
	return d_splice_alias(inode, dentry);
}

/* The thread with the next greater number, or 0. */
static pid_t thread_after(const struct inode *dir, pid_t after)
{
	struct pid_namespace *ns = nnfs_super(dir->i_sb)->pid_ns;
	struct task_struct *leader, *thread;
	pid_t nr, found = 0;

	rcu_read_lock();
	leader = pid_task(nnfs_i(dir)->pid, PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, thread) {
			nr = task_pid_nr_ns(thread, ns);
			if (nr > after && (!found || nr < found))
				found = nr;
		}
	}
	rcu_read_unlock();
	return found;
}

static int iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file_inode(file);
	char name[NNFS_NUMBER_SIZE];
	pid_t nr;
	int len;

	if (nnfs_is_hidden(dir))
		return -ENOENT;
	if (!dir_emit_dots(file, ctx))
		return 0;
	nr = min_t(loff_t, ctx->pos - THREADS_POS, INT_MAX);
	while ((nr = thread_after(dir, nr))) {
		len = snprintf(name, sizeof(name), "%d", nr);
		if (!dir_emit(ctx, name, len,
			      nnfs_task_ino(nnfs_task_nr(dir),
					    NNFS_TASK_THREADS, nr), DT_DIR))
			break;
		ctx->pos = THREADS_POS + nr;
	}
	return 0;
}

static const struct inode_operations threads_iops = {
	.lookup		= lookup,
	.symlink	= nnfs_link_refuse,
	.permission	= nnfs_task_permission,
	.getattr	= nnfs_task_getattr,
	.setattr	= nnfs_setattr_fixed,
};

static const struct file_operations threads_fops = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= iterate,
};

const struct nnfs_kind nnfs_threads_kind = {
	.mode	= S_IFDIR | 0555,
	.i_op	= &threads_iops,
	.i_fop	= &threads_fops,
};
