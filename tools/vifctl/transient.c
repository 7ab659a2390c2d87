// SPDX-License-Identifier: GPL-2.0
#include "transient.h"

#include <string.h>

static bool is_autoremoved(const struct vif_info *vif)
{
	const char *autoremove = vif->param[PARAM_AUTOREMOVE];

	return autoremove && !strcmp(autoremove, "1");
}

/* What is attached to it, or below it */
static bool has_links(const struct tree *tree, size_t i)
{
	const unsigned int depth = tree->vif[i].depth;

	do {
		if (tree->vif[i].n_links)
			return true;
		i++;
	} while (i < tree->count && tree->vif[i].depth > depth);
	return false;
}

bool is_transient(const struct tree *tree, size_t i)
{
	unsigned int depth = tree->vif[i].depth + 1;

	/* itself, and those above it */
	for (size_t j = i + 1; j-- > 0 && depth;) {
		if (tree->vif[j].depth >= depth)
			continue;
		depth = tree->vif[j].depth;
		if (is_autoremoved(&tree->vif[j]) && !has_links(tree, j))
			return true;
	}
	return false;
}
