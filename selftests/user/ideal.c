// SPDX-License-Identifier: GPL-2.0
#include "ideal.h"

#include <math.h>

static void find_most(struct ideal *ideal, const struct world_node *n)
{
	double most = ideal->offers[n->id] ? INFINITY : 0;
	const struct world_node *child;

	for (child = n->child; child; child = child->sibling) {
		find_most(ideal, child);
		most += ideal->most[child->id];
	}
	ideal->most[n->id] = n->bucket.rate ? fmin(most, n->bucket.rate) : most;
}

/*
 * One that shares in a node: a node below it, or its p_queue. @first is what of @gets it
 * has by its minimum.
 */
struct part {
	const struct world_node *child;
	double weight;
	double minimum;
	double most;
	double first;
	double gets;
};

static unsigned int find_parts(const struct ideal *ideal,
			       const struct world_node *n,
			       unsigned int priority, struct part *part)
{
	const struct world_node *child;
	unsigned int parts = 0;

	if (ideal->offers[n->id] && n->own.priority == priority)
		part[parts++] = (struct part) {
			.weight = n->own.weight, .most = INFINITY,
		};
	for (child = n->child; child; child = child->sibling)
		if (child->up.priority == priority &&
		    ideal->most[child->id] > 0)
			part[parts++] = (struct part) {
				.child = child, .weight = child->up.weight,
				.minimum = child->promise.rate,
				.most = ideal->most[child->id],
			};
	return parts;
}

/* Fill up those that need less than their share, and share again. */
static double fill(struct part *part, unsigned int parts, double rate)
{
	double weight, left = rate;
	unsigned int i, full;

	do {
		weight = 0;
		full = 0;
		for (i = 0; i < parts; i++)
			weight += part[i].gets ? 0 : part[i].weight;
		for (i = 0; i < parts; i++) {
			if (part[i].gets ||
			    part[i].most > left * part[i].weight / weight)
				continue;
			part[i].gets = part[i].most;
			full++;
			left -= part[i].most;
			weight -= part[i].weight;
		}
	} while (full);
	for (i = 0; i < parts; i++)
		if (!part[i].gets)
			part[i].gets = left * part[i].weight / weight;
	return weight > 1e-9 ? 0 : left;
}

/* Some of them divide @rate by one weight or the other; the rest of it. */
static double divide(struct part *part, unsigned int parts, double rate,
		     bool minima)
{
	struct part some[WORLD_NODES + 1];
	unsigned int i, n = 0, at[WORLD_NODES + 1];

	for (i = 0; i < parts; i++) {
		struct part p = part[i];

		p.weight = minima ? p.minimum : p.weight;
		p.most = minima ? fmin(p.most, p.minimum) : p.most - p.first;
		p.gets = 0;
		if (p.most <= 0)
			continue;
		at[n] = i;
		some[n++] = p;
	}
	if (n)
		rate = fill(some, n, rate);
	for (i = 0; i < n; i++) {
		part[at[i]].first = some[i].gets;
		part[at[i]].gets += some[i].gets;
	}
	return rate;
}

static void share_out(struct ideal *ideal, const struct world_node *n,
		      double rate)
{
	struct part part[WORLD_NODES + 1];
	unsigned int i, parts, priority;

	for (priority = 0; priority < VSCHED_PRIORITIES; priority++) {
		parts = find_parts(ideal, n, priority, part);
		rate = divide(part, parts, rate, true);
		rate = divide(part, parts, rate, false);
		for (i = 0; i < parts; i++) {
			if (part[i].child)
				share_out(ideal, part[i].child, part[i].gets);
			else
				ideal->own[n->id] = part[i].gets;
		}
	}
}

void ideal_solve(const struct world *w, struct ideal *ideal)
{
	unsigned int i;

	for (i = 0; i < WORLD_NODES; i++)
		ideal->own[i] = 0;
	find_most(ideal, w->node[0]);
	share_out(ideal, w->node[0], ideal->most[0]);
}
