// SPDX-License-Identifier: GPL-2.0
/*
 * A clock that ties with its node's share: now one holds the node back and now the other,
 * and what it is behind when the clock holds it must not be lost. Siblings, and trees of
 * up to eight levels; rates of 0.8 to 1.2 of the share, weights to 10000, packets and
 * bursts as devices have them.
 *
 * Tight trees have bursts from one frame to the automatic one, rates of 0.5 to 10 times the
 * share, and new rates, bursts and weights after a while.
 */
#include "ties.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "ideal.h"
#include "steps.h"

#define BEGIN_NS	(1ULL << 52)
#define FRAME		1514
#define FILLED		2

/* Of each tree so many of its longest packets are seen; shares of so many are compared. */
#define PACKETS		15000
#define ENOUGH		1000

/* As a VIF has them: see vif/tree/param.c. */
#define AUTO_FRAMES	4
#define AUTO_S		1e-3
#define WHOLE_MAX	(128 << 10)

/* See vif/queue/shaper.c. */
#define ARREARS_FRAMES	3

/* What is allowed, in percent. */
#define ALLOWED		1.0

/**
 * struct tie - a tree
 * @world: it
 * @ideal: what should be
 * @choice: where it comes from
 * @bytes: length of a node's packets, by struct world_node.id
 * @most: longest of them
 * @frames: burst in longest packets, if that is more than the automatic one
 * @tight: bursts are less
 */
struct tie {
	struct world world;
	struct ideal ideal;
	struct choice choice;
	u32 bytes[WORLD_NODES];
	u32 most;
	unsigned int frames;
	bool tight;
};

static u64 present;

static void where(void)
{
	printf("# tie %llu\n", present);
}

static u32 any_of(struct tie *t, const u32 *list, u32 count)
{
	return list[choice_below(&t->choice, count)];
}

static u32 any_bytes(struct tie *t)
{
	static const u32 bytes[] = { 64, 500, FRAME, 65536 };

	return any_of(t, bytes, 4);
}

static unsigned int any_weight(struct tie *t)
{
	static const u32 most[] = { 10, 100, 1000, VSCHED_WEIGHT_MAX };

	return 1 + choice_below(&t->choice, any_of(t, most, 4));
}

/* Often just the share. */
static double any_ratio(struct tie *t)
{
	if (t->tight && choice_below(&t->choice, 2))
		return 0.5 * pow(20, choice_below(&t->choice, 1001) / 1000.0);
	if (!choice_below(&t->choice, 3))
		return 0.99 + choice_below(&t->choice, 21) / 1000.0;
	return 0.8 + choice_below(&t->choice, 401) / 1000.0;
}

/* One frame, two, or anything up to the automatic one. */
static double tight_burst(struct tie *t, double automatic)
{
	u32 part = choice_below(&t->choice, 4);

	if (part < 2)
		return FRAME << part;
	return FRAME * pow(automatic / FRAME, choice_below(&t->choice, 101) / 100.0);
}

static void set_clock(struct tie *t, struct world_node *n, double rate)
{
	double automatic = fmax(rate * AUTO_S, AUTO_FRAMES * FRAME);
	u64 burst = t->tight && n->parent ? tight_burst(t, automatic) :
					    fmax(automatic, t->frames * t->most);

	t->world.whole = fmax(1, floor(fmin(burst / 3, WHOLE_MAX) / FRAME)) * FRAME;
	if (rate >= VSCHED_RATE_MIN)
		world_set_clock(&t->world, n, rate, burst);
}

static void grow(struct tie *t, struct world_node *at, double rate, unsigned int siblings,
		 unsigned int levels);

static void grow_child(struct tie *t, struct world_node *child, double rate, unsigned int levels)
{
	t->bytes[child->id] = choice_below(&t->choice, 3) ? t->most : any_bytes(t);
	if (t->bytes[child->id] > t->most)
		t->bytes[child->id] = t->most;
	if (choice_below(&t->choice, 2))
		set_clock(t, child, rate * any_ratio(t));
	if (levels && choice_below(&t->choice, 2))
		grow(t, child, rate, 2 + choice_below(&t->choice, 3), levels - 1);
	else
		t->ideal.offers[child->id] = true;
}

/* Below a node that has that rate. */
static void grow(struct tie *t, struct world_node *at, double rate, unsigned int siblings,
		 unsigned int levels)
{
	unsigned int weight[32], sum = 0, i;

	for (i = 0; i < siblings; i++)
		sum += weight[i] = any_weight(t);
	for (i = 0; i < siblings; i++) {
		struct world_node *child = world_add(&t->world, at, 0);

		world_set_share(&t->world, child, false, weight[i], VSCHED_PRIORITY_DEFAULT);
		grow_child(t, child, rate * weight[i] / sum, levels);
	}
}

static u32 packet_bytes(const struct tie *t, const struct world_node *n)
{
	u32 bytes = t->bytes[n->id];

	return vsched_keeps_bursts(&n->core, bytes) ? bytes : FRAME;
}

static void fill(struct tie *t, struct world_node *n)
{
	while (t->ideal.offers[n->id] && n->count < FILLED)
		world_queue(&t->world, n, packet_bytes(t, n));
}

static void run(struct tie *t, double seconds)
{
	struct world *w = &t->world;
	u64 end = w->now_ns + seconds * 1e9;
	struct world_node *n;

	while (w->now_ns < end) {
		n = world_drain(w, false);
		if (n)
			fill(t, n);
		else
			world_advance_to_next(w, end - w->now_ns);
	}
}

/* What clocks have saved up is more than they need, or is given back, for so many bytes. */
static double grain(const struct tie *t)
{
	double bytes = t->most;
	unsigned int i;

	for (i = 0; i < t->world.nodes; i++)
		if (t->world.node[i]->bucket.rate)
			bytes = fmax(bytes, t->world.node[i]->bucket.slack / 2);
	return bytes;
}

/* Percent that the worst is off. */
static double compare(struct tie *t, double rate)
{
	double bytes = grain(t), seconds = PACKETS * bytes / rate, worst = 0, should;
	u64 before[WORLD_NODES];
	unsigned int i;

	run(t, seconds / 10);
	for (i = 0; i < t->world.nodes; i++)
		before[i] = t->world.node[i]->got;
	run(t, seconds);
	for (i = 0; i < t->world.nodes; i++) {
		should = t->ideal.own[i] * seconds;
		if (should >= ENOUGH * bytes)
			worst = fmax(worst, fabs((t->world.node[i]->got - before[i]) / should - 1));
	}
	return 100 * worst;
}

static void begin(struct tie *t, u64 number, bool tight)
{
	*t = (struct tie) { .choice.state = number, .tight = tight };
	world_init(&t->world, BEGIN_NS);
	t->world.blind = true;
	t->world.arrears = ARREARS_FRAMES * FRAME;
}

static void end(struct tie *t)
{
	world_empty(&t->world);
	world_exit(&t->world);
}

static void fill_all(struct tie *t)
{
	unsigned int i;

	ideal_solve(&t->world, &t->ideal);
	for (i = 0; i < t->world.nodes; i++)
		fill(t, t->world.node[i]);
}

static double run_tie(u64 number)
{
	static const u32 frames[] = { 0, 0, 2, 3, 4, 8 };
	static const u32 rates[] = { 125000, 1250000, 12500000, 125000000 };
	static struct tie t;
	double rate, worst;
	bool wide;

	begin(&t, number, false);
	t.most = any_bytes(&t);
	t.frames = any_of(&t, frames, 6);
	/* a millisecond of short packets takes too long to look at */
	rate = any_of(&t, rates, t.most < FRAME ? 2 : 4);
	wide = choice_below(&t.choice, 2);
	set_clock(&t, t.world.node[0], rate);
	grow(&t, t.world.node[0], rate, 2 + choice_below(&t.choice, wide ? 19 : 3),
	     wide ? 0 : choice_below(&t.choice, 8));
	fill_all(&t);
	worst = compare(&t, rate);
	end(&t);
	return worst;
}

/* What a node has in the ideal, with all that is below it. */
static double part_of(const struct tie *t, const struct world_node *n)
{
	double part = t->ideal.own[n->id];
	const struct world_node *child;

	for (child = n->child; child; child = child->sibling)
		part += part_of(t, child);
	return part;
}

static void change_some(struct tie *t)
{
	unsigned int i;

	for (i = 1; i < t->world.nodes; i++) {
		struct world_node *n = t->world.node[i];

		if (!choice_below(&t->choice, 3))
			set_clock(t, n, part_of(t, n) * any_ratio(t));
		if (!choice_below(&t->choice, 4))
			world_set_share(&t->world, n, false, any_weight(t),
					VSCHED_PRIORITY_DEFAULT);
	}
}

static double run_tight(u64 number)
{
	static const u32 rates[] = { 125000, 1250000, 12500000 };
	static const u32 bytes[] = { 500, FRAME, FRAME };
	static struct tie t;
	double rate, worst;

	begin(&t, number, true);
	t.most = any_of(&t, bytes, 3);
	rate = any_of(&t, rates, 3);
	set_clock(&t, t.world.node[0], rate);
	grow(&t, t.world.node[0], rate, 2 + choice_below(&t.choice, 5), choice_below(&t.choice, 4));
	fill_all(&t);
	worst = compare(&t, rate);
	change_some(&t);
	fill_all(&t);
	worst = fmax(worst, compare(&t, rate));
	end(&t);
	return worst;
}

static void run_all(u64 trees, double (*run)(u64 number), const char *what)
{
	double off, worst = 0, sum = 0;

	for (present = 1; present <= trees; present++) {
		off = run(present);
		lab_check(off <= ALLOWED, "%s: %.2f percent off", what, off);
		worst = fmax(worst, off);
		sum += off;
	}
	printf("# on average the worst of a tree is %.3f percent off\n", sum / trees);
	lab_ok("%llu trees with %s: within %.3f percent of the ideal", trees, what, worst);
}

void ties(u64 trees)
{
	lab_where = where;
	run_all(trees, run_tight, "small bursts");
	run_all(trees, run_tie, "clocks about the shares");
}
