// SPDX-License-Identifier: GPL-2.0
/* Samples of the counters of VIFs, and the timer that takes them. */
#include "rates.h"

#include <errno.h>
#include <limits.h>
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
#include "match.h"
#include "own.h"
#include "subject.h"
#include "turn.h"

#define INTERVALS	5
#define TICK_SECONDS	1

/* A VIF, as one rule looks at it. */
struct sample {
	struct sample *next;
	char *path;
	const struct rule *rule;
	double since;		/* seconds; the interval's beginning */
	double bytes;		/* then */
	unsigned int matched;	/* intervals one after the other */
	bool seen;		/* in this round */
};

static struct sample *samples;
static int timer = -1;
static bool is_ticking;

/* A VIF that a round has to read */
struct due {
	const struct rule *rule;
	char *path;
};

/* Processes choose how many VIFs of their own there are, so a round may take several turns. */
static struct {
	bool is_open;
	bool any;		/* VIF that a rule is about */
	struct due *due;
	size_t n_due, next;
} round;

int rates_open(void)
{
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer < 0)
		log_say(LOG_ERROR, "timerfd: %s", strerror(errno));
	return timer;
}

static void set_timer(struct timespec first)
{
	const struct itimerspec every = {
		.it_value = first, .it_interval.tv_sec = first.tv_sec || first.tv_nsec ? TICK_SECONDS : 0,
	};

	timerfd_settime(timer, 0, &every, NULL);
}

static void run(bool on)
{
	if (on == is_ticking)
		return;
	set_timer((struct timespec) { .tv_sec = on ? TICK_SECONDS : 0 });
	is_ticking = on;
}

/* --- rounds ------------------------------------------------------------------------ */

static void free_due(void)
{
	while (round.n_due)
		free(round.due[--round.n_due].path);
	free(round.due);
	round.due = NULL;
	round.next = 0;
}

static void add_due(const char *path, const struct own *own, void *arg)
{
	struct due *due = array_add(&round.due, &round.n_due, sizeof(*due));

	(void)own;
	if (!due)
		abort();
	due->rule = arg;
	due->path = strdup(path);
	if (!due->path)
		abort();
}

static void begin_round(const struct rules *rules)
{
	round.is_open = true;
	round.any = false;
	for (size_t i = 0; i < rules->rules; i++)
		if (rules->rule[i].has_rate)
			own_each(rules->rule[i].in.word[0], add_due, (void *)&rules->rule[i]);
}

/* --- samples ----------------------------------------------------------------------- */

static struct sample *find(const char *path, const struct rule *rule)
{
	for (struct sample *s = samples; s; s = s->next)
		if (s->rule == rule && !strcmp(s->path, path))
			return s;
	return NULL;
}

static struct sample *add(const char *path, const struct rule *rule)
{
	struct sample *sample = calloc(1, sizeof(*sample));

	if (!sample)
		abort();
	sample->path = strdup(path);
	sample->rule = rule;
	sample->next = samples;
	samples = sample;
	return sample;
}

/* Forget VIFs that were not seen in this round; their rules need not exist. */
static void drop_unseen(void)
{
	struct sample **at = &samples, *gone;

	while ((gone = *at)) {
		if (gone->seen) {
			gone->seen = false;
			at = &gone->next;
			continue;
		}
		*at = gone->next;
		free(gone->path);
		free(gone);
	}
}

void rates_forget(void)
{
	free_due();
	round.is_open = false;
	for (struct sample *s = samples; s; s = s->next)
		s->seen = false;
	drop_unseen();
}

/* --- measuring --------------------------------------------------------------------- */

static bool read_bytes(const char *path, const struct rate_test *test,
		       double *bytes)
{
	const char *key = test->ingress ? "ingress_bytes " : "egress_bytes ";
	char *text = act_read(path, "stat");
	const char *at = text ? strstr(text, key) : NULL;
	bool found = at && (at == text || at[-1] == '\n');

	if (found)
		*bytes = strtod(at + strlen(key), NULL);
	free(text);
	return found;
}

static double interval(const struct rate_test *test)
{
	double seconds = test->seconds / INTERVALS;

	return seconds < TICK_SECONDS ? TICK_SECONDS : seconds;
}

/* Whether all the time that the rule wants has been as it wants it. */
static bool measure(struct sample *sample, const struct rate_test *test)
{
	double bytes, t = clock_ns(CLOCK_MONOTONIC) / 1e9, seconds = t - sample->since;
	/* a tick may come a little early */
	const double slack = 0.05;
	bool matches;

	if (!read_bytes(sample->path, test, &bytes))
		return false;
	if (!sample->since) {
		sample->since = t;
		sample->bytes = bytes;
		return false;
	}
	if (seconds + slack < interval(test))
		return false;
	matches = ((bytes - sample->bytes) * 8 / seconds >= test->bits_per_s) ==
		  test->above;
	sample->matched = matches ? sample->matched + 1 : 0;
	sample->since = t;
	sample->bytes = bytes;
	return sample->matched * interval(test) + slack >= test->seconds;
}

static bool is_running_process(int pid)
{
	struct subject subject;
	bool is = subject_open(&subject, pid);

	if (is)
		subject_close(&subject);
	return is;
}

/*
 * Return the smallest number of a running process in the text of a file "tasks", or 0. A process that
 * has ended stays in the file until its parent waits for it.
 */
static int first_process(const char *tasks)
{
	int first = 0;

	while (*tasks) {
		int pid = atoi(tasks);

		if ((!first || pid < first) && is_running_process(pid))
			first = pid;
		tasks += strcspn(tasks, "\n");
		tasks += strspn(tasks, "\n");
	}
	return first;
}

/* The first process that is attached to it stands for all. */
static bool is_meant(const struct rule *rule, const char *path)
{
	char *tasks = act_read(path, "tasks");
	struct subject subject;
	bool meant = false;

	if (!rule->exe.count && !ids_any(&rule->user) && !ids_any(&rule->group) &&
	    !rule->cgroup.count && !rule->unit.count)
		meant = true;
	else if (tasks && subject_open(&subject, first_process(tasks))) {
		meant = match_rated(rule, &subject);
		subject_close(&subject);
	}
	free(tasks);
	return meant;
}

static void look_at(const struct rules *rules, const struct rule *rule, const char *path)
{
	struct sample *sample;

	if (!is_meant(rule, path))
		return;
	round.any = true;
	sample = find(path, rule) ?: add(path, rule);
	sample->seen = true;
	if (measure(sample, &rule->rate)) {
		log_say(LOG_DETAIL, "[rule %s] %s: %s %llu bit/s for %g s",
			rule->name, path, rule->rate.above ? "above" : "below",
			rule->rate.bits_per_s, rule->rate.seconds);
		own_move(rules, path, rule);
		sample->seen = false;
	}
}

static void continue_round(const struct rules *rules)
{
	const struct turn turn = turn_begin(turn_ns());

	while (round.next < round.n_due) {
		const struct due *due = &round.due[round.next++];

		look_at(rules, due->rule, due->path);
		if (turn_is_over(&turn))
			return;
	}
	free_due();
	drop_unseen();
	round.is_open = false;
}

void rates_read(const struct rules *rules)
{
	uint64_t ticks;

	if (read(timer, &ticks, sizeof(ticks)) != sizeof(ticks))
		return;
	if (!round.is_open)
		begin_round(rules);
	continue_round(rules);
	if (round.is_open)
		set_timer((struct timespec) { .tv_nsec = 1 });
	else
		run(round.any);
}

static void note(const char *path, const struct own *own, void *arg)
{
	(void)path;
	(void)own;
	*(bool *)arg = true;
}

void rates_start(const struct rules *rules)
{
	bool any = false;

	if (is_ticking)
		return;
	for (size_t i = 0; !any && i < rules->rules; i++)
		if (rules->rule[i].has_rate)
			own_each(rules->rule[i].in.word[0], note, &any);
	run(any);
}
