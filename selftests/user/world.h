/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree of the core under test, with p_queues that hold lengths, in a world
 * with its own time. What the core does is compared at every step with
 * models that know nothing of how it works:
 *
 *	bucket.h	clocks: when a node may send
 *	fluid.h		sharing: what each contender should have had
 *	promise.h	minima: who comes before all that share
 *
 * and with what can be seen by looking at all nodes: who is eligible.
 */
#ifndef LAB_WORLD_H
#define LAB_WORLD_H

#include <linux/minmax.h>

#include "../../sched/node.h"
#include "bucket.h"
#include "fluid.h"
#include "promise.h"

#define WORLD_NODES	1100
#define WORLD_DEPTH	32
#define WORLD_WAIT	64
#define WORLD_ADVANCES	8

/**
 * struct world_node - a node and what is known of it
 * @core: under test
 * @fair: memory for it, NULL as long as it has no nodes below it
 * @floor: memory for its minimum
 * @parent: NULL for the root
 * @child: first of those below
 * @sibling: next one below the same parent
 * @depth: 0 for the root
 * @id: its place in struct world.node
 * @bytes: lengths of the packets that wait, a ring
 * @head: first of them
 * @count: how many
 * @in: packets that have entered here or below
 * @out: that have left
 * @dropped: that were taken out otherwise
 * @bucket: model of its clock
 * @group: models of those that share it, by priority
 * @up: model of its place in the parent
 * @own: model of its p_queue's place in itself
 * @promise: model of its minimum
 * @forgiven_ns: as the core had it last, by priority
 * @ready: it could be drained, as far as its clock and what is below go
 * @unsure: so near the moment that rounding decides
 * @got: bytes that have left
 */
struct world_node {
	struct vsched_node core;
	struct vsched_fair *fair;
	struct vsched_floor floor;
	struct world_node *parent;
	struct world_node *child;
	struct world_node *sibling;
	unsigned int depth;
	unsigned int id;
	u32 bytes[WORLD_WAIT];
	unsigned int head;
	unsigned int count;
	u64 in;
	u64 out;
	u64 dropped;
	struct bucket bucket;
	struct fluid_group group[VSCHED_PRIORITIES];
	struct fluid_share up;
	struct fluid_share own;
	struct promise promise;
	u64 forgiven_ns[VSCHED_PRIORITIES];
	bool ready;
	bool unsure;
	u64 got;
};

/**
 * struct world_advance - what was paid in advance, as by a CPU
 * @node: the node, NULL: none
 * @left: bytes that have not left
 * @untold: bytes that have left, and the core does not know
 */
struct world_advance {
	struct world_node *node;
	u32 left;
	u32 untold;
};

/* The promises of fluid.h. */
enum world_bound { WORLD_FRESH, WORLD_PERIOD, WORLD_EVER, WORLD_BOUNDS };

/**
 * struct world - all of it
 * @tree: under test
 * @node: NULL where there is none; the first is the root
 * @nodes: beyond the last one
 * @now_ns: the present time
 * @longest: of all packets so far, and at least what the core assumes
 * @waiting: packets
 * @behind: more clocks became ready at once than one call looks at
 * @steps: operations so far
 * @worst: largest deviations from the fluid, in longest packets
 * @inside_every: steps between two looks at the core's own data
 * @exact: virtual time is compared with the fluid's lags; not where several
 *	join and leave in one operation
 * @blind: only conservation and clocks are checked: what is seen by looking at
 *	all nodes costs too much time where they are many
 * @most_work: operations on the core's trees for one packet
 * @arrears: bytes that clocks make up for that have waited
 * @whole: bytes of the longest packet that is to keep bursts, 0: half of them
 * @settings: changes of parameters and of the tree so far
 * @advance: those that there are
 * @advances: how many there have been
 * @late: the core is told of their use when they end
 * @by_floor: packets that have been taken by a minimum, at any level
 * @forgiven: times that minima were missed for good
 */
struct world {
	struct vsched_tree tree;
	struct world_node *node[WORLD_NODES];
	unsigned int nodes;
	u64 now_ns;
	u32 longest;
	u64 waiting;
	bool behind;
	u64 steps;
	double worst[WORLD_BOUNDS];
	unsigned int inside_every;
	bool exact;
	bool blind;
	u64 most_work;
	u64 settings;
	u32 whole;
	u32 arrears;
	struct world_advance advance[WORLD_ADVANCES];
	u64 advances;
	bool late;
	u64 by_floor;
	u64 forgiven;
};

void world_init(struct world *w, u64 now_ns);
void world_exit(struct world *w);

struct world_node *world_add(struct world *w, struct world_node *parent,
			     u64 vtime);
void world_remove(struct world *w, struct world_node *node);
void world_move(struct world *w, struct world_node *node,
		struct world_node *parent);
bool world_is_below(const struct world_node *node,
		    const struct world_node *above);

void world_set_clock(struct world *w, struct world_node *node, u64 rate,
		     u64 burst);
void world_set_share(struct world *w, struct world_node *node, bool own,
		     unsigned int weight, unsigned int priority);
/* @rate: 0 for none */
void world_set_minimum(struct world *w, struct world_node *node, u64 rate,
		       u64 burst);
void world_set_open(struct world *w, bool open);

/* A packet comes; returns false if there is no room for it. */
bool world_queue(struct world *w, struct world_node *node, u32 bytes);
/* It goes on at once, or queues. */
bool world_input(struct world *w, struct world_node *node, u32 bytes);
/* If one goes on at once, others are paid for in advance. */
bool world_input_more(struct world *w, struct world_node *node, u32 bytes);
/* A packet that is paid for goes on, if there is such an advance and enough left. */
void world_use(struct world *w, unsigned int which, u32 bytes);
/* An advance ends. */
void world_end_advance(struct world *w, unsigned int which);
/* One packet leaves, if one may: its node; or all its p_queue has are dropped. */
struct world_node *world_drain(struct world *w, bool drop);
/* Time goes on. */
void world_advance(struct world *w, u64 ns);
/* As far as the core asks for, but no more than @most_ns. */
bool world_advance_to_next(struct world *w, u64 most_ns);
/* Everything must come out. */
void world_empty(struct world *w);

#endif
