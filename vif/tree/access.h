/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Permissions: decided by the credentials of the running task, or credentials that it has taken
 * temporarily (override_creds()), for example those of the opener of a file.
 *
 * There are two powers. Permissions of directories, as in any file system, decide which users may
 * use, divide and loosen a VIF. A task with CAP_NET_ADMIN over the network namespace is an
 * administrator: only an administrator can remove an administrator's attachment.
 */
#ifndef NETNICE_VIF_ACCESS_H
#define NETNICE_VIF_ACCESS_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct pid;
struct vif;
struct vif_net;
struct vif_owner;

/*
 * Owner and group. Until they are set, these are the root user and group of the user namespace,
 * which may get their numbers after the device was created. Caller holds the tree mutex.
 */
kuid_t vif_uid(const struct vif *vif);
kgid_t vif_gid(const struct vif *vif);

/* Set the owner of a VIF's directory. Caller holds the tree mutex. Return: the user has changed. */
bool __vif_set_owner(struct vif *vif, const struct vif_owner *owner);

/* Has the caller CAP_NET_ADMIN over a network namespace? */
bool vif_access_admin(const struct vif_net *vn);

/**
 * vif_access() - check the permissions of a VIF's directory
 * @vif: the VIF
 * @mask: MAY_WRITE, MAY_EXEC
 *
 * Context: process; takes the tree mutex. Does not set last_error.
 */
bool vif_access(const struct vif *vif, int mask);

/* The same. Caller holds the tree mutex. */
bool __vif_access(const struct vif *vif, int mask);

/* Owner, group and mode. Caller holds the tree mutex. */
struct vif_owner __vif_owner(const struct vif *vif);

/* The same of a VIF that has had this owner. Context: process, without locks. */
bool vif_access_owned(const struct vif_owner *owner, int mask);

/**
 * vif_access_restrain() - may the caller change what restrains a VIF?
 * @vif: the VIF
 *
 * Return true if the caller may write to it, and to its parent.
 * Context: process; the tree mutex is held.
 */
bool vif_access_restrain(const struct vif *vif);

/* Does the caller own a VIF, or have the same rights? The tree mutex is held. */
bool vif_access_own(const struct vif *vif);

/**
 * vif_access_move() - may the caller move a VIF below another one?
 * @vif: the VIF
 * @parent: the VIF that will drain it
 *
 * The caller may not if this removes a limit that the caller could not remove otherwise.
 * Context: process; the tree mutex is held. Sets last_error if it fails.
 * Return: 0, -EACCES the caller may not write to the old or new parent, -EPERM it
 *	would leave a VIF that the caller cannot loosen.
 */
int vif_access_move(const struct vif *vif, const struct vif *parent);

/**
 * vif_access_user() - return the user that is responsible for the caller
 * @vn: the namespace
 *
 * Users of other user namespaces can be chosen freely: return the creator of the outermost one
 * below the owner of the network namespace.
 */
kuid_t vif_access_user(const struct vif_net *vn);

/**
 * vif_access_task() - has the caller power over a task?
 * @pid: of a process or thread
 *
 * Like ptrace(2)'s read check without security modules, which cannot be called: the same user,
 * without further capabilities or gained privileges, or CAP_SYS_PTRACE over it. Any caller has
 * power over a task that is gone.
 * Context: process, without locks.
 */
bool vif_access_task(struct pid *pid);

#endif
