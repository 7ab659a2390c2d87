// SPDX-License-Identifier: GPL-2.0
/*
 * Children get entries of their own, which share their parent's set. A probe may not be
 * able to allocate: some entries are kept for forks.
 */
#include "subject_inherit.h"

#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../tree/net.h"
#include "subject_priv.h"

/* On a real-time kernel there is nothing else, if the probe cannot be preempted. */
#define SPARES		(IS_ENABLED(CONFIG_PREEMPT_RT) ? 1024 : 256)

/* Under the table's lock. */
static HLIST_HEAD(spares);
static unsigned int spare_count;

static void vif_subject_refill_work(struct work_struct *work)
{
	struct vif_subject *subject;
	unsigned long flags;

	while (READ_ONCE(spare_count) < SPARES) {
		subject = kzalloc(sizeof(*subject), GFP_KERNEL);
		if (!subject)
			return;
		raw_spin_lock_irqsave(&vif_subject_table_lock, flags);
		hlist_add_head(&subject->node, &spares);
		spare_count++;
		raw_spin_unlock_irqrestore(&vif_subject_table_lock, flags);
	}
}

static DECLARE_WORK(vif_subject_refill_later, vif_subject_refill_work);

/* Forks do not wait for it. */
static void vif_subject_schedule_refill(void)
{
	queue_work(vif_wq_soon, &vif_subject_refill_later);
}

/* The first fork may come at once. */
void vif_subject_refill(void)
{
	if (READ_ONCE(spare_count) < SPARES / 2)
		vif_subject_refill_work(NULL);
}

static struct vif_subject *__vif_subject_spare_get(void)
{
	struct vif_subject *subject;

	lockdep_assert_held(&vif_subject_table_lock);
	if (spare_count < SPARES / 2)
		vif_subject_schedule_refill();
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

void vif_subject_refill_stop(void)
{
	struct vif_subject *subject;
	struct hlist_node *next;

	cancel_work_sync(&vif_subject_refill_later);
	hlist_for_each_entry_safe(subject, next, &spares, node)
		kfree(subject);
}
