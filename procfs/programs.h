/* SPDX-License-Identifier: GPL-2.0 */
/* The file of a VIF that has its program. */
#ifndef NETNICE_PROCFS_PROGRAMS_H
#define NETNICE_PROCFS_PROGRAMS_H

#include <linux/types.h>

struct file;
struct vif;
struct vif_net;
struct vif_program;

/* Bytes of text that it takes: more than the longest program has. */
#define NNFS_PROGRAM_MOST	(128 << 10)

/**
 * nnfs_program_make() - create a program of classic BPF from text
 * @vn: the namespace whose last_error is set
 * @user: see vif_program_make()
 * @text: the text; it is changed
 *
 * Context: process, without locks. Sets last_error where it fails.
 * Return: as vif_program_make().
 */
struct vif_program *nnfs_program_make(struct vif_net *vn, u32 user, char *text);

/* For the table of files; see struct nnfs_file. */
int nnfs_program_store(struct file *file, struct vif *vif, char *text);

#endif
