/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random operations on a world. What is random comes from a sequence of
 * bytes: a fuzzer's input, or a generator's.
 */
#ifndef LAB_STEPS_H
#define LAB_STEPS_H

#include "world.h"

/**
 * struct choice - where decisions come from
 * @data: bytes to use, NULL for the generator's
 * @left: how many there are still
 * @state: of the generator
 */
struct choice {
	const u8 *data;
	size_t left;
	u64 state;
};

/* Evenly, below @limit; 0 when the bytes have come to an end. */
u32 choice_below(struct choice *c, u32 limit);

static inline bool choice_over(const struct choice *c)
{
	return c->data && !c->left;
}

/**
 * struct steps - what is random about a world as a whole
 * @choice: where decisions come from
 * @nodes: how many there may be
 * @rate: clocks are up to 1000 times faster or slower
 * @longest: of packets
 * @bursts: how many of them a burst is, mostly
 * @light: little comes: often nothing waits
 * @minima: nodes may have one
 * @few: so many nodes get nearly all that comes; 0: all do
 * @calm: no parameter changes after the first @calm steps
 */
struct steps {
	struct choice choice;
	u32 nodes;
	u64 rate;
	u32 longest;
	u32 bursts;
	bool light;
	bool minima;
	u32 few;
	u32 calm;
};

/* Make a world's character, and the world. */
void steps_begin(struct steps *s, struct world *w);

/* One operation. */
void steps_go(struct steps *s, struct world *w);

#endif
