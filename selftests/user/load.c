// SPDX-License-Identifier: GPL-2.0
#include "load.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

#define BEGIN_NS	(1ULL << 52)

/* More nodes than are looked at one by one. */
#define MANY		100

/* Packets that are waiting in a p_queue that never runs empty, at least. */
#define FILLED		2

void load_init(struct load *l, u64 rate, u32 shortest, u32 longest, u64 seed)
{
	*l = (struct load) {
		.longest = longest,
		.shortest = shortest,
		.choice.state = seed,
	};
	world_init(&l->world, BEGIN_NS);
	l->world.inside_every = 1024;
	world_set_clock(&l->world, l->world.node[0], rate, LOAD_BURSTS * longest);
}

void load_exit(struct load *l)
{
	world_empty(&l->world);
	world_exit(&l->world);
}

struct world_node *load_add(struct load *l, struct world_node *parent,
			    unsigned int weight, unsigned int priority,
			    u64 rate)
{
	struct world_node *node = world_add(&l->world, parent, 0);

	world_set_share(&l->world, node, false, weight, priority);
	if (rate)
		world_set_clock(&l->world, node, rate, LOAD_BURSTS * l->longest);
	return node;
}

void load_offer(struct load *l, struct world_node *node)
{
	l->ideal.offers[node->id] = true;
}

static void fill(struct load *l, struct world_node *node)
{
	u32 span = l->longest - l->shortest + 1;

	while (node->count < FILLED)
		world_queue(&l->world, node,
			    l->shortest + choice_below(&l->choice, span));
}

void load_refill(struct load *l, struct world_node *node)
{
	if (l->ideal.offers[node->id])
		fill(l, node);
}

static void fill_all(struct load *l)
{
	unsigned int i;

	for (i = 0; i < l->world.nodes; i++)
		if (l->world.node[i] && l->ideal.offers[i])
			fill(l, l->world.node[i]);
}

void load_run(struct load *l, double seconds)
{
	struct world *w = &l->world;
	u64 end = w->now_ns + seconds * 1e9;
	struct world_node *node;

	fill_all(l);
	while (w->now_ns < end) {
		node = world_drain(w, false);
		if (node)
			load_refill(l, node);
		else
			world_advance_to_next(w, end - w->now_ns);
	}
}

static double allowed(const struct load *l, const struct world_node *n)
{
	double bytes = 0;

	for (; n; n = n->parent)
		bytes += 2 * l->longest + 2 * n->bucket.slack;
	return bytes;
}

double load_compare(struct load *l, double seconds)
{
	u64 before[WORLD_NODES], i;
	double off, should, worst = 0;
	struct world *w = &l->world;
	struct world_node *n, *child;

	for (i = 0; i < w->nodes; i++)
		before[i] = w->node[i] ? w->node[i]->got : 0;
	ideal_solve(w, &l->ideal);
	w->blind = w->nodes > MANY;
	load_run(l, seconds);
	for (i = 0; i < w->nodes; i++) {
		n = w->node[i];
		if (!n)
			continue;
		off = n->got - before[i];
		for (child = n->child; child; child = child->sibling)
			off -= child->got - before[child->id];
		should = l->ideal.own[i] * seconds;
		off -= should;
		lab_check(fabs(off) <= allowed(l, n) + should / 1000,
			  "node %llu: %.0f bytes off the %.0f it should have had, %.0f are allowed",
			  i, off, should, allowed(l, n));
		if (should > 1000.0 * l->longest)
			worst = fmax(worst, fabs(off) / should * 100);
	}
	return worst;
}
