// SPDX-License-Identifier: GPL-2.0
/*
 * Two locks. The attach mutex makes changes of sets exclusive. The table's
 * lock is a raw one, for tracepoint probes run with preemption off, even on a
 * real-time kernel; it is held for a hash chain's length.
 */
#include "subject.h"

#include <linux/capability.h>
#include <linux/hashtable.h>
#include <linux/kernfs.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "../queue/account.h"
#include "../tree/dev.h"
#include "../tree/find.h"
#include "../tree/net.h"
#include "../tree/stamp.h"
#include "../tree/vif.h"

#define TABLE_BITS	12

/* When to look again for what is left of devices that have gone. */
#define FORGET_AGAIN	HZ

/* Entries kept for forks: a probe may not be able to allocate. */
#define SPARES		256

/*
 * Bounds, and what is kept of each for whoever has to put in order what others have
 * filled: of those of a namespace for its administrators; of what takes the time of all,
 * as forks do, for who has CAP_SYS_RESOURCE.
 *
 * ATTACHED: subjects of a kind, by the namespace in which they were attached first; what
 * inherits does not count. DEVICES: of a namespace, that one subject may be attached on.
 * SET: of all namespaces together.
 */
#define ATTACHED_MAX		65536
#define ATTACHED_RESERVE	8192
#define DEVICES_MAX		256
#define DEVICES_RESERVE		64
#define SET_MAX			320
#define SET_RESERVE		64

unsigned int vif_subject_count[VIF_KINDS];

static DEFINE_HASHTABLE(table, TABLE_BITS);
static DEFINE_RAW_SPINLOCK(table_lock);

static DEFINE_MUTEX(attach_mutex);

/* Under the table's lock. */
static HLIST_HEAD(spares);
static unsigned int spare_count;

/* Of entries; under the table's lock. */
static u64 last_id;

/* Entries that have left the table, on their way to bury(). */
static LLIST_HEAD(gone);

/* See vif_subject_when_gone(). */
static void (*when_gone)(struct vif_subject *subject);

static void refill(struct work_struct *work);
static void bury(struct work_struct *work);
static void forget(struct work_struct *work);
static DECLARE_WORK(refill_work, refill);
static DECLARE_WORK(bury_work, bury);
static DECLARE_DELAYED_WORK(forget_work, forget);

static bool is_task(enum vif_kind kind)
{
	return kind == VIF_PROCESS || kind == VIF_THREAD;
}

/* The address of what vif_subject_id.find has found, or NULL. */
static const void *key_of(enum vif_kind kind, void *what)
{
	if (what && kind == VIF_PROCESS)
		return ((struct task_struct *)what)->signal;
	return what;
}

/* From now on nothing else gets the address. Inside RCU. */
static void hold(struct vif_subject *subject, void *what)
{
	if (is_task(subject->kind)) {
		/* of a process, its leader: see vif_task_free() */
		subject->task = get_task_struct(what);
	} else if (subject->kind == VIF_SOCKET) {
		subject->sk = what;
		sock_hold(subject->sk);
	} else if (subject->kind == VIF_CGROUP) {
		subject->group = what;
		kernfs_get(subject->group);
	}
}

struct vif_subject *vif_subject_find(const void *key)
{
	struct vif_subject *subject;

	hash_for_each_possible_rcu(table, subject, node, (unsigned long)key,
				   lockdep_is_held(&table_lock))
		if (subject->key == key)
			return subject;
	return NULL;
}

/**
 * struct charge - what somebody pays for one VIF of a subject's set
 * @node: among the subject's
 * @account: who pays
 * @vdev: the VIF's device, an address to compare; NULL: for the entry, which has none
 *	left that is paid for
 * @by: the VIF's slot
 */
struct charge {
	struct hlist_node node;
	struct vif_account *account;
	const struct vif_dev *vdev;
	enum vif_by by;
};

static void free_charge(struct charge *charge)
{
	hlist_del(&charge->node);
	vif_account_uncharge(charge->account, VIF_CHARGE_ATTACHMENT);
	kfree(charge);
}

static struct charge *find_charge(struct hlist_head *charges,
				  const struct vif_dev *vdev, enum vif_by by)
{
	struct charge *charge;

	hlist_for_each_entry(charge, charges, node)
		if (!charge->vdev || (charge->vdev == vdev && charge->by == by))
			return charge;
	return NULL;
}

/*
 * Whoever runs pays for a VIF that he is about to attach a subject to. @vdev is NULL if
 * it only gets an entry. Under the attach mutex, or nobody else knows the subject yet.
 */
static int pay(struct hlist_head *charges, const struct vif_dev *vdev, enum vif_by by)
{
	struct charge *charge = find_charge(charges, vdev, by);
	struct vif_account *account;

	if (!charge) {
		account = vif_account_charge(VIF_CHARGE_ATTACHMENT);
		if (IS_ERR_OR_NULL(account))
			return PTR_ERR_OR_ZERO(account);
		charge = kzalloc(sizeof(*charge), VIF_GFP);
		if (!charge) {
			vif_account_uncharge(account, VIF_CHARGE_ATTACHMENT);
			return -ENOMEM;
		}
		charge->account = account;
		hlist_add_head(&charge->node, charges);
	}
	charge->vdev = vdev;
	charge->by = by;
	return 0;
}

static bool is_for(const struct charge *charge, const struct vif_set *set)
{
	struct vif *vif[VIF_BYS];

	vif_set_find(set, charge->vdev, vif);
	return vif[charge->by];
}

/* What is not there any more costs nothing; but the entry does, until it ends. */
static void settle(struct hlist_head *charges, const struct vif_set *set)
{
	struct charge *charge;
	struct hlist_node *next;

	hlist_for_each_entry_safe(charge, next, charges, node) {
		if (!charge->vdev || is_for(charge, set))
			continue;
		if (hlist_is_singular_node(&charge->node, charges))
			charge->vdev = NULL;
		else
			free_charge(charge);
	}
}

static void free_charges(struct hlist_head *charges)
{
	struct charge *charge;
	struct hlist_node *next;

	hlist_for_each_entry_safe(charge, next, charges, node)
		free_charge(charge);
}

/* Readers may still look at what it refers to. */
static void free_subject(struct rcu_head *rcu)
{
	struct vif_subject *subject = container_of(rcu, struct vif_subject,
						   rcu);

	if (subject->kind == VIF_PROCESS)
		put_pid(subject->pid);
	if (subject->kind == VIF_THREAD && subject->up)
		vif_subject_put(subject->up);
	if (subject->net) {
		atomic_dec(&subject->net->attached[subject->kind]);
		vif_net_put(subject->net);
	}
	free_charges(&subject->charges);
	kfree(subject);
}

void vif_subject_put(struct vif_subject *subject)
{
	if (!refcount_dec_and_test(&subject->refs))
		return;
	vif_set_put(rcu_dereference_protected(subject->set, true));
	call_rcu(&subject->rcu, free_subject);
}

static void init_entry(struct vif_subject *subject, enum vif_kind kind,
		       struct vif_set *set)
{
	subject->kind = kind;
	RCU_INIT_POINTER(subject->set, set);
	refcount_set(&subject->refs, 1);
	INIT_LIST_HEAD(&subject->socks);
}

static void __table_add(struct vif_subject *subject, const void *key)
{
	lockdep_assert_held(&table_lock);
	subject->key = key;
	subject->id = ++last_id;
	vif_set_count_in(rcu_dereference(subject->set));
	hash_add_rcu(table, &subject->node, (unsigned long)key);
	WRITE_ONCE(vif_subject_count[subject->kind],
		   vif_subject_count[subject->kind] + 1);
}

/* What sockets still go by it their records tell: it is no change for these yet. */
static void __table_del(struct vif_subject *subject)
{
	lockdep_assert_held(&table_lock);
	hash_del_rcu(&subject->node);
	WRITE_ONCE(vif_subject_count[subject->kind],
		   vif_subject_count[subject->kind] - 1);
}

static void refill(struct work_struct *work)
{
	struct vif_subject *subject;
	unsigned long flags;

	while (READ_ONCE(spare_count) < SPARES) {
		subject = kzalloc(sizeof(*subject), GFP_KERNEL);
		if (!subject)
			return;
		raw_spin_lock_irqsave(&table_lock, flags);
		hlist_add_head(&subject->node, &spares);
		spare_count++;
		raw_spin_unlock_irqrestore(&table_lock, flags);
	}
}

static struct vif_subject *__spare_get(void)
{
	struct vif_subject *subject;

	lockdep_assert_held(&table_lock);
	if (spare_count < SPARES / 2)
		queue_work(vif_wq, &refill_work);
	if (hlist_empty(&spares))
		return IS_ENABLED(CONFIG_PREEMPT_RT) ?
			NULL : kzalloc(sizeof(*subject), GFP_ATOMIC);
	subject = hlist_entry(spares.first, struct vif_subject, node);
	hlist_del(&subject->node);
	spare_count--;
	return subject;
}

struct vif_subject *vif_subject_inherit(enum vif_kind kind,
					struct vif_subject *from,
					struct task_struct *child,
					struct vif_subject *up)
{
	struct vif_subject *subject;
	unsigned long flags;

	raw_spin_lock_irqsave(&table_lock, flags);
	subject = __spare_get();
	if (subject) {
		init_entry(subject, kind,
			   vif_set_get(rcu_dereference(from->set)));
		if (kind == VIF_PROCESS) {
			subject->pid = get_pid(task_tgid(child));
		} else {
			refcount_inc(&up->refs);
			subject->up = up;
		}
		hold(subject, child);
		__table_add(subject, key_of(kind, child));
	}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	return subject;
}

/*
 * Whoever enters a subject has found that it is there. What tells that it has gone comes
 * after all who could find that, and so sees it counted.
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
	raw_spin_lock_irqsave(&table_lock, flags);
	subject = vif_subject_find(key);
	if (subject)
		__table_del(subject);
	raw_spin_unlock_irqrestore(&table_lock, flags);
	if (!subject)
		return;
	/* at once: many may end before they are buried, and a task is large */
	if (is_task(kind))
		put_task_struct(subject->task);
	if (llist_add(&subject->gone, &gone))
		queue_work(vif_wq, &bury_work);
}

/* Control groups that have been removed, and wait for their last socket. */
static atomic_t retired = ATOMIC_INIT(0);

void vif_subject_retire(enum vif_kind kind, const void *key)
{
	struct vif_subject *subject;

	if (!vif_subject_any(kind))
		return;
	rcu_read_lock();
	subject = vif_subject_find(key);
	if (subject) {
		WRITE_ONCE(subject->retired, true);
		atomic_inc(&retired);
		queue_work(vif_wq, &bury_work);
	}
	rcu_read_unlock();
}

static void count_out(struct vif_subject *subject)
{
	lockdep_assert_held(&attach_mutex);
	if (subject->ended)
		return;
	subject->ended = true;
	vif_set_count_out(rcu_dereference(subject->set));
}

static void count_out_retired(struct vif_subject *subject, void *arg)
{
	if (READ_ONCE(subject->retired))
		count_out(subject);
}

/*
 * The second half of an end: its VIFs may have to go. A task may have many sockets: nobody
 * waits for them, and nobody else ends an entry by which they could go on meanwhile.
 */
static void bury_one(struct vif_subject *subject)
{
	if (is_task(subject->kind))
		when_gone(subject);
	mutex_lock(&attach_mutex);
	if (!is_task(subject->kind))
		when_gone(subject);
	rcu_read_lock();
	count_out(subject);
	rcu_read_unlock();
	if (subject->kind == VIF_SOCKET)
		sock_put(subject->sk);
	if (subject->kind == VIF_CGROUP)
		kernfs_put(subject->group);
	mutex_unlock(&attach_mutex);
	vif_subject_put(subject);
}

static void bury(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&gone);
	struct vif_subject *subject, *next;

	if (atomic_xchg(&retired, 0))
		vif_subject_for_each_change(count_out_retired, NULL);
	llist_for_each_entry_safe(subject, next, list, gone) {
		bury_one(subject);
		cond_resched();
	}
}

/* The entry that belongs to a live subject, inside RCU. */
static struct vif_subject *find_live(const struct vif_subject_id *id)
{
	const void *key = key_of(id->kind, id->find(id));
	struct vif_subject *subject = key ? vif_subject_find(key) : NULL;

	return subject && subject->kind == id->kind ? subject : NULL;
}

/* Enter it unless it has gone, or has been entered meanwhile. */
static int publish(struct vif_subject *subject, const struct vif_subject_id *id)
{
	struct vif_subject *up = NULL;
	unsigned long flags;
	const void *key;
	int err = -ESRCH;
	void *what;

	rcu_read_lock();
	raw_spin_lock_irqsave(&table_lock, flags);
	what = id->find(id);
	key = key_of(id->kind, what);
	if (key && !vif_subject_find(key)) {
		if (id->up)
			up = find_live(id->up);
		if (!id->up || up)
			err = 0;
	}
	if (!err) {
		if (up) {
			refcount_inc(&up->refs);
			subject->up = up;
		}
		hold(subject, what);
		__table_add(subject, key);
	}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	/* a group that was removed meanwhile may not have found it */
	if (!err && id->kind == VIF_CGROUP && !id->find(id))
		vif_subject_retire(VIF_CGROUP, key);
	rcu_read_unlock();
	return err;
}

static struct vif_subject *alloc_subject(const struct vif_dev *vdev,
					 enum vif_by by)
{
	struct vif_subject *subject;
	int err;

	subject = kzalloc(sizeof(*subject), VIF_GFP);
	if (!subject)
		return ERR_PTR(-ENOMEM);
	err = pay(&subject->charges, vdev, by);
	if (!err)
		return subject;
	kfree(subject);
	return ERR_PTR(err);
}

static bool has_room(const struct vif_net *vn, enum vif_kind kind,
		     enum vif_by by)
{
	int most = ATTACHED_MAX - (by == VIF_GIVEN ? 0 : ATTACHED_RESERVE);

	return atomic_read(&vn->attached[kind]) < most;
}

/*
 * Make an entry, with a VIF of @vdev, or none, in @set; takes over the reference to that.
 */
static int enter(const struct vif_subject_id *id, struct vif_net *vn,
		 const struct vif_dev *vdev, enum vif_by by, struct vif_set *set)
{
	struct vif_subject *subject;
	int err;

	subject = has_room(vn, id->kind, by) ? alloc_subject(vdev, by) :
					       ERR_PTR(-ENOSPC);
	if (IS_ERR(subject)) {
		vif_set_put(set);
		return PTR_ERR(subject);
	}
	init_entry(subject, id->kind, set);
	subject->number = id->number;
	subject->net = vif_net_get(vn);
	atomic_inc(&vn->attached[id->kind]);
	if (id->kind == VIF_PROCESS)
		subject->pid = get_pid(id->pid);
	queue_work(vif_wq, &refill_work);
	err = publish(subject, id);
	if (err)
		vif_subject_put(subject);
	return err;
}

/* Threads have a process with an entry, if only an empty one. */
static int enter_up(const struct vif_subject_id *id, struct vif_net *vn,
		    enum vif_by by)
{
	struct vif_subject *up;

	if (!id->up)
		return 0;
	rcu_read_lock();
	up = find_live(id->up);
	rcu_read_unlock();
	return up ? 0 : enter(id->up, vn, NULL, by, NULL);
}

/* Put a changed set in the place of the old one, against forks and ends. */
static int change(struct vif_subject *subject, struct vif_dev *vdev,
		  struct vif_set *set)
{
	struct vif_set *was = NULL;
	unsigned long flags;
	bool there;

	rcu_read_lock();
	raw_spin_lock_irqsave(&table_lock, flags);
	there = vif_subject_find(subject->key) == subject &&
		!READ_ONCE(subject->retired);
	if (there) {
		was = rcu_dereference_protected(subject->set, true);
		vif_set_count_in(set);
		rcu_assign_pointer(subject->set, set);
		vif_stamp_change(&vdev->stamp);
	}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	if (there)
		vif_set_count_out(was);
	settle(&subject->charges, rcu_dereference(subject->set));
	rcu_read_unlock();
	vif_set_put(there ? was : set);
	return there ? 0 : -ESRCH;
}

/* What has been given can be divided, but not be got rid of. 1: as it is already. */
static int check_change(struct vif *const was[VIF_BYS], enum vif_by by,
			const struct vif *old, const struct vif *new)
{
	const struct vif *shown = was[VIF_CHOSEN] ?: was[VIF_GIVEN];

	if ((old && shown != old) || (!new && !shown))
		return -ENOENT;
	if (by == VIF_GIVEN)
		return shown == new && shown == was[VIF_GIVEN];
	if (new ? was[VIF_GIVEN] && !vif_is_below(new, was[VIF_GIVEN]) :
		  !was[VIF_CHOSEN])
		return -EPERM;
	return new && new == shown;
}

/* May it be attached on so many devices? What has less than before may have too much. */
static bool fits(const struct vif_set *set, const struct vif_set *present,
		 const struct vif_net *vn, enum vif_by by)
{
	unsigned int here, all;
	bool fits;

	rcu_read_lock();
	here = vif_set_count(set, vn);
	all = vif_set_count(set, NULL);
	fits = all <= vif_set_count(present, NULL);
	rcu_read_unlock();
	return fits ||
	       (here <= DEVICES_MAX - (by == VIF_GIVEN ? 0 : DEVICES_RESERVE) &&
		all <= SET_MAX - (capable(CAP_SYS_RESOURCE) ? 0 : SET_RESERVE));
}

static int __replace(const struct vif_subject_id *id,
		     struct vif_dev *vdev, enum vif_by by,
		     const struct vif *old, struct vif *new,
		     struct vif *was[VIF_BYS])
{
	int err, level = id->kind == VIF_CGROUP ? id->level : VIF_LEVEL_NONE;
	struct vif_subject *subject;
	struct vif_set *present, *set;

	lockdep_assert_held(&attach_mutex);
	rcu_read_lock();
	subject = find_live(id);
	vif_subject_vifs(subject, vdev, was);
	err = check_change(was, by, old, new);
	rcu_read_unlock();
	if (err)
		return err;
	/* bury() takes the attach mutex: the entry stays, ended or not */
	present = subject ? rcu_dereference_protected(subject->set,
				lockdep_is_held(&attach_mutex)) : NULL;
	/* what one has been given one need not choose */
	if (by == VIF_CHOSEN && new == was[VIF_GIVEN])
		new = NULL;
	if (new && level != VIF_LEVEL_NONE &&
	    !vif_levels_have_room(&new->dev->levels, level))
		return -ENOSPC;
	set = vif_set_change(present, vdev, by, new, level);
	if (!set)
		return -ENOMEM;
	err = fits(set, present, vdev->net, by) ? 0 : -ENOSPC;
	if (!err && subject && new)
		err = pay(&subject->charges, vdev, by);
	if (!err && subject)
		return change(subject, vdev, set);
	if (!err)
		err = enter_up(id, vdev->net, by);
	if (err) {
		vif_set_put(set);
		return err;
	}
	err = enter(id, vdev->net, vdev, by, set);
	vif_stamp_change(&vdev->stamp);
	return err;
}

int vif_subject_replace(const struct vif_subject_id *id,
			struct vif_dev *vdev, enum vif_by by,
			const struct vif *old, struct vif *new,
			struct vif *was[VIF_BYS])
{
	int err;

	mutex_lock(&attach_mutex);
	err = __replace(id, vdev, by, old, new, was);
	mutex_unlock(&attach_mutex);
	return err;
}

void vif_subject_run(const struct vif_subject_id *id,
		     void (*fn)(struct vif_subject *subject, void *arg),
		     void *arg)
{
	struct vif_subject *subject;

	rcu_read_lock();
	subject = find_live(id);
	if (subject)
		fn(subject, arg);
	rcu_read_unlock();
}

static void for_each(void (*fn)(struct vif_subject *subject, void *arg), void *arg,
		     bool change)
{
	struct vif_subject *subject;
	unsigned int bucket;

	for (bucket = 0; bucket < HASH_SIZE(table); bucket++) {
		if (hlist_empty(&table[bucket]))
			continue;
		if (change)
			vif_subject_lock();
		rcu_read_lock();
		hlist_for_each_entry_rcu(subject, &table[bucket], node)
			fn(subject, arg);
		rcu_read_unlock();
		if (change)
			vif_subject_unlock();
		cond_resched();
	}
}

void vif_subject_for_each(void (*fn)(struct vif_subject *subject, void *arg),
			  void *arg)
{
	for_each(fn, arg, false);
}

void vif_subject_for_each_change(void (*fn)(struct vif_subject *subject, void *arg),
				 void *arg)
{
	for_each(fn, arg, true);
}

void vif_subject_run_locked(struct vif_subject *subject,
			    void (*fn)(struct vif_subject *subject, void *arg),
			    void *arg)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&table_lock, flags);
	if (vif_subject_find(subject->key) == subject)
		fn(subject, arg);
	raw_spin_unlock_irqrestore(&table_lock, flags);
}

/* The one of a bucket with the next greater number, inside RCU, or NULL. */
static struct vif_subject *next_in(const struct vif_subject_pos *pos)
{
	struct vif_subject *subject, *found = NULL;

	hlist_for_each_entry_rcu(subject, &table[pos->bucket], node)
		if (subject->id > pos->id && (!found || subject->id < found->id))
			found = subject;
	return found;
}

/* Sets @pos->id; entries that are about to be freed are passed over. */
static struct vif_subject *get_next_in(struct vif_subject_pos *pos)
{
	struct vif_subject *subject;

	rcu_read_lock();
	while ((subject = next_in(pos))) {
		pos->id = subject->id;
		if (vif_subject_get(subject))
			break;
	}
	rcu_read_unlock();
	return subject;
}

struct vif_subject *vif_subject_after(struct vif_subject_pos *pos)
{
	struct vif_subject *subject;

	for (; pos->bucket < HASH_SIZE(table); pos->bucket++, pos->id = 0) {
		if (hlist_empty(&table[pos->bucket]))
			continue;
		subject = get_next_in(pos);
		if (subject)
			return subject;
		cond_resched();
	}
	return NULL;
}

bool vif_subject_nth(const struct vif_subject *subject, unsigned int *index,
		     struct vif **vif, enum vif_by *by)
{
	const struct vif_set *set;

	*vif = NULL;
	rcu_read_lock();
	set = rcu_dereference(subject->set);
	for (; set && *index < set->count; ++*index) {
		*vif = rcu_dereference(set->entry[*index].vif);
		*by = set->entry[*index].by;
		if (*vif && !vif_dev_is_gone((*vif)->dev) && vif_get_again(*vif))
			break;
		*vif = NULL;
	}
	rcu_read_unlock();
	return *vif;
}

pid_t vif_subject_pid_nr(struct pid *pid)
{
	return pid->numbers[pid->level].nr;
}

void vif_subject_lock(void)
{
	mutex_lock(&attach_mutex);
}

void vif_subject_unlock(void)
{
	mutex_unlock(&attach_mutex);
}

/* Others may share the set, and have been here before: what is paid is seen to anyway. */
static void forget_one(struct vif_subject *subject, void *arg)
{
	struct vif_set *set = rcu_dereference(subject->set);

	vif_set_forget(set);
	settle(&subject->charges, set);
}

/*
 * One walk for all devices that have gone by now, and another one for who was born behind it,
 * of a parent that it did not come to any more.
 */
static atomic_t walks = ATOMIC_INIT(0);

static void forget(struct work_struct *work)
{
	vif_subject_for_each_change(forget_one, NULL);
	if (atomic_dec_if_positive(&walks) > 0)
		queue_delayed_work(vif_wq, &forget_work, FORGET_AGAIN);
}

void vif_subject_forget_gone(void)
{
	atomic_set(&walks, 2);
	mod_delayed_work(vif_wq, &forget_work, 0);
}

void vif_subject_when_gone(void (*fn)(struct vif_subject *subject))
{
	when_gone = fn;
}

static void end(struct vif_subject *subject, void *arg)
{
	vif_subject_end(subject->kind, subject->key);
}

void vif_subject_exit(void)
{
	struct vif_subject *subject;
	struct hlist_node *next;

	cancel_work_sync(&refill_work);
	/* closed sockets are still looked for, which ends entries, too */
	vif_subject_for_each_change(end, NULL);
	/* who has just ended one has it buried */
	mutex_lock(&attach_mutex);
	mutex_unlock(&attach_mutex);
	flush_work(&bury_work);
	cancel_delayed_work_sync(&forget_work);
	hlist_for_each_entry_safe(subject, next, &spares, node)
		kfree(subject);
}
