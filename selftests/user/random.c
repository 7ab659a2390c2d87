// SPDX-License-Identifier: GPL-2.0
/*
 * Many random worlds, with as many operations as are asked for. The worlds
 * are numbered: one that fails is seen again with --world.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "steps.h"

#define WORLD_STEPS	4000

static u64 present;
static const struct world *present_world;

static void where(void)
{
	printf("# world %llu, operation %llu: random --world %llu shows it again\n",
	       present, present_world->steps, present);
}

static void run_world(struct world *w, u64 number)
{
	struct steps s = { .choice.state = number * 0xd1342543de82ef95ULL };

	present = number;
	present_world = w;
	steps_begin(&s, w);
	while (w->steps < WORLD_STEPS)
		steps_go(&s, w);
	world_empty(w);
	world_exit(w);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void run(u64 first, u64 ops)
{
	u64 number = first, done = 0, settings = 0;
	double begin = seconds(), worst[WORLD_BOUNDS] = { 0 };
	struct world w;
	int i;

	for (; done < ops; number++) {
		run_world(&w, number);
		done += w.steps;
		settings += w.settings;
		for (i = 0; i < WORLD_BOUNDS; i++)
			worst[i] = max(worst[i], w.worst[i]);
	}
	printf("# %llu worlds, %.0f s; %llu changes of trees and parameters; at most %.3f, %.3f, %.3f longest packets off the fluid share\n",
	       number - first, seconds() - begin, settings, worst[0],
	       worst[1], worst[2]);
	lab_ok("%llu random operations", done);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "ops", required_argument, NULL, 'o' },
		{ "world", required_argument, NULL, 'w' },
		{ "from", required_argument, NULL, 'f' },
		{ }
	};
	u64 ops = 1000000, first = 1;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			ops = strtoull(optarg, NULL, 0);
			break;
		case 'w':
			ops = 1;
			/* fall through */
		case 'f':
			first = strtoull(optarg, NULL, 0);
			break;
		default:
			fprintf(stderr, "usage: random [--ops COUNT] [--from WORLD | --world WORLD]\n");
			return 2;
		}
	}
	lab_where = where;
	printf("KTAP version 1\n");
	run(first, ops);
	lab_plan();
	return 0;
}
