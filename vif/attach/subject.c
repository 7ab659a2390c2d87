// SPDX-License-Identifier: GPL-2.0
/*
 * The table of entries, by addresses. Two locks: the attach mutex makes changes of sets
 * exclusive (subject_change.c). The table's lock is a raw one, for tracepoint probes, which
 * enter children (subject_inherit.c) and end entries (subject_end.c), run with preemption
 * off, even on a real-time kernel; it is held for a hash chain's length.
 */
#include "subject_priv.h"

#include <linux/kernfs.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "../tree/dev.h"
#include "../tree/net.h"
#include "../tree/vif.h"
#include "charge.h"

unsigned int vif_subject_count[VIF_KINDS];

DEFINE_HASHTABLE(vif_subject_table, VIF_SUBJECT_TABLE_BITS);
DEFINE_RAW_SPINLOCK(vif_subject_table_lock);

DEFINE_MUTEX(vif_subject_mutex);

/* Entries so far; under the table's lock. */
static u64 entries;

/*
 * Users see the order of a walk: without this, it would tell of addresses, and of how much
 * others have attached.
 */
static siphash_key_t secret __ro_after_init;
static hsiphash_key_t table_secret __ro_after_init;

static u32 vif_subject_hash(const void *key)
{
	return hsiphash(&key, sizeof(key), &table_secret);
}

const void *vif_subject_key(enum vif_kind kind, void *what)
{
	if (what && kind == VIF_PROCESS)
		return ((struct task_struct *)what)->signal;
	return what;
}

void __vif_subject_hold(struct vif_subject *subject, void *what)
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

void vif_subject_init(struct vif_subject *subject, enum vif_kind kind,
		      struct vif_set *set)
{
	subject->kind = kind;
	RCU_INIT_POINTER(subject->set, set);
	refcount_set(&subject->refs, 1);
	INIT_LIST_HEAD(&subject->socks);
}

void __vif_subject_add(struct vif_subject *subject, const void *key)
{
	lockdep_assert_held(&vif_subject_table_lock);
	subject->key = key;
	subject->id = siphash_1u64(++entries, &secret) >> (64 - VIF_SUBJECT_ID_BITS);
	vif_set_count_in(rcu_dereference(subject->set));
	hash_add_rcu(vif_subject_table, &subject->node, vif_subject_hash(key));
	WRITE_ONCE(vif_subject_count[subject->kind],
		   vif_subject_count[subject->kind] + 1);
}

/* Records show which sockets still use it: for these it is not a change yet. */
void __vif_subject_del(struct vif_subject *subject)
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

void vif_subject_use(struct vif_subject *thread, struct vif_subject *up)
{
	refcount_inc(&up->refs);
	WRITE_ONCE(up->has_threads, true);
	thread->up = up;
}

int __init vif_subject_table_init(void)
{
	get_random_bytes(&secret, sizeof(secret));
	get_random_bytes(&table_secret, sizeof(table_secret));
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
