// SPDX-License-Identifier: GPL-2.0
/*
 * Two files of a VIF list its attachments. "tasks" lists processes and threads, by the numbers of
 * the superblock's PID namespace; a number that is written is attached. "sockets" lists sockets.
 * Both walk the table of all attachments (vif/attach/target.c), in no particular order. A position
 * is the place of the last one shown.
 */
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../vif/attach/subject.h"
#include "../vif/attach/target.h"
#include "../vif/grammar/units.h"
#include "../vif/tree/access.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/vif.h"
#include "internal.h"

static void *nnfs_members_start(struct seq_file *seq, loff_t *pos)
{
	struct nnfs_open *open = seq->private;

	if (READ_ONCE(open->vif->dead))
		return ERR_PTR(-ENODEV);
	open->place = *pos;
	open->member = vif_attached_after(vif_net_of_vif(open->vif), open->vif,
					  &open->place);
	return open->member;
}

static void nnfs_members_stop(struct seq_file *seq, void *v)
{
	struct nnfs_open *open = seq->private;

	if (open->member)
		vif_subject_put(open->member);
	open->member = NULL;
}

static void *nnfs_members_next(struct seq_file *seq, void *v, loff_t *pos)
{
	const struct nnfs_open *open = seq->private;

	*pos = open->place;
	nnfs_members_stop(seq, v);
	return nnfs_members_start(seq, pos);
}

static void nnfs_members_print_task(struct seq_file *seq, const struct vif_target *task)
{
	struct pid_namespace *ns = nnfs_super(file_inode(seq->file)->i_sb)->pid_ns;
	struct vif_task_nr nr;

	if (!vif_target_nr(task, ns, &nr))
		return;
	if (nr.tid)
		seq_printf(seq, "%d/%d\n", nr.pid, nr.tid);
	else
		seq_printf(seq, "%d\n", nr.pid);
}

static int nnfs_members_tasks_show(struct seq_file *seq, void *v)
{
	struct vif_subject *subject = v;
	struct vif_target target;

	if (subject->kind != VIF_PROCESS && subject->kind != VIF_THREAD)
		return SEQ_SKIP;
	if (vif_target_of(subject, &target))
		nnfs_members_print_task(seq, &target);
	vif_target_put(&target);
	return 0;
}

static int nnfs_members_socks_show(struct seq_file *seq, void *v)
{
	struct vif_subject *subject = v;
	struct vif_target target;

	if (subject->kind != VIF_SOCKET)
		return SEQ_SKIP;
	if (vif_target_of(subject, &target))
		nnfs_sockinfo_line(seq, target.sk);
	vif_target_put(&target);
	return 0;
}

const struct seq_operations nnfs_tasks_seq = {
	.start	= nnfs_members_start,
	.next	= nnfs_members_next,
	.stop	= nnfs_members_stop,
	.show	= nnfs_members_tasks_show,
};

const struct seq_operations nnfs_socks_seq = {
	.start	= nnfs_members_start,
	.next	= nnfs_members_next,
	.stop	= nnfs_members_stop,
	.show	= nnfs_members_socks_show,
};

/* "PID", or "PID/TID" for a thread; "0" means the writing process. */
static int nnfs_members_parse(const char *text, int *pid, int *tid)
{
	const char *slash = strchrnul(text, '/');
	const struct vif_word first = { text, slash - text };
	const struct vif_word second = { slash + 1, strlen(slash + !!*slash) };
	int err = vif_parse_number(&first, pid);

	*tid = 0;
	if (!err && *slash)
		err = vif_parse_number(&second, tid);
	return err ?: *slash && !*tid ? -EINVAL : err;
}

/* Return the process of thread @nr, referenced, or NULL. */
static struct pid *nnfs_members_get_process(struct pid_namespace *ns, int nr)
{
	struct task_struct *task;
	struct pid *pid = NULL;

	rcu_read_lock();
	task = nr ? pid_task(find_pid_ns(nr, ns), PIDTYPE_PID) : current;
	if (task)
		pid = get_pid(task_tgid(task));
	rcu_read_unlock();
	return pid;
}

/* Set @target, referenced, or return -ESRCH. */
static int nnfs_members_find_target(struct pid_namespace *ns, int nr, int tid,
				    struct vif_target *target)
{
	struct pid *process = nnfs_members_get_process(ns, nr), *of_thread;

	if (!process)
		return -ESRCH;
	*target = (struct vif_target) {
		.kind = VIF_PROCESS,
		.pid = process,
	};
	if (!tid)
		return 0;
	of_thread = nnfs_members_get_process(ns, tid);
	target->kind = VIF_THREAD;
	target->pid = of_thread == process ? nnfs_pid_get(ns, tid) : NULL;
	put_pid(of_thread);
	put_pid(process);
	return target->pid ? 0 : -ESRCH;
}

int nnfs_tasks_store(struct file *file, struct vif *vif, char *text)
{
	const struct nnfs_super *super = nnfs_super(file_inode(file)->i_sb);
	struct vif_target target;
	int nr, tid, err;

	if (nnfs_members_parse(text, &nr, &tid))
		return vif_fail(super->net, -EINVAL,
				"tasks: '%s' is not a process: write its number, PROCESS/THREAD, or 0 for the writer itself",
				text);
	if (nnfs_members_find_target(super->pid_ns, nr, tid, &target))
		return vif_fail(super->net, -ESRCH,
				tid ? "tasks: process %d has no thread %d" :
				      "tasks: no process %d", nr, tid);
	if (!vif_access_task(target.pid))
		err = vif_fail(super->net, -EPERM,
			       "tasks: process %d is another user's, or may not be traced",
			       nr);
	else
		err = vif_target_attach(vif, &target);
	vif_target_put(&target);
	return err;
}
