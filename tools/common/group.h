/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups (v2), as they are mounted on /sys/fs/cgroup. */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>
#include <sys/types.h>

#define GROUP_TOP	"/sys/fs/cgroup"

/* Whether they are mounted there. */
bool group_is_mounted(void);

/**
 * group_elsewhere - whether a group's processes are in other network namespaces
 * @name: the group, as "system.slice/a.service"
 *
 * What is attached of a group are its sockets in the caller's network namespace. A group
 * without processes may get some yet, and one that can not be looked at may be here.
 *
 * Return: one of its processes, or of the groups below, if none of them is in the caller's
 * network namespace; 0 if one is, if there are none, or if that is unknown.
 */
pid_t group_elsewhere(const char *name);

/* Says so, of a group that is attached to @vif. */
void group_warn_elsewhere(const char *name, const char *vif);

#endif
