/* SPDX-License-Identifier: GPL-2.0 */
/* How somebody looks at VIFs: what he has chosen by keys. */
#ifndef VIFCTL_TOP_VIEW_H
#define VIFCTL_TOP_VIEW_H

#include "top_list.h"

#define TOP_INTERVAL_MIN_S	0.1
#define TOP_INTERVAL_MAX_S	3600.0

/**
 * struct top_view - what is chosen
 * @order: of the VIFs
 * @interval_s: between two samples
 * @is_paused: no samples are taken
 * @with_sockets: those of the selected VIF are shown
 * @is_help: keys are shown instead
 * @is_typing: keys go into the filter
 * @is_done: the last key was to quit
 * @selected: number of the VIF; 0: whichever comes first
 * @first: number of the row that is at the top of the screen
 * @page: rows on the screen
 */
struct top_view {
	struct top_order order;
	double interval_s;
	bool is_paused;
	bool with_sockets;
	bool is_help;
	bool is_typing;
	bool is_done;
	uint64_t selected;
	size_t first;
	size_t page;
};

/* Does what a key is for. */
void top_view_key(struct top_view *view, const struct top_list *list, int key);

/**
 * top_view_fit - look at rows that there are
 * @view: its selection becomes one of @list, and is on the screen
 * @list: the rows
 * @page: how many there is room for
 */
void top_view_fit(struct top_view *view, const struct top_list *list,
		  size_t page);

/* What the keys do, a line each; NULL at the end. */
extern const char *const top_view_keys[];

#endif
