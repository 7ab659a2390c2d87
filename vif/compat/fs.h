/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels in the interface of file systems; probe.sh finds out which names this
 * kernel has.
 */
#ifndef NETNICE_COMPAT_FS_H
#define NETNICE_COMPAT_FS_H

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/string.h>

/*
 * The type of the first argument of most inode operations. netnice only passes it on. Then: how to
 * get it from an open file, and its value where there is no mount.
 */
#ifdef HAVE_MNT_IDMAP
#define nnfs_idmap		mnt_idmap
#define nnfs_file_idmap(file)	file_mnt_idmap(file)
#define nnfs_nop_idmap		(&nop_mnt_idmap)
#else
#define nnfs_idmap		user_namespace
#define nnfs_file_idmap(file)	file_mnt_user_ns(file)
#define nnfs_nop_idmap		(&init_user_ns)
#endif

/*
 * Look up a name in a directory, if the caller may search it. A negative dentry is an error. For a
 * file system without a mount.
 */
static inline struct dentry *nnfs_lookup_one(const char *name,
					     struct dentry *dir)
{
#ifdef HAVE_LOOKUP_ONE_QSTR
	return lookup_one_positive_unlocked(nnfs_nop_idmap,
					    &(struct qstr)QSTR_INIT(name, strlen(name)),
					    dir);
#else
	return lookup_one_positive_unlocked(nnfs_nop_idmap, name, dir,
					    strlen(name));
#endif
}

/* The type that ->mkdir() returns, and how it returns an errno or 0. */
#ifdef HAVE_MKDIR_DENTRY
#define NNFS_MKDIR_RET		struct dentry *
#define nnfs_mkdir_ret(err)	ERR_PTR(err)
#else
#define NNFS_MKDIR_RET		int
#define nnfs_mkdir_ret(err)	(err)
#endif

/*
 * There are no leases: a user who holds a lease could make others wait. Later kernels allow none
 * unless the file system asks for them.
 */
#ifdef HAVE_SIMPLE_NOSETLEASE
#define NNFS_NO_LEASES		.setlease = simple_nosetlease,
#else
#define NNFS_NO_LEASES
#endif

/*
 * ->d_revalidate()'s arguments, of which dentry and flags are used; and, in it, to call a
 * function of an inode and the dentry's name, which may be changing. Not in RCU mode
 * unless NNFS_NAME_IN_RCU: a snapshot may be taken of a dentry only that lasts.
 */
#ifdef HAVE_D_REVALIDATE_NAME
#define NNFS_D_REVALIDATE_ARGS	struct inode *dir, const struct qstr *name, \
				struct dentry *dentry, unsigned int flags
#define NNFS_NAME_IN_RCU	true
#define nnfs_call_named(function, inode, dentry)	(function)(inode, name)
#else
#define NNFS_NAME_IN_RCU	false
#define NNFS_D_REVALIDATE_ARGS	struct dentry *dentry, unsigned int flags
static inline bool nnfs_call_named(bool (*function)(const struct inode *inode,
						    const struct qstr *name),
				   const struct inode *inode,
				   struct dentry *dentry)
{
	struct name_snapshot snapshot;
	bool result;

	take_dentry_name_snapshot(&snapshot, dentry);
	result = function(inode, &snapshot.name);
	release_dentry_name_snapshot(&snapshot);
	return result;
}
#endif

#ifdef HAVE_FILLATTR_MASK
#define nnfs_fillattr(idmap, mask, inode, stat) \
	generic_fillattr(idmap, mask, inode, stat)
#else
#define nnfs_fillattr(idmap, mask, inode, stat) \
	generic_fillattr(idmap, inode, stat)
#endif

static inline void nnfs_set_d_op(struct super_block *sb,
				 const struct dentry_operations *ops)
{
#ifdef HAVE_SET_DEFAULT_D_OP
	set_default_d_op(sb, ops);
#else
	sb->s_d_op = ops;
#endif
}

static inline void nnfs_set_times(struct inode *inode, struct timespec64 ts)
{
#ifdef HAVE_INODE_SET_MTIME
	inode_set_atime_to_ts(inode, ts);
	inode_set_mtime_to_ts(inode, ts);
	inode_set_ctime_to_ts(inode, ts);
#else
	inode->i_atime = ts;
	inode->i_mtime = ts;
	inode->i_ctime = ts;
#endif
}

#endif
