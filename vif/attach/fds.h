/* SPDX-License-Identifier: GPL-2.0 */
/* The descriptors that a process has open, looked at from outside. */
#ifndef NETNICE_VIF_FDS_H
#define NETNICE_VIF_FDS_H

#include <linux/types.h>

struct file;
struct task_struct;

/**
 * vif_fds_for_each() - look at what a task has open
 * @task: the task, referenced
 * @fd: the descriptor to begin with
 * @fn: called with the table of descriptors locked; false ends it
 * @arg: for @fn
 *
 * The lock is let go in between, after so many descriptors, open or not: a table may have
 * a million places, and one that is open.
 * Context: process, may sleep.
 */
void vif_fds_for_each(struct task_struct *task, unsigned int fd,
		      bool (*fn)(struct file *file, unsigned int fd, void *arg),
		      void *arg);

#endif
