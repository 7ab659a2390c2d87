// SPDX-License-Identifier: GPL-2.0
#include "lost.h"

#include <linux/ratelimit.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>

#include "../tree/net.h"
#include "raw.h"

/* For the worker; beyond this number children are not killed. */
#define LATER_MAX	256

/* Each is referenced; under the lock. */
static struct task_struct *later[LATER_MAX];
static unsigned int later_count;
static DEFINE_RAW_SPINLOCK(vif_lost_lock);

static struct task_struct *vif_lost_dequeue(void)
{
	struct task_struct *task;
	unsigned long flags;

	raw_spin_lock_irqsave(&vif_lost_lock, flags);
	task = later_count ? later[--later_count] : NULL;
	raw_spin_unlock_irqrestore(&vif_lost_lock, flags);
	return task;
}

static void vif_lost_work_fn(struct work_struct *work)
{
	struct task_struct *task;

	while ((task = vif_lost_dequeue())) {
		send_sig(SIGKILL, task, 1);
		put_task_struct(task);
	}
}

static DECLARE_WORK(vif_lost_work, vif_lost_work_fn);

static void vif_lost_enqueue(struct task_struct *task)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&vif_lost_lock, flags);
	if (later_count < LATER_MAX)
		later[later_count++] = get_task_struct(task);
	raw_spin_unlock_irqrestore(&vif_lost_lock, flags);
	queue_work(vif_wq_soon, &vif_lost_work);
}

/* A signal takes a lock that sleeps on a real-time kernel. */
void vif_lost_kill(struct task_struct *child)
{
	pr_warn_ratelimited("netnice: no memory: task %d does not inherit its attachments\n",
			    child->pid);
	if (vif_context_is_raw())
		vif_lost_enqueue(child);
	else
		send_sig(SIGKILL, child, 1);
}

void vif_lost_stop(void)
{
	flush_work(&vif_lost_work);
}
