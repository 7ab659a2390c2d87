/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sharing: which of several contenders is served next. Strictly by priority,
 * and among those of one priority by weighted fair queueing:
 *
 * WF2Q+ (J. Bennett, H. Zhang, "Hierarchical packet fair queueing
 * algorithms", SIGCOMM 1996): of those whose virtual start time has come the
 * one with the earliest virtual deadline, so that none is ever more than one
 * packet ahead of its fluid share, nor behind. Virtual time, for each
 * priority,
 *
 *	V += bytes / sum of the weights that contend,	V >= least start
 *
 * in units of 2^-31 byte at weight 1. The start of a contender moves on by
 * bytes / weight; its deadline lies as far behind the start as the longest
 * packet of late would take, because how long the next one is shows only
 * when it is taken (I. Stoica, H. Abdel-Wahab, "Earliest eligible virtual
 * deadline first", 1995, calls it the request; using less is no harm).
 *
 * The contenders of a priority are in a red-black tree by start, in which every
 * subtree knows its earliest deadline: each operation costs the logarithm of
 * their number. There is no division but in vsched_share_set(): the weights'
 * sum is inverted by Newton's method. The caller serializes.
 */
#ifndef NETNICE_SCHED_FAIR_H
#define NETNICE_SCHED_FAIR_H

#include <linux/rbtree.h>
#include <linux/types.h>

#define VSCHED_PRIORITIES	8
#define VSCHED_PRIORITY_DEFAULT	4
#define VSCHED_WEIGHT_MAX	10000
#define VSCHED_WEIGHT_DEFAULT	100

/* What is longer counts as so long: virtual times stay comparable. */
#define VSCHED_BYTES_LIMIT	(1U << 24)

/**
 * struct vsched_share - a contender
 * @rb: in struct vsched_class.tree
 * @start: virtual start time of its next packet
 * @deadline: virtual deadline of its next packet; while it contends
 * @soonest: earliest deadline in the subtree; while it contends
 * @inv_weight: 2^31 / @weight
 * @round: struct vsched_class.round when it was served last
 * @weight: 1 to VSCHED_WEIGHT_MAX
 * @priority: 0, which is served first, to VSCHED_PRIORITIES - 1
 * @contends: it is in the tree
 */
struct vsched_share {
	struct rb_node rb;
	u64 start;
	u64 deadline;
	u64 soonest;
	u32 inv_weight;
	u32 round;
	u16 weight;
	u8 priority;
	bool contends;
};

/**
 * struct vsched_class - contenders of one priority
 * @tree: struct vsched_share.rb
 * @vtime: virtual time
 * @frac: what is beyond @vtime, in units of 2^-@shift
 * @weight_sum: of those that contend
 * @inv_sum: 2^(30 + @shift) / @weight_sum or a little less
 * @longest: bytes of the longest packet since somebody contends
 * @round: counts how often @vtime has gone a quarter of its way round
 * @shift: see @inv_sum
 */
struct vsched_class {
	struct rb_root_cached tree;
	u64 vtime;
	u32 frac;
	u32 weight_sum;
	u32 inv_sum;
	u32 longest;
	u32 round;
	u8 shift;
};

/**
 * struct vsched_fair - a set of contenders; all zero is an empty one
 * @class: one for each priority
 * @busy: bits of the classes in which somebody contends
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
 * @fair: where it contends, or may
 * @share: the contender
 * @weight: 1 to VSCHED_WEIGHT_MAX
 * @priority: below VSCHED_PRIORITIES
 *
 * What it has had so far stays counted at the old weight.
 */
void vsched_share_set(struct vsched_fair *fair, struct vsched_share *share,
		      unsigned int weight, unsigned int priority);

/**
 * vsched_fair_join() - a contender that does not contend begins to
 * @fair: the set
 * @share: the contender
 *
 * It can not have saved up what it did not use, nor is forgotten what it
 * has had.
 */
void vsched_fair_join(struct vsched_fair *fair, struct vsched_share *share);

/**
 * vsched_fair_leave() - one that contends ends it
 * @fair: the set
 * @share: the contender
 */
void vsched_fair_leave(struct vsched_fair *fair, struct vsched_share *share);

/**
 * vsched_fair_forget() - a contender moves to another set, or is new in it
 * @fair: the new set
 * @share: does not contend
 */
void vsched_fair_forget(const struct vsched_fair *fair,
			struct vsched_share *share);

/**
 * vsched_fair_pick() - who is next?
 * @fair: the set
 *
 * Return: a contender, or NULL if there is none.
 */
struct vsched_share *vsched_fair_pick(struct vsched_fair *fair);

/**
 * vsched_fair_serve() - a contender has been served
 * @fair: the set
 * @share: contends
 * @bytes: what it has had; more than VSCHED_BYTES_LIMIT count as that many
 * @more: it goes on to contend
 */
void vsched_fair_serve(struct vsched_fair *fair, struct vsched_share *share,
		       u32 bytes, bool more);

static inline bool vsched_fair_empty(const struct vsched_fair *fair)
{
	return !fair->busy;
}

#endif
