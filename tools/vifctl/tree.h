/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The VIFs as they are set. Who saves or compares them asks here only, and does not know
 * that they are read from files. For those who show them there is listing.h.
 */
#ifndef VIFCTL_TREE_H
#define VIFCTL_TREE_H

#include <stdbool.h>
#include <sys/types.h>

#include "nnfs.h"
#include "param.h"
#include "target.h"

struct vif_info {
	char *path;		/* "eth0/web" */
	unsigned int depth;	/* below where reading began */
	char *param[PARAM_COUNT];	/* normal; NULL: unreadable */
	struct target *link;	/* tree_read_links() */
	size_t n_links;
};

/* Of each tree_read() parents before their children, siblings by name. */
struct tree {
	struct vif_info *vif;
	size_t count;
	struct vif_info **by_path;	/* for tree_find(); NULL: to be made */
};

void tree_init(struct tree *tree);
void tree_free(struct tree *tree);

/**
 * tree_read - read VIFs and all below them
 * @tree: they are put behind those that it has
 * @fs: the file system
 * @path: the VIF to start with; NULL for all devices
 *
 * What vanishes while it is read is left out. Return: 0, or -1 and errno
 * where @path is not there, or on a failure.
 */
int tree_read(struct tree *tree, const struct nnfs *fs, const char *path);

/**
 * tree_read_links - find what is attached to the VIFs that have been read
 * @tree: the VIFs
 * @fs: the file system
 *
 * Control groups and devices only, in their order. Return: 0, or -1 and errno.
 */
int tree_read_links(struct tree *tree, const struct nnfs *fs);

/* Return: the VIF of that path among those that have been read, or NULL. */
struct vif_info *tree_find(struct tree *tree, const char *path);

#endif
