// SPDX-License-Identifier: GPL-2.0
#include "bucket.h"

#include <math.h>

#define NS_PER_S	1e9

/* The core's unit of time, and its unit of debt when the rate changes. */
#define UNIT_NS		3.0
#define UNIT_BYTES	2.0

/* The core's duration of a byte is too long by so much at most. */
#define SLOW		(1.0 / (1 << 28))

void bucket_init(struct bucket *b)
{
	*b = (struct bucket) { 0 };
}

static double rounding_of(const struct bucket *b)
{
	return UNIT_BYTES + b->rate * UNIT_NS / NS_PER_S;
}

static double most_credit(const struct bucket *b)
{
	return b->waits ? b->arrears : b->slack;
}

static void run(struct bucket *b, u64 now_ns)
{
	double came = b->rate * (now_ns - b->at_ns) / NS_PER_S;

	b->at_ns = now_ns;
	b->credit += came;
	if (b->credit >= most_credit(b) + b->rounding)
		b->rounding = rounding_of(b);
	if (b->credit > most_credit(b))
		b->credit = most_credit(b);
	b->excess -= came;
	if (b->excess <= 0) {
		b->excess = 0;
		b->most = b->burst;
		b->most_slack = b->slack;
		b->longest = 0;
	}
}

void bucket_set(struct bucket *b, u64 rate, u64 burst, u64 longest, u64 now_ns)
{
	bool fresh = !b->rate;

	run(b, now_ns);
	if (rate == (u64)-1) {
		bucket_init(b);
		return;
	}
	/* what was missed is not saved up */
	b->credit = fmin(b->credit, b->slack);
	b->rounding += rounding_of(b);
	b->rate = rate;
	b->burst = burst;
	b->slack = burst - longest;
	b->arrears = b->slack;
	if (fresh || b->credit > b->slack)
		b->credit = b->slack;
	if (b->most < b->burst)
		b->most = b->burst;
	if (b->most_slack < b->slack)
		b->most_slack = b->slack;
	b->rounding += rounding_of(b);
}

void bucket_set_arrears(struct bucket *b, u64 bytes)
{
	if (b->rate && b->arrears < bytes)
		b->arrears = bytes;
}

void bucket_set_waits(struct bucket *b, bool waits, u64 now_ns)
{
	if (b->waits == waits)
		return;
	if (b->rate)
		run(b, now_ns);
	b->waits = waits;
}

enum bucket_state bucket_state(struct bucket *b, u64 now_ns)
{
	if (!b->rate)
		return BUCKET_READY;
	run(b, now_ns);
	if (b->credit >= b->rounding)
		return BUCKET_READY;
	return b->credit < -b->rounding ? BUCKET_WAIT : BUCKET_UNSURE;
}

bool bucket_charge(struct bucket *b, u32 bytes, u64 now_ns)
{
	double most;

	if (!b->rate)
		return true;
	run(b, now_ns);
	b->credit -= bytes;
	b->excess += bytes;
	b->rounding += bytes * SLOW;
	if (bytes > b->longest)
		b->longest = bytes;
	if (b->waits && b->most_slack < b->arrears)
		b->most_slack = b->arrears;
	most = b->most_slack + b->longest;
	if (most < b->most)
		most = b->most;
	return b->excess <= most + b->rounding;
}

double bucket_wait_ns(struct bucket *b, u64 now_ns)
{
	if (bucket_state(b, now_ns) == BUCKET_READY)
		return 0;
	return (b->rounding - b->credit) * NS_PER_S / b->rate;
}

double bucket_wait_min_ns(struct bucket *b, u64 now_ns)
{
	if (bucket_state(b, now_ns) != BUCKET_WAIT)
		return 0;
	return (-b->rounding - b->credit) * NS_PER_S / b->rate;
}
