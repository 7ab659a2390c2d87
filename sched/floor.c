// SPDX-License-Identifier: GPL-2.0
#include <linux/minmax.h>

#include "floor.h"

/* After some thousand packets a longest one is forgotten. */
#define LONGEST_SHIFT	10

static bool vsched_floor_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

static struct vsched_floor *vsched_floor_of(const struct rb_node *rb)
{
	return rb_entry(rb, struct vsched_floor, rb);
}

static bool vsched_floor_is_due_earlier(struct rb_node *a, const struct rb_node *b)
{
	return vsched_floor_before(vsched_floor_of(a)->clock.paid_ns,
				   vsched_floor_of(b)->clock.paid_ns);
}

static void vsched_floor_insert(struct vsched_floors *floors, struct vsched_floor *floor)
{
	rb_add_cached(&floor->rb, &floors->tree, vsched_floor_is_due_earlier);
}

static void vsched_floor_erase(struct vsched_floors *floors, struct vsched_floor *floor)
{
	rb_erase_cached(&floor->rb, &floors->tree);
}

void vsched_floor_init(struct vsched_floor *floor, struct vsched_share *share)
{
	*floor = (struct vsched_floor) {
		.share = share,
	};
	vsched_clock_init(&floor->clock);
}

static struct vsched_floor *vsched_floor_first_of(const struct vsched_floors *floors)
{
	return vsched_floor_of(rb_first_cached(&floors->tree));
}

/* For how long it is late; negative, as it wraps around: its turn is yet to come. */
static s64 vsched_floor_late_ns(const struct vsched_floors *floors,
				const struct vsched_floor *floor, u64 now_ns)
{
	return now_ns - floors->forgiven_ns - floor->clock.paid_ns;
}

/* The lag that is made up for. */
static s64 vsched_floor_most_late_ns(const struct vsched_floors *floors,
				     const struct vsched_floor *floor)
{
	return VSCHED_LATE_NS +
	       2 * vsched_clock_duration(&floor->clock, floors->longest);
}

static void vsched_floor_forgive(struct vsched_floors *floors, u64 now_ns)
{
	const struct vsched_floor *first = vsched_floor_first_of(floors);
	s64 beyond = vsched_floor_late_ns(floors, first, now_ns) -
		     vsched_floor_most_late_ns(floors, first);

	if (beyond > 0)
		floors->forgiven_ns += beyond;
}

/* How late it may be that comes. The others are forgiven first: it is not to pay for that. */
static s64 vsched_floor_most_late_at_first(struct vsched_floors *floors,
					   const struct vsched_floor *floor, u64 now_ns)
{
	s64 most = floor->clock.slack_ns;

	if (!vsched_floors_empty(floors)) {
		vsched_floor_forgive(floors, now_ns);
		most = max(most,
			   vsched_floor_late_ns(floors, vsched_floor_first_of(floors), now_ns));
	}
	return min(most, vsched_floor_most_late_ns(floors, floor));
}

void vsched_floors_add(struct vsched_floors *floors,
		       struct vsched_floor *floor, u64 now_ns)
{
	s64 beyond = -vsched_floor_most_late_at_first(floors, floor, now_ns);

	floor->clock.paid_ns -= floors->forgiven_ns;
	beyond += vsched_floor_late_ns(floors, floor, now_ns);
	if (beyond > 0)
		floor->clock.paid_ns += beyond;
	vsched_floor_insert(floors, floor);
}

void vsched_floors_del(struct vsched_floors *floors,
		       struct vsched_floor *floor)
{
	vsched_floor_erase(floors, floor);
	floor->clock.paid_ns += floors->forgiven_ns;
}

struct vsched_share *vsched_floors_due(struct vsched_floors *floors,
				       u64 now_ns)
{
	const struct vsched_floor *first = vsched_floor_first_of(floors);

	vsched_floor_forgive(floors, now_ns);
	return vsched_floor_late_ns(floors, first, now_ns) < 0 ? NULL : first->share;
}

void vsched_floors_charge(struct vsched_floors *floors,
			  struct vsched_floor *floor, u32 bytes)
{
	vsched_floor_erase(floors, floor);
	/* at the time 0 nothing that was saved up is lost: see vsched_floor_forgive() */
	vsched_clock_charge(&floor->clock, bytes, 0);
	vsched_floor_insert(floors, floor);
	floors->longest -= floors->longest >> LONGEST_SHIFT;
	floors->longest = max(floors->longest, bytes);
}
