/* SPDX-License-Identifier: GPL-2.0 */
/* Which VIFs "vifctl top" shows, and in what order. */
#ifndef VIFCTL_TOP_LIST_H
#define VIFCTL_TOP_LIST_H

#include "top_model.h"

#define TOP_FILTER_BYTES	64

/* By name, or by the metric whose number is one less */
#define TOP_BY_NAME	0
#define TOP_SORTS	(TOP_METRICS + 1)

/**
 * struct top_order - what is asked for
 * @sort: TOP_BY_NAME, or a metric's number and one: largest first
 * @is_reverse: the other way round
 * @is_flat: not as a tree
 * @is_active: only those that have anything to show
 * @filter: only those with this in their path, whatever case
 */
struct top_order {
	int sort;
	bool is_reverse;
	bool is_flat;
	bool is_active;
	char filter[TOP_FILTER_BYTES];
};

struct top_row {
	struct top_vif *vif;
	unsigned int depth;		/* 0: its whole path is its name */
	bool is_last;			/* of its siblings */
};

struct top_list {
	struct top_row *row;
	size_t count;
};

/**
 * top_list_make - choose and sort
 * @list: what was made before, or empty
 * @model: the VIFs; the list points to them
 * @order: what is asked for
 *
 * A tree has what is asked for, and the VIFs above. Where siblings are sorted by a
 * metric, a VIF counts as much as the one below it that has most.
 *
 * Return: 0, or -1 without memory; the list is empty then.
 */
int top_list_make(struct top_list *list, const struct top_model *model,
		  const struct top_order *order);
void top_list_free(struct top_list *list);

/* The row of a VIF, or the first one. */
size_t top_list_find(const struct top_list *list, uint64_t id);

#endif
