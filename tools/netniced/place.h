/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where processes belong, and getting them there.
 *
 * The first rule that matches a process says. Left alone is who is there already, or
 * in a VIF below it that is no other rule's; and who has been attached by hand: to a
 * VIF that only we may use, and no rule attaches to. Users' own divisions do not
 * count: else a rule would bind only those who like it; but who has been attached as
 * the rule says may then divide that. A process that no rule
 * matches keeps what it inherited, and goes back to where it was if it was a rule
 * that attached it.
 */
#ifndef NETNICED_PLACE_H
#define NETNICED_PLACE_H

#include "rules.h"

struct placing {
	struct rules *rules;
	/* While all are looked at: the rules before, the same ones at the start. */
	const struct rules *previous;
	bool adopting;		/* at the start: what is there is taken for ours */
};

/* A process that has begun, become another program or changed its user. */
void place_process(const struct placing *placing, pid_t pid);

/* A process that has been forked, then (CLOCK_MONOTONIC), has what its parent had. */
void place_child(pid_t pid, pid_t parent, unsigned long long time_ns);

/* All there are. */
void place_all(const struct placing *placing);

/* The control group at @path ("/a/b"). */
void place_group(const struct placing *placing, const char *path);

#endif
