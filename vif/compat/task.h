/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a task dumpable? A program that has taken on other credentials is not: other processes of its
 * user may not look into it. This is a property of the task's memory or, in later kernels, of the
 * executed program.
 */
#ifndef NETNICE_COMPAT_TASK_H
#define NETNICE_COMPAT_TASK_H

#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/task.h>
#include <linux/user_namespace.h>

#ifdef HAVE_TASK_EXEC_STATE
#include <linux/sched/exec_state.h>

/*
 * Caller holds rcu_read_lock(). @ns: CAP_SYS_PTRACE over this namespace allows access although the
 * task is not dumpable; valid under rcu_read_lock().
 */
static inline bool vif_task_dumpable(struct task_struct *task,
				     struct user_namespace **ns)
{
	const struct task_exec_state *state = rcu_dereference(task->exec_state);

	*ns = state->user_ns;
	return READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
}
#else
#include <linux/mm_types.h>

/* As above. A task without memory is about to exit. */
static inline bool vif_task_dumpable(struct task_struct *task,
				     struct user_namespace **ns)
{
	bool dumpable = true;

	*ns = &init_user_ns;
	task_lock(task);
	if (task->mm) {
		dumpable = get_dumpable(task->mm) == SUID_DUMP_USER;
		if (!dumpable)
			*ns = task->mm->user_ns;
	}
	task_unlock(task);
	return dumpable;
}
#endif

#endif
