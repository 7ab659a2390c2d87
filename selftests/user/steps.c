// SPDX-License-Identifier: GPL-2.0
#include "steps.h"

#include "check.h"

#define NS_PER_S	1000000000ULL

/* Times in the past are possible before it, but not before 0. */
#define BEGIN_NS	(1ULL << 52)

static u64 next_random(u64 *state)
{
	u64 x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static u32 next_bytes(struct choice *c, unsigned int count)
{
	u32 value = 0;

	for (; count && c->left; count--, c->left--)
		value = value << 8 | *c->data++;
	return value;
}

u32 choice_below(struct choice *c, u32 limit)
{
	u32 value;

	if (!c->data)
		return (next_random(&c->state) >> 32) * (u64)limit >> 32;
	value = next_bytes(c, limit <= 256 ? 1 : limit <= 65536 ? 2 : 4);
	return value % limit;
}

/* A number whose magnitude is even, up to @limit times 1. */
static u64 magnitude(struct choice *c, unsigned int bits)
{
	unsigned int shift = choice_below(c, bits);

	return (1ULL << shift) + (((u64)choice_below(c, 65536) << shift) >> 16);
}

static struct world_node *any_node(struct steps *s, struct world *w)
{
	unsigned int id = choice_below(&s->choice, w->nodes);

	while (!w->node[id])
		id = (id + 1) % w->nodes;
	return w->node[id];
}

static struct world_node *last_node(struct world *w)
{
	unsigned int id = w->nodes;

	while (!w->node[--id])
		;
	return w->node[id];
}

/* Most packets are short or full; some are anything. */
static u32 packet_bytes(struct steps *s)
{
	switch (choice_below(&s->choice, 4)) {
	case 0:
		return 64;
	case 1:
		return s->longest;
	default:
		return 1 + choice_below(&s->choice, s->longest);
	}
}

/* Where few send, they mostly are alone among their siblings. */
static struct world_node *sender(struct steps *s, struct world *w)
{
	u32 back;

	if (!s->few || !choice_below(&s->choice, 16))
		return any_node(s, w);
	back = min(choice_below(&s->choice, s->few), w->nodes - 1);
	return w->node[w->nodes - 1 - back] ?: last_node(w);
}

static void step_input(struct steps *s, struct world *w)
{
	struct world_node *node = sender(s, w);
	u32 count = choice_below(&s->choice, 8);

	if (s->light || choice_below(&s->choice, 2)) {
		world_input_more(w, node, packet_bytes(s));
		return;
	}
	world_input(w, node, packet_bytes(s));
	while (count--)
		world_queue(w, node, packet_bytes(s));
}

static void step_use(struct steps *s, struct world *w)
{
	unsigned int which = choice_below(&s->choice, WORLD_ADVANCES);
	u32 count = choice_below(&s->choice, 16);

	while (count--)
		world_use(w, which, packet_bytes(s));
	if (!choice_below(&s->choice, 8))
		world_end_advance(w, which);
}

static void step_drain(struct steps *s, struct world *w)
{
	u32 count = 1 + choice_below(&s->choice, 16);

	while (count-- && (world_drain(w, false) || w->behind))
		;
}

static void step_drop(struct steps *s, struct world *w)
{
	if (!choice_below(&s->choice, 8))
		world_drain(w, true);
}

static void step_time(struct steps *s, struct world *w)
{
	switch (choice_below(&s->choice, 8)) {
	case 0:
		world_advance(w, magnitude(&s->choice, 30));
		break;
	case 1:
		world_advance(w, choice_below(&s->choice, 3));
		break;
	default:
		world_advance_to_next(w, 100 * NS_PER_S);
	}
}

static u64 any_rate(struct steps *s)
{
	u64 rate = s->rate / 32 * magnitude(&s->choice, 10);

	if (!choice_below(&s->choice, 3))
		return VSCHED_RATE_MAX;
	return min(max(rate, VSCHED_RATE_MIN), VSCHED_RATE_LIMIT);
}

static void step_clock(struct steps *s, struct world *w)
{
	struct world_node *node = any_node(s, w);
	u64 rate = any_rate(s);
	u64 burst = choice_below(&s->choice, 4) ? s->bursts * s->longest :
						  magnitude(&s->choice, 32);

	world_set_clock(w, node, rate, min(burst, VSCHED_BURST_LIMIT));
}

static unsigned int any_weight(struct steps *s)
{
	u64 weight = magnitude(&s->choice, 14);

	return weight > VSCHED_WEIGHT_MAX ? VSCHED_WEIGHT_MAX : weight;
}

/* Few priorities, that many share one. */
static unsigned int any_priority(struct steps *s)
{
	if (choice_below(&s->choice, 4))
		return VSCHED_PRIORITY_DEFAULT;
	return choice_below(&s->choice, VSCHED_PRIORITIES);
}

/* In proportion to the root's rate: together they are more, or less. */
static void step_minimum(struct steps *s, struct world *w,
			 struct world_node *node)
{
	u64 rate = s->rate / 256 * magnitude(&s->choice, 8);
	u64 burst = choice_below(&s->choice, 4) ? 2 * s->longest :
						  magnitude(&s->choice, 24);

	rate = min(max(rate, VSCHED_RATE_MIN), VSCHED_RATE_LIMIT);
	world_set_minimum(w, node, choice_below(&s->choice, 4) ? rate : 0,
			  burst);
}

static void step_share(struct steps *s, struct world *w)
{
	struct world_node *node = any_node(s, w);
	bool own;

	if (s->minima && node->parent && choice_below(&s->choice, 2)) {
		step_minimum(s, w, node);
		return;
	}
	own = choice_below(&s->choice, 3) == 0;

	world_set_share(w, node, own, any_weight(s), any_priority(s));
}

static u64 any_vtime(struct steps *s)
{
	u64 edge = (u64)choice_below(&s->choice, 4) << 62;

	return edge - magnitude(&s->choice, 50);
}

/* Wide trees, and deep ones: below any node, or below the last one. */
static void step_add(struct steps *s, struct world *w)
{
	struct world_node *parent = choice_below(&s->choice, 2) ?
				    any_node(s, w) : last_node(w);
	unsigned int i, count = 0;

	for (i = 0; i < w->nodes; i++)
		count += w->node[i] != NULL;
	if (count >= s->nodes || parent->depth >= WORLD_DEPTH)
		return;
	world_add(w, parent, any_vtime(s));
}

static void step_remove(struct steps *s, struct world *w)
{
	struct world_node *node = any_node(s, w);

	if (node->parent && !node->child && !node->count)
		world_remove(w, node);
}

static unsigned int height(const struct world_node *node)
{
	const struct world_node *child;
	unsigned int most = 0;

	for (child = node->child; child; child = child->sibling)
		most = max(most, height(child) + 1);
	return most;
}

static void step_move(struct steps *s, struct world *w)
{
	struct world_node *node = any_node(s, w);
	struct world_node *parent = any_node(s, w);

	if (node->parent && !world_is_below(parent, node) &&
	    parent->depth + height(node) < WORLD_DEPTH)
		world_move(w, node, parent);
}

/* It ends when nothing waits any more, or earlier. */
static void step_open(struct steps *s, struct world *w)
{
	if (w->tree.open && (!w->waiting || !choice_below(&s->choice, 4)))
		world_set_open(w, false);
	else if (!w->tree.open && !choice_below(&s->choice, 16))
		world_set_open(w, true);
}

static void (*const settings[])(struct steps *s, struct world *w) = {
	step_clock, step_share, step_add, step_add, step_remove, step_move,
};

void steps_go(struct steps *s, struct world *w)
{
	u32 what = choice_below(&s->choice, 64);

	if (what < 16)
		step_input(s, w);
	else if (what < 24)
		step_use(s, w);
	else if (what < 42)
		step_drain(s, w);
	else if (what < 56)
		step_time(s, w);
	else if (what == 56)
		step_drop(s, w);
	else if (what == 57)
		step_open(s, w);
	else if (!s->calm || w->steps < s->calm)
		settings[what - 58](s, w);
}

void steps_begin(struct steps *s, struct world *w)
{
	struct choice *c = &s->choice;
	u32 i, count;

	s->nodes = 2 + choice_below(c, choice_below(c, 8) ? 24 : 200);
	s->rate = VSCHED_RATE_MIN << choice_below(c, 20);
	s->longest = choice_below(c, 3) ? 1514 : 64 << choice_below(c, 11);
	s->bursts = choice_below(c, 2) ? 2 : 256;
	s->light = !choice_below(c, 3);
	s->calm = choice_below(c, 2) ? 200 : 0;
	s->few = choice_below(c, 2) ? 0 : 1 + choice_below(c, 4);
	world_init(w, BEGIN_NS + choice_below(c, ~0U));
	w->whole = choice_below(c, 2) ? s->longest : 0;
	w->arrears = choice_below(c, 3) * s->longest;
	/* its clocks may stand behind the models' then */
	w->late = w->blind = !choice_below(c, 8);
	s->minima = choice_below(c, 2);
	world_set_clock(w, w->node[0], s->rate, 2 * s->bursts * s->longest);
	count = choice_below(c, s->nodes);
	for (i = 0; i < count; i++) {
		step_add(s, w);
		if (choice_below(c, 2))
			step_share(s, w);
		if (!choice_below(c, 4))
			step_clock(s, w);
	}
}
