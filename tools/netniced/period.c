// SPDX-License-Identifier: GPL-2.0
#include "period.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RIGHT	"per and a number of h, d or w (30d), or month [from 1..28]"
#define BOTH	"both for a quota with per, for which it counts both directions together"

#define BLANK		" \t\r"
#define HOUR_S		3600
#define COUNT_MAX	10000	/* of hours, days or weeks */

/* The unit's seconds behind a number, or 0. */
static time_t unit_seconds(char unit)
{
	switch (unit) {
	case 'h':
		return HOUR_S;
	case 'd':
		return 24 * HOUR_S;
	case 'w':
		return 7 * 24 * HOUR_S;
	default:
		return 0;
	}
}

/* Without a sign, up to @most; 0: it is none. @rest: behind it */
static long number(const char *text, long most, const char **rest)
{
	char *end;
	long n;

	if (*text < '1' || *text > '9')
		return 0;
	n = strtol(text, &end, 10);
	*rest = end;
	return n <= most ? n : 0;
}

static bool read_length(const char *word, struct period *period)
{
	const char *unit;
	const long count = number(word, COUNT_MAX, &unit);

	if (!count || !*unit || unit[1])
		return false;
	period->seconds = count * unit_seconds(*unit);
	return period->seconds;
}

static bool read_day(const char *word, struct period *period)
{
	const char *rest = "";

	period->month_day = word ? number(word, 28, &rest) : 0;
	return period->month_day && !*rest;
}

/* The words of a value, of which some go. */
struct taking {
	char *to;		/* behind what stays */
	char *next;		/* the word behind, or NULL */
	char *save;
};

static char *take(struct taking *taking)
{
	char *word = taking->next;

	taking->next = word ? strtok_r(NULL, BLANK, &taking->save) : NULL;
	return word;
}

static void keep(struct taking *taking, const char *value, const char *word)
{
	const size_t len = strlen(word);

	if (taking->to != value)
		*taking->to++ = ' ';
	memmove(taking->to, word, len);
	taking->to += len;
}

static bool take_period(struct taking *taking, struct period *period)
{
	const char *word = take(taking);

	if (!word || period_is_set(period))
		return false;
	if (strcmp(word, "month"))
		return read_length(word, period);
	period->month_day = 1;
	if (!taking->next || strcmp(taking->next, "from"))
		return true;
	take(taking);
	return read_day(take(taking), period);
}

const char *period_take(char *value, struct period *period)
{
	struct taking taking = { .to = value };
	char *word;

	*period = (struct period) { 0 };
	taking.next = strtok_r(value, BLANK, &taking.save);
	while ((word = take(&taking))) {
		if (!strcmp(word, "both"))
			period->both = true;
		else if (strcmp(word, "per"))
			keep(&taking, value, word);
		else if (!take_period(&taking, period))
			return RIGHT;
	}
	*taking.to = '\0';
	return period->both && !period_is_set(period) ? BOTH : NULL;
}

void period_print(const struct period *period, char text[PERIOD_BYTES])
{
	if (period->month_day)
		snprintf(text, PERIOD_BYTES, "month from %d", period->month_day);
	else
		snprintf(text, PERIOD_BYTES, "%lldh", (long long)period->seconds / HOUR_S);
}

/* Midnight of the day on which a month begins, of this month or one some months later. */
static time_t month_begin(const struct period *period, time_t now, int later)
{
	struct tm tm;

	localtime_r(&now, &tm);
	tm.tm_mon += later;
	tm.tm_mday = period->month_day;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return mktime(&tm);
}

time_t period_begin(const struct period *period, time_t known, time_t now)
{
	time_t begin;

	/* nor does a machine begin anew that does not know the time when it boots */
	if (known > now)
		return known;
	if (period->month_day) {
		begin = month_begin(period, now, 0);
		return begin <= now ? begin : month_begin(period, now, -1);
	}
	if (!known)
		return now;
	return known + (now - known) / period->seconds * period->seconds;
}

time_t period_end(const struct period *period, time_t began)
{
	if (period->month_day)
		return month_begin(period, began, 1);
	return began + period->seconds;
}
