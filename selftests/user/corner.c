// SPDX-License-Identifier: GPL-2.0
#include "corner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "load.h"

#define FRAME	1514
#define RATE	12500000
#define PRIO	VSCHED_PRIORITY_DEFAULT

static struct load load;

static struct world_node *root(void)
{
	return load.world.node[0];
}

static struct world_node *offer(struct world_node *parent, unsigned int weight,
				unsigned int priority, u64 rate)
{
	struct world_node *node = load_add(&load, parent, weight, priority,
					   rate);

	load_offer(&load, node);
	return node;
}

static void begin(void)
{
	load_init(&load, RATE, FRAME, FRAME, 1);
}

/* Compare with the ideal for so long; all in it is from the start on. */
static void end(double seconds, const char *what)
{
	double worst = load_compare(&load, seconds);

	load_exit(&load);
	lab_ok("%s: within %.3f percent of the ideal", what, worst);
}

static void nwc_below_wc_below_nwc(void)
{
	struct world_node *a, *b;

	begin();
	a = load_add(&load, root(), 300, PRIO, RATE / 2);
	offer(root(), 100, PRIO, 0);
	b = load_add(&load, a, 200, PRIO, 0);
	offer(a, 100, PRIO, 0);
	offer(b, 100, PRIO, RATE / 20);
	offer(b, 50, PRIO, 0);
	end(2, "a rate below none below a rate");
}

static void priority_over_weight(void)
{
	begin();
	offer(root(), 1, 0, RATE / 4);
	offer(root(), VSCHED_WEIGHT_MAX, 3, RATE / 4);
	offer(root(), 1, 5, 0);
	offer(root(), VSCHED_WEIGHT_MAX, 7, 0);
	end(1, "priority over weight");
}

static void weights_1_to_10000(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 999; i++)
		offer(root(), i % 3 ? 1 : 100, PRIO, 0);
	offer(root(), VSCHED_WEIGHT_MAX, PRIO, 0);
	end(20, "weights of 1 and 10000, 1000 siblings");
}

static void deep_chain(void)
{
	struct world_node *n = NULL;
	unsigned int i;

	begin();
	for (i = 0; i < WORLD_DEPTH; i++) {
		n = load_add(&load, n ?: root(), 1, PRIO, i % 2 ? RATE : 0);
		offer(n, 1, PRIO, 0);
	}
	end(1, "32 levels, half of what comes at each is its own");
}

/* 1500 bytes are lent to it for nothing if its clock runs by its own. */
static void rate_equals_share(void)
{
	struct world_node *a;

	begin();
	a = offer(root(), 100, PRIO, 0);
	world_set_clock(&load.world, a, RATE / 2, 2 * FRAME);
	offer(root(), 100, PRIO, 0);
	end(2, "a rate that is just the share, with the least burst");
}

/*
 * A clock that is just a bit above the share, with the least burst: what it is behind
 * when it is not ready, if only for a nanosecond, is not lost.
 */
static void clock_ties_with_share(void)
{
	struct world_node *a, *b;
	u64 rate = 1250000;

	begin();
	world_set_clock(&load.world, root(), rate, 2 * FRAME);
	a = offer(root(), 900, PRIO, 0);
	world_set_clock(&load.world, a, rate / 1000 * 945, 2 * FRAME);
	b = load_add(&load, root(), 100, PRIO, 0);
	offer(b, 100, PRIO, 0);
	end(20, "a rate of 1.05 times the share, with the least burst");
	begin();
	world_set_clock(&load.world, root(), rate, 2 * FRAME);
	a = load_add(&load, root(), 900, PRIO, 0);
	b = offer(a, 100, PRIO, 0);
	world_set_clock(&load.world, b, rate / 1000 * 945, 2 * FRAME);
	offer(root(), 100, PRIO, 0);
	end(20, "the same, where the clock is one level below");
}

/*
 * One of great weight, whose clock has a small burst, and one that its clock mostly holds: the
 * third has its share, however small that is. It got nothing at all.
 */
static void small_bursts(void)
{
	static const struct {
		u64 rate, burst, other;
		unsigned int weight[3];
	} cases[] = {
		{ 1250000, 2 * FRAME, 62500, { 1000, 10, 100 } },
		{ 1250000, 1250, 62500, { 1000, 10, 100 } },
		{ 12500000, FRAME, 62500, { 1000, 10, 100 } },
		{ 1500000, 2000, 62500, { 1000, 10, 100 } },
		{ 1250000, 1250, 250000, { 100, 1, 100 } },
		{ 1225000, 1250, 12500, { 1000, 10, 100 } },
	};
	const double seconds = 60;
	struct world_node *n[3];
	double should, off;
	unsigned int i, k;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		load_init(&load, 1250000, FRAME, FRAME, 1);
		load.world.blind = true;
		load.world.arrears = 3 * FRAME;
		for (k = 0; k < 3; k++)
			n[k] = offer(root(), cases[i].weight[k], PRIO, 0);
		world_set_clock(&load.world, n[0], cases[i].rate, cases[i].burst);
		world_set_clock(&load.world, n[2], cases[i].other, 4 * FRAME);
		load_run(&load, seconds);
		ideal_solve(&load.world, &load.ideal);
		should = load.ideal.own[n[1]->id] * seconds;
		off = fabs(n[1]->got - should);
		lab_check(off <= 0.01 * should + FRAME, "case %u: %.0f bytes off %.0f", i, off,
			  should);
		load_exit(&load);
	}
	lab_ok("beside small bursts a small weight has its share");
}

static void slow_parent(void)
{
	struct world_node *a;

	begin();
	a = load_add(&load, root(), 100, PRIO, RATE / 100);
	offer(a, 100, PRIO, RATE / 2);
	offer(a, 200, PRIO, RATE);
	offer(root(), 100, PRIO, 0);
	end(10, "a parent slower than each of those below");
}

/* All clocks become ready at the same moment, again and again. */
static void ready_in_bunches(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 1000; i++)
		offer(root(), 100, PRIO, RATE / 1000);
	end(3, "1000 clocks that become ready at once");
}

/* More clocks than one call looks at become ready between two calls. */
static void more_than_one_call_looks_at(void)
{
	struct world *w = &load.world;
	struct world_node *node[300];
	unsigned int i, calls = 0, left = 0;

	begin();
	world_set_clock(w, root(), VSCHED_RATE_MAX, 0);
	for (i = 0; i < 300; i++) {
		node[i] = load_add(&load, root(), 100, PRIO, VSCHED_RATE_MIN);
		while (!node[i]->core.waiting) {
			world_queue(w, node[i], FRAME);
			if (!node[i]->core.waiting)
				world_drain(w, false);
		}
	}
	world_advance(w, 100 * 1000000000ULL);
	while (vsched_next_ns(&w->tree) <= w->now_ns && calls++ < 1000)
		left += world_drain(w, false) != NULL;
	lab_check(left >= 300, "%u of 300 packets leave", left);
	load_exit(&load);
	lab_ok("300 clocks that are ready at once let out what waits");
}

/* A node that ends while a reader still knows it. */
static void exited_node(void)
{
	struct world *w = &load.world;
	struct world_node *a, *b;

	begin();
	a = load_add(&load, root(), 100, PRIO, 0);
	b = load_add(&load, root(), 100, PRIO, RATE / 8);
	/* the sibling is ahead, and is remembered */
	world_queue(w, a, FRAME);
	world_queue(w, b, FRAME);
	world_queue(w, b, FRAME);
	while (!a->out || !b->out)
		world_drain(w, false);
	vsched_node_exit(&a->core);
	lab_check(vsched_pass(&w->tree, &a->core, FRAME, w->now_ns) ==
		  !b->core.up.active, "an ended node cannot be passed");
	lab_check(!a->core.up.delayed && !a->core.up.active,
		  "an ended node is remembered");
	vsched_node_exit(&root()->core);
	load_exit(&load);
	lab_ok("a node that has ended can be passed, and is forgotten");
}

static double lag_of(const struct vsched_fair *fair, const struct vsched_share *share)
{
	const struct vsched_class *class = &fair->class[share->priority];

	return (s64)(class->vtime - share->start) * (double)share->weight / (1U << 31);
}

static bool has_lag(const struct vsched_fair *fair, const struct vsched_share *share, double lag)
{
	return fabs(lag_of(fair, share) - lag) < 0.01;
}

/* Three of one weight, the first of which has had a packet. */
static void serve_first(struct vsched_fair *fair, struct vsched_share *share)
{
	unsigned int i;

	*fair = (struct vsched_fair) { .busy = 0 };
	for (i = 0; i < 3; i++) {
		vsched_share_init(&share[i]);
		vsched_share_expect(&share[i], i == 2 ? 100 : 900);
		vsched_fair_join(fair, &share[i], 0);
	}
	vsched_fair_serve(fair, &share[0], 900, VSCHED_READY);
	lab_check(has_lag(fair, &share[0], -600) && has_lag(fair, &share[1], 300) &&
		  has_lag(fair, &share[2], 300), "a packet of 900 bytes is not shared out");
}

/* What one is behind when a clock begins to hold it. */
static void held_come_back(void)
{
	struct vsched_fair fair;
	struct vsched_share share[3];

	serve_first(&fair, share);
	vsched_fair_leave(&fair, &share[1], true);
	lab_check(has_lag(&fair, &share[0], -450) && has_lag(&fair, &share[2], 450),
		  "what one that leaves is behind is not the others'");
	vsched_fair_join(&fair, &share[1], 0);
	lab_check(has_lag(&fair, &share[0], -600) && has_lag(&fair, &share[1], 300) &&
		  has_lag(&fair, &share[2], 300), "who was held does not get back its own");
	vsched_fair_leave(&fair, &share[2], true);
	vsched_fair_join(&fair, &share[2], 0);
	lab_check(has_lag(&fair, &share[2], 100), "who was held has more than its longest packet");

	serve_first(&fair, share);
	vsched_fair_leave(&fair, &share[1], false);
	vsched_fair_join(&fair, &share[1], 0);
	lab_check(has_lag(&fair, &share[1], 0), "who had nothing is owed something");

	serve_first(&fair, share);
	vsched_fair_leave(&fair, &share[1], true);
	vsched_fair_forget(&fair, &share[1]);
	vsched_fair_join(&fair, &share[1], 0);
	lab_check(has_lag(&fair, &share[1], 0), "who was forgotten is owed something");

	serve_first(&fair, share);
	vsched_fair_leave(&fair, &share[1], true);
	vsched_fair_leave(&fair, &share[2], true);
	vsched_fair_leave(&fair, &share[0], false);
	vsched_fair_join(&fair, &share[1], 0);
	vsched_fair_join(&fair, &share[2], 0);
	lab_check(has_lag(&fair, &share[1], 0) && has_lag(&fair, &share[2], 0),
		  "what was before an idle time is remembered");
	lab_ok("who is held by a clock comes back with what it was behind");
}

/* A clock that goes wrong for a node that is active. */
static void overdraft_holds(void)
{
	struct world *w = &load.world;
	struct world_node *a, *b, *first;

	begin();
	w->blind = true;
	a = load_add(&load, root(), 100, PRIO, RATE);
	b = load_add(&load, root(), 100, PRIO, RATE);
	world_queue(w, a, FRAME);
	world_queue(w, b, FRAME);
	world_queue(w, a, FRAME);
	world_queue(w, b, FRAME);
	first = world_drain(w, false) == a ? b : a;
	vsched_overdraw(&w->tree, &first->core, RATE, w->now_ns);
	lab_check(first->core.state == VSCHED_HELD && first->core.up.kept_lag > 0,
		  "an overdraft takes what one is behind");
	load_exit(&load);
	lab_ok("an overdraft leaves what one is behind");
}

static void nobody_active(void)
{
	struct vsched_fair fair = { .busy = 0 };

	lab_check(!vsched_fair_pick(&fair, 0) && vsched_fair_empty(&fair),
		  "a node is picked from an empty set");
	lab_ok("none is picked from an empty set");
}

/*
 * One always has a packet, the other a new one as soon as the last has gone:
 * it leaves and comes back each time.
 */
static void leaves_and_rejoins(void)
{
	struct world_node *a, *b, *node;
	struct world *w = &load.world;
	double share;

	begin();
	a = offer(root(), 100, PRIO, 0);
	b = load_add(&load, root(), 100, PRIO, 0);
	world_queue(w, a, FRAME);
	world_queue(w, b, FRAME);
	while (a->out + b->out < 20000) {
		node = world_drain(w, false);
		if (node && !node->count)
			world_queue(w, node, FRAME);
		else if (!node)
			world_advance_to_next(w, ~0ULL);
	}
	share = (double)b->out / (a->out + b->out);
	lab_check(fabs(share - 0.5) < 0.001,
		  "one that leaves and comes back has %.4f", share);
	load_exit(&load);
	lab_ok("one that leaves and comes back with each packet has its share");
}

/*
 * Packets come one by one, pass or queue, and contenders come and go: virtual
 * time is where the fluid is, after each of them.
 */
static void virtual_time_is_exact(void)
{
	struct world *w = &load.world;
	struct choice c = { .state = 3 };
	unsigned int i;

	begin();
	w->exact = true;
	for (i = 0; i < 12; i++)
		load_add(&load, w->node[choice_below(&c, w->nodes)],
			 1 + choice_below(&c, 300), PRIO,
			 i % 2 ? 0 : RATE / 64);
	for (i = 0; i < 60000; i++) {
		if (choice_below(&c, 3))
			world_input(w, w->node[choice_below(&c, w->nodes)],
				    64 + choice_below(&c, FRAME - 63));
		if (choice_below(&c, 2))
			world_advance_to_next(w, 200000);
		world_drain(w, false);
	}
	load_exit(&load);
	lab_ok("virtual time is where the fluid is");
}

/* The order in which packets leave, as a number. */
static u64 order_with(u64 vtime)
{
	struct world *w = &load.world;
	struct choice c = { .state = 5 };
	u64 order = 0, i;

	world_init(w, 1ULL << 52);
	for (i = 1; i < 20; i++) {
		world_add(w, w->node[choice_below(&c, i)], vtime);
		world_set_share(w, w->node[i], false,
				1 + choice_below(&c, 1000), PRIO);
	}
	for (i = 0; i < 20000; i++) {
		struct world_node *node = w->node[choice_below(&c, 20)];

		if (choice_below(&c, 10) < 6)
			world_input(w, node, 64 + choice_below(&c, 65000));
		else if ((node = world_drain(w, false)))
			order = order * 31 + node->id;
	}
	world_empty(w);
	world_exit(w);
	return order;
}

static void virtual_time_goes_round(void)
{
	u64 order = order_with(0);
	unsigned int i;

	for (i = 1; i < 64; i++)
		lab_check(order_with(((u64)i << 58) - (1ULL << i)) == order,
			  "the order changes when virtual time goes round");
	lab_ok("the order of packets does not change when virtual time goes round");
}

/* The weight takes effect at once, whichever way it is changed. */
static void weight_changes(void)
{
	struct world_node *a;
	unsigned int i, round;

	begin();
	a = offer(root(), 1, PRIO, 0);
	for (i = 0; i < 20; i++)
		offer(root(), 100, PRIO, 0);
	for (round = 0; round < 20; round++) {
		world_set_share(&load.world, a, false,
				round % 2 ? 1 : VSCHED_WEIGHT_MAX, PRIO);
		load_compare(&load, 0.1);
	}
	load_exit(&load);
	lab_ok("a weight that goes from 1 to 10000 and back holds at once");
}

/* Who has its weight set after each packet gains nothing by it. */
static void weight_is_set_again(void)
{
	struct world *w = &load.world;
	struct world_node *a, *node;
	unsigned int i, n = 0;
	double share;

	begin();
	a = offer(root(), 100, PRIO, 0);
	for (i = 0; i < 20; i++)
		offer(root(), 100, PRIO, 0);
	load_run(&load, 0.01);
	a->got = root()->got = 0;
	while (root()->got < 40000 * FRAME) {
		node = world_drain(w, false);
		if (node)
			world_queue(w, node, FRAME);
		else
			world_advance_to_next(w, ~0ULL);
		if (node == a)
			world_set_share(w, a, false, 100 + ++n % 2, PRIO);
	}
	share = (double)a->got / root()->got * 21;
	lab_check(fabs(share - 1) < 0.01,
		  "one whose weight is set again and again has %.3f of its share",
		  share);
	load_exit(&load);
	lab_ok("setting a weight again and again gains nothing");
}

/* Packets that are told of: those of many light contenders do not hold up a heavy one. */
static void packets_become_longer(void)
{
	struct world *w = &load.world;
	struct world_node *heavy;
	unsigned int i, n = 500;

	load_init(&load, RATE * 100, 65536, 65536, 1);
	heavy = offer(root(), n, PRIO, 0);
	for (i = 0; i < n; i++)
		world_queue(w, offer(root(), 1, PRIO, 0), 64);
	load_run(&load, 0.2);
	lab_check(w->worst[WORLD_FRESH] <= 1.001,
		  "%.3f packets off when they become longer",
		  w->worst[WORLD_FRESH]);
	lab_check(heavy->out > 500, "the heavy one had %llu", heavy->out);
	load_exit(&load);
	lab_ok("500 light contenders do not hold up a heavy one when packets become longer");
}

/*
 * Who sends a short packet now and then waits for the one that is on its way, not for one of
 * each of its 19 siblings: for half the time that it takes on average.
 */
static void small_packets_wait(u32 others, double most_us)
{
	struct world *w = &load.world;
	struct world_node *small, *node;
	unsigned int i, n = 2000;
	u64 came_ns, waited_ns = 0;

	load_init(&load, 125000000, others, others, 1);
	small = load_add(&load, root(), 100, PRIO, 0);
	for (i = 0; i < 19; i++)
		offer(root(), 100, PRIO, 0);
	load_run(&load, 1);
	for (i = 0; i < n; i++) {
		load_run(&load, choice_below(&load.choice, 2000000) / 1e9);
		came_ns = w->now_ns;
		world_queue(w, small, 64);
		while (small->count) {
			node = world_drain(w, false);
			if (node)
				load_refill(&load, node);
			else
				world_advance_to_next(w, ~0ULL);
		}
		waited_ns += w->now_ns - came_ns;
	}
	lab_check(waited_ns <= n * most_us * 1000, "%.1f us on average",
		  waited_ns / 1000.0 / n);
	lab_check(w->worst[WORLD_FRESH] <= 1.001, "%.3f packets off", w->worst[WORLD_FRESH]);
	load_exit(&load);
	lab_ok("a packet of 64 bytes beside 19 who send %u each waits %.1f us at 1 Gbit/s",
	       others, waited_ns / 1000.0 / n);
}

static void open_lets_out(void)
{
	struct world *w = &load.world;
	struct world_node *a;
	unsigned int i;

	begin();
	a = load_add(&load, root(), 100, PRIO, VSCHED_RATE_MIN);
	for (i = 0; i < 50; i++)
		world_queue(w, a, FRAME);
	while (world_drain(w, false))
		;
	lab_check(w->waiting, "a clock holds nothing back");
	world_set_open(w, true);
	lab_check(vsched_next_ns(&w->tree) == 0, "an open tree takes its time");
	lab_check(!vsched_pass(&w->tree, &root()->core, 64, w->now_ns),
		  "what waits in an open tree is overtaken");
	load_exit(&load);
	lab_ok("an open tree lets everything out, in order");
}

/* A clock with a small burst has a say in its own wake-ups, and no longer than that. */
static void late_of_those_due(struct world_node *a, struct world_node *b)
{
	struct world *w = &load.world;
	u64 due_ns;

	world_set_clock(w, b, RATE / 2, 16);
	due_ns = b->core.clock.paid_ns - vsched_next_ns(&w->tree);
	lab_check(b->core.waiting, "a small burst does not wait");
	lab_check(vsched_late_ns(&w->tree, 1000000000) <= due_ns + b->core.clock.slack_ns / 2,
		  "one comes too late for a small burst");
	while (b->count) {
		world_advance_to_next(w, ~0ULL);
		world_drain(w, false);
		if (!a->count)
			world_queue(w, a, FRAME);
	}
	while (!a->core.waiting)
		world_input(w, a, FRAME);
	lab_check(vsched_late_ns(&w->tree, 1000000000) == root()->core.clock.slack_ns / 2,
		  "a small burst that waits no longer has a say");
}

/* Packets in some nodes, until the clock above all of them holds them back. */
static void queue_some(struct world_node *const *node, unsigned int round)
{
	struct world *w = &load.world;
	unsigned int i;

	do {
		for (i = 0; i < 4; i++)
			if (i < 2 || round % (i + 1) == 0)
				while (node[i]->count < 2)
					world_queue(w, node[i], i == 2 ? FRAME / 16 : FRAME);
		world_drain(w, false);
	} while (!root()->core.waiting);
}

/* Of those that wait for the clock above them, the one that is said to be next leaves first. */
static void next_is_next(void)
{
	struct world *w = &load.world;
	unsigned int round, i, next, count, alone = 0;
	struct world_node *node[4];
	bool sure;

	begin();
	world_set_clock(w, root(), RATE, 2 * FRAME);
	for (i = 0; i < 3; i++)
		node[i] = load_add(&load, root(), 100 * (i + 1), PRIO, 0);
	node[3] = load_add(&load, node[1], 100, PRIO, 0);
	lab_check(vsched_is_next(&w->tree, &node[0]->core), "nothing waits, and one is not next");
	for (round = 0; round < 120; round++) {
		world_set_share(w, node[2], false, 300, round < 60 ? PRIO : PRIO + 1);
		if (round == 100)
			world_set_minimum(w, node[0], RATE / 4, 2 * FRAME);
		queue_some(node, round);
		for (i = 0, next = 4, count = 0; i < 4; i++)
			if (vsched_is_next(&w->tree, &node[i]->core)) {
				next = i;
				count++;
			}
		lab_check(count, "none is next");
		sure = count == 1;
		alone += sure;
		count = node[next]->count;
		world_advance_to_next(w, ~0ULL);
		world_drain(w, false);
		lab_check(!sure || node[next]->count < count,
			  "another one leaves than the one that is next");
	}
	lab_check(alone >= 60, "only %u times of 120 one alone is next", alone);
	load_exit(&load);
	lab_ok("the one that is said to be next leaves first");
}

/* However many clocks wait, few are asked: the call is no later than when the fifth is ready. */
static void late_of_many(void)
{
	struct world *w = &load.world;
	struct world_node *node[6];
	u64 ready_ns[6], last_ns;
	unsigned int i, k;

	begin();
	world_set_clock(w, root(), RATE, 100 * FRAME);
	world_advance(w, 1000000000);
	for (i = 0; i < 6; i++) {
		node[i] = load_add(&load, root(), 100, PRIO, RATE / 8);
		while (!node[i]->core.waiting)
			world_input(w, node[i], FRAME / 4);
		last_ns = node[i]->core.clock.paid_ns;
		for (k = i; k && ready_ns[k - 1] > last_ns; k--)
			ready_ns[k] = ready_ns[k - 1];
		ready_ns[k] = last_ns;
	}
	lab_check(vsched_late_ns(&w->tree, 1000000000) == ready_ns[4] - ready_ns[0],
		  "one comes later than when the fifth clock is ready");
	load_exit(&load);
}

/* A request for more at once comes no later than half of what any clock has saved up. */
static void late_for_more(void)
{
	struct world *w = &load.world;
	struct world_node *a, *b;
	u64 frame_ns, late_ns;

	begin();
	world_set_clock(w, root(), RATE, 100 * FRAME);
	world_advance(w, 1000000000);
	lab_check(!vsched_late_ns(&w->tree, 1000000000), "one comes late where nothing waits");
	a = load_add(&load, root(), 100, PRIO, RATE / 2);
	while (!a->core.waiting)
		world_input(w, a, FRAME / 4);
	/* of a short packet, although the device's frames are longer: so that it is less than half */
	frame_ns = FRAME / 4 * 2000000000ULL / RATE;
	lab_check(vsched_late_ns(&w->tree, frame_ns + 10) == frame_ns + 10,
		  "one does not come late for another packet");
	lab_check(!vsched_late_ns(&w->tree, frame_ns - 10), "one comes late for less than a packet");
	late_ns = vsched_late_ns(&w->tree, 1000000000);
	lab_check(late_ns && late_ns <= a->core.clock.slack_ns / 2,
		  "one comes too late for a clock");
	b = load_add(&load, root(), 100, PRIO, 0);
	world_set_clock(w, b, RATE / 2, 2 * FRAME);
	while (!b->core.waiting)
		world_input(w, b, FRAME / 4);
	lab_check(a->core.waiting && b->core.waiting && !root()->core.waiting,
		  "two clocks do not wait");
	lab_check(vsched_late_ns(&w->tree, frame_ns - 10) == frame_ns - 10,
		  "one does not come late for another one");
	world_set_clock(w, a, RATE / 2, 100 * FRAME);
	late_ns = b->core.clock.paid_ns - vsched_next_ns(&w->tree) + b->core.clock.slack_ns / 2;
	lab_check(vsched_late_ns(&w->tree, 1000000000) <= late_ns,
		  "one comes too late for another clock");
	late_of_those_due(a, b);
	load_exit(&load);
	late_of_many();
	lab_ok("who finds more later comes later, but not too late");
}

/* An empty tree lets a packet pass, and takes it from all clocks. */
static void pass_of_an_idle_tree(void)
{
	struct world *w = &load.world;
	struct world_node *a, *b;
	unsigned int passed = 0;

	begin();
	a = load_add(&load, root(), 100, PRIO, RATE / 2);
	b = load_add(&load, a, 100, PRIO, RATE / 4);
	while (vsched_pass(&w->tree, &b->core, FRAME, w->now_ns))
		passed++;
	lab_check(passed == LOAD_BURSTS / 2 + 1,
		  "%u packets pass a burst of %u", passed, LOAD_BURSTS);
	lab_check(!vsched_clock_ready(&b->core.clock, w->now_ns) &&
		  b->core.clock.paid_ns > a->core.clock.paid_ns &&
		  a->core.clock.paid_ns > root()->core.clock.paid_ns,
		  "not all clocks are charged");
	load_exit(&load);
	lab_ok("packets pass an idle tree, as many as its clocks allow");
}

static void path(void)
{
	struct vsched_path path;
	struct world_node *a, *b;

	begin();
	a = load_add(&load, root(), 100, PRIO, 0);
	b = load_add(&load, a, 100, PRIO, RATE / 4);
	world_set_clock(&load.world, b, RATE / 4, 3000);
	vsched_path_get(&b->core, &path);
	lab_check(path.rate == RATE / 4 && path.longest == 1500,
		  "a path's rate is %llu, its longest packet %u", path.rate,
		  path.longest);
	vsched_path_get(&a->core, &path);
	lab_check(path.rate == RATE &&
		  path.longest == LOAD_BURSTS / 2 * FRAME,
		  "a path's rate is %llu, its longest packet %u", path.rate,
		  path.longest);
	lab_check(vsched_keeps_bursts(&b->core, 1500) &&
		  !vsched_keeps_bursts(&b->core, 1501),
		  "a packet keeps a burst that it is longer than");
	world_set_clock(&load.world, a, RATE, 2000);
	lab_check(vsched_keeps_bursts(&b->core, 1000) &&
		  !vsched_keeps_bursts(&b->core, 1001),
		  "a packet keeps a burst above that it is longer than");
	world_set_clock(&load.world, a, VSCHED_RATE_MAX, 0);
	lab_check(vsched_keeps_bursts(&b->core, 1500),
		  "what has no clock has a burst");
	lab_check(!vsched_is_clockless(&a->core), "the root's clock is not seen");
	world_set_clock(&load.world, root(), VSCHED_RATE_MAX, 0);
	lab_check(vsched_is_clockless(&a->core) && !vsched_is_clockless(&b->core),
		  "a clock is seen where none is, or not where one is");
	vsched_path_get(&a->core, &path);
	lab_check(path.rate == VSCHED_RATE_MAX && path.longest == ~0U,
		  "a path without clocks has a limit");
	load_exit(&load);
	lab_ok("a path's least rate, its longest packet, and whether it has a clock");
}

/* No drift: what a clock lets out in the long run is its rate. */
static void clocks_are_exact(void)
{
	static const u64 rates[] = {
		VSCHED_RATE_MIN, 1001, 31250, 1234567, 12500000, 999999937, 12500000000,
		VSCHED_RATE_LIMIT - 1, VSCHED_RATE_LIMIT,
	};
	struct vsched_clock clock;
	unsigned int i, n;

	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		u64 now = 1ULL << 52, first, bytes = 0;
		double took, off;

		vsched_clock_init(&clock);
		vsched_clock_set(&clock, rates[i], 2 * FRAME, FRAME, now);
		first = clock.paid_ns;
		for (n = 0; n < 1000000; n++) {
			now = max(now, clock.paid_ns);
			vsched_clock_charge(&clock, FRAME - n % 7, now);
			bytes += FRAME - n % 7;
		}
		took = bytes * 1e9 / rates[i];
		off = clock.paid_ns - first - took;
		lab_check(off >= -1 && off < 1 + took * 1.2e-8,
			  "a clock of %llu bytes/s is %g ns slow", rates[i],
			  off);
	}
	lab_ok("clocks from 8 kbit/s to 400 Gbit/s are exact to 1.2 * 10^-8, and never fast");
}

/* What was saved stays, in bytes, when the rate changes; so does debt. */
static void clock_changes(void)
{
	struct vsched_clock clock;
	u64 now = 1ULL << 52;

	vsched_clock_init(&clock);
	vsched_clock_set(&clock, 1000000, 20000, 10000, now);
	lab_check(clock.paid_ns == now - 10000000, "a new clock is not rested");
	vsched_clock_charge(&clock, 4000, now);
	vsched_clock_set(&clock, 2000, 20000, 10000, now);
	lab_check(clock.paid_ns == now - 3000000000ULL,
		  "what was saved changes with the rate");
	vsched_clock_set(&clock, 2000, 4000, 2000, now);
	lab_check(clock.paid_ns == now - 1000000000ULL,
		  "more is saved than a burst");
	vsched_clock_set(&clock, 2000, 20000, 10000, now);
	lab_check(clock.paid_ns == now - 1000000000ULL,
		  "a longer burst is saved up already");
	vsched_clock_charge(&clock, 3000, now);
	vsched_clock_set(&clock, 1000000, 20000, 10000, now);
	lab_check(clock.paid_ns >= now + 1000000 &&
		  clock.paid_ns <= now + 1002000, "debt changes with the rate");
	vsched_clock_set(&clock, VSCHED_RATE_MAX, 0, 0, now);
	lab_check(vsched_clock_ready(&clock, 0), "no clock is not ready");
	lab_ok("what is saved and what is owed stay when the rate changes");
}

/* A machine that has just been started. */
static void time_begins(void)
{
	struct vsched_clock clock;

	vsched_clock_init(&clock);
	vsched_clock_set(&clock, VSCHED_RATE_MIN, 10000, 5000, 5);
	lab_check(clock.paid_ns == 0, "a clock is rested since before 0");
	vsched_clock_charge(&clock, 1000, 5);
	lab_check(clock.paid_ns >= 1000000000 && clock.paid_ns <= 1000000010,
		  "the first packet takes until %llu", clock.paid_ns);
	lab_ok("clocks run from the time 0 on");
}

static void check_returned(u64 rate, u32 bytes)
{
	struct vsched_clock clock, before;
	u64 now = 1ULL << 52;

	vsched_clock_init(&clock);
	vsched_clock_set(&clock, rate, 1 << 20, 1 << 19, now);
	vsched_clock_charge(&clock, FRAME, now);
	before = clock;
	vsched_clock_advance(&clock, bytes, now);
	lab_check(clock.paid_ns - before.paid_ns >= bytes * 1000000000ULL / rate &&
		  clock.advance == bytes,
		  "an advance of %u bytes is not paid", bytes);
	vsched_clock_return(&clock, bytes);
	lab_check(clock.paid_ns == before.paid_ns && clock.frac == before.frac &&
		  !clock.advance, "of %u bytes at %llu not all are returned",
		  bytes, rate);
}

static void advance_is_returned(void)
{
	static const u64 rates[] = { VSCHED_RATE_MIN, 31250, 1234567, 999999937,
				     VSCHED_RATE_LIMIT };
	unsigned int i;
	u32 bytes;

	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		for (bytes = 1; bytes < 100000; bytes += bytes / 8 + 1)
			check_returned(rates[i], bytes);
	lab_ok("an advance that is returned leaves no trace");
}

/* How much leaves at once, after long, of advances and of what is saved up. */
static u64 burst_after_advances(struct world *w, struct world_node *node)
{
	u64 sent = 0;
	unsigned int i;

	for (i = 0; i < WORLD_ADVANCES; i++)
		world_input_more(w, node, 64);
	lab_check(w->advances > 3, "%llu advances, no more", w->advances);
	world_advance(w, 1000000000);
	for (i = 0; i < WORLD_ADVANCES; i++)
		while (w->advance[i].node && w->advance[i].left >= 64) {
			world_use(w, i, 64);
			sent += 64;
		}
	while (vsched_clock_ready(&node->core.clock, w->now_ns)) {
		world_input(w, node, 64);
		sent += 64;
	}
	return sent;
}

/* What is paid in advance is not saved up anew: leave() of the world looks, too. */
static void advances_keep_the_burst(bool late)
{
	struct world *w = &load.world;
	u64 sent, burst = 100 * FRAME, slack = burst / 2;

	begin();
	w->late = w->blind = late;
	world_set_clock(w, root(), RATE, burst);
	world_advance(w, 1000000000);
	sent = burst_after_advances(w, root());
	lab_check(sent <= slack + 64 && sent > slack / 2 &&
		  (late || sent > slack - 64 * WORLD_ADVANCES),
		  "%llu bytes leave at once, of %llu saved up", sent, slack);
	load_exit(&load);
	lab_ok("advances %skeep the burst", late ? "that are told of late " : "");
}

static void small_bursts_have_no_advance(void)
{
	struct world *w = &load.world;
	struct world_node *a;

	begin();
	world_set_clock(w, root(), RATE, 16 * 2048 - 16);
	world_advance(w, 1000000000);
	world_input_more(w, root(), 64);
	lab_check(!w->advances, "a burst of 16 packets pays in advance");
	world_set_clock(w, root(), RATE, 16 * 2048);
	world_advance(w, 1000000000);
	world_input_more(w, root(), 64);
	lab_check(w->advances == 1, "an advance is refused");
	/* 2048 bytes take 164 microseconds, and 16384 are saved up */
	while (w->advance[0].left >= 64)
		world_use(w, 0, 64);
	world_end_advance(w, 0);
	while (root()->core.clock.paid_ns + 163000 < w->now_ns)
		world_input(w, root(), 64);
	world_input_more(w, root(), 64);
	lab_check(w->advances == 1, "an advance is more than what is saved up");
	a = load_add(&load, root(), 100, PRIO, RATE);
	world_set_clock(w, a, RATE, 16 * 2048 - 16);
	world_set_clock(w, root(), RATE, 100 * 2048);
	world_advance(w, 1000000000);
	world_input_more(w, a, 64);
	lab_check(w->advances == 1, "a small burst below a long one pays in advance");
	load_exit(&load);
	lab_ok("advances are of what is saved up, and worth it");
}

/* Also by who is above. */
static void waiting_recalls(void)
{
	struct world *w = &load.world;
	struct world_node *a, *b;

	begin();
	world_set_clock(w, root(), RATE, 100 * FRAME);
	a = load_add(&load, root(), 100, PRIO, RATE);
	b = load_add(&load, root(), 100, PRIO, 0);
	world_set_clock(w, a, RATE, 100 * FRAME);
	world_advance(w, 1000000000);
	world_input_more(w, a, 64);
	lab_check(w->advance[0].node == a, "no advance is given");
	while (!b->count)
		world_input(w, b, FRAME);
	lab_check(!w->advance[0].node && !a->core.clock.advance &&
		  !root()->core.clock.advance, "an advance stays, though one waits");
	load_exit(&load);
	lab_ok("who has to wait has advances returned");
}

/* A node sends until @above waits instead of the node below. It has more to send then. */
static void send_until_deferred(struct world_node *node, const struct world_node *above)
{
	struct world *w = &load.world;
	unsigned int i;

	world_queue(w, node, FRAME);
	for (i = 0; i < 1000 && !above->core.deferred; i++) {
		world_queue(w, node, FRAME);
		if (!world_drain(w, false))
			world_advance_to_next(w, 1000000000);
	}
	lab_check(above->core.deferred, "node %u is not deferred", above->id);
}

/* The next node waits for none, least of all for one that was moved away. */
static void deferred_is_due(void)
{
	struct world *w = &load.world;
	struct world_node *top, *x, *y, *other;
	unsigned int i;

	begin();
	w->inside_every = 1;
	world_set_clock(w, root(), VSCHED_RATE_MAX, 0);
	top = load_add(&load, root(), 100, PRIO, 0);
	y = load_add(&load, load_add(&load, top, 100, PRIO, 0), 100, PRIO, 0);
	x = load_add(&load, y, 100, PRIO, RATE / 1000);
	other = load_add(&load, root(), 100, PRIO, RATE / 1000);
	for (i = 0; i < 1000; i++)
		world_queue(w, other, FRAME);
	send_until_deferred(x, y);
	lab_check(top->core.waiting, "it is not the topmost one that waits");
	world_advance(w, 1000000000);
	/* no request since */
	world_queue(w, load_add(&load, y, 100, PRIO, 0), FRAME);
	lab_check(!top->core.waiting, "one waits, and has a child that does not");
	lab_check(vsched_node_released(&x->core), "one is held, and its clock is ready");
	world_move(w, x, root());
	load_exit(&load);
	lab_ok("a node that is due before a request waits for none");
}

/* Also where it is another one who waits for all. */
static void deferred_recalls(void)
{
	struct world *w = &load.world;
	struct world_node *a, *b;

	begin();
	world_set_clock(w, root(), RATE, 2 * FRAME);
	a = load_add(&load, root(), 100, PRIO, RATE / 1000);
	b = load_add(&load, a, 100, PRIO, 0);
	world_set_clock(w, a, RATE / 1000, 64 * FRAME);
	send_until_deferred(b, root());
	lab_check(root()->core.waiting && !a->core.waiting, "it is not the root that waits");
	a->core.clock.advance = 1;
	lab_check(vsched_advance_recalled(&b->core), "an advance is not recalled from below");
	a->core.clock.advance = 0;
	load_exit(&load);
	lab_ok("who waits for others recalls their advances, too");
}

/* They wait for one another until a node comes that does not. */
static void deferred_let_pass(void)
{
	struct world *w = &load.world;
	struct world_node *a, *b;

	begin();
	a = load_add(&load, root(), 100, PRIO, RATE / 1000);
	b = load_add(&load, root(), 100, PRIO, RATE / 1000);
	send_until_deferred(a, root());
	world_advance(w, 1000000);
	lab_check(root()->core.deferred && vsched_next_ns(&w->tree) > w->now_ns,
		  "what is held is due");
	lab_check(vsched_pass(&w->tree, &b->core, 64, w->now_ns),
		  "what is held below its parent holds up others");
	load_exit(&load);
	lab_ok("who is held for others' sake lets others pass");
}

/* Of packets that one has sent alone, long ones are forgotten, too. */
static void alone_forgets_long_packets(void)
{
	struct world *w = &load.world;
	struct world_node *a;
	unsigned int i;

	begin();
	a = load_add(&load, root(), 100, PRIO, 0);
	world_queue(w, a, FRAME);
	for (i = 0; i < 600; i++) {
		world_queue(w, a, 64);
		while (!world_drain(w, false))
			world_advance(w, 1000000);
	}
	lab_check(a->core.up.longest == 64, "a long packet is remembered for ever");
	load_exit(&load);
	lab_ok("who is alone forgets long packets");
}

/* Others, who are refused one, are told why. */
static void advances_run_out(void)
{
	struct world *w = &load.world;
	unsigned int i;

	begin();
	world_set_clock(w, root(), RATE, 2 * FRAME);
	lab_check(!vsched_advance_is_out(&root()->core, 64), "what is never given is out");
	world_set_clock(w, root(), RATE, 16 * 2048);
	world_advance(w, 1000000000);
	lab_check(!vsched_advance_is_out(&root()->core, 64), "nothing is given, and is out");
	world_input_more(w, root(), 64);
	lab_check(w->advances == 1 && vsched_advance_is_out(&root()->core, 64),
		  "all is given, and not out");
	world_end_advance(w, 0);
	world_set_clock(w, root(), RATE, 64 * 2048);
	world_advance(w, 1000000000);
	world_input_more(w, root(), 64);
	lab_check(w->advances == 2 && !vsched_advance_is_out(&root()->core, 64) &&
		  vsched_advance_is_out(&root()->core, 4 * 2048),
		  "there is enough for long packets, too");
	world_end_advance(w, 0);
	world_set_clock(w, root(), RATE, 16 * 2048);
	world_advance(w, 1000000000);
	world_input_more(w, root(), FRAME * 2);
	lab_check(w->advances == 2, "an advance is shorter than the packet");
	world_set_clock(w, root(), VSCHED_RATE_MAX, 0);
	for (i = 0; i < 2; i++)
		world_input_more(w, root(), 64);
	lab_check(w->advances == 2, "none pays in advance");
	load_exit(&load);
	lab_ok("advances run out, and are for packets that are shorter");
}

static void overdrafts_are_paid(void)
{
	struct world *w = &load.world;
	struct world_node *a;
	u64 paid;

	begin();
	a = load_add(&load, root(), 100, PRIO, RATE / 2);
	while (!a->core.waiting)
		world_input(w, a, FRAME);
	paid = a->core.clock.paid_ns;
	vsched_overdraw(&w->tree, &a->core, FRAME, w->now_ns);
	lab_check(a->core.clock.paid_ns - paid > FRAME * 2000000000ULL / RATE - 10,
		  "an overdraft is not paid");
	lab_check(a->core.waiting && vsched_next_ns(&w->tree) == a->core.clock.paid_ns,
		  "a packet does not wait for an overdraft");
	/* what is ready is so no more, nor is what is above */
	w->blind = true;
	world_advance(w, 1000000000);
	world_drain(w, false);
	world_queue(w, a, FRAME);
	lab_check(vsched_next_ns(&w->tree) <= w->now_ns, "nothing is ready");
	vsched_overdraw(&w->tree, &a->core, 2 * RATE, w->now_ns);
	lab_check(!vsched_pick(&w->tree, w->now_ns), "a packet leaves in spite of an overdraft");
	lab_check(root()->core.clock.paid_ns > w->now_ns + 1000000000,
		  "an overdraft is not paid above");
	load_exit(&load);
	lab_ok("unrequested bytes are paid for");
}

#define MBIT		(1000000 / 8)

static struct world_node *offer_with(struct world_node *parent,
				     unsigned int weight, u64 minimum)
{
	struct world_node *node = offer(parent, weight, PRIO, 0);

	world_set_minimum(&load.world, node, minimum, 4 * load.longest);
	return node;
}

static void minimum_before_weight(void)
{
	begin();
	offer_with(root(), 1, RATE / 2);
	offer_with(root(), 1, RATE / 4);
	offer(root(), VSCHED_WEIGHT_MAX, PRIO, 0);
	offer(root(), VSCHED_WEIGHT_MAX / 2, PRIO, 0);
	end(2, "minima before weights");
}

/* Its own packets share what is left, and a limit holds. */
static void minimum_and_rate(void)
{
	struct world_node *a, *b;

	begin();
	a = offer_with(root(), 1, RATE / 4);
	world_set_clock(&load.world, a, RATE / 2, LOAD_BURSTS * FRAME);
	b = offer_with(root(), VSCHED_WEIGHT_MAX, RATE / 8);
	world_set_clock(&load.world, b, RATE / 8, LOAD_BURSTS * FRAME);
	load_offer(&load, root());
	end(2, "minima of those that have a rate, too");
}

static void minimum_after_priority(void)
{
	begin();
	offer(root(), 1, 0, RATE / 2);
	offer_with(root(), 1, RATE / 4);
	offer(root(), VSCHED_WEIGHT_MAX, PRIO, 0);
	offer(root(), VSCHED_WEIGHT_MAX, 7, 0);
	end(2, "minima after those of a higher priority");
}

/* The parent gets nothing but its minimum, which is that of the one below. */
static void minimum_below_minimum(u64 rate, u64 minimum)
{
	struct world_node *n;
	unsigned int i;

	load_init(&load, rate, FRAME, FRAME, 1);
	n = root();
	for (i = 0; i < 6; i++) {
		offer(n, VSCHED_WEIGHT_MAX, PRIO, 0);
		n = i < 5 ? load_add(&load, n, 1, PRIO, 0) :
			    offer(n, 1, PRIO, 0);
		world_set_minimum(&load.world, n, minimum, 4 * FRAME);
	}
	load_run(&load, 10);
	n->got = 0;
	load_run(&load, 100);
	lab_check(n->got + FRAME > minimum * 99.9, "%llu bytes of %llu",
		  n->got, minimum * 100);
	load_exit(&load);
	lab_ok("a minimum of %llu bytes/s on 6 levels below one another",
	       minimum);
}

/* Each shares its minimum, which is all that it has, among three and its own. */
static void divide_minimum(struct world_node *n, unsigned int levels,
			   u64 minimum)
{
	struct world_node *child;
	unsigned int i;

	load_offer(&load, n);
	world_set_share(&load.world, n, true, VSCHED_WEIGHT_MAX, PRIO);
	for (i = 0; levels && i < 3; i++) {
		child = load_add(&load, n, 1, PRIO, 0);
		world_set_minimum(&load.world, child, minimum, 4 * FRAME);
		divide_minimum(child, levels - 1, minimum / 3);
	}
}

/* Each node's own packets are as long as is said for those with none below, or others. */
static void run_with(double seconds, u32 last, u32 others)
{
	struct world *w = &load.world;
	u64 end_ns = w->now_ns + seconds * 1e9;
	struct world_node *node;
	unsigned int i;

	for (i = 0; i < w->nodes; i++)
		while (w->node[i]->count < 2)
			world_queue(w, w->node[i], w->node[i]->child ? others : last);
	while (w->now_ns < end_ns) {
		node = world_drain(w, false);
		if (node)
			world_queue(w, node, node->child ? others : last);
		else
			world_advance_to_next(w, ~0ULL);
	}
}

/* A packet takes seconds: who is served late is not to lose for that. */
static void minima_below_minima(u32 last, u32 others)
{
	struct world *w = &load.world;
	double least = INFINITY;
	unsigned int i;

	load_init(&load, 30000, 64, FRAME, 1);
	divide_minimum(root(), 3, 9000);
	w->blind = true;
	run_with(20, last, others);
	for (i = 0; i < w->nodes; i++)
		w->node[i]->got = 0;
	run_with(2000, last, others);
	for (i = 0; i < w->nodes; i++)
		if (!w->node[i]->child)
			least = fmin(least, w->node[i]->got /
					    (w->node[i]->promise.rate * 2000));
	load_exit(&load);
	lab_check(least > 0.995, "%.4f of a minimum", least);
	lab_ok("27 minima of 1000 bytes/s on the third level, packets of %u and %u bytes: %.4f of it at least",
	       last, others, least);
}

/* How far behind its minimum it has ever been, over any interval: bytes. */
struct shortfall {
	double most;
	double highest;
};

/* @ahead: bytes that it has had beyond its minimum. */
static void note_shortfall(struct shortfall *s, double ahead)
{
	s->highest = fmax(s->highest, ahead);
	s->most = fmax(s->most, s->highest - ahead);
}

/*
 * @n of them, of any weight, and as many without one; packets are of up to @longest bytes.
 * Over any interval none has less than its minimum, but for two packets. What is missing
 * is most just before a packet leaves, and what is ahead just after that.
 */
static void minima_hold(unsigned int n, u64 rate, u64 minimum, u32 longest)
{
	static struct shortfall shortfall[WORLD_NODES];
	struct world *w = &load.world;
	struct world_node *node;
	u64 begin_ns, before;
	double most = 0, due = 0;
	unsigned int i;

	load_init(&load, rate, longest / 2, longest, n);
	for (i = 0; i < n; i++) {
		offer_with(root(), 1 + i, minimum);
		offer(root(), VSCHED_WEIGHT_MAX - i, PRIO, 0);
	}
	w->blind = true;
	load_run(&load, 0.05);
	for (i = 0; i < w->nodes; i++) {
		shortfall[i] = (struct shortfall){ 0 };
		w->node[i]->got = 0;
	}
	begin_ns = w->now_ns;
	while (w->now_ns < begin_ns + 1000000000) {
		before = root()->got;
		node = world_drain(w, false);
		due = (double)minimum * (w->now_ns - begin_ns) / 1e9;
		if (!node) {
			world_advance_to_next(w, ~0ULL);
			continue;
		}
		note_shortfall(&shortfall[node->id],
			       node->got - (root()->got - before) - due);
		note_shortfall(&shortfall[node->id], node->got - due);
		load_refill(&load, node);
	}
	for (i = 0; i < w->nodes; i++) {
		if (!w->node[i]->promise.rate)
			continue;
		note_shortfall(&shortfall[i], w->node[i]->got - due);
		most = fmax(most, shortfall[i].most);
	}
	load_exit(&load);
	lab_check(most <= 2.0 * longest,
		  "%.0f bytes short of a minimum of %llu bytes/s", most, minimum);
	lab_ok("%u minima of %llu bytes/s, packets of %u bytes: never more than %.2f packets short, %.2f percent of 100 ms",
	       n, minimum, longest, most / longest, most / minimum * 1000);
}

/*
 * Each gets the same part of its own, whatever its packets are like; who comes later at
 * once, though all others are late.
 */
static void too_many_minima(void)
{
	static const u64 minima[] = { RATE / 8, RATE / 2, RATE, RATE * 2, RATE };
	static const u32 bytes[] = { FRAME, 64, 500, FRAME, FRAME };
	struct world_node *node[5], *served;
	struct world *w = &load.world;
	u64 sum = 0, begin_ns, ns;
	double should;
	unsigned int i;

	begin();
	for (i = 0; i < 5; i++) {
		node[i] = load_add(&load, root(), 1, PRIO, 0);
		world_set_minimum(w, node[i], minima[i], 4 * FRAME);
		for (; i < 4 && node[i]->count < 2;)
			world_queue(w, node[i], bytes[i]);
		sum += i < 4 ? minima[i] : 0;
	}
	offer(root(), VSCHED_WEIGHT_MAX, PRIO, 0);
	world_queue(w, w->node[w->nodes - 1], FRAME);
	begin_ns = w->now_ns;
	while ((ns = w->now_ns - begin_ns) < 3000000000ULL) {
		served = world_drain(w, false);
		for (i = 0; i < 5; i++) {
			if (served == node[i])
				world_queue(w, served, bytes[i]);
			if (ns < 1000000000)
				node[i]->got = 0;
		}
		if (!served)
			world_advance_to_next(w, ~0ULL);
	}
	for (i = 0; i < 4; i++) {
		should = 2.0 * RATE * minima[i] / sum;
		lab_check(fabs(node[i]->got / should - 1) < 0.01,
			  "%llu bytes of %.0f, of a minimum of %llu",
			  node[i]->got, should, minima[i]);
	}
	lab_check(w->forgiven, "all of it is made up for");
	world_queue(w, node[4], FRAME);
	world_queue(w, node[4], FRAME);
	while (w->now_ns - begin_ns < 3050000000ULL) {
		served = world_drain(w, false);
		for (i = 0; i < 5; i++)
			if (served == node[i])
				world_queue(w, served, bytes[i]);
		if (!served)
			world_advance_to_next(w, ~0ULL);
	}
	should = 0.05 * RATE * minima[4] / (sum + minima[4]);
	lab_check(fabs(node[4]->got - should) < should / 10 + 2 * FRAME,
		  "%llu bytes of %.0f, of one that comes later", node[4]->got,
		  should);
	load_exit(&load);
	lab_ok("of more minima than there is each has the same part of its own");
}

/* What others had for a second is made up for in part. */
static void starved_minimum(void)
{
	struct world_node *first, *a, *b;
	struct world *w = &load.world;
	double most;

	begin();
	first = offer(root(), 1, 0, 0);
	a = offer_with(root(), 1, RATE / 2);
	b = offer(root(), 1, PRIO, 0);
	load_run(&load, 1);
	lab_check(!a->got && !b->got, "a priority does not come first");
	load.ideal.offers[first->id] = false;
	while (first->count)
		world_drain(w, false) ?: (world_advance_to_next(w, ~0ULL), NULL);
	a->got = 0;
	while (!b->got)
		world_drain(w, false) ? load_refill(&load, a) :
			(void)world_advance_to_next(w, ~0ULL);
	/* it catches up at RATE while RATE / 2 is added: it has twice what it is owed */
	most = 2 * (RATE / 2 * (VSCHED_LATE_NS / 1e9) + 2 * FRAME) + 4 * FRAME;
	lab_check(a->got <= most && a->got > most / 2,
		  "%llu bytes make up for a second, %.0f may", a->got, most);
	load_exit(&load);
	lab_ok("what a minimum has missed is made up for, up to 100 ms");
}

/* It has saved up no more than half of its burst. */
static void idle_minimum(void)
{
	struct world *w = &load.world;
	struct world_node *a, *b;

	begin();
	b = offer(root(), 1, PRIO, 0);
	a = load_add(&load, root(), 1, PRIO, 0);
	world_set_minimum(w, a, RATE / 100, 8 * FRAME);
	load_run(&load, 10);
	load_offer(&load, a);
	b->got = 0;
	load_run(&load, 0.0001);
	while (!b->got)
		world_drain(w, false) ? load_refill(&load, a) :
			(void)world_advance_to_next(w, ~0ULL);
	lab_check(a->got > 2 * FRAME && a->got <= 6 * FRAME,
		  "%llu bytes come first after 10 s", a->got);
	load_exit(&load);
	lab_ok("a minimum saves up no more than it may");
}

/* Setting it, another priority, and moving: it holds, and nothing is forgotten. */
static void minimum_changes(void)
{
	struct world *w = &load.world;
	struct world_node *a, *b, *parent;
	unsigned int i;
	u64 before;

	begin();
	parent = load_add(&load, root(), 1, PRIO, 0);
	world_set_minimum(w, parent, RATE / 2, 4 * FRAME);
	a = offer_with(root(), 1, RATE / 4);
	b = offer(root(), VSCHED_WEIGHT_MAX, PRIO, 0);
	offer(parent, VSCHED_WEIGHT_MAX, PRIO, 0);
	load_run(&load, 0.2);
	for (i = 0; i < 12; i++) {
		world_move(w, a, i % 2 ? root() : parent);
		world_set_share(w, a, false, 1, i % 3 ? PRIO : PRIO - 1);
		world_set_share(w, b, false, VSCHED_WEIGHT_MAX, i % 3 ? PRIO : PRIO - 1);
		world_set_minimum(w, a, RATE / 4 + i % 4 * (RATE / 32), 4 * FRAME);
		before = a->got;
		load_run(&load, 0.5);
		lab_check(i % 3 == 0 ||
			  a->got - before + 3 * FRAME > a->promise.rate / 2,
			  "%llu bytes of %.0f after a change", a->got - before,
			  a->promise.rate / 2);
	}
	world_set_minimum(w, a, 0, 0);
	before = a->got;
	load_run(&load, 1);
	lab_check(a->got - before < RATE / 1000, "a minimum that there is no more holds");
	load_exit(&load);
	lab_ok("a minimum holds when it, the priority, or the place is changed");
}

/* A machine that has just been started, and a class whose time stands still. */
static void minimum_begins(void)
{
	struct vsched_floors floors = { .longest = 0 };
	struct vsched_share share;
	struct vsched_floor floor;

	vsched_share_init(&share);
	vsched_floor_init(&floor, &share);
	vsched_clock_set(&floor.clock, VSCHED_RATE_MIN, 100, 50, 5);
	vsched_floors_add(&floors, &floor, 5);
	lab_check(vsched_floors_due(&floors, 400000000) == &share &&
		  floors.forgiven_ns == 300000000, "%llu ns are taken off",
		  floors.forgiven_ns);
	vsched_floors_del(&floors, &floor);
	vsched_floors_add(&floors, &floor, 400000001);
	lab_check(vsched_floors_due(&floors, 400000001) == &share,
		  "it is not its turn any more");
	lab_ok("minima run from the time 0 on");
}

/* A long packet counts while others follow, and is forgotten in the end. */
static void longest_is_forgotten(void)
{
	struct vsched_floors floors = { .longest = 0 };
	struct vsched_share share;
	struct vsched_floor floor;
	unsigned int i;

	vsched_share_init(&share);
	vsched_floor_init(&floor, &share);
	vsched_clock_set(&floor.clock, RATE, 2 * FRAME, FRAME, 0);
	vsched_floors_add(&floors, &floor, 0);
	vsched_floors_charge(&floors, &floor, 65536);
	for (i = 0; i < 100; i++)
		vsched_floors_charge(&floors, &floor, 64);
	lab_check(floors.longest > 50000, "a long packet is forgotten at once");
	for (i = 0; i < 20000; i++)
		vsched_floors_charge(&floors, &floor, 64);
	lab_check(floors.longest < 2000, "a long packet is not forgotten");
	lab_ok("how late a minimum may be follows the longest packet of late");
}

/* A sibling's frame takes longer than what is made up for otherwise. */
static void minimum_beside_long_frames(void)
{
	struct world *w = &load.world;
	struct world_node *a, *b, *node;

	begin();
	world_set_clock(w, root(), 2000, 4 * FRAME);
	a = load_add(&load, root(), 1, PRIO, 0);
	b = load_add(&load, root(), VSCHED_WEIGHT_MAX, PRIO, 0);
	world_set_minimum(w, a, 1000, 4 * FRAME);
	while (root()->got < 400000) {
		while (a->count < 2)
			world_queue(w, a, 100);
		while (b->count < 2)
			world_queue(w, b, FRAME);
		node = world_drain(w, false);
		if (!node)
			world_advance_to_next(w, ~0ULL);
	}
	lab_check(a->got > 0.49 * root()->got, "beside long frames a minimum has %llu of %llu",
		  a->got, root()->got / 2);
	load_exit(&load);
	lab_ok("a minimum holds beside frames that take longer than it may be late");
}

/* One that is seldom served remembers a long packet, and those above do not. */
static void long_packet_is_told(void)
{
	struct world *w = &load.world;
	struct world_node *p, *a, *b;
	unsigned int i;

	begin();
	p = load_add(&load, root(), 100, PRIO, 0);
	a = load_add(&load, p, 100, PRIO, 0);
	b = load_add(&load, p, 100, PRIO, 0);
	world_queue(w, a, 65536);
	while (!a->out)
		if (!world_drain(w, false))
			world_advance_to_next(w, ~0ULL);
	for (i = 0; i < 600; i++) {
		world_queue(w, b, 64);
		while (b->count)
			if (!world_drain(w, false))
				world_advance_to_next(w, ~0ULL);
	}
	lab_check(p->core.up.longest < 65536, "a long packet is never forgotten");
	world_queue(w, a, 65536);
	lab_check(p->core.up.longest == 65536, "those above are not told of a long packet");
	load_exit(&load);
	lab_ok("those above are told of a long packet");
}

void corner_cases(void)
{
	minimum_beside_long_frames();
	long_packet_is_told();
	longest_is_forgotten();
	minimum_before_weight();
	minimum_and_rate();
	minimum_after_priority();
	minimum_below_minimum(RATE, RATE / 2);
	minimum_below_minimum(RATE, VSCHED_RATE_MIN * 4);
	minima_below_minima(64, FRAME);
	minima_below_minima(FRAME, 64);
	minima_below_minima(FRAME, FRAME);
	minima_hold(64, 10000 * MBIT, 100 * MBIT, FRAME);
	minima_hold(64, 10000 * MBIT, 100 * MBIT, 65536);
	minima_hold(64, 100 * MBIT, MBIT, FRAME);
	too_many_minima();
	starved_minimum();
	idle_minimum();
	minimum_changes();
	minimum_begins();

	advance_is_returned();
	advances_keep_the_burst(false);
	advances_keep_the_burst(true);
	small_bursts_have_no_advance();
	waiting_recalls();
	deferred_is_due();
	deferred_recalls();
	deferred_let_pass();
	alone_forgets_long_packets();
	advances_run_out();
	overdrafts_are_paid();
	clocks_are_exact();
	clock_changes();
	time_begins();
	path();
	late_for_more();
	next_is_next();
	pass_of_an_idle_tree();
	open_lets_out();
	leaves_and_rejoins();
	virtual_time_is_exact();
	virtual_time_goes_round();
	packets_become_longer();
	small_packets_wait(1514, 10);
	small_packets_wait(65536, 400);
	weight_changes();
	weight_is_set_again();
	nwc_below_wc_below_nwc();
	priority_over_weight();
	weights_1_to_10000();
	deep_chain();
	rate_equals_share();
	clock_ties_with_share();
	small_bursts();
	slow_parent();
	ready_in_bunches();
	more_than_one_call_looks_at();
	exited_node();
	nobody_active();
	held_come_back();
	overdraft_holds();
}
