// SPDX-License-Identifier: GPL-2.0
#include "quotas.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "act.h"
#include "array.h"
#include "clock.h"
#include "log.h"
#include "store.h"
#include "turn.h"

/* Between two times at which counters are kept, at most. */
#define TICK_S	60

/* A sum of both directions ends when less is left: with less, each look would let a packet more pass. */
#define BOTH_LEAST	65536

#define DAY_BYTES	32

/* For all quotas and accounts at once, when rules are read again, and at the end */
#define KEEP_NS		(SECOND_NS / 2)

static int timer = -1;
static bool has_jumped = true;	/* the clock; since when the daemon began, nothing is known */
static time_t last;		/* when accounts were kept the last time */

/*
 * A round keeps all quotas, then all accounts. Tenants choose how many VIFs there are below one with an
 * account, so a round may take several turns. A reload, and each change of the clock, begins it again.
 */
static struct {
	bool is_open;
	size_t vif;		/* the next one of the rules */
	bool with_accounts;	/* the quotas have been kept */
	bool any;		/* account */
	char day[DAY_BYTES];	/* of what is counted */
	time_t began;
	char **path;		/* VIFs to be counted, with all below */
	size_t n_paths;
} round;

/* Not time(2): a clock of its own, which is late by up to a tick, and still on the day before. */
static time_t present(void)
{
	return clock_ns(CLOCK_REALTIME) / SECOND_NS;
}

/* --- quotas ------------------------------------------------------------------------ */

/* With @both the size of a direction is what the daemon has last given to it. */
static bool is_same(const struct vif_quota *a, const struct vif_quota *b, bool both)
{
	return a->then && a->then == b->then && (both || a->bytes == b->bytes);
}

/* Read the quotas of a VIF; all zero if the VIF is gone. */
static void read_now(const char *path, struct vif_params now[VIF_DIRS])
{
	char *text = act_read(path, params[PARAM_QUOTA].name);

	if (!text || param_parse(PARAM_QUOTA, text, now))
		now[VIF_EGRESS] = now[VIF_INGRESS] = vif_params_initial;
	free(text);
}

static void read_wanted(const struct vif_section *vif, struct vif_params wanted[VIF_DIRS])
{
	if (param_parse(PARAM_QUOTA, vif->settings.value[PARAM_QUOTA], wanted))
		abort();	/* it was checked */
}

/* Note how much is used now, if the quota is the same. */
static void take_used(const struct vif_section *vif, struct store_period *period)
{
	struct vif_params now[VIF_DIRS], wanted[VIF_DIRS];

	read_now(vif->path, now);
	read_wanted(vif, wanted);
	for (int dir = 0; dir < VIF_DIRS; dir++) {
		const struct vif_quota *quota = &now[dir].quota;

		if (is_same(quota, &wanted[dir].quota, vif->period.both) &&
		    period->used[dir] < quota->bytes - quota->left)
			period->used[dir] = quota->bytes - quota->left;
	}
}

static u64 subtract(u64 from, u64 bytes)
{
	return bytes < from ? from - bytes : 0;
}

/*
 * The kernel counts each direction separately. Each gets half of the remaining sum. Its size is this
 * half and its used part, so that the used part can be computed from size and rest.
 */
static void share_left(struct vif_params wanted[VIF_DIRS], const struct store_period *period)
{
	u64 left = subtract(subtract(wanted[0].quota.left, period->used[0]), period->used[1]);

	if (left < BOTH_LEAST)
		left = 0;
	for (int dir = 0; dir < VIF_DIRS; dir++) {
		struct vif_quota *quota = &wanted[dir].quota;

		quota->left = dir ? left / 2 : left - left / 2;
		quota->bytes = period->used[dir] + quota->left ?: 1;
	}
}

/* One direction has used so much of its half that it may need more before the next check. */
static bool is_uneven(const struct vif_section *vif)
{
	struct vif_params now[VIF_DIRS];
	u64 out, in;

	if (!vif->period.both)
		return false;
	read_now(vif->path, now);
	out = now[VIF_EGRESS].quota.left;
	in = now[VIF_INGRESS].quota.left;
	return (out < in ? out : in) < (out + in) / 4;
}

static void write_left(const struct vif_section *vif, const struct store_period *period)
{
	struct vif_params now[VIF_DIRS], wanted[VIF_DIRS];
	char *text;

	read_wanted(vif, wanted);
	if (vif->period.both && wanted[0].quota.then)
		share_left(wanted, period);
	for (int dir = 0; dir < VIF_DIRS && !vif->period.both; dir++)
		wanted[dir].quota.left = subtract(wanted[dir].quota.left, period->used[dir]);
	/* equal values are not written, because a packet may be counted meanwhile */
	read_now(vif->path, now);
	if (!memcmp(&now[VIF_EGRESS].quota, &wanted[VIF_EGRESS].quota, sizeof(now->quota)) &&
	    !memcmp(&now[VIF_INGRESS].quota, &wanted[VIF_INGRESS].quota, sizeof(now->quota)))
		return;
	text = param_print(PARAM_QUOTA, wanted);
	if (!text)
		abort();
	act_set(vif->path, params[PARAM_QUOTA].name, text);
	free(text);
}

/* Used parts never decrease, whatever the clock says: a larger one of the period before stays. */
static void keep_used(struct store_period *period, const struct store_period *before)
{
	for (int dir = 0; dir < VIF_DIRS; dir++)
		if (period->used[dir] < before->used[dir])
			period->used[dir] = before->used[dir];
}

/*
 * The beginning of the present period. If the clock was set back, to before @known began: of that
 * in which it is now, if an earlier one is known. One that is not set yet, when the machine
 * boots, is before all of them, and begins none.
 */
static time_t find_begin(const struct vif_section *vif, const char *per,
			 const struct store_period *known, time_t now)
{
	struct store_period earlier;

	if (known->began > now && store_period_find(vif->path, per, now, &earlier) &&
	    earlier.began <= now)
		return period_begin(&vif->period, earlier.began, now);
	return period_begin(&vif->period, known->began, now);
}

/*
 * A clock that is set back fills no quota, and one that was in the future for a while keeps none
 * from being filled later. One that comes back to a period finds what was used in it.
 */
static struct store_period next_period(const struct vif_section *vif, const char *per,
				       const struct store_period *known, time_t begin)
{
	const bool is_back = begin < known->began;
	struct store_period next = { .began = begin };
	const bool is_there = (is_back || has_jumped) &&
			      store_period_get(vif->path, per, begin, &next);

	if (is_back || is_there)
		keep_used(&next, known);
	return next;
}

/* In the file's transaction. @apply: also what is not new */
static void look_at(struct vif_section *vif, bool apply)
{
	const time_t now = present();
	struct store_period period = { .began = vif->began };
	char per[PERIOD_BYTES];
	time_t begin;

	period_print(&vif->period, per);
	if (vif->began)
		memcpy(period.used, vif->used, sizeof(period.used));
	else
		store_period_find(vif->path, per, now, &period);
	begin = find_begin(vif, per, &period, now);
	if (vif->began || begin == period.began) {
		take_used(vif, &period);
		store_period_put(vif->path, per, &period);
	}
	if (begin != period.began)
		period = next_period(vif, per, &period, begin);
	if (apply || begin != vif->began || is_uneven(vif))
		write_left(vif, &period);
	if (vif->began && begin != vif->began)
		log_say(LOG_DETAIL, "%s: another period of its quota", vif->path);
	vif->began = period.began;
	memcpy(vif->used, period.used, sizeof(vif->used));
	store_period_put(vif->path, per, &period);
}

void quotas_apply(struct vif_section *vif)
{
	if (act_is_dry()) {
		act_set(vif->path, params[PARAM_QUOTA].name, vif->settings.value[PARAM_QUOTA]);
		return;
	}
	store_begin();
	look_at(vif, true);
	store_end();
}

/* --- accounts ---------------------------------------------------------------------- */

static bool is_covered(const struct rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->vifs; i++)
		if (rules->vif[i].account && strcmp(rules->vif[i].path, path) &&
		    path_is_below(path, rules->vif[i].path))
			return true;
	return false;
}

static u64 number_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static void count(const char *path, const char *day)
{
	struct store_count count;
	char *text = act_identify(path, &count.id, &count.made_ns) ? NULL : act_read(path, "stat");

	if (!text)
		return;
	count.bytes[VIF_EGRESS] = number_of(text, "egress_bytes ");
	/* the other one's key does not end so */
	count.bytes[VIF_INGRESS] = number_of(text, "\ningress_bytes ");
	free(text);
	store_count(path, &count, day, act_namer(path));
}

/* Takes over @path. */
static void add_path(char *path)
{
	char **added = path ? array_add(&round.path, &round.n_paths, sizeof(*added)) : NULL;

	if (!added)
		abort();
	*added = path;
}

/* The last one, in whose place are those below it */
static void count_next(void)
{
	char *path = round.path[--round.n_paths], *below;
	char **names = act_list(path);

	count(path, round.day);
	for (size_t i = 0; names && names[i]; i++) {
		if (asprintf(&below, "%s/%s", path, names[i]) < 0)
			abort();
		add_path(below);
	}
	free(names);
	free(path);
}

static void free_paths(void)
{
	while (round.n_paths)
		free(round.path[--round.n_paths]);
	free(round.path);
	round.path = NULL;
}

/* --- both -------------------------------------------------------------------------- */

static bool has_any(const struct rules *rules)
{
	for (size_t i = 0; i < rules->vifs; i++)
		if (rules->vif[i].account || period_is_set(&rules->vif[i].period))
			return true;
	return false;
}

/* Traffic since the last time is counted for the day of the last time. */
static void begin_round(void)
{
	struct tm tm;

	free_paths();
	memset(&round, 0, sizeof(round));
	round.is_open = true;
	round.began = present();
	localtime_r(last && last < round.began ? &last : &round.began, &tm);
	strftime(round.day, sizeof(round.day), "%Y-%m-%d", &tm);
	store_round();
}

static void end_round(void)
{
	if (round.any)
		store_count_end();
	free_paths();
	round.is_open = false;
	last = round.began;
}

/* Return: whether there is more. */
static bool take_step(struct rules *rules)
{
	struct vif_section *vif;

	if (round.n_paths) {
		count_next();
		return true;
	}
	if (round.vif == rules->vifs) {
		if (round.with_accounts)
			return false;
		round.with_accounts = true;
		round.vif = 0;
		return true;
	}
	vif = &rules->vif[round.vif++];
	if (!round.with_accounts && period_is_set(&vif->period) && act_is_vif(vif->path))
		look_at(vif, false);
	if (round.with_accounts && vif->account && !is_covered(rules, vif->path)) {
		add_path(strdup(vif->path));
		round.any = true;
	}
	return true;
}

/* Return: whether the round has ended. */
static bool continue_round(struct rules *rules, uint64_t ns)
{
	const struct turn turn = turn_begin(ns);
	bool has_more;

	store_begin();
	do {
		has_more = take_step(rules);
	} while (has_more && !turn_is_over(&turn));
	if (!has_more)
		end_round();
	store_end();
	return !has_more;
}

/* A VIF that is left out has its counters in the kernel still, unless it goes with the rules. */
void quotas_keep(struct rules *rules)
{
	if (!has_any(rules))
		return;
	begin_round();
	if (!continue_round(rules, KEEP_NS))
		log_say(LOG_NOTE, "accounts: not all VIFs have been counted since the last minute: there are too many");
	/* the next one looks at other rules */
	free_paths();
	round.is_open = false;
}

static time_t next_midnight(time_t now)
{
	struct tm tm;

	localtime_r(&now, &tm);
	tm.tm_mday++;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return mktime(&tm);
}

static time_t earlier(time_t a, time_t b)
{
	return a < b ? a : b;
}

/* All zero ends it. */
void quotas_start(struct rules *rules)
{
	struct itimerspec at = { 0 };
	const time_t now = present();
	time_t next = earlier(now + TICK_S, next_midnight(now));

	for (size_t i = 0; i < rules->vifs; i++)
		if (rules->vif[i].began)
			next = earlier(next, period_end(&rules->vif[i].period, rules->vif[i].began));
	if (round.is_open)
		at.it_value.tv_nsec = 1;	/* at once, but behind others that have waited */
	else if (has_any(rules))
		at.it_value.tv_sec = next > now ? next : now + 1;
	timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, NULL);
}

int quotas_open(void)
{
	timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer < 0)
		log_say(LOG_ERROR, "timerfd: %s", strerror(errno));
	return timer;
}

/* Compared with the time since the machine booted, which nothing sets. */
static void look_at_clock(void)
{
	static int64_t before;
	const int64_t ahead = (int64_t)clock_ns(CLOCK_REALTIME) - (int64_t)clock_ns(CLOCK_BOOTTIME);
	const int64_t hours = (ahead - before) / (3600 * (int64_t)SECOND_NS);

	has_jumped = !before || hours;
	if (before && hours)
		log_say(LOG_NOTE, "the clock was set, %lld hours %s", (long long)llabs(hours),
			hours > 0 ? "ahead" : "back");
	before = ahead;
}

void quotas_read(struct rules *rules)
{
	uint64_t ticks;
	const bool is_set = read(timer, &ticks, sizeof(ticks)) < 0;

	if (is_set && errno != ECANCELED)
		return;
	if (is_set || !round.is_open) {
		look_at_clock();
		begin_round();
	}
	continue_round(rules, turn_ns());
	quotas_start(rules);
}
