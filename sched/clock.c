// SPDX-License-Identifier: GPL-2.0
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "clock.h"

#define NS_PER_S	1000000000ULL

/* The fraction has 32 bits. */
#define SHIFT_MAX	32

void vsched_clock_init(struct vsched_clock *clock)
{
	*clock = (struct vsched_clock) {
		.rate = VSCHED_RATE_MAX,
		.longest = U32_MAX,
	};
}

/* mult is rounded up: the clock is never fast, and slow by 2^-26 at most. */
static void vsched_clock_set_rate(struct vsched_clock *clock, u64 rate)
{
	u64 mult = div64_u64((NS_PER_S << SHIFT_MAX) + rate - 1, rate);

	for (clock->shift = SHIFT_MAX; mult > 0xffffffffULL; clock->shift--)
		mult = (mult + 1) / 2;
	clock->mult = mult;
	clock->rate = rate;
	clock->frac = 0;
}

static u64 vsched_clock_bytes_in(u64 ns, u64 rate)
{
	return mul_u64_u64_div_u64(ns, rate, NS_PER_S);
}

static u64 vsched_clock_ns_for(u64 bytes, u64 rate)
{
	return mul_u64_u64_div_u64(bytes, NS_PER_S, rate);
}

/* The amount that may be sent at once, before the clock must wait. */
static u64 vsched_clock_saved_bytes(const struct vsched_clock *clock, u64 now_ns)
{
	if (clock->rate == VSCHED_RATE_MAX)
		return VSCHED_RATE_MAX;
	if (clock->paid_ns >= now_ns)
		return 0;
	if (clock->paid_ns + vsched_clock_saved_ns(clock) <= now_ns)
		return clock->slack_bytes;
	return vsched_clock_bytes_in(now_ns - clock->paid_ns, clock->rate);
}

/*
 * What has left and is not yet paid for, rounded up. It is the length of one
 * packet and a few exempt ones, which is far from overflowing: 2^24 bytes at
 * the least rate are 1.7 * 10^13 ns.
 */
static u64 vsched_clock_debt_bytes(const struct vsched_clock *clock, u64 now_ns)
{
	if (clock->rate == VSCHED_RATE_MAX || clock->paid_ns <= now_ns)
		return 0;
	return vsched_clock_bytes_in(clock->paid_ns - now_ns, clock->rate) + 1;
}

void vsched_clock_charge_group(struct vsched_clock *clock, u64 duration_ns, u64 now_ns)
{
	u64 saved_ns = vsched_clock_saved_ns(clock);

	/* the time of a clock that stands still is not used */
	if (vsched_clock_is_stopped(clock))
		return;
	clock->turn_ns = vsched_group_take_turn(clock->group, clock->turn_ns, clock->paid_ns,
						duration_ns, now_ns);
	clock->paid_ns = vsched_group_charge(clock->group,
					     now_ns > saved_ns ? now_ns - saved_ns : 0,
					     clock->turn_ns, duration_ns);
}

/* Nothing of its own leaves before packets of others are paid for. */
static void vsched_clock_join_group(struct vsched_clock *clock)
{
	if (!clock->group)
		return;
	clock->paid_ns = max_t(u64, clock->paid_ns, atomic64_read(&clock->group->paid_ns));
	clock->turn_ns = clock->paid_ns;
}

/* Out of a group it waits no longer for others: for a packet of its own. */
void vsched_clock_set_group(struct vsched_clock *clock, struct vsched_group *group,
			    u64 now_ns)
{
	if (clock->group && clock->rate != VSCHED_RATE_MAX && !vsched_clock_is_stopped(clock))
		clock->paid_ns = min(clock->paid_ns,
				     now_ns + vsched_clock_duration(clock, clock->longest));
	clock->group = group;
	vsched_clock_join_group(clock);
}

/* A reader of the rate without the caller's lock finds a valid one: it is not zeroed. */
static void vsched_clock_restart(struct vsched_clock *clock)
{
	clock->rate = VSCHED_RATE_MAX;
	clock->paid_ns = 0;
	clock->slack_ns = 0;
	clock->arrears_ns = 0;
	clock->slack_bytes = 0;
	clock->longest = U32_MAX;
	clock->frac = 0;
	clock->advance = 0;
}

static void vsched_clock_stop(struct vsched_clock *clock, u32 longest)
{
	vsched_clock_restart(clock);
	vsched_clock_set_rate(clock, VSCHED_RATE_MIN);
	clock->longest = longest;
	clock->paid_ns = VSCHED_STOPPED_NS;
}

void vsched_clock_set(struct vsched_clock *clock, u64 rate, u64 burst,
		      u32 longest, u64 now_ns)
{
	u64 saved, debt, ready_ns;

	if (rate == VSCHED_RATE_STOP) {
		vsched_clock_stop(clock, longest);
		return;
	}
	if (rate == VSCHED_RATE_MAX || vsched_clock_is_stopped(clock))
		vsched_clock_restart(clock);
	if (rate == VSCHED_RATE_MAX)
		return;
	if (clock->rate == VSCHED_RATE_MAX)
		vsched_clock_join_group(clock);
	ready_ns = clock->group ? clock->paid_ns : 0;
	saved = vsched_clock_saved_bytes(clock, now_ns);
	debt = clock->group ? 0 : vsched_clock_debt_bytes(clock, now_ns);
	vsched_clock_set_rate(clock, rate);
	clock->longest = longest;
	clock->slack_bytes = burst - longest;
	clock->slack_ns = vsched_clock_ns_for(clock->slack_bytes, rate);
	clock->arrears_ns = clock->slack_ns;
	saved = vsched_clock_ns_for(min_t(u64, saved, clock->slack_bytes), rate);
	clock->paid_ns = now_ns > saved ? now_ns - saved : 0;
	if (debt)
		clock->paid_ns = now_ns + vsched_clock_ns_for(debt, rate) + 1;
	clock->paid_ns = max(clock->paid_ns, ready_ns);
}

void vsched_clock_set_arrears(struct vsched_clock *clock, u32 bytes)
{
	clock->arrears_ns = max(clock->slack_ns, vsched_clock_ns_for(bytes, clock->rate));
}
