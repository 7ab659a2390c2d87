// SPDX-License-Identifier: GPL-2.0
#include "world.h"

#include <linux/bitops.h>
#include <stdlib.h>

#include "check.h"
#include "look.h"

static void start_share(struct fluid_share *s)
{
	*s = (struct fluid_share) {
		.weight = VSCHED_WEIGHT_DEFAULT,
		.priority = VSCHED_PRIORITY_DEFAULT,
	};
}

static struct world_node *new_node(struct world *w, struct world_node *parent)
{
	struct world_node *node = calloc(1, sizeof(*node));
	unsigned int id = 0;

	while (w->node[id])
		id++;
	w->node[id] = node;
	if (id >= w->nodes)
		w->nodes = id + 1;
	node->id = id;
	node->parent = parent;
	vsched_node_init(&node->core, parent ? &parent->core : NULL);
	vsched_floor_init(&node->floor, &node->core.up);
	bucket_init(&node->bucket);
	start_share(&node->up);
	start_share(&node->own);
	return node;
}

void world_init(struct world *w, u64 now_ns)
{
	*w = (struct world) {
		.now_ns = now_ns,
		.longest = 1514,
		.inside_every = 16,
	};
	vsched_tree_init(&w->tree, &new_node(w, NULL)->core);
}

void world_exit(struct world *w)
{
	unsigned int i;

	for (i = 0; i < w->nodes; i++) {
		if (!w->node[i])
			continue;
		free(w->node[i]->fair);
		free(w->node[i]);
	}
}

static void tell(struct world *w, struct world_advance *a)
{
	vsched_advance_use(&a->node->core, a->untold, w->now_ns);
	a->untold = 0;
}

static void return_advance(struct world *w, unsigned int which)
{
	struct world_advance *a = &w->advance[which];

	if (!a->node)
		return;
	tell(w, a);
	vsched_advance_return(&w->tree, &a->node->core, a->left, w->now_ns);
	a->node = NULL;
}

/* Who waited for others, too, may be ready by now. */
void world_end_advance(struct world *w, unsigned int which)
{
	return_advance(w, which);
	if (!w->blind)
		look_sync(w);
}

/*
 * What a port does before it lets go of its lock. Who waits has left for a moment.
 * Returns whether there was something.
 */
static bool recall(struct world *w)
{
	bool any = w->tree.recall;
	unsigned int i;

	if (any && !w->blind)
		look_sync(w);
	while (w->tree.recall) {
		w->tree.recall = false;
		for (i = 0; i < WORLD_ADVANCES; i++)
			if (w->advance[i].node &&
			    vsched_advance_recalled(&w->advance[i].node->core))
				return_advance(w, i);
	}
	return any;
}

/* All of those whose path goes by @node. */
static void end_advances(struct world *w, const struct world_node *node)
{
	unsigned int i;

	for (i = 0; i < WORLD_ADVANCES; i++)
		if (world_is_below(w->advance[i].node, node))
			return_advance(w, i);
	/* what comes by that may leave by what follows */
	if (!w->blind)
		look_sync(w);
}

static bool waits(const struct vsched_node *core)
{
	return core->state == VSCHED_READY && !core->deferred;
}

/* Tell the models in which nodes packets wait whose clocks are ready. */
static void sync_waits(struct world *w)
{
	unsigned int i;

	for (i = 0; i < w->nodes; i++)
		if (w->node[i])
			bucket_set_waits(&w->node[i]->bucket, waits(&w->node[i]->core),
					 w->now_ns);
}

static void after(struct world *w)
{
	recall(w);
	sync_waits(w);
	w->steps++;
	if (w->blind)
		return;
	look_sync(w);
	look_around(w);
}

/* Virtual time may begin anywhere: it goes round. */
static void adopt(struct world_node *parent, u64 vtime)
{
	unsigned int i;

	if (parent->fair)
		return;
	parent->fair = calloc(1, sizeof(*parent->fair));
	for (i = 0; i < VSCHED_PRIORITIES; i++)
		parent->fair->class[i].vtime = vtime;
	vsched_node_set_fair(&parent->core, parent->fair);
}

static void link_below(struct world_node *node, struct world_node *parent)
{
	node->parent = parent;
	node->sibling = parent->child;
	parent->child = node;
}

static void unlink_node(struct world_node *node)
{
	struct world_node **link = &node->parent->child;

	while (*link != node)
		link = &(*link)->sibling;
	*link = node->sibling;
	fluid_forget(&node->up);
}

static void set_depths(struct world_node *node)
{
	struct world_node *child;

	node->depth = node->parent->depth + 1;
	for (child = node->child; child; child = child->sibling)
		set_depths(child);
}

struct world_node *world_add(struct world *w, struct world_node *parent,
			     u64 vtime)
{
	struct world_node *node;

	adopt(parent, vtime);
	node = new_node(w, parent);
	link_below(node, parent);
	set_depths(node);
	w->settings++;
	after(w);
	return node;
}

void world_remove(struct world *w, struct world_node *node)
{
	end_advances(w, node);
	lab_check(vsched_node_idle(&node->core),
		  "node %u is idle, and the core denies it", node->id);
	vsched_node_exit(&node->core);
	unlink_node(node);
	w->node[node->id] = NULL;
	free(node->fair);
	free(node);
	w->settings++;
	after(w);
}

bool world_is_below(const struct world_node *node,
		    const struct world_node *above)
{
	while (node && node != above)
		node = node->parent;
	return node;
}

static u64 waiting_below(const struct world_node *node)
{
	const struct world_node *child;
	u64 count = node->count;

	for (child = node->child; child; child = child->sibling)
		count += waiting_below(child);
	return count;
}

void world_move(struct world *w, struct world_node *node,
		struct world_node *parent)
{
	u64 waiting = waiting_below(node);
	struct world_node *n;

	adopt(parent, 0);
	end_advances(w, node);
	promise_leave(&node->promise, w->now_ns);
	bucket_set_waits(&node->bucket, false, w->now_ns);
	vsched_node_move(&w->tree, &node->core, &parent->core, w->now_ns);
	for (n = node->parent; n; n = n->parent)
		n->in -= waiting;
	unlink_node(node);
	link_below(node, parent);
	set_depths(node);
	for (n = parent; n; n = n->parent)
		n->in += waiting;
	w->settings++;
	after(w);
}

void world_set_clock(struct world *w, struct world_node *node, u64 rate,
		     u64 burst)
{
	u64 longest = w->whole ? min(burst / 2, (u64)w->whole) : burst / 2;

	end_advances(w, node);
	w->tree.arrears = w->arrears;
	vsched_node_set_clock(&w->tree, &node->core, rate, burst, longest, w->now_ns);
	bucket_set(&node->bucket, rate, burst, longest, w->now_ns);
	bucket_set_arrears(&node->bucket, w->arrears);
	w->settings++;
	after(w);
}

static void set_fluid(struct fluid_share *s, unsigned int weight,
		      unsigned int priority)
{
	if (priority != s->priority)
		fluid_forget(s);
	s->priority = priority;
	fluid_set_weight(s, weight);
}

void world_set_share(struct world *w, struct world_node *node, bool own,
		     unsigned int weight, unsigned int priority)
{
	if (own) {
		vsched_node_set_own_share(&node->core, weight, priority);
		set_fluid(&node->own, weight, priority);
	} else {
		if (priority != node->up.priority)
			promise_leave(&node->promise, w->now_ns);
		vsched_node_set_share(&w->tree, &node->core, weight, priority,
				      w->now_ns);
		set_fluid(&node->up, weight, priority);
	}
	w->settings++;
	after(w);
}

void world_set_minimum(struct world *w, struct world_node *node, u64 rate,
		       u64 burst)
{
	promise_leave(&node->promise, w->now_ns);
	vsched_node_set_minimum(&w->tree, &node->core, &node->floor, rate, burst,
				w->now_ns);
	promise_set(&node->promise, rate, burst, w->now_ns);
	w->settings++;
	after(w);
}

void world_set_open(struct world *w, bool open)
{
	end_advances(w, w->node[0]);
	vsched_tree_set_open(&w->tree, open);
	after(w);
}

static void count_in(struct world *w, struct world_node *node, u32 bytes)
{
	if (bytes > w->longest)
		w->longest = bytes;
	for (; node; node = node->parent)
		node->in++;
}

bool world_queue(struct world *w, struct world_node *node, u32 bytes)
{
	if (node->count == WORLD_WAIT)
		return false;
	count_in(w, node, bytes);
	node->bytes[(node->head + node->count++) % WORLD_WAIT] = bytes;
	w->waiting++;
	vsched_backlog(&w->tree, &node->core, bytes, w->now_ns);
	lab_check(node->core.own.longest >= bytes && node->core.up.longest >= bytes,
		  "node %u: a packet of %u bytes is not expected", node->id, bytes);
	after(w);
	return true;
}

static void leave(struct world *w, struct world_node *node, u32 bytes)
{
	for (; node; node = node->parent) {
		node->out++;
		node->got += bytes;
		lab_check(w->tree.open ||
			  bucket_charge(&node->bucket, bytes, w->now_ns),
			  "node %u: more than rate * time + burst: %.0f bytes, and %.0f are promised",
			  node->id, node->bucket.excess, node->bucket.most);
	}
}

/* Either of its minimum or of its share. */
static void serve_fluid(struct world *w, struct world_node *node, u32 bytes)
{
	if (node->fair)
		fluid_serve(&node->own, bytes);
	for (; node->parent; node = node->parent)
		if (node->core.up.by_floor) {
			promise_charge(&node->promise, bytes);
			w->by_floor++;
		} else {
			fluid_serve(&node->up, bytes);
		}
}

static void check_pass(struct world *w, struct world_node *node)
{
	struct world_node *n;

	look_ready(w);
	lab_check(!w->node[0]->ready, "node %u: passes what could leave",
		  node->id);
	for (n = node; n && !w->tree.open; n = n->parent)
		lab_check(bucket_state(&n->bucket, w->now_ns) != BUCKET_WAIT,
			  "node %u: passes the clock of %u", node->id, n->id);
}

/* As a port does: what is free passes whatever the time is. */
static bool pass(struct world *w, struct world_node *node, u32 bytes)
{
	bool is_free = vsched_is_free(&w->tree, &node->core);
	bool passed = vsched_pass(&w->tree, &node->core, bytes,
				  is_free ? 0 : w->now_ns);

	lab_check(passed || !is_free, "node %u: is free, and cannot pass",
		  node->id);
	return passed;
}

static void pay(struct world *w, struct world_node *node, u32 least)
{
	struct world_advance *a = w->advance;

	while (a < w->advance + WORLD_ADVANCES && a->node)
		a++;
	if (a == w->advance + WORLD_ADVANCES)
		return;
	a->left = vsched_advance(&w->tree, &node->core, least, w->now_ns);
	if (!a->left)
		return;
	lab_check(a->left >= least && !vsched_is_clockless(&node->core),
		  "node %u: an advance of %u bytes", node->id, a->left);
	a->node = node;
	w->advances++;
}

/* The shares know nothing of it, because none was active when it was paid for. */
void world_use(struct world *w, unsigned int which, u32 bytes)
{
	struct world_advance *a = &w->advance[which];

	if (!a->node || bytes > a->left)
		return;
	a->left -= bytes;
	a->untold += bytes;
	count_in(w, a->node, bytes);
	leave(w, a->node, bytes);
	if (!w->late)
		tell(w, a);
	after(w);
}

static bool input(struct world *w, struct world_node *node, u32 bytes,
		  bool more)
{
	if (!pass(w, node, bytes))
		return world_queue(w, node, bytes);
	if (more)
		pay(w, node, bytes);
	count_in(w, node, bytes);
	if (!w->blind)
		check_pass(w, node);
	/* none is active: the shares need not know */
	leave(w, node, bytes);
	after(w);
	if (!w->blind)
		look_lags(w, node);
	return true;
}

bool world_input(struct world *w, struct world_node *node, u32 bytes)
{
	return input(w, node, bytes, false);
}

bool world_input_more(struct world *w, struct world_node *node, u32 bytes)
{
	return input(w, node, bytes, true);
}

static u32 take(struct world *w, struct world_node *node)
{
	u32 bytes = node->bytes[node->head];

	lab_check(node->count, "node %u: picked, and has nothing", node->id);
	node->head = (node->head + 1) % WORLD_WAIT;
	node->count--;
	w->waiting--;
	return bytes;
}

static void drop_all(struct world *w, struct world_node *node)
{
	struct world_node *n;

	while (node->count) {
		take(w, node);
		for (n = node; n; n = n->parent)
			n->dropped++;
	}
	vsched_sent(&w->tree, &node->core, 0, false, w->now_ns);
}

static void send(struct world *w, struct world_node *node)
{
	u32 bytes = take(w, node);

	leave(w, node, bytes);
	if (!w->blind)
		serve_fluid(w, node, bytes);
	vsched_sent(&w->tree, &node->core, bytes, node->count, w->now_ns);
}

/*
 * No call loops for long: trees are touched for each clock that becomes ready,
 * and a few times on each level; a touch costs the logarithm, and that of a treap is
 * twice or three times as much.
 */
static void check_work(struct world *w, u64 before)
{
	u64 touches = VSCHED_RELEASE_MAX * 4 + (WORLD_DEPTH + 1) * 8;
	u64 work = lab_tree_work - before;

	lab_check(work < touches * 3 * fls(w->nodes),
		  "%llu operations on trees for one packet", work);
	w->most_work = max(w->most_work, work);
}

struct world_node *world_drain(struct world *w, bool drop)
{
	u64 work = lab_tree_work;
	struct vsched_node *picked;
	struct world_node *node = NULL;

	if (!w->blind)
		look_before(w);
	do
		picked = vsched_pick(&w->tree, w->now_ns);
	while (!picked && recall(w));
	if (picked)
		node = container_of(picked, struct world_node, core);
	if (!w->blind)
		look_picked(w, node);
	if (node && drop)
		drop_all(w, node);
	else if (node)
		send(w, node);
	check_work(w, work);
	after(w);
	if (node && !w->blind)
		look_lags(w, node);
	return node;
}

void world_advance(struct world *w, u64 ns)
{
	w->now_ns += ns;
	after(w);
}

bool world_advance_to_next(struct world *w, u64 most_ns)
{
	u64 next = vsched_next_ns(&w->tree);

	if (next == VSCHED_NEVER)
		return false;
	if (next > w->now_ns)
		world_advance(w, min(next - w->now_ns, most_ns));
	return true;
}

void world_empty(struct world *w)
{
	unsigned int i;

	world_set_open(w, true);
	while (w->waiting)
		lab_check(world_drain(w, false) || w->behind,
			  "%llu packets do not come out", w->waiting);
	world_set_open(w, false);
	for (i = 0; i < w->nodes; i++) {
		struct world_node *n = w->node[i];

		lab_check(!n || n->in == n->out + n->dropped,
			  "node %u: %llu in, %llu out, %llu dropped", i,
			  n->in, n->out, n->dropped);
	}
}
