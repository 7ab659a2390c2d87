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
	bool both;		/* the quota is for both directions together */
};

static inline bool period_is_set(const struct period *period)
{
	return period->seconds || period->month_day;
}

/**
 * period_take - take "per PERIOD [from DAY]" and "both" out of the value of a quota
 * @value: words, separated by single spaces; these words are removed
 * @period: result
 *
 * Return: NULL, or valid words, for the error message.
 */
const char *period_take(char *value, struct period *period);

/* Print it in the form in which periods are compared. */
void period_print(const struct period *period, char text[PERIOD_BYTES]);

/**
 * period_begin - compute when the present period has begun
 * @period: a period that is set
 * @known: the beginning of an earlier period, or 0
 * @now: the present time
 *
 * Return: the beginning; it is @known if that period has not ended, or if the clock was set back.
 */
time_t period_begin(const struct period *period, time_t known, time_t now);

/* Return the end of the period that began at @began. */
time_t period_end(const struct period *period, time_t began);

#endif
