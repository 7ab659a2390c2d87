/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs: a VIF may have a BPF program. It runs for each packet that classification has put into
 * this VIF itself, and returns the class of a VIF directly below, or that the packet stays, or is
 * dropped. The VIF below may have a program too. An administrator's program runs for all packets, a
 * user's for packets that certainly belong to the user.
 *
 * The option netnice_program (vif/program/) makes, runs and frees programs. The core knows which
 * VIF has one, and finds the functions for a packet in the program itself. A program holds its
 * module until its memory is freed, a grace period after no packet can find it. So a packet that
 * has found a program may call it, under the same rcu_read_lock(), without holding the module.
 *
 * A program belongs to a VIF from vif_program_set() until it is replaced or removed, or the VIF
 * leaves the tree. The tree mutex guards which VIF has it.
 */
#ifndef NETNICE_VIF_TREE_PROGRAM_H
#define NETNICE_VIF_TREE_PROGRAM_H

#include <linux/jump_label.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "option.h"
#include "tree.h"

struct seq_file;

/**
 * struct vif_program - a program, for those who hold it: a VIF or a relay
 * @ops: its functions
 * @length: number of instructions, as they were written
 * @user: vif_program_user() of the user whose packets it may see; 0: an administrator's, which
 *	sees all packets
 * @uses: number of directions of the VIF that have it; tree mutex
 * @text: the text that is shown
 */
struct vif_program {
	const struct vif_program_ops *ops;
	unsigned int length;
	u32 user;
	unsigned int uses;
	char *text;
};

/* A user as a number: 0 is no user. */
static inline u32 vif_program_user(kuid_t uid)
{
	return __kuid_val(uid) + 1;
}

/* The opposite, for a number that is a user. */
static inline kuid_t vif_program_uid(u32 user)
{
	return KUIDT_INIT(user - 1);
}

/* On once a user's program has been set: until then, owners of packets are not checked. */
DECLARE_STATIC_KEY_FALSE(vif_program_users);

/*
 * Has a VIF a program? Also true after its removal, while packets are queued that it has put into
 * VIFs below: later packets of their flows must not overtake them (vif_program_end_trail()).
 * Context: any.
 */
static inline bool vif_program_has(const struct vif *vif, enum vif_dir dir)
{
	struct vif_programs *programs;

	if (!static_branch_unlikely(&vif_option_program))
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

/* The program of a VIF, or NULL. Context: packet; valid under rcu_read_lock(). */
static inline struct vif_program *vif_program_of(const struct vif *vif, enum vif_dir dir)
{
	struct vif_programs *programs = READ_ONCE(vif->programs);

	return programs ? rcu_dereference(programs->now[dir]) : NULL;
}

/**
 * vif_program_end_trail() - vif_program_has() of a VIF without a program may become false
 * @vif: the VIF, of which vif_program_has() was true
 * @dir: direction
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 */
void vif_program_end_trail(struct vif *vif, enum vif_dir dir);

/* Free a program that no packet can find any more, a grace period later. NULL: nothing. */
static inline void vif_program_drop(struct vif_program *program)
{
	if (program)
		program->ops->free(program);
}

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

/* A VIF leaves its tree: it has no program any more. Caller holds the tree mutex. */
void __vif_program_leave(struct vif *vif);

/* How many instructions, 0: there is none; @user: struct vif_program. Holds the tree mutex. */
unsigned int __vif_program_length(const struct vif *vif, enum vif_dir dir, u32 *user);

/* Print the program of each direction. 0. Context: process; takes the tree mutex. */
int vif_program_show(struct seq_file *seq, struct vif *vif);

/* Print the counters, if it ever had one. Context: process. */
void vif_program_show_stat(struct seq_file *seq, const struct vif *vif);

#endif
