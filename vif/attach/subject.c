// SPDX-License-Identifier: GPL-2.0
/*
 * The table of subjects, by addresses. There are two locks. The attach mutex serializes changes of
 * sets. The table's lock is held for the length of a hash chain. It is raw, because probes of
 * tracepoints add children and remove subjects with preemption off, even on a real-time kernel.
 */
#include "subject.h"

#include <linux/capability.h>
#include <linux/jiffies.h>
#include <linux/kernfs.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "../queue/account.h"
#include "../tree/dev.h"
#include "../tree/find.h"
#include "../tree/net.h"
#include "../tree/vif.h"
#include "reserve.h"
#include "set.h"

#define VIF_SUBJECT_TABLE_BITS	12

/* Bits of struct vif_subject.id: with the bucket's number a position below 1 << 60. */
#define VIF_SUBJECT_ID_BITS	(60 - VIF_SUBJECT_TABLE_BITS)

static inline bool vif_subject_is_task(enum vif_kind kind)
{
	return kind == VIF_PROCESS || kind == VIF_THREAD;
}

unsigned int vif_subject_count[VIF_KINDS];

static DEFINE_HASHTABLE(vif_subject_table, VIF_SUBJECT_TABLE_BITS);
static DEFINE_RAW_SPINLOCK(vif_subject_table_lock);

static DEFINE_MUTEX(vif_subject_mutex);

/* Entries so far. The table's lock guards it. */
static u64 vif_subject_entries;

/*
 * Users see the order of a walk. Without this key the order would reveal addresses of the kernel,
 * and how many attachments others have.
 */
static siphash_key_t vif_subject_pos_secret __ro_after_init;
static hsiphash_key_t vif_subject_table_secret __ro_after_init;

static u32 vif_subject_hash(const void *key)
{
	return hsiphash(&key, sizeof(key), &vif_subject_table_secret);
}

/* The address of what vif_subject_id.find has found, or NULL. */
static const void *vif_subject_key(enum vif_kind kind, void *what)
{
	if (what && kind == VIF_PROCESS)
		return ((struct task_struct *)what)->signal;
	return what;
}

/*
 * Hold @what, so that its address is not reused. Caller holds rcu_read_lock() and the table's lock.
 */
static void __vif_subject_hold(struct vif_subject *subject, void *what)
{
	if (vif_subject_is_task(subject->kind)) {
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

	hash_for_each_possible_rcu(vif_subject_table, subject, node,
				   vif_subject_hash(key),
				   lockdep_is_held(&vif_subject_table_lock))
		if (subject->key == key)
			return subject;
	return NULL;
}

/* RCU readers may still read the objects that it refers to. */
static void vif_free_subject(struct rcu_head *rcu)
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
	vif_charge_free(&subject->charges);
	kfree(subject);
}

void vif_subject_put(struct vif_subject *subject)
{
	if (!refcount_dec_and_test(&subject->refs))
		return;
	vif_set_put(rcu_dereference_protected(subject->set, true));
	call_rcu(&subject->rcu, vif_free_subject);
}

/* A new one, referenced once; takes over the reference to @set, which may be NULL. */
static void vif_subject_init(struct vif_subject *subject, enum vif_kind kind,
			     struct vif_set *set)
{
	subject->kind = kind;
	RCU_INIT_POINTER(subject->set, set);
	refcount_set(&subject->refs, 1);
	INIT_LIST_HEAD(&subject->socks);
}

/*
 * Into the table, which takes over the reference. Caller holds rcu_read_lock() and the
 * table's lock.
 */
static void __vif_subject_add(struct vif_subject *subject, const void *key)
{
	lockdep_assert_held(&vif_subject_table_lock);
	subject->key = key;
	subject->id = siphash_1u64(++vif_subject_entries,
				   &vif_subject_pos_secret) >> (64 - VIF_SUBJECT_ID_BITS);
	vif_set_count_in(rcu_dereference(subject->set));
	hash_add_rcu(vif_subject_table, &subject->node, vif_subject_hash(key));
	WRITE_ONCE(vif_subject_count[subject->kind],
		   vif_subject_count[subject->kind] + 1);
}

/*
 * Out of it. Table's lock held.
 * Records show which sockets still use it: for these it is not a change yet.
 */
static void __vif_subject_del(struct vif_subject *subject)
{
	lockdep_assert_held(&vif_subject_table_lock);
	hash_del_rcu(&subject->node);
	WRITE_ONCE(vif_subject_count[subject->kind],
		   vif_subject_count[subject->kind] - 1);
}

struct vif_subject *vif_subject_find_live(const struct vif_subject_id *id)
{
	const void *key = vif_subject_key(id->kind, id->find(id));
	struct vif_subject *subject = key ? vif_subject_find(key) : NULL;

	return subject && subject->kind == id->kind ? subject : NULL;
}

bool vif_subject_nth(const struct vif_subject *subject, unsigned int *index,
		     struct vif **vif, enum vif_origin *origin)
{
	const struct vif_set *set;

	*vif = NULL;
	rcu_read_lock();
	set = rcu_dereference(subject->set);
	for (; set && *index < set->count; ++*index) {
		*vif = rcu_dereference(set->entry[*index].vif);
		*origin = set->entry[*index].origin;
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

/* Have a thread's entry refer to its process's. Caller holds rcu_read_lock(). */
static void vif_subject_use(struct vif_subject *thread, struct vif_subject *up)
{
	refcount_inc(&up->refs);
	WRITE_ONCE(up->has_threads, true);
	thread->up = up;
}

int __init vif_subject_table_init(void)
{
	get_random_bytes(&vif_subject_pos_secret, sizeof(vif_subject_pos_secret));
	get_random_bytes(&vif_subject_table_secret, sizeof(vif_subject_table_secret));
	return 0;
}

void vif_subject_lock(void)
{
	mutex_lock(&vif_subject_mutex);
}

void vif_subject_unlock(void)
{
	mutex_unlock(&vif_subject_mutex);
}

/*
 * Walks over entries. A walk continues after its last position: a bucket of the table, and an
 * entry's number, which the entry keeps. So an entry that exists all the time is visited once,
 * whatever is added or removed.
 */

void vif_subject_run(const struct vif_subject_id *id,
		     void (*fn)(struct vif_subject *subject, void *arg),
		     void *arg)
{
	struct vif_subject *subject;

	rcu_read_lock();
	subject = vif_subject_find_live(id);
	if (subject)
		fn(subject, arg);
	rcu_read_unlock();
}

static void vif_subject_visit_all(void (*fn)(struct vif_subject *subject, void *arg), void *arg,
				  bool change)
{
	struct vif_subject *subject;
	unsigned int bucket;

	for (bucket = 0; bucket < HASH_SIZE(vif_subject_table); bucket++) {
		if (hlist_empty(&vif_subject_table[bucket]))
			continue;
		if (change)
			vif_subject_lock();
		rcu_read_lock();
		hlist_for_each_entry_rcu(subject, &vif_subject_table[bucket], node)
			fn(subject, arg);
		rcu_read_unlock();
		if (change)
			vif_subject_unlock();
		cond_resched();
	}
}

void vif_subject_each(void (*fn)(struct vif_subject *subject, void *arg),
		      void *arg)
{
	vif_subject_visit_all(fn, arg, false);
}

void vif_subject_each_change(void (*fn)(struct vif_subject *subject, void *arg),
			     void *arg)
{
	vif_subject_visit_all(fn, arg, true);
}

void vif_subject_run_locked(struct vif_subject *subject,
			    void (*fn)(struct vif_subject *subject, void *arg),
			    void *arg)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&vif_subject_table_lock, flags);
	if (hash_hashed(&subject->node))
		fn(subject, arg);
	raw_spin_unlock_irqrestore(&vif_subject_table_lock, flags);
}

#define PLACE(bucket, id)	((u64)(bucket) << VIF_SUBJECT_ID_BITS | (id))

/*
 * Return the entry of a bucket with the next greater number, or NULL. The caller holds
 * rcu_read_lock().
 */
static struct vif_subject *vif_subject_next_in(unsigned int bucket, u64 pos,
					       const struct vif_subject_filter *filter)
{
	struct vif_subject *subject, *found = NULL;

	hlist_for_each_entry_rcu(subject, &vif_subject_table[bucket], node)
		if (PLACE(bucket, subject->id) > pos &&
		    (!found || subject->id < found->id) &&
		    (!filter || filter->is(subject, filter)))
			found = subject;
	return found;
}

/* Sets *@pos; entries that are about to be freed are passed over. */
static struct vif_subject *vif_subject_get_next_in(unsigned int bucket, u64 *pos,
						   const struct vif_subject_filter *filter)
{
	struct vif_subject *subject;

	rcu_read_lock();
	while ((subject = vif_subject_next_in(bucket, *pos, filter))) {
		*pos = PLACE(bucket, subject->id);
		if (vif_subject_get(subject))
			break;
	}
	rcu_read_unlock();
	return subject;
}

struct vif_subject *vif_subject_after(u64 *pos, const struct vif_subject_filter *filter)
{
	u64 bucket = *pos >> VIF_SUBJECT_ID_BITS;
	struct vif_subject *subject;

	for (; bucket < HASH_SIZE(vif_subject_table); bucket++) {
		if (fatal_signal_pending(current))
			break;
		if (hlist_empty(&vif_subject_table[bucket]))
			continue;
		cond_resched();
		subject = vif_subject_get_next_in(bucket, pos, filter);
		if (subject)
			return subject;
	}
	return NULL;
}

/*
 * Children get entries of their own, which share their parent's set. A probe may not be
 * able to allocate: some entries are kept for forks.
 */

/* On a real-time kernel there is nothing else, if the probe cannot be preempted. */
#define SPARES		(IS_ENABLED(CONFIG_PREEMPT_RT) ? 1024 : 256)

static struct vif_reserve vif_subject_spares =
	VIF_RESERVE_INIT(vif_subject_spares, struct vif_subject, SPARES, &vif_subject_table_lock);

static struct vif_subject *__vif_subject_spare_get(void)
{
	struct vif_subject *subject = __vif_reserve_take(&vif_subject_spares);

	if (!subject && !IS_ENABLED(CONFIG_PREEMPT_RT))
		subject = kzalloc(sizeof(*subject), GFP_ATOMIC);
	return subject;
}

struct vif_subject *vif_subject_inherit(enum vif_kind kind,
					struct vif_subject *from,
					struct task_struct *child,
					struct vif_subject *up)
{
	struct vif_subject *subject;
	unsigned long flags;

	raw_spin_lock_irqsave(&vif_subject_table_lock, flags);
	subject = __vif_subject_spare_get();
	if (subject) {
		vif_subject_init(subject, kind,
				 vif_set_get(rcu_dereference(from->set)));
		if (kind == VIF_PROCESS)
			subject->pid = get_pid(task_tgid(child));
		else
			vif_subject_use(subject, up);
		__vif_subject_hold(subject, child);
		__vif_subject_add(subject, vif_subject_key(kind, child));
	}
	raw_spin_unlock_irqrestore(&vif_subject_table_lock, flags);
	return subject;
}

/*
 * An entry ends in two steps. The event that its subject is gone, possibly a probe, removes it from
 * the table. Then a worker does the work that may sleep, for example the removal of its VIFs. A
 * control group that was removed keeps its entry for the sockets that it leaves, but no longer
 * counts. VIFs of removed devices are removed from the sets in walks over all entries.
 */

/* Time of the next check for remains of removed devices. */
#define FORGET_AGAIN	HZ

/* Entries that have left the table, on their way to vif_subject_bury_work(). */
static LLIST_HEAD(vif_subject_gone);

/* vif_subject_when_gone() has set it. */
static void (*vif_subject_gone_func)(struct vif_subject *subject);

static void vif_subject_bury_work(struct work_struct *work);
static void vif_subject_forget_work(struct work_struct *work);
static DECLARE_WORK(vif_subject_bury, vif_subject_bury_work);
static DECLARE_DELAYED_WORK(vif_subject_forget, vif_subject_forget_work);

void vif_subject_when_gone(void (*fn)(struct vif_subject *subject))
{
	vif_subject_gone_func = fn;
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
	/* most objects have no entry; for them the lock is not taken */
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
	if (llist_add(&subject->gone, &vif_subject_gone))
		queue_work(vif_wq, &vif_subject_bury);
}

/* Control groups that have been removed, and wait for their last socket. */
static atomic_t vif_subject_retired = ATOMIC_INIT(0);

void vif_subject_retire(enum vif_kind kind, const void *key)
{
	struct vif_subject *subject;

	/*
	 * pairs with vif_subject_publish(): it finds the subject gone, or its entry is found here
	 */
	smp_mb();
	if (!vif_subject_any(kind))
		return;
	rcu_read_lock();
	subject = vif_subject_find(key);
	if (subject) {
		WRITE_ONCE(subject->retired, jiffies | 1);
		atomic_inc(&vif_subject_retired);
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
		vif_subject_gone_func(subject);
	vif_subject_lock();
	if (!vif_subject_is_task(subject->kind))
		vif_subject_gone_func(subject);
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
	struct llist_node *list = llist_del_all(&vif_subject_gone);
	struct vif_subject *subject, *next;

	if (atomic_xchg(&vif_subject_retired, 0))
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
static atomic_t vif_subject_walks = ATOMIC_INIT(0);

/* If a device goes during a walk, both of its walks are still to begin. */
static void vif_subject_forget_work(struct work_struct *work)
{
	int left = atomic_xchg(&vif_subject_walks, 0) - 1;

	vif_subject_each_change(vif_subject_forget_one, NULL);
	if (left > 0 && !atomic_cmpxchg(&vif_subject_walks, 0, left))
		queue_delayed_work(vif_wq, &vif_subject_forget, FORGET_AGAIN);
}

void vif_subject_forget_gone(void)
{
	atomic_set(&vif_subject_walks, 2);
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
	vif_reserve_drain(&vif_subject_spares);
}

/*
 * The attachments of a subject change when a new set (set.h) replaces the old one, under the attach
 * mutex. So packets see either all of a change or nothing. A subject without attachments has no
 * entry, and gets one. If an administrator has attached a subject (VIF_BY_ADMIN), its user can
 * choose a VIF below, but cannot undo the attachment.
 */

/*
 * Bounds, and the part of each that is reserved to repair a table that users have filled: in a
 * namespace for its administrators; for bounds on work that affects all users, such as forks, for
 * CAP_SYS_RESOURCE.
 *
 * ATTACHED: subjects of a kind, by the namespace in which they were attached first; inherited
 * attachments do not count. DEVICES: of a namespace, that one subject may be attached on. SET: of
 * all namespaces together.
 */
#define ATTACHED_MAX		65536
#define ATTACHED_RESERVE	8192
#define DEVICES_MAX		256
#define DEVICES_RESERVE		64
#define SET_MAX			320
#define SET_RESERVE		64

/* Enter a subject, unless its object is gone or another task has entered it meanwhile. */
static int vif_subject_publish(struct vif_subject *subject, const struct vif_subject_id *id)
{
	struct vif_subject *up = NULL;
	unsigned long flags;
	const void *key;
	int err = -ESRCH;
	void *what;

	rcu_read_lock();
	raw_spin_lock_irqsave(&vif_subject_table_lock, flags);
	what = id->find(id);
	key = vif_subject_key(id->kind, what);
	if (key && !vif_subject_find(key)) {
		if (id->up)
			up = vif_subject_find_live(id->up);
		if (!id->up || up)
			err = 0;
	}
	if (!err) {
		if (up)
			vif_subject_use(subject, up);
		__vif_subject_hold(subject, what);
		__vif_subject_add(subject, key);
	}
	raw_spin_unlock_irqrestore(&vif_subject_table_lock, flags);
	/* pairs with vif_subject_retire(): a group that goes now finds it, or is found gone */
	smp_mb();
	if (!err && id->kind == VIF_CGROUP && !id->find(id))
		vif_subject_retire(VIF_CGROUP, key);
	rcu_read_unlock();
	return err;
}

static struct vif_subject *vif_alloc_subject(const struct vif_dev *vdev,
					     enum vif_origin origin)
{
	struct vif_subject *subject;
	int err;

	subject = kzalloc(sizeof(*subject), VIF_GFP);
	if (!subject)
		return ERR_PTR(-ENOMEM);
	err = vif_charge_attachment(&subject->charges, vdev, origin);
	if (!err)
		return subject;
	kfree(subject);
	return ERR_PTR(err);
}

static bool vif_subject_has_room(const struct vif_net *vn, enum vif_kind kind,
				 enum vif_origin origin)
{
	int most = ATTACHED_MAX - (origin == VIF_BY_ADMIN ? 0 : ATTACHED_RESERVE);

	return atomic_read(&vn->attached[kind]) < most;
}

/*
 * Make an entry, with a VIF of @vdev, or none, in @set; takes over the reference to that.
 */
static int vif_subject_insert(const struct vif_subject_id *id, struct vif_net *vn,
			      const struct vif_dev *vdev, enum vif_origin origin,
			      struct vif_set *set)
{
	struct vif_subject *subject;
	int err;

	subject = vif_subject_has_room(vn, id->kind, origin) ? vif_alloc_subject(vdev, origin) :
					       ERR_PTR(-ENOSPC);
	if (IS_ERR(subject)) {
		vif_set_put(set);
		return PTR_ERR(subject);
	}
	vif_subject_init(subject, id->kind, set);
	subject->number = id->number;
	subject->net = vif_net_get(vn);
	atomic_inc(&vn->attached[id->kind]);
	if (id->kind == VIF_PROCESS)
		subject->pid = get_pid(id->pid);
	err = vif_subject_publish(subject, id);
	if (err)
		vif_subject_put(subject);
	return err;
}

/* Threads have a process with an entry, if only an empty one. */
static int vif_subject_insert_process(const struct vif_subject_id *id, struct vif_net *vn,
				      enum vif_origin origin)
{
	struct vif_subject *up;

	if (!id->up)
		return 0;
	rcu_read_lock();
	up = vif_subject_find_live(id->up);
	rcu_read_unlock();
	return up ? 0 : vif_subject_insert(id->up, vn, NULL, origin, NULL);
}

/* Put a changed set in the place of the old one, against forks and ends. */
static int vif_subject_replace_set(struct vif_subject *subject, struct vif_dev *vdev,
				   struct vif_set *set)
{
	struct vif_set *was = NULL;
	unsigned long flags;
	bool there;

	rcu_read_lock();
	raw_spin_lock_irqsave(&vif_subject_table_lock, flags);
	there = hash_hashed(&subject->node) && !READ_ONCE(subject->retired);
	if (there) {
		was = rcu_dereference_protected(subject->set, true);
		vif_set_count_in(set);
		rcu_assign_pointer(subject->set, set);
		vif_genid_change(&vdev->genid);
	}
	raw_spin_unlock_irqrestore(&vif_subject_table_lock, flags);
	if (there)
		vif_set_count_out(was);
	vif_charge_settle(&subject->charges, rcu_dereference(subject->set));
	rcu_read_unlock();
	vif_set_put(there ? was : set);
	return there ? 0 : -ESRCH;
}

/* An administrator's attachment can be divided, but not removed. 1: nothing changes. */
static int vif_subject_check_change(struct vif *const was[VIF_ORIGINS], enum vif_origin origin,
				    const struct vif *old, const struct vif *new)
{
	const struct vif *shown = was[VIF_BY_USER] ?: was[VIF_BY_ADMIN];

	if ((old && shown != old) || (!new && !shown))
		return -ENOENT;
	if (origin == VIF_BY_ADMIN)
		return shown == new && shown == was[VIF_BY_ADMIN];
	if (new ? was[VIF_BY_ADMIN] && !vif_is_below(new, was[VIF_BY_ADMIN]) :
		  !was[VIF_BY_USER])
		return -EPERM;
	return new && new == shown;
}

/*
 * May a subject be attached on so many devices? A set that becomes smaller may be over the bound.
 */
static bool vif_subject_fits(const struct vif_set *set, const struct vif_set *present,
			     const struct vif_net *vn, enum vif_origin origin)
{
	unsigned int here, all;
	bool fits;

	rcu_read_lock();
	here = vif_set_count(set, vn);
	all = vif_set_count(set, NULL);
	fits = all <= vif_set_count(present, NULL);
	rcu_read_unlock();
	return fits ||
	       (here <= DEVICES_MAX - (origin == VIF_BY_ADMIN ? 0 : DEVICES_RESERVE) &&
		all <= SET_MAX - (capable(CAP_SYS_RESOURCE) ? 0 : SET_RESERVE));
}

static int __vif_subject_replace(const struct vif_subject_id *id,
				 struct vif_dev *vdev, enum vif_origin origin,
				 const struct vif *old, struct vif *new,
				 struct vif *was[VIF_ORIGINS])
{
	int err, level = id->kind == VIF_CGROUP ? id->level : VIF_LEVEL_NONE;
	struct vif_subject *subject;
	struct vif_set *present, *set;

	lockdep_assert_held(&vif_subject_mutex);
	rcu_read_lock();
	subject = vif_subject_find_live(id);
	vif_subject_vifs(subject, vdev, was);
	err = vif_subject_check_change(was, origin, old, new);
	rcu_read_unlock();
	if (err)
		return err;
	/* vif_subject_bury_one() takes the attach mutex: the entry stays, ended or not */
	present = subject ? rcu_dereference_protected(subject->set,
				lockdep_is_held(&vif_subject_mutex)) : NULL;
	/* the administrator's attachment to this VIF suffices */
	if (origin == VIF_BY_USER && new == was[VIF_BY_ADMIN])
		new = NULL;
	if (new && level != VIF_LEVEL_NONE &&
	    !vif_levels_have_room(&new->dev->levels, level))
		return -ENOSPC;
	set = vif_set_change(present, vdev, origin, new, level);
	if (!set)
		return -ENOMEM;
	err = vif_subject_fits(set, present, vdev->net, origin) ? 0 : -ENOSPC;
	if (!err && subject && new)
		err = vif_charge_attachment(&subject->charges, vdev, origin);
	if (!err && subject)
		return vif_subject_replace_set(subject, vdev, set);
	if (!err)
		err = vif_subject_insert_process(id, vdev->net, origin);
	if (err) {
		vif_set_put(set);
		return err;
	}
	err = vif_subject_insert(id, vdev->net, vdev, origin, set);
	vif_genid_change(&vdev->genid);
	return err;
}

int vif_subject_replace(const struct vif_subject_id *id,
			struct vif_dev *vdev, enum vif_origin origin,
			const struct vif *old, struct vif *new,
			struct vif *was[VIF_ORIGINS])
{
	int err;

	/* there will be something to inherit, and the first fork may come at once */
	if (vif_reserve_is_low(&vif_subject_spares))
		vif_reserve_fill(&vif_subject_spares);
	vif_subject_lock();
	err = __vif_subject_replace(id, vdev, origin, old, new, was);
	vif_subject_unlock();
	return err;
}
