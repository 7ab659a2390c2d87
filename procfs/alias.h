/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names under which links have been made that show up under another one.
 *
 * An attachment's link has the name of the device, whatever name symlink(2)
 * was given. That suffices for "ln -s": nobody looks at the name again. But
 * "ln -sf" makes the link under a name of its own invention and renames it
 * to the one it was told; so a name given is remembered for a second, in
 * which it can be found, and renamed within its directory.
 *
 * It is a memory of names and numbers only, of the last few links, so that
 * it keeps neither targets nor VIFs, and costs nothing to throw away.
 */
#ifndef NETNICE_PROCFS_ALIAS_H
#define NETNICE_PROCFS_ALIAS_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct qstr;

/* Links made within a second that have to be found again. */
#define NNFS_ALIASES		64
/* Longer names are not remembered; ln's have 8 characters. */
#define NNFS_ALIAS_NAME_SIZE	32

/**
 * struct nnfs_alias - a name given
 * @expires: in jiffies
 * @dev_ino: number of the device's root VIF, 0 in a free slot
 * @dir: inode number of the directory
 * @payer: whose it is
 * @name: the name
 */
struct nnfs_alias {
	unsigned long expires;
	u64 dev_ino;
	u64 dir;
	kuid_t payer;
	char name[NNFS_ALIAS_NAME_SIZE];
};

/**
 * struct nnfs_aliases - the last names of a superblock
 * @lock: guards the others; nothing is taken under it
 * @slot: in no order; when all are in use whoever has most of them loses his oldest
 */
struct nnfs_aliases {
	spinlock_t lock;
	struct nnfs_alias slot[NNFS_ALIASES];
};

void nnfs_aliases_init(struct nnfs_aliases *aliases);

/**
 * nnfs_alias_add() - remember a name
 * @aliases: where
 * @dir: inode number of the directory that it is in
 * @name: the name
 * @dev_ino: the device that it stands for
 */
void nnfs_alias_add(struct nnfs_aliases *aliases, u64 dir,
		    const struct qstr *name, u64 dev_ino);

/**
 * nnfs_alias_find() - look a name up
 * @aliases: where
 * @dir: inode number of the directory that it is in
 * @name: the name
 *
 * Return: the device that it stands for, as given to nnfs_alias_add(), 0 if
 *	there is none or its time is over.
 */
u64 nnfs_alias_find(struct nnfs_aliases *aliases, u64 dir,
		    const struct qstr *name);

/**
 * nnfs_alias_forget() - the name is not used any more
 * @aliases: where
 * @dir: inode number of the directory that it was in
 * @name: the name
 */
void nnfs_alias_forget(struct nnfs_aliases *aliases, u64 dir,
		       const struct qstr *name);

#endif
