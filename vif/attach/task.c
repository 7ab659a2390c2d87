// SPDX-License-Identifier: GPL-2.0
#include "task.h"

#include <linux/jiffies.h>
#include <linux/kfifo.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ratelimit.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>

#include "../tree/dev.h"
#include "../tree/net.h"
#include "../tree/vif.h"
#include "raw.h"
#include "subject.h"

/* For the worker; beyond this number children are not killed. */
#define LATER_MAX	256

/* Each is referenced; under the lock. */
static DEFINE_KFIFO(vif_lost_later, struct task_struct *, LATER_MAX);
static DEFINE_RAW_SPINLOCK(vif_lost_lock);

static void vif_lost_work_fn(struct work_struct *work)
{
	struct task_struct *task;

	raw_spin_lock_irq(&vif_lost_lock);
	while (kfifo_get(&vif_lost_later, &task)) {
		raw_spin_unlock_irq(&vif_lost_lock);
		send_sig(SIGKILL, task, 1);
		put_task_struct(task);
		raw_spin_lock_irq(&vif_lost_lock);
	}
	raw_spin_unlock_irq(&vif_lost_lock);
}

static DECLARE_WORK(vif_lost_work, vif_lost_work_fn);

static void vif_lost_enqueue(struct task_struct *task)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&vif_lost_lock, flags);
	if (!kfifo_is_full(&vif_lost_later))
		kfifo_put(&vif_lost_later, get_task_struct(task));
	raw_spin_unlock_irqrestore(&vif_lost_lock, flags);
	queue_work(vif_wq_soon, &vif_lost_work);
}

/**
 * vif_lost_kill() - end a task that would be without its parent's limits
 * @child: the task, which does not run yet
 *
 * It has not run when it is killed; where the probe is raw (raw.h), it may have run for a moment.
 * Context: as a tracepoint's probe.
 *
 * A signal takes a lock that sleeps on a real-time kernel.
 */
static void vif_lost_kill(struct task_struct *child)
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

/* At most this many threads are read in one RCU read section. */
#define THREADS_AT_ONCE		64

/*
 * Return the leader of a process, or NULL if the whole process has exited. If only the leader has
 * exited, its threads continue. Caller holds rcu_read_lock(), in which the entry of the process
 * cannot end either.
 */
static struct task_struct *vif_task_live_leader(struct pid *pid)
{
	struct task_struct *leader = pid_task(pid, PIDTYPE_TGID);

	return leader && atomic_read(&leader->signal->live) ? leader : NULL;
}

/*
 * The event that ends an entry comes an RCU grace period after the task has lost its number. So
 * while the number leads to the task, the event is still to come.
 */
static void *vif_task_find_process(const struct vif_subject_id *id)
{
	return vif_task_live_leader(id->pid);
}

static void *vif_task_find_thread(const struct vif_subject_id *id)
{
	return pid_task(id->pid, PIDTYPE_PID);
}

/*
 * A task can be found before vif_task_new() has entered it. It is entered before it begins to run.
 */
static bool vif_task_is_new(struct pid *pid)
{
	struct task_struct *task;
	bool new;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	new = task && READ_ONCE(task->__state) & TASK_NEW;
	rcu_read_unlock();
	return new;
}

void vif_task_settle(struct pid *pid)
{
	unsigned long end = jiffies + HZ;

	while (vif_task_is_new(pid) && time_before(jiffies, end) &&
	       !fatal_signal_pending(current))
		schedule_timeout_killable(1);
}

/* Sets @tgid to the process's number, referenced. */
static int vif_check_task(enum vif_kind kind, struct pid *pid, struct pid **tgid)
{
	struct task_struct *task;
	int err = 0;

	rcu_read_lock();
	task = kind == VIF_PROCESS ? vif_task_live_leader(pid) :
				     pid_task(pid, PIDTYPE_PID);
	if (!task)
		err = -ESRCH;
	else if (task->flags & PF_KTHREAD)
		err = -EINVAL;
	else if (READ_ONCE(task->__state) & TASK_NEW)
		err = -EAGAIN;
	else if (kind == VIF_THREAD)
		*tgid = get_pid(task_tgid(task));
	rcu_read_unlock();
	return err;
}

int vif_task_id(enum vif_kind kind, struct pid *pid, struct vif_subject_id *up,
		struct vif_subject_id *id)
{
	struct pid *tgid = NULL;
	int err;

	err = vif_check_task(kind, pid, &tgid);
	*up = (struct vif_subject_id) {
		.kind = VIF_PROCESS,
		.find = vif_task_find_process,
		.pid = tgid,
	};
	*id = (struct vif_subject_id) {
		.kind = kind,
		.find = kind == VIF_PROCESS ? vif_task_find_process : vif_task_find_thread,
		.up = tgid ? up : NULL,
		.pid = pid,
		.number = kind == VIF_THREAD ? vif_subject_pid_nr(pid) : 0,
	};
	return err;
}

static bool vif_task_is_attached(const struct vif_subject *subject,
				 const struct vif_net *vn)
{
	return subject && vif_set_count(rcu_dereference(subject->set), vn);
}

/* A process that has its number has its entry until rcu_read_unlock(). */
bool vif_task_is_free(struct pid *pid, const struct vif_net *vn)
{
	const struct task_struct *leader;
	bool free;

	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	free = leader && !vif_check_task(VIF_PROCESS, pid, NULL) &&
	       !vif_task_is_attached(vif_subject_find(leader->signal), vn);
	rcu_read_unlock();
	return free;
}

/*
 * Let other tasks run in the middle of a walk over a process's threads. Only @thread is held
 * meanwhile, and its struct signal_struct with it: exec may end the leader. Return false if
 * @thread has left the list, so that the walk has to begin again, or if the caller is killed.
 * Caller holds rcu_read_lock(), which is released in between.
 */
static bool vif_task_pause_walk(struct task_struct *thread)
{
	bool goes_on;

	get_task_struct(thread);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	goes_on = pid_alive(thread) && !fatal_signal_pending(current);
	put_task_struct(thread);
	return goes_on;
}

/*
 * Threads that come and go could have the walk begin again for ever: the second one does not
 * pause. Caller holds rcu_read_lock(), which is released in between.
 */
static bool vif_task_has_attached_thread(struct pid *process, const struct vif_net *vn)
{
	struct task_struct *leader, *thread;
	struct signal_struct *signal;
	bool pauses = true;
	unsigned int n = 0;

again:
	leader = pid_task(process, PIDTYPE_TGID);
	if (!leader || fatal_signal_pending(current))
		return false;
	/* @leader may be freed in a pause; @signal is the same for all threads */
	signal = leader->signal;
	__for_each_thread(signal, thread) {
		if (vif_task_is_attached(vif_subject_find(thread), vn))
			return true;
		if (pauses && ++n % THREADS_AT_ONCE == 0 && !vif_task_pause_walk(thread)) {
			pauses = false;
			goto again;
		}
	}
	return false;
}

static bool vif_task_is_listed(const struct vif_subject *process, const struct vif_net *vn)
{
	bool is;

	rcu_read_lock();
	is = vif_task_is_attached(process, vn) || vif_task_has_attached_thread(process->pid, vn);
	rcu_read_unlock();
	return is;
}

/* vif_task_after() passes this filter. */
struct vif_process_filter {
	struct vif_subject_filter filter;
	const struct vif_net *vn;
};

static bool vif_task_may_be_listed(const struct vif_subject *subject,
				   const struct vif_subject_filter *filter)
{
	const struct vif_process_filter *of = container_of(filter, struct vif_process_filter,
							   filter);

	return subject->kind == VIF_PROCESS &&
	       (READ_ONCE(subject->has_threads) || vif_task_is_attached(subject, of->vn));
}

struct vif_subject *vif_task_after(const struct vif_net *vn, u64 *pos)
{
	const struct vif_process_filter of = { { vif_task_may_be_listed }, vn };
	struct vif_subject *process;

	while ((process = vif_subject_after(pos, &of.filter))) {
		if (vif_task_is_listed(process, vn))
			break;
		vif_subject_put(process);
	}
	return process;
}

/* A task has its number until it is waited for. */
struct vif_task_living {
	const struct vif *vif;
	bool any;
};

static void vif_task_look_for_thread(struct vif_subject *thread, void *arg)
{
	struct vif_task_living *living = arg;

	living->any |= pid_alive(thread->task);
}

static void vif_task_look_for_living(struct vif_subject *subject, void *arg)
{
	struct vif_task_living *living = arg;

	if (living->any ||
	    !vif_set_has(rcu_dereference(subject->set), living->vif))
		return;
	if (subject->kind == VIF_PROCESS)
		living->any = pid_task(subject->pid, PIDTYPE_TGID);
	else if (subject->kind == VIF_THREAD)
		vif_subject_run_locked(subject, vif_task_look_for_thread, living);
	else
		living->any = true;
}

bool vif_task_only_ended(struct vif *vif)
{
	struct vif_task_living living = { .vif = vif };

	vif_subject_each(vif_task_look_for_living, &living);
	return !living.any;
}

/*
 * A thread's attachments go to its threads, and to the first thread of its
 * processes, which hands them on in the same way.
 */
static void vif_task_inherit_thread(struct task_struct *child, struct vif_subject *up)
{
	struct vif_subject *thread = vif_subject_find(current);

	if (thread && !vif_subject_inherit(VIF_THREAD, thread, child,
					   up ?: thread->up))
		vif_lost_kill(child);
}

void vif_task_new(struct task_struct *child, bool thread)
{
	struct vif_subject *process, *up = NULL;

	if (!vif_task_any())
		return;
	rcu_read_lock();
	process = thread ? NULL : vif_subject_find(current->signal);
	if (process) {
		up = vif_subject_inherit(VIF_PROCESS, process, child, NULL);
		if (!up)
			vif_lost_kill(child);
	}
	if (vif_subject_any(VIF_THREAD) && (thread || up))
		vif_task_inherit_thread(child, up);
	rcu_read_unlock();
}

/* Without a leader the process's own end is on its way. */
static void vif_task_hold_leader(struct vif_subject *process, void *arg)
{
	struct task_struct *leader = pid_task(process->pid, PIDTYPE_TGID);
	bool *swapped = arg;

	if (!leader)
		return;
	WRITE_ONCE(process->task, get_task_struct(leader));
	*swapped = true;
}

/* A task holds its control group, which must not stay because of a task that is gone. */
static void vif_task_free_thread(struct task_struct *task)
{
	struct vif_subject *process;
	bool swapped = false;

	if (!vif_subject_any(VIF_PROCESS))
		return;
	rcu_read_lock();
	process = vif_subject_find(task->signal);
	if (process && READ_ONCE(process->task) == task)
		vif_subject_run_locked(process, vif_task_hold_leader, &swapped);
	rcu_read_unlock();
	if (swapped)
		put_task_struct(task);
}

void vif_task_free(struct task_struct *task)
{
	vif_subject_end(VIF_THREAD, task);
	/* exec by another thread leaves a leader behind that is none */
	if (thread_group_leader(task))
		vif_subject_end(VIF_PROCESS, task->signal);
	else
		vif_task_free_thread(task);
}
