/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Minima: what some of the contenders of a class get before any of them is
 * served by its share (fair.h), which goes on to divide what is left.
 *
 * Each of them has a clock (clock.h), its floor, which runs at its minimum and
 * is charged with what it gets by it, and not with what it gets by its share.
 * Its turn has come once the clock's paid_ns <= now. Of several the one whose
 * paid_ns is earliest is served (earliest deadline first: C. Liu, J. Layland,
 * "Scheduling algorithms for multiprogramming in a hard-real-time
 * environment", 1973). So where the minima together are no more than what
 * their class is served, each is late by no more than the packet that is
 * under way, and gets its minimum over any interval but for a packet.
 *
 * Who is active catches up, as others may have had to wait for a priority, a
 * clock, or a link that was slow for a moment; but by no more than
 * VSCHED_LATE_NS and the time of two packets, as a node may be served no more
 * often than one comes at its rate. What the earliest is late beyond that is
 * taken off for all of the class at once: its time stands still. Hence, where
 * there is less than the minima together, none comes nearer to its own than
 * others do: earliest first among those that are equally late gives to each in
 * proportion to its minimum, whatever its packets are like. And when there is
 * enough again, no more is made up for than that time.
 *
 * One that comes has saved up no more than its clock's slack, or is as late as
 * the others are: otherwise it would get nothing until they are late no more.
 *
 * A clock is in its class's time while its contender is in it, and in that of
 * all others otherwise; both are compared modulo 2^64. The caller serializes.
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
