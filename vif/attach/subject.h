/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Subjects: objects of any kind that have attachments, as packets see them.
 *
 * A subject is known by an address: of a task; of the signal_struct that the threads of a process
 * share and exec keeps; of a socket; of a control group's node in kernfs; or of a device. While the
 * entry is in the table it holds the object at this address, so the address cannot be reused. An
 * event reports that the object is gone. If the event is late or lost, an entry without an object
 * remains.
 *
 * An entry does not hold a device, because the device's removal would wait for that. The device's
 * removal ends the entry itself, under the tree mutex. Entries of devices are created only under
 * this mutex.
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
 * struct vif_subject - an object with attachments
 * @node: in the table, or in the reserve
 * @gone: in the list of entries that have ended
 * @kind: kind of the object
 * @ended: its attachments are not counted any more; attach mutex
 * @key: see above; an address to compare
 * @set: changed under the attach mutex
 * @refs: holders: the table, socket records, a process's threads
 * @number: see struct vif_subject_id; set if @net is
 * @has_threads: of a process: some of its threads have been attached themselves
 * @retired: time of vif_subject_retire(), in jiffies, or 0
 * @id: a unique number while it is in the table; it reveals neither addresses nor an order
 * @up: of a thread, its process (referenced)
 * @pid: of a process (referenced)
 * @task: the thread, or the process's leader, which exec may change (referenced while it
 *	is in the table)
 * @sk: the socket (referenced until it is buried)
 * @group: the control group's node (referenced until it is buried)
 * @net: the namespace in which it was attached first (referenced), NULL if it has inherited
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

/* Is any object of a kind attached? */
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
 * vif_subject_vifs() - get the VIFs to which a subject itself is attached on a device
 * @subject: the subject, or NULL
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
 * struct vif_subject_id - an object that may have an entry or not
 * @kind: kind of the object
 * @find: finds the object: a task (any task of a process), a socket, a control group's node or a
 * device
 * @up: of a thread, its process
 * @pid: of a process or thread
 * @ptr: the socket, control group or device
 * @number: number that is shown even after the object is gone: the thread's number in its own PID
 *	namespace, the group's number, the device's index
 * @level: of a control group
 *
 * @find is called under rcu_read_lock(), or while the object of @ptr is held. It returns NULL if
 * the object is gone: then the event that ends an entry has come, or is not needed. It may be
 * called under the table's lock.
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
 * vif_subject_nth() - walk the VIFs of an entry, of any origin
 * @subject: the entry, referenced
 * @index: in: where to begin, 0 for the first; out: where the VIF was found
 * @vif: result, referenced
 * @origin: its origin
 *
 * Context: any.
 * Return: true if there was one.
 */
bool vif_subject_nth(const struct vif_subject *subject, unsigned int *index,
		     struct vif **vif, enum vif_origin *origin);

/* Return the number in its own PID namespace, even after its exit. */
pid_t vif_subject_pid_nr(struct pid *pid);

/* Take the attach mutex: no attachment changes, and no entry releases its socket. May sleep. */
void vif_subject_lock(void);

void vif_subject_unlock(void);

/*
 * Return the entry of an object that exists, or NULL. Caller holds rcu_read_lock(), under which it
 * is valid.
 */
struct vif_subject *vif_subject_find_live(const struct vif_subject_id *id);

/**
 * vif_subject_run() - run a function on an object's entry
 * @id: the object
 * @fn: called under rcu_read_lock(), if it has an entry
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
 * @fn: called under rcu_read_lock(), with the attach mutex held, in no particular order. It may
 *	change the entry, which keeps its socket meanwhile
 * @arg: for @fn
 *
 * The mutex is released in between, so that others do not wait for the whole walk.
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
 * struct vif_subject_filter - selects the entries of a walk
 * @is: does the walk include this entry? Called under rcu_read_lock()
 */
struct vif_subject_filter {
	bool (*is)(const struct vif_subject *subject,
		   const struct vif_subject_filter *filter);
};

/**
 * vif_subject_after() - walk entries
 * @pos: in: position of the previous entry, 0 for the first; out: position of this entry, which is
 *	greater, and below 1 << 60
 * @filter: selects entries; NULL: all
 *
 * Entries that exist during the whole walk are found once, in no particular order. The walk ends
 * early if the running task is being killed.
 * Context: process, may sleep.
 * Return: the entry, referenced, or NULL.
 */
struct vif_subject *vif_subject_after(u64 *pos, const struct vif_subject_filter *filter);

/**
 * vif_subject_inherit() - give a new task its parent's attachments
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

/**
 * vif_subject_when_gone() - set the function that is called for each entry that ends
 * @fn: called in process context, before the entry's VIFs may be removed
 *
 * Context: process, before the first entry.
 */
void vif_subject_when_gone(void (*fn)(struct vif_subject *subject));

/* End all entries. Context: process; no event can come any more. */
void vif_subject_exit(void);

/**
 * vif_subject_end() - end the entry of an object that is gone
 * @kind: the object's kind
 * @key: its address
 *
 * The entry, if there is one, leaves the table. A work item does the rest.
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
 * vif_subject_retire_now() - end the attachments of a socket whose packets may still be queued
 * @id: the socket
 * @vdev: a device
 * @was: result: the VIFs to which it was attached there
 *
 * The entry stays until the socket is closed and no queued packet has it, or 10 s have passed.
 * Context: process; takes the attach mutex.
 */
void vif_subject_retire_now(const struct vif_subject_id *id, const struct vif_dev *vdev,
			    struct vif *was[VIF_ORIGINS]);

/* Remove all attachments to removed devices, soon. Context: any. */
void vif_subject_forget_gone(void);

/**
 * vif_subject_replace() - change an object's attachment on a device
 * @id: the object
 * @vdev: the device
 * @origin: administrator or user
 * @old: change it only if this is the VIF that is shown; NULL for any
 * @new: the VIF to attach it to, NULL for none
 * @was: result: the VIFs to which it was attached before
 *
 * Context: process, may sleep; the tree mutex is held, which keeps the VIFs of @was.
 * Return: 0, 1 nothing has changed, -ESRCH the object is gone, -ENOENT it is not attached to @old,
 *	-EPERM it would leave the VIF that an administrator has given it, -ENOSPC too many objects
 *	of the kind in the namespace, or too many devices for one object, -EDQUOT the user's limit
 *	is reached, -ENOMEM.
 */
int vif_subject_replace(const struct vif_subject_id *id,
			struct vif_dev *vdev, enum vif_origin origin,
			const struct vif *old, struct vif *new,
			struct vif *was[VIF_ORIGINS]);

#endif
