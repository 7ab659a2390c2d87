// SPDX-License-Identifier: GPL-2.0
/*
 * What a packet costs: picking it and accounting for it, with so many busy
 * siblings at the end of a chain of so many levels.
 *
 * usage: bench			a table
 *	  bench SIBLINGS DEPTH	nanoseconds a packet; under callgrind, with
 *				--toggle-collect=run, its instructions
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../sched/node.h"

#define PACKETS		300000
#define NS_PER_PACKET	1000
#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* With its memory for nodes below it, as a VIF has it. */
struct bench_node {
	struct vsched_node core;
	struct vsched_fair fair;
};

static struct vsched_tree tree;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static struct bench_node *chain(struct bench_node *n, unsigned int depth)
{
	unsigned int i;

	vsched_node_init(&n[0].core, NULL);
	vsched_node_set_fair(&n[0].core, &n[0].fair);
	vsched_tree_init(&tree, &n[0].core);
	for (i = 1; i < depth; i++) {
		vsched_node_init(&n[i].core, &n[i - 1].core);
		vsched_node_set_fair(&n[i].core, &n[i].fair);
	}
	return &n[depth - 1];
}

void run(unsigned int packets);

/* Not inlined: callgrind counts what is below it. */
noinline void run(unsigned int packets)
{
	unsigned int i;

	for (i = 0; i < packets; i++) {
		u64 now_ns = (u64)i * NS_PER_PACKET;
		struct vsched_node *node = vsched_pick(&tree, now_ns);

		vsched_sent(&tree, node, 64 + i * 7 % 1450, true, now_ns);
	}
}

/* Returns nanoseconds a packet. */
static double bench(unsigned int siblings, unsigned int depth)
{
	struct bench_node *above = calloc(depth, sizeof(*above));
	struct vsched_node *node = calloc(siblings, sizeof(*node));
	struct bench_node *parent = chain(above, depth);
	double begin, took;
	unsigned int i;

	for (i = 0; i < siblings; i++) {
		vsched_node_init(&node[i], &parent->core);
		vsched_node_set_share(&tree, &node[i], 1 + i % 1000, 4, 0);
		vsched_node_set_clock(&tree, &node[i], VSCHED_RATE_LIMIT,
				      VSCHED_BURST_LIMIT, 1514, 0);
		vsched_backlog(&tree, &node[i], 1514, 0);
	}
	begin = seconds();
	run(PACKETS);
	took = seconds() - begin;
	free(node);
	free(above);
	return took / PACKETS * 1e9;
}

int main(int argc, char **argv)
{
	static const unsigned int siblings[] = { 1, 10, 1000, 65536 };
	static const unsigned int depth[] = { 1, 8, 32 };
	size_t s, d;

	if (argc == 3) {
		printf("%.1f\n", bench(atoi(argv[1]), atoi(argv[2])));
		return 0;
	}
	printf("ns a packet; depth");
	for (d = 0; d < COUNT(depth); d++)
		printf("%8u", depth[d]);
	for (s = 0; s < COUNT(siblings); s++) {
		printf("\n%8u siblings  ", siblings[s]);
		for (d = 0; d < COUNT(depth); d++)
			printf("%8.0f", bench(siblings[s], depth[d]));
	}
	printf("\n");
	return 0;
}
