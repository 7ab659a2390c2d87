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
 * nnfs_program_make() - a program of classic BPF, from text
 * @vn: where to tell what is wrong with it
 * @user: see vif_program_make()
 * @text: it is taken apart
 *
 * Context: process, without locks. Sets last_error where it fails.
 * Return: as vif_program_make().
 */
struct vif_program *nnfs_program_make(struct vif_net *vn, u32 user, char *text);

/* For the table of files; see struct nnfs_file. */
int nnfs_program_store(struct file *file, struct vif *vif, char *text);

#endif
