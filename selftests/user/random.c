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

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static u64 present;
static const struct world *present_world;

static void where(void)
{
	if (!present_world)
		return;
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

/**
 * struct total - of all worlds
 * @worlds: how many
 * @ops: operations
 * @settings: of which changed parameters or a tree
 * @advances: see struct world
 * @by_floor: see struct world
 * @forgiven: see struct world
 * @most_work: see struct world
 * @worst: see struct world
 */
struct total {
	u64 worlds;
	u64 ops;
	u64 settings;
	u64 advances;
	u64 by_floor;
	u64 forgiven;
	u64 most_work;
	double worst[WORLD_BOUNDS];
};

static void add_up(struct total *total, const struct world *w)
{
	int i;

	total->worlds++;
	total->ops += w->steps;
	total->settings += w->settings;
	total->advances += w->advances;
	total->by_floor += w->by_floor;
	total->forgiven += w->forgiven;
	total->most_work = max(total->most_work, w->most_work);
	for (i = 0; i < WORLD_BOUNDS; i++)
		total->worst[i] = max(total->worst[i], w->worst[i]);
}

static void print(const struct total *total, double took)
{
	printf("# %llu worlds, %.0f s; %llu changes of trees and parameters; %llu advances; at most %llu operations on trees for a packet\n",
	       total->worlds, took, total->settings, total->advances, total->most_work);
	printf("# %llu packets by a minimum; %llu times what one has missed is not made up for\n",
	       total->by_floor, total->forgiven);
	printf("# off the fluid share, in longest packets: %.3f from the start, %.3f within a period, %.3f ever\n",
	       total->worst[WORLD_FRESH], total->worst[WORLD_PERIOD],
	       total->worst[WORLD_EVER]);

}

static void run(u64 first, u64 ops)
{
	double begin = seconds();
	struct total total = { 0 };
	struct world w;

	while (total.ops < ops) {
		run_world(&w, first + total.worlds);
		add_up(&total, &w);
	}
	print(&total, seconds() - begin);
	lab_ok("%llu random operations", total.ops);
}

/* What a fuzzer has found, seen without a fuzzer. */
static int replay(const char *path)
{
	static u8 data[1 << 20];
	FILE *file = fopen(path, "r");

	if (!file) {
		perror(path);
		return 2;
	}
	LLVMFuzzerTestOneInput(data, fread(data, 1, sizeof(data), file));
	fclose(file);
	lab_ok("%s", path);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "ops", required_argument, NULL, 'o' },
		{ "world", required_argument, NULL, 'w' },
		{ "from", required_argument, NULL, 'f' },
		{ "replay", required_argument, NULL, 'r' },
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
		case 'r':
			return replay(optarg);
		default:
			fprintf(stderr, "usage: random [--ops COUNT] [--from WORLD | --world WORLD | --replay FILE]\n");
			return 2;
		}
	}
	lab_where = where;
	printf("KTAP version 1\n");
	run(first, ops);
	lab_plan();
	return 0;
}
