/* SPDX-License-Identifier: GPL-2.0 */
/* The two ways in which "vifctl show" prints a tree. */
#ifndef VIFCTL_SHOW_H
#define VIFCTL_SHOW_H

#include "attached.h"
#include "tree.h"

/* A weight or a priority. */
struct share {
	unsigned int egress, ingress;
};

/* Return: whether it could be read. */
bool share_read(const struct vif_info *vif, enum param_id id,
		struct share *share);

void show_text(const struct tree *tree, const struct attachments *attachments);
void show_json(const struct tree *tree, const struct attachments *attachments,
	       bool pretty);

#endif
