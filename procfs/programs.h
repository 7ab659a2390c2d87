/* SPDX-License-Identifier: GPL-2.0 */
/* The file of a VIF that has its program. */
#ifndef NETNICE_PROCFS_PROGRAMS_H
#define NETNICE_PROCFS_PROGRAMS_H

struct file;
struct vif;

/* Bytes of text that it takes: more than the longest program has. */
#define NNFS_PROGRAM_MOST	(128 << 10)

/* For the table of files; see struct nnfs_file. */
int nnfs_program_store(struct file *file, struct vif *vif, char *text);

#endif
