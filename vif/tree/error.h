/* SPDX-License-Identifier: GPL-2.0 */
/* The file last_error: one sentence that says why a caller's last operation failed. */
#ifndef NETNICE_VIF_ERROR_H
#define NETNICE_VIF_ERROR_H

#include <linux/list.h>
#include <linux/printk.h>
#include <linux/spinlock.h>

struct vif_net;
struct seq_file;

/**
 * struct vif_errors - the last errors of a namespace's users
 * @lock: guards @list and @count
 * @list: struct vif_error_entry, most recently used first
 * @count: length of @list; when it is full, the oldest of the user with most is evicted
 * @serial: of the last error; guarded by @lock, too
 */
struct vif_errors {
	spinlock_t lock;
	struct list_head list;
	unsigned int count;
	u64 serial;
};

void vif_errors_init(struct vif_errors *errors);
void vif_errors_exit(struct vif_errors *errors);

/**
 * vif_fail() - store the reason for a failure, and return the error
 * @vn: namespace of the object in question
 * @err: negative errno
 * @fmt: a sentence that names the object, the value and what would have
 *	been accepted; without a line feed
 *
 * The sentence is kept for the caller's user and session until the next failure. If there is no
 * memory for it, no older sentence is shown instead.
 * Context: process, may sleep.
 * Return: @err, for "return vif_fail(...)".
 */
__printf(3, 4)
int vif_fail(struct vif_net *vn, int err, const char *fmt, ...);

/**
 * vif_error_show() - print the caller's last error and its process, or nothing
 * @vn: the namespace
 * @seq: where to
 */
void vif_error_show(struct vif_net *vn, struct seq_file *seq);

#endif
