/* SPDX-License-Identifier: GPL-2.0 */
/* The view of VIFs: the choices that a user makes by keys. */
#ifndef VIFCTL_TOP_VIEW_H
#define VIFCTL_TOP_VIEW_H

#include "top_list.h"
#include "top_sockets.h"

#define TOP_INTERVAL_MIN_S	0.1
#define TOP_INTERVAL_MAX_S	3600.0

/**
 * struct top_view - what is chosen
 * @order: of the VIFs
 * @interval_s: between two samples
 * @is_paused: no samples are taken
 * @with_sockets: those of the selected VIF are shown
 * @by_process: and that as processes
 * @is_help: keys are shown instead
 * @is_typing: keys go into the filter, or the answer
 * @question: what is asked for: a parameter of the selected VIF, or process
 * @is_asking: it is
 * @is_answered: what shall be done
 * @answer: the value
 * @asked: number of the VIF that the question is about, whatever is selected meanwhile
 * @asked_name: its path, or the process's name
 * @asked_pid: the process; -1: the question is about the VIF
 * @process: the selected one's place among processes
 * @process_pid: which that is, wherever it goes as they are sorted; -1: that at its place
 * @message: what has come of it; or NULL
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
	bool by_process;
	bool is_help;
	bool is_typing;
	bool is_asking;
	bool is_answered;
	enum param_id question;
	char answer[TOP_FILTER_BYTES];
	uint64_t asked;
	char asked_name[TOP_FILTER_BYTES];
	pid_t asked_pid;
	size_t process;
	pid_t process_pid;
	char *message;
	bool is_done;
	uint64_t selected;
	size_t first;
	size_t page;
};

/* Does what a key is for; @process: the selected one, or NULL. */
void top_view_key(struct top_view *view, const struct top_list *list,
		  const struct top_process *process, int key);

/**
 * top_view_fit - look at rows that there are
 * @view: its selection becomes one of @list, and is on the screen
 * @list: the rows
 * @page: how many there is room for
 */
void top_view_fit(struct top_view *view, const struct top_list *list,
		  size_t page);

/* The same of processes. */
void top_view_fit_process(struct top_view *view, const struct top_sockets *sockets);

/* The selected process of the lower list, if that is what is looked at, or NULL */
const struct top_process *top_view_process(const struct top_view *view,
					   const struct top_sockets *sockets);

/* What the keys do, a line each; NULL at the end. */
extern const char *const top_view_keys[];

#endif
