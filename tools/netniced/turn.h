/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns. Work that tenants can make long, for example by many VIFs, is done some at a time. What is
 * left is done in later turns; in between, other sources of events and signals have theirs.
 */
#ifndef NETNICED_TURN_H
#define NETNICED_TURN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "clock.h"
#include "signals.h"

#define TURN_NS		(SECOND_NS / 20)	/* of one source */

struct turn {
	uint64_t end_ns;
};

static inline struct turn turn_begin(uint64_t ns)
{
	return (struct turn) { clock_ns(CLOCK_MONOTONIC) + ns };
}

/* Nanoseconds of a turn. A test whose clock stands while the daemon works makes turns of one step. */
static inline uint64_t turn_ns(void)
{
	const char *ns = getenv("NETNICED_TURN");

	return ns ? strtoull(ns, NULL, 10) : TURN_NS;
}

/* Is the turn over, or shall the daemon end? Call it after each step: a turn has at least one. */
static inline bool turn_is_over(const struct turn *turn)
{
	return clock_ns(CLOCK_MONOTONIC) >= turn->end_ns || signals_end();
}

#endif
