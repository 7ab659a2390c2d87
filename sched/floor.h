/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Minima: some contenders of a class get their minimum before any contender is served by its share.
 * Shares (fair.h) divide the rest.
 *
 * Each contender with a minimum has a clock (clock.h), its floor. The floor runs at the minimum. It
 * is charged for service by the minimum, and not for service by the share. The contender's turn
 * comes when the floor's paid_ns <= now. If it is the turn of several contenders, the one with the
 * earliest paid_ns is served (earliest deadline first: C. Liu, J. Layland, "Scheduling algorithms
 * for multiprogramming in a hard-real-time environment", 1973). So if the class gets at least all
 * minima together, each contender is late by at most the packet that is being sent, and gets its
 * minimum over any interval, except for one packet.
 *
 * An active contender may catch up, because it may have had to wait for a priority, a clock, or a
 * slow link. It may be late by at most VSCHED_LATE_NS and the time of two packets, because a node
 * may be served no more often than a packet comes at its rate. If the earliest contender is later,
 * the excess is taken off for the whole class at once: the time of the class stands still. So if
 * there is less than all minima together, no contender comes nearer to its minimum than the other
 * ones: earliest first among equally late contenders gives each a part in proportion to its
 * minimum, whatever its packets are like. When there is enough again, no more than that time is
 * caught up.
 *
 * A contender that becomes active has saved up at most its clock's slack, or is as late as the
 * other ones are. Otherwise it would get nothing until they are not late any more.
 *
 * A floor is in the time of the class while its contender is in the class, and in the time of all
 * other clocks otherwise. Both are compared modulo 2^64. The caller serializes.
 */
#ifndef NETNICE_SCHED_FLOOR_H
#define NETNICE_SCHED_FLOOR_H

#include <linux/rbtree.h>
#include <linux/types.h>

#include "clock.h"

/* Missed service is made up for during this time. */
#define VSCHED_LATE_NS	100000000ULL

struct vsched_share;

/**
 * struct vsched_floor - a contender's minimum
 * @rb: in struct vsched_floors.tree while the contender is active
 * @clock: paid up to when, see above
 * @share: the contender
 */
struct vsched_floor {
	struct rb_node rb;
	struct vsched_clock clock;
	struct vsched_share *share;
};

/**
 * struct vsched_floors - minima of a class; all zero is an empty set
 * @tree: active ones, by their clock
 * @forgiven_ns: how far the class's time is behind
 * @longest: bytes of the longest recent packet of one of them
 */
struct vsched_floors {
	struct rb_root_cached tree;
	u64 forgiven_ns;
	u32 longest;
};

static inline bool vsched_floors_empty(const struct vsched_floors *floors)
{
	return !rb_first_cached(&floors->tree);
}

/**
 * vsched_floor_init() - no minimum yet
 * @floor: the floor
 * @share: its future owner
 */
void vsched_floor_init(struct vsched_floor *floor, struct vsched_share *share);

/* Its contender is active from now on. */
void vsched_floors_add(struct vsched_floors *floors,
		       struct vsched_floor *floor, u64 now_ns);

/* It does so no longer. */
void vsched_floors_del(struct vsched_floors *floors,
		       struct vsched_floor *floor);

/**
 * vsched_floors_due() - find the contender that is due by its minimum
 * @floors: of the class that is to be served, not empty
 * @now_ns: the present time
 *
 * Return: the contender, or NULL if none is due.
 */
struct vsched_share *vsched_floors_due(struct vsched_floors *floors,
				       u64 now_ns);

/* A packet of @bytes has been taken by @floor, whose contender is still active. */
void vsched_floors_charge(struct vsched_floors *floors,
			  struct vsched_floor *floor, u32 bytes);

#endif
