/* SPDX-License-Identifier: GPL-2.0 */
/* The file of a VIF that has its program, and programs of relays. */
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
 * nnfs_program_make() - load the option of programs, and make one
 * @vn: the namespace whose last_error is set
 * @filter: for a relay (struct vif_program_maker)
 * @text: its text; it is changed
 *
 * Context: process, without locks. Sets last_error if it fails.
 * Return: a program that is not in use, or an error pointer.
 */
struct vif_program *nnfs_program_make(struct vif_net *vn, bool filter, char *text);

/* For the table of files; see struct nnfs_file. */
int nnfs_program_store(struct file *file, struct vif *vif, char *text);

#endif
