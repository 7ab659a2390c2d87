/* SPDX-License-Identifier: GPL-2.0 */
/* The table of entries: for those who enter, end, change and walk them, subject_*.c. */
#ifndef NETNICE_VIF_SUBJECT_PRIV_H
#define NETNICE_VIF_SUBJECT_PRIV_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "subject.h"

#define VIF_SUBJECT_TABLE_BITS	12

/* Bits of struct vif_subject.id: with the bucket's number a position below 1 << 60. */
#define VIF_SUBJECT_ID_BITS	(60 - VIF_SUBJECT_TABLE_BITS)

extern DECLARE_HASHTABLE(vif_subject_table, VIF_SUBJECT_TABLE_BITS);
extern raw_spinlock_t vif_subject_table_lock;
extern struct mutex vif_subject_mutex;

static inline bool vif_subject_is_task(enum vif_kind kind)
{
	return kind == VIF_PROCESS || kind == VIF_THREAD;
}

/* The address of what vif_subject_id.find has found, or NULL. */
const void *vif_subject_key(enum vif_kind kind, void *what);

/*
 * The entry that belongs to a live subject, or NULL. Caller holds rcu_read_lock(), where
 * it is valid.
 */
struct vif_subject *vif_subject_find_live(const struct vif_subject_id *id);

/* A new one, referenced once; takes over the reference to @set, which may be NULL. */
void vif_subject_init(struct vif_subject *subject, enum vif_kind kind,
		      struct vif_set *set);

/* Have a thread's entry refer to its process's. Caller holds rcu_read_lock(). */
void vif_subject_use(struct vif_subject *thread, struct vif_subject *up);

/*
 * Hold @what, so that its address is not reused. Caller holds rcu_read_lock() and the table's lock.
 */
void __vif_subject_hold(struct vif_subject *subject, void *what);

/*
 * Into the table, which takes over the reference. Caller holds rcu_read_lock() and the
 * table's lock.
 */
void __vif_subject_add(struct vif_subject *subject, const void *key);

/* Out of it. Table's lock held. */
void __vif_subject_del(struct vif_subject *subject);

#endif
