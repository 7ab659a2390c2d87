/* SPDX-License-Identifier: GPL-2.0 */
/* Entries, one or all: to look at, or to change. */
#ifndef NETNICE_VIF_SUBJECT_WALK_H
#define NETNICE_VIF_SUBJECT_WALK_H

#include "subject.h"

/**
 * vif_subject_run() - run a function on a subject's entry
 * @id: which
 * @fn: called under rcu_read_lock(), if there is one
 * @arg: for @fn
 *
 * Context: any.
 */
void vif_subject_run(const struct vif_subject_id *id,
		     void (*fn)(struct vif_subject *subject, void *arg),
		     void *arg);

/**
 * vif_subject_each() - run a function on all entries
 * @fn: called under rcu_read_lock(), in no particular order
 * @arg: for @fn
 *
 * Context: process, may sleep.
 */
void vif_subject_each(void (*fn)(struct vif_subject *subject, void *arg),
		      void *arg);

/**
 * vif_subject_each_change() - run a function on all entries
 * @fn: called under rcu_read_lock(), with the attach mutex held, in no particular order: it may
 *	change them, and an entry's socket does not go
 * @arg: for @fn
 *
 * The mutex is let go in between: how long the walk takes others do not wait.
 * Context: process, may sleep.
 */
void vif_subject_each_change(void (*fn)(struct vif_subject *subject, void *arg),
			     void *arg);

/**
 * vif_subject_run_locked() - run a function while an entry is in the table
 * @subject: valid under rcu_read_lock()
 * @fn: called with interrupts off, unless the entry has ended
 * @arg: for @fn
 *
 * Context: any, caller holds rcu_read_lock().
 */
void vif_subject_run_locked(struct vif_subject *subject,
			    void (*fn)(struct vif_subject *subject, void *arg),
			    void *arg);

/**
 * struct vif_subject_filter - which entries a walk is about
 * @is: is it one of them? Called under rcu_read_lock()
 */
struct vif_subject_filter {
	bool (*is)(const struct vif_subject *subject,
		   const struct vif_subject_filter *filter);
};

/**
 * vif_subject_after() - walk entries
 * @pos: in: place of the last one seen, 0 for the first; out: of the one found, which is
 *	greater, and below 1 << 60
 * @filter: which; NULL: all
 *
 * Whatever is there all the time is found once, in no particular order.
 * Context: process, may sleep; who is to be killed sees no more.
 * Return: the entry, referenced, or NULL.
 */
struct vif_subject *vif_subject_after(u64 *pos, const struct vif_subject_filter *filter);

#endif
