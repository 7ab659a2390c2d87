/* SPDX-License-Identifier: GPL-2.0 */
/* Children that could not be entered. */
#ifndef NETNICE_VIF_LOST_H
#define NETNICE_VIF_LOST_H

struct task_struct;

/**
 * vif_lost_kill() - end a task that would be without its parent's limits
 * @child: the task, which does not run yet
 *
 * It has not run when it is killed; where the probe is raw (raw.h), it may have run for a moment.
 * Context: as a tracepoint's probe.
 */
void vif_lost_kill(struct task_struct *child);

/* Context: process; vif_lost_kill() is not called any more. */
void vif_lost_stop(void);

#endif
