/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A world under load: p_queues that never run empty, and how far what comes
 * out is from the ideal.
 */
#ifndef LAB_LOAD_H
#define LAB_LOAD_H

#include "ideal.h"
#include "steps.h"

/* A clock's burst, in longest packets, of which half pass whole. */
#define LOAD_BURSTS	8

/**
 * struct load - a world under load
 * @world: the world
 * @ideal: what should be
 * @choice: for lengths of packets
 * @longest: of packets
 * @shortest: ditto
 */
struct load {
	struct world world;
	struct ideal ideal;
	struct choice choice;
	u32 longest;
	u32 shortest;
};

/* A root with a rate. */
void load_init(struct load *l, u64 rate, u32 shortest, u32 longest, u64 seed);
void load_exit(struct load *l);

/* A node below @parent; 0 for no rate. */
struct world_node *load_add(struct load *l, struct world_node *parent,
			    unsigned int weight, unsigned int priority,
			    u64 rate);
void load_offer(struct load *l, struct world_node *node);

/* For so long; every p_queue that is offered is kept filled. */
void load_run(struct load *l, double seconds);

/* One of them has had a packet taken. */
void load_refill(struct load *l, struct world_node *node);

/*
 * Run for so long, and compare. Each level may add to a p_queue's distance
 * from the ideal two longest packets, and the burst of a node that has one.
 * Returns the largest distance in percent of what it should have had, of
 * those that should have had a thousand packets.
 */
double load_compare(struct load *l, double seconds);

#endif
