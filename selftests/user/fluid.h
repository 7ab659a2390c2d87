/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Model of sharing: generalized processor sharing of what a group of
 * contenders really gets. Whenever one of them is served some bytes, the
 * fluid hands out as many, to all its members in proportion to their
 * weights. A contender's lag is what the fluid has given it less what it has
 * had.
 *
 * Members are those that are active, and those that have left ahead of the
 * fluid: for them the fluid has still some of their work to do. One that
 * leaves behind the fluid had no more work than it has had: what the fluid
 * gave it beyond was the others', and is handed out again. A scheduler cannot
 * have known that, so that they may be further behind for a moment. One that a clock
 * holds had more work: what it was behind, up to its longest packet, is taken back from
 * the others when it comes back.
 *
 * A period is the time in which members and weights stay the same. With L,
 * the length of the longest packet, the promises are, for every contender,
 *
 *	|lag| <= L		in a period in which all began anew
 *	|lag| <= 2 L		at every moment, whatever has happened
 *	|change of lag| <= 2 L	between any two moments of any period
 *
 * The first is that of worst-case fair queueing: from the start on, each gets
 * its share of what all get, within one longest packet, hence within two over
 * any interval. The others hold with contenders that come and go, have their
 * parameters changed, or are moved: one may be L behind, and become further
 * behind by what others leave that have not used their share.
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
 * @lag: bytes; while it is no member, what it comes back with
 * @kept_in: struct fluid_group.idle when it was held
 * @active: as opposed to a member that has left ahead
 * @period: the one that @low and @high are of
 * @low: least lag in it
 * @high: greatest
 */
struct fluid_share {
	struct fluid_share *next;
	struct fluid_share *prev;
	struct fluid_group *group;
	double weight;
	unsigned int priority;
	double lag;
	unsigned int kept_in;
	bool active;
	unsigned int period;
	double low;
	double high;
};

/**
 * struct fluid_group - members of one priority
 * @first: of its members
 * @weight: their sum
 * @debt: bytes that the fluid still owes to ones that went for good
 * @period: counts them
 * @idle: counts how often none was active; what members were behind is forgotten then
 * @fresh: none had been served before the present one
 * @served: one has been in the present one
 */
struct fluid_group {
	struct fluid_share *first;
	double weight;
	double debt;
	unsigned int period;
	unsigned int idle;
	bool fresh;
	bool served;
};

void fluid_join(struct fluid_group *g, struct fluid_share *s);
void fluid_serve(struct fluid_share *s, double bytes);
void fluid_leave(struct fluid_share *s);
/* Because of a clock: what it is behind, up to so many bytes, stays. */
void fluid_hold(struct fluid_share *s, double most);
/* What was held has nothing to be served any more. */
void fluid_end_hold(struct fluid_share *s);
/* It goes elsewhere, and is not remembered. */
void fluid_forget(struct fluid_share *s);
/* At this moment, how much is its lag known to have changed in the period? */
double fluid_change(struct fluid_share *s);
void fluid_set_weight(struct fluid_share *s, double weight);

#endif
