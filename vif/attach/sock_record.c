// SPDX-License-Identifier: GPL-2.0
/*
 * The table of records, by their sockets' cookies. Lookups are lockless. One lock makes
 * changes exclusive; it guards the lists, too: of each user, by what may be forgotten
 * first (sock_payer.h), of each task (@of_task), and of what is closed (sock_sweep.c). Who
 * has a new record while he has too many loses an old one.
 */
#include "sock_record_priv.h"

#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../queue/account.h"
#include "../tree/genid.h"
#include "cgroup.h"
#include "subject.h"

/* Records that are dealt with while the lock is held; others wait for it. */
#define BATCH		64

/* Evicted for one that comes: two, so that a bound that was lowered is reached. */
#define EVICTED_MAX	2

struct rhashtable vif_sock_table;
DEFINE_SPINLOCK(vif_sock_spinlock);

/* What has been forgotten while the lock is held, to be freed without it; lock. */
static LIST_HEAD(dead);

static unsigned int count;
bool vif_sock_some __read_mostly;

static void __drop_slot(struct vif_sock *record)
{
	lockdep_assert_held(&vif_sock_spinlock);
	if (!record->slot)
		return;
	vif_listeners_drop(record->listeners, record->slot);
	record->payer->slots--;
	WRITE_ONCE(record->slot, 0);
}

void __vif_sock_take_slot(struct vif_sock *record, const struct sock *sk)
{
	struct vif_net *vn = vif_net_find(sock_net(sk));
	unsigned int slot;

	lockdep_assert_held(&vif_sock_spinlock);
	if (record->slot || !vn)
		return;
	record->listeners = vn->listeners;
	record->slot_since = vif_sock_cookie_last();
	slot = vif_listeners_take(vn->listeners, record, record->payer->slots);
	if (slot)
		record->payer->slots++;
	WRITE_ONCE(record->slot, slot);
}

static void __count(int n)
{
	lockdep_assert_held(&vif_sock_spinlock);
	count += n;
	if (vif_sock_some != !!count)
		WRITE_ONCE(vif_sock_some, count);
}

static void put_subject(struct vif_subject *subject)
{
	if (subject)
		vif_subject_put(subject);
}

void vif_sock_lock(void)
	__acquires(RCU) __acquires(&vif_sock_spinlock)
{
	rcu_read_lock();
	spin_lock_bh(&vif_sock_spinlock);
}

void vif_sock_unlock(void)
	__releases(&vif_sock_spinlock) __releases(RCU)
{
	struct vif_sock *record, *next;
	LIST_HEAD(free);

	list_splice_init(&dead, &free);
	spin_unlock_bh(&vif_sock_spinlock);
	rcu_read_unlock();
	list_for_each_entry_safe(record, next, &free, age) {
		put_subject(rcu_dereference_protected(record->task, true));
		put_subject(rcu_dereference_protected(record->self, true));
		vif_cgroup_put(record->cgroup);
		kfree_rcu(record, rcu);
	}
}

/* Out of the lists; it need not be in the table. */
static void __leave(struct vif_sock *record)
{
	lockdep_assert_held(&vif_sock_spinlock);
	vif_genid_change_sock(record->id);
	__drop_slot(record);
	list_del(&record->of_task);
	list_del(&record->end);
	list_move(&record->age, &dead);
	__vif_sock_payer_put(record->payer);
	__count(-1);
}

void __vif_sock_forget(struct vif_sock *record)
{
	rhashtable_remove_fast(&vif_sock_table, &record->node, vif_sock_params);
	__leave(record);
}

void vif_sock_in_batches(bool (*fn)(void *arg), void *arg)
{
	unsigned int n;

	do {
		vif_sock_lock();
		for (n = 0; n < BATCH && fn(arg); n++)
			;
		vif_sock_unlock();
		cond_resched();
	} while (n == BATCH);
}

/* Second chance: a record in use goes to the end of the line, once around. */
static void __evict(struct vif_sock_payer *payer)
{
	enum vif_sock_class class = VIF_SOCK_CLOSED;
	struct vif_sock *record;
	struct list_head *line;
	unsigned int i;

	lockdep_assert_held(&vif_sock_spinlock);
	while (class < VIF_SOCK_TCP && list_empty(&payer->line[class]))
		class++;
	line = &payer->line[class];
	for (i = 0; i < 16 && class != VIF_SOCK_CLOSED; i++) {
		record = list_first_entry_or_null(line, struct vif_sock, age);
		if (!record || !record->trail.used)
			break;
		record->trail.used = false;
		list_move_tail(&record->age, line);
	}
	record = list_first_entry_or_null(line, struct vif_sock, age);
	if (record)
		__vif_sock_forget(record);
}

/* A record is about to come, and counted already. */
static void __trim(struct vif_sock_payer *payer)
{
	unsigned int n;

	for (n = 0; n < EVICTED_MAX && __vif_sock_payer_is_over(payer); n++)
		__evict(payer);
}

void __vif_sock_line_up(struct vif_sock *record, enum vif_sock_class class)
{
	lockdep_assert_held(&vif_sock_spinlock);
	list_move_tail(&record->age, &record->payer->line[class]);
}

void __vif_sock_open(struct vif_sock *record)
{
	lockdep_assert_held(&vif_sock_spinlock);
	record->until = 0;
	list_del_init(&record->end);
	__vif_sock_line_up(record, record->tcp ? VIF_SOCK_TCP : VIF_SOCK_OTHER);
}

void __vif_sock_set_task(struct vif_sock *record, struct vif_subject *task)
{
	struct vif_subject *was = __vif_sock_task(record);

	lockdep_assert_held(&vif_sock_spinlock);
	/* a closed socket may connect again */
	record->closed = false;
	if (record->until && task)
		__vif_sock_open(record);
	rcu_assign_pointer(record->task, task);
	vif_genid_change_sock(record->id);
	list_del_init(&record->of_task);
	if (task)
		list_add_tail(&record->of_task, &task->socks);
	put_subject(was);
}

/* A connection begins as its listener's. */
static void __inherit(struct vif_sock *record, const struct sock *sk)
{
	struct vif_sock *listener = vif_sock_find_listener(sk, record->id);
	struct vif_subject *self, *task;

	if (!listener)
		return;
	self = __vif_sock_self(listener);
	task = __vif_sock_task(listener);
	if (self && vif_subject_get(self))
		RCU_INIT_POINTER(record->self, self);
	if (task && vif_subject_get(task))
		__vif_sock_set_task(record, task);
}

/* Memory is charged to the control group of whoever runs, unless that is in softirq. */
static struct vif_sock *create(u64 id, const struct sock *sk)
{
	struct vif_sock *record;

	record = kzalloc(sizeof(*record),
			 GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!record)
		return NULL;
	record->id = id;
	record->tcp = sk_is_tcp(sk);
	record->sctp = sk->sk_protocol == IPPROTO_SCTP &&
		       sk->sk_type != SOCK_RAW;
	INIT_LIST_HEAD(&record->of_task);
	INIT_LIST_HEAD(&record->age);
	INIT_LIST_HEAD(&record->end);
	return record;
}

static struct vif_sock *__add(u64 id, const struct sock *sk,
			      const struct cred *user)
{
	struct vif_sock *record = create(id, sk);

	lockdep_assert_held(&vif_sock_spinlock);
	if (!record)
		return NULL;
	record->payer = __vif_sock_payer_get(sock_net(sk),
					     user ? vif_account_payer_of(user) :
						    vif_account_payer_of_sock(sk));
	if (!record->payer) {
		kfree(record);
		return NULL;
	}
	__trim(record->payer);
	__vif_sock_open(record);
	__inherit(record, sk);
	__count(1);
	if (rhashtable_insert_fast(&vif_sock_table, &record->node, vif_sock_params)) {
		__leave(record);
		return NULL;
	}
	return record;
}

struct vif_sock *__vif_sock_get(struct sock *sk, const struct cred *user)
{
	u64 id = vif_sock_cookie(sk);

	return vif_sock_find(id) ?: __add(id, sk, user);
}

int vif_sock_record_init(void)
{
	int err = vif_sock_payer_init();

	if (err)
		return err;
	err = rhashtable_init(&vif_sock_table, &vif_sock_params);
	if (err)
		vif_sock_payer_exit();
	return err;
}

static void end_record(void *record, void *unused)
{
	vif_sock_lock();
	__leave(record);
	vif_sock_unlock();
}

void vif_sock_record_exit(void)
{
	rhashtable_free_and_destroy(&vif_sock_table, end_record, NULL);
	vif_sock_payer_exit();
}
