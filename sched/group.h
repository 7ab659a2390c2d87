/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clocks of one tree or of several that share their time: what leaves by one of them takes
 * that from all.
 *
 * @paid_ns is the time up to which everything that has left by any of them is paid for. A
 * packet's time, at its own clock's rate, comes after that, and its own clock waits until it
 * has passed; no other one does, so nobody has to be woken on behalf of somebody else. Before a
 * clock is ready again each other one has been so once at most. A clock that is new to the
 * group is not ready before all of its time is paid for. Hence over any interval of length T
 *
 *	sum(bytes / rate) <= T + slack + sum(largest packet / rate)
 *
 * where the sums are over the clocks, and the slack is the largest of any (clock.h).
 *
 * Clocks are looked at late, by more than a packet takes where rates are high: who comes first
 * then must not have what has become free meanwhile to himself. So where @waiting others want to
 * send a clock is not ready for as long as each of them takes as much. Those who want to send
 * all the time take turns, packet by packet, and each makes up for its own delay.
 *
 * Those who call need not be serialized.
 */
#ifndef NETNICE_SCHED_GROUP_H
#define NETNICE_SCHED_GROUP_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct vsched_group - the time that clocks share
 * @paid_ns: see above
 * @waiting: clocks that are waited for
 */
struct vsched_group {
	atomic64_t paid_ns;
	atomic_t waiting;
};

/**
 * vsched_group_charge() - a packet leaves by one of the clocks
 * @group: the group
 * @least_ns: what had not been used of the time before is lost
 * @ready_ns: when this clock has been ready
 * @duration_ns: the packet's, at the rate of this clock
 *
 * Return: when the clock is ready again.
 */
static inline u64 vsched_group_charge(struct vsched_group *group, u64 least_ns, u64 ready_ns,
				      u64 duration_ns)
{
	u64 turn_ns = ready_ns + duration_ns * (1 + atomic_read(&group->waiting));
	s64 was = atomic64_read(&group->paid_ns);
	u64 paid_ns;

	do {
		paid_ns = max_t(u64, was, least_ns) + duration_ns;
	} while (!atomic64_try_cmpxchg(&group->paid_ns, &was, paid_ns));
	return max(paid_ns, turn_ns);
}

#endif
