/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sharing: select the contender that is served next. Priorities are strict. Within a priority,
 * contenders below their minimum (floor.h) come first. Then weighted fair queueing decides:
 *
 * Of the contenders whose virtual start has come, the one with the earliest virtual deadline is
 * served. So no contender is ever more than one packet ahead of its fluid share, or behind it (J.
 * Bennett, H. Zhang, "WF2Q: worst-case fair weighted fair queueing", INFOCOM 1996). Service
 * advances the start of a contender by bytes / weight, in units of 2^-31 byte at weight 1. The
 * deadline is behind the start by the time that the contender's longest recent packet would take,
 * because the length of the next packet is known only when it is taken (I. Stoica, H. Abdel-Wahab,
 * "Earliest eligible virtual deadline first", 1995, calls it the request; using less does no harm).
 * So a contender with short packets does not wait for the length of other contenders' long packets.
 *
 * Virtual time, for each priority, is the place to which the fluid has brought all its members: the
 * average of their starts by weight,
 *
 *	V = sum(weight * start) / sum(weight)
 *
 * Service advances it by exactly bytes / sum(weight), whatever is rounded on the way. Members are
 * the active contenders, and contenders that have left with a start ahead of V. In the fluid these
 * would not be done yet, and if they did not count, V would run away from the remaining members. So
 * they are delayed until V has come to their start. If a contender leaves behind V, it would have
 * been done earlier, and V jumps to where it would be without it. So when no contender is active,
 * none is delayed either, except some that have not been processed yet. A new contender begins at
 * V, or at its delayed start: no credit is saved, and no debt is lost.
 *
 * A contender that its clock holds would not have been done. If a clock ties with a share, it may
 * be unready for a moment, again and again, and each time the contender would lose the time by
 * which it was behind. So this time is kept, up to the contender's longest packet. When it comes
 * back, the other contenders return the time: V goes back to where it would be with it. This does
 * not happen if no contender was active in between.
 *
 * The contenders of a priority are in a red-black tree by start, in which every subtree knows its
 * earliest deadline. Delayed contenders are in a plain tree. Each operation costs the logarithm of
 * their number. The only division is in vsched_share_set(): the sum of weights is inverted by
 * Newton's method. The caller serializes.
 *
 * A contender that is served by its minimum keeps its start, and virtual time stands still: shares
 * do not count this service.
 */
#ifndef NETNICE_SCHED_FAIR_H
#define NETNICE_SCHED_FAIR_H

#include <linux/bitops.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "floor.h"

#define VSCHED_PRIORITIES	8
#define VSCHED_PRIORITY_DEFAULT	4
#define VSCHED_WEIGHT_MAX	10000
#define VSCHED_WEIGHT_DEFAULT	100

/* Longer packets count as this long: virtual times stay comparable. */
#define VSCHED_BYTES_LIMIT	(1U << 24)

/**
 * enum vsched_state - whether a contender has packets to serve
 * @VSCHED_IDLE: nothing
 * @VSCHED_HELD: something, but a clock holds it back: it is not active
 * @VSCHED_READY: something: it is active
 */
enum vsched_state { VSCHED_IDLE, VSCHED_HELD, VSCHED_READY };

/**
 * struct vsched_share - a contender
 * @rb: in struct vsched_class.tree while it is active, unless it is alone there; in @ahead
 *	while it is delayed
 * @start: virtual start time of its next packet
 * @deadline: virtual deadline of its next packet; while it is active
 * @min_deadline: earliest deadline in the subtree; while it is active
 * @kept_lag: weight * (virtual time - start) from when a clock began to hold it,
 *	if that was more than 0; while it is not active
 * @inv_weight: 2^31 / @weight
 * @longest: bytes of its longest packet of late
 * @window_longest: ditto, of the present window
 * @kept_period: struct vsched_class.period of when a clock began to hold it
 * @weight: 1 to VSCHED_WEIGHT_MAX
 * @window_served: packets of the present window
 * @priority: 0, which is served first, to VSCHED_PRIORITIES - 1
 * @active: it has something to be served
 * @delayed: it has not, but has had more than its share
 * @by_floor: it has been picked by its minimum
 * @floor: its minimum; NULL if it has none
 */
struct vsched_share {
	struct rb_node rb;
	u64 start;
	union {
		u64 deadline;
		s64 kept_lag;
	};
	u64 min_deadline;
	u32 inv_weight;
	u32 longest;
	u32 window_longest;
	u16 kept_period;
	u16 weight;
	u8 window_served;
	u8 priority;
	bool active;
	bool delayed;
	bool by_floor;
	struct vsched_floor *floor;
};

/**
 * struct vsched_class - contenders of one priority
 * @tree: those that are active, by start
 * @ahead: those that are delayed, by start
 * @sole: the only active one, if none is delayed and it has no minimum; it is
 *	in no tree, nor in the sums, and @vtime, which stands still, is its start
 * @vtime: virtual time
 * @lag_sum: sum of weight * (@vtime - start) of the members: about 0, or what
 *	is owed to them for others that could not be delayed
 * @weight_sum: of the members
 * @inv_sum: 2^@shift / @weight_sum or a little less
 * @period: counts the times when no contender was active
 * @shift: see @inv_sum
 * @floors: minima of those that are active
 */
struct vsched_class {
	struct rb_root_cached tree;
	struct rb_root_cached ahead;
	struct vsched_share *sole;
	u64 vtime;
	s64 lag_sum;
	u32 weight_sum;
	u32 inv_sum;
	u16 period;
	u8 shift;
	struct vsched_floors floors;
};

/**
 * struct vsched_fair - a set of contenders; all zero is an empty one
 * @class: one for each priority
 * @busy: bits of the classes with an active contender
 */
struct vsched_fair {
	struct vsched_class class[VSCHED_PRIORITIES];
	unsigned long busy;
};

/**
 * vsched_share_init() - make a contender of default weight and priority
 * @share: the contender
 */
void vsched_share_init(struct vsched_share *share);

/**
 * vsched_share_set() - set weight and priority, at any time
 * @fair: where it is active, or may; NULL if there is none yet
 * @share: the contender
 * @weight: 1 to VSCHED_WEIGHT_MAX
 * @priority: below VSCHED_PRIORITIES
 * @now_ns: the present time, if it has a minimum
 *
 * What it has had more or less than its share stays so, in bytes; with
 * another priority it begins anew.
 */
void vsched_share_set(struct vsched_fair *fair, struct vsched_share *share,
		      unsigned int weight, unsigned int priority, u64 now_ns);

/**
 * vsched_share_set_floor() - set a minimum, at any time
 * @fair: where it is active, or may; NULL if there is none yet
 * @share: the contender
 * @floor: memory for it, which was given to vsched_floor_init() for @share, and
 *	stays the same
 * @rate: bytes per second, VSCHED_RATE_MIN..VSCHED_RATE_LIMIT; 0: none
 * @burst: bytes, of which half may be saved up
 * @now_ns: the present time
 */
void vsched_share_set_floor(struct vsched_fair *fair,
			    struct vsched_share *share,
			    struct vsched_floor *floor, u64 rate, u64 burst,
			    u64 now_ns);

/**
 * vsched_fair_join() - activate a contender
 * @fair: the set
 * @share: the contender
 * @now_ns: the present time, if it has a minimum
 *
 * It has no credit for unused service, and keeps its debt.
 */
void vsched_fair_join(struct vsched_fair *fair, struct vsched_share *share,
		      u64 now_ns);

/**
 * vsched_fair_leave() - deactivate a contender
 * @fair: the set
 * @share: the contender
 * @held: because of a clock: its lag, at most its longest packet, is kept
 *	until it returns
 */
void vsched_fair_leave(struct vsched_fair *fair, struct vsched_share *share,
		       bool held);

/* A held contender has no packets to serve any more. */
static inline void vsched_share_end_hold(struct vsched_share *share)
{
	share->kept_lag = 0;
}

/* vsched_share_expect() of a packet that is longer than those of the window. */
void vsched_share_expect_longer(struct vsched_share *share, u32 bytes);

/**
 * vsched_share_expect() - a contender is to be served a packet
 * @share: the contender, in any state
 * @bytes: of the packet
 */
static inline void vsched_share_expect(struct vsched_share *share, u32 bytes)
{
	if (bytes > share->window_longest)
		vsched_share_expect_longer(share, bytes);
}

/**
 * vsched_fair_is_sole() - is a contender the only one that is active?
 * @fair: the set
 * @share: the contender
 *
 * Return: true if it is known to be; a lone contender that was not served since is not known.
 */
static inline bool vsched_fair_is_sole(const struct vsched_fair *fair,
				       const struct vsched_share *share)
{
	return fair->class[share->priority].sole == share && fair->busy == 1UL << share->priority;
}

/* A contender that vsched_fair_is_sole() was served, and stays active. */
void vsched_fair_serve_sole(struct vsched_share *share, u32 bytes);

/**
 * vsched_fair_forget() - a contender goes elsewhere, or ends
 * @fair: the set, which points to it no longer
 * @share: is not active
 */
void vsched_fair_forget(struct vsched_fair *fair, struct vsched_share *share);

/* vsched_fair_pick() among those of a class of which more than one may be active. */
struct vsched_share *vsched_class_pick(struct vsched_class *class, u64 now_ns);

/**
 * vsched_fair_pick() - select the next contender
 * @fair: the set
 * @now_ns: the present time
 *
 * It must be served before the next call.
 * Return: a contender, or NULL if there is none.
 */
static inline struct vsched_share *vsched_fair_pick(struct vsched_fair *fair, u64 now_ns)
{
	struct vsched_class *class;

	if (!fair->busy)
		return NULL;
	class = &fair->class[__ffs(fair->busy)];
	return class->sole ?: vsched_class_pick(class, now_ns);
}

/**
 * vsched_fair_is_next() - would vsched_fair_pick() select a contender?
 * @fair: the set
 * @share: the contender
 *
 * Return: if in doubt, true: where there are minima, or several start together.
 */
bool vsched_fair_is_next(const struct vsched_fair *fair, const struct vsched_share *share);

/**
 * vsched_fair_serve() - a contender has been served
 * @fair: the set
 * @share: is active
 * @bytes: served bytes; more than VSCHED_BYTES_LIMIT count as that many
 * @state: its state now
 */
void vsched_fair_serve(struct vsched_fair *fair, struct vsched_share *share,
		       u32 bytes, enum vsched_state state);

static inline bool vsched_fair_empty(const struct vsched_fair *fair)
{
	return !fair->busy;
}

#endif
