/* SPDX-License-Identifier: GPL-2.0 */
/* Inheritance of attachments by child tasks. */
#ifndef NETNICE_VIF_SUBJECT_INHERIT_H
#define NETNICE_VIF_SUBJECT_INHERIT_H

#include "subject.h"

/**
 * vif_subject_inherit() - give a new task what its parent is attached to
 * @kind: VIF_PROCESS or VIF_THREAD
 * @from: the parent's entry
 * @child: the task
 * @up: of a thread, its process's entry
 *
 * Context: as a tracepoint's probe, under rcu_read_lock(); the child does not run yet.
 * Return: the child's entry, referenced by the table only, or NULL without memory.
 */
struct vif_subject *vif_subject_inherit(enum vif_kind kind,
					struct vif_subject *from,
					struct task_struct *child,
					struct vif_subject *up);

/*
 * There will be something to inherit: have entries ready for it. Context: process, the attach mutex
 * is not held.
 */
void vif_subject_refill(void);

/* Context: process; no event can come any more. */
void vif_subject_refill_stop(void);

#endif
