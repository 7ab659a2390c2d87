/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs: a VIF may have a BPF program. It runs for each packet that classification has put into
 * this VIF itself, and returns the class of a VIF directly below, or that the packet stays, or is
 * dropped. The VIF below may have a program too. An administrator's program runs for all packets, a
 * user's for packets that certainly belong to the user (sk_own.h).
 *
 * A program belongs to a VIF from vif_program_set() until it is replaced or removed, or the VIF
 * leaves the tree. A worker frees it a grace period later.
 */
#ifndef NETNICE_VIF_PROGRAM_H
#define NETNICE_VIF_PROGRAM_H

#include <linux/filter.h>
#include <linux/skbuff.h>

#include "../queue/p_queue.h"
#include "../tree/tree.h"
#include "fragment.h"

struct seq_file;
struct vif_program;

/* Instructions for a packet, of all programs on its way down, and programs. */
#define VIF_PROGRAM_MOST	BPF_MAXINSNS
#define VIF_PROGRAM_LEVELS	8

/* Instructions of a user's program. */
#define VIF_PROGRAM_USERS	512

/* Program result: drop the packet; 0: it stays. */
#define VIF_PROGRAM_DROP	0xffffffffU

/* Is there, or was there, a user's program? Until then, packets' owners are not checked. */
DECLARE_STATIC_KEY_FALSE(vif_program_users);

/* Has a VIF a program? */
static inline bool vif_program_has(const struct vif *vif, enum vif_dir dir)
{
	const struct vif_programs *programs;

	if (!static_branch_unlikely(&vif_program_some))
		return false;
	programs = READ_ONCE(vif->programs);
	return programs && rcu_access_pointer(programs->now[dir]);
}

/**
 * vif_program_choose() - the VIF that programs say
 * @vif: of which attribution says that it is the packet's; becomes one below, valid under
 *	rcu_read_lock(), whose last reference may be gone
 * @dir: direction
 * @skb: the packet
 * @fragment: what vif_fragment_of() says of it
 * @user: whose it is, if it has come: see sk_own.h
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: false if it is to be dropped there.
 */
bool vif_program_choose(struct vif **vif, enum vif_dir dir, struct sk_buff *skb,
			struct vif_fragment fragment, u32 user);

/**
 * vif_program_make() - a program of classic BPF
 * @vn: where to tell what is wrong with it
 * @user: whose packets it may see: vif_sk_own_number(); 0: all, which takes an administrator
 * @insns: its instructions
 * @length: how many
 * @text: what is shown of it; the program's, if it is made
 *
 * Context: process, without locks. Sets last_error where it fails.
 * Return: the program, or an error pointer: -E2BIG too long, -EINVAL the kernel does not take it,
 *	-EOPNOTSUPP it loads something that is not of the packet, or cannot be compiled,
 *	-EDQUOT, -ENOMEM.
 */
struct vif_program *vif_program_make(struct vif_net *vn, u32 user, struct sock_filter *insns,
				     unsigned int length, char *text);

/**
 * vif_program_load() - load a pinned eBPF program, with an administrator's rights
 * @vn: as above
 * @text: its path, and the text that is shown
 *
 * Context: process, without locks. Sets last_error where it fails.
 * Return: as above; -ENOENT, -EACCES or another error of the path lookup, -EINVAL it is no
 *	program, or not one of a socket filter, -EOPNOTSUPP the kernel has none.
 */
struct vif_program *vif_program_load(struct vif_net *vn, char *text);

/**
 * vif_program_set() - set or remove a VIF's program
 * @vif: the VIF
 * @dirs: in which directions, a bit for each
 * @program: not in use yet; the VIF's or freed on return; NULL: none
 *
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: 0, -ENOENT the VIF has gone, -EPERM, -ENOMEM, or for a root VIF an error of registering
 *	the hooks. Nothing has changed then.
 */
int vif_program_set(struct vif *vif, unsigned int dirs, struct vif_program *program);

/**
 * vif_program_run() - run a program for a packet
 * @program: the program
 * @skb: the packet, at its network header; no other code uses it in the meantime
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 */
u32 vif_program_run(const struct vif_program *program, struct sk_buff *skb);

/* The text that is shown. */
const char *vif_program_text(const struct vif_program *program);

/* Free a program that is not used any more, a grace period later. NULL: nothing. */
void vif_program_drop(struct vif_program *program);

/* A VIF leaves its tree: it has no program any more. Caller holds the tree mutex. */
void __vif_program_leave(struct vif *vif);

/* How many instructions, 0: there is none; @user: see vif_program_make(). Holds the tree mutex. */
unsigned int __vif_program_length(const struct vif *vif, enum vif_dir dir, u32 *user);

/* Print the program of each direction. 0. Context: process; takes the tree mutex. */
int vif_program_show(struct seq_file *seq, struct vif *vif);

/* Print the counters, if it ever had one. Context: process. */
void vif_program_show_stat(struct seq_file *seq, const struct vif *vif);

/* Wait for the end of all programs: no new one is set any more. */
void vif_program_exit(void);

#endif
