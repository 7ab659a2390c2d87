/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file "tasks" of a VIF: the processes attached to it.
 */
#ifndef NETNICE_PROCFS_MEMBERS_H
#define NETNICE_PROCFS_MEMBERS_H

struct file;
struct seq_operations;
struct vif;

/* For the table of files; see struct nnfs_file. */
extern const struct seq_operations nnfs_members_seq;
int nnfs_members_store(struct file *file, struct vif *vif, char *text);

#endif
