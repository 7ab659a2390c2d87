/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clocks of one tree or of several trees that share their time: a packet that leaves by one of them
 * takes its time from all.
 *
 * @paid_ns is the time up to which everything that has left by any of them is paid for. The time of
 * a packet, at the rate of its own clock, is added to it. Then its own clock waits until that time
 * has passed. No other clock waits for it, so no clock must be woken because of another one. Before
 * a clock is ready again, each other clock has been ready at most once. A clock that joins the
 * group is not ready before all of its time is paid for. Hence over any interval of length T
 *
 *	sum(bytes / rate) <= T + slack + sum(largest packet / rate)
 *
 * where the sums are over the clocks, and the slack is the largest of any (clock.h).
 *
 * Clocks with packets all the time get equal times. So each clock has a turn, and is not ready
 * before it. A packet advances the turn by its own time, and by the same time for each of the
 * @waiting other clocks. If the packets of one clock take longer than another's, or if a clock is
 * served late by more than a packet takes, its turn stands still while it waits. Then it gets
 * several packets in a row, until it has had as much time. It catches up at most the time of two
 * packets of each clock, by the longest recent ones. A turn makes no clock ready, so the sum above
 * holds in any case.
 *
 * Callers need not be serialized.
 */
#ifndef NETNICE_SCHED_GROUP_H
#define NETNICE_SCHED_GROUP_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct vsched_group - the time that clocks share
 * @paid_ns: see above
 * @longest_ns: time of the packet that takes longest, of late
 * @waiting: clocks that are waited for
 */
struct vsched_group {
	atomic64_t paid_ns;
	atomic64_t longest_ns;
	atomic_t waiting;
};

/* A 256th of a longest packet is forgotten in the time that it takes. */
#define VSCHED_GROUP_FORGET_SHIFT	8

/* So many count, so that no turn comes near VSCHED_STOPPED_NS. */
#define VSCHED_GROUP_MOST	(1U << 16)

/* Members race here without harm: a measurement that is lost comes again with the next packet. */
static inline u64 vsched_group_longest(struct vsched_group *group, u64 duration_ns)
{
	u64 longest_ns = atomic64_read(&group->longest_ns);

	longest_ns -= min(longest_ns, duration_ns >> VSCHED_GROUP_FORGET_SHIFT);
	longest_ns = max(longest_ns, duration_ns);
	atomic64_set(&group->longest_ns, longest_ns);
	return longest_ns;
}

/**
 * vsched_group_take_turn() - a packet leaves by one of the clocks
 * @group: the group
 * @turn_ns: its turn until now
 * @ready_ns: when its clock has been ready
 * @duration_ns: of the packet, at the rate of its clock
 * @now_ns: the present time
 *
 * Return: the next turn.
 */
static inline u64 vsched_group_take_turn(struct vsched_group *group, u64 turn_ns, u64 ready_ns,
					 u64 duration_ns, u64 now_ns)
{
	u64 members = min(1U + atomic_read(&group->waiting), VSCHED_GROUP_MOST);
	u64 late_ns = 2 * members * vsched_group_longest(group, duration_ns);

	if (turn_ns + late_ns < now_ns)
		turn_ns = now_ns - late_ns;
	return min(turn_ns, ready_ns) + duration_ns * members;
}

/**
 * vsched_group_charge() - a packet leaves by one of the clocks
 * @group: the group
 * @least_ns: what had not been used of the time before is lost
 * @turn_ns: the next turn of this clock
 * @duration_ns: the packet's, at the rate of this clock
 *
 * Return: when the clock is ready again.
 */
static inline u64 vsched_group_charge(struct vsched_group *group, u64 least_ns, u64 turn_ns,
				      u64 duration_ns)
{
	s64 was = atomic64_read(&group->paid_ns);
	u64 paid_ns;

	do {
		paid_ns = max_t(u64, was, least_ns) + duration_ns;
	} while (!atomic64_try_cmpxchg(&group->paid_ns, &was, paid_ns));
	return max(paid_ns, turn_ns);
}

#endif
