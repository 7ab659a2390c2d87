/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of attached processes, as packets and tracepoints see it.
 *
 * A process is known by its signal_struct, which all of its threads share,
 * which exec keeps, and whose address is not used again before the event
 * that ends the entry (sched_process_free, after the files are closed).
 */
#ifndef NETNICE_VIF_ATTACH_H
#define NETNICE_VIF_ATTACH_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>

struct task_struct;
struct vif;
struct vif_dev;

/**
 * struct vif_set - what a process is attached to: at most one VIF a device
 * @refs: tasks that share it: children share their parent's until one changes
 * @rcu: readers in packet context
 * @count: entries
 * @vif: each referenced. Entries do not change, but for those of a device
 *	that goes, which become NULL.
 */
struct vif_set {
	refcount_t refs;
	struct rcu_head rcu;
	unsigned int count;
	struct vif __rcu *vif[];
};

/**
 * struct vif_task - a process with attachments
 * @node: in the table, or among the spare ones
 * @gone: on the list of exited ones
 * @key: its signal_struct; an address to compare, not to follow
 * @pid: its thread group (referenced)
 * @set: changed under the attach mutex
 * @refs: holders: the table, each socket record
 * @socks: struct vif_sock.of_task; guarded by the socket table's lock
 * @rcu: readers in packet context
 */
struct vif_task {
	struct hlist_node node;
	struct llist_node gone;
	const void *key;
	struct pid *pid;
	struct vif_set __rcu *set;
	refcount_t refs;
	struct list_head socks;
	struct rcu_head rcu;
};

int vif_attach_init(void);

/* Ends all entries. Context: process; no event can come any more. */
void vif_attach_exit(void);

/* Is any process attached to anything? */
bool vif_attach_any(void);

/**
 * vif_attach_current() - the running process's entry
 *
 * Context: process context of a user's task, inside RCU.
 * Return: valid inside RCU, or NULL.
 */
struct vif_task *vif_attach_current(void);

/**
 * vif_attach_find() - what a process is attached to on a device
 * @task: the process
 * @vdev: the device
 *
 * Context: inside RCU.
 * Return: valid inside RCU, or NULL.
 */
struct vif *vif_attach_find(const struct vif_task *task,
			    const struct vif_dev *vdev);

/* Take a reference; false if the object's end has begun. Inside RCU. */
static inline bool vif_attach_get(struct vif_task *task)
{
	return refcount_inc_not_zero(&task->refs);
}

/* Context: any. */
void vif_attach_put(struct vif_task *task);

/**
 * vif_attach_replace() - change what a process is attached to on a device
 * @pid: a thread group
 * @vdev: the device
 * @old: only if it is attached to this one; NULL for whatever it is
 * @new: the VIF to attach it to, NULL for none
 *
 * Context: process, may sleep.
 * Return: 0, -ESRCH the process has gone, -ENOENT it is not attached to
 *	@old, -EINVAL a kernel thread, -ENOMEM.
 */
int vif_attach_replace(struct pid *pid, const struct vif_dev *vdev,
		       const struct vif *old, struct vif *new);

/**
 * vif_attach_entry() - run a function on a process's entry
 * @pid: a thread group
 * @fn: called inside RCU
 * @arg: for @fn
 *
 * Context: any.
 */
void vif_attach_entry(struct pid *pid,
		      void (*fn)(struct vif_task *task, void *arg), void *arg);

/**
 * vif_attach_for_each() - run a function on all entries
 * @fn: called inside RCU, in no particular order
 * @arg: for @fn
 *
 * Context: any.
 */
void vif_attach_for_each(void (*fn)(struct vif_task *task, void *arg),
			 void *arg);

/**
 * vif_attach_dev_gone() - forget all attachments to a device
 * @vdev: the device; its VIFs are out of the tree
 *
 * Context: process, may sleep.
 */
void vif_attach_dev_gone(const struct vif_dev *vdev);

/**
 * vif_attach_fork() - a process has been made by the current one
 * @child: it
 *
 * Context: as a tracepoint's probe.
 */
void vif_attach_fork(struct task_struct *child);

/**
 * vif_attach_free() - a task has exited and been waited for
 * @task: it
 *
 * Context: as a tracepoint's probe.
 */
void vif_attach_free(struct task_struct *task);

#endif
