/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the VIF of a process or control group, and attach it.
 *
 * The first rule that matches a process decides. A process is left alone if it is already in the
 * rule's VIF, or in a VIF below it that belongs to no other rule. It is also left alone if it was
 * attached by hand to a VIF that only root may use and that no rule uses. VIFs that users have
 * chosen do not count: otherwise a user could escape a rule. But a process that is attached as the
 * rule says may be moved to VIFs below by its user. A process that no rule matches keeps what it
 * has inherited; if a rule has attached it, it goes back to its earlier VIF.
 */
#ifndef NETNICED_PLACE_H
#define NETNICED_PLACE_H

#include "rules.h"

struct placing {
	struct rules *rules;
	/* for place_all(): the earlier rules; at the start, the same rules */
	const struct rules *previous;
	bool adopting;		/* at the start: existing own VIFs are taken for ours */
};

/* Place a process that is new, runs another program, or has another user. */
void place_process(const struct placing *placing, pid_t pid);

/* Record a process that was forked at @time_ns (CLOCK_MONOTONIC): it has what its parent had. */
void place_child(pid_t pid, pid_t parent, unsigned long long time_ns);

/* Place all processes. */
void place_all(const struct placing *placing);

/* Place the control group at @path ("/a/b"). */
void place_group(const struct placing *placing, const char *path);

#endif
