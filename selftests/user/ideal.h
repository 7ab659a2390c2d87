/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The whole tree as a fluid: what each p_queue that never runs empty gets, per
 * second, where every node shares strictly by priority, then by minimum, the
 * rest by weight, and none exceeds its rate.
 */
#ifndef LAB_IDEAL_H
#define LAB_IDEAL_H

#include "world.h"

/**
 * struct ideal - rates in bytes per second, by struct world_node.id
 * @offers: the p_queue never runs empty
 * @own: what it gets
 * @most: what the node could use
 */
struct ideal {
	bool offers[WORLD_NODES];
	double own[WORLD_NODES];
	double most[WORLD_NODES];
};

/* @offers is given; finds the rest. The root has a rate. */
void ideal_solve(const struct world *w, struct ideal *ideal);

#endif
