/* SPDX-License-Identifier: GPL-2.0 */
/* The output of "vifctl top" without a terminal: a block for each interval. */
#ifndef VIFCTL_TOP_PRINT_H
#define VIFCTL_TOP_PRINT_H

#include "top_list.h"
#include "top_sockets.h"

/* @sockets: sockets at the same time, to print those of each VIF; or NULL. Return: 0, or -1 and errno. */
int top_print_text(const struct top_model *model, const struct top_list *list,
		   struct top_sockets *sockets);
int top_print_json(const struct top_model *model, const struct top_list *list,
		   struct top_sockets *sockets, bool is_pretty);

#endif
