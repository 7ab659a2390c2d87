/* SPDX-License-Identifier: GPL-2.0 */
/* The two formats of "vifctl show". */
#ifndef VIFCTL_SHOW_H
#define VIFCTL_SHOW_H

#include "attached.h"
#include "vif_list.h"
#include "vifctl.h"

void show_text(const struct vif_list *list,
	       const struct attachments *attachments, const struct options *options);
void show_json(const struct vif_list *list,
	       const struct attachments *attachments, const struct options *options);

#endif
