/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of a VIF that have a value and are no parameters.
 */
#ifndef NETNICE_PROCFS_VALUES_H
#define NETNICE_PROCFS_VALUES_H

struct file;
struct seq_file;
struct vif;

/* For the table of files; see struct nnfs_file. */
int nnfs_autoremove_show(struct seq_file *seq, struct vif *vif);
int nnfs_autoremove_store(struct file *file, struct vif *vif, char *text);

int nnfs_stat_show(struct seq_file *seq, struct vif *vif);

#endif
