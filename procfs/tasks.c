// SPDX-License-Identifier: GPL-2.0
/*
 * The directories /tasks, in which each process can be looked up and processes with attachments are
 * listed; /tasks/PID, with the attachments of a process, its threads and sockets; and
 * /tasks/PID/threads. A process or thread is known by its struct pid; its number is that of the
 * superblock's PID namespace. vif/attach/task.c finds tasks with attachments, sockets.c has
 * /tasks/PID/sockets.
 */
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/attach/task.h"
#include "../vif/tree/access.h"
#include "internal.h"

/* Inode numbers: "self" as an offset to /tasks; a process's directories, and offsets below them. */
#define SELF_INO	4
#define TASK_INO(nr)	nnfs_ino(NNFS_INO_TASK, (u64)(nr) << 34)
#define THREADS_INO	(1ULL << 32)
#define SOCKETS_INO	(2ULL << 32)

/* A number needs this much room as text. */
#define NUMBER_SIZE	12

struct pid *nnfs_pid_get(struct pid_namespace *ns, int nr)
{
	struct pid *pid;

	rcu_read_lock();
	pid = get_pid(find_pid_ns(nr, ns));
	rcu_read_unlock();
	return pid;
}

static struct pid *nnfs_task_pid_by_name(const struct inode *dir, const struct qstr *name)
{
	return nnfs_pid_get(nnfs_super(dir->i_sb)->pid_ns, nnfs_dir_number(name));
}

static bool nnfs_task_is_thread_of(struct pid *pid, struct pid *process)
{
	struct task_struct *task;
	bool is;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	is = task && task_tgid(task) == process;
	rcu_read_unlock();
	return is;
}

static const struct nnfs_kind thread_kind = {
	.mode	= S_IFDIR | 0755,
	.i_op	= &nnfs_target_iops,
	.i_fop	= &nnfs_dir_fops,
	.alive	= nnfs_target_alive,
	.first	= NNFS_LINKS,
};

static struct inode *nnfs_task_thread_find(struct inode *dir, const struct qstr *name)
{
	const struct vif_target target = {
		.kind = VIF_THREAD,
		.pid = nnfs_task_pid_by_name(dir, name),
	};
	struct inode *inode = NULL;

	if (target.pid && nnfs_task_is_thread_of(target.pid, nnfs_i(dir)->pid))
		inode = nnfs_inode_below(dir, &thread_kind,
					 dir->i_ino + nnfs_dir_number(name),
					 &target);
	put_pid(target.pid);
	return inode;
}

/* Return the number of the thread with the next greater number, or 0. */
static pid_t nnfs_task_thread_after(const struct inode *dir, pid_t after)
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

/* Positions are numbers. */
static bool nnfs_task_thread_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry)
{
	pid_t nr = nnfs_task_thread_after(dir, min_t(u64, *pos, INT_MAX));

	*pos = nr;
	nnfs_dir_number_entry(entry, nr, dir->i_ino + nr);
	return nr;
}

static const struct nnfs_kind threads_kind = {
	.mode	= S_IFDIR | 0555,
	.i_op	= &nnfs_list_iops,
	.i_fop	= &nnfs_dir_fops,
	.rest	= { .find = nnfs_task_thread_find, .next = nnfs_task_thread_next },
};

/* Is the number in use by a process, and not by another thread? */
static bool nnfs_task_is_process(struct pid *pid)
{
	bool is;

	rcu_read_lock();
	is = pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return is;
}

/* A process that has exited can be found until it has been waited for. */
static bool nnfs_task_alive(const struct inode *inode, const struct qstr *name)
{
	return nnfs_task_is_process(nnfs_i(inode)->pid);
}

/* The entries of a process's directory, besides its attachments. */
static const struct nnfs_fixed task_entries[] = {
	{ "threads", &threads_kind, THREADS_INO },
	{ "sockets", &nnfs_sockets_kind, SOCKETS_INO },
	{}
};

static const struct nnfs_kind task_kind = {
	.mode	= S_IFDIR | 0755,
	.i_op	= &nnfs_target_iops,
	.i_fop	= &nnfs_dir_fops,
	.alive	= nnfs_task_alive,
	.first	= NNFS_LINKS,
	.rest	= { .fixed = task_entries },
};

static struct inode *nnfs_task_find(struct inode *dir, const struct qstr *name)
{
	const struct vif_target target = {
		.kind = VIF_PROCESS,
		.pid = nnfs_task_pid_by_name(dir, name),
	};
	struct inode *inode = NULL;

	if (target.pid && nnfs_task_is_process(target.pid))
		inode = nnfs_inode_below(dir, &task_kind,
					 TASK_INO(nnfs_dir_number(name)),
					 &target);
	put_pid(target.pid);
	return inode;
}

/*
 * Set the entry, if the process has a number in the superblock's namespace, and the caller may see
 * it.
 */
static void nnfs_show_task(struct inode *dir, struct pid *pid, struct nnfs_entry *entry)
{
	pid_t nr = pid_nr_ns(pid, nnfs_super(dir->i_sb)->pid_ns);

	nnfs_dir_number_entry(entry, nr, TASK_INO(nr));
	if (!nr || !nnfs_task_is_process(pid) || !vif_access_task(pid))
		*entry->name = '\0';
}

/* List processes that are attached or have attached threads. Positions are indexes of a table. */
static bool nnfs_task_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry)
{
	struct vif_subject *process = vif_task_after(nnfs_net(dir), pos);

	if (!process)
		return false;
	nnfs_show_task(dir, process->pid, entry);
	vif_subject_put(process);
	return true;
}

static const char *nnfs_task_self_get_link(struct dentry *dentry, struct inode *inode,
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

static const struct inode_operations nnfs_self_iops = {
	.get_link	= nnfs_task_self_get_link,
	.setattr	= nnfs_setattr_fixed,
};

static const struct nnfs_kind self_kind = {
	.mode	= S_IFLNK | 0777,
	.i_op	= &nnfs_self_iops,
	.kept	= true,
};

static const struct nnfs_fixed tasks_entries[] = {
	{ "self", &self_kind, SELF_INO },
	{}
};

const struct nnfs_kind nnfs_tasks_kind = {
	.mode	= S_IFDIR | 0555,
	.i_op	= &nnfs_list_iops,
	.i_fop	= &nnfs_dir_fops,
	.kept	= true,
	.first	= { .fixed = tasks_entries },
	.rest	= { .find = nnfs_task_find, .next = nnfs_task_next },
};
