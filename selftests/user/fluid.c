// SPDX-License-Identifier: GPL-2.0
#include "fluid.h"

#include <math.h>

/* Bytes below which a lag is the rounding of doubles. */
#define NOTHING	1e-6

static void new_period(struct fluid_group *g)
{
	g->period++;
	g->fresh = g->fresh && !g->served;
	g->served = false;
}

static void add(struct fluid_group *g, struct fluid_share *s)
{
	s->group = g;
	s->prev = NULL;
	s->next = g->first;
	if (g->first)
		g->first->prev = s;
	if (!g->first)
		g->fresh = true;
	g->first = s;
	g->weight += s->weight;
	new_period(g);
}

static void del(struct fluid_share *s)
{
	struct fluid_group *g = s->group;

	if (s->prev)
		s->prev->next = s->next;
	else
		g->first = s->next;
	if (s->next)
		s->next->prev = s->prev;
	g->weight -= s->weight;
	s->group = NULL;
	s->lag = 0;
	if (!g->first)
		g->weight = g->debt = 0;
	new_period(g);
}

/* One that has left and that the fluid has caught up with. */
static struct fluid_share *find_done(const struct fluid_group *g)
{
	struct fluid_share *s, *done = NULL;

	for (s = g->first; s; s = s->next)
		if (!s->active && s->lag > -NOTHING &&
		    (!done || s->lag / s->weight > done->lag / done->weight))
			done = s;
	return done;
}

/* In proportion to the weights; what is too much for one is the others'. */
static void hand_out(struct fluid_group *g, double bytes)
{
	struct fluid_share *s;
	double paid = bytes < g->debt ? bytes : g->debt;

	g->debt -= paid;
	bytes -= paid;
	while (g->first) {
		for (s = g->first; s; s = s->next)
			s->lag += bytes * s->weight / g->weight;
		s = find_done(g);
		if (!s)
			return;
		bytes = s->lag;
		del(s);
	}
}

static bool contend(const struct fluid_group *g)
{
	const struct fluid_share *s;

	for (s = g->first; s; s = s->next)
		if (s->active)
			return true;
	return false;
}

/* What it was behind when it was held has been handed out to the others. */
static void take_back(struct fluid_group *g, struct fluid_share *s)
{
	struct fluid_share *other;

	if (s->kept_in != g->idle)
		s->lag = 0;
	for (other = g->first; other; other = other->next)
		other->lag -= s->lag * other->weight / g->weight;
}

void fluid_join(struct fluid_group *g, struct fluid_share *s)
{
	if (!s->group) {
		take_back(g, s);
		add(g, s);
		g->fresh = g->fresh && s->lag <= 0;
	}
	s->active = true;
}

void fluid_serve(struct fluid_share *s, double bytes)
{
	s->lag -= bytes;
	s->group->served = true;
	hand_out(s->group, bytes);
}

void fluid_leave(struct fluid_share *s)
{
	struct fluid_group *g = s->group;

	s->active = false;
	hand_out(g, 0);
	if (!contend(g))
		g->idle++;
}

void fluid_hold(struct fluid_share *s, double most)
{
	double lag = fmin(s->lag, most);

	s->kept_in = s->group->idle;
	fluid_leave(s);
	if (!s->group)
		s->lag = lag;
}

void fluid_end_hold(struct fluid_share *s)
{
	if (!s->group)
		s->lag = 0;
}

void fluid_forget(struct fluid_share *s)
{
	struct fluid_group *g = s->group;
	double lag = s->lag;

	s->active = false;
	s->lag = 0;
	if (!g)
		return;
	del(s);
	if (!g->first)
		return;
	if (lag < 0)
		g->debt -= lag;
	else
		hand_out(g, lag);
}

void fluid_set_weight(struct fluid_share *s, double weight)
{
	if (s->group) {
		s->group->weight += weight - s->weight;
		new_period(s->group);
	}
	s->weight = weight;
}

double fluid_change(struct fluid_share *s)
{
	if (s->period != s->group->period)
		s->low = s->high = s->lag;
	s->period = s->group->period;
	s->low = fmin(s->low, s->lag);
	s->high = fmax(s->high, s->lag);
	return s->high - s->low;
}
