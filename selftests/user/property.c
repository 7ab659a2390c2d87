// SPDX-License-Identifier: GPL-2.0
/*
 * Random trees under load, compared with the tree as a fluid; parameters and
 * places of nodes change while packets wait.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "corner.h"
#include "groups.h"
#include "load.h"
#include "ties.h"

#define TREES		50
#define PHASES		3
#define PACKETS_PER_S	4000

static u64 present, trees = TREES;

static void where(void)
{
	if (present)
		printf("# tree %llu\n", present);
}

static u64 any_rate(struct load *l)
{
	u64 rate = (u64)PACKETS_PER_S * l->longest / 100;

	if (choice_below(&l->choice, 5) < 3)
		return VSCHED_RATE_MAX;
	return rate << choice_below(&l->choice, 8);
}

static unsigned int any_weight(struct choice *c)
{
	return 1 + choice_below(c, 10) * choice_below(c, 100);
}

static unsigned int any_priority(struct choice *c)
{
	return choice_below(c, 6) ? VSCHED_PRIORITY_DEFAULT :
				    choice_below(c, VSCHED_PRIORITIES);
}

static void change(struct load *l, struct world_node *n)
{
	struct choice *c = &l->choice;
	u64 rate = any_rate(l);

	world_set_share(&l->world, n, false, any_weight(c), any_priority(c));
	world_set_share(&l->world, n, true, any_weight(c), any_priority(c));
	if (n->parent)
		world_set_clock(&l->world, n, rate, LOAD_BURSTS * l->longest);
	l->ideal.offers[n->id] = !n->child || !choice_below(c, 4);
}

static struct world_node *any_node(struct load *l)
{
	return l->world.node[choice_below(&l->choice, l->world.nodes)];
}

/* Broad, or a chain with something at its sides. */
static void grow(struct load *l, unsigned int nodes, bool deep)
{
	struct world_node *last = l->world.node[0];

	while (l->world.nodes < nodes) {
		struct world_node *parent = any_node(l);

		if (deep && last->depth < WORLD_DEPTH)
			parent = last;
		else if (parent->depth == WORLD_DEPTH)
			parent = l->world.node[0];
		last = world_add(&l->world, parent, 0);
	}
}

static void move_some(struct load *l)
{
	struct world_node *node = any_node(l), *parent = any_node(l);

	if (node->parent && !node->child && parent->depth < WORLD_DEPTH &&
	    !world_is_below(parent, node)) {
		world_move(&l->world, node, parent);
		l->ideal.offers[node->id] = true;
	}
}

static double run_tree(struct load *l, unsigned int nodes, bool deep)
{
	double worst = 0, off;
	unsigned int phase, i;

	grow(l, nodes, deep);
	for (i = 0; i < nodes; i++)
		change(l, l->world.node[i]);
	for (phase = 0; phase < PHASES; phase++) {
		/* what was queued by those that offer no more must go first */
		load_run(l, 0.5);
		off = load_compare(l, 4);
		worst = off > worst ? off : worst;
		change(l, any_node(l));
		change(l, any_node(l));
		move_some(l);
	}
	return worst;
}

/*
 * Minima, together no more than what the parent has for sure: those of its children have a
 * part of its own.
 */
static void promise(struct load *l, struct world_node *n, double sure)
{
	double left = sure * 0.9, minimum;
	struct world_node *child;

	for (child = n->child; child; child = child->sibling) {
		minimum = left * choice_below(&l->choice, 600) / 1000;
		if (child->bucket.rate)
			minimum = fmin(minimum, child->bucket.rate);
		if (minimum < VSCHED_RATE_MIN)
			minimum = 0;
		left -= minimum;
		world_set_minimum(&l->world, child, minimum, 4 * l->longest);
		promise(l, child, minimum);
	}
}

/* One priority, because otherwise the first served is not determined. */
static void change_all(struct load *l)
{
	struct choice *c = &l->choice;
	unsigned int i;

	for (i = 0; i < l->world.nodes; i++) {
		struct world_node *n = l->world.node[i];

		change(l, n);
		world_set_share(&l->world, n, false, any_weight(c),
				VSCHED_PRIORITY_DEFAULT);
		world_set_share(&l->world, n, true, any_weight(c),
				VSCHED_PRIORITY_DEFAULT);
	}
	promise(l, l->world.node[0], l->world.node[0]->bucket.rate);
}

static void test_minima(void)
{
	static struct load l;
	double worst = 0;
	int phase;

	for (present = 1; present <= trees; present++) {
		u32 longest = 64 << present % 11;

		load_init(&l, PACKETS_PER_S * longest, present % 3 ? 64 : longest,
			  longest, present + 1000);
		grow(&l, 2 + choice_below(&l.choice, 40), present % 4 == 0);
		for (phase = 0; phase < PHASES; phase++) {
			change_all(&l);
			load_run(&l, 2);
			worst = fmax(worst, load_compare(&l, 4));
		}
		load_exit(&l);
	}
	present = 0;
	printf("# of those with more than 1000 packets none was further off than %.3f percent\n",
	       worst);
	lab_ok("%llu random trees with minima share as the fluid does", trees);
}

static void test_trees(void)
{
	double worst = 0, off;
	static struct load l;
	u64 nodes, most = 0;

	for (present = 1; present <= trees; present++) {
		u32 longest = 64 << present % 11;

		load_init(&l, PACKETS_PER_S * longest, present % 3 ? 64 : longest, longest,
			  present);
		nodes = present % 10 ? 2 + choice_below(&l.choice, 40) : 300;
		off = run_tree(&l, nodes, present % 4 == 0);
		worst = off > worst ? off : worst;
		most = nodes > most ? nodes : most;
		load_exit(&l);
	}
	present = 0;
	printf("# of those with more than 1000 packets none was further off than %.3f percent\n",
	       worst);
	lab_ok("%llu random trees of up to %llu nodes share as the fluid does",
	       trees, most);
}

/* --trees COUNT: of the random ones, which take longest; --ties COUNT: those of ties.h */
int main(int argc, char **argv)
{
	lab_where = where;
	printf("KTAP version 1\n");
	if (argc == 3 && !strcmp(argv[1], "--ties")) {
		ties(strtoull(argv[2], NULL, 0));
		lab_plan();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--trees"))
		trees = strtoull(argv[2], NULL, 0);
	corner_cases();
	groups_check();
	if (trees) {
		test_trees();
		test_minima();
	}
	lab_plan();
	return 0;
}
