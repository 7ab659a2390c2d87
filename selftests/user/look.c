// SPDX-License-Identifier: GPL-2.0
#include "look.h"

#include <math.h>

#include "check.h"

/* Virtual time has units, and weights are inverted in 31 bits. */
#define ROUNDING	0.001

/* A clock takes a byte to last longer than it does: nanoseconds of two seconds. */
#define CLOCK_ERROR	20

static enum bucket_state clock_state(struct world *w, struct world_node *n)
{
	return w->tree.open ? BUCKET_READY :
			      bucket_state(&n->bucket, w->now_ns);
}

/* From a p_queue that has packets up to where a clock holds them back. */
static void mark_ready(struct world *w, struct world_node *n)
{
	bool sure = true;

	for (; n; n = n->parent) {
		enum bucket_state state = clock_state(w, n);

		if (state == BUCKET_WAIT)
			return;
		if (state == BUCKET_UNSURE)
			sure = false;
		if (n->ready || (n->unsure && !sure))
			return;
		n->ready = sure;
		n->unsure = !sure;
	}
}

void look_ready(struct world *w)
{
	unsigned int i;

	for (i = 0; i < w->nodes; i++)
		if (w->node[i])
			w->node[i]->ready = w->node[i]->unsure = false;
	for (i = 0; i < w->nodes; i++)
		if (w->node[i] && w->node[i]->count)
			mark_ready(w, w->node[i]);
}

/* Nodes that wait in the core, though their clock is ready by the model. */
static unsigned int overdue(const struct world *w)
{
	unsigned int i, n = 0;

	for (i = 0; i < w->nodes; i++)
		if (w->node[i] && w->node[i]->core.waiting &&
		    (w->tree.open ||
		     bucket_state(&w->node[i]->bucket, w->now_ns) !=
		     BUCKET_WAIT))
			n++;
	return n;
}

void look_before(struct world *w)
{
	look_ready(w);
	w->behind = overdue(w) > VSCHED_RELEASE_MAX;
}

static void sync_up(struct world_node *n, bool active)
{
	struct fluid_group *g = &n->parent->group[n->up.priority];

	if (active && !n->up.active)
		fluid_join(g, &n->up);
	else if (!active && n->core.state == VSCHED_IDLE && !n->up.active)
		fluid_end_hold(&n->up);
	else if (!active && n->core.state == VSCHED_IDLE)
		fluid_leave(&n->up);
	else if (!active && n->up.active)
		fluid_hold(&n->up, n->core.up.longest);
}

static void sync_own(struct world_node *n, bool active)
{
	if (active && !n->own.active)
		fluid_join(&n->group[n->own.priority], &n->own);
	else if (!active && n->own.active)
		fluid_leave(&n->own);
}

static bool is_promised(const struct world_node *n)
{
	return n->promise.active && n->promise.rate;
}

/* Of those of a priority, the one that is late for longest. */
static struct world_node *latest(struct world *w, const struct world_node *at,
				 unsigned int priority)
{
	struct world_node *n, *found = NULL;

	for (n = at->child; n; n = n->sibling)
		if (is_promised(n) && n->up.priority == priority &&
		    (!found || promise_late_ns(&n->promise, w->now_ns) >
			       promise_late_ns(&found->promise, w->now_ns)))
			found = n;
	return found;
}

static double most_late_ns(const struct world_node *n, u32 longest)
{
	return VSCHED_LATE_NS + (2e9 + CLOCK_ERROR) * longest / n->promise.rate +
	       n->promise.rounding_ns;
}

/* Time that is taken off for all of them at once; not for those that have come since. */
static void forgive_class(struct world *w, struct world_node *at,
			  unsigned int priority)
{
	u64 now = at->fair->class[priority].floors.forgiven_ns;
	u64 forgiven = now - at->forgiven_ns[priority];
	struct world_node *n, *first;

	if (!forgiven)
		return;
	at->forgiven_ns[priority] = now;
	for (n = at->child; n; n = n->sibling)
		if (is_promised(n) && n->up.priority == priority)
			promise_forgive(&n->promise, forgiven);
	first = latest(w, at, priority);
	lab_check(first && (s64)forgiven > 0 &&
		  promise_late_ns(&first->promise, w->now_ns) >
		  VSCHED_LATE_NS - first->promise.rounding_ns,
		  "node %u: %llu ns are taken off the minima below it", at->id,
		  forgiven);
	w->forgiven++;
}

static const struct vsched_floors *floors_of(const struct world_node *n)
{
	return &n->parent->fair->class[n->up.priority].floors;
}

static double core_late_ns(const struct world *w, const struct world_node *n)
{
	return (s64)(w->now_ns - floors_of(n)->forgiven_ns -
		     n->floor.clock.paid_ns);
}

static bool is_later(const struct world *w, const struct world_node *a,
		     const struct world_node *b)
{
	double late = core_late_ns(w, a) - core_late_ns(w, b);

	return late > 0 || (!late && a->floor.clock.slack_ns >
				     b->floor.clock.slack_ns);
}

/*
 * Of those that have come, the one that is latest, and may be so by itself: the others may
 * be as late as that.
 */
static struct world_node *next_come(struct world *w)
{
	struct world_node *n, *found = NULL;
	unsigned int i;

	for (i = 0; i < w->nodes; i++) {
		n = w->node[i];
		if (n && n->promise.rate && !n->promise.active &&
		    n->core.up.active && (!found || is_later(w, n, found)))
			found = n;
	}
	return found;
}

static void join_promise(struct world *w, struct world_node *n)
{
	double late = core_late_ns(w, n), others = -INFINITY;
	struct world_node *first;

	first = latest(w, n->parent, n->up.priority);
	if (first)
		others = promise_late_ns(&first->promise, w->now_ns);
	lab_check(promise_join(&n->promise, late, others,
			       most_late_ns(n, floors_of(n)->longest), w->now_ns),
		  "node %u: it comes, and is %.0f ns late for its minimum",
		  n->id, late);
}

/* As of the fluid's, those who come are first. */
static void sync_promises(struct world *w)
{
	unsigned int i, priority;
	struct world_node *n;

	for (i = 0; i < w->nodes; i++)
		for (priority = 0; priority < VSCHED_PRIORITIES; priority++)
			if (w->node[i] && w->node[i]->fair)
				forgive_class(w, w->node[i], priority);
	while ((n = next_come(w)))
		join_promise(w, n);
	for (i = 0; i < w->nodes; i++) {
		n = w->node[i];
		if (n && n->promise.active && !n->core.up.active)
			promise_leave(&n->promise, w->now_ns);
	}
}

static void sync_all(struct world *w, bool active)
{
	unsigned int i;

	for (i = 0; i < w->nodes; i++) {
		struct world_node *n = w->node[i];

		if (!n)
			continue;
		if (n->parent && n->core.up.active == active)
			sync_up(n, active);
		if (n->core.own.active == active)
			sync_own(n, active);
	}
}

/*
 * Only a move has some come and others leave at once. Then those come first: what
 * is above both stays, and who comes shares what is left behind by who leaves.
 */
void look_sync(struct world *w)
{
	sync_all(w, true);
	sync_all(w, false);
	sync_promises(w);
}

/* No node that could be drained comes before @s by priority. */
static void check_priority(const struct world_node *at,
			   const struct fluid_share *s)
{
	const struct world_node *child;

	lab_check(!at->count || at->own.priority >= s->priority,
		  "node %u: priority %u goes before its own packets of %u",
		  at->id, s->priority, at->own.priority);
	for (child = at->child; child; child = child->sibling)
		lab_check(!child->ready || child->up.priority >= s->priority,
			  "node %u: priority %u goes before node %u of %u",
			  at->id, s->priority, child->id, child->up.priority);
}

/* Is the place of @s, who has been picked, the one of whose turn it is? */
static void check_floors(struct world *w, struct world_node *at,
			 const struct fluid_share *s, struct world_node *by)
{
	struct world_node *first = latest(w, at, s->priority);
	double late, rounding;

	if (!first) {
		lab_check(!by, "node %u: it has no minimum", at->id);
		return;
	}
	late = promise_late_ns(&first->promise, w->now_ns);
	rounding = first->promise.rounding_ns;
	if (!by) {
		lab_check(late <= rounding,
			  "node %u: others share, and %u is late for its minimum by %.0f ns",
			  at->id, first->id, late);
		return;
	}
	rounding += by->promise.rounding_ns;
	late -= promise_late_ns(&by->promise, w->now_ns);
	lab_check(is_promised(by) && late <= rounding,
		  "node %u: its minimum comes before that of %u, which is %.0f ns later",
		  by->id, first->id, late);
	lab_check(promise_late_ns(&by->promise, w->now_ns) >= -rounding,
		  "node %u: its minimum is not due yet", by->id);
	lab_check(promise_late_ns(&by->promise, w->now_ns) <=
		  most_late_ns(by, w->longest),
		  "node %u: %.0f ns too late, and all of it is made up for",
		  by->id, promise_late_ns(&by->promise, w->now_ns));
}

static void check_all_floors(struct world *w, struct world_node *n)
{
	if (n->fair)
		check_floors(w, n, &n->own, NULL);
	for (; n->parent; n = n->parent)
		check_floors(w, n->parent, &n->up,
			     n->core.up.by_floor ? n : NULL);
}

void look_picked(struct world *w, struct world_node *node)
{
	const struct world_node *n;

	look_sync(w);
	if (!node) {
		lab_check(!w->node[0]->ready || w->behind,
			  "it idles, and something could leave");
		lab_check(vsched_next_ns(&w->tree) > w->now_ns || w->behind,
			  "it is to be called again for nothing");
		return;
	}
	for (n = node; n; n = n->parent)
		lab_check(n->ready || n->unsure,
			  "node %u leaves, and the clock of %u is not ready",
			  node->id, n->id);
	check_all_floors(w, node);
	if (w->behind)
		return;
	if (node->fair)
		check_priority(node, &node->own);
	for (n = node; n->parent; n = n->parent)
		check_priority(n->parent, &n->up);
}

static void check_off(struct world *w, enum world_bound which, double bytes,
		      const struct world_node *at, const struct fluid_share *s)
{
	static const double allowed[] = {
		[WORLD_FRESH] = 1, [WORLD_PERIOD] = 2, [WORLD_EVER] = 2,
	};
	double off = fabs(bytes) / w->longest;

	if (off > w->worst[which])
		w->worst[which] = off;
	lab_check(off <= allowed[which] + ROUNDING,
		  "node %u: a contender of weight %.0f is %+.0f bytes off its fluid share (bound %u), the longest packet has %u",
		  at->id, s->weight, -bytes, which, w->longest);
}

/* The same lag, as the core's virtual time has it. */
static double core_lag(const struct world_node *at,
		       const struct vsched_share *s)
{
	const struct vsched_class *class = &at->fair->class[s->priority];

	return (s64)(class->vtime - s->start) * (double)s->weight / (1U << 31);
}

static void check_core_lag(struct world *w, const struct world_node *at,
			   const struct fluid_share *s)
{
	const struct vsched_share *core = s == &at->own ? &at->core.own :
		&container_of(s, struct world_node, up)->core.up;

	lab_check(fabs(core_lag(at, core) - s->lag) < w->longest * ROUNDING,
		  "node %u: virtual time says a lag of %.1f, the fluid %.1f",
		  at->id, core_lag(at, core), s->lag);
}

static void check_group(struct world *w, const struct world_node *at,
			const struct fluid_group *g)
{
	struct fluid_share *s;

	for (s = g->first; s; s = s->next) {
		if (w->exact)
			check_core_lag(w, at, s);
		check_off(w, WORLD_PERIOD, fluid_change(s), at, s);
		check_off(w, WORLD_EVER, s->lag, at, s);
		if (g->fresh)
			check_off(w, WORLD_FRESH, s->lag, at, s);
	}
}

void look_lags(struct world *w, const struct world_node *node)
{
	if (node->fair)
		check_group(w, node, &node->group[node->own.priority]);
	for (; node->parent; node = node->parent)
		check_group(w, node->parent,
			    &node->parent->group[node->up.priority]);
}

/* When may the first of a node's packets leave, at the latest? */
static double latest_ns(struct world *w, struct world_node *n)
{
	double latest = 0;

	for (; n && !w->tree.open; n = n->parent)
		latest = fmax(latest, bucket_wait_ns(&n->bucket, w->now_ns));
	return latest;
}

static void check_next(struct world *w)
{
	u64 next = vsched_next_ns(&w->tree);
	double first = INFINITY;
	unsigned int i;

	lab_check((next == VSCHED_NEVER) == !w->waiting,
		  "%llu packets wait, and the next time is %llu", w->waiting,
		  next);
	if (!w->waiting || next <= w->now_ns)
		return;
	for (i = 0; i < w->nodes; i++)
		if (w->node[i] && w->node[i]->count)
			first = fmin(first, latest_ns(w, w->node[i]));
	lab_check(next - w->now_ns <= first + 1,
		  "the next time is %llu ns ahead, and a packet can leave in %.0f",
		  next - w->now_ns, first);
}

static void check_states(struct world *w)
{
	unsigned int i;

	for (i = 0; i < w->nodes; i++) {
		struct world_node *n = w->node[i];

		if (!n)
			continue;
		lab_check(!vsched_node_released(&n->core) || n->ready ||
			  n->unsure || w->tree.shut,
			  "node %u: released, and its clock is not ready", i);
		lab_check(!n->parent || n->parent->core.deferred ||
			  n->core.up.active == vsched_node_released(&n->core),
			  "node %u: active and released differ", i);
		lab_check(!vsched_node_released(&n->core) || !n->parent || n->core.up.active,
			  "node %u: released, and not active", i);
		lab_check(!n->count == !n->core.backlogged,
			  "node %u: %u packets wait, backlogged says %u", i,
			  n->count, n->core.backlogged);
	}
}

void look_around(struct world *w)
{
	look_ready(w);
	check_states(w);
	check_next(w);
	if (w->steps % w->inside_every == 0)
		look_inside(w);
}
