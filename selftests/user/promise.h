/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Model of a minimum: what a contender is owed, in bytes. That grows by the
 * minimum, and shrinks by what it gets by it. One that comes is owed no more
 * than it may have saved up, or as late as others are. One that is owed anything comes before all that
 * share, the one first whose oldest byte is due for longest.
 *
 * How much of what all of a class are owed is taken off, the core says; that it
 * is neither too much nor too little is checked in look.c.
 */
#ifndef LAB_PROMISE_H
#define LAB_PROMISE_H

#include <linux/types.h>

/**
 * struct promise - model of a minimum
 * @rate: bytes per second, 0 for none
 * @slack: half of the burst: what may be saved up, bytes
 * @owed: bytes at @at_ns
 * @rounding_ns: how far core and model may be apart
 * @at_ns: when these were true
 * @active: it does
 */
struct promise {
	double rate;
	double slack;
	double owed;
	double rounding_ns;
	u64 at_ns;
	bool active;
};

void promise_set(struct promise *p, u64 rate, u64 burst, u64 now_ns);
/*
 * It is active from now on, and is late for so long then. Returns whether that is right, if
 * another one is late for @others_ns, and none may be for more than @most_ns.
 */
bool promise_join(struct promise *p, double late_ns, double others_ns,
		  double most_ns, u64 now_ns);
/* It does so no longer. */
void promise_leave(struct promise *p, u64 now_ns);
void promise_charge(struct promise *p, u32 bytes);
void promise_forgive(struct promise *p, u64 ns);
/* For how long it is late; negative: how long it is until its turn. */
double promise_late_ns(struct promise *p, u64 now_ns);

#endif
