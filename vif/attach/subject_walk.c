// SPDX-License-Identifier: GPL-2.0
/*
 * Walks over entries. A walk continues after its last position: a bucket of the table, and an
 * entry's number, which the entry keeps. So an entry that exists all the time is visited once,
 * whatever is added or removed.
 */
#include "subject_walk.h"

#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "subject_priv.h"

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

/* The one of a bucket with the next greater number, under rcu_read_lock(), or NULL. */
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
