// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/rbtree_augmented.h>

#include "fair.h"

/* A full frame: what a packet may need before a longer one has been seen. */
#define FRAME_BYTES	1514

/* Units of virtual time for a byte at weight 1, as a power of two. */
#define VTIME_SHIFT	31

/* Virtual time goes round in four steps of this size. */
#define ROUND_SHIFT	62

/* Virtual times of one class lie within 2^63: they are compared modulo 2^64. */
static bool before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

static struct vsched_share *share_of(struct rb_node *rb)
{
	return rb_entry_safe(rb, struct vsched_share, rb);
}

static bool update_soonest(struct vsched_share *share, bool exit)
{
	const struct vsched_share *left = share_of(share->rb.rb_left);
	const struct vsched_share *right = share_of(share->rb.rb_right);
	u64 soonest = share->deadline;

	if (left && before(left->soonest, soonest))
		soonest = left->soonest;
	if (right && before(right->soonest, soonest))
		soonest = right->soonest;
	if (exit && share->soonest == soonest)
		return true;
	share->soonest = soonest;
	return false;
}

RB_DECLARE_CALLBACKS(static, soonest_callbacks, struct vsched_share, rb,
		     soonest, update_soonest)

/* Equals are kept in the order in which they came. */
static void insert(struct vsched_class *class, struct vsched_share *share)
{
	struct rb_node **link = &class->tree.rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	share->soonest = share->deadline;
	while (*link) {
		parent = *link;
		if (before(share->start, share_of(parent)->start)) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(&share->rb, parent, link);
	soonest_callbacks.propagate(parent, NULL);
	rb_insert_augmented_cached(&share->rb, &class->tree, leftmost,
				   &soonest_callbacks);
}

static void erase(struct vsched_class *class, struct vsched_share *share)
{
	rb_erase_augmented_cached(&share->rb, &class->tree, &soonest_callbacks);
}

static struct vsched_class *class_of(struct vsched_fair *fair,
				     const struct vsched_share *share)
{
	return &fair->class[share->priority];
}

static void set_deadline(const struct vsched_class *class,
			 struct vsched_share *share)
{
	share->deadline = share->start + (u64)class->longest * share->inv_weight;
}

/*
 * 2^63 / m, or a little less, for m from 2^31 to 2^32 - 1. With d = m / 2^32,
 * 48/17 - 32/17 d is within 1/17 of 1/d; each step x = x (2 - d x) squares
 * the error, which is below 2^-32 after three, and comes from below: virtual
 * time is never fast.
 */
static u32 invert(u32 m)
{
	u64 x = 6063483241ULL - ((m * 4042322161ULL) >> 32);
	int step;

	for (step = 0; step < 3; step++)
		x = (x * ((1ULL << 32) - ((x * m) >> 32))) >> 31;
	return min_t(u64, x, 0xffffffff);
}

static void set_weight_sum(struct vsched_class *class, u32 sum)
{
	int log;

	class->weight_sum = sum;
	if (!sum) {
		class->longest = 0;
		return;
	}
	log = fls(sum) - 1;
	class->inv_sum = invert(sum << (31 - log));
	if (class->shift != log + 1)
		class->frac = 0;
	class->shift = log + 1;
}

static void set_vtime(struct vsched_class *class, u64 vtime)
{
	if ((vtime ^ class->vtime) >> ROUND_SHIFT)
		class->round++;
	class->vtime = vtime;
}

static void advance(struct vsched_class *class, u32 bytes)
{
	u64 step = (u64)bytes * class->inv_sum + class->frac;

	set_vtime(class, class->vtime + (step >> class->shift));
	class->frac = step & ((1ULL << class->shift) - 1);
}

void vsched_share_init(struct vsched_share *share)
{
	*share = (struct vsched_share) {
		.weight = VSCHED_WEIGHT_DEFAULT,
		.inv_weight = (1U << VTIME_SHIFT) / VSCHED_WEIGHT_DEFAULT,
		.priority = VSCHED_PRIORITY_DEFAULT,
	};
}

void vsched_fair_forget(const struct vsched_fair *fair,
			struct vsched_share *share)
{
	const struct vsched_class *class = &fair->class[share->priority];

	share->start = class->vtime;
	share->round = class->round;
}

void vsched_share_set(struct vsched_fair *fair, struct vsched_share *share,
		      unsigned int weight, unsigned int priority)
{
	bool contends = share->contends;

	if (contends)
		vsched_fair_leave(fair, share);
	share->weight = weight;
	share->inv_weight = (1U << VTIME_SHIFT) / weight;
	if (share->priority != priority) {
		share->priority = priority;
		if (fair)
			vsched_fair_forget(fair, share);
	}
	if (contends)
		vsched_fair_join(fair, share);
}

/*
 * What a contender has had in advance stays counted. But one that was away for
 * long may have missed that virtual time went round.
 */
static void resume(const struct vsched_class *class, struct vsched_share *share)
{
	if (class->round - share->round > 1 ||
	    before(share->start, class->vtime))
		share->start = class->vtime;
}

void vsched_fair_join(struct vsched_fair *fair, struct vsched_share *share)
{
	struct vsched_class *class = class_of(fair, share);

	if (!class->longest)
		class->longest = FRAME_BYTES;
	set_weight_sum(class, class->weight_sum + share->weight);
	resume(class, share);
	set_deadline(class, share);
	insert(class, share);
	share->contends = true;
	fair->busy |= 1U << share->priority;
}

static void left(struct vsched_fair *fair, struct vsched_share *share)
{
	struct vsched_class *class = class_of(fair, share);

	share->contends = false;
	set_weight_sum(class, class->weight_sum - share->weight);
	if (!class->weight_sum)
		fair->busy &= ~(1U << share->priority);
}

void vsched_fair_leave(struct vsched_fair *fair, struct vsched_share *share)
{
	erase(class_of(fair, share), share);
	left(fair, share);
}

/*
 * The root of the subtree or the single contender with the earliest deadline
 * among those whose start has come. Of equal ones the one that sorts first.
 */
static struct vsched_share *soonest_started(const struct vsched_class *class,
					    bool *is_subtree)
{
	struct vsched_share *at = share_of(class->tree.rb_root.rb_node);
	struct vsched_share *best = NULL, *below;
	u64 soonest = 0;

	while (at) {
		below = share_of(at->rb.rb_left);
		if (before(class->vtime, at->start)) {
			at = below;
			continue;
		}
		if (below && (!best || before(below->soonest, soonest))) {
			best = below;
			soonest = below->soonest;
			*is_subtree = true;
		}
		if (!best || before(at->deadline, soonest)) {
			best = at;
			soonest = at->deadline;
			*is_subtree = false;
		}
		at = share_of(at->rb.rb_right);
	}
	return best;
}

/* The contender that a subtree's earliest deadline belongs to. */
static struct vsched_share *soonest_of(struct vsched_share *at)
{
	u64 soonest = at->soonest;

	for (;;) {
		struct vsched_share *below = share_of(at->rb.rb_left);

		if (below && below->soonest == soonest)
			at = below;
		else if (at->deadline == soonest)
			return at;
		else
			at = share_of(at->rb.rb_right);
	}
}

struct vsched_share *vsched_fair_pick(struct vsched_fair *fair)
{
	struct vsched_share *first, *best;
	struct vsched_class *class;
	bool is_subtree;

	if (!fair->busy)
		return NULL;
	class = &fair->class[__ffs(fair->busy)];
	first = share_of(rb_first_cached(&class->tree));
	if (before(class->vtime, first->start)) {
		set_vtime(class, first->start);
		class->frac = 0;
	}
	best = soonest_started(class, &is_subtree);
	return is_subtree ? soonest_of(best) : best;
}

static void charge(struct vsched_class *class, struct vsched_share *share,
		   u32 bytes)
{
	if (bytes > class->longest)
		class->longest = bytes;
	advance(class, bytes);
	share->start += (u64)bytes * share->inv_weight;
	share->round = class->round;
}

void vsched_fair_serve(struct vsched_fair *fair, struct vsched_share *share,
		       u32 bytes, bool more)
{
	struct vsched_class *class = class_of(fair, share);

	erase(class, share);
	charge(class, share, min(bytes, VSCHED_BYTES_LIMIT));
	if (!more) {
		left(fair, share);
		return;
	}
	set_deadline(class, share);
	insert(class, share);
}
