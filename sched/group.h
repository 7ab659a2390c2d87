/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clocks of one tree or of several that share their time: what leaves by one of them takes
 * that from all.
 *
 * @paid_ns is the time up to which everything that has left by any of them is paid for. A
 * packet's time, at its own clock's rate, comes after that, and its own clock waits until it
 * has passed; no other one does, so nobody has to be woken on behalf of somebody else. A clock
 * that was ready while another one waited gets its turn after that, and before it is ready
 * again each other one has been so once at most. A clock that is new to the group is not ready
 * before all of its time is paid for. Hence clocks that want to send all the time take turns,
 * packet by packet, and over any interval of length T
 *
 *	sum(bytes / rate) <= T + slack + sum(largest packet / rate)
 *
 * where the sums are over the clocks, and the slack is the largest of any (clock.h). Those who
 * call need not be serialized.
 */
#ifndef NETNICE_SCHED_GROUP_H
#define NETNICE_SCHED_GROUP_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/types.h>

struct vsched_group {
	atomic64_t paid_ns;
};

/**
 * vsched_group_charge() - a packet leaves by one of the clocks
 * @group: the group
 * @from_ns: what has left by this clock is paid for up to then
 * @duration_ns: the packet's, at the rate of this clock
 *
 * Return: up to when it is now.
 */
static inline u64 vsched_group_charge(struct vsched_group *group, u64 from_ns, u64 duration_ns)
{
	s64 was = atomic64_read(&group->paid_ns);
	u64 paid_ns;

	do {
		paid_ns = max_t(u64, was, from_ns) + duration_ns;
	} while (!atomic64_try_cmpxchg(&group->paid_ns, &was, paid_ns));
	return paid_ns;
}

#endif
