/* SPDX-License-Identifier: GPL-2.0 */
/* The view of VIFs: the choices that a user makes by keys. */
#ifndef VIFCTL_TOP_VIEW_H
#define VIFCTL_TOP_VIEW_H

#include "top_list.h"
#include "top_sockets.h"

#define TOP_INTERVAL_MIN_S	0.1
#define TOP_INTERVAL_MAX_S	3600.0

/**
 * struct top_view - the state of the view
 * @order: order and filters of the VIFs
 * @interval_s: seconds between two samples
 * @is_paused: no samples are read
 * @with_sockets: show the sockets of the selected VIF
 * @by_process: show their processes instead
 * @is_help: show the help instead of VIFs
 * @is_typing: keys are added to the filter, or to the answer
 * @question: the parameter that the user is changing, of the selected VIF or process
 * @is_asking: the user is changing it
 * @is_answered: the user has entered its value, which is to be set
 * @answer: the value
 * @asked: number of the VIF that is changed, even if another one is selected meanwhile
 * @asked_name: path of the VIF, or name of the process
 * @asked_pid: the process that is changed; -1: the VIF is
 * @process: index of the selected process
 * @process_pid: the selected process, which stays selected when the list is sorted; -1: select by index
 * @message: result of the last change; or NULL
 * @is_done: the user has quit
 * @selected: number of the selected VIF; 0: the first one
 * @first: number of the row at the top of the screen
 * @page: number of rows on the screen
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

/* Handle a key. @process: the selected process, or NULL */
void top_view_key(struct top_view *view, const struct top_list *list,
		  const struct top_process *process, int key);

/**
 * top_view_fit - move the selection to an existing row, and scroll to it
 * @view: the view
 * @list: the rows
 * @page: number of rows on the screen
 */
void top_view_fit(struct top_view *view, const struct top_list *list,
		  size_t page);

/* Do the same for the list of processes. */
void top_view_fit_process(struct top_view *view, const struct top_sockets *sockets);

/* Return the selected process, or NULL if processes are not shown. */
const struct top_process *top_view_process(const struct top_view *view,
					   const struct top_sockets *sockets);

/* The help: a line for each key, with NULL at the end. */
extern const char *const top_view_keys[];

#endif
