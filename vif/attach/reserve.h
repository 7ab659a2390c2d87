/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reserves of memory for code that cannot allocate: probes of tracepoints and, on a real-time
 * kernel, all code that runs with preemption off (raw.h). A worker refills a reserve.
 */
#ifndef NETNICE_VIF_RESERVE_H
#define NETNICE_VIF_RESERVE_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/**
 * struct vif_reserve - objects of one size
 * @size: bytes of an object
 * @most: objects that are kept
 * @lock: guards @first and @count; the users' own lock
 * @first: the first object, which begins with a pointer to the next one
 * @count: objects in the list; read without @lock, too
 * @work: refills it
 */
struct vif_reserve {
	const size_t size;
	const unsigned int most;
	raw_spinlock_t *const lock;
	void **first;
	unsigned int count;
	struct work_struct work;
};

/**
 * VIF_RESERVE_INIT() - an empty reserve, for static ones
 * @reserve: its name
 * @type: of an object, at least as large as a pointer
 * @how_many: objects
 * @its_lock: see struct vif_reserve
 */
#define VIF_RESERVE_INIT(reserve, type, how_many, its_lock) {			\
	.size = sizeof(type),							\
	.most = (how_many),							\
	.lock = (its_lock),							\
	.work = __WORK_INITIALIZER((reserve).work, vif_reserve_refill_work),	\
}

void vif_reserve_refill_work(struct work_struct *work);

/* Fill it, as far as there is memory. Context: process, may sleep. */
void vif_reserve_fill(struct vif_reserve *reserve);

/**
 * __vif_reserve_take() - take an object
 * @reserve: the reserve
 *
 * Context: any. Caller holds @reserve->lock.
 * Return: the object, zeroed, which is the caller's to kfree(), or NULL.
 */
void *__vif_reserve_take(struct vif_reserve *reserve);

/* Free what is left. Context: process; nothing is taken any more. */
void vif_reserve_drain(struct vif_reserve *reserve);

/* Is less than half of it left? */
static inline bool vif_reserve_is_low(const struct vif_reserve *reserve)
{
	return READ_ONCE(reserve->count) < DIV_ROUND_UP(reserve->most, 2);
}

#endif
