// SPDX-License-Identifier: GPL-2.0
#include <linux/container_of.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "node.h"

void vsched_node_init(struct vsched_node *node, struct vsched_node *parent)
{
	*node = (struct vsched_node) {
		.parent = parent,
	};
	vsched_clock_init(&node->clock);
	vsched_share_init(&node->up);
	vsched_share_init(&node->own);
}

void vsched_node_exit(struct vsched_node *node)
{
	if (node->parent)
		vsched_fair_forget(node->parent->fair, &node->up);
}

void vsched_tree_init(struct vsched_tree *tree, struct vsched_node *root)
{
	*tree = (struct vsched_tree) {
		.root = root,
	};
}

void vsched_tree_set_open(struct vsched_tree *tree, bool open)
{
	if (open)
		tree->shut = false;
	else if (tree->open)
		tree->shut = vsched_next_ns(tree) != VSCHED_NEVER;
	tree->open = open;
}

void vsched_node_set_fair(struct vsched_node *node, struct vsched_fair *fair)
{
	node->fair = fair;
	if (node->backlogged)
		vsched_fair_join(fair, &node->own, 0);
}

static bool vsched_node_ends_earlier(struct rb_node *a, const struct rb_node *b)
{
	return vsched_node_of_wait(a)->until->paid_ns <
	       rb_entry(b, struct vsched_node, wait)->until->paid_ns;
}

/* A node that waits for a stopped clock takes none of the others' time. */
static void vsched_node_count_waiting(const struct vsched_clock *clock, int n)
{
	if (clock->group && !vsched_clock_is_stopped(clock))
		atomic_add(n, &clock->group->waiting);
}

static void vsched_node_wait_for_clock(struct vsched_tree *tree, struct vsched_node *node,
				       const struct vsched_clock *clock)
{
	node->waiting = true;
	node->until = clock;
	vsched_node_count_waiting(clock, 1);
	rb_add_cached(&node->wait, &tree->waiting, vsched_node_ends_earlier);
}

static void vsched_node_end_wait(struct vsched_tree *tree, struct vsched_node *node)
{
	if (!node->waiting)
		return;
	node->waiting = false;
	vsched_node_count_waiting(node->until, -1);
	rb_erase_cached(&node->wait, &tree->waiting);
}

static struct vsched_node *vsched_node_of_up(struct vsched_share *up)
{
	return container_of(up, struct vsched_node, up);
}

static bool vsched_node_may_send(const struct vsched_tree *tree,
				 const struct vsched_clock *clock, u64 now_ns)
{
	return tree->open || vsched_clock_ready(clock, now_ns);
}

/* The later one of a node's clock and @below, if not NULL; NULL if that is ready. */
static const struct vsched_clock *
vsched_node_find_clock(struct vsched_tree *tree, const struct vsched_node *node,
		       const struct vsched_clock *below, u64 now_ns)
{
	if (vsched_node_may_send(tree, &node->clock, now_ns))
		return below;
	if (node->clock.advance)
		tree->recall = true;
	return below && below->paid_ns > node->clock.paid_ns ? below : &node->clock;
}

/* The state that its contenders and its clock call for, and perhaps one @below it. */
static enum vsched_state vsched_node_find_state(struct vsched_tree *tree, struct vsched_node *node,
						const struct vsched_clock *below, u64 now_ns)
{
	const struct vsched_clock *clock;

	if (!vsched_has_contenders(node))
		return node->held ? VSCHED_HELD : VSCHED_IDLE;
	clock = vsched_node_find_clock(tree, node, below, now_ns);
	if (!clock)
		return VSCHED_READY;
	vsched_node_wait_for_clock(tree, node, clock);
	return VSCHED_HELD;
}

static void vsched_node_count_held(struct vsched_node *node, enum vsched_state state)
{
	node->parent->held += (state == VSCHED_HELD) -
			      (node->state == VSCHED_HELD);
	node->state = state;
}

static void vsched_node_set_state(struct vsched_node *node, enum vsched_state state, u64 now_ns)
{
	struct vsched_node *parent = node->parent;

	if (state == VSCHED_READY) {
		vsched_fair_join(parent->fair, &node->up, now_ns);
	} else if (node->state == VSCHED_READY) {
		vsched_fair_leave(parent->fair, &node->up,
				  state == VSCHED_HELD);
	} else if (state == VSCHED_IDLE) {
		vsched_share_end_hold(&node->up);
	}
	vsched_node_count_held(node, state);
}

/* Does it wait for others only, and for no clock below? */
static bool vsched_node_has_turn(const struct vsched_node *node)
{
	return node->state == VSCHED_READY && !node->deferred;
}

static void vsched_node_begin_turn(struct vsched_node *node, u64 now_ns)
{
	if (node->clock.rate != VSCHED_RATE_MAX)
		vsched_clock_run(&node->clock, now_ns);
}

/* Bring a node into its state; false if that is nothing new to its parent. */
static bool vsched_node_settle_one(struct vsched_tree *tree, struct vsched_node *node, u64 now_ns)
{
	bool had_turn = vsched_node_has_turn(node);
	enum vsched_state state;

	/* the clock may have been set: its place is not right any more */
	vsched_node_end_wait(tree, node);
	node->deferred = false;
	state = vsched_node_find_state(tree, node, NULL, now_ns);
	if (state == VSCHED_READY && !had_turn)
		vsched_node_begin_turn(node, now_ns);
	if (state == node->state)
		return false;
	if (!node->parent) {
		node->state = state;
		return false;
	}
	vsched_node_set_state(node, state, now_ns);
	return true;
}

/* The first unready node below, from the bottom, waits for itself from now on. */
static noinline void vsched_node_end_deferred(struct vsched_tree *tree, struct vsched_node *top,
					      u64 now_ns)
{
	struct vsched_node *node = top;

	while (node->deferred)
		node = vsched_node_of_up(vsched_fair_pick(node->fair, now_ns));
	for (; node != top; node = node->parent)
		vsched_node_settle_one(tree, node, now_ns);
	while (vsched_node_settle_one(tree, node, now_ns))
		node = node->parent;
}

/* From the waiting node, or the node that waited until now: it may wait for any clock below. */
static void vsched_node_undefer(struct vsched_tree *tree, struct vsched_node *node, u64 now_ns)
{
	if (!node->deferred)
		return;
	while (node->parent && node->parent->deferred)
		node = node->parent;
	vsched_node_end_deferred(tree, node, now_ns);
}

/* Before a node's clock changes, or its place. */
static void
vsched_node_undefer_around(struct vsched_tree *tree, struct vsched_node *node, u64 now_ns)
{
	if (node->parent)
		vsched_node_undefer(tree, node->parent, now_ns);
	vsched_node_undefer(tree, node, now_ns);
}

/* Bring a node, and those above it, into their states, as far as they change. */
static void vsched_node_settle(struct vsched_tree *tree, struct vsched_node *node, u64 now_ns)
{
	for (;; node = node->parent) {
		if (node->parent)
			vsched_node_undefer(tree, node->parent, now_ns);
		if (!vsched_node_settle_one(tree, node, now_ns))
			return;
	}
}

/* Wake up the nodes whose clock has become ready. */
static void vsched_node_release(struct vsched_tree *tree, u64 now_ns)
{
	struct vsched_node *node;
	int n;

	for (n = 0; n < VSCHED_RELEASE_MAX; n++) {
		node = vsched_first_waiting(tree);
		if (!node || !vsched_node_may_send(tree, node->until, now_ns))
			return;
		vsched_node_settle(tree, node, now_ns);
	}
}

/* Called before a node's clock is set: remove waits that depend on the old rate. */
static void vsched_node_cancel_wait(struct vsched_tree *tree, struct vsched_node *node, u64 now_ns)
{
	vsched_node_undefer_around(tree, node, now_ns);
	vsched_node_end_wait(tree, node);
}

void vsched_node_set_clock(struct vsched_tree *tree, struct vsched_node *node,
			   u64 rate, u64 burst, u32 longest, u64 now_ns)
{
	vsched_node_cancel_wait(tree, node, now_ns);
	vsched_clock_set(&node->clock, rate, burst, longest, now_ns);
	if (rate != VSCHED_RATE_MAX && rate != VSCHED_RATE_STOP)
		vsched_clock_set_arrears(&node->clock, tree->arrears);
	vsched_node_settle(tree, node, now_ns);
}

void vsched_node_set_group(struct vsched_tree *tree, struct vsched_node *node,
			   struct vsched_group *group, u64 now_ns)
{
	vsched_node_cancel_wait(tree, node, now_ns);
	vsched_clock_set_group(&node->clock, group, now_ns);
	vsched_node_settle(tree, node, now_ns);
}

void vsched_node_set_share(struct vsched_tree *tree, struct vsched_node *node,
			   unsigned int weight, unsigned int priority, u64 now_ns)
{
	if (node->parent)
		vsched_node_undefer(tree, node->parent, now_ns);
	vsched_share_set(node->parent ? node->parent->fair : NULL, &node->up,
			 weight, priority, now_ns);
}

void vsched_node_set_minimum(struct vsched_tree *tree, struct vsched_node *node,
			     struct vsched_floor *floor, u64 rate, u64 burst,
			     u64 now_ns)
{
	vsched_node_undefer(tree, node->parent, now_ns);
	vsched_share_set_floor(node->parent->fair, &node->up, floor, rate,
			       burst, now_ns);
}

void vsched_node_set_own_share(struct vsched_node *node, unsigned int weight,
			       unsigned int priority)
{
	vsched_share_set(node->fair, &node->own, weight, priority, 0);
}

/* Nodes that drain it know the length of its packets. */
static void vsched_node_expect(struct vsched_node *node, u32 bytes)
{
	for (; node; node = node->parent)
		vsched_share_expect(&node->up, bytes);
}

void vsched_node_move(struct vsched_tree *tree, struct vsched_node *node,
		      struct vsched_node *parent, u64 now_ns)
{
	struct vsched_node *old = node->parent;

	vsched_node_undefer_around(tree, node, now_ns);
	vsched_node_set_state(node, VSCHED_IDLE, now_ns);
	vsched_fair_forget(old->fair, &node->up);
	node->parent = parent;
	vsched_node_expect(parent, node->up.longest);
	/* in this order none above both has to leave for a moment */
	vsched_node_settle(tree, node, now_ns);
	vsched_node_settle(tree, old, now_ns);
}

void vsched_path_get(const struct vsched_node *node, struct vsched_path *path)
{
	path->rate = VSCHED_RATE_MAX;
	path->longest = U32_MAX;
	for (; node; node = node->parent) {
		path->rate = min(path->rate, node->clock.rate);
		path->longest = min(path->longest, node->clock.longest);
	}
}

bool vsched_pass(struct vsched_tree *tree, struct vsched_node *node, u32 bytes,
		 u64 now_ns)
{
	struct vsched_node *waiting = vsched_first_waiting(tree), *n;

	if (vsched_root_ready(tree) ||
	    (waiting && vsched_node_may_send(tree, waiting->until, now_ns)))
		return false;
	if (tree->open)
		return true;
	for (n = node; n; n = n->parent)
		if (!vsched_clock_ready(&n->clock, now_ns))
			return false;
	for (n = node; n; n = n->parent) {
		vsched_node_undefer(tree, n, now_ns);
		vsched_clock_charge(&n->clock, bytes, now_ns);
	}
	return true;
}

/* So many waiting nodes are checked to find how late the wakeup may be. */
#define LATE_MAX	4

/* Less is not worth the effort: one full frame, or few short ones. */
#define ADVANCE_MIN	2048U

/* How much every clock on the path may pay. */
static u32 vsched_node_spare_on_path(const struct vsched_node *node)
{
	u32 bytes = ~0U;

	for (; node; node = node->parent)
		if (node->clock.rate != VSCHED_RATE_MAX)
			bytes = min(bytes, vsched_clock_spare(&node->clock));
	return bytes;
}

static bool vsched_node_path_affords(const struct vsched_node *node, u32 bytes, u64 now_ns)
{
	for (; node; node = node->parent)
		if (node->clock.rate != VSCHED_RATE_MAX &&
		    !vsched_clock_affords(&node->clock, bytes, now_ns))
			return false;
	return true;
}

u64 vsched_node_part(const struct vsched_node *node)
{
	const struct vsched_node *waiter = vsched_node_waiter(node);
	const struct vsched_clock *clock = &node->clock;
	int others;

	if (!clock->group || clock->rate == VSCHED_RATE_MAX || vsched_clock_is_stopped(clock))
		return clock->rate;
	others = atomic_read(&clock->group->waiting);
	if (waiter->waiting && waiter->until->group == clock->group)
		others--;
	return others > 0 ? div_u64(clock->rate, 1U + others) : clock->rate;
}

u32 vsched_advance(struct vsched_tree *tree, struct vsched_node *node,
		   u32 least, u64 now_ns)
{
	u32 bytes = vsched_node_spare_on_path(node);

	if (tree->open || bytes == ~0U || bytes < max(least, ADVANCE_MIN) ||
	    !vsched_node_path_affords(node, bytes, now_ns))
		return 0;
	for (; node; node = node->parent)
		vsched_clock_advance(&node->clock, bytes, now_ns);
	return bytes;
}

bool vsched_advance_is_out(const struct vsched_node *node, u32 least)
{
	least = max(least, ADVANCE_MIN);
	for (; node; node = node->parent)
		if (node->clock.advance &&
		    vsched_clock_spare(&node->clock) < least)
			return true;
	return false;
}

void vsched_advance_use(struct vsched_node *node, u32 bytes, u64 now_ns)
{
	for (; node; node = node->parent)
		vsched_clock_use(&node->clock, bytes, vsched_node_has_turn(node), now_ns);
}

void vsched_advance_return(struct vsched_tree *tree, struct vsched_node *node,
			   u32 bytes, u64 now_ns)
{
	for (; node; node = node->parent) {
		vsched_node_undefer_around(tree, node, now_ns);
		vsched_clock_return(&node->clock, bytes);
		vsched_node_settle(tree, node, now_ns);
	}
}

bool vsched_advance_recalled(const struct vsched_node *node)
{
	for (; node; node = node->parent)
		if (node->clock.advance &&
		    (node->waiting || (node->parent && node->parent->deferred)))
			return true;
	return false;
}

void vsched_overdraw(struct vsched_tree *tree, struct vsched_node *node,
		     u32 bytes, u64 now_ns)
{
	for (; node; node = node->parent) {
		/* in a group, one that waits is not one of the others that wait */
		vsched_node_cancel_wait(tree, node, now_ns);
		if (!tree->open)
			vsched_clock_charge(&node->clock, bytes, now_ns);
		vsched_node_settle(tree, node, now_ns);
	}
}

void vsched_backlog(struct vsched_tree *tree, struct vsched_node *node,
		    u32 bytes, u64 now_ns)
{
	vsched_share_expect(&node->own, bytes);
	vsched_node_expect(node, bytes);
	if (node->backlogged)
		return;
	node->backlogged = true;
	vsched_node_undefer(tree, node, now_ns);
	if (node->fair)
		vsched_fair_join(node->fair, &node->own, now_ns);
	vsched_node_settle(tree, node, now_ns);
}

/* Return the next active node; NULL if none may leave. */
static struct vsched_node *vsched_choose(struct vsched_tree *tree, u64 now_ns)
{
	struct vsched_node *node = tree->root;
	struct vsched_share *share;

	if (!vsched_root_ready(tree))
		return NULL;
	while (node->fair) {
		share = vsched_fair_pick(node->fair, now_ns);
		if (share == &node->own)
			break;
		node = vsched_node_of_up(share);
	}
	return node;
}

/*
 * Return the last node from @chosen to the wire whose clock is not ready: then @chosen is not
 * served. NULL if all are ready.
 */
static struct vsched_node *vsched_find_unready(const struct vsched_tree *tree,
					       struct vsched_node *chosen, u64 now_ns)
{
	struct vsched_node *node, *found = NULL;

	for (node = chosen; node; node = node->parent)
		if (!vsched_node_may_send(tree, &node->clock, now_ns))
			found = node;
	for (node = chosen; found && node; node = node->parent)
		node->up.by_floor = false;
	return found;
}

/*
 * The tree was open: a node that was next by the earlier state waits for its clock. Return the node
 * that is next in the end.
 */
static noinline struct vsched_node *vsched_choose_shut(struct vsched_tree *tree, u64 now_ns)
{
	struct vsched_node *node, *unready;
	int n;

	if (vsched_next_ns(tree) == VSCHED_NEVER)
		tree->shut = false;
	for (n = 0; n < VSCHED_RELEASE_MAX; n++) {
		node = vsched_choose(tree, now_ns);
		unready = vsched_find_unready(tree, node, now_ns);
		if (!unready)
			return node;
		vsched_node_settle(tree, unready, now_ns);
	}
	return NULL;
}

struct vsched_node *vsched_pick(struct vsched_tree *tree, u64 now_ns)
{
	vsched_node_release(tree, now_ns);
	return tree->shut ? vsched_choose_shut(tree, now_ns) : vsched_choose(tree, now_ns);
}

/* May its parent wait in its stead? Not where others are about to come. */
static bool vsched_node_may_be_deferred(const struct vsched_node *node)
{
	return node->parent && !node->parent->held && vsched_has_contenders(node) &&
	       vsched_fair_is_sole(node->parent->fair, &node->up);
}

/* A packet has left from below a node. Returns the clock for which its parent is to wait. */
static const struct vsched_clock *
vsched_node_serve(struct vsched_tree *tree, struct vsched_node *node,
		  const struct vsched_clock *below, u32 bytes, u64 now_ns)
{
	enum vsched_state state;

	if (node->deferred)
		vsched_node_begin_turn(node, now_ns);
	node->deferred = below;
	if (!tree->open)
		vsched_clock_serve(&node->clock, bytes, now_ns);
	if (vsched_node_may_be_deferred(node)) {
		vsched_fair_serve_sole(&node->up, bytes);
		return vsched_node_find_clock(tree, node, below, now_ns);
	}
	state = vsched_node_find_state(tree, node, below, now_ns);
	if (!node->parent) {
		node->state = state;
		return NULL;
	}
	vsched_node_count_held(node, state);
	vsched_fair_serve(node->parent->fair, &node->up, bytes, state);
	return NULL;
}

void vsched_sent(struct vsched_tree *tree, struct vsched_node *node,
		 u32 bytes, bool more, u64 now_ns)
{
	const struct vsched_clock *below = NULL;

	node->backlogged = more;
	if (node->fair)
		vsched_fair_serve(node->fair, &node->own, bytes,
				  more ? VSCHED_READY : VSCHED_IDLE);
	for (; node; node = node->parent)
		below = vsched_node_serve(tree, node, below, bytes, now_ns);
}

bool vsched_is_next(const struct vsched_tree *tree, const struct vsched_node *node)
{
	const struct vsched_node *first = vsched_first_waiting(tree);

	if (!first || vsched_root_ready(tree))
		return true;
	if (node->fair && !vsched_fair_is_next(node->fair, &node->own))
		return false;
	for (; node != first; node = node->parent)
		if (!node->parent || !vsched_fair_is_next(node->parent->fair, &node->up))
			return false;
	return true;
}

/* The least that the clocks on the way from where one is waited for can save up. */
static u64 vsched_node_path_slack_ns(const struct vsched_clock *until)
{
	const struct vsched_node *node = container_of(until, struct vsched_node, clock);
	u64 slack_ns = VSCHED_NEVER;

	for (; node; node = node->parent)
		if (node->clock.rate != VSCHED_RATE_MAX && !vsched_clock_is_stopped(&node->clock))
			slack_ns = min(slack_ns, node->clock.slack_ns);
	return slack_ns;
}

static u64 vsched_node_longest_ns(const struct vsched_clock *until)
{
	const struct vsched_node *node = container_of(until, struct vsched_node, clock);

	return vsched_clock_duration(until, node->up.longest);
}

u64 vsched_late_ns(const struct vsched_tree *tree, u64 most)
{
	const struct vsched_node *first = vsched_first_waiting(tree), *node;
	u64 late = most, after = 0, second = VSCHED_NEVER;
	struct rb_node *rb;
	int n = 0;

	if (!first || vsched_root_ready(tree) || tree->open)
		return 0;
	for (rb = rb_first_cached(&tree->waiting); rb; rb = rb_next(rb), n++) {
		node = vsched_node_of_wait(rb);
		after = node->until->paid_ns - first->until->paid_ns;
		if (n == 1)
			second = after;
		if (after >= late)
			break;
		if (n == LATE_MAX)
			late = after;
		else
			late = min(late, after + vsched_node_path_slack_ns(node->until) / 2);
	}
	if (second <= late || vsched_node_longest_ns(first->until) <= late)
		return late;
	return 0;
}
