// SPDX-License-Identifier: GPL-2.0
/* The effects of keys: top.c reads keys, top_screen.c draws the result. */
#include "top_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

#define CTRL_U	025

const char *const top_view_keys[] = {
	"q             quit",
	"p, space      pause, continue",
	"s             sort by the next column",
	"1 ... 6       sort by this column",
	"r             reverse the order",
	"t             tree, or a list of paths",
	"a             only VIFs with something to show, or all",
	"/             only VIFs with this text in their paths",
	"Esc           all VIFs again",
	"Up, Down      select a VIF; also k, j, PgUp, PgDn, Home, End",
	"Enter         sockets of the selected VIF and VIFs below, or none",
	"v             the same by processes; K, J select a process",
	"l, w          set bandwidth or weight of the selected VIF, or process",
	"+ -           longer, or shorter interval",
	"h, ?          this list",
	NULL
};

static void move_to(struct top_view *view, const struct top_list *list,
		    size_t row)
{
	if (list->count)
		view->selected = list->row[row < list->count ? row :
					   list->count - 1].vif->now.id;
}

static void move_by(struct top_view *view, const struct top_list *list,
		    int rows)
{
	size_t row = top_list_find(list, view->selected);

	if (rows < 0 && row < (size_t)-rows)
		move_to(view, list, 0);
	else
		move_to(view, list, row + rows);
}

static void set_interval(struct top_view *view, double seconds)
{
	if (seconds >= TOP_INTERVAL_MIN_S && seconds <= TOP_INTERVAL_MAX_S)
		view->interval_s = seconds;
}

/* Return: whether the key is one of them. */
static bool move_key(struct top_view *view, const struct top_list *list,
		     int key)
{
	const int page = view->page > 1 ? view->page - 1 : 1;

	switch (key) {
	case KEY_UP:
	case 'k':
		move_by(view, list, -1);
		break;
	case KEY_DOWN:
	case 'j':
		move_by(view, list, 1);
		break;
	case KEY_PAGE_UP:
		move_by(view, list, -page);
		break;
	case KEY_PAGE_DOWN:
		move_by(view, list, page);
		break;
	case KEY_HOME:
	case 'g':
		view->selected = 0;
		break;
	case KEY_END:
	case 'G':
		move_to(view, list, list->count);
		break;
	default:
		return false;
	}
	return true;
}

/* UTF-8 comes as several keys; the last character may be as many bytes. */
static void erase(char *text)
{
	size_t len = strlen(text);

	while (len && (text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = '\0';
}

static void append(char *text, char byte)
{
	const size_t len = strlen(text);

	if (len + 1 >= TOP_FILTER_BYTES)
		return;
	text[len] = byte;
	text[len + 1] = '\0';
}

static void type_key(struct top_view *view, int key)
{
	char *text = view->is_asking ? view->answer : view->order.filter;

	if (key == KEY_ESCAPE || key == CTRL_U)
		*text = '\0';
	else if (key == KEY_BACKSPACE)
		erase(text);
	else if (key >= ' ' && key < 256)
		append(text, key);
	if (key != KEY_ESCAPE && key != KEY_ENTER)
		return;
	view->is_answered = view->is_asking && *text;
	view->is_typing = false;
	view->is_asking = false;
}

/* The question is what it shall be: an empty answer is none. */
static void ask(struct top_view *view, const struct top_list *list,
		const struct top_process *process, enum param_id question)
{
	const struct vif_info *vif;

	if (!list->count)
		return;
	vif = &list->row[top_list_find(list, view->selected)].vif->now;
	view->selected = view->asked = vif->id;
	view->asked_pid = process ? process->first.pid : -1;
	snprintf(view->asked_name, sizeof(view->asked_name), "%s",
		 process ? process->first.comm : vif->path);
	view->question = question;
	view->is_asking = view->is_typing = true;
	*view->answer = '\0';
}

static void sort_key(struct top_view *view, int key)
{
	struct top_order *order = &view->order;

	if (key == 'r')
		order->is_reverse = !order->is_reverse;
	else if (key == 's')
		order->sort = (order->sort + 1) % TOP_SORTS;
	else
		order->sort = key - '1';
}

/* Processes, and what is set of the selected one, or of the VIF. Return: as move_key(). */
static bool process_key(struct top_view *view, const struct top_list *list,
			const struct top_process *process, int key)
{
	switch (key) {
	case 'v':
		view->by_process = !view->by_process || !view->with_sockets;
		view->with_sockets = true;
		break;
	case 'J':
		view->process++;
		view->process_pid = -1;
		break;
	case 'K':
		view->process -= view->process > 0;
		view->process_pid = -1;
		break;
	case 'l':
		ask(view, list, process, PARAM_BANDWIDTH);
		break;
	case 'w':
		ask(view, list, process, PARAM_WEIGHT);
		break;
	default:
		return false;
	}
	return true;
}

static void other_key(struct top_view *view, int key)
{
	switch (key) {
	case 'q':
		view->is_done = true;
		break;
	case 'p':
	case ' ':
		view->is_paused = !view->is_paused;
		break;
	case 't':
		view->order.is_flat = !view->order.is_flat;
		break;
	case 'a':
		view->order.is_active = !view->order.is_active;
		break;
	case '/':
		view->is_typing = true;
		break;
	case KEY_ESCAPE:
		*view->order.filter = '\0';
		break;
	case KEY_ENTER:
		view->with_sockets = !view->with_sockets;
		break;
	case '+':
		set_interval(view, view->interval_s * 2);
		break;
	case '-':
		set_interval(view, view->interval_s / 2);
		break;
	case 'h':
	case '?':
		view->is_help = true;
		break;
	}
}

void top_view_key(struct top_view *view, const struct top_list *list,
		  const struct top_process *process, int key)
{
	free(view->message);
	view->message = NULL;
	if (view->is_help) {
		view->is_help = false;	/* any key */
		view->is_done = key == 'q';
	} else if (view->is_typing && key < KEY_UP) {
		type_key(view, key);
	} else if (move_key(view, list, key) || process_key(view, list, process, key)) {
		return;
	} else if (key == 's' || key == 'r' ||
		   (key >= '1' && key < '1' + TOP_SORTS)) {
		sort_key(view, key);
	} else {
		other_key(view, key);
	}
}

void top_view_fit(struct top_view *view, const struct top_list *list,
		  size_t page)
{
	size_t row = top_list_find(list, view->selected);

	view->page = page;
	if (row >= list->count || list->row[row].vif->now.id != view->selected)
		view->selected = 0;
	if (view->first + page > list->count)
		view->first = list->count > page ? list->count - page : 0;
	if (row < view->first)
		view->first = row;
	else if (page && row >= view->first + page)
		view->first = row - page + 1;
}

void top_view_fit_process(struct top_view *view, const struct top_sockets *sockets)
{
	size_t row = view->process;

	for (size_t i = 0; view->process_pid >= 0 && i < sockets->n_processes; i++)
		if (sockets->process[i].first.pid == view->process_pid)
			row = i;
	if (row >= sockets->n_processes)
		row = sockets->n_processes ? sockets->n_processes - 1 : 0;
	view->process = row;
	view->process_pid = sockets->n_processes ? sockets->process[row].first.pid : -1;
}

const struct top_process *top_view_process(const struct top_view *view,
					   const struct top_sockets *sockets)
{
	return view->with_sockets && view->by_process && sockets &&
	       view->process < sockets->n_processes ? &sockets->process[view->process] : NULL;
}
