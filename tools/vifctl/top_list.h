/* SPDX-License-Identifier: GPL-2.0 */
/* Which VIFs "vifctl top" shows, and in what order. */
#ifndef VIFCTL_TOP_LIST_H
#define VIFCTL_TOP_LIST_H

#include "top_model.h"

#define TOP_FILTER_BYTES	64

/* Values of top_order.sort: by name, or 1 + enum top_metric. */
#define TOP_BY_NAME	0
#define TOP_SORTS	(TOP_METRICS + 1)

/**
 * struct top_order - order and filters of the list
 * @sort: TOP_BY_NAME, or 1 + enum top_metric: largest first
 * @is_reverse: reverse the order
 * @is_flat: do not show a tree
 * @is_active: show only VIFs with traffic
 * @filter: show only VIFs with this text in their path, ignoring case
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
	unsigned int depth;		/* 0: the row shows the whole path */
	bool is_last;			/* the last of its siblings */
};

struct top_list {
	struct top_row *row;
	size_t count;
};

/**
 * top_list_make - filter and sort the VIFs
 * @list: an older list, or an empty one
 * @model: the VIFs; the list points to them
 * @order: order and filters
 *
 * A tree also has the VIFs above the matching ones. If siblings are sorted by a metric, the value of a VIF
 * is the largest one of it and the VIFs below it.
 *
 * Return: 0, or -1 without memory; then the list is empty.
 */
int top_list_make(struct top_list *list, const struct top_model *model,
		  const struct top_order *order);
void top_list_free(struct top_list *list);

/* Return the number of a VIF's row, or 0 if the list does not have it. */
size_t top_list_find(const struct top_list *list, uint64_t id);

#endif
