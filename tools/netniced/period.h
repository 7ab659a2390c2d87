/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Periods of quotas. Periods of hours, days and weeks follow each other without gaps, from the time
 * when the rule was first read. A month begins at midnight of the first or of another day, in the
 * time zone of this machine.
 */
#ifndef NETNICED_PERIOD_H
#define NETNICED_PERIOD_H

#include <stdbool.h>
#include <time.h>

#define PERIOD_BYTES	32

/* All zero: none. */
struct period {
	time_t seconds;		/* or */
	int month_day;		/* on which a month begins, 1 to 28 */
	bool both;		/* its quota is for both directions together */
};

static inline bool period_is_set(const struct period *period)
{
	return period->seconds || period->month_day;
}

/**
 * period_take - take "per PERIOD [from DAY]" and "both" out of the value of a quota
 * @value: words apart by single spaces; what is left has none of these words
 * @period: where to put it
 *
 * Return: NULL, or what would have been right.
 */
const char *period_take(char *value, struct period *period);

/* As it is compared. */
void period_print(const struct period *period, char text[PERIOD_BYTES]);

/**
 * period_begin - when the present period has begun
 * @period: which is set
 * @known: the beginning of an earlier one, or 0
 * @now: the present time
 *
 * Return: @known, if that is still the one, or the clock has been set back.
 */
time_t period_begin(const struct period *period, time_t known, time_t now);

/* When the period that has begun at @began is over. */
time_t period_end(const struct period *period, time_t began);

#endif
