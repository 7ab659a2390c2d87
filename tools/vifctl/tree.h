/* SPDX-License-Identifier: GPL-2.0 */
/* The VIFs as they are found in the file system. */
#ifndef VIFCTL_TREE_H
#define VIFCTL_TREE_H

#include <stdbool.h>
#include <sys/types.h>

#include "nnfs.h"
#include "process.h"

struct task {
	pid_t pid;
	char comm[PROCESS_COMM_BYTES];
};

struct vif_info {
	char *path;		/* "eth0/web" */
	char *name;		/* its last part; points into @path */
	unsigned int depth;	/* 0: root VIF of a device */
	bool last;		/* of its siblings */
	char *egress;		/* bandwidth as the file has it; NULL: unreadable */
	char *ingress;
	struct task *task;
	size_t n_tasks;
	char *stat;		/* the file; NULL unless asked for */
};

/* Parents before their children, siblings by name. */
struct tree {
	struct vif_info *vif;
	size_t count;
	bool with_stat;
};

/**
 * tree_read - read VIFs and all below them
 * @tree: to be filled; tree->with_stat tells whether stat is read
 * @fs: the file system
 * @path: the VIF to start with; NULL for all devices
 *
 * What vanishes while it is read is left out. Return: 0, or -1 and errno
 * where @path is not there, or on a failure.
 */
int tree_read(struct tree *tree, const struct nnfs *fs, const char *path);

#endif
