/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Power over a control group.
 */
#ifndef NETNICE_VIF_CGROUP_ACCESS_H
#define NETNICE_VIF_CGROUP_ACCESS_H

#include <linux/errno.h>

struct cgroup;

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
