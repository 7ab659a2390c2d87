/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Model of sharing: generalized processor sharing of what a group of
 * contenders really gets. Whenever one of them is served some bytes, the
 * fluid hands out as many, to all its members in proportion to their
 * weights. A contender's lag is what the fluid has given it less what it has
 * had; the promise is, at every moment and for every contender,
 *
 *	-longest packet <= lag <= longest packet
 *
 * Members are those that contend, and those that have left ahead of the
 * fluid: for them the fluid has still some of their work to do. One that
 * leaves behind the fluid had no more work than it has had: what the fluid
 * gave it beyond was the others', and is handed out again.
 *
 * It follows that over any interval in which the members and their weights
 * stay the same, each gets its share within two longest packets, and within
 * one if they all began then.
 */
#ifndef LAB_FLUID_H
#define LAB_FLUID_H

#include <linux/types.h>

/**
 * struct fluid_share - a contender
 * @next: other members of its group
 * @prev: ditto
 * @group: where it is a member, or NULL
 * @weight: its weight
 * @priority: its group
 * @lag: bytes
 * @contends: as opposed to a member that has left ahead
 */
struct fluid_share {
	struct fluid_share *next;
	struct fluid_share *prev;
	struct fluid_group *group;
	double weight;
	unsigned int priority;
	double lag;
	bool contends;
};

/**
 * struct fluid_group - members of one priority
 * @first: of its members
 * @weight: their sum
 * @debt: bytes that the fluid still owes to ones that went for good
 */
struct fluid_group {
	struct fluid_share *first;
	double weight;
	double debt;
};

void fluid_join(struct fluid_group *g, struct fluid_share *s);
void fluid_serve(struct fluid_share *s, double bytes);
void fluid_leave(struct fluid_share *s);
/* It goes elsewhere, and is not remembered. */
void fluid_forget(struct fluid_share *s);
void fluid_set_weight(struct fluid_share *s, double weight);

#endif
