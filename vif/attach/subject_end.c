// SPDX-License-Identifier: GPL-2.0
/*
 * An entry ends in two steps: what tells that its subject has gone, maybe a probe, takes it
 * out of the table; a worker does what may sleep: its VIFs may have to go. A control group
 * that was removed keeps its entry for the sockets that it leaves, but does not count any
 * more. Of devices that have gone all sets forget, in walks over all entries.
 */
#include "subject_end.h"

#include <linux/jiffies.h>
#include <linux/kernfs.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "../tree/net.h"
#include "charge.h"
#include "subject_inherit.h"
#include "subject_priv.h"
#include "subject_walk.h"

/* Time of the next check for remains of removed devices. */
#define FORGET_AGAIN	HZ

/* Entries that have left the table, on their way to vif_subject_bury_work(). */
static LLIST_HEAD(gone);

/* See vif_subject_when_gone(). */
static void (*when_gone)(struct vif_subject *subject);

static void vif_subject_bury_work(struct work_struct *work);
static void vif_subject_forget_work(struct work_struct *work);
static DECLARE_WORK(vif_subject_bury, vif_subject_bury_work);
static DECLARE_DELAYED_WORK(vif_subject_forget, vif_subject_forget_work);

void vif_subject_when_gone(void (*fn)(struct vif_subject *subject))
{
	when_gone = fn;
}

/*
 * A task that enters a subject has found the object. The event of the object's end comes after all
 * such tasks, so it sees the subject counted.
 */
void vif_subject_end(enum vif_kind kind, const void *key)
{
	struct vif_subject *subject;
	unsigned long flags;

	if (!vif_subject_any(kind))
		return;
	/* most have none: they do not meet others at the lock */
	rcu_read_lock();
	subject = vif_subject_find(key);
	rcu_read_unlock();
	if (!subject)
		return;
	raw_spin_lock_irqsave(&vif_subject_table_lock, flags);
	subject = vif_subject_find(key);
	if (subject)
		__vif_subject_del(subject);
	raw_spin_unlock_irqrestore(&vif_subject_table_lock, flags);
	if (!subject)
		return;
	/* at once: many may end before they are buried, and a task is large */
	if (vif_subject_is_task(kind))
		put_task_struct(subject->task);
	if (llist_add(&subject->gone, &gone))
		queue_work(vif_wq, &vif_subject_bury);
}

/* Control groups that have been removed, and wait for their last socket. */
static atomic_t retired = ATOMIC_INIT(0);

void vif_subject_retire(enum vif_kind kind, const void *key)
{
	struct vif_subject *subject;

	/* pairs with publish(): it finds the subject gone, or its entry is found here */
	smp_mb();
	if (!vif_subject_any(kind))
		return;
	rcu_read_lock();
	subject = vif_subject_find(key);
	if (subject) {
		WRITE_ONCE(subject->retired, jiffies | 1);
		atomic_inc(&retired);
		queue_work(vif_wq, &vif_subject_bury);
	}
	rcu_read_unlock();
}

static void vif_subject_uncount(struct vif_subject *subject)
{
	lockdep_assert_held(&vif_subject_mutex);
	if (subject->ended)
		return;
	subject->ended = true;
	vif_set_count_out(rcu_dereference(subject->set));
}

void vif_subject_retire_now(const struct vif_subject_id *id, const struct vif_dev *vdev,
			    struct vif *was[VIF_ORIGINS])
{
	struct vif_subject *subject;

	vif_subject_lock();
	rcu_read_lock();
	subject = vif_subject_find_live(id);
	vif_subject_vifs(subject, vdev, was);
	if (subject) {
		WRITE_ONCE(subject->retired, jiffies | 1);
		vif_subject_uncount(subject);
	}
	rcu_read_unlock();
	vif_subject_unlock();
}

static void vif_subject_uncount_retired(struct vif_subject *subject, void *arg)
{
	if (READ_ONCE(subject->retired))
		vif_subject_uncount(subject);
}

/*
 * The second half of an end: its VIFs may have to be removed. A task may have many sockets: no task
 * waits for them, and no other code ends an entry by which they could continue in the meantime.
 */
static void vif_subject_bury_one(struct vif_subject *subject)
{
	if (vif_subject_is_task(subject->kind))
		when_gone(subject);
	vif_subject_lock();
	if (!vif_subject_is_task(subject->kind))
		when_gone(subject);
	rcu_read_lock();
	vif_subject_uncount(subject);
	rcu_read_unlock();
	if (subject->kind == VIF_SOCKET)
		sock_put(subject->sk);
	if (subject->kind == VIF_CGROUP)
		kernfs_put(subject->group);
	vif_subject_unlock();
	vif_subject_put(subject);
}

static void vif_subject_bury_work(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&gone);
	struct vif_subject *subject, *next;

	if (atomic_xchg(&retired, 0))
		vif_subject_each_change(vif_subject_uncount_retired, NULL);
	llist_for_each_entry_safe(subject, next, list, gone) {
		vif_subject_bury_one(subject);
		cond_resched();
	}
}

/* The set may be shared and already processed: charges are checked anyway. */
static void vif_subject_forget_one(struct vif_subject *subject, void *arg)
{
	struct vif_set *set = rcu_dereference(subject->set);

	vif_set_forget(set);
	vif_charge_settle(&subject->charges, set);
}

/*
 * Walks that are to begin: one for all devices that have gone by then, and another one for tasks
 * that were born behind it, of a parent that it did not come to any more.
 */
static atomic_t walks = ATOMIC_INIT(0);

/* If a device goes during a walk, both of its walks are still to begin. */
static void vif_subject_forget_work(struct work_struct *work)
{
	int left = atomic_xchg(&walks, 0) - 1;

	vif_subject_each_change(vif_subject_forget_one, NULL);
	if (left > 0 && !atomic_cmpxchg(&walks, 0, left))
		queue_delayed_work(vif_wq, &vif_subject_forget, FORGET_AGAIN);
}

void vif_subject_forget_gone(void)
{
	atomic_set(&walks, 2);
	mod_delayed_work(vif_wq, &vif_subject_forget, 0);
}

static void vif_subject_end_one(struct vif_subject *subject, void *arg)
{
	vif_subject_end(subject->kind, subject->key);
}

void vif_subject_exit(void)
{
	/* closed sockets are still looked for, which ends entries, too */
	vif_subject_each_change(vif_subject_end_one, NULL);
	/* the caller that has just ended one queues its burial */
	vif_subject_lock();
	vif_subject_unlock();
	flush_work(&vif_subject_bury);
	cancel_delayed_work_sync(&vif_subject_forget);
	vif_subject_refill_stop();
}
