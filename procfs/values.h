/* SPDX-License-Identifier: GPL-2.0 */
/* Text that is written to files, and files of a VIF that have a value and are not parameters. */
#ifndef NETNICE_PROCFS_VALUES_H
#define NETNICE_PROCFS_VALUES_H

#include <linux/types.h>

struct file;
struct inode;
struct seq_file;
struct vif;

/**
 * nnfs_copy_text() - copy a text from the caller of write(2)
 * @inode: the file
 * @name: the file's name, for last_error
 * @most: the longest text that the file accepts, in bytes
 * @buf: as for write(2)
 * @len: as for write(2)
 * @pos: as for write(2): it must be 0, because a value is written whole
 *
 * Return: a string of @len bytes, for kfree(), or an error pointer; last_error is set.
 */
char *nnfs_copy_text(const struct inode *inode, const char *name, size_t most,
		     const char __user *buf, size_t len, loff_t pos);

/* For the table of files; see struct nnfs_file. */
int nnfs_autoremove_show(struct seq_file *seq, struct vif *vif);
int nnfs_autoremove_store(struct file *file, struct vif *vif, char *text);

int nnfs_stack_show(struct seq_file *seq, struct vif *vif);
int nnfs_stack_store(struct file *file, struct vif *vif, char *text);
int nnfs_ports_show(struct seq_file *seq, struct vif *vif);
int nnfs_ports_store(struct file *file, struct vif *vif, char *text);

int nnfs_stat_show(struct seq_file *seq, struct vif *vif);

#endif
