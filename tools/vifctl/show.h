/* SPDX-License-Identifier: GPL-2.0 */
/* The two ways in which "vifctl show" prints a tree. */
#ifndef VIFCTL_SHOW_H
#define VIFCTL_SHOW_H

#include "attached.h"
#include "tree.h"

void show_text(const struct tree *tree, const struct attachments *attachments);
void show_json(const struct tree *tree, const struct attachments *attachments,
	       bool pretty);

#endif
