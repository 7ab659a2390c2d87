// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer's input as a sequence of random decisions: which tree, parameters,
 * times, operations. All invariants are checked after each operation.
 */
#include "steps.h"

#define MOST_STEPS	2000

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct steps s = { .choice = { .data = data, .left = size } };
	static struct world w;

	if (!size)
		return 0;
	steps_begin(&s, &w);
	w.inside_every = 1;
	while (!choice_over(&s.choice) && w.steps < MOST_STEPS)
		steps_go(&s, &w);
	world_empty(&w);
	world_exit(&w);
	return 0;
}
