/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Model of a clock: credit in bytes, which grows by the rate up to the burst
 * less the longest packet that is to keep it; a packet may leave while it is not
 * negative. Besides, and without any regard to that, the bound that is promised: for
 * every interval
 *
 *	bytes <= rate * length + burst
 *
 * (if no packet is longer than said, and none had to wait for others: those may be made up
 * for).  The excess of an interval
 * that ends now is largest for the one that began when the running sum
 * "bytes - rate * time" was at its minimum: so one number checks them all.
 */
#ifndef LAB_BUCKET_H
#define LAB_BUCKET_H

#include <linux/types.h>

/**
 * struct bucket - model of a clock
 * @rate: bytes per second, 0 for no clock
 * @slack: most of @credit
 * @arrears: the same while packets wait that could leave
 * @waits: they do
 * @burst: bytes
 * @credit: bytes at @at_ns
 * @excess: bytes - rate * length, of the worst interval that ends at @at_ns
 * @most: what @excess may be, and a longer packet: the largest burst of late
 * @most_slack: the largest slack of late
 * @longest: packet since @excess was last 0
 * @rounding: bytes by which core and model may differ
 * @at_ns: when these were true
 */
struct bucket {
	double rate;
	double slack;
	double arrears;
	bool waits;
	double burst;
	double credit;
	double excess;
	double most;
	double most_slack;
	double longest;
	double rounding;
	u64 at_ns;
};

enum bucket_state { BUCKET_WAIT, BUCKET_UNSURE, BUCKET_READY };

void bucket_init(struct bucket *b);
void bucket_set(struct bucket *b, u64 rate, u64 burst, u64 longest, u64 now_ns);
/* Set what may be missed while packets wait, after each bucket_set(). */
void bucket_set_arrears(struct bucket *b, u64 bytes);
/* From now on packets wait that could leave, or do so no longer. */
void bucket_set_waits(struct bucket *b, bool waits, u64 now_ns);
enum bucket_state bucket_state(struct bucket *b, u64 now_ns);
/* Returns false if some interval has seen more than the promise. */
bool bucket_charge(struct bucket *b, u32 bytes, u64 now_ns);
/* The time until it is surely ready. */
double bucket_wait_ns(struct bucket *b, u64 now_ns);
/* The same, at least. */
double bucket_wait_min_ns(struct bucket *b, u64 now_ns);

#endif
