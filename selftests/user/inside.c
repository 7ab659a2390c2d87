// SPDX-License-Identifier: GPL-2.0
/*
 * The core's own data: what sched/fair.h and sched/node.h say of their
 * members must be so.
 */
#include "check.h"
#include "look.h"

static bool before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

static const struct vsched_share *share_of(const struct rb_node *rb)
{
	return container_of(rb, struct vsched_share, rb);
}

/**
 * struct sums - what the members of a class add up to
 * @class: the class
 * @priority: its
 * @weight: sum
 * @lag: sum of weight * (virtual time - start)
 * @count: of those in the tree
 * @floors: of them, those that have a minimum
 */
struct sums {
	const struct vsched_class *class;
	unsigned int priority;
	u32 weight;
	s64 lag;
	unsigned int count;
	unsigned int floors;
};

static void add_member(struct sums *sums, const struct vsched_share *share)
{
	lab_check(share->priority == sums->priority,
		  "a contender of priority %u is in class %u",
		  share->priority, sums->priority);
	lab_check(share->active != share->delayed,
		  "a member is both active and delayed, or neither");
	sums->count++;
	sums->weight += share->weight;
	sums->lag += share->weight * (s64)(sums->class->vtime - share->start);
}

/* Returns the earliest deadline in the subtree. */
static u64 walk_tree(struct sums *sums, const struct rb_node *rb, u64 *last)
{
	const struct vsched_share *share = share_of(rb);
	u64 min_deadline = share->deadline, below;

	if (rb->rb_left) {
		below = walk_tree(sums, rb->rb_left, last);
		min_deadline = before(below, min_deadline) ? below : min_deadline;
	}
	lab_check(!sums->count || !before(share->start, *last),
		  "contenders are not in the order of their starts");
	*last = share->start;
	add_member(sums, share);
	lab_check(share->active, "one that is not active is in the tree");
	sums->floors += share->floor != NULL;
	if (rb->rb_right) {
		below = walk_tree(sums, rb->rb_right, last);
		min_deadline = before(below, min_deadline) ? below : min_deadline;
	}
	lab_check(share->min_deadline == min_deadline, "an earliest deadline is wrong");
	return min_deadline;
}

static void walk_ahead(struct sums *sums)
{
	const struct rb_node *rb = rb_first_cached(&sums->class->ahead);
	u64 last = rb ? share_of(rb)->start : 0;

	for (; rb; rb = rb_next(rb)) {
		lab_check(!before(share_of(rb)->start, last),
			  "those that are delayed are not in order");
		last = share_of(rb)->start;
		lab_check(share_of(rb)->delayed,
			  "one that is not delayed is among those who do");
		add_member(sums, share_of(rb));
	}
}

static void check_floor(const struct sums *sums,
			const struct vsched_floor *floor, u64 last)
{
	lab_check(floor->share->floor == floor,
		  "a minimum is not that of its contender");
	lab_check(floor->share->active &&
		  floor->share->priority == sums->priority,
		  "a minimum is among those of another class");
	lab_check(!before(floor->clock.paid_ns, last),
		  "minima are not in the order of their turns");
	lab_check(!floor->share->by_floor,
		  "one has been picked by its minimum, and is not served");
}

static unsigned int count_floors(const struct rb_node *rb)
{
	return rb ? 1 + count_floors(rb->rb_left) + count_floors(rb->rb_right) :
		    0;
}

/* All contenders that have a minimum are there, and no others. */
static void check_floors(const struct sums *sums)
{
	const struct rb_root_cached *tree = &sums->class->floors.tree;
	const struct rb_node *rb = rb_first_cached(tree);
	u64 last = rb ? container_of(rb, struct vsched_floor, rb)->clock.paid_ns : 0;
	const struct vsched_floor *floor;

	for (; rb; rb = rb_next(rb)) {
		floor = container_of(rb, struct vsched_floor, rb);
		check_floor(sums, floor, last);
		last = floor->clock.paid_ns;
	}
	lab_check(count_floors(tree->rb_root.rb_node) == sums->floors,
		  "%u contenders have a minimum, and not all are known",
		  sums->floors);
}

static const struct rb_node *leftmost(const struct rb_root_cached *root)
{
	const struct rb_node *rb = root->rb_root.rb_node;

	while (rb && rb->rb_left)
		rb = rb->rb_left;
	return rb;
}

static void check_inverse(const struct vsched_class *class)
{
	unsigned __int128 one = (unsigned __int128)1 << class->shift;
	unsigned __int128 product =
		(unsigned __int128)class->inv_sum * class->weight_sum;

	lab_check(product <= one, "the inverse of the weights is too large");
	lab_check(one - product <= (one >> 29),
		  "the inverse of the weights is too small");
}

/* Who is alone is nowhere else. */
static void check_sole(const struct vsched_class *class, unsigned int priority)
{
	const struct vsched_share *sole = class->sole;

	lab_check(sole->active && !sole->delayed && !sole->floor && !sole->by_floor &&
		  sole->priority == priority, "one is alone that cannot be");
	lab_check(sole->start == class->vtime, "virtual time is not that of who is alone");
	lab_check(!class->tree.rb_root.rb_node && !class->weight_sum &&
		  !rb_first_cached(&class->ahead), "one is alone, and there are others");
}

static void check_class(const struct vsched_fair *fair, unsigned int priority)
{
	const struct vsched_class *class = &fair->class[priority];
	struct sums sums = { .class = class, .priority = priority };
	u64 last = 0;

	lab_check((!class->tree.rb_root.rb_node && !class->sole) ==
		  !(fair->busy & 1U << priority), "busy is wrong");
	if (class->sole)
		check_sole(class, priority);
	lab_check(rb_first_cached(&class->tree) == leftmost(&class->tree) &&
		  rb_first_cached(&class->ahead) == leftmost(&class->ahead) &&
		  rb_first_cached(&class->floors.tree) ==
		  leftmost(&class->floors.tree),
		  "a leftmost node is wrong");
	if (class->tree.rb_root.rb_node)
		walk_tree(&sums, class->tree.rb_root.rb_node, &last);
	walk_ahead(&sums);
	check_floors(&sums);
	lab_check(sums.weight == class->weight_sum,
		  "weights add up to %u, not %u", sums.weight,
		  class->weight_sum);
	if (!sums.weight)
		return;
	lab_check(sums.lag == class->lag_sum,
		  "lags add up to %lld, not %lld", sums.lag, class->lag_sum);
	check_inverse(class);
}

static void check_node(const struct world_node *n)
{
	unsigned int held = 0, contend = n->core.own.active;
	const struct world_node *child;

	for (child = n->child; child; child = child->sibling) {
		held += child->core.state == VSCHED_HELD;
		contend += child->core.up.active;
	}
	lab_check(n->core.held == held, "node %u: %u are held below, not %u", n->id, held,
		  n->core.held);
	if (!n->parent)
		return;
	if (!n->fair)
		contend = n->core.backlogged;
	lab_check(n->core.up.active == (n->core.state == VSCHED_READY) &&
		  (n->core.state == VSCHED_IDLE) == (!contend && !held),
		  "node %u: state %u, %u contend, %u are held", n->id, n->core.state,
		  contend, held);
	lab_check(n->core.up.active || !n->core.up.kept_lag ||
		  (n->core.up.kept_lag > 0 && n->core.state == VSCHED_HELD &&
		   !n->core.up.delayed),
		  "node %u: keeps a lag, and is not held", n->id);
}

/* The last time for which any clock on the way down from a node that is deferred holds it. */
static u64 deferred_until(const struct vsched_node *node)
{
	const struct vsched_share *share;
	u64 until = 0;

	for (;; node = container_of(share, struct vsched_node, up)) {
		if (node->clock.rate != VSCHED_RATE_MAX && node->clock.paid_ns > until)
			until = node->clock.paid_ns;
		if (!node->deferred)
			return until;
		share = node->fair->class[__ffs(node->fair->busy)].sole;
		lab_check(share && share != &node->own && !node->held &&
			  node->fair->busy == 1UL << share->priority,
			  "a node is deferred, and has not one contender");
	}
}

/* A deferred node has a child that waits as long as all do, or may be picked by now. */
static void check_deferred(const struct world *w, const struct world_node *n)
{
	const struct vsched_node *top = &n->core;
	u64 until;

	if (!n->core.deferred || w->tree.open)
		return;
	while (top->parent && top->parent->deferred)
		top = top->parent;
	until = deferred_until(top);
	lab_check(until <= w->now_ns || (top->waiting && top->until->paid_ns == until),
		  "node %u is deferred until %llu, and none waits for it", n->id, until);
}

/* A clock for which a node waits is its own, or of one below. */
static void check_until(const struct world_node *n)
{
	const struct vsched_node *of;

	if (!n->core.waiting)
		return;
	of = container_of(n->core.until, struct vsched_node, clock);
	while (of && of != &n->core)
		of = of->parent;
	lab_check(of, "node %u waits for a clock that is none of its own", n->id);
}

void look_inside(const struct world *w)
{
	unsigned int i, priority;

	for (i = 0; i < w->nodes; i++)
		if (w->node[i]) {
			check_node(w->node[i]);
			check_deferred(w, w->node[i]);
			check_until(w->node[i]);
		}
	for (i = 0; i < w->nodes; i++)
		if (w->node[i] && w->node[i]->fair)
			for (priority = 0; priority < VSCHED_PRIORITIES;
			     priority++)
				check_class(w->node[i]->fair, priority);
}
