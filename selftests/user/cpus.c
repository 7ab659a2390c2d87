// SPDX-License-Identifier: GPL-2.0
/*
 * Which way packets of many CPUs get to one limit, by the model of cpus-model.c.
 *
 * usage: cpus				results, as selftests/bench prints them
 *	  cpus --check			a short test
 *	  cpus --measure		what this processor's locks and memory take, two CPUs
 *	  cpus [COST=NS]... DESIGN CPUS PACKETS-PER-SECOND [even|uneven]
 *					a run: lock, list, leaves, split
 */
#define _GNU_SOURCE
#include "cpus.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/*
 * Instructions are what the function graph tracer counts on Linux 6.1 in virtual time, of a
 * datagram with a frame's size, at 0.4 ns each: work 3,100, vif_shaper_input_locked() 1,490,
 * of which 250 are without the lock, drain() 900 for each turn and 900 for each packet, and 950
 * to put it back. What memory takes is from --measure, on an AMD EPYC; a lock is handed over by
 * two such transfers, and what they begin.
 */
const struct cpus_costs cpus_costs = {
	.work = 1350, .lock = 10, .handover = 60, .line = 25, .lines = 6, .enqueue = 500,
	.section = 360, .drain = 360, .reinject = 380, .push = 10, .timer = 500, .wake = 600,
};

/* Where CPUs have no cache in common: taken, not measured. */
#define FAR_LINE	100
#define FAR_HANDOVER	220

/* how they are called: the three; then those beside */
static const struct scheme {
	const char *name;
	enum cpus_design design;
	unsigned int batch;
} schemes[] = {
	{ "model-lock", CPUS_LOCK, 16 },
	{ "model-list", CPUS_LIST, 16 },
	{ "model-leaves", CPUS_LEAVES, 16 },
	{ "model-qdisc", CPUS_LOCK, 1 },
	{ "model-qdisc-list", CPUS_LIST, 1 },
	{ "model-split", CPUS_SPLIT, 1 },
};

static struct cpus_run run_of(const struct scheme *scheme, unsigned int cpus, double limit,
			      bool uneven)
{
	struct cpus_run run = {
		.design = scheme->design, .batch = scheme->batch, .cpus = cpus,
		.limit = limit, .bound = 1000, .window = 64, .ms = 100, .seed = 1,
		.costs = cpus_costs,
	};

	/* one wants 90 % of the limit, the others share 10 */
	for (unsigned int i = 0; uneven && i < cpus; i++)
		run.want[i] = i ? limit / 10 / (cpus - 1) : limit * 9 / 10;
	return run;
}

/* --- results --------------------------------------------------------------------- */

/*
 * What passes, in thousands a second, per cent off the limit, per cent of the time that CPUs wait
 * for a lock, the longest wait, in microseconds, per cent of its part that who has least of it
 * gets, and per cent that are dropped.
 */
static void print_run(const struct scheme *s, const char *case_name, const struct cpus_run *run)
{
	struct cpus_result result = cpus_run(run);

	printf("# result: %s-%u\t%s\t%.0f\t%.0f %.2f %.1f %.1f %.0f %.2f\n", case_name, run->cpus,
	       s->name, run->limit, result.passed / 1e3, result.off, result.waited * 100,
	       result.longest_us, result.least * 100, result.dropped * 100);
}

static void print_limit(const struct scheme *s, unsigned int cpus, double limit)
{
	struct cpus_run run = run_of(s, cpus, limit, false);

	print_run(s, "near", &run);
	run.costs.line = FAR_LINE;
	run.costs.handover = FAR_HANDOVER;
	print_run(s, "far", &run);
}

static void print_all(void)
{
	static const double limits[] = { 100e3, 500e3, 1e6, 2e6 };
	static const unsigned int cpus[] = { 1, 2, 4, 8, 16, 64 };
	struct cpus_run run;

	for (unsigned int s = 0; s < COUNT(schemes); s++) {
		for (unsigned int l = 0; l < COUNT(limits); l++)
			for (unsigned int c = 0; c < COUNT(cpus); c++)
				print_limit(&schemes[s], cpus[c], limits[l]);
		/* of which one CPU can have 90 % */
		run = run_of(&schemes[s], 16, 200e3, true);
		print_run(&schemes[s], "uneven", &run);
	}
}

/* --- a test ---------------------------------------------------------------------- */

static struct cpus_result result_of(unsigned int scheme, unsigned int cpus, double limit,
				    bool uneven)
{
	struct cpus_run run = run_of(&schemes[scheme], cpus, limit, uneven);

	return cpus_run(&run);
}

/* Below what everything takes, each design gives the limit to all alike. */
static void check_limit(void)
{
	for (unsigned int s = 0; s < COUNT(schemes); s++)
		for (unsigned int cpus = 1; cpus <= CPUS_MAX; cpus *= 4) {
			struct cpus_result got = result_of(s, cpus, 100e3, false);

			lab_check(got.off > -2 && got.off < 2, "%s, %u CPUs: %.1f %% off the limit",
				  schemes[s].name, cpus, got.off);
			lab_check(got.least > 0.9, "%s, %u CPUs: one has %.2f of its part",
				  schemes[s].name, cpus, got.least);
		}
	lab_ok("100,000 packets a second are 100,000, and each CPU's part of them");
}

static void check_alone(void)
{
	for (unsigned int s = 0; s < COUNT(schemes); s++) {
		struct cpus_result got = result_of(s, 1, 10e6, false);

		lab_check(!got.waited && !got.dropped, "%s waits for itself", schemes[s].name);
		lab_check(got.passed > 250e3 && got.passed < 1e9 / cpus_costs.work,
			  "%s: %.0f packets a second", schemes[s].name, got.passed);
	}
	lab_ok("one CPU waits for none, and is as fast as what it does");
}

/* Work, and nothing else, with a lock: the capacity is that of what is done with the lock. */
static void check_lock(void)
{
	struct cpus_run run = run_of(&schemes[0], 16, 100e6, false);
	struct cpus_result got;
	double least;

	run.costs.line = 0;
	got = cpus_run(&run);
	least = run.costs.enqueue + run.costs.drain + run.costs.handover;
	lab_check(got.passed < 1e9 / least && got.passed > 0.7e9 / least,
		  "%.0f packets a second pass a lock that gives %.0f", got.passed, 1e9 / least);
	lab_check(got.waited > 0.5, "%.2f of the time are waited", got.waited);
	lab_ok("16 CPUs get through a lock what it can give, and wait");
}

static void check_designs(void)
{
	struct cpus_result lock = result_of(0, 16, 10e6, false);

	for (unsigned int s = 1; s <= 2; s++) {
		struct cpus_result got = result_of(s, 16, 10e6, false);

		lab_check(got.waited < lock.waited / 2, "%s: %.2f of the time are waited, not %.2f",
			  schemes[s].name, got.waited, lock.waited);
	}
	lab_ok("who does not take the lock for each packet waits less");
}

static void check_repeats(void)
{
	for (unsigned int s = 0; s < COUNT(schemes); s++) {
		struct cpus_result a = result_of(s, 8, 1e6, true), b = result_of(s, 8, 1e6, true);

		lab_check(!memcmp(&a, &b, sizeof(a)), "%s: two runs differ", schemes[s].name);
	}
	lab_ok("a run repeats");
}

static void check_all(void)
{
	check_limit();
	check_alone();
	check_lock();
	check_designs();
	check_repeats();
	lab_plan();
}

/* --- this processor -------------------------------------------------------------- */

#define ROUNDS	1000
#define TRIES	2000

static _Alignas(64) _Atomic unsigned int turn_of;
static _Alignas(64) _Atomic unsigned int word;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void pin(unsigned int who)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(who, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set))
		perror("pthread_setaffinity_np");
}

static void take_turns(unsigned int who, unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++) {
		while (turn_of != who)
			;
		turn_of = !who;
	}
}

static void *second(void *none)
{
	pin(1);
	take_turns(1, ROUNDS * TRIES);
	return none;
}

static void take_alone(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		word++;
}

static void take_turns_first(unsigned int rounds)
{
	take_turns(0, rounds);
}

/* The least of many tries, as others may have had one of the CPUs. */
static double least(void (*one)(unsigned int rounds))
{
	double best = 1, begin, took;

	for (unsigned int i = 0; i < TRIES; i++) {
		begin = seconds();
		one(ROUNDS);
		took = seconds() - begin;
		best = took < best ? took : best;
	}
	return best / ROUNDS * 1e9;
}

/* Memory to and fro; a lock is such an instruction. */
static void measure(void)
{
	pthread_t thread;

	pin(0);
	if (pthread_create(&thread, NULL, second, NULL))
		exit(1);
	printf("line=%.0f\n", least(take_turns_first) / 2);
	pthread_join(thread, NULL);
	printf("lock=%.0f\n", least(take_alone));
}

/* --- one run --------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t offset;
} costs[] = {
#define COST(name) { #name, offsetof(struct cpus_costs, name) }
	COST(work), COST(lock), COST(handover), COST(line), COST(lines), COST(enqueue),
	COST(section), COST(drain), COST(reinject), COST(push), COST(timer), COST(wake),
};

static void usage(void)
{
	fputs("usage: cpus [--check|--measure]\n"
	      "       cpus [COST=NS]... lock|list|leaves|split CPUS PACKETS-PER-SECOND [even|uneven]\n"
	      "COSTs are those of cpus.h.\n", stderr);
	exit(2);
}

static bool set_cost(struct cpus_costs *c, const char *word)
{
	size_t len = strcspn(word, "=");

	for (unsigned int i = 0; i < COUNT(costs); i++)
		if (word[len] && strlen(costs[i].name) == len && !strncmp(word, costs[i].name, len)) {
			*(unsigned int *)((char *)c + costs[i].offset) = atoi(word + len + 1);
			return true;
		}
	return false;
}

static int one(char **word)
{
	struct cpus_costs c = cpus_costs;
	struct cpus_result result;
	struct cpus_run run;
	unsigned int s = 0;

	while (*word && set_cost(&c, *word))
		word++;
	if (!word[0] || !word[1] || !word[2])
		usage();
	while (s < COUNT(schemes) && strcmp(schemes[s].name + strlen("model-"), word[0]))
		s++;
	if (s == COUNT(schemes) || atoi(word[1]) < 1 || atoi(word[1]) > CPUS_MAX || atof(word[2]) <= 0)
		usage();
	run = run_of(&schemes[s], atoi(word[1]), atof(word[2]), word[3] && !strcmp(word[3], "uneven"));
	run.costs = c;
	result = cpus_run(&run);
	printf("passed=%.0f off=%.2f%% waited=%.2f%% longest_us=%.1f least=%.3f dropped=%.2f%%\n",
	       result.passed, result.off, result.waited * 100, result.longest_us, result.least,
	       result.dropped * 100);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		print_all();
	else if (!strcmp(argv[1], "--check"))
		check_all();
	else if (!strcmp(argv[1], "--measure"))
		measure();
	else
		return one(argv + 1);
	return 0;
}
