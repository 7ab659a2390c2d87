/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The option netnice_program: make, run and free programs (tree/program.h has the rest). Each
 * program holds this module until a worker has freed it, a grace period after its holder has given
 * it away.
 */
#ifndef NETNICE_VIF_PROGRAM_H
#define NETNICE_VIF_PROGRAM_H

#include <linux/filter.h>
#include <linux/types.h>

struct vif_net;
struct vif_program;

/* Instructions for a packet, of all programs on its way down, and programs. */
#define VIF_PROGRAM_MOST	BPF_MAXINSNS
#define VIF_PROGRAM_LEVELS	8

/* Instructions of a user's program. */
#define VIF_PROGRAM_USERS	512

/* Program result: drop the packet; 0: it stays. */
#define VIF_PROGRAM_DROP	0xffffffffU

/**
 * vif_program_make() - create a program of classic BPF
 * @vn: the namespace whose last_error is set
 * @user: the user whose packets it may see (vif_program_user()); 0: all packets, for
 *	administrators
 * @insns: its instructions
 * @length: number of instructions
 * @text: the text that is shown; the program owns it after success
 *
 * Context: process, without locks. Sets last_error if it fails.
 * Return: the program, or an error pointer: -E2BIG it is too long, -EINVAL the kernel rejects it,
 *	-EOPNOTSUPP it loads data from outside the packet, or cannot be compiled, -EDQUOT, -ENOMEM.
 */
struct vif_program *vif_program_make(struct vif_net *vn, u32 user, struct sock_filter *insns,
				     unsigned int length, char *text);

/**
 * vif_program_load() - load a pinned eBPF program, with an administrator's rights
 * @vn: as above
 * @text: its path, and the text that is shown
 *
 * Context: process, without locks. Sets last_error if it fails.
 * Return: as above; -ENOENT, -EACCES or another error of the path lookup, -EINVAL it is not a
 *	program or not a socket filter, -EOPNOTSUPP the kernel has no eBPF.
 */
struct vif_program *vif_program_load(struct vif_net *vn, char *text);

/* In module_exit(): no program exists any more, and nothing makes one. Context: process. */
void vif_program_exit(void);

#endif
