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
#include <linux/jump_label.h>
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

/* On once a user's program has been set: until then, owners of packets are not checked. */
DECLARE_STATIC_KEY_FALSE(vif_program_users);

/* Has, or had, any VIF a program? */
DECLARE_STATIC_KEY_FALSE(vif_program_some);

/*
 * Has a VIF a program? Also true after its removal, while packets are queued that it has put into
 * VIFs below: later packets of their flows must not overtake them (vif_program_choose()).
 */
static inline bool vif_program_has(const struct vif *vif, enum vif_dir dir)
{
	const struct vif_programs *programs;

	if (!static_branch_unlikely(&vif_program_some))
		return false;
	programs = READ_ONCE(vif->programs);
	if (!programs)
		return false;
	if (rcu_access_pointer(programs->now[dir]))
		return true;
	/* pairs with rcu_assign_pointer() in __vif_program_put() */
	smp_rmb();
	return READ_ONCE(programs->trail[dir]);
}

/**
 * vif_program_choose() - run the programs of a packet's VIF, and of the VIFs that these choose
 * @vif: in: the packet's VIF by classification; out: the VIF that the programs choose, at or below
 *	it, valid under rcu_read_lock(); its last reference may be gone
 * @dir: direction
 * @skb: the packet
 * @fragment: the packet's vif_fragment_of()
 * @user: the certain owner of a received packet (sk_own.h), or 0
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: false if a program of @vif drops the packet.
 */
bool vif_program_choose(struct vif **vif, enum vif_dir dir, struct sk_buff *skb,
			struct vif_fragment fragment, u32 user);

/**
 * vif_program_make() - create a program of classic BPF
 * @vn: the namespace whose last_error is set
 * @user: the user whose packets it may see (vif_sk_own_number()); 0: all packets, for
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

/**
 * vif_program_set() - set or remove a VIF's program
 * @vif: the VIF
 * @dirs: the directions, a bit for each
 * @program: the program, not in use yet; the VIF takes it, or it is freed; NULL: remove
 *
 * Context: process; takes the tree mutex. Sets last_error if it fails.
 * Return: 0, -ENOENT the VIF is gone, -EPERM, -ENOMEM, or for a root VIF an error of registering
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
