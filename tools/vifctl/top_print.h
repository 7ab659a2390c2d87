/* SPDX-License-Identifier: GPL-2.0 */
/* What "vifctl top" prints where there is no terminal: each interval a block. */
#ifndef VIFCTL_TOP_PRINT_H
#define VIFCTL_TOP_PRINT_H

#include "top_list.h"
#include "top_sockets.h"

/* With @sockets, of the same look, also those of each VIF. Return: 0, or -1 and errno. */
int top_print_text(const struct top_model *model, const struct top_list *list,
		   struct top_sockets *sockets);
int top_print_json(const struct top_model *model, const struct top_list *list,
		   struct top_sockets *sockets, bool is_pretty);

#endif
