// SPDX-License-Identifier: GPL-2.0
#include "fds.h"

#include <linux/bitops.h>
#include <linux/fdtable.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

/* Open descriptors looked at in one go, and places for them. */
#define BATCH	256
#define SPAN	65536

/* Some of them; false if there are no more, or no more are wanted. */
static bool vif_fds_visit_some(struct files_struct *files, unsigned int *fd,
			       bool (*fn)(struct file *file, unsigned int fd, void *arg),
			       void *arg)
{
	const struct fdtable *fdt;
	unsigned int n, max, end;
	struct file *file;
	bool wanted = true;

	spin_lock(&files->file_lock);
	fdt = files_fdtable(files);
	max = fdt->max_fds;
	end = min(max, *fd + SPAN);
	for (n = 0; n < BATCH && wanted; n++, ++*fd) {
		*fd = find_next_bit(fdt->open_fds, end, *fd);
		if (*fd >= end)
			break;
		file = files_lookup_fd_locked(files, *fd);
		if (file)
			wanted = fn(file, *fd, arg);
	}
	spin_unlock(&files->file_lock);
	return wanted && *fd < max;
}

void vif_fds_for_each(struct task_struct *task, unsigned int fd,
		      bool (*fn)(struct file *file, unsigned int fd, void *arg),
		      void *arg)
{
	bool more;

	do {
		task_lock(task);
		more = task->files && vif_fds_visit_some(task->files, &fd, fn, arg);
		task_unlock(task);
		cond_resched();
	} while (more);
}
