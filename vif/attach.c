// SPDX-License-Identifier: GPL-2.0
/*
 * Two locks. The attach mutex makes changes of sets exclusive. The table's
 * lock is a raw one, for tracepoint probes run with preemption off, even on a
 * real-time kernel; it is held for a hash chain's length.
 */
#include "attach.h"

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "sock.h"
#include "vif.h"

#define TABLE_BITS	10

/* Entries kept for forks: a probe may not be able to allocate. */
#define SPARES		256

static DEFINE_HASHTABLE(table, TABLE_BITS);
static DEFINE_RAW_SPINLOCK(table_lock);
static unsigned int table_count;

static DEFINE_MUTEX(attach_mutex);

/* Under the table's lock. */
static HLIST_HEAD(spares);
static unsigned int spare_count;

/* Entries that have left the table, on their way to bury(). */
static LLIST_HEAD(exited);

static void refill(struct work_struct *work);
static void bury(struct work_struct *work);
static DECLARE_WORK(refill_work, refill);
static DECLARE_WORK(bury_work, bury);

bool vif_attach_any(void)
{
	return READ_ONCE(table_count);
}

static struct vif_task *find(const void *key)
{
	struct vif_task *task;

	hash_for_each_possible_rcu(table, task, node, (unsigned long)key,
				   lockdep_is_held(&table_lock))
		if (task->key == key)
			return task;
	return NULL;
}

struct vif_task *vif_attach_current(void)
{
	return vif_attach_any() ? find(current->signal) : NULL;
}

struct vif *vif_attach_find(const struct vif_task *task,
			    const struct vif_dev *vdev)
{
	struct vif_set *set = rcu_dereference(task->set);
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->vif[i]);

		if (vif && vif->dev == vdev)
			return vif;
	}
	return NULL;
}

static void set_put(struct vif_set *set)
{
	unsigned int i;

	if (!set || !refcount_dec_and_test(&set->refs))
		return;
	for (i = 0; i < set->count; i++)
		vif_put(rcu_dereference_protected(set->vif[i], true));
	kfree_rcu(set, rcu);
}

void vif_attach_put(struct vif_task *task)
{
	if (!refcount_dec_and_test(&task->refs))
		return;
	set_put(rcu_dereference_protected(task->set, true));
	put_pid(task->pid);
	kfree_rcu(task, rcu);
}

/* Count the process in, or out of, each VIF of its set. */
static void count_in(struct vif_set *set)
{
	unsigned int i;

	for (i = 0; i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->vif[i]);

		if (vif)
			atomic_inc(&vif->tasks);
	}
}

static void count_out(struct vif *vif)
{
	if (atomic_dec_and_test(&vif->tasks))
		vif_task_gone(vif);
}

static void init_task_entry(struct vif_task *task, const void *key,
			    struct pid *pid, struct vif_set *set)
{
	task->key = key;
	task->pid = get_pid(pid);
	RCU_INIT_POINTER(task->set, set);
	refcount_set(&task->refs, 1);
	INIT_LIST_HEAD(&task->socks);
}

static void __table_add(struct vif_task *task)
{
	lockdep_assert_held(&table_lock);
	hash_add_rcu(table, &task->node, (unsigned long)task->key);
	WRITE_ONCE(table_count, table_count + 1);
}

static void __table_del(struct vif_task *task)
{
	lockdep_assert_held(&table_lock);
	hash_del_rcu(&task->node);
	WRITE_ONCE(table_count, table_count - 1);
}

static void refill(struct work_struct *work)
{
	struct vif_task *task;
	unsigned long flags;

	while (READ_ONCE(spare_count) < SPARES) {
		task = kzalloc(sizeof(*task), GFP_KERNEL);
		if (!task)
			return;
		raw_spin_lock_irqsave(&table_lock, flags);
		hlist_add_head(&task->node, &spares);
		spare_count++;
		raw_spin_unlock_irqrestore(&table_lock, flags);
	}
}

static struct vif_task *__spare_get(void)
{
	struct vif_task *task;

	lockdep_assert_held(&table_lock);
	if (spare_count < SPARES / 2)
		queue_work(vif_wq, &refill_work);
	if (hlist_empty(&spares))
		return IS_ENABLED(CONFIG_PREEMPT_RT) ?
			NULL : kzalloc(sizeof(*task), GFP_ATOMIC);
	task = hlist_entry(spares.first, struct vif_task, node);
	hlist_del(&task->node);
	spare_count--;
	return task;
}

void vif_attach_fork(struct task_struct *child)
{
	struct vif_task *parent, *task = NULL;
	struct vif_set *set;
	unsigned long flags;
	bool lost = false;

	if (!vif_attach_any())
		return;
	rcu_read_lock();
	raw_spin_lock_irqsave(&table_lock, flags);
	parent = find(current->signal);
	if (parent) {
		task = __spare_get();
		lost = !task;
	}
	if (task) {
		/* nobody can have entered the child before it runs */
		set = rcu_dereference(parent->set);
		refcount_inc(&set->refs);
		count_in(set);
		init_task_entry(task, child->signal, task_tgid(child), set);
		__table_add(task);
	}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	rcu_read_unlock();
	if (lost)
		pr_warn_ratelimited("netnice: no memory: process %d does not inherit its attachments\n",
				    child->tgid);
}

void vif_attach_free(struct task_struct *task)
{
	struct vif_task *entry;
	unsigned long flags;

	/* exec by another thread leaves a leader behind that is none */
	if (!vif_attach_any() || !thread_group_leader(task))
		return;
	raw_spin_lock_irqsave(&table_lock, flags);
	entry = find(task->signal);
	if (entry)
		__table_del(entry);
	raw_spin_unlock_irqrestore(&table_lock, flags);
	if (entry && llist_add(&entry->gone, &exited))
		queue_work(vif_wq, &bury_work);
}

/* The second half of an exit: its VIFs may have to go. */
static void bury_one(struct vif_task *task)
{
	struct vif_set *set = rcu_dereference_protected(task->set, true);
	unsigned int i;

	vif_sock_task_gone(task);
	rcu_read_lock();
	for (i = 0; i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->vif[i]);

		if (vif)
			count_out(vif);
	}
	rcu_read_unlock();
	vif_attach_put(task);
}

static void bury(struct work_struct *work)
{
	struct llist_node *gone = llist_del_all(&exited);
	struct vif_task *task, *next;

	mutex_lock(&attach_mutex);
	llist_for_each_entry_safe(task, next, gone, gone)
		bury_one(task);
	mutex_unlock(&attach_mutex);
}

/* A copy of @set with @new, or nothing, in the place of @vdev's entry. */
static struct vif_set *set_change(const struct vif_set *set,
				  const struct vif_dev *vdev, struct vif *new)
{
	unsigned int i, n = 0, count = set ? set->count : 0;
	struct vif_set *copy;

	copy = kzalloc(struct_size(copy, vif, count + 1), GFP_KERNEL);
	if (!copy)
		return NULL;
	refcount_set(&copy->refs, 1);
	copy->count = count + 1;
	for (i = 0; i < count; i++) {
		struct vif *vif;

		vif = rcu_dereference_protected(set->vif[i],
						lockdep_is_held(&attach_mutex));
		if (vif && vif->dev != vdev)
			RCU_INIT_POINTER(copy->vif[n++], vif_get(vif));
	}
	if (new)
		RCU_INIT_POINTER(copy->vif[n++], vif_get(new));
	copy->count = n;
	return copy;
}

/*
 * A process's leader, unless the whole process has exited: threads of a dead
 * leader go on. Inside RCU, in which the process's entry can not end either.
 */
static struct task_struct *live_leader(struct pid *pid)
{
	struct task_struct *leader = pid_task(pid, PIDTYPE_TGID);

	return leader && atomic_read(&leader->signal->live) ? leader : NULL;
}

/* The entry of a live process, inside RCU. */
static struct vif_task *find_live(struct pid *pid)
{
	struct task_struct *leader = live_leader(pid);
	struct vif_task *task = leader ? find(leader->signal) : NULL;

	return task && task->pid == pid ? task : NULL;
}

/*
 * Enter a process. The event that ends the entry comes an RCU grace period
 * after the process has lost its number: if that is there it is still to come.
 */
static int publish(struct vif_task *task)
{
	struct task_struct *leader;
	unsigned long flags;
	int err = -ESRCH;

	rcu_read_lock();
	raw_spin_lock_irqsave(&table_lock, flags);
	leader = live_leader(task->pid);
	if (leader && !find(leader->signal)) {
		task->key = leader->signal;
		count_in(rcu_dereference(task->set));
		__table_add(task);
		err = 0;
	}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	rcu_read_unlock();
	return err;
}

static int attach_first(struct pid *pid, struct vif_set *set)
{
	struct vif_task *task = kzalloc(sizeof(*task), GFP_KERNEL);
	int err;

	if (!task) {
		set_put(set);
		return -ENOMEM;
	}
	init_task_entry(task, NULL, pid, set);
	queue_work(vif_wq, &refill_work);
	err = publish(task);
	if (err)
		vif_attach_put(task);
	return err;
}

/* Put a changed set in the place of the old one, against forks and exits. */
static int attach_again(struct vif_task *task, struct vif_set *set,
			struct vif *old, struct vif *new)
{
	struct vif_set *was = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&table_lock, flags);
	if (find(task->key) == task) {
		was = rcu_dereference_protected(task->set, true);
		rcu_assign_pointer(task->set, set);
		if (new)
			atomic_inc(&new->tasks);
	}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	if (!was) {
		set_put(set);
		return -ESRCH;
	}
	if (old)
		count_out(old);
	set_put(was);
	return 0;
}

static int __replace(struct pid *pid, const struct vif_dev *vdev,
		     const struct vif *old, struct vif *new)
{
	struct vif_task *task;
	struct vif_set *set;
	struct vif *was = NULL;

	lockdep_assert_held(&attach_mutex);
	rcu_read_lock();
	task = find_live(pid);
	if (task)
		was = vif_attach_find(task, vdev);
	rcu_read_unlock();
	if ((old && was != old) || (!new && !was))
		return -ENOENT;
	if (was == new)
		return 0;
	/* bury() takes the attach mutex: the entry stays, exited or not */
	set = set_change(task ? rcu_dereference_protected(task->set,
				lockdep_is_held(&attach_mutex)) : NULL,
			 vdev, new);
	if (!set)
		return -ENOMEM;
	return task ? attach_again(task, set, was, new) :
		      attach_first(pid, set);
}

/*
 * A process can be found before vif_attach_fork() has entered it, which it has
 * when the process begins to run.
 */
static int check_process(struct pid *pid)
{
	struct task_struct *leader;
	int err = 0;

	rcu_read_lock();
	leader = live_leader(pid);
	if (!leader)
		err = -ESRCH;
	else if (leader->flags & PF_KTHREAD)
		err = -EINVAL;
	else if (READ_ONCE(leader->__state) & TASK_NEW)
		err = -EAGAIN;
	rcu_read_unlock();
	return err;
}

int vif_attach_replace(struct pid *pid, const struct vif_dev *vdev,
		       const struct vif *old, struct vif *new)
{
	int err;

	while ((err = check_process(pid)) == -EAGAIN)
		schedule_timeout_uninterruptible(1);
	if (err)
		return err;
	mutex_lock(&attach_mutex);
	err = __replace(pid, vdev, old, new);
	mutex_unlock(&attach_mutex);
	return err;
}

void vif_attach_entry(struct pid *pid,
		      void (*fn)(struct vif_task *task, void *arg), void *arg)
{
	struct vif_task *task;

	rcu_read_lock();
	task = find_live(pid);
	if (task)
		fn(task, arg);
	rcu_read_unlock();
}

void vif_attach_for_each(void (*fn)(struct vif_task *task, void *arg),
			 void *arg)
{
	struct vif_task *task;
	unsigned int bucket;

	rcu_read_lock();
	hash_for_each_rcu(table, bucket, task, node)
		fn(task, arg);
	rcu_read_unlock();
}

static void dev_gone(struct vif_task *task, void *arg)
{
	struct vif_set *set = rcu_dereference(task->set);
	const struct vif_dev *vdev = arg;
	unsigned int i;

	for (i = 0; i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->vif[i]);

		if (vif && vif->dev == vdev) {
			rcu_assign_pointer(set->vif[i], NULL);
			vif_put(vif);
		}
	}
}

void vif_attach_dev_gone(const struct vif_dev *vdev)
{
	mutex_lock(&attach_mutex);
	vif_attach_for_each(dev_gone, (void *)vdev);
	mutex_unlock(&attach_mutex);
}

int vif_attach_init(void)
{
	hash_init(table);
	return 0;
}

void vif_attach_exit(void)
{
	struct vif_task *task;
	struct hlist_node *next;
	unsigned long flags;
	unsigned int bucket;

	cancel_work_sync(&refill_work);
	raw_spin_lock_irqsave(&table_lock, flags);
	hash_for_each_safe(table, bucket, next, task, node) {
		__table_del(task);
		llist_add(&task->gone, &exited);
	}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	queue_work(vif_wq, &bury_work);
	flush_work(&bury_work);
	hlist_for_each_entry_safe(task, next, &spares, node)
		kfree(task);
}
