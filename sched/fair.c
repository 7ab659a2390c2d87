// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/rbtree_augmented.h>

#include "fair.h"

/* Units of virtual time for a byte at weight 1, as a power of two. */
#define VTIME_SHIFT	31

/* Members that expire when one may have come to be delayed. */
#define EXPIRE_MAX	2

/* After one to two times so many packets a longest one is forgotten. */
#define WINDOW		255

/* Far more than is ever owed, and far from overflowing. */
#define DEBT_MAX	(1LL << 60)

/* Virtual times of one class lie within 2^63: they are compared modulo 2^64. */
static bool vsched_fair_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

static struct vsched_share *vsched_fair_share_of(struct rb_node *rb)
{
	return rb_entry_safe(rb, struct vsched_share, rb);
}

static bool vsched_fair_update_min_deadline(struct vsched_share *share, bool exit)
{
	const struct vsched_share *left = vsched_fair_share_of(share->rb.rb_left);
	const struct vsched_share *right = vsched_fair_share_of(share->rb.rb_right);
	u64 min_deadline = share->deadline;

	if (left && vsched_fair_before(left->min_deadline, min_deadline))
		min_deadline = left->min_deadline;
	if (right && vsched_fair_before(right->min_deadline, min_deadline))
		min_deadline = right->min_deadline;
	if (exit && share->min_deadline == min_deadline)
		return true;
	share->min_deadline = min_deadline;
	return false;
}

RB_DECLARE_CALLBACKS(static, vsched_fair_min_deadline, struct vsched_share, rb,
		     min_deadline, vsched_fair_update_min_deadline)

/* Equals are kept in the order in which they came. */
static void vsched_fair_insert(struct vsched_class *class, struct vsched_share *share)
{
	struct rb_node **link = &class->tree.rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	share->min_deadline = share->deadline;
	while (*link) {
		parent = *link;
		if (vsched_fair_before(share->start, vsched_fair_share_of(parent)->start)) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(&share->rb, parent, link);
	vsched_fair_min_deadline.propagate(parent, NULL);
	rb_insert_augmented_cached(&share->rb, &class->tree, leftmost,
				   &vsched_fair_min_deadline);
}

static void vsched_fair_erase(struct vsched_class *class, struct vsched_share *share)
{
	rb_erase_augmented_cached(&share->rb, &class->tree, &vsched_fair_min_deadline);
}

static struct vsched_class *
vsched_fair_class_of(struct vsched_fair *fair, const struct vsched_share *share)
{
	return &fair->class[share->priority];
}

/*
 * 2^63 / m, or up to 4 less, for m from 2^31 to 2^32 - 1. With d = m / 2^32,
 * 48/17 - 32/17 d is within 1/17 of 1/d; each step x = x (2 - d x) squares
 * the error, which is below 2^-32 after three. Cutting off d x makes it up to
 * 2 too much, which is taken off: virtual time is never fast.
 */
static u32 vsched_fair_invert(u32 m)
{
	u64 x = 6063483241ULL - ((m * 4042322161ULL) >> 32);
	int step;

	for (step = 0; step < 3; step++)
		x = (x * ((1ULL << 32) - ((x * m) >> 32))) >> 31;
	return x - 2;
}

static void vsched_fair_set_weight_sum(struct vsched_class *class, u32 sum)
{
	int log;

	class->weight_sum = sum;
	if (!sum) {
		class->lag_sum = 0;
		return;
	}
	log = fls(sum);
	class->inv_sum = vsched_fair_invert(sum << (32 - log));
	class->shift = log + 31;
}

/* The virtual time in which the members together get so much. */
static u64 vsched_fair_time_for(const struct vsched_class *class, u64 lag)
{
	/* the kernel's own, where there are no 128 bits, shifts by up to 32 only */
	return mul_u64_u32_shr(lag, class->inv_sum, 32) >> (class->shift - 32);
}

/* Virtual time to where the members have on average had their share. */
static void vsched_fair_advance(struct vsched_class *class)
{
	u64 step;

	if (class->lag_sum >= 0)
		return;
	step = vsched_fair_time_for(class, -class->lag_sum);
	class->vtime += step;
	class->lag_sum += step * class->weight_sum;
}

static s64 vsched_fair_lag_of(const struct vsched_class *class, const struct vsched_share *share)
{
	return share->weight * (s64)(class->vtime - share->start);
}

/* The others have had what one was behind that was held: virtual time goes back by that. */
static void vsched_fair_refund_lag(struct vsched_class *class, s64 lag)
{
	u64 step = vsched_fair_time_for(class, lag);

	class->vtime -= step;
	class->lag_sum -= step * class->weight_sum;
}

static void vsched_fair_insert_member(struct vsched_class *class, struct vsched_share *share)
{
	if (share->kept_period != class->period)
		share->kept_lag = 0;
	if (share->kept_lag)
		vsched_fair_refund_lag(class, share->kept_lag);
	share->start = class->vtime - mul_u64_u32_shr(share->kept_lag, share->inv_weight,
						      VTIME_SHIFT);
	vsched_fair_set_weight_sum(class, class->weight_sum + share->weight);
	class->lag_sum += vsched_fair_lag_of(class, share);
}

/*
 * A leaving member's lag goes to the others. Its advance, if it cannot stay until
 * that is settled, is returned to them before virtual time advances.
 */
static void vsched_fair_remove_member(struct vsched_class *class, struct vsched_share *share)
{
	class->lag_sum = min(class->lag_sum - vsched_fair_lag_of(class, share), DEBT_MAX);
	vsched_fair_set_weight_sum(class, class->weight_sum - share->weight);
	vsched_fair_advance(class);
}

/* A contender that a clock holds keeps its lag, up to its longest packet. */
static void vsched_fair_keep_lag(const struct vsched_class *class, struct vsched_share *share)
{
	share->kept_lag = min(vsched_fair_lag_of(class, share), (s64)share->longest << VTIME_SHIFT);
	share->kept_period = class->period;
}

static bool vsched_fair_is_ahead(const struct vsched_class *class, const struct vsched_share *share)
{
	return vsched_fair_before(class->vtime, share->start);
}

static bool vsched_fair_starts_earlier(struct rb_node *a, const struct rb_node *b)
{
	return vsched_fair_before(rb_entry(a, struct vsched_share, rb)->start,
				  rb_entry(b, struct vsched_share, rb)->start);
}

static void vsched_fair_delay(struct vsched_class *class, struct vsched_share *share)
{
	share->delayed = true;
	rb_add_cached(&share->rb, &class->ahead, vsched_fair_starts_earlier);
}

static void vsched_fair_end_delay(struct vsched_class *class, struct vsched_share *share)
{
	share->delayed = false;
	rb_erase_cached(&share->rb, &class->ahead);
}

/*
 * Contenders that were delayed until virtual time reaches their start are no longer members. This
 * can be done late, because it does not change the average. Two at a time are more than can be
 * added in the meantime.
 */
static void vsched_fair_expire(struct vsched_class *class)
{
	struct vsched_share *share;
	int n;

	for (n = 0; n < EXPIRE_MAX; n++) {
		share = vsched_fair_share_of(rb_first_cached(&class->ahead));
		if (!share || vsched_fair_is_ahead(class, share))
			return;
		vsched_fair_end_delay(class, share);
		vsched_fair_remove_member(class, share);
	}
}

static void vsched_fair_activate(struct vsched_class *class, struct vsched_share *share)
{
	share->deadline = share->start + (u64)share->longest * share->inv_weight;
	vsched_fair_insert(class, share);
}

static void vsched_fair_end_member(struct vsched_class *class, struct vsched_share *share)
{
	if (!share->delayed)
		return;
	vsched_fair_end_delay(class, share);
	vsched_fair_remove_member(class, share);
}

/*
 * A lone contender is neither ahead nor behind: virtual time stands still until another one becomes
 * active, and nothing is sorted or summed.
 */
static void vsched_fair_join_alone(struct vsched_fair *fair, struct vsched_class *class,
				   struct vsched_share *share)
{
	class->sole = share;
	share->start = class->vtime;
	share->active = true;
	fair->busy |= 1U << share->priority;
}

static void vsched_fair_leave_alone(struct vsched_fair *fair, struct vsched_class *class)
{
	struct vsched_share *share = class->sole;

	class->sole = NULL;
	class->period++;
	share->kept_lag = 0;
	share->active = false;
	fair->busy &= ~(1U << share->priority);
}

static void vsched_fair_end_alone(struct vsched_class *class)
{
	struct vsched_share *share = class->sole;

	class->sole = NULL;
	share->kept_lag = 0;
	vsched_fair_insert_member(class, share);
	vsched_fair_activate(class, share);
}

void vsched_fair_join(struct vsched_fair *fair, struct vsched_share *share, u64 now_ns)
{
	struct vsched_class *class = vsched_fair_class_of(fair, share);

	if (class->weight_sum)
		vsched_fair_expire(class);
	if (!class->weight_sum && !class->sole && !share->floor) {
		vsched_fair_join_alone(fair, class, share);
		return;
	}
	if (class->sole)
		vsched_fair_end_alone(class);
	if (share->delayed && vsched_fair_is_ahead(class, share)) {
		vsched_fair_end_delay(class, share);
	} else {
		vsched_fair_end_member(class, share);
		vsched_fair_insert_member(class, share);
	}
	vsched_fair_activate(class, share);
	if (share->floor)
		vsched_floors_add(&class->floors, share->floor, now_ns);
	share->active = true;
	fair->busy |= 1U << share->priority;
}

/* It is in neither tree. */
static void vsched_fair_left(struct vsched_fair *fair, struct vsched_share *share, bool held)
{
	struct vsched_class *class = vsched_fair_class_of(fair, share);

	share->active = false;
	share->kept_lag = 0;
	if (share->floor)
		vsched_floors_del(&class->floors, share->floor);
	if (vsched_fair_is_ahead(class, share)) {
		vsched_fair_delay(class, share);
	} else {
		if (held)
			vsched_fair_keep_lag(class, share);
		vsched_fair_remove_member(class, share);
	}
	if (!rb_first_cached(&class->tree)) {
		fair->busy &= ~(1U << share->priority);
		class->period++;
	}
	vsched_fair_expire(class);
}

void vsched_fair_leave(struct vsched_fair *fair, struct vsched_share *share, bool held)
{
	struct vsched_class *class = vsched_fair_class_of(fair, share);

	if (class->sole) {
		vsched_fair_leave_alone(fair, class);
		return;
	}
	vsched_fair_erase(class, share);
	vsched_fair_left(fair, share, held);
}

void vsched_fair_forget(struct vsched_fair *fair, struct vsched_share *share)
{
	vsched_fair_end_member(vsched_fair_class_of(fair, share), share);
	share->kept_lag = 0;
}

void vsched_share_init(struct vsched_share *share)
{
	*share = (struct vsched_share) {
		.weight = VSCHED_WEIGHT_DEFAULT,
		.inv_weight = (1U << VTIME_SHIFT) / VSCHED_WEIGHT_DEFAULT,
		.priority = VSCHED_PRIORITY_DEFAULT,
	};
}

static void vsched_fair_set_weight(struct vsched_share *share, unsigned int weight)
{
	share->weight = weight;
	share->inv_weight = (1U << VTIME_SHIFT) / weight;
}

/* A member keeps its lag, in bytes: its start moves to where that says so. */
static void vsched_fair_set_member_weight(struct vsched_class *class,
					  struct vsched_share *share, unsigned int weight)
{
	s64 lag = vsched_fair_lag_of(class, share);

	vsched_fair_set_weight_sum(class, class->weight_sum - share->weight + weight);
	vsched_fair_set_weight(share, weight);
	share->start = class->vtime - div64_s64(lag, weight);
	class->lag_sum += vsched_fair_lag_of(class, share) - lag;
}

static void
vsched_fair_reweight(struct vsched_class *class, struct vsched_share *share, unsigned int weight)
{
	if (class->sole == share) {
		vsched_fair_set_weight(share, weight);
	} else if (share->active) {
		vsched_fair_erase(class, share);
		vsched_fair_set_member_weight(class, share, weight);
		vsched_fair_activate(class, share);
	} else if (share->delayed) {
		vsched_fair_end_delay(class, share);
		vsched_fair_set_member_weight(class, share, weight);
		vsched_fair_delay(class, share);
	} else {
		vsched_fair_set_weight(share, weight);
	}
}

static void vsched_fair_set_priority(struct vsched_fair *fair, struct vsched_share *share,
				     unsigned int priority, u64 now_ns)
{
	bool active = share->active;

	if (active)
		vsched_fair_leave(fair, share, false);
	vsched_fair_forget(fair, share);
	share->priority = priority;
	if (active)
		vsched_fair_join(fair, share, now_ns);
}

void vsched_share_set(struct vsched_fair *fair, struct vsched_share *share,
		      unsigned int weight, unsigned int priority, u64 now_ns)
{
	if (!fair) {
		vsched_fair_set_weight(share, weight);
		share->priority = priority;
		return;
	}
	if (share->priority != priority)
		vsched_fair_set_priority(fair, share, priority, now_ns);
	if (share->weight != weight)
		vsched_fair_reweight(vsched_fair_class_of(fair, share), share, weight);
}

void vsched_share_set_floor(struct vsched_fair *fair,
			    struct vsched_share *share,
			    struct vsched_floor *floor, u64 rate, u64 burst,
			    u64 now_ns)
{
	if (share->active && vsched_fair_class_of(fair, share)->sole)
		vsched_fair_end_alone(vsched_fair_class_of(fair, share));
	if (share->active && share->floor)
		vsched_floors_del(&vsched_fair_class_of(fair, share)->floors, floor);
	vsched_clock_set(&floor->clock, rate ?: VSCHED_RATE_MAX, burst,
			 burst - burst / 2, now_ns);
	share->floor = rate ? floor : NULL;
	if (share->active && share->floor)
		vsched_floors_add(&vsched_fair_class_of(fair, share)->floors, floor,
				  now_ns);
}

/*
 * Return the root of the subtree, or the single contender, with the earliest deadline
 * among contenders whose start has come. If equal, the first in sort order.
 */
static struct vsched_share *
vsched_fair_earliest_started(const struct vsched_class *class, bool *is_subtree)
{
	struct vsched_share *at = vsched_fair_share_of(class->tree.rb_root.rb_node);
	struct vsched_share *best = NULL, *below;
	u64 min_deadline = 0;

	while (at) {
		below = vsched_fair_share_of(at->rb.rb_left);
		if (vsched_fair_before(class->vtime, at->start)) {
			at = below;
			continue;
		}
		if (below && (!best || vsched_fair_before(below->min_deadline, min_deadline))) {
			best = below;
			min_deadline = below->min_deadline;
			*is_subtree = true;
		}
		if (!best || vsched_fair_before(at->deadline, min_deadline)) {
			best = at;
			min_deadline = at->deadline;
			*is_subtree = false;
		}
		at = vsched_fair_share_of(at->rb.rb_right);
	}
	return best;
}

/* The contender that a subtree's earliest deadline belongs to. */
static struct vsched_share *vsched_fair_earliest_in(struct vsched_share *at)
{
	u64 min_deadline = at->min_deadline;

	for (;;) {
		struct vsched_share *below = vsched_fair_share_of(at->rb.rb_left);

		if (below && below->min_deadline == min_deadline)
			at = below;
		else if (at->deadline == min_deadline)
			return at;
		else
			at = vsched_fair_share_of(at->rb.rb_right);
	}
}

/*
 * Move to the first start: by rounding, or because of delayed contenders, virtual time is before
 * it.
 */
static void vsched_fair_jump(struct vsched_class *class, u64 vtime)
{
	class->lag_sum += (vtime - class->vtime) * class->weight_sum;
	class->vtime = vtime;
}

static struct vsched_share *vsched_fair_earliest(const struct vsched_class *class)
{
	bool is_subtree = false;
	struct vsched_share *best = vsched_fair_earliest_started(class, &is_subtree);

	return is_subtree ? vsched_fair_earliest_in(best) : best;
}

/* Pick by minimum, if a minimum is due. */
static noinline struct vsched_share *vsched_fair_pick_floor(struct vsched_class *class, u64 now_ns)
{
	struct vsched_share *share = vsched_floors_due(&class->floors, now_ns);

	if (share)
		share->by_floor = true;
	return share;
}

struct vsched_share *vsched_class_pick(struct vsched_class *class, u64 now_ns)
{
	struct vsched_share *first;

	if (!vsched_floors_empty(&class->floors)) {
		first = vsched_fair_pick_floor(class, now_ns);
		if (first)
			return first;
	}
	first = vsched_fair_share_of(rb_first_cached(&class->tree));
	if (vsched_fair_is_ahead(class, first))
		vsched_fair_jump(class, first->start);
	return vsched_fair_earliest(class);
}

bool vsched_fair_is_next(const struct vsched_fair *fair, const struct vsched_share *share)
{
	const struct vsched_class *class = &fair->class[share->priority];
	const struct vsched_share *first;

	if (!share->active || __ffs(fair->busy) != share->priority)
		return false;
	if (class->sole)
		return class->sole == share;
	if (!vsched_floors_empty(&class->floors))
		return true;
	first = vsched_fair_share_of(rb_first_cached(&class->tree));
	if (vsched_fair_is_ahead(class, first))
		return share->start == first->start;
	return vsched_fair_earliest(class) == share;
}

void vsched_share_expect_longer(struct vsched_share *share, u32 bytes)
{
	bytes = min(bytes, VSCHED_BYTES_LIMIT);
	share->window_longest = max(share->window_longest, bytes);
	share->longest = max(share->longest, bytes);
}

/* Up at once; down when one window has seen nothing as long. */
static void vsched_fair_count_in_window(struct vsched_share *share)
{
	if (++share->window_served < WINDOW)
		return;
	share->longest = share->window_longest;
	share->window_longest = 0;
	share->window_served = 0;
}

void vsched_fair_serve_sole(struct vsched_share *share, u32 bytes)
{
	vsched_share_expect(share, bytes);
	vsched_fair_count_in_window(share);
}

static void vsched_fair_charge(struct vsched_class *class, struct vsched_share *share, u32 bytes)
{
	u64 step = (u64)bytes * share->inv_weight;

	share->start += step;
	class->lag_sum -= step * share->weight;
	if (class->weight_sum == share->weight) {
		/* the only one: neither ahead nor behind */
		class->vtime = share->start;
		class->lag_sum = 0;
	}
	vsched_fair_advance(class);
}

/* Not inline, as vsched_fair_pick_floor(): others would pay for it. */
static noinline void vsched_fair_serve_floor(struct vsched_fair *fair,
					     struct vsched_share *share, u32 bytes,
					     enum vsched_state state)
{
	share->by_floor = false;
	vsched_floors_charge(&vsched_fair_class_of(fair, share)->floors, share->floor,
			     bytes);
	if (state != VSCHED_READY)
		vsched_fair_leave(fair, share, state == VSCHED_HELD);
}

void vsched_fair_serve(struct vsched_fair *fair, struct vsched_share *share,
		       u32 bytes, enum vsched_state state)
{
	struct vsched_class *class = vsched_fair_class_of(fair, share);

	bytes = min(bytes, VSCHED_BYTES_LIMIT);
	vsched_fair_serve_sole(share, bytes);
	if (class->sole) {
		if (state != VSCHED_READY)
			vsched_fair_leave_alone(fair, class);
		return;
	}
	/* minima wait for the packet, whichever contender sends it */
	if (!vsched_floors_empty(&class->floors))
		class->floors.longest = max(class->floors.longest, bytes);
	if (share->by_floor) {
		vsched_fair_serve_floor(fair, share, bytes, state);
		return;
	}
	vsched_fair_erase(class, share);
	if (state == VSCHED_READY && class->weight_sum == share->weight && !share->floor) {
		vsched_fair_set_weight_sum(class, 0);
		vsched_fair_join_alone(fair, class, share);
		return;
	}
	vsched_fair_charge(class, share, bytes);
	if (state != VSCHED_READY) {
		vsched_fair_left(fair, share, state == VSCHED_HELD);
		return;
	}
	vsched_fair_expire(class);
	vsched_fair_activate(class, share);
}
