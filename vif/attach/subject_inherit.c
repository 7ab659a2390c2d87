// SPDX-License-Identifier: GPL-2.0
/*
 * Children get entries of their own, which share their parent's set. A probe may not be
 * able to allocate: some entries are kept for forks.
 */
#include "subject_inherit.h"

#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "reserve.h"
#include "subject_priv.h"

/* On a real-time kernel there is nothing else, if the probe cannot be preempted. */
#define SPARES		(IS_ENABLED(CONFIG_PREEMPT_RT) ? 1024 : 256)

static struct vif_reserve spares =
	VIF_RESERVE_INIT(spares, struct vif_subject, SPARES, &vif_subject_table_lock);

/* Context: process. The first fork may come at once. */
void vif_subject_refill(void)
{
	if (vif_reserve_is_low(&spares))
		vif_reserve_fill(&spares);
}

static struct vif_subject *__vif_subject_spare_get(void)
{
	struct vif_subject *subject = __vif_reserve_take(&spares);

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

void vif_subject_refill_stop(void)
{
	vif_reserve_drain(&spares);
}
