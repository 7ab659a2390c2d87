/* SPDX-License-Identifier: GPL-2.0 */
/* Files of a VIF about its user-level stack. */
#ifndef NETNICE_PROCFS_STACKS_H
#define NETNICE_PROCFS_STACKS_H

struct file;
struct vif;

/* For the table of files; see struct nnfs_file. */
int nnfs_stack_store(struct file *file, struct vif *vif, char *text);
int nnfs_ports_store(struct file *file, struct vif *vif, char *text);

#endif
