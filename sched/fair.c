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
static bool before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

static struct vsched_share *share_of(struct rb_node *rb)
{
	return rb_entry_safe(rb, struct vsched_share, rb);
}

static bool update_min_deadline(struct vsched_share *share, bool exit)
{
	const struct vsched_share *left = share_of(share->rb.rb_left);
	const struct vsched_share *right = share_of(share->rb.rb_right);
	u64 min_deadline = share->deadline;

	if (left && before(left->min_deadline, min_deadline))
		min_deadline = left->min_deadline;
	if (right && before(right->min_deadline, min_deadline))
		min_deadline = right->min_deadline;
	if (exit && share->min_deadline == min_deadline)
		return true;
	share->min_deadline = min_deadline;
	return false;
}

RB_DECLARE_CALLBACKS(static, min_deadline_cb, struct vsched_share, rb,
		     min_deadline, update_min_deadline)

/* Equals are kept in the order in which they came. */
static void insert(struct vsched_class *class, struct vsched_share *share)
{
	struct rb_node **link = &class->tree.rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	share->min_deadline = share->deadline;
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
	min_deadline_cb.propagate(parent, NULL);
	rb_insert_augmented_cached(&share->rb, &class->tree, leftmost,
				   &min_deadline_cb);
}

static void erase(struct vsched_class *class, struct vsched_share *share)
{
	rb_erase_augmented_cached(&share->rb, &class->tree, &min_deadline_cb);
}

static struct vsched_class *class_of(struct vsched_fair *fair, const struct vsched_share *share)
{
	return &fair->class[share->priority];
}

static u64 deadline_of(const struct vsched_share *share)
{
	return share->start + (u64)share->longest * share->inv_weight;
}

/*
 * 2^63 / m, or up to 4 less, for m from 2^31 to 2^32 - 1. With d = m / 2^32,
 * 48/17 - 32/17 d is within 1/17 of 1/d; each step x = x (2 - d x) squares
 * the error, which is below 2^-32 after three. Cutting off d x makes it up to
 * 2 too much, which is taken off: virtual time is never fast.
 */
static u32 invert(u32 m)
{
	u64 x = 6063483241ULL - ((m * 4042322161ULL) >> 32);
	int step;

	for (step = 0; step < 3; step++)
		x = (x * ((1ULL << 32) - ((x * m) >> 32))) >> 31;
	return x - 2;
}

static void set_weight_sum(struct vsched_class *class, u32 sum)
{
	int log;

	class->weight_sum = sum;
	if (!sum) {
		class->lag_sum = 0;
		return;
	}
	log = fls(sum);
	class->inv_sum = invert(sum << (32 - log));
	class->shift = log + 31;
}

/* The virtual time in which the members together get so much. */
static u64 time_for(const struct vsched_class *class, u64 lag)
{
	/* the kernel's own, where there are no 128 bits, shifts by up to 32 only */
	return mul_u64_u32_shr(lag, class->inv_sum, 32) >> (class->shift - 32);
}

/* Virtual time to where the members have on average had their share. */
static void advance(struct vsched_class *class)
{
	u64 step;

	if (class->lag_sum >= 0)
		return;
	step = time_for(class, -class->lag_sum);
	class->vtime += step;
	class->lag_sum += step * class->weight_sum;
}

static s64 lag_of(const struct vsched_class *class, const struct vsched_share *share)
{
	return share->weight * (s64)(class->vtime - share->start);
}

/* The others have had what one was behind that was held: virtual time goes back by that. */
static void give_back(struct vsched_class *class, s64 lag)
{
	u64 step = time_for(class, lag);

	class->vtime -= step;
	class->lag_sum -= step * class->weight_sum;
}

static void enter(struct vsched_class *class, struct vsched_share *share)
{
	if (share->kept_period != class->period)
		share->kept_lag = 0;
	if (share->kept_lag)
		give_back(class, share->kept_lag);
	share->start = class->vtime - mul_u64_u32_shr(share->kept_lag, share->inv_weight,
						      VTIME_SHIFT);
	set_weight_sum(class, class->weight_sum + share->weight);
	class->lag_sum += lag_of(class, share);
}

/*
 * What a member had less than its share is the others'. What it had in
 * advance, if it may not stay until that is settled, they have back before
 * virtual time goes on.
 */
static void quit(struct vsched_class *class, struct vsched_share *share)
{
	class->lag_sum = min(class->lag_sum - lag_of(class, share), DEBT_MAX);
	set_weight_sum(class, class->weight_sum - share->weight);
	advance(class);
}

/* One that a clock holds keeps what it is behind, up to its longest packet. */
static void keep(const struct vsched_class *class, struct vsched_share *share)
{
	share->kept_lag = min(lag_of(class, share), (s64)share->longest << VTIME_SHIFT);
	share->kept_period = class->period;
}

static bool is_ahead(const struct vsched_class *class, const struct vsched_share *share)
{
	return before(class->vtime, share->start);
}

static bool starts_earlier(struct rb_node *a, const struct rb_node *b)
{
	return before(rb_entry(a, struct vsched_share, rb)->start,
		      rb_entry(b, struct vsched_share, rb)->start);
}

static void delay(struct vsched_class *class, struct vsched_share *share)
{
	share->delayed = true;
	rb_add_cached(&share->rb, &class->ahead, starts_earlier);
}

static void end_delay(struct vsched_class *class, struct vsched_share *share)
{
	share->delayed = false;
	rb_erase_cached(&share->rb, &class->ahead);
}

/*
 * Those that were delayed until virtual time has come to their start are members no
 * longer. Nobody is in a hurry: it makes no difference to the average when
 * that is done. Two at a time are more than can be added meanwhile.
 */
static void expire(struct vsched_class *class)
{
	struct vsched_share *share;
	int n;

	for (n = 0; n < EXPIRE_MAX; n++) {
		share = share_of(rb_first_cached(&class->ahead));
		if (!share || is_ahead(class, share))
			return;
		end_delay(class, share);
		quit(class, share);
	}
}

static void activate(struct vsched_class *class, struct vsched_share *share)
{
	share->deadline = deadline_of(share);
	insert(class, share);
}

static void end_member(struct vsched_class *class, struct vsched_share *share)
{
	if (!share->delayed)
		return;
	end_delay(class, share);
	quit(class, share);
}

/*
 * Who is alone is neither ahead nor behind: until somebody else comes virtual time stands
 * still, and there is nothing to be sorted or added up.
 */
static void join_alone(struct vsched_fair *fair, struct vsched_class *class,
		       struct vsched_share *share)
{
	class->sole = share;
	share->start = class->vtime;
	share->active = true;
	fair->busy |= 1U << share->priority;
}

static void leave_alone(struct vsched_fair *fair, struct vsched_class *class)
{
	struct vsched_share *share = class->sole;

	class->sole = NULL;
	class->period++;
	share->kept_lag = 0;
	share->active = false;
	fair->busy &= ~(1U << share->priority);
}

static void end_alone(struct vsched_class *class)
{
	struct vsched_share *share = class->sole;

	class->sole = NULL;
	share->kept_lag = 0;
	enter(class, share);
	activate(class, share);
}

void vsched_fair_join(struct vsched_fair *fair, struct vsched_share *share, u64 now_ns)
{
	struct vsched_class *class = class_of(fair, share);

	if (class->weight_sum)
		expire(class);
	if (!class->weight_sum && !class->sole && !share->floor) {
		join_alone(fair, class, share);
		return;
	}
	if (class->sole)
		end_alone(class);
	if (share->delayed && is_ahead(class, share)) {
		end_delay(class, share);
	} else {
		end_member(class, share);
		enter(class, share);
	}
	activate(class, share);
	if (share->floor)
		vsched_floors_add(&class->floors, share->floor, now_ns);
	share->active = true;
	fair->busy |= 1U << share->priority;
}

/* It is in neither tree. */
static void left(struct vsched_fair *fair, struct vsched_share *share, bool held)
{
	struct vsched_class *class = class_of(fair, share);

	share->active = false;
	share->kept_lag = 0;
	if (share->floor)
		vsched_floors_del(&class->floors, share->floor);
	if (is_ahead(class, share)) {
		delay(class, share);
	} else {
		if (held)
			keep(class, share);
		quit(class, share);
	}
	if (!rb_first_cached(&class->tree)) {
		fair->busy &= ~(1U << share->priority);
		class->period++;
	}
	expire(class);
}

void vsched_fair_leave(struct vsched_fair *fair, struct vsched_share *share, bool held)
{
	struct vsched_class *class = class_of(fair, share);

	if (class->sole) {
		leave_alone(fair, class);
		return;
	}
	erase(class, share);
	left(fair, share, held);
}

void vsched_fair_forget(struct vsched_fair *fair, struct vsched_share *share)
{
	end_member(class_of(fair, share), share);
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

static void set_weight(struct vsched_share *share, unsigned int weight)
{
	share->weight = weight;
	share->inv_weight = (1U << VTIME_SHIFT) / weight;
}

/* A member keeps its lag, in bytes: its start moves to where that says so. */
static void set_member_weight(struct vsched_class *class,
			      struct vsched_share *share, unsigned int weight)
{
	s64 lag = lag_of(class, share);

	set_weight_sum(class, class->weight_sum - share->weight + weight);
	set_weight(share, weight);
	share->start = class->vtime - div64_s64(lag, weight);
	class->lag_sum += lag_of(class, share) - lag;
}

static void reweight(struct vsched_class *class, struct vsched_share *share, unsigned int weight)
{
	if (class->sole == share) {
		set_weight(share, weight);
	} else if (share->active) {
		erase(class, share);
		set_member_weight(class, share, weight);
		activate(class, share);
	} else if (share->delayed) {
		end_delay(class, share);
		set_member_weight(class, share, weight);
		delay(class, share);
	} else {
		set_weight(share, weight);
	}
}

static void set_priority(struct vsched_fair *fair, struct vsched_share *share,
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
		set_weight(share, weight);
		share->priority = priority;
		return;
	}
	if (share->priority != priority)
		set_priority(fair, share, priority, now_ns);
	if (share->weight != weight)
		reweight(class_of(fair, share), share, weight);
}

void vsched_share_set_floor(struct vsched_fair *fair,
			    struct vsched_share *share,
			    struct vsched_floor *floor, u64 rate, u64 burst,
			    u64 now_ns)
{
	if (share->active && class_of(fair, share)->sole)
		end_alone(class_of(fair, share));
	if (share->active && share->floor)
		vsched_floors_del(&class_of(fair, share)->floors, floor);
	vsched_clock_set(&floor->clock, rate ?: VSCHED_RATE_MAX, burst,
			 burst - burst / 2, now_ns);
	share->floor = rate ? floor : NULL;
	if (share->active && share->floor)
		vsched_floors_add(&class_of(fair, share)->floors, floor,
				  now_ns);
}

/*
 * The root of the subtree or the single contender with the earliest deadline
 * among those whose start has come. Of equal ones the one that sorts first.
 */
static struct vsched_share *earliest_started(const struct vsched_class *class, bool *is_subtree)
{
	struct vsched_share *at = share_of(class->tree.rb_root.rb_node);
	struct vsched_share *best = NULL, *below;
	u64 min_deadline = 0;

	while (at) {
		below = share_of(at->rb.rb_left);
		if (before(class->vtime, at->start)) {
			at = below;
			continue;
		}
		if (below && (!best || before(below->min_deadline, min_deadline))) {
			best = below;
			min_deadline = below->min_deadline;
			*is_subtree = true;
		}
		if (!best || before(at->deadline, min_deadline)) {
			best = at;
			min_deadline = at->deadline;
			*is_subtree = false;
		}
		at = share_of(at->rb.rb_right);
	}
	return best;
}

/* The contender that a subtree's earliest deadline belongs to. */
static struct vsched_share *earliest_in(struct vsched_share *at)
{
	u64 min_deadline = at->min_deadline;

	for (;;) {
		struct vsched_share *below = share_of(at->rb.rb_left);

		if (below && below->min_deadline == min_deadline)
			at = below;
		else if (at->deadline == min_deadline)
			return at;
		else
			at = share_of(at->rb.rb_right);
	}
}

/* To the first start: rounding, or who is delayed, has virtual time behind it. */
static void jump(struct vsched_class *class, u64 vtime)
{
	class->lag_sum += (vtime - class->vtime) * class->weight_sum;
	class->vtime = vtime;
}

static struct vsched_share *earliest(const struct vsched_class *class)
{
	bool is_subtree = false;
	struct vsched_share *best = earliest_started(class, &is_subtree);

	return is_subtree ? earliest_in(best) : best;
}

/* By its minimum, if it is somebody's turn. */
static noinline struct vsched_share *pick_floor(struct vsched_class *class, u64 now_ns)
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
		first = pick_floor(class, now_ns);
		if (first)
			return first;
	}
	first = share_of(rb_first_cached(&class->tree));
	if (is_ahead(class, first))
		jump(class, first->start);
	return earliest(class);
}

void vsched_share_expect_longer(struct vsched_share *share, u32 bytes)
{
	bytes = min(bytes, VSCHED_BYTES_LIMIT);
	share->window_longest = max(share->window_longest, bytes);
	share->longest = max(share->longest, bytes);
}

/* Up at once; down when one window has seen nothing as long. */
static void count_in_window(struct vsched_share *share)
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
	count_in_window(share);
}

static void charge(struct vsched_class *class, struct vsched_share *share, u32 bytes)
{
	u64 step = (u64)bytes * share->inv_weight;

	share->start += step;
	class->lag_sum -= step * share->weight;
	if (class->weight_sum == share->weight) {
		/* nobody else: neither ahead nor behind */
		class->vtime = share->start;
		class->lag_sum = 0;
	}
	advance(class);
}

/* Not inline, as pick_floor(): others would pay for it. */
static noinline void serve_floor(struct vsched_fair *fair,
				 struct vsched_share *share, u32 bytes,
				 enum vsched_state state)
{
	share->by_floor = false;
	vsched_floors_charge(&class_of(fair, share)->floors, share->floor,
			     bytes);
	if (state != VSCHED_READY)
		vsched_fair_leave(fair, share, state == VSCHED_HELD);
}

void vsched_fair_serve(struct vsched_fair *fair, struct vsched_share *share,
		       u32 bytes, enum vsched_state state)
{
	struct vsched_class *class = class_of(fair, share);

	bytes = min(bytes, VSCHED_BYTES_LIMIT);
	vsched_fair_serve_sole(share, bytes);
	if (class->sole) {
		if (state != VSCHED_READY)
			leave_alone(fair, class);
		return;
	}
	/* whoever takes it, minima wait for it */
	if (!vsched_floors_empty(&class->floors))
		class->floors.longest = max(class->floors.longest, bytes);
	if (share->by_floor) {
		serve_floor(fair, share, bytes, state);
		return;
	}
	erase(class, share);
	if (state == VSCHED_READY && class->weight_sum == share->weight && !share->floor) {
		set_weight_sum(class, 0);
		join_alone(fair, class, share);
		return;
	}
	charge(class, share, bytes);
	if (state != VSCHED_READY) {
		left(fair, share, state == VSCHED_HELD);
		return;
	}
	expire(class);
	activate(class, share);
}
