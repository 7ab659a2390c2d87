// SPDX-License-Identifier: GPL-2.0
/* A tree is sorted as a whole: two VIFs compare like their ancestors that are siblings. */
#include "top_list.h"

#include <linux/netnice.h>
#include <stdlib.h>
#include <string.h>

/* By places in the model */
struct maker {
	const struct top_model *model;
	const struct top_order *order;
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

static int above(const struct maker *maker, int i)
{
	return maker->order->is_flat ? -1 : maker->model->vif[i].now.above;
}

static unsigned int depth(const struct maker *maker, int i)
{
	return maker->order->is_flat ? 0 : maker->model->vif[i].now.depth;
}

/* A parent comes before those below it, so from the end all of these are known. */
static void weigh(struct maker *maker)
{
	for (int i = maker->model->count - 1; i >= 0; i--) {
		const struct top_vif *vif = &maker->model->vif[i];
		const int up = above(maker, i);
		const float rank = rank_of(maker, vif);

		if (rank > maker->rank[i])
			maker->rank[i] = rank;
		maker->is_wanted[i] |= is_asked_for(maker, vif);
		if (up < 0)
			continue;
		if (maker->rank[i] > maker->rank[up])
			maker->rank[up] = maker->rank[i];
		maker->is_wanted[up] |= maker->is_wanted[i];
	}
}

static int compare_siblings(const struct maker *maker, int x, int y)
{
	int sign = maker->order->is_reverse ? -1 : 1;

	if (maker->rank[x] != maker->rank[y])
		return maker->rank[x] > maker->rank[y] ? -sign : sign;
	if (maker->order->sort != TOP_BY_NAME)
		sign = 1;
	return sign * strverscmp(maker->model->vif[x].now.path,
				 maker->model->vif[y].now.path);
}

/* As those of them and of the VIFs above that are siblings; else the one above is first. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct maker *maker = arg;
	int x = ((const struct top_row *)a)->vif - maker->model->vif;
	int y = ((const struct top_row *)b)->vif - maker->model->vif;
	const int deeper = (int)depth(maker, x) - (int)depth(maker, y);

	while (depth(maker, x) > depth(maker, y))
		x = above(maker, x);
	while (depth(maker, y) > depth(maker, x))
		y = above(maker, y);
	if (x == y)
		return deeper;
	while (above(maker, x) != above(maker, y)) {
		x = above(maker, x);
		y = above(maker, y);
	}
	return compare_siblings(maker, x, y);
}

static void mark_last(struct top_list *list)
{
	bool followed[NETNICE_DEPTH_MAX + 2] = { false };

	for (size_t i = list->count; i-- > 0;) {
		struct top_row *row = &list->row[i];

		row->is_last = !followed[row->depth];
		followed[row->depth] = true;
		followed[row->depth + 1] = false;
	}
}

static void make(struct top_list *list, struct maker *maker)
{
	weigh(maker);
	for (size_t i = 0; i < maker->model->count; i++)
		if (maker->is_wanted[i])
			list->row[list->count++] = (struct top_row) {
				.vif = &maker->model->vif[i],
				.depth = depth(maker, i),
			};
	qsort_r(list->row, list->count, sizeof(*list->row), compare, maker);
	mark_last(list);
}

int top_list_make(struct top_list *list, const struct top_model *model,
		  const struct top_order *order)
{
	const size_t n = model->count + 1;
	struct maker maker = {
		.model = model, .order = order,
		.rank = malloc(n * sizeof(*maker.rank)),
		.is_wanted = calloc(n, sizeof(*maker.is_wanted)),
	};
	int ret = -1;

	top_list_free(list);
	list->row = calloc(n, sizeof(*list->row));
	if (list->row && maker.rank && maker.is_wanted) {
		for (size_t i = 0; i < n; i++)
			maker.rank[i] = TOP_NONE;
		make(list, &maker);
		ret = 0;
	}
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
