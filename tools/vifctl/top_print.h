/* SPDX-License-Identifier: GPL-2.0 */
/* What "vifctl top" prints where there is no terminal: each interval a block. */
#ifndef VIFCTL_TOP_PRINT_H
#define VIFCTL_TOP_PRINT_H

#include "genl.h"
#include "top_list.h"

/* With @genl also the sockets of each VIF. Return: 0, or -1 and errno. */
int top_print_text(const struct top_model *model, const struct top_list *list,
		   const struct genl *genl);
int top_print_json(const struct top_model *model, const struct top_list *list,
		   const struct genl *genl, bool is_pretty);

#endif
