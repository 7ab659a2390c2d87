/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control groups (v2) as subjects. A socket belongs to the group in which it was created, and to
 * all groups above. If a task of another group uses it, that group counts too (resolve.h).
 *
 * The attachments of a removed group end, except for sockets that were created in the group and
 * still exist: its entry stays until the last of them is gone.
 */
#ifndef NETNICE_VIF_CGROUP_H
#define NETNICE_VIF_CGROUP_H

#include <linux/cgroup.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/types.h>
#include <net/sock.h>

#include "../tree/net.h"
#include "subject.h"

struct kernfs_node;
struct vif;
struct vif_dev;
struct vif_net;

#ifdef CONFIG_SOCK_CGROUP_DATA

/* Is any group attached to anything? */
static inline bool vif_cgroup_any(void)
{
	return vif_subject_any(VIF_CGROUP);
}

DECLARE_STATIC_KEY_FALSE(vif_cgroup_some);

/* Is any group attached, or has it been? If not, the question costs a packet nothing. */
static inline bool vif_cgroup_was_any(void)
{
	return static_branch_unlikely(&vif_cgroup_some);
}

/* A group is about to be attached. Context: process. */
void vif_cgroup_attaching(void);

/**
 * vif_cgroup_of_user() - the group in which a task uses a socket
 * @sk: a full socket
 * @vn: of its namespace, or NULL
 * @task: the task
 *
 * Context: caller holds rcu_read_lock().
 * Return: valid under rcu_read_lock(), its last reference may be gone; NULL if it is the
 *	socket's own, or if no group is attached on a device of the namespace.
 */
static inline struct cgroup *vif_cgroup_of_user(struct sock *sk, const struct vif_net *vn,
						struct task_struct *task)
{
	struct cgroup *group;

	if (!vif_cgroup_was_any() || !vn || !atomic_read(&vn->grouped))
		return NULL;
	group = task_dfl_cgroup(task);
	return group == sock_cgroup_ptr(&sk->sk_cgrp_data) ? NULL : group;
}

/**
 * vif_cgroup_of_sock() - the group of a socket
 * @sk: a full socket
 *
 * Return: valid as long as the socket; NULL if no group has attachments.
 */
struct cgroup *vif_cgroup_of_sock(struct sock *sk);

/* The same, whether any group has attachments or not. */
static inline struct cgroup *vif_cgroup_made_in(struct sock *sk)
{
	return sock_cgroup_ptr(&sk->sk_cgrp_data);
}

/*
 * The group of sockets that a task makes, or that the running task makes; NULL if no group has
 * attachments. Caller holds rcu_read_lock().
 */
struct cgroup *vif_cgroup_of_task(struct task_struct *task);
struct cgroup *vif_cgroup_of_current(void);

/**
 * vif_cgroup_vif() - find the VIF to which a group is attached on a device
 * @cgroup: the group, or NULL
 * @vdev: the device
 *
 * Context: caller holds rcu_read_lock().
 * Return: the group's VIF, or the VIF of the nearest attached group above, valid under
 *	rcu_read_lock(), or NULL.
 */
struct vif *vif_cgroup_vif(struct cgroup *cgroup, const struct vif_dev *vdev);

/*
 * Is a group, or one above it, attached to a device of a namespace? @cgroup may be NULL. Caller
 * holds rcu_read_lock().
 */
bool vif_cgroup_is_attached(struct cgroup *cgroup, const struct vif_net *vn);

/* Name a group, which the caller holds. -ESRCH it has been removed. */
int vif_cgroup_id(struct cgroup *cgroup, struct vif_subject_id *id);

/*
 * Return the group of a node that the caller holds, referenced; NULL if it is gone. Caller holds
 * rcu_read_lock().
 */
struct cgroup *vif_cgroup_of_node(struct kernfs_node *node);

/* Return the root of the caller's cgroup namespace, referenced, or NULL. */
struct cgroup *vif_cgroup_top(void);

/**
 * vif_cgroup_path() - the path of a group
 * @cgroup: the group
 * @top: the group that is "/"
 * @buf: where to
 * @size: of @buf
 *
 * Context: process.
 * Return: false if it is not below @top, or @buf is too small.
 */
bool vif_cgroup_path(struct cgroup *cgroup, struct cgroup *top, char *buf,
		     size_t size);

/* Both take NULL. Context: any. */
void vif_cgroup_get(struct cgroup *cgroup);
void vif_cgroup_put(struct cgroup *cgroup);

/*
 * Take a reference to the result of vif_cgroup_of_user() or vif_cgroup_made_in(), or return NULL if
 * it is gone. Caller holds rcu_read_lock().
 */
struct cgroup *vif_cgroup_tryget(struct cgroup *cgroup);

#else

static inline bool vif_cgroup_any(void)
{
	return false;
}

static inline bool vif_cgroup_was_any(void)
{
	return false;
}

static inline void vif_cgroup_attaching(void)
{
}

static inline struct cgroup *vif_cgroup_of_user(struct sock *sk, const struct vif_net *vn,
						struct task_struct *task)
{
	return NULL;
}

static inline struct cgroup *vif_cgroup_tryget(struct cgroup *cgroup)
{
	return NULL;
}

static inline struct cgroup *vif_cgroup_of_sock(struct sock *sk)
{
	return NULL;
}

static inline struct cgroup *vif_cgroup_made_in(struct sock *sk)
{
	return NULL;
}

static inline struct cgroup *vif_cgroup_of_task(struct task_struct *task)
{
	return NULL;
}

static inline struct cgroup *vif_cgroup_of_current(void)
{
	return NULL;
}

static inline struct vif *vif_cgroup_vif(struct cgroup *cgroup,
					 const struct vif_dev *vdev)
{
	return NULL;
}

static inline bool vif_cgroup_is_attached(struct cgroup *cgroup, const struct vif_net *vn)
{
	return false;
}

static inline int vif_cgroup_id(struct cgroup *cgroup,
				struct vif_subject_id *id)
{
	return -ESRCH;
}

static inline struct cgroup *vif_cgroup_of_node(struct kernfs_node *node)
{
	return NULL;
}

static inline struct cgroup *vif_cgroup_top(void)
{
	return NULL;
}

static inline bool vif_cgroup_path(struct cgroup *cgroup, struct cgroup *top,
				   char *buf, size_t size)
{
	return false;
}

static inline void vif_cgroup_get(struct cgroup *cgroup)
{
}

static inline void vif_cgroup_put(struct cgroup *cgroup)
{
}

#endif

/* These functions decide who has power over a control group. */

#ifdef CONFIG_SOCK_CGROUP_DATA

/**
 * vif_cgroup_access() - has the caller power over a group?
 * @cgroup: the group
 *
 * Context: process, may sleep; takes inode locks of cgroup2 only.
 * Return: 0, -EACCES, -EPERM or -EROFS no (always, if cgroup2 is not mounted),
 *	-ENOENT it has been removed, -ENAMETOOLONG its path is PATH_MAX or longer, -ENOMEM.
 */
int vif_cgroup_access(struct cgroup *cgroup);

#else

static inline int vif_cgroup_access(struct cgroup *cgroup)
{
	return -ENOENT;
}

#endif

#endif
