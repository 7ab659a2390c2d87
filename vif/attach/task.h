/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes and threads are subjects: children inherit attachments at fork and clone, exec keeps
 * them, and they end with the task.
 */
#ifndef NETNICE_VIF_TASK_H
#define NETNICE_VIF_TASK_H

#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "subject.h"

struct pid;
struct task_struct;
struct vif;
struct vif_net;

/* Stop the worker that kills children. Context: process; vif_lost_kill() is not called any more. */
void vif_lost_stop(void);

/*
 * Is any running process or thread attached? A process has an entry while one of its threads is
 * attached; a thread's entry may end after it.
 */
static inline bool vif_task_any(void)
{
	return vif_subject_any(VIF_PROCESS);
}

/* Does a user's task run, and not a softirq that has interrupted it? */
static inline bool vif_task_is_acting(void)
{
	return !in_serving_softirq() && !in_hardirq() && !(current->flags & PF_KTHREAD);
}

/**
 * vif_task_current() - get the running thread's entry, or else its process's entry
 *
 * Context: process context of a user's task, caller holds rcu_read_lock().
 * Return: valid under rcu_read_lock(), or NULL.
 */
static inline struct vif_subject *vif_task_current(void)
{
	struct vif_subject *task = NULL;

	if (vif_subject_any(VIF_THREAD))
		task = vif_subject_find(current);
	if (!task && vif_subject_any(VIF_PROCESS))
		task = vif_subject_find(current->signal);
	return task;
}

/**
 * vif_task_id() - name a process or thread
 * @kind: VIF_PROCESS or VIF_THREAD
 * @pid: the pid of a process's leader, or of a thread
 * @up: room for a thread's process; the caller puts @up->pid if it is set
 * @id: result; refers to @pid and @up
 *
 * Context: any.
 * Return: 0, -ESRCH it has exited, -EINVAL a kernel thread, -EAGAIN it has not begun to run.
 */
int vif_task_id(enum vif_kind kind, struct pid *pid, struct vif_subject_id *up,
		struct vif_subject_id *id);

/**
 * vif_task_settle() - wait for a task to begin to run
 * @pid: its number
 *
 * The wait is bounded, because the task that creates it may be stopped meanwhile.
 * Context: process, sleeps, without locks.
 */
void vif_task_settle(struct pid *pid);

/**
 * vif_task_after() - walk processes that are attached, or have attached threads
 * @vn: only attachments on devices of this namespace count
 * @pos: see vif_subject_after()
 *
 * Context: process, may sleep.
 * Return: the process's entry, referenced, or NULL.
 */
struct vif_subject *vif_task_after(const struct vif_net *vn, u64 *pos);

/*
 * Is a process attached on no device of a namespace? False if it has ended, or does not run yet,
 * and so may have yet to inherit its attachments. Context: any.
 */
bool vif_task_is_free(struct pid *pid, const struct vif_net *vn);

/**
 * vif_task_only_ended() - have all tasks exited that are attached to a VIF?
 * @vif: the VIF
 *
 * An entry ends an RCU grace period after its task has been waited for. Until then the VIF is in
 * use.
 * Context: process, may sleep.
 * Return: whether only such tasks, or none, are attached to it.
 */
bool vif_task_only_ended(struct vif *vif);

/**
 * vif_task_new() - give a new task the attachments of the current task
 * @child: the new task
 * @thread: it is a thread of the same process
 *
 * Context: as a tracepoint's probe.
 */
void vif_task_new(struct task_struct *child, bool thread);

/**
 * vif_task_free() - end the entry of a task that has exited and been waited for
 * @task: the task
 *
 * Context: as a tracepoint's probe.
 */
void vif_task_free(struct task_struct *task);

#endif
