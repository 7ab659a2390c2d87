/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of a VIF with a bandwidth: a token bucket kept as a time.
 *
 * @paid_ns is the time up to which everything that has left is paid for, at one byte every 1/rate
 * seconds. A packet may leave once paid_ns <= now. Then its duration is added to paid_ns. After
 * idling, paid_ns is at most slack_ns behind now. Hence, over any interval of length T,
 *
 *	bytes <= rate * (T + slack) + largest packet
 *
 * and with slack = burst - longest, and no packet longer than that (the caller that queues packets
 * ensures it), bytes <= rate * T + burst. The bucket is the one of ITU-T I.371's virtual scheduling
 * algorithm (GCRA), with the debt taken after the packet instead of before, so that the decision
 * needs no length.
 *
 * A ready clock loses time while its packets wait for other nodes. If it lost more than slack, it
 * would run slower than its rate, and other nodes would get the rest. So while packets are queued,
 * paid_ns may be arrears_ns behind: three frames, the one that is being sent, and one for each of
 * two siblings that are due earlier; or the slack if that is more. Credit from before they were
 * queued is still at most slack_ns. So it is
 *
 *	bytes <= rate * (T + max(slack, arrears)) + largest packet
 *
 * over an interval that begins while packets are queued, and the former over all other intervals.
 *
 * Credit may be paid out in advance, for packets that will then leave without a check. It is not
 * saved up once more before they are known to have left: @advance bytes plus the credit are never
 * more than the slack, so the bound stays.
 *
 * The only division is in vsched_clock_set(). The caller serializes.
 */
#ifndef NETNICE_SCHED_CLOCK_H
#define NETNICE_SCHED_CLOCK_H

#include <linux/types.h>

#include "group.h"

/* Bytes per second: 8 kbit/s to 400 Gbit/s, or no clock. */
#define VSCHED_RATE_MIN		1000ULL
#define VSCHED_RATE_LIMIT	50000000000ULL
#define VSCHED_RATE_MAX		(~0ULL)

/* A clock that stands still, and the time at which it says that it will be ready. */
#define VSCHED_RATE_STOP	0ULL
#define VSCHED_STOPPED_NS	(1ULL << 62)

/* Largest burst: as much as fits a GSO packet many times over. */
#define VSCHED_BURST_LIMIT	0xffffffffULL

/**
 * struct vsched_clock - a clock
 * @paid_ns: see above
 * @group: with which others it shares its time, or NULL
 * @turn_ns: in a group, when its turn is
 * @slack_ns: how far @paid_ns may lie behind the present time
 * @arrears_ns: the same while packets wait, not less
 * @rate: bytes per second, VSCHED_RATE_MAX for no clock; VSCHED_RATE_MIN where it stands still
 * @slack_bytes: the same in bytes
 * @longest: bytes of the longest packet that keeps the bound; U32_MAX for no clock
 * @frac: part of a nanosecond beyond @paid_ns, in units of 2^-@shift
 * @advance: bytes paid for that are not known to have left, half of @slack_bytes at
 *	most
 * @mult: duration of a byte, in units of 2^-@shift ns
 * @shift: see @mult
 */
struct vsched_clock {
	u64 paid_ns;
	struct vsched_group *group;
	u64 turn_ns;
	u64 slack_ns;
	u64 arrears_ns;
	u64 rate;
	u32 slack_bytes;
	u32 longest;
	u32 frac;
	u32 advance;
	u32 mult;
	u8 shift;
};

void vsched_clock_init(struct vsched_clock *clock);

/**
 * vsched_clock_set() - set rate and burst of a running clock
 * @clock: the clock
 * @rate: bytes per second, VSCHED_RATE_MIN..VSCHED_RATE_LIMIT, or
 *	VSCHED_RATE_MAX, or VSCHED_RATE_STOP: nothing leaves until it is set again
 * @burst: bytes, up to VSCHED_BURST_LIMIT
 * @longest: bytes of the longest packet that is to keep the bound, up to half
 *	of @burst
 * @now_ns: the present time
 *
 * The caller has had all advances returned. Bytes that are not yet paid for stay so,
 * at the new rate; in a group it goes on waiting as long as it would have, and one that had
 * no rate begins behind all others. What was saved up is kept up to the new burst; a clock
 * that had no rate, or stood still, starts with a full burst.
 */
void vsched_clock_set(struct vsched_clock *clock, u64 rate, u64 burst,
		      u32 longest, u64 now_ns);

/**
 * vsched_clock_set_arrears() - set what a clock with a rate makes up for, after it was set
 * @clock: the clock
 * @bytes: that it missed while packets waited; what may be saved up at least
 */
void vsched_clock_set_arrears(struct vsched_clock *clock, u32 bytes);

/**
 * vsched_clock_set_group() - share time with others
 * @clock: the clock
 * @group: the caller's, as long as the clock has it; NULL: with none
 * @now_ns: the present time
 *
 * The caller has had all advances returned.
 */
void vsched_clock_set_group(struct vsched_clock *clock, struct vsched_group *group,
			    u64 now_ns);

/* Does it stand still? */
static inline bool vsched_clock_is_stopped(const struct vsched_clock *clock)
{
	return clock->paid_ns >= VSCHED_STOPPED_NS;
}

/* May the next packet leave? */
static inline bool vsched_clock_ready(const struct vsched_clock *clock,
				      u64 now_ns)
{
	return clock->rate == VSCHED_RATE_MAX || clock->paid_ns <= now_ns;
}

/* Without the fraction. */
static inline u64 vsched_clock_duration(const struct vsched_clock *clock,
					u32 bytes)
{
	return ((u64)bytes * clock->mult) >> clock->shift;
}

/* How far a clock may lie behind @most_ns, in addition to advances. */
static inline u64 vsched_clock_behind_ns(const struct vsched_clock *clock, u64 most_ns)
{
	if (!clock->advance)
		return most_ns;
	return most_ns - vsched_clock_duration(clock, clock->advance);
}

/* How far a clock lies behind that has not been used for long. */
static inline u64 vsched_clock_saved_ns(const struct vsched_clock *clock)
{
	return vsched_clock_behind_ns(clock, clock->slack_ns);
}

static inline void vsched_clock_catch_up(struct vsched_clock *clock, u64 most_ns, u64 now_ns)
{
	u64 behind_ns = vsched_clock_behind_ns(clock, most_ns);

	if (clock->paid_ns + behind_ns < now_ns)
		clock->paid_ns = now_ns - behind_ns;
}

/* Credit that could not be saved up until now is lost; @now_ns never runs backwards. */
static inline void vsched_clock_run(struct vsched_clock *clock, u64 now_ns)
{
	vsched_clock_catch_up(clock, clock->slack_ns, now_ns);
}

/* vsched_clock_charge(), of a clock with a group: a packet leaves that takes so long. */
void vsched_clock_charge_group(struct vsched_clock *clock, u64 duration_ns, u64 now_ns);

static inline void vsched_clock_pay(struct vsched_clock *clock, u32 bytes, u64 now_ns)
{
	u64 frac = clock->frac + (u64)bytes * clock->mult;

	if (!clock->group)
		clock->paid_ns += frac >> clock->shift;
	else
		vsched_clock_charge_group(clock, frac >> clock->shift, now_ns);
	clock->frac = frac & ((1ULL << clock->shift) - 1);
}

/* A packet of @bytes leaves. */
static inline void vsched_clock_charge(struct vsched_clock *clock, u32 bytes,
				       u64 now_ns)
{
	if (clock->rate == VSCHED_RATE_MAX)
		return;
	vsched_clock_run(clock, now_ns);
	vsched_clock_pay(clock, bytes, now_ns);
}

/* A packet of @bytes leaves that has waited; vsched_clock_run() was called when it came. */
static inline void vsched_clock_serve(struct vsched_clock *clock, u32 bytes, u64 now_ns)
{
	if (clock->rate == VSCHED_RATE_MAX)
		return;
	vsched_clock_catch_up(clock, clock->arrears_ns, now_ns);
	vsched_clock_pay(clock, bytes, now_ns);
}

/**
 * vsched_clock_spare() - how much may be paid in advance
 * @clock: the clock, which has a rate
 *
 * A quarter of the allowed advance that is not yet given, so that many can have one. Saved credit
 * in a group belongs to all members.
 * Return: bytes
 */
static inline u32 vsched_clock_spare(const struct vsched_clock *clock)
{
	return clock->group ? 0 : (clock->slack_bytes / 2 - clock->advance) / 4;
}

/* Is so much saved up? */
static inline bool vsched_clock_affords(const struct vsched_clock *clock,
					u32 bytes, u64 now_ns)
{
	return clock->paid_ns + vsched_clock_duration(clock, bytes) < now_ns;
}

/* Pay in advance what the clock affords. */
static inline void vsched_clock_advance(struct vsched_clock *clock, u32 bytes,
					u64 now_ns)
{
	if (clock->rate == VSCHED_RATE_MAX)
		return;
	vsched_clock_charge(clock, bytes, now_ns);
	clock->advance += bytes;
}

/* So much of an advance has left by now; with packets queued it @waits. */
static inline void vsched_clock_use(struct vsched_clock *clock, u32 bytes, bool waits,
				    u64 now_ns)
{
	if (clock->rate == VSCHED_RATE_MAX)
		return;
	vsched_clock_catch_up(clock, waits ? clock->arrears_ns : clock->slack_ns, now_ns);
	clock->advance -= bytes;
}

/* So much will not leave: it is saved up again. */
static inline void vsched_clock_return(struct vsched_clock *clock, u32 bytes)
{
	u64 duration = (u64)bytes * clock->mult;
	u64 frac = duration & ((1ULL << clock->shift) - 1);

	if (clock->rate == VSCHED_RATE_MAX)
		return;
	clock->advance -= bytes;
	clock->paid_ns -= (duration >> clock->shift) + (clock->frac < frac);
	clock->frac = (clock->frac - frac) & ((1ULL << clock->shift) - 1);
}

#endif
