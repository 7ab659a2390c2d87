// SPDX-License-Identifier: GPL-2.0
#include "promise.h"

#include <math.h>

/* A clock's byte takes up to 2^-28 of its time too long. */
#define CLOCK_ERROR	4e-9

static void run(struct promise *p, u64 now_ns)
{
	p->owed += p->rate * (now_ns - p->at_ns) / 1e9;
	p->at_ns = now_ns;
}

static void bound(struct promise *p, double most)
{
	if (p->owed < most)
		return;
	p->owed = most;
	p->rounding_ns = 2;
}

/* What is owed stays, in whole bytes. */
void promise_set(struct promise *p, u64 rate, u64 burst, u64 now_ns)
{
	bool had = p->rate;

	run(p, now_ns);
	bound(p, p->slack);
	p->slack = burst / 2;
	if (!had)
		p->owed = p->slack;
	bound(p, p->slack);
	if (rate)
		p->rounding_ns = 2 + 2e9 / rate + p->rounding_ns * p->rate / rate;
	p->rate = rate;
}

bool promise_join(struct promise *p, double late_ns, double others_ns,
		  double most_ns, u64 now_ns)
{
	double own = promise_late_ns(p, now_ns), slack = p->slack * 1e9 / p->rate;
	double least = fmin(own, fmin(slack, most_ns));
	double most = fmin(own, fmin(fmax(slack, others_ns), most_ns));
	double rounding = p->rounding_ns * 2 + 2 + most_ns * CLOCK_ERROR * 4;

	p->active = true;
	p->owed = late_ns * p->rate / 1e9;
	if (late_ns < own - rounding)
		p->rounding_ns = 2;
	return late_ns >= least - rounding && late_ns <= most + rounding;
}

void promise_leave(struct promise *p, u64 now_ns)
{
	run(p, now_ns);
	p->active = false;
}

void promise_charge(struct promise *p, u32 bytes)
{
	p->owed -= bytes;
	p->rounding_ns += 2 + bytes * 1e9 / p->rate * CLOCK_ERROR;
}

void promise_forgive(struct promise *p, u64 ns)
{
	p->owed -= p->rate * ns / 1e9;
}

double promise_late_ns(struct promise *p, u64 now_ns)
{
	run(p, now_ns);
	return p->owed * 1e9 / p->rate;
}
