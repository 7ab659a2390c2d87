/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Subjects: objects of any kind that have attachments, as packets see them.
 *
 * A subject is known by an address: that of the task, of the signal_struct that the threads of a
 * process share and exec keeps, of the socket, of the control group's node in kernfs, of the
 * device. While the entry is in the table it holds the object at this address, so the address
 * cannot be reused. An event reports that the subject is gone: if it is late or lost, an entry
 * without an object remains. A device is not held, as its removal would wait for that: it ends its
 * entry itself, under the tree mutex, by which alone it can get one.
 */
#ifndef NETNICE_VIF_SUBJECT_H
#define NETNICE_VIF_SUBJECT_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "set.h"

struct kernfs_node;
struct pid;
struct sock;
struct task_struct;
struct vif;
struct vif_dev;
struct vif_net;

/**
 * struct vif_subject - something with attachments
 * @node: in the table, or among the spare ones
 * @gone: on the list of those that have ended
 * @kind: what it is
 * @ended: its attachments are not counted any more; attach mutex
 * @key: see above; an address to compare
 * @set: changed under the attach mutex
 * @refs: holders: the table, socket records, a process's threads
 * @number: see struct vif_subject_id; set if @net is
 * @has_threads: of a process: threads of it have been attached themselves
 * @retired: vif_subject_retire(): since when, in jiffies, or 0
 * @id: a unique number while it is in the table, which reveals nothing
 * @up: of a thread, its process (referenced)
 * @pid: of a process (referenced)
 * @task: the thread, or the process's leader, which exec may change (referenced while it
 *	is in the table)
 * @sk: the socket (referenced until it is buried)
 * @group: the control group's node (referenced until it is buried)
 * @net: where it was attached first (referenced), NULL if it has inherited
 * @charges: its charges; attach mutex
 * @socks: struct vif_sock.of_task; guarded by the socket table's lock
 * @rcu: readers in packet context
 */
struct vif_subject {
	struct hlist_node node;
	struct llist_node gone;
	enum vif_kind kind;
	bool ended;
	bool has_threads;
	unsigned long retired;
	const void *key;
	struct vif_set __rcu *set;
	refcount_t refs;
	u64 number;
	u64 id;
	union {
		struct vif_subject *up;
		struct pid *pid;
	};
	union {
		struct task_struct *task;
		struct sock *sk;
		struct kernfs_node *group;
	};
	struct vif_net *net;
	struct hlist_head charges;
	struct list_head socks;
	struct rcu_head rcu;
};

extern unsigned int vif_subject_count[VIF_KINDS];

/* Is there any of a kind? */
static inline bool vif_subject_any(enum vif_kind kind)
{
	return READ_ONCE(vif_subject_count[kind]);
}

int vif_subject_table_init(void);

/**
 * vif_subject_find() - find an entry
 * @key: its address
 *
 * Context: caller holds rcu_read_lock().
 * Return: valid under rcu_read_lock(), or NULL.
 */
struct vif_subject *vif_subject_find(const void *key);

/**
 * vif_subject_vifs() - what a subject is attached to itself on a device
 * @subject: it, or NULL
 * @vdev: the device
 * @vif: result, see vif_set_find()
 *
 * Context: caller holds rcu_read_lock().
 */
static inline void vif_subject_vifs(const struct vif_subject *subject,
				    const struct vif_dev *vdev,
				    struct vif *vif[VIF_ORIGINS])
{
	vif_set_find(subject ? rcu_dereference(subject->set) : NULL, vdev, vif);
}

/* Take a reference; false if the object's end has begun. Caller holds rcu_read_lock(). */
static inline bool vif_subject_get(struct vif_subject *subject)
{
	return refcount_inc_not_zero(&subject->refs);
}

/* Context: any. */
void vif_subject_put(struct vif_subject *subject);

/**
 * struct vif_subject_id - a subject that need not have an entry
 * @kind: what it is
 * @find: finds what it is: a task, of a process any, a socket, a control group's node or
 *	a device
 * @up: of a thread, its process
 * @pid: of a process or thread
 * @ptr: the socket, control group or device
 * @number: what is told of a thread, control group or device, which may go meanwhile:
 *	the thread's number in its own namespace, the group's number, the device's index
 * @level: of a control group
 *
 * @find is called under rcu_read_lock(), or with what @ptr means held, and returns NULL if it
 * has gone, so that the event that ends an entry has come or need not come. It
 * may be called under the table's lock.
 */
struct vif_subject_id {
	enum vif_kind kind;
	void *(*find)(const struct vif_subject_id *id);
	const struct vif_subject_id *up;
	struct pid *pid;
	void *ptr;
	u64 number;
	int level;
};

/**
 * vif_subject_nth() - the VIFs of an entry, of whatever origin
 * @subject: referenced
 * @index: in: where to look from, 0 for the first; out: where it was found
 * @vif: result, referenced
 * @origin: its origin
 *
 * Context: any.
 * Return: true if there was one.
 */
bool vif_subject_nth(const struct vif_subject *subject, unsigned int *index,
		     struct vif **vif, enum vif_origin *origin);

/* The number in its own namespace, even after its exit. */
pid_t vif_subject_pid_nr(struct pid *pid);

/* While it is locked no attachment changes, and no entry's socket goes. May sleep. */
void vif_subject_lock(void);

void vif_subject_unlock(void);

/*
 * The entry that belongs to a live subject, or NULL. Caller holds rcu_read_lock(), where
 * it is valid.
 */
struct vif_subject *vif_subject_find_live(const struct vif_subject_id *id);

/* Entries, one or all: to look at, or to change. */

/**
 * vif_subject_run() - run a function on a subject's entry
 * @id: which
 * @fn: called under rcu_read_lock(), if there is one
 * @arg: for @fn
 *
 * Context: any.
 */
void vif_subject_run(const struct vif_subject_id *id,
		     void (*fn)(struct vif_subject *subject, void *arg),
		     void *arg);

/**
 * vif_subject_each() - run a function on all entries
 * @fn: called under rcu_read_lock(), in no particular order
 * @arg: for @fn
 *
 * Context: process, may sleep.
 */
void vif_subject_each(void (*fn)(struct vif_subject *subject, void *arg),
		      void *arg);

/**
 * vif_subject_each_change() - run a function on all entries
 * @fn: called under rcu_read_lock(), with the attach mutex held, in no particular order: it may
 *	change them, and an entry's socket does not go
 * @arg: for @fn
 *
 * The mutex is let go in between: how long the walk takes others do not wait.
 * Context: process, may sleep.
 */
void vif_subject_each_change(void (*fn)(struct vif_subject *subject, void *arg),
			     void *arg);

/**
 * vif_subject_run_locked() - run a function while an entry is in the table
 * @subject: valid under rcu_read_lock()
 * @fn: called with interrupts off, unless the entry has ended
 * @arg: for @fn
 *
 * Context: any, caller holds rcu_read_lock().
 */
void vif_subject_run_locked(struct vif_subject *subject,
			    void (*fn)(struct vif_subject *subject, void *arg),
			    void *arg);

/**
 * struct vif_subject_filter - which entries a walk is about
 * @is: is it one of them? Called under rcu_read_lock()
 */
struct vif_subject_filter {
	bool (*is)(const struct vif_subject *subject,
		   const struct vif_subject_filter *filter);
};

/**
 * vif_subject_after() - walk entries
 * @pos: in: place of the last one seen, 0 for the first; out: of the one found, which is
 *	greater, and below 1 << 60
 * @filter: which; NULL: all
 *
 * Whatever is there all the time is found once, in no particular order.
 * Context: process, may sleep; who is to be killed sees no more.
 * Return: the entry, referenced, or NULL.
 */
struct vif_subject *vif_subject_after(u64 *pos, const struct vif_subject_filter *filter);

/* Child tasks inherit attachments. */

/**
 * vif_subject_inherit() - give a new task what its parent is attached to
 * @kind: VIF_PROCESS or VIF_THREAD
 * @from: the parent's entry
 * @child: the task
 * @up: of a thread, its process's entry
 *
 * Context: as a tracepoint's probe, under rcu_read_lock(); the child does not run yet.
 * Return: the child's entry, referenced by the table only, or NULL without memory.
 */
struct vif_subject *vif_subject_inherit(enum vif_kind kind,
					struct vif_subject *from,
					struct task_struct *child,
					struct vif_subject *up);

/* The end of subjects, and of devices that they are attached on. */

/**
 * vif_subject_when_gone() - have something done for each entry that ends
 * @fn: called in process context, before the entry's VIFs may go
 *
 * Context: process, before there is any.
 */
void vif_subject_when_gone(void (*fn)(struct vif_subject *subject));

/* Ends all entries. Context: process; no event can come any more. */
void vif_subject_exit(void);

/**
 * vif_subject_end() - a subject is gone
 * @kind: its kind
 * @key: its address
 *
 * Its entry, if any, leaves the table; a work item does the rest.
 * Context: any, also as a tracepoint's probe.
 */
void vif_subject_end(enum vif_kind kind, const void *key);

/**
 * vif_subject_retire() - end a subject's attachments, but keep its entry for later packets
 * @kind: its kind
 * @key: its address
 *
 * The entry stays until vif_subject_end().
 * Context: any, also as a tracepoint's probe.
 */
void vif_subject_retire(enum vif_kind kind, const void *key);

/**
 * vif_subject_retire_now() - the same of a socket's, which has sent what may still wait
 * @id: the socket
 * @vdev: a device
 * @was: result: what it was attached to there
 *
 * The entry stays until the socket is closed, and nothing has it any more, or 10 s have passed.
 * Context: process; takes the attach mutex.
 */
void vif_subject_retire_now(const struct vif_subject_id *id, const struct vif_dev *vdev,
			    struct vif *was[VIF_ORIGINS]);

/* Have all attachments to devices that have gone be forgotten, soon. Context: any. */
void vif_subject_forget_gone(void);

/* Changes of a subject's attachments. */

/**
 * vif_subject_replace() - change what a subject is attached to on a device
 * @id: which
 * @vdev: the device
 * @origin: administrator or user
 * @old: only if this is the VIF that is shown; NULL for any
 * @new: the VIF to attach it to, NULL for none
 * @was: result: what it was attached to before
 *
 * Context: process, may sleep; the tree mutex is held, which keeps what @was says.
 * Return: 0, 1 it is attached so already, -ESRCH it has gone, -ENOENT it is not attached
 *	to @old, -EPERM it would leave what it has been given, -ENOSPC too many of the kind
 *	in the namespace, or devices for one, -EDQUOT the user's limit is reached,
 *	-ENOMEM.
 */
int vif_subject_replace(const struct vif_subject_id *id,
			struct vif_dev *vdev, enum vif_origin origin,
			const struct vif *old, struct vif *new,
			struct vif *was[VIF_ORIGINS]);

#endif
