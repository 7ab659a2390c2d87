/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A mounted file system: what its superblock knows.
 */
#ifndef NETNICE_PROCFS_SUPER_H
#define NETNICE_PROCFS_SUPER_H

#include <linux/fs.h>

#include "alias.h"

struct cgroup;
struct pid_namespace;
struct vif_net;

/**
 * struct nnfs_top - the top directory, as the mount's options have it
 * @uid: owner
 * @gid: group
 * @mode: permission bits
 * @given: any of them has been given
 */
struct nnfs_top {
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
	bool given;
};

/**
 * struct nnfs_super - a superblock's s_fs_info
 * @net: whose VIFs are shown (referenced, which does not keep the network
 *	namespace itself)
 * @pid_ns: whose process numbers are used (referenced)
 * @cgroup: root of the control groups that are shown (referenced), or NULL
 * @top: see there
 * @since: when it was first mounted
 * @rcu: walks in RCU mode may outlive the mount; in the first 4096 bytes
 * @aliases: see alias.h
 *
 * Superblocks are keyed by these: the same process has other numbers in
 * another PID namespace, a group another path in another cgroup namespace, and
 * dentries are shared by all mounts of one.
 */
struct nnfs_super {
	struct vif_net *net;
	struct pid_namespace *pid_ns;
	struct cgroup *cgroup;
	struct nnfs_top top;
	struct timespec64 since;
	struct rcu_head rcu;
	struct nnfs_aliases aliases;
};

static inline struct nnfs_super *nnfs_super(const struct super_block *sb)
{
	return sb->s_fs_info;
}

static inline struct vif_net *nnfs_net(const struct inode *inode)
{
	return nnfs_super(inode->i_sb)->net;
}

#endif
