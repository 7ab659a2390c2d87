/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inodes: one for each dentry, gone with it. An inode does not keep its VIF: those of
 * VIFs stay as long as there is memory, for whoever comes again.
 */
#ifndef NETNICE_PROCFS_INODE_H
#define NETNICE_PROCFS_INODE_H

#include <linux/fs.h>
#include <linux/string.h>

#include "../vif/attach/target.h"
#include "../vif/compat/fs.h"

struct nnfs_file;
struct vif;

/**
 * struct nnfs_kind - what all inodes of a kind have in common
 * @mode: type and permission bits
 * @i_op: inode operations
 * @i_fop: file operations
 * @kept: its inodes keep no object, so that they may stay when nobody uses them. With
 *	@alive, which does not sleep then, they are of VIFs, and have their owner.
 * @alive: whether the object is still there under this name; NULL where it
 *	always is
 */
struct nnfs_kind {
	umode_t mode;
	const struct inode_operations *i_op;
	const struct file_operations *i_fop;
	bool kept;
	bool (*alive)(const struct inode *inode, const struct qstr *name);
};

/**
 * struct nnfs_inode - an inode
 * @kind: what it is
 * @vif: the VIF that it shows, belongs to or links to, or NULL: a weak reference, see
 *	nnfs_vif_get()
 * @owner_changes: those of the VIF, when owner and mode were copied
 * @has_target: it has a target
 * @target: whose attachments it shows or is one of (referenced)
 * @dir_ino: of a link, the number of its directory; of a VIF's directory, that of
 *	the VIF above, 0 in a root VIF
 * @pid: the process that it belongs to, below /tasks, or NULL (referenced)
 * @file: for a file of a VIF, which
 * @vfs: the VFS's part
 */
struct nnfs_inode {
	const struct nnfs_kind *kind;
	struct vif *vif;
	u32 owner_changes;
	bool has_target;
	struct vif_target target;
	u64 dir_ino;
	struct pid *pid;
	const struct nnfs_file *file;
	struct inode vfs;
};

static inline struct nnfs_inode *nnfs_i(const struct inode *inode)
{
	return container_of(inode, struct nnfs_inode, vfs);
}

/*
 * Spaces of inode numbers, in the four highest bits. The directory of a VIF
 * has the VIF's number; all others are derived from it or from a process's.
 */
enum nnfs_ino_space {
	NNFS_INO_VIF,
	NNFS_INO_FILE,
	NNFS_INO_TASK,
	NNFS_INO_LINK,
	NNFS_INO_CGROUP,
	NNFS_INO_DEVICE,
	NNFS_INO_FIXED,
};

static inline u64 nnfs_ino(enum nnfs_ino_space space, u64 number)
{
	return (u64)space << 60 | (number & (BIT_ULL(60) - 1));
}

/* Numbers in NNFS_INO_FIXED. */
enum {
	NNFS_INO_TOP = 1,
	NNFS_INO_TASKS,
	NNFS_INO_CGROUPS,
	NNFS_INO_DEVICES,
	NNFS_INO_LAST_ERROR,
	NNFS_INO_SELF,
};

/*
 * Numbers in NNFS_INO_TASK, of process @nr: of its directory, of those of its
 * threads and sockets, and of what they list.
 */
enum nnfs_task_part {
	NNFS_TASK_SELF,
	NNFS_TASK_THREADS,
	NNFS_TASK_SOCKETS,
	NNFS_TASK_SOCKET_FILE,
};

static inline u64 nnfs_task_ino(pid_t nr, enum nnfs_task_part part,
				unsigned int sub)
{
	/* process numbers have up to 22 bits */
	return nnfs_ino(NNFS_INO_TASK,
			(u64)nr << 34 | (u64)part << 32 | sub);
}

/* Whether a name is this one. */
static inline bool nnfs_is_name(const struct qstr *name, const char *text)
{
	return name->len == strlen(text) &&
	       !memcmp(name->name, text, name->len);
}

/*
 * All directories say 1: find(1) then does not conclude from the number of
 * links how many directories are below.
 */
#define NNFS_DIR_NLINK	1

extern const struct dentry_operations nnfs_dentry_ops;

/**
 * nnfs_inode_new() - make an inode
 * @sb: where
 * @kind: what
 * @ino: its number
 *
 * Return: the inode, owned by the root of the superblock's user namespace,
 *	or -ENOMEM.
 */
struct inode *nnfs_inode_new(struct super_block *sb,
			     const struct nnfs_kind *kind, u64 ino);

/**
 * nnfs_inode_set_vif() - bind an inode to a VIF, whose owner and mode it has
 * @inode: new
 * @vif: the VIF
 */
void nnfs_inode_set_vif(struct inode *inode, struct vif *vif);

/**
 * nnfs_vif_get() - the VIF of an inode
 * @inode: of a VIF's directory or file, or a link
 *
 * Return: the VIF, referenced, or NULL if it has been removed.
 */
struct vif *nnfs_vif_get(const struct inode *inode);

/* The same, or -ENOENT with a sentence in last_error. */
struct vif *nnfs_vif_get_or_fail(const struct inode *inode);

/**
 * nnfs_inode_set_target() - bind an inode to something that can be attached
 * @inode: new
 * @target: a reference is taken
 */
void nnfs_inode_set_target(struct inode *inode,
			   const struct vif_target *target);

/* Owner, group and mode of an inode, as a VIF has them. */
struct vif_owner nnfs_inode_owner(const struct inode *inode);

/* Owner and mode of everything but VIFs' directories. */
int nnfs_setattr_fixed(struct nnfs_idmap *idmap, struct dentry *dentry,
		       struct iattr *attr);

/**
 * nnfs_deny() - have last_error say what was denied, and who may
 * @vif: the VIF
 * @file: a file of it, or NULL
 * @err: negative errno
 * @what: what was tried
 *
 * Return: @err.
 */
int nnfs_deny(struct vif *vif, const struct nnfs_file *file, int err,
	      const char *what);

/**
 * nnfs_need_write() - check the caller's permission to write to a VIF's directory
 * @vif: the VIF
 * @file: the file of it that is meant, or NULL
 *
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: 0 or -EACCES.
 */
int nnfs_need_write(struct vif *vif, const struct nnfs_file *file);

/* Is it of a process that the caller has no power over? */
bool nnfs_is_hidden(const struct inode *inode);

/* Inode operations of what is below tasks/PID: -ENOENT if it is hidden. */
int nnfs_task_permission(struct nnfs_idmap *idmap, struct inode *inode,
			 int mask);
int nnfs_task_getattr(struct nnfs_idmap *idmap, const struct path *path,
		      struct kstat *stat, u32 mask, unsigned int flags);

/* Inode operations of a VIF's directory and files. */
int nnfs_permission(struct nnfs_idmap *idmap, struct inode *inode, int mask);
int nnfs_getattr(struct nnfs_idmap *idmap, const struct path *path,
		 struct kstat *stat, u32 mask, unsigned int flags);
int nnfs_setattr_dir(struct nnfs_idmap *idmap, struct dentry *dentry,
		     struct iattr *attr);

/* For super_operations. */
struct inode *nnfs_alloc_inode(struct super_block *sb);
void nnfs_free_inode(struct inode *inode);
void nnfs_evict_inode(struct inode *inode);

int nnfs_inode_cache_init(void);
void nnfs_inode_cache_exit(void);

#endif
