// SPDX-License-Identifier: GPL-2.0
#include "top_list.h"

#include <stdlib.h>
#include <string.h>

#define NONE	((size_t)-1)

/* VIFs by their places in the model */
struct maker {
	struct top_list *list;
	const struct top_model *model;
	const struct top_order *order;
	size_t *above;			/* the VIF above each, or NONE */
	size_t *below;			/* all, by the one above */
	size_t *first;			/* of each: its first one in @below */
	size_t n_tops;			/* those with none above come first there */
	float *rank;
	bool *is_wanted;
};

/* --- what is asked for --- */

static bool is_active(const struct top_model *model, const struct top_vif *vif)
{
	for (int i = 0; i < TOP_METRICS; i++)
		for (unsigned int age = 0; age < TOP_HISTORY; age++)
			if (top_value(model, vif, i, age) > 0)
				return true;
	return false;
}

static bool is_asked_for(const struct maker *maker, const struct top_vif *vif)
{
	const struct top_order *order = maker->order;

	return (!*order->filter || strcasestr(vif->now.path, order->filter)) &&
	       (!order->is_active || is_active(maker->model, vif));
}

static float rank_of(const struct maker *maker, const struct top_vif *vif)
{
	if (maker->order->sort == TOP_BY_NAME)
		return 0;
	return top_value(maker->model, vif, maker->order->sort - 1, 0);
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct maker *maker = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int sign = maker->order->is_reverse ? -1 : 1;

	if (maker->rank[x] != maker->rank[y])
		return maker->rank[x] > maker->rank[y] ? -sign : sign;
	if (maker->order->sort != TOP_BY_NAME)
		sign = 1;
	return sign * strverscmp(maker->model->vif[x].now.path,
				 maker->model->vif[y].now.path);
}

/* --- the tree --- */

static int by_above(const void *a, const void *b, void *arg)
{
	const struct maker *maker = arg;
	/* NONE and one is 0 */
	size_t x = maker->above[*(const size_t *)a] + 1;
	size_t y = maker->above[*(const size_t *)b] + 1;

	return x < y ? -1 : x > y;
}

static void find_above(struct maker *maker)
{
	const struct top_model *model = maker->model;
	const struct top_vif *above;

	for (size_t i = 0; i < model->count; i++) {
		above = maker->order->is_flat ? NULL :
			top_model_find(model, model->vif[i].now.parent_id);
		maker->above[i] = above ? (size_t)(above - model->vif) : NONE;
		maker->below[i] = i;
	}
	qsort_r(maker->below, model->count, sizeof(*maker->below), by_above,
		maker);
	for (size_t i = model->count; i-- > 0;)
		if (maker->above[maker->below[i]] != NONE)
			maker->first[maker->above[maker->below[i]]] = i;
		else
			maker->n_tops++;
}

/* How many follow one another in @below from there on */
static size_t siblings(const struct maker *maker, size_t from)
{
	size_t n = 0;

	if (from != NONE)
		while (from + n < maker->model->count &&
		       maker->above[maker->below[from + n]] ==
		       maker->above[maker->below[from]])
			n++;
	return n;
}

/*
 * Each has one VIF above, and these are reached from the top: whatever a dump during
 * moves says, this ends.
 */
static void weigh(struct maker *maker, size_t from, size_t n)
{
	for (size_t i = from; i < from + n; i++) {
		const size_t it = maker->below[i], first = maker->first[it];
		const size_t n_below = siblings(maker, first);

		maker->rank[it] = rank_of(maker, &maker->model->vif[it]);
		maker->is_wanted[it] =
			is_asked_for(maker, &maker->model->vif[it]);
		weigh(maker, first, n_below);
		for (size_t j = first; j < first + n_below; j++) {
			const size_t child = maker->below[j];

			if (maker->rank[child] > maker->rank[it])
				maker->rank[it] = maker->rank[child];
			if (maker->is_wanted[child])
				maker->is_wanted[it] = true;
		}
	}
	if (n)
		qsort_r(maker->below + from, n, sizeof(*maker->below), compare,
			maker);
}

static void put(struct maker *maker, size_t from, size_t n, unsigned int depth)
{
	struct top_list *list = maker->list;
	size_t last = NONE;

	for (size_t i = from; i < from + n; i++) {
		const size_t it = maker->below[i];

		if (!maker->is_wanted[it])
			continue;
		last = list->count++;
		list->row[last] = (struct top_row) {
			.vif = &maker->model->vif[it], .depth = depth,
		};
		put(maker, maker->first[it], siblings(maker, maker->first[it]),
		    depth + 1);
	}
	if (last != NONE)
		list->row[last].is_last = true;
}

int top_list_make(struct top_list *list, const struct top_model *model,
		  const struct top_order *order)
{
	const size_t n = model->count + 1;
	struct maker maker = {
		.list = list, .model = model, .order = order,
		.above = calloc(n, sizeof(*maker.above)),
		.below = calloc(n, sizeof(*maker.below)),
		.first = malloc(n * sizeof(*maker.first)),
		.rank = calloc(n, sizeof(*maker.rank)),
		.is_wanted = calloc(n, sizeof(*maker.is_wanted)),
	};
	int ret = -1;

	top_list_free(list);
	list->row = calloc(n, sizeof(*list->row));
	if (list->row && maker.above && maker.below && maker.first &&
	    maker.rank && maker.is_wanted) {
		for (size_t i = 0; i < n; i++)
			maker.first[i] = NONE;
		find_above(&maker);
		weigh(&maker, 0, maker.n_tops);
		put(&maker, 0, maker.n_tops, 0);
		ret = 0;
	}
	free(maker.above);
	free(maker.below);
	free(maker.first);
	free(maker.rank);
	free(maker.is_wanted);
	return ret;
}

void top_list_free(struct top_list *list)
{
	free(list->row);
	*list = (struct top_list) { 0 };
}

size_t top_list_find(const struct top_list *list, uint64_t id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->row[i].vif->now.id == id)
			return i;
	return 0;
}
